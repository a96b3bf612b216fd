"""A budget is found by rehearsing on users who protect nothing, and says how sure it is."""

from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean, variance
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array, hstack
from scipy.stats import norm, t

from hushrank.accounting.rounding import places_below
from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.identifiers import numbered
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.evaluation.attackers import Attacks, bound_on_attacks
from hushrank.publishing.historical.baselines import baseline_plans
from hushrank.publishing.historical.microaggregate import microaggregate_plans
from hushrank.publishing.historical.protected_users import protect
from hushrank.publishing.record_channel.microaggregation import pools_of
from hushrank.workflows.judge import attack
from hushrank.workflows.progress import silent
from hushrank.workflows.publish import historical, rehearse
from hushrank.workflows.publish.historical import publish
from hushrank.workflows.publish.rehearse import (
    OUTSIDE,
    SURE,
    Attacked,
    Rehearsal,
    Search,
    Trial,
    budget_warnings,
    find_budget,
    lower_bound,
    rehearsed_parts,
)
from hushrank.workflows.results.pool_bounds import bound_of_pools
from hushrank.workflows.results.release_terms import ReleaseTerms

LOG, PEOPLE = draw_planted(400, 40, tilt=0.6, rng=np.random.default_rng(3))
VISITS = LOG.activity("max")
ASKS = np.arange(VISITS.n_users) % 3 == 0
PEOPLE = PEOPLE.aligned(VISITS.users, surplus="dropped").with_protected({"group": ASKS})


@dataclass(frozen=True)
class Curve:
    """A rehearsal whose worst attacker learns less the larger the budget is."""

    shift: float
    users: object = None
    chance: float = 0.0
    level: float | None = None

    def attacked(self, plan, method, budget):
        level = expected(budget) if self.level is None else self.level
        return Attacked(level + self.shift, self.chance)


N_OPEN, N_REHEARSED = 400, 200


def parts(*shifts: float, chance: float = 0.0) -> list[Curve]:
    users = SimpleNamespace(rows=np.arange(N_REHEARSED), activity=SimpleNamespace(n_users=N_OPEN))
    return [Curve(shift, users, chance) for shift in shifts]


def searched(wanted: float, *shifts: float, chance: float = 0.0, n_protecting: int = N_OPEN):
    given = parts(*shifts, chance=chance), None, "withhold", wanted, (0.0, 1.0)
    return find_budget(*given, n_protecting=n_protecting, progress=silent)


def expected(budget: float) -> float:
    return 0.35 + 0.1 * budget


def promised(budget: float, spread: float = 0.0) -> float:
    """What four rehearsals of the curve promise at a budget, as the theory page has it."""
    margin = float(t.ppf(SURE, 3)) * np.sqrt(spread * (1 + OUTSIDE**2 / 4))
    return 0.5 - OUTSIDE * (0.5 - expected(budget)) - margin


@pytest.mark.parametrize("wanted", [0.25, 0.3, 0.36])
def test_the_least_budget_that_promises_enough_is_found(wanted):
    found = searched(wanted, -0.01, 0.01, 0.0, 0.0)
    spread = variance([-0.01, 0.01, 0.0, 0.0])
    assert found.promised >= wanted
    assert found.promised == pytest.approx(promised(found.budget, spread))
    assert promised(found.budget - 1 / 2**rehearse.STEPS, spread) < wanted
    assert found.budget in {trial.budget for trial in found.trials}
    assert "95% of releases" in str(found)
    assert found.to_dict()["expected"] == pytest.approx(expected(found.budget))


@pytest.mark.parametrize("step", range(1, 2**rehearse.STEPS))
def test_no_less_is_promised_than_was_wanted_however_near_it_is(step):
    spread = variance([-1e-3, 1e-3, 0, 0])
    wanted = promised(step / 2**rehearse.STEPS, spread) + 5e-4
    found = searched(wanted, -0.001, 0.001, 0.0, 0.0)
    assert found.promised == pytest.approx(promised(found.budget, spread))
    assert found.promised >= wanted


def test_a_budget_that_promises_just_what_is_wanted_is_enough():
    wanted = Search(parts(0.0, 0.0), None, "withhold", N_OPEN, silent).promised_at(0.5)
    found = searched(wanted, 0.0, 0.0)
    assert (found.budget, found.promised) == (0.5, wanted)


def test_of_pools_whole_numbers_of_users_are_tried():
    level = [replace(part, level=0.4) for part in parts(0.0, 0.0)]
    given = level, None, "microaggregate", 0.3, (10.0, 75.0)
    found = find_budget(*given, n_protecting=N_OPEN, progress=silent)
    budgets = [trial.budget for trial in found.trials]
    assert budgets[:2] == [75, 43]
    assert all(budget.is_integer() for budget in budgets)


def test_a_promise_is_said_rounded_down():
    found = replace(searched(0.3, 0.0, 0.0), promised=0.4129)
    assert "0.412 or more in 95% of releases" in str(found)


def test_a_budget_is_the_least_if_none_that_was_tried_is_less():
    """The last one tried need not be: what did not promise enough is less than what was found."""
    found = searched(0.3, 0.0, 0.0)
    budgets = [trial.budget for trial in found.trials]
    assert [replace(found, budget=one).is_least for one in budgets] == [
        one == min(budgets) for one in budgets
    ]
    turned = replace(found, trials=found.trials[::-1])
    assert [replace(turned, budget=one).is_least for one in budgets] == [
        one == min(budgets) for one in budgets
    ]


def test_of_many_trials_the_least_is_known_and_that_of_the_budget():
    """Also where it is the last."""
    trials = [Trial(1 - n / 40, (0.3, 0.3), 0.0) for n in range(30)]
    trials[-1] = replace(trials[-1], worst=(0.4, 0.42))
    found = Rehearsal(0.3, trials[-2].budget, 0.35, 0.9, 100, tuple(trials))
    assert not found.is_least
    assert found.expected == pytest.approx(0.3)
    last = replace(found, budget=trials[-1].budget)
    assert last.is_least
    assert last.expected == pytest.approx(0.41)


@pytest.mark.parametrize("place", [0, 29])
def test_in_many_rehearsals_each_one_counts(place):
    """What it learns, how far apart they are, and what chance alone would do."""
    shifts = [0.3 if n == place else 0.0 for n in range(30)]
    search = Search(parts(*shifts), None, "withhold", N_OPEN, silent)
    found = search.promised_at(1.0)
    learnt = OUTSIDE * (0.5 - expected(1.0) - 0.01)
    reserve = t.ppf(SURE, 29) * np.sqrt(variance(shifts) * (1 + OUTSIDE**2 / 30))
    assert found == pytest.approx(0.5 - learnt - reserve)
    assert len(search.trials[0].worst) == 30
    search.parts = [
        replace(each, chance=30.0 * (n == place)) for n, each in enumerate(parts(*shifts))
    ]
    search.promised_at(1.0)
    assert search.trials[1].chance == pytest.approx(1.0)


def test_of_many_trials_all_say_how_far_apart_rehearsals_are():
    search = Search(parts(-0.02, 0.02, 0.01, -0.01), None, "withhold", N_OPEN, silent)
    for _ in range(20):
        search.promised_at(1.0)
    search.parts = parts(*[0.0] * 4)
    for n in range(1, 11):
        spread = variance([-0.02, 0.02, 0.01, -0.01]) * 20 / (20 + n)
        assert search.promised_at(1.0) == pytest.approx(promised(1.0, spread))


def test_the_more_rehearsals_differ_the_more_is_kept_in_reserve():
    calm, restless = searched(0.3, -0.001, 0.001, 0, 0), searched(0.3, -0.02, 0.02, 0, 0)
    assert calm.budget < restless.budget


def test_rehearsals_that_agree_by_chance_promise_no_more_than_chance_allows():
    alike = searched(0.3, -0.001, 0.001, 0, 0, chance=2e-4)
    assert alike.promised == pytest.approx(promised(alike.budget, 2e-4))


def test_rehearsals_that_agree_at_one_budget_alone_promise_no_more_for_it():
    apart, alike = (-0.02, 0.02, 0.01, -0.01), (0.0,) * 4
    search = Search(parts(*apart), None, "withhold", N_OPEN, silent)
    assert search.promised_at(1.0) == pytest.approx(promised(1.0, variance(apart)))
    search.parts = parts(*alike)
    assert search.promised_at(0.5) == pytest.approx(promised(0.5, variance(apart) / 2))


@pytest.mark.parametrize(("n_protecting", "times"), [(50, 4), (N_REHEARSED, 1), (1200, 1)])
def test_the_fewer_protect_the_more_is_kept_in_reserve(n_protecting, times):
    def reserve(spread):
        return t.ppf(SURE, 3) * np.sqrt(spread * (times + OUTSIDE**2 / 4))

    apart = searched(0.1, -0.01, 0.01, 0, 0, n_protecting=n_protecting)
    without = 0.5 - OUTSIDE * (0.5 - expected(apart.budget))
    spread = variance([-0.01, 0.01, 0, 0])
    assert apart.promised == pytest.approx(without - reserve(spread))
    alike = searched(0.1, 0, 0, 0, 0, chance=1e-4, n_protecting=n_protecting)
    without = 0.5 - OUTSIDE * (0.5 - expected(alike.budget))
    assert alike.promised == pytest.approx(without - reserve(1e-4))


def promised_of_pools(*shifts: float, n_protecting: int) -> float:
    """What is promised at .4 with pools of 50 users: four of them in each rehearsal."""
    level = [replace(part, level=0.4) for part in parts(*shifts)]
    return Search(level, None, "microaggregate", n_protecting, silent).promised_at(50)


@pytest.mark.parametrize(
    ("n_protecting", "factor"), [(400, 7 / 6), (249, 1.0), (200, 1.0), (149, 2 / 3), (99, 0.0)]
)
def test_more_is_learnt_of_more_pools_as_more_pairs_of_users_are_apart(n_protecting, factor):
    found = promised_of_pools(0.0, 0.0, 0.0, n_protecting=n_protecting)
    assert found == pytest.approx(0.5 - factor * 0.1)


@pytest.mark.parametrize(("n_protecting", "times"), [(400, 1 / 2), (800, 3 / 8), (100, 2)])
def test_of_more_users_pools_vary_less_but_for_what_is_learnt_of_values(n_protecting, times):
    """Of 200 + 200 users in rehearsals, and 400 known ones."""
    shifts, factor = (
        (-0.01, 0.01, 0.01, -0.01),
        {400: 7 / 6, 800: 15 / 12, 100: 2 / 3}[n_protecting],
    )
    reserve = t.ppf(SURE, 3) * np.sqrt(variance(shifts) * (times + factor**2 / 4))
    found = promised_of_pools(*shifts, n_protecting=n_protecting)
    assert found == pytest.approx(0.5 - factor * 0.1 - reserve)


def test_what_cannot_be_promised_is_refused_and_withholding_offered():
    with pytest.raises(
        HushrankError, match=r"no budget of withhold keeps a worst 1 - AUC of 0\.46"
    ) as refused:
        searched(0.46, 0.0, 0.0)
    assert "some attacker is as lucky by chance" in str(refused.value)
    given = parts(0.0, 0.0), None, "user-level", 0.46, (0.1, 0.5)
    with pytest.raises(HushrankError, match="method withhold, budget 1") as refused:
        find_budget(*given, n_protecting=N_OPEN, progress=silent)
    could = places_below(promised(0.5), 3)
    assert f"at 0.5 one of {could} could be promised" in str(refused.value)
    given = parts(0.0, 0.0), None, "user-level", 0.4600004, (0.1, 0.1234004)
    with pytest.raises(HushrankError, match=r"1 - AUC of 0\.4600004; .* at 0\.1234004 one of"):
        find_budget(*given, n_protecting=N_OPEN, progress=silent)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            promised(1.0) - 1e-6,
            "is the largest that was searched: no smaller one that was tried promises a worst",
        ),
        (0.3, None),
        (
            0.1,
            "is the least that was searched, and promises a worst 1 - AUC of "
            + places_below(promised(1 / 2**rehearse.STEPS), 3),
        ),
    ],
)
def test_a_budget_at_an_end_of_what_was_searched_is_warned_of(wanted, said):
    found = searched(wanted, 0.0, 0.0)
    warned = budget_warnings("user-level", found.budget, found)
    assert (said is None and not warned) or said in " ".join(warned)


@pytest.mark.parametrize("budgets", [(0.1234004, 0.1), (0.5, 0.1234004)])
def test_a_budget_that_was_found_is_said_to_its_last_digit(budgets):
    """To three digits 0.1234004 was 0.123, which nobody tried."""
    trials = tuple(Trial(budget, (0.4, 0.4), 0.0) for budget in budgets)
    found = Rehearsal(0.4600004, 0.1234004, 0.47, 0.9, 100, trials)
    said = " ".join(budget_warnings("user-level", found.budget, found))
    assert "The budget found, 0.1234004, is" in said
    assert ("0.4600004" in said) == found.is_largest


def test_what_was_rehearsed_is_rounded_down():
    found = Rehearsal(0.4, 0.1, 0.4596, 0.9, 10, (Trial(0.1, (0.4996, 0.4996), 0.0),))
    assert str(found) == "worst 1 - AUC 0.499 in 2 rehearsals, 0.459 or more in 90% of releases"


def test_it_is_said_that_all_is_withheld():
    everything = "Nothing is released of any user who protects something"
    found = searched(promised(1.0) - 1e-6, 0.0, 0.0)
    assert everything in budget_warnings("withhold", 1, None)[0]
    assert [text.startswith(everything) for text in budget_warnings("withhold", 1, found)] == [
        True,
        False,
    ]
    assert not budget_warnings("withhold", 0.99, None)
    assert not budget_warnings("rand", 1, None)


def test_what_attackers_learn_in_rehearsals_is_taken_more_than_once():
    assert lower_bound([0.46] * 4, 0.0) == pytest.approx(0.436)


@pytest.mark.statistical
def test_attackers_who_did_worse_than_chance_promise_no_more_than_it():
    assert lower_bound([0.55, 0.6, 0.6, 0.65], 0.0) == 0.5


def test_a_new_release_keeps_the_promise_as_often_as_is_said():
    rng = np.random.default_rng(5)
    drawn = norm(0.42, 0.012).rvs((2_000, 5), random_state=rng)
    told = 0.5 - OUTSIDE * (0.5 - 0.42) + drawn[:, 4] - 0.42
    kept = [
        release >= lower_bound(list(each), float(np.var(each, ddof=1)))
        for release, each in zip(told, drawn[:, :4], strict=True)
    ]
    spread = np.sqrt(SURE * (1 - SURE) / len(kept))
    assert abs(fmean(kept) - SURE) < 5 * spread


def test_nobody_who_protects_is_among_those_rehearsed_with(plain_protector):
    rehearsed = rehearsed_parts(
        VISITS, PEOPLE, ["group"], plain_protector, n_rehearsals=4, rng=np.random.default_rng(1)
    )
    asking = {VISITS.users[row] for row in np.flatnonzero(ASKS)}
    assert len(rehearsed) == 4
    for one, other in zip(rehearsed[::2], rehearsed[1::2], strict=True):
        assert not asking & set(one.users.activity.users)
        both = np.concatenate([one.users.rows, other.users.rows])
        np.testing.assert_array_equal(np.sort(both), np.arange((~ASKS).sum()))
    different = {each.users.rows.tobytes() for each in rehearsed}
    assert len(different) == 4  # drawn anew, not by the order of the users


@pytest.mark.parametrize("n_asking", [60, 5])
def test_as_many_are_rehearsed_with_as_protect_something(plain_protector, n_asking):
    """And of each value its share: ten users at least, where hardly anybody protects."""
    few = PEOPLE.with_protected({"group": np.arange(VISITS.n_users) < n_asking})
    rehearsed = rehearsed_parts(
        VISITS, few, ["group"], plain_protector, n_rehearsals=2, rng=np.random.default_rng(1)
    )
    one, other = (part.users.rows for part in rehearsed)
    assert not set(one) & set(other)
    codes = few.select(np.arange(n_asking, VISITS.n_users)).attributes[0].codes
    everybody = np.bincount(codes)
    share = max(n_asking / len(codes), 10 / everybody.min())
    for rows in (one, other):
        np.testing.assert_array_equal(np.bincount(codes[rows]), np.ceil(share * everybody))


@pytest.mark.parametrize("n_asking", [160, 240])
def test_where_many_protect_half_of_the_others_are_known_to_attackers(plain_protector, n_asking):
    """Attackers on the release know all of them: of few, rehearsals would promise too much."""
    many = PEOPLE.with_protected({"group": np.arange(VISITS.n_users) < n_asking})
    rehearsed = rehearsed_parts(
        VISITS, many, ["group"], plain_protector, n_rehearsals=2, rng=np.random.default_rng(1)
    )
    codes = many.select(np.arange(n_asking, VISITS.n_users)).attributes[0].codes
    everybody = np.bincount(codes)
    for part, rounded in zip(rehearsed, (np.ceil, np.floor), strict=True):
        np.testing.assert_array_equal(np.bincount(codes[part.users.rows]), rounded(everybody / 2))


def test_what_only_users_who_protect_have_is_not_looked_at(plain_protector):
    """An item of theirs alone, which would show that it exists."""
    secret = csr_array(np.where(ASKS, 1.0, 0.0)[:, None])
    scores = csr_array(hstack([VISITS.scores, secret]))
    more = Activity(scores, VISITS.users, (*VISITS.items, "secret"))
    rehearsed = rehearsed_parts(
        more, PEOPLE, ["group"], plain_protector, n_rehearsals=2, rng=np.random.default_rng(1)
    )
    assert all(set(half.users.activity.items) == set(VISITS.items) for half in rehearsed)


NAMES = ("group", "other")


def with_another(protected: np.ndarray) -> Profiles:
    """The same people with an attribute more, which says nothing of them."""
    group = PEOPLE.attributes[0]
    codes = np.random.default_rng(2).integers(2, size=VISITS.n_users).astype(group.codes.dtype)
    other = replace(group, name="other").with_codes(codes)
    return Profiles(PEOPLE.users, (group, other), {"group": ASKS, "other": protected})


def rehearsed_with_two(people: Profiles):
    protector, rng = partial(protect, names=NAMES), np.random.default_rng(1)
    return rehearsed_parts(VISITS, people, NAMES, protector, n_rehearsals=2, rng=rng)


def test_who_protects_several_attributes_is_not_rehearsed_with():
    rehearsed = rehearsed_with_two(with_another(ASKS))
    asking = {VISITS.users[row] for row in np.flatnonzero(ASKS)}
    assert not any(asking & set(half.users.activity.users) for half in rehearsed)
    assert all(len(half.targets.values) == 4 for half in rehearsed)  # all that they would protect


@pytest.mark.parametrize("least", [1, VISITS.n_users])
def test_where_some_protect_other_attributes_nothing_is_promised(least):
    """Each group has records of its own on the release, and records tell the group."""
    other = ASKS & (np.arange(VISITS.n_users) >= least)
    with pytest.raises(HushrankError, match="protect: who protects one of the private attributes"):
        rehearsed_with_two(with_another(other))


@pytest.mark.parametrize("apart", [0, 29])
def test_of_many_attributes_all_have_to_be_protected_by_the_same_users(apart):
    group, names = PEOPLE.attributes[0], tuple(f"a{n}" for n in range(30))
    attributes = tuple(replace(group, name=name) for name in names)
    asks = dict.fromkeys(names, ASKS)
    rehearse._require_one_group(Profiles(PEOPLE.users, attributes, asks), names)
    asks[names[apart]] = ASKS & (np.arange(VISITS.n_users) > 0)
    with pytest.raises(HushrankError, match="protect: who protects one of the private attributes"):
        rehearse._require_one_group(Profiles(PEOPLE.users, attributes, asks), names)


@pytest.mark.parametrize("n_values", [2, 30, 1000])
def test_of_many_values_each_has_its_share_in_both_parts(n_values):
    codes = np.arange(21 * n_values) % n_values
    one, other = rehearse._two_parts(codes, 0.3, np.random.default_rng(1))
    assert not (one & other).any()
    for part in (one, other):
        assert np.bincount(codes[part]).tolist() == [7] * n_values


@pytest.mark.usefixtures("hasty_attackers")
def test_pools_are_rehearsed_for_each_attribute_and_for_all_together(monkeypatch):
    """As the owner is told of the release."""
    seen = []

    def remembered(users, drawn):
        seen.append((users, drawn))
        return bound_of_pools(users, drawn)

    monkeypatch.setattr(rehearse, "bound_of_pools", remembered)
    part = rehearsed_with_two(with_another(ASKS))[0]
    found = part.attacked(microaggregate_plans, "microaggregate", 12)
    ((users, drawn),) = seen
    values, records = users.private.select(users.rows), drawn.activity.scores[users.rows]
    of_each = [values.attribute(name).codes for name in NAMES]
    bounds = [bound_on_attacks(records, codes, 2) for codes in of_each]
    bounds.append(bound_on_attacks(records, 2 * of_each[0] + of_each[1], 4))
    assert found == Attacked(pytest.approx(min(bounds)), 0.0)
    assert len(set(bounds)) == 3


def test_which_budgets_are_tried_is_learnt_from_users_who_protect_nothing(monkeypatch):
    seen = []
    monkeypatch.setattr(historical, "useful_budgets", lambda *terms: seen.append(terms[-1]))
    with pytest.raises(HushrankError, match="no budgets of privrank are known to search"):
        publish(VISITS, PEOPLE, private=["group"], protect=0.2, method="privrank", seed=4)
    asking = {VISITS.users[row] for row in np.flatnonzero(ASKS)}
    assert len(seen) == 1
    assert not asking & set(seen[0].users)


@pytest.fixture
def plain_protector():
    return partial(protect, names=["group"])


@pytest.fixture
def hasty(monkeypatch, hasty_attackers):
    monkeypatch.setattr(rehearse, "STEPS", 1)
    monkeypatch.setattr(rehearse, "attack", by_records_that_are_left)


def by_records_that_are_left(case, *, rng):
    """Let one attacker learn the more, the more is released of users of the second value."""
    del rng
    left = np.diff(case.records.indptr) * (1 + case.values)
    return Attacks({"left": 0.5 + left.mean() / 200})


def test_attackers_of_a_rehearsal_know_what_the_channel_says_of_each_record(
    monkeypatch, plain_protector
):
    given, seen = (VISITS, PEOPLE, ["group"], plain_protector), []
    part = rehearsed_parts(*given, n_rehearsals=2, rng=np.random.default_rng(1))[0]
    nobody = Attacks({"nobody": 0.5})
    monkeypatch.setattr(rehearse, "attack", lambda case, *, rng: seen.append(case) or nobody)
    unchanged = partial(baseline_plans, method="rand", held_out=0.2)
    part.attacked(unchanged, "rand", 0.0)
    choices = np.random.default_rng(part.choices)
    (plan,) = unchanged(part.users, budget=0.0, choices=choices)
    assert np.array_equal(seen[0].posterior, plan.posterior)


def found_budget(visits: Activity, people: Profiles, seed: int = 4):
    return publish(visits, people, private=["group"], protect=0.2, method="withhold", seed=seed)


@pytest.mark.usefixtures("hasty")
def test_the_budget_depends_on_the_seed_and_on_nobody_who_protects():
    """Protected users' records and values are others', and the very same is found."""
    first = found_budget(VISITS, PEOPLE)
    rng = np.random.default_rng(9)
    rows = np.arange(VISITS.n_users)
    rows[ASKS] = rng.permutation(rows[ASKS])
    group = PEOPLE.attributes[0]
    codes = np.where(ASKS, 1 - group.codes, group.codes)
    others = Profiles(PEOPLE.users, (group.with_codes(codes),), PEOPLE.protected)
    second = found_budget(VISITS.with_scores(VISITS.scores[rows]), others)
    assert first.rehearsal == second.rehearsal
    assert first.rehearsal.promised >= 0.2
    assert "least that was searched" in str(first)  # of one step
    assert first.terms.budget == first.rehearsal.budget
    assert first.to_dict()["rehearsal"]["wanted"] == 0.2
    assert first.compared_with(VISITS, PEOPLE).to_dict()["rehearsal"] is not None
    assert found_budget(VISITS, PEOPLE, seed=5).rehearsal != first.rehearsal


def test_a_release_has_the_budget_that_was_found_and_not_the_one_tried_last(monkeypatch):
    tried = tuple(Trial(budget, (0.3, 0.3), 0.0) for budget in (1.0, 0.5, 0.75, 0.625))
    found = Rehearsal(0.2, 0.75, 0.25, SURE, 90, tried)
    monkeypatch.setattr(historical, "_rehearse", lambda *given: found)
    release = found_budget(VISITS, PEOPLE)
    assert (release.terms.budget, release.to_dict()["budget"]) == (0.75, 0.75)
    assert release.compared_with(VISITS, PEOPLE).expected_distortion == pytest.approx(0.75)


def test_users_without_a_profile_count_among_those_of_whom_the_release_is(monkeypatch):
    """They protect everything: chance is that of all who do."""
    told = []

    def enough(*given, n_protecting, progress):
        told.append(n_protecting)
        raise HushrankError("enough")

    monkeypatch.setattr(historical, "find_budget", enough)
    known = np.arange(VISITS.n_users) >= 50
    some = PEOPLE.select(known)
    with pytest.raises(HushrankError, match="enough"):
        publish(VISITS, some, private=["group"], protect=0.4, method="withhold", seed=1)
    assert told == [50 + ASKS[known].sum()]


@pytest.mark.parametrize("n_rehearsed", [40, 101, 599, 600, 10_000])
def test_where_there_are_several_pools_several_are_rehearsed(n_rehearsed):
    terms = ReleaseTerms("microaggregate", ("group",), None, protect=0.3)
    users = SimpleNamespace(rows=np.arange(n_rehearsed))
    least, most = historical._budgets_to_search(terms, users, 1000)
    assert (least, most) == (10, min(300, n_rehearsed // 2))
    assert pools_of(n_rehearsed, most) >= 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "expected a budget, or what to protect"),
        ({"budget": 0.1, "protect": 0.4}, "expected a budget, or what to protect"),
        ({"protect": 0.5}, "protect: expected 1 - AUC above 0, below 0.5"),
        ({"protect": 0.4, "method": "frapp"}, "no budgets of frapp are known to search"),
    ],
)
def test_what_cannot_be_searched_is_refused(given, message):
    with pytest.raises(HushrankError, match=message):
        publish(VISITS, PEOPLE, private=["group"], **given)


def test_too_few_who_protect_nothing_are_refused():
    few = PEOPLE.with_protected({"group": np.arange(VISITS.n_users) > 30})
    with pytest.raises(HushrankError, match="20 or more users of each value"):
        publish(VISITS, few, private=["group"], protect=0.4, method="withhold")


def test_too_few_of_the_last_of_many_values_are_refused():
    codes = np.arange(24 * 20 - 1) % 24
    visits = Activity(csr_array(np.ones((len(codes), 2))), numbered(len(codes)), numbered(2))
    values = Attribute("group", numbered(24), codes)
    people = Profiles.protecting_all(visits.users, [values])
    nobody = people.with_protected({"group": np.zeros(len(codes), dtype=bool)})
    rng = np.random.default_rng(1)
    with pytest.raises(HushrankError, match="expected 20 or more users of each value"):
        rehearsed_parts(visits, nobody, ["group"], protect, n_rehearsals=2, rng=rng)


@pytest.mark.slow
def test_the_promise_is_kept_on_planted_groups():
    log, people = draw_planted(1600, 60, tilt=0.4, rng=np.random.default_rng(8))
    visits = log.activity("max")
    asks = np.arange(visits.n_users) % 2 == 0
    people = people.aligned(visits.users, surplus="dropped").with_protected({"group": asks})
    found = publish(visits, people, private=["group"], protect=0.38, method="withhold", seed=1)
    told = found.compared_with(visits, people)
    attacked = attack(visits, found, people, posterior=told.posterior)
    assert attacked.worst_untouched < 0.2
    assert attacked.worst >= 0.38

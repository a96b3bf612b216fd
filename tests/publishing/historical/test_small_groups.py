"""Plans by belief where groups lack a value, and pools that are small or have one record."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.publishing.historical import believed
from hushrank.publishing.historical import release as releases
from hushrank.publishing.historical.microaggregate import microaggregate_plans
from hushrank.publishing.historical.protected_users import protect
from hushrank.publishing.historical.release import record_distortion
from hushrank.publishing.historical.user_level import user_level_plans
from hushrank.publishing.historical.withhold import withhold_plans
from hushrank.publishing.leakage.estimates import estimate_leakage_by_laws
from hushrank.publishing.record_channel import microaggregation
from hushrank.publishing.record_channel.microaggregation import Pools
from hushrank.randomness import Randomness
from hushrank.workflows.publish.historical import publish

N_USERS = 240
LOG, _ = draw_planted(N_USERS, 20, tilt=0.6, rng=np.random.default_rng(5))
VISITS = LOG.activity("max")
GROUP = np.arange(N_USERS) % 3
ASKS = np.arange(N_USERS) % 2 == 0
BUDGETS = {"microaggregate": 12, "withhold": 0.4, "user-level": 0.4}


def people(codes: np.ndarray) -> Profiles:
    attribute = Attribute("group", ("a", "b", "c"), codes)
    return Profiles(VISITS.users, (attribute,), {"group": ASKS})


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", BUDGETS)
def test_a_value_that_nobody_has_who_protects_is_no_obstacle(tmp_path, method):
    profiles = people(np.where(ASKS & (GROUP == 1), 2, GROUP))
    asked = {"private": ["group"], "budget": BUDGETS[method], "method": method, "seed": 1}
    owners = publish(VISITS, profiles, **asked).compared_with(VISITS, profiles)
    assert owners.posterior.values == ("a", "b", "c")
    np.testing.assert_allclose(owners.posterior.chances.sum(axis=1), 1)
    assert [each.value for each in owners.changed[0]] == ["a", "c"]
    assert sum(each.users for each in owners.changed[0]) == ASKS.sum()
    owners.report(tmp_path / "page.html")


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", BUDGETS)
@pytest.mark.parametrize("told", [GROUP // 2, np.where(np.arange(N_USERS) < 20, GROUP, -1)])
def test_what_is_released_by_belief_hangs_on_no_value_of_who_protects(method, told):
    """Nor by what chooses classifiers and candidates: it is the same whoever tells what."""
    asked = {"private": ["group"], "budget": BUDGETS[method], "method": method, "seed": 1}
    codes = GROUP, np.where(ASKS, told, GROUP)
    one, other = (publish(VISITS, people(each), **asked).activity for each in codes)
    assert one == other


def test_a_pool_that_nobody_would_do_for_is_filled_all_the_same(monkeypatch):
    """Of small pools and sharp beliefs the chances of all users may be next to nothing in one."""
    chances = np.tile([0.5, 0.5 - 1e-12, 1e-12], (12, 1))
    monkeypatch.setattr(microaggregation, "_filled", lambda *given: (chances.copy(), None))
    sizes = np.array([5, 4, 3])
    found = Pools(np.full((12, 2), 0.5), np.zeros((12, 3)), np.zeros((3, 2)), sizes)
    np.testing.assert_allclose(found.chances.sum(axis=0), sizes, atol=1e-3)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    labels = found.draw(rng=Randomness.seeded(1))
    assert np.bincount(labels).tolist() == sizes.tolist()


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("budget", [3, 6])
def test_a_release_of_small_pools_is_compared_with_its_data_and_with_no_others(budget):
    """Of users who did three things in the mean, many pools have the same record, or none."""
    log, _ = draw_planted(N_USERS, 30, tilt=0.6, mean_records=3.0, rng=np.random.default_rng(5))
    visits = log.activity("max")
    scores = (visits.scores.toarray() > 0) * 1.0
    visits, profiles = visits.with_scores(csr_array(scores)), people(GROUP)
    asked = {"private": ["group"], "budget": budget, "method": "microaggregate", "seed": 4}
    release = publish(visits, profiles, **asked)
    owners = release.compared_with(visits, profiles)
    assert sum(each.changed for each in owners.changed[0]) == ASKS.sum()
    shown = release.activity.aligned(visits.users, visits.items).scores.toarray()
    held = np.argwhere((shown > 0) & ASKS[:, None])[0]
    for row, item in (held, (np.flatnonzero(~ASKS)[0], 0)):
        other = scores.copy()
        other[row, item] += 1
        with pytest.raises(HushrankError, match="that this was released from"):
            release.compared_with(visits.with_scores(csr_array(other)), profiles)


@pytest.mark.usefixtures("hasty_attackers")
def test_what_pools_tell_of_users_held_out_is_without_what_chance_tells():
    profiles = people(GROUP)
    asked = {"private": ["group"], "budget": 12, "method": "microaggregate", "seed": 1}
    owners = publish(VISITS, profiles, **asked).compared_with(VISITS, profiles)
    (plan,) = owners.drawn.plans
    codes = owners.users.values(plan.names, plan.users).codes
    before = owners.untouched_bits
    assert owners.leakage_bits_heldout < before
    n_pools, n_users = ASKS.sum() // 12, ASKS.sum()
    by_chance = (n_pools - 1) * 2 / (2 * n_users * np.log(2))
    even = np.full((n_users, n_pools), 1 / n_pools)
    assert abs(estimate_leakage_by_laws(even, codes)) < 1e-9
    assert owners.leakage_bits_heldout < by_chance / 2


def test_the_distortion_of_many_is_that_of_users_evenly_spaced(monkeypatch):
    """The first users keep their records, the others have that of the first."""
    profiles = people(GROUP)
    users = protect(VISITS, profiles, ["group"], n_clusters=4, rng=np.random.default_rng(1))
    sources = np.arange(N_USERS)
    changed = users.rows[len(users.rows) // 2 :]
    sources[changed] = users.rows[0]
    whole = record_distortion(users, VISITS.scores[sources], sources)
    monkeypatch.setattr(releases, "MOST_COMPARED", len(users.rows) // 2)
    assert record_distortion(users, VISITS.scores[sources], sources) > whole / 2


@pytest.mark.parametrize(
    ("plans", "budget", "said"),
    [
        *((microaggregate_plans, each, "pools of 3 or more") for each in (2.9, np.nan, np.inf)),
        *((user_level_plans, each, "above 0, at most 1") for each in (0, 1.1, np.nan)),
        *((withhold_plans, each, "a share of 0 to 1 to withhold") for each in (-0.1, 1.1, np.nan)),
    ],
)
def test_budgets_that_cannot_be_are_refused_before_anything_is_learnt(learnt, plans, budget, said):
    users = protect(VISITS, people(GROUP), ["group"], rng=np.random.default_rng(1))
    with pytest.raises(HushrankError, match=said):
        plans(users, budget=budget, choices=np.random.default_rng(1))
    assert not learnt


@pytest.mark.parametrize("plans", [microaggregate_plans, user_level_plans, withhold_plans])
def test_users_of_one_value_are_refused_before_anything_is_learnt(learnt, plans):
    alike = people(np.where(ASKS, 1, GROUP))
    users = protect(VISITS, alike, ["group"], rng=np.random.default_rng(1))
    with pytest.raises(HushrankError, match="2 or more values"):
        plans(
            users,
            budget=3 if plans is microaggregate_plans else 0.5,
            choices=np.random.default_rng(1),
        )
    assert not learnt


@pytest.fixture
def learnt(monkeypatch):
    """What beliefs were learnt from."""
    seen = []
    monkeypatch.setattr(believed, "beliefs", lambda *given, **asked: seen.append(given))
    return seen


@pytest.mark.parametrize("n_protected", [4, 21, 200])
def test_all_who_protect_nothing_are_learnt_from_wherever_they_stand(learnt, n_protected):
    protects = np.arange(N_USERS) < n_protected
    profiles = people(GROUP).with_protected({"group": protects})
    users = protect(VISITS, profiles, ["group"], n_clusters=2, rng=np.random.default_rng(1))
    believed.believed(users, ("group",), np.arange(n_protected), np.random.default_rng(1), print)
    ((scores, values, asked, n_values),) = learnt
    assert (scores - VISITS.scores[~protects]).nnz == 0
    assert (asked - VISITS.scores[protects]).nnz == 0
    assert (values.tolist(), n_values) == (GROUP[~protects].tolist(), 3)


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", ["withhold", "user-level"])
def test_who_is_released_with_the_own_record_has_not_that_of_another_who_has_the_same(method):
    scores = VISITS.scores.toarray()
    alike = np.flatnonzero(ASKS)[[0, 7, 20]]
    scores[alike] = scores[alike[0]]
    visits, profiles = VISITS.with_scores(csr_array(scores)), people(GROUP)
    asked = {"private": ["group"], "budget": BUDGETS[method], "method": method, "seed": 1}
    release = publish(visits, profiles, **asked)
    given, taker = scores.copy(), np.flatnonzero(ASKS)[30]
    given[taker] = scores[alike[0]]
    release = replace(release, activity=visits.with_scores(csr_array(given)))
    owners = release.compared_with(visits, profiles)
    assert (owners.drawn.sources[alike] == alike).all()
    assert owners.drawn.sources[taker] == alike[0]
    assert sum(each.changed + each.withheld for each in owners.changed[0]) == 1


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("plans", [microaggregate_plans, user_level_plans, withhold_plans])
def test_records_stay_among_users_who_protect_the_same(plans):
    names, number = ("group", "other"), np.arange(N_USERS) % 4
    asks = {"group": number == 0, "other": number == 2}
    attributes = tuple(Attribute(name, ("a", "b", "c"), GROUP) for name in names)
    profiles = Profiles(VISITS.users, attributes, asks)
    users = protect(VISITS, profiles, names, rng=np.random.default_rng(1))
    budget = 12 if plans is microaggregate_plans else 0.4
    groups = plans(users, budget=budget, choices=np.random.default_rng(1))
    assert [len(plan.users) for plan in groups] == [N_USERS // 4] * 2
    for plan in groups:
        drawn = plan.draw(rng=Randomness.seeded(1))
        assert {*drawn.tolist()} - {releases.NOTHING} <= {*plan.users.tolist()}


def test_of_who_is_withheld_nobody_s_record_is_released():
    """Not even that of the last who protects something, whose place NOTHING would be."""
    few = SimpleNamespace(private=SimpleNamespace(n_users=6), rows=np.array([0, 2, 3, 5]))
    sources = releases.by_row(few, np.array([3, releases.NOTHING, 0, releases.NOTHING]))
    assert sources.tolist() == [5, 1, releases.NOTHING, 0, 4, releases.NOTHING]


def test_who_is_in_no_group_is_released_with_nothing_and_not_with_the_own_record():
    few = SimpleNamespace(private=SimpleNamespace(n_users=6), rows=np.array([0, 2, 3, 5]))
    plan = SimpleNamespace(users=np.array([0, 3]), draw=lambda *, rng: np.array([3, 0]))
    among = releases.draw_sources(few, [plan], rng=Randomness.replayed(b""))
    nothing = releases.NOTHING
    assert releases.by_row(few, among).tolist() == [5, 1, nothing, nothing, 4, 0]

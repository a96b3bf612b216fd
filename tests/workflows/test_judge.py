"""Attackers and recommenders judge a release as the command line does, from Python."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, diags_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.evaluation.attackers import Attacks
from hushrank.evaluation.recommendation.average_precision import average_precisions
from hushrank.evaluation.recommendation.foretelling import Precision, foretelling
from hushrank.workflows import judge
from hushrank.workflows.judge import AttackResult, EvaluationResult, attack, evaluate
from hushrank.workflows.publish.historical import hold_out, publish

LOG, ALL_PROTECT = draw_planted(240, 60, tilt=0.9, rng=np.random.default_rng(3))
VISITS = LOG.activity("max")
PEOPLE = ALL_PROTECT.aligned(VISITS.users, surplus="dropped").with_protected(
    {"group": np.arange(VISITS.n_users) % 2 == 0}
)


@dataclass(frozen=True)
class Handed:
    """What is known of a release here."""

    activity: Activity
    private: tuple[str, ...] = ("group",)


def shuffled(activity):
    """Give every user the record of another, at random: it tells nothing of them."""
    rows = np.random.default_rng(1).permutation(activity.n_users)
    return activity.with_scores(activity.scores[rows])


@pytest.fixture(scope="module")
def attacked():
    return attack(VISITS, Handed(shuffled(VISITS)), PEOPLE)


def test_records_at_random_tell_attackers_nothing_and_own_ones_do(attacked):
    assert attacked.worst_untouched < 0.15
    assert attacked.worst > 0.3
    assert attacked.worst == min(attacked.released.values())
    assert attacked.released[attacked.strongest] == attacked.worst
    assert (attacked.n_protected, attacked.n_open, attacked.private) == (120, 120, ("group",))


def test_a_release_and_its_activity_are_attacked_alike(attacked):
    steps = []
    again = attack(VISITS, shuffled(VISITS), PEOPLE, private=["group"], progress=steps.append)
    for what in ("activity as it is", "what was released"):
        assert grown_to_one(steps, f"attacking {what}") > 20
    assert again.to_dict() == attacked.to_dict()


def test_what_is_shown_of_attackers_is_what_they_learn_of_the_release():
    before, after = Attacks({"a": 0.75, "b": 0.875}), Attacks({"b": 0.5, "a": 0.625})
    found = AttackResult(("group",), 120, 80, before, after)
    assert found.summary == {"b": "0.500", "a": "0.375", "worst": "0.375"}
    told = found.to_dict()
    assert (told["protected_users"], told["open_users"]) == (120, 80)
    assert (told["worst"], told["worst_untouched"], told["strongest"]) == (0.375, 0.125, "a")
    rows = pa.table(found).to_pydict()
    assert rows == {"attacker": ["b", "a"], "untouched": [0.125, 0.25], "released": [0.5, 0.375]}


@pytest.mark.usefixtures("hasty_attackers")
def test_an_attacker_who_knows_the_channel_knows_what_it_says():
    class Channel:
        """Knows all values, of users in any order."""

        def chances_of(self, users, values):
            group = PEOPLE.attribute("group")
            row = {user: number for number, user in enumerate(PEOPLE.users)}
            codes = group.codes[[row[user] for user in users]]
            names = np.array(group.values)[codes]
            return (names[:, None] == np.array(values)).astype(float)

    found = attack(VISITS, Handed(shuffled(VISITS)), PEOPLE, posterior=Channel())
    assert found.released["channel posterior"] == 0
    assert "channel posterior" not in found.untouched


@pytest.mark.usefixtures("hasty_attackers")
def test_profiles_in_any_order_are_those_of_their_users():
    rows = np.random.default_rng(5).permutation(VISITS.n_users)
    group, few = PEOPLE.attribute("group"), np.arange(VISITS.n_users) % 3 == 0
    people = PEOPLE.with_protected({"group": few})
    others = Profiles(
        tuple(PEOPLE.users[row] for row in rows),
        (group.with_codes(group.codes[rows]),),
        {"group": few[rows]},
    )
    found, again = (attack(VISITS, Handed(VISITS), each) for each in (people, others))
    assert again.to_dict() == found.to_dict()
    assert found.worst < 0.3
    assert (found.n_protected, found.n_open) == (80, 160)


@pytest.mark.usefixtures("hasty_attackers")
def test_what_is_asked_for_is_guessed_whatever_a_release_hides():
    town = Attribute("town", ("x", "y"), np.arange(VISITS.n_users) // 2 % 2)
    asks = PEOPLE.protected["group"]
    people = Profiles(
        PEOPLE.users, (PEOPLE.attribute("group"), town), {"group": asks, "town": asks}
    )
    assert attack(VISITS, Handed(VISITS), people, private=["town"]).private == ("town",)


@pytest.mark.usefixtures("hasty_attackers")
def test_of_several_attributes_the_values_are_guessed_together():
    asked, group = [], PEOPLE.attribute("group")
    town = Attribute("town", ("x", "y"), np.arange(VISITS.n_users) // 2 % 2)
    protected = dict.fromkeys(("group", "town"), PEOPLE.protected["group"])
    people = Profiles(PEOPLE.users, (group, town), protected)
    told = SimpleNamespace(
        chances_of=lambda users, values: asked.extend(values) or np.ones((len(users), len(values)))
    )
    found = attack(VISITS, VISITS, people, private=["group", "town"], posterior=told)
    assert set(asked) == {f"{one}, {other}" for one in group.values for other in town.values}
    assert found.private == ("group", "town")
    assert pa.table(found).to_pydict()["untouched"].count(None) == 1


def grown_to_one(steps, step):
    """Require that shares of a step were told, from none of it to all, and return how many."""
    shares = [each.share for each in steps if each == step]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    return len(shares)


def test_what_was_held_out_is_foretold():
    kept, held_out = hold_out(VISITS, seed=1)
    steps = []
    found = evaluate(VISITS, Handed(kept), held_out=held_out, progress=steps.append)
    assert found.before == found.after
    assert found.after.changed_users is None
    assert found.n_changed_users == 0
    changed = evaluate(VISITS, shuffled(kept), held_out=held_out)
    assert changed.before.all_users == found.before.all_users
    assert changed.after.all_users != changed.before.all_users
    assert changed.n_changed_users > 200
    for what in ("activity as it is", "what was released"):
        assert grown_to_one(steps, f"training on {what}") > 20
    recommenders = {"before", "after", "popularity", "listed", "withheld"}
    assert changed.to_dict()["map"].keys() == recommenders
    assert pa.table(changed).column_names == ["recommender", "all_users", "changed_users"]


def test_who_is_released_with_nothing_is_served_what_is_popular():
    """Half of the users are: of them the release foretells what popularity in it does."""
    kept, held_out = hold_out(VISITS, seed=1)
    gone = np.arange(VISITS.n_users) % 2 == 0
    left = csr_array(diags_array((~gone).astype(float)) @ kept.scores)
    trial = foretelling(VISITS, kept.with_scores(left), held_out)
    after = trial.by_training(trial.released, repetitions=1, seed=0)
    of_items = np.bincount(left.indices, minlength=VISITS.n_items).astype(float)
    found = average_precisions(
        lambda users: np.tile(of_items, (users.stop - users.start, 1)), kept.scores, held_out.scores
    )
    assert after.changed_users == pytest.approx(np.nanmean(found[gone]))
    popular = trial.by_popularity()
    served = trial.withholding(after, popular)
    n_judged = [int((~np.isnan(found[each])).sum()) for each in (gone, ~gone)]
    of_others = (after.all_users * sum(n_judged) - after.changed_users * n_judged[0]) / n_judged[1]
    both = popular.changed_users * n_judged[0] + of_others * n_judged[1]
    assert served.all_users == pytest.approx(both / sum(n_judged))
    assert served.changed_users == popular.changed_users


def test_a_released_record_is_itself_a_list_and_popularity_follows():
    kept, held_out = hold_out(VISITS, seed=1)
    scores = kept.scores.toarray()
    listed = np.where(np.arange(VISITS.n_users)[:, None] % 2 == 0, held_out.scores.toarray(), 0)
    trial = foretelling(VISITS, kept.with_scores(csr_array(listed / 7)), held_out)
    found = average_precisions(
        lambda users: listed[users] * 1e6 + (listed > 0).sum(axis=0), kept.scores, held_out.scores
    )
    assert trial.by_list().all_users == pytest.approx(np.nanmean(found))
    perfect = found[::2][~np.isnan(found[::2])]
    assert (perfect == 1).all()
    assert (scores >= 0).all()


def test_a_release_is_judged_as_a_list_and_beside_withholding():
    kept, held_out = hold_out(VISITS, seed=1)
    released = shuffled(kept)
    found = evaluate(VISITS, released, held_out=held_out)
    trial = foretelling(VISITS, released, held_out)
    assert (found.popularity, found.listed) == (trial.by_popularity(), trial.by_list())
    assert found.withheld == trial.withholding(found.after, found.popularity) != found.listed


def test_a_recommender_is_trained_as_often_as_is_asked():
    kept, held_out = hold_out(VISITS, seed=1)
    trial = foretelling(VISITS, kept, held_out)
    twice = evaluate(VISITS, kept, held_out=held_out, repetitions=2)
    assert twice.before == trial.by_training(trial.seen, repetitions=2, seed=0)
    assert twice.before != evaluate(VISITS, kept, held_out=held_out).before


def test_ease_is_a_recommender_and_others_are_refused():
    kept, held_out = hold_out(VISITS, seed=1)
    found = evaluate(VISITS, kept, held_out=held_out, recommender="ease")
    assert found.before == found.after
    assert found.before != evaluate(VISITS, kept, held_out=held_out).before
    with pytest.raises(HushrankError, match="recommender: expected one of bpr, ease"):
        evaluate(VISITS, kept, held_out=held_out, recommender="als")


def test_each_recommender_is_shown_for_all_users_and_for_those_who_were_changed():
    each = [Precision(n / 10, n / 80) for n in range(1, 6)]
    found = EvaluationResult(*each, n_users=50, n_changed_users=7)
    rows = pa.table(found).to_pydict()
    assert rows["recommender"] == ["before", "after", "popularity", "listed", "withheld"]
    assert rows["all_users"] == [one.all_users for one in each]
    assert rows["changed_users"] == [one.changed_users for one in each]
    assert list(found.summary.values()) == ["0.1000", "0.2000", "0.3000", "0.4000", "0.5000"]
    told = found.to_dict()
    assert (told["users"], told["changed_users"]) == (50, 7)
    assert told["map"]["listed"] == {"all_users": 0.4, "changed_users": 4 / 80}


def test_where_withholding_would_serve_the_changed_as_well_it_is_not_said_to_do_better():
    same = Precision(0.25, 0.125)
    found = EvaluationResult(*[same] * 5, n_users=50, n_changed_users=7)
    assert found.warnings == ()


def test_the_owner_is_told_where_popularity_serves_who_was_changed_better():
    kept, held_out = hold_out(VISITS, seed=1)
    changed = evaluate(VISITS, shuffled(kept), held_out=held_out)
    said = [warning for warning in changed.warnings if "withholding" in warning]
    assert bool(said) == (changed.after.changed_users < changed.popularity.changed_users)
    better = replace(changed, after=replace(changed.after, changed_users=1.0))
    assert not any("withholding" in warning for warning in better.warnings)
    worse = replace(changed, after=replace(changed.after, changed_users=0.0))
    assert any("withholding" in warning for warning in worse.warnings)


def test_the_owner_is_told_of_what_popularity_serves_all_users_better_than():
    kept, held_out = hold_out(VISITS, seed=1)
    found = evaluate(VISITS, kept, held_out=held_out)

    def told(before, after):
        most = found.popularity.all_users
        figures = {"before": before * most, "after": after * most}
        each = {name: replace(getattr(found, name), all_users=figures[name]) for name in figures}
        said = replace(found, **each).warnings
        words = {"activity as it is": "before", "the release": "after"}
        return {words[one] for one in words for each in said if each.endswith(f"from {one}.")}

    assert told(0.9, 0.9) == {"before", "after"}
    assert told(1.1, 0.9) == {"after"}
    assert told(1.1, 1.1) == told(1.0, 1.0) == set()


SPARSE_LOG, SPARSE_PEOPLE = draw_planted(
    200, 40, tilt=0.9, mean_records=2.0, rng=np.random.default_rng(4)
)
SPARSE = SPARSE_LOG.activity("max")
BUDGETS = {
    "privrank": 0.02,
    "user-level": 0.2,
    "withhold": 0.5,
    "microaggregate": 10,
    "rand": 0.2,
    "frapp": 20,
    "diff": 2,
}


def held_out_of_few(n_users):
    """Hold out records of the so many users with most: less than a tenth of all."""
    longest = np.argsort(-SPARSE.records_of_users, kind="stable")[:n_users]
    of_few = diags_array(np.isin(np.arange(SPARSE.n_users), longest).astype(float))
    _, held_out = hold_out(SPARSE, seed=1)
    scores = csr_array(of_few @ held_out.scores)
    return SPARSE.with_scores(csr_array(SPARSE.scores - scores)), SPARSE.with_scores(scores)


@pytest.mark.parametrize("n_users", [1, 5, 19])
def test_a_release_of_what_was_held_out_of_few_users_is_refused(n_users):
    kept, held_out = held_out_of_few(n_users)
    assert (held_out.records_of_users > 0).sum() == n_users
    changed = SPARSE.scores.toarray()
    strangers = np.setdiff1d(np.arange(200), np.flatnonzero(held_out.records_of_users))
    changed[strangers] += 1.0  # records that nobody has
    for leaked in (SPARSE, shuffled(SPARSE), SPARSE.with_scores(csr_array(changed))):
        with pytest.raises(HushrankError, match="made without the held-out records"):
            foretelling(SPARSE, leaked, held_out)
    foretelling(SPARSE, kept, held_out)
    foretelling(SPARSE, shuffled(kept), held_out)


@pytest.mark.parametrize(("n_whole", "is_refused"), [(20, False), (21, True)])
def test_of_changed_records_a_tenth_may_be_whole_ones_of_others(n_whole, is_refused):
    """Nobody has what most users are released with; the others have each other's whole records."""
    visits = Activity(csr_array(VISITS.scores[:200]), VISITS.users[:200], VISITS.items)
    _, held_out = hold_out(visits, seed=1)
    given = visits.scores.toarray() + 1.0
    given[:n_whole] = np.roll(visits.scores.toarray()[:n_whole], 1, axis=0)
    released = visits.with_scores(csr_array(given))
    if not is_refused:
        foretelling(visits, released, held_out)
        return
    with pytest.raises(HushrankError, match="made without the held-out records"):
        foretelling(visits, released, held_out)


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", BUDGETS)
def test_an_honest_release_is_judged_and_one_with_what_was_held_out_is_not(method):
    people = SPARSE_PEOPLE.aligned(SPARSE.users, surplus="dropped").with_protected(
        {"group": np.arange(SPARSE.n_users) % 2 == 0}
    )
    kept, held_out = held_out_of_few(19)
    asked = {"private": ["group"], "method": method, "budget": BUDGETS[method], "clusters": 6}
    foretelling(SPARSE, publish(kept, people, **asked, seed=1).activity, held_out)
    leaked = publish(SPARSE, people, **asked, seed=1).activity
    with pytest.raises(HushrankError, match="made without the held-out records"):
        foretelling(SPARSE, leaked, held_out)


def test_others_whole_records_that_many_were_seen_with_are_no_leak():
    """Whose rest is what another did, in all, is released as that other was."""
    scores = csr_array(np.array([[1.0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]))
    visits = Activity(scores, ("a", "b", "c", "d"), ("x", "y", "z"))
    held_out = visits.with_scores(csr_array(np.array([[0.0, 1, 0], [0] * 3, [0] * 3, [0, 0, 1]])))
    kept = visits.with_scores(csr_array(scores - held_out.scores))
    foretelling(visits, visits.with_scores(kept.scores[[3, 0, 2, 1]]), held_out)


def test_no_repr_shows_a_figure_and_a_notebook_says_for_whom_they_are(attacked):
    assert repr(attacked) == "AttackResult(21 attackers of 120 users)"
    html = attacked._repr_html_()
    assert "for you, protected by nothing" in html
    assert f"{attacked.worst:.3f}" in html


def test_results_are_repeated_by_their_seed():
    kept, held_out = hold_out(VISITS, seed=1)
    first, again, other = (
        evaluate(VISITS, shuffled(kept), held_out=held_out, seed=seed) for seed in (1, 1, 2)
    )
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() != other.to_dict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attack("v.csv", VISITS, PEOPLE, private=["group"]), "activity: expected Act"),
        (lambda: attack(VISITS, "out.csv", PEOPLE, private=["group"]), "released: expected a Rel"),
        (lambda: attack(VISITS, VISITS, VISITS, private=["group"]), "profiles: expected Profiles"),
        (lambda: attack(VISITS, VISITS, PEOPLE, private="group"), "private: expected a list of"),
        (lambda: attack(VISITS, VISITS, PEOPLE, private=["group"], seed="1"), "seed: expected"),
        (lambda: evaluate(VISITS, 3, held_out=VISITS), "released: expected a Release or"),
        (lambda: evaluate(VISITS, VISITS, held_out="held.csv"), "held_out: expected Activity"),
        (lambda: evaluate(VISITS, VISITS, held_out=VISITS, repetitions=1.5), "repetitions: exp"),
    ],
)
def test_a_wrong_type_is_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_release_of_other_users_is_refused_and_not_taken_for_nothing():
    """Records that are left out tell nothing: the worst attacker would have 1 - AUC of a half."""
    renamed = Activity(VISITS.scores, tuple(f"x{user}" for user in VISITS.users), VISITS.items)
    said = "released: expected users of the activity, got 240 others"
    with pytest.raises(HushrankError, match=said):
        attack(VISITS, renamed, PEOPLE, private=["group"])
    with pytest.raises(HushrankError, match=said):
        evaluate(VISITS, renamed, held_out=VISITS)


def test_one_user_of_others_is_refused():
    one_more = Activity(VISITS.scores, ("x", *VISITS.users[1:]), VISITS.items)
    with pytest.raises(HushrankError, match="expected users of the activity, got 1 others"):
        attack(VISITS, one_more, PEOPLE, private=["group"])


@pytest.mark.usefixtures("hasty_attackers")
def test_attackers_see_items_that_were_released_and_never_used():
    renamed = Activity(VISITS.scores, VISITS.users, tuple(f"x{item}" for item in VISITS.items))
    assert attack(VISITS, renamed, PEOPLE, private=["group"]).worst < 0.15


def test_many_items_that_were_released_and_never_used_stand_behind_the_others():
    renamed = Activity(VISITS.scores, VISITS.users, tuple(f"x{item}" for item in VISITS.items))
    for each in judge._side_by_side(VISITS, renamed):
        assert each.items == (*VISITS.items, *renamed.items)
        assert each.n_records == VISITS.n_records


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(HushrankError, match="private: expected the attributes to guess"):
        attack(VISITS, VISITS, PEOPLE)
    with pytest.raises(HushrankError, match="users who protect the attribute and users who do"):
        attack(VISITS, VISITS, ALL_PROTECT.aligned(VISITS.users), private=["group"])
    with pytest.raises(HushrankError, match="repetitions: expected at least 1, got 0"):
        evaluate(VISITS, VISITS, held_out=VISITS, repetitions=0)
    _, held_out = hold_out(VISITS, seed=1)
    with pytest.raises(HushrankError, match="made without the held-out records"):
        evaluate(VISITS, VISITS, held_out=held_out)

import json
import pickle
from dataclasses import fields, replace
from itertools import combinations
from math import inf
from types import NoneType

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity, write_activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.evaluation.attackers import bound_on_attacks
from hushrank.workflows.publish import historical as workflow
from hushrank.workflows.publish.historical import Release, hold_out, publish, publish_and_compare
from hushrank.workflows.publish.posterior_file import UserPosterior, read_posterior, write_posterior
from hushrank.workflows.publish.rehearse import with_used_items
from hushrank.workflows.results.pool_bounds import bound_of_pools
from hushrank.workflows.results.release_comparison import ReleaseComparison, _are_means
from hushrank.workflows.results.release_terms import BELIEVED, ReleaseTerms
from tests.statistics import random_seed

BUDGETS = {"privrank": 0.05, "user-level": 0.4, "rand": 0.5, "frapp": 50, "diff": 20}
ASKED = {"private": ["group"], "budget": 0.1, "clusters": 6}


@pytest.fixture(scope="module")
def data():
    """240 users, half of whom protect the planted group."""
    rng = np.random.default_rng(random_seed())
    log, profiles = draw_planted(240, 30, tilt=0.6, mean_records=8.0, rng=rng)
    activity = log.activity()
    asks = np.arange(profiles.n_users) % 2 == 0
    return activity, profiles.with_protected({"group": asks})


def figures(compared):
    return {key: value for key, value in compared.to_dict().items() if key != "seconds"}


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", BUDGETS)
def test_what_was_drawn_from_is_settled_again_from_the_raw_data_alone(data, method):
    """Also without a seed: the release keeps by what clusters were chosen, and nothing raw."""
    terms = ReleaseTerms(method, ("group",), BUDGETS[method], 6)
    release, compared = publish_and_compare(*data, terms)
    again = pickle.loads(pickle.dumps(release)).compared_with(*data)
    assert figures(again) == figures(compared)
    assert {**again.summary, "seconds": ""} == {**compared.summary, "seconds": ""}


def test_a_release_holds_what_may_be_handed_over_and_what_was_promised_alone(data):
    release = publish(*data, **ASKED)
    assert {each.name: type(getattr(release, each.name)) for each in fields(release)} == {
        "activity": Activity,
        "terms": ReleaseTerms,
        "is_private": bool,
        "choices": int,
        "rehearsal": type(None),
    }
    allowed = (str, int, float, bool, NoneType, tuple)
    assert all(isinstance(getattr(release.terms, f.name), allowed) for f in fields(ReleaseTerms))
    raw = {"leakage_bits", "protected_users", "clusters", "record_distortion", "groups"}
    assert raw.isdisjoint(release.to_dict())
    assert not any("*" in row or "leakage" in row for row in release.summary)


@pytest.mark.parametrize("figure", ["untouched_bits", "leakage_bits", "leakage_bits_heldout"])
def test_too_few_users_to_judge_have_no_figure_in_python_either(figure):
    log, profiles = draw_planted(40, 12, tilt=0.6, mean_records=4.0, rng=np.random.default_rng(1))
    activity = log.activity()
    owners = publish(activity, profiles, **ASKED).compared_with(activity, profiles)
    assert not owners.is_judged
    assert any("cannot be judged" in warning for warning in owners.warnings)
    with pytest.raises(HushrankError, match="not judged: too few users tell their value: see warn"):
        getattr(owners, figure)
    shown = [words for row, words in owners.summary.items() if row.startswith("leakage")]
    assert len(shown) == 3
    assert all(words.startswith("not judged") for words in shown)


@pytest.mark.parametrize("figure", ["untouched_bits", "leakage_bits", "leakage_bits_heldout"])
def test_what_is_told_is_of_the_group_of_users_that_is_worst_off(data, figure):
    """Half of the users protect their group, the others a value that records tell nothing of."""
    activity, profiles = data
    both, asked = with_another_value(profiles), {**ASKED, "private": ["group", "other"]}
    owners = publish(activity, both, method="rand", **asked, seed=1).compared_with(activity, both)
    of_groups = [getattr(plan.leaked, figure) for plan in owners.drawn.plans]
    assert min(of_groups) < max(of_groups) == getattr(owners, figure) == owners.to_dict()[figure]


@pytest.fixture(scope="module")
def of_two_groups(data):
    """What an owner sees of pools of users, half of whom protect another value."""
    activity, profiles = data
    both = with_another_value(some_untold(profiles))
    asked = {"private": ["group", "other"], "budget": 12, "method": "microaggregate", "seed": 1}
    keeps_none = {
        name: asks & (np.arange(len(asks)) >= 40) for name, asks in both.protected.items()
    }
    some = Profiles(both.users, both.attributes, keeps_none)
    return publish(activity, some, **asked).compared_with(activity, some)


@pytest.mark.usefixtures("hasty_attackers")
def test_what_pools_tell_at_most_is_told_of_the_group_that_is_worst_off(of_two_groups):
    owners = of_two_groups
    alone = [replace(owners.drawn, plans=(plan,)) for plan in owners.drawn.plans]
    bounds = [replace(owners, drawn=drawn).attack_bound for drawn in alone]
    assert min(bounds) < max(bounds)
    assert owners.attack_bound == owners.to_dict()["attack_bound"] == min(bounds)


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("n_values", [1, 2])
@pytest.mark.parametrize("others", [("other",), ("other", "third")])
def test_what_pools_tell_of_an_attribute_is_told_of_all_who_protect_it(data, others, n_values):
    """Which of them protect what else, records tell, and so what is frequent among these.

    Where all have one value of another one, nothing of that can be told apart.
    """
    activity, users = data[0], np.arange(data[0].n_users)
    place, asks, names = users % 10, users >= 60, ("group", *others)
    codes = {"group": place > 4, "other": place % n_values, "third": place % n_values}
    some = asks & ((place == 4) | (place > 5))
    protected = {"group": asks, "other": some, "third": asks & ~some}
    attributes = [Attribute(name, ("x", "y"), codes[name].astype(np.int16)) for name in names]
    both = Profiles(activity.users, attributes, {name: protected[name] for name in names})
    asked = {"private": names, "budget": 30, "method": "microaggregate", "seed": 1}
    owners = publish(activity, both, **asked).compared_with(activity, both)
    drawn = owners.drawn
    alone = [replace(drawn, plans=(plan,)) for plan in drawn.plans]
    of_group = bound_on_attacks(drawn.activity.scores[asks], codes["group"][asks].astype(int), 2)
    assert len(drawn.plans) == 2
    assert owners.attack_bound <= of_group
    assert of_group < min(replace(owners, drawn=each).attack_bound for each in alone)


@pytest.mark.parametrize(("n_rare", "is_judged"), [(9, False), (10, True)])
def test_a_value_that_few_users_tell_is_not_judged_however_many_tell_another(n_rare, is_judged):
    log, profiles = draw_planted(240, 12, tilt=0.6, mean_records=4.0, rng=np.random.default_rng(1))
    activity, group = log.activity(), profiles.attributes[0]
    rare = np.flatnonzero(group.codes == 1)
    codes = group.codes.copy()
    codes[rare[n_rare:]] = 0
    some = replace(profiles, attributes=(replace(group, codes=codes),))
    owners = publish(activity, some, **ASKED, seed=1).compared_with(activity, some)
    assert owners.is_judged == is_judged


@pytest.mark.parametrize("worse", [0, 1, 29])
def test_figures_of_several_groups_are_those_of_the_worst(of_two_groups, worse):
    """An unbounded ratio of one group is no figure of another's."""
    plans = list(of_two_groups.drawn.plans) * 15
    for place, plan in enumerate(plans):
        gap, ratio = (0.3, inf) if place == worse else (0.1, 2.0)
        leaked = replace(plan.leaked, certified_gap=gap, worst_likelihood_ratio=ratio)
        plans[place] = replace(plan, leaked=leaked)
    drawn = replace(of_two_groups.drawn, plans=tuple(plans))
    owners = replace(of_two_groups, drawn=drawn)
    found = owners.to_dict()
    assert (found["certified_gap"], found["worst_likelihood_ratio"]) == (0.3, None)
    assert owners.summary["worst likelihood ratio"] == "unbounded"


@pytest.mark.parametrize("worse", [0, 1, 29])
@pytest.mark.parametrize("figure", ["untouched_bits", "leakage_bits", "leakage_bits_heldout"])
def test_a_leakage_is_that_of_the_worst_group_wherever_it_stands(of_two_groups, figure, worse):
    """Of two groups, each of which is there fifteen times."""
    plans = list(of_two_groups.drawn.plans) * 15
    for place, plan in enumerate(plans):
        bits = 0.3 if place == worse else 0.1
        plans[place] = replace(plan, leaked=replace(plan.leaked, **{figure: bits}))
    found = replace(of_two_groups, drawn=replace(of_two_groups.drawn, plans=tuple(plans)))
    assert found.to_dict()[figure] == getattr(found, figure) == 0.3


@pytest.mark.parametrize("unknown", [0, 1, 29])
def test_a_release_is_judged_where_each_group_is(of_two_groups, monkeypatch, unknown):
    module = "hushrank.workflows.results.release_comparison"
    plans = tuple(replace(plan) for plan in of_two_groups.drawn.plans * 15)
    owners = replace(of_two_groups, drawn=replace(of_two_groups.drawn, plans=plans))
    assert owners.is_judged
    monkeypatch.setattr(f"{module}.is_judged", lambda _, plan: plan is not plans[unknown])
    assert not owners.is_judged
    assert owners.attack_bound is None
    assert owners.to_dict()["leakage_bits"] is None


@pytest.mark.usefixtures("hasty_attackers")
def test_the_owner_is_told_of_each_of_many_groups(of_two_groups, tmp_path):
    drawn = replace(of_two_groups.drawn, plans=of_two_groups.drawn.plans * 15)
    owners = replace(of_two_groups, drawn=drawn)
    assert len(owners.to_dict()["groups"]) == 30
    assert sum(note.startswith("Released with their pool's") for note in owners.notes) == 30
    of_two_groups.report(tmp_path / "two.html")
    owners.report(tmp_path / "many.html")
    two, many = ((tmp_path / f"{name}.html").read_text().count("<svg") for name in ("two", "many"))
    assert many == two + 28


def test_the_owner_is_told_who_pays_of_each_of_many_values(data):
    activity, users = data[0], np.arange(data[0].n_users)
    town = Attribute("town", tuple(f"t{n}" for n in range(30)), (users % 30).astype(np.int16))
    people = Profiles(activity.users, (town,), {"town": users >= 0})
    asked = {"private": ["town"], "method": "rand", "budget": 0.5, "clusters": 6}
    owners = publish(activity, people, **asked).compared_with(activity, people)
    (group,) = owners.to_dict()["groups"]
    assert [each["users"] for each in group["changed"]] == [8] * 30


def test_many_users_of_one_record_are_taken_to_have_their_own(data):
    """It is the same to everybody: no record was changed."""
    activity, profiles = data
    alike = with_used_items(activity.with_scores(csr_array(activity.scores[np.arange(240) % 7])))
    asked = {**ASKED, "method": "rand", "budget": 0.0, "clusters": 4}
    owners = publish(alike, profiles, **asked).compared_with(alike, profiles)
    (changed,) = owners.changed
    assert sum(each.users for each in changed) == 120
    assert {each.changed for each in changed} == {0}


@pytest.mark.usefixtures("hasty_attackers")
def test_pools_of_many_groups_are_those_of_all_who_protect_an_attribute(of_two_groups):
    owners, plan = of_two_groups, of_two_groups.drawn.plans[0]
    parts = [replace(plan, users=some) for some in np.array_split(plan.users, 30)]
    one, many = (replace(owners.drawn, plans=tuple(plans)) for plans in ([plan], parts))
    assert bound_of_pools(owners.users, many) == bound_of_pools(owners.users, one)


@pytest.mark.parametrize("method", BUDGETS | {"withhold": 1, "microaggregate": 12})
def test_it_is_said_where_what_leaks_rests_on_a_classifier(method):
    terms = ReleaseTerms(method, ("group",), 1.0, 6)
    rests = method in ("user-level", "withhold", "microaggregate")
    assert (BELIEVED in terms.notes) == rests


def test_a_bound_is_said_rounded_down(of_two_groups, monkeypatch):
    monkeypatch.setattr(ReleaseComparison, "attack_bound", 0.4129)
    assert of_two_groups.summary["1 - AUC by records alone, at least"] == "0.412"


def test_what_pools_tell_is_of_those_who_tell_their_value(of_two_groups, data):
    """Users of whom nothing is known are neither of the first value nor of any."""
    owners = of_two_groups
    plan = owners.drawn.plans[0]
    rows = owners.users.rows[plan.users]
    codes = some_untold(data[1]).aligned(data[0].users, surplus="dropped").attributes[0].codes[rows]
    told = codes >= 0
    assert 0 < told.sum() < len(told)
    alone = replace(owners, drawn=replace(owners.drawn, plans=(plan,)))
    expected = bound_on_attacks(owners.drawn.activity.scores[rows[told]], codes[told], 2)
    assert (plan.names, alone.attack_bound) == (("group",), expected)


def test_too_few_users_to_judge_have_no_bound(of_two_groups, monkeypatch):
    monkeypatch.setattr("hushrank.workflows.results.release_comparison.is_judged", lambda *_: False)
    assert of_two_groups.attack_bound is None
    assert of_two_groups.to_dict()["attack_bound"] is None


def some_untold(profiles):
    """Return profiles in which every ninth user does not tell the group."""
    (group,) = profiles.attributes
    codes = group.codes.copy()
    codes[::9] = -1
    return Profiles(profiles.users, (group.with_codes(codes),), profiles.protected)


def with_another_value(profiles):
    """Return profiles with a coin of each user, protected by those who protect nothing else."""
    (group,), asks = profiles.attributes, profiles.protected["group"]
    coins = np.random.default_rng(9).integers(2, size=profiles.n_users).astype(group.codes.dtype)
    other = replace(group, name="other").with_codes(coins)
    return Profiles(profiles.users, (group, other), {"group": asks, "other": ~asks})


def test_the_released_activity_names_nothing_that_its_file_does_not(data, tmp_path):
    """An item that nobody is released with would tell that somebody had it."""
    activity, profiles = data
    kept = activity.scores.toarray()
    kept[:, 3] = 0
    release = publish(activity.with_scores(csr_array(kept)), profiles, **ASKED)
    assert activity.items[3] not in release.items
    assert (release.activity.records_of_items > 0).all()
    write_activity(release.activity, tmp_path / "released.csv")
    found = read_activity(tmp_path / "released.csv")
    assert (set(found.users), set(found.items)) == (set(activity.users), set(release.items))
    assert found.aligned(activity.users, release.items) == release.activity


def test_noise_is_secret_unless_there_is_a_seed(data):
    first, second = publish(*data, **ASKED), publish(*data, **ASKED)
    assert first.is_private
    assert first.activity != second.activity
    assert first.choices != second.choices
    seeded = [publish(*data, **ASKED, seed=5) for _ in range(2)]
    assert not seeded[0].is_private
    assert [each.to_dict()["private"] for each in (first, seeded[0])] == [True, False]
    assert seeded[0].activity == seeded[1].activity
    assert "Not private" in seeded[0].privacy
    assert "no differential privacy" in first.privacy
    assert first.privacy.count("\n") == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "rand", "max_ratio": 2.0}, "rand takes no max_ratio and no keep_own"),
        ({"method": "user-level", "keep_own": True}, "user-level takes no max_ratio"),
        ({"method": "privrang"}, "method: expected one of privrank, user-level"),
        ({"clustering": "best"}, "clustering: expected one of auto"),
        ({"distance": "manhattan"}, "distance: expected one of kendall"),
        ({"clusters": 1}, "clusters: expected at least 2"),
        ({"private": []}, "private: expected 1 or more names"),
        ({"private": ["age"]}, "expected an attribute of group"),
        ({"budget": 2.0}, "budget: expected 0 to 1, a distance by kendall, got 2"),
        ({"seed": -1}, "seed: expected at least 0"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_drawn(data, monkeypatch, given, message):
    monkeypatch.setattr(workflow, "exchange_records", None)
    with pytest.raises(HushrankError, match=message):
        publish(*data, **{**ASKED, **given})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"activity": "visits.csv"}, "activity: expected Activity, see hushrank.read_activity"),
        ({"profiles": None}, "profiles: expected Profiles, see hushrank.read_profiles"),
        ({"private": "group"}, "private: expected a list of names of attributes, got str"),
        ({"private": [1]}, "private: expected a list of names"),
        ({"budget": "0.1"}, "budget: expected a number, got str"),
        ({"seed": "1"}, "seed: expected a whole number, got str"),
    ],
)
def test_a_wrong_type_is_said_with_the_argument_s_name(data, given, message):
    asked = {"activity": data[0], "profiles": data[1], **ASKED, **given}
    with pytest.raises(TypeError, match=message):
        publish(**asked)


def test_other_data_than_what_was_released_are_refused(data):
    activity, profiles = data
    release = publish(activity, profiles, **ASKED)
    changed = activity.scores.toarray()
    changed[1] += 1  # of a user who protects nothing
    others = (
        activity.with_scores(csr_array(changed)),
        activity.select(np.arange(200)),
        draw_planted(240, 30, rng=np.random.default_rng(3))[0].activity(),
    )
    for other in others:
        with pytest.raises(HushrankError, match="expected"):
            release.compared_with(other, profiles.aligned(other.users, surplus="dropped"))
    with pytest.raises(TypeError, match="profiles: expected Profiles"):
        release.compared_with(activity, None)


def test_results_say_nothing_of_people_where_they_are_printed(data, tmp_path):
    release, compared = publish_and_compare(*data, ReleaseTerms("privrank", ("group",), 0.1, 6))
    assert repr(release).startswith("Release(privrank, Activity(240 users")
    assert repr(compared) == "ReleaseComparison(privrank, ProtectedUsers(120 users, 6 clusters))"
    assert "released record" not in repr(compared.posterior)
    assert (compared.pool_sizes, compared.attack_bound) == (None, None)
    for said in (repr(release), repr(compared), repr(compared.posterior)):
        assert "\n" not in said


def test_a_release_answers_to_the_words_of_every_result(data, tmp_path):
    release, compared = publish_and_compare(*data, ReleaseTerms("privrank", ("group",), 0.1, 6))
    assert release.items == release.activity.items
    assert (release.confidence, release.spend, release.private) == (None, (), ("group",))
    assert json.loads(json.dumps(release.to_dict()))["records"] == release.activity.n_records
    assert json.loads(json.dumps(compared.to_dict()))["options"]["clusters"] == 6
    table = pa.table(release).to_pydict()
    assert table.keys() == {"user", "item", "score"}
    assert len(table["user"]) == release.activity.n_records
    assert sum(table["score"]) == release.activity.scores.sum()
    release.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_mode & 0o77
    replace(release, is_private=False).report(tmp_path / "drawn_by_a_seed.html")
    assert (tmp_path / "drawn_by_a_seed.html").stat().st_mode & 0o77 == 0
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") == 2
    assert "no differential privacy" in page
    assert "leakage" not in page
    assert release._repr_html_().count("<svg") == 1
    compared.report(tmp_path / "owner.html")
    assert "Do not publish this page" in (tmp_path / "owner.html").read_text()
    assert (tmp_path / "owner.html").stat().st_mode & 0o77 == 0


def test_there_is_no_one_posterior_of_users_who_protect_different_things(of_two_groups):
    with pytest.raises(HushrankError, match="all protect the same attributes"):
        of_two_groups.posterior  # noqa: B018


@pytest.mark.usefixtures("hasty_attackers")
def test_of_whom_nothing_is_released_no_more_is_told_than_that(data):
    terms = ReleaseTerms("withhold", ("group",), 0.5, 6, seed=1)
    release, compared = publish_and_compare(*data, terms)
    ((plan,), told) = compared.drawn.plans, compared.posterior
    names = release.activity.users
    is_left = {name for name, n in zip(names, release.activity.records_of_users, strict=True) if n}
    withheld = np.array([user not in is_left for user in told.users])
    assert 0 < withheld.sum() < len(withheld)
    assert (told.chances[withheld] == plan.posterior[-1]).all()
    assert (told.chances[~withheld] == plan.posterior[:-1][~withheld]).all()


def test_the_posterior_is_of_the_record_that_stands_for_each_user(data, tmp_path):
    release, compared = publish_and_compare(*data, ReleaseTerms("privrank", ("group",), 0.1, 6))
    found = compared.posterior
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    again = release.compared_with(*data).posterior
    assert again.users == found.users
    np.testing.assert_array_equal(again.chances, found.chances)
    write_posterior(found, tmp_path / "told.csv")
    assert (tmp_path / "told.csv").stat().st_mode & 0o77 == 0
    some = found.users[5::7]
    read = read_posterior(tmp_path / "told.csv", some, found.values[::-1])
    np.testing.assert_allclose(read, found.chances[5::7, ::-1])
    np.testing.assert_array_equal(found.chances_of(some, found.values), found.chances[5::7])
    turned = found.chances_of(some, found.values[::-1])
    np.testing.assert_array_equal(turned, found.chances[5::7, ::-1])
    with pytest.raises(HushrankError, match="of each protected user"):
        found.chances_of(("nobody",), found.values)


def test_a_value_that_no_protected_user_has_is_not_believed_of_any(tmp_path):
    told = UserPosterior(("ada", "bob"), ("f", "m"), np.array([[0.25, 0.75], [1.0, 0.0]]))
    write_posterior(told, tmp_path / "told.csv")
    more = ("x", "m", "f")
    for found in (
        told.chances_of(told.users, more),
        read_posterior(tmp_path / "told.csv", told.users, more),
    ):
        assert found.tolist() == [[0, 0.75, 0.25], [0, 0, 1]]
    for lacking in (("x", "f"), ("x", "y")):
        with pytest.raises(HushrankError, match="of each value"):
            read_posterior(tmp_path / "told.csv", told.users, lacking)
        with pytest.raises(HushrankError, match="of each value"):
            told.chances_of(told.users, lacking)


def posterior_of_many():
    users, values = (tuple(f"{kind}{n}" for n in range(30)) for kind in "uv")
    chances = np.random.default_rng(3).dirichlet(np.ones(30), 30)
    return UserPosterior(users, values, chances)


def test_a_posterior_of_many_users_and_values_is_written_and_read_whole(tmp_path):
    told = posterior_of_many()
    write_posterior(told, tmp_path / "told.csv")
    read = read_posterior(tmp_path / "told.csv", told.users[::-1], told.values[::-1])
    np.testing.assert_allclose(read, told.chances[::-1, ::-1])
    with pytest.raises(HushrankError, match="of each protected user"):
        read_posterior(tmp_path / "told.csv", (*told.users, "nobody"), told.values)


def test_columns_of_a_posterior_are_found_by_their_names(tmp_path):
    (tmp_path / "told.csv").write_text("user,more,m,note,f\nann,9,.25,8,.75\nbob,9,.5,8,.5\n")
    read = read_posterior(tmp_path / "told.csv", ("bob", "ann"), ("f", "m"))
    assert read.tolist() == [[0.5, 0.5], [0.75, 0.25]]


@pytest.mark.parametrize("chance", [inf, -0.25])
@pytest.mark.parametrize("place", [(0, 0), (0, 29), (29, 0), (29, 29)])
def test_a_chance_that_is_none_is_refused_whose_ever_it_is(tmp_path, place, chance):
    told = posterior_of_many()
    told.chances[place] = chance
    write_posterior(told, tmp_path / "told.csv")
    with pytest.raises(HushrankError, match="finite probabilities of at least 0"):
        read_posterior(tmp_path / "told.csv", told.users, told.values)


def test_the_options_of_privrank_reach_its_channel(data):
    bounded = publish_and_compare(
        *data, ReleaseTerms("privrank", ("group",), 1.0, 6, max_ratio=1.5)
    )[1]
    assert bounded.to_dict()["worst_likelihood_ratio"] <= 1.5 * (1 + 1e-9)
    kept = publish_and_compare(
        *data, ReleaseTerms("privrank", ("group",), 0.1, 6, keep_own=True, seed=1)
    )
    plain = publish_and_compare(*data, ReleaseTerms("privrank", ("group",), 0.1, 6, seed=1))
    assert kept[1].record_distortion < plain[1].record_distortion
    assert "keep_own: " in kept[0].to_dict()["privacy_statement"]


def test_a_release_that_lacks_a_record_is_of_other_data_unless_records_are_withheld(data):
    release = publish(*data, **ASKED, seed=1)
    scores = release.activity.scores.toarray()
    scores[np.flatnonzero(data[1].protected["group"])[0]] = 0
    lacking = replace(release, activity=release.activity.with_scores(csr_array(scores)))
    with pytest.raises(HushrankError, match="that this was released from"):
        lacking.compared_with(*data)


@pytest.mark.usefixtures("hasty_attackers")
def test_progress_is_told_and_nothing_is_printed(data, capsys):
    steps = []
    publish(*data, **ASKED, progress=steps.append)
    assert steps == ["clustering users", "settling the channels", "drawing the release"]
    publish(*data, private=["group"], budget=0.5, method="withhold", progress=steps.append)
    shares = [each.share for each in steps if each == "learning what records show of values"]
    assert shares == sorted(shares)
    assert 0 < shares[-1] < 1  # then the channels are settled
    assert steps[-2:] == ["settling the channels", "drawing the release"]
    assert capsys.readouterr() == ("", "")


def test_what_is_held_out_and_what_is_released_are_all_of_it(data):
    activity, _ = data
    kept, held = hold_out(activity, seed=4)
    assert (kept.scores + held.scores - activity.scores).nnz == 0
    assert 0 < held.n_records < kept.n_records
    assert hold_out(activity, seed=4) == (kept, held)


def test_other_records_are_held_out_by_each_seed_and_each_time_without_one(data):
    parts = [hold_out(data[0], seed=seed)[0] for seed in (0, 1, None, None)]
    assert all(one != other for one, other in combinations(parts, 2))


def test_a_release_is_compared_with_what_its_terms_say(data):
    release = publish(*data, **ASKED)
    other = replace(release, terms=replace(release.terms, clusters=5))
    assert isinstance(other, Release)
    assert other.compared_with(*data).to_dict()["clusters"] == 5


@pytest.mark.parametrize(
    ("row", "scores", "are_means"),
    [(0, [2, 1, 0], True), (0, [2, 1.5, 0], False), (0, [3, 1, 0], False), (2, [0, 6, 7], False)],
)
def test_scores_that_are_no_mean_of_a_pool_or_of_others_are_no_release(row, scores, are_means):
    """The first two users are a pool, and the third is not protected."""
    raw = csr_array(np.array([[1.0, 2, 0], [3, 0, 0], [0, 6, 5]]))
    released = np.array([[2.0, 1, 0], [2, 1, 0], [0, 6, 5]])
    released[[0, 1] if row == 0 else row] = scores
    assert _are_means(csr_array(released), raw, np.array([0, 1])) == are_means


@pytest.mark.parametrize("beside", ["users", "items"])
def test_a_release_of_more_than_the_activity_has_is_of_another_one(data, beside):
    release = publish(*data, **ASKED)
    named = {"users": release.activity.users, "items": release.activity.items}
    scores = np.pad(release.activity.scores.toarray(), [(0, int(each == beside)) for each in named])
    scores[-1, -1] = 1
    named[beside] += ("another",)
    more = replace(release, activity=Activity(csr_array(scores), **named))
    with pytest.raises(HushrankError, match="that this was released from"):
        more.compared_with(*data)


@pytest.mark.usefixtures("hasty_attackers")
def test_pools_are_found_again_as_they_were_drawn(data):
    terms = ReleaseTerms("microaggregate", ("group",), 10, 6)
    release, compared = publish_and_compare(*data, terms)
    again = release.compared_with(*data)
    assert sorted(again.pool_sizes) == sorted(compared.pool_sizes)
    assert again.pool_sizes.sum() == compared.to_dict()["protected_users"]
    assert again.summary["pools"] == str(len(compared.pool_sizes))

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import PrivateValues, Profiles
from hushrank.errors import HushrankError
from hushrank.publishing.baselines import ROWS_AT_ONCE, RecordExponential
from hushrank.publishing.channel import Channel
from hushrank.publishing.distances.kendall import kendall_distances
from hushrank.publishing.historical.baselines import (
    BASELINES,
    baseline_plans,
    cluster_laws,
    publish_baseline,
)
from hushrank.publishing.historical.privrank import cluster_draw, privrank, users_of_clusters
from hushrank.publishing.historical.protected_users import (
    ProtectedUsers,
    protect,
    protected_rows,
)
from hushrank.publishing.historical.release import (
    NOTHING,
    changed_users,
    draw_sources,
    exchange_records,
    leaked_by_laws,
    mean_laws,
)
from hushrank.publishing.leakage.measures import leakage_bits
from hushrank.randomness import Randomness
from tests.statistics import assert_counts_follow, draws_needed, random_seed

NAMES = ("group", "age")


def people(n_users: int = 400, n_items: int = 50) -> tuple[Activity, Profiles]:
    """A quarter each protect nothing, the group, the age, and both; some tell no age."""
    rng = np.random.default_rng(random_seed())
    log, planted = draw_planted(n_users, n_items, tilt=0.7, mean_records=12.0, rng=rng)
    activity = log.activity()
    group = planted.aligned(activity.users, surplus="dropped").attributes[0]
    ages = Attribute("age", ("young", "old"), rng.integers(-1, 2, n_users).astype(np.int16))
    kind = np.arange(n_users) % 4
    asks = {"group": (kind == 1) | (kind == 3), "age": kind >= 2}
    return activity, Profiles(activity.users, (group, ages), asks)


def users(n_clusters: int = 12, names: tuple[str, ...] = NAMES) -> ProtectedUsers:
    activity, profiles = people()
    rng = np.random.default_rng(1)
    return protect(activity, profiles, names, n_clusters=n_clusters, rng=rng)


def users_of_many_groups() -> ProtectedUsers:
    """Each of 31 sets of attributes is protected by some 30 users; the last tells of 25 values."""
    rng = np.random.default_rng(random_seed())
    log, _ = draw_planted(32 * 30, 20, tilt=0.7, mean_records=9.0, rng=rng)
    activity = log.activity()
    number, kind = np.divmod(np.arange(activity.n_users), 32)
    n_values = dict(zip("abcde", (2, 2, 2, 2, 25), strict=True))
    attributes = tuple(
        Attribute(name, tuple(map(str, range(n))), (number % n).astype(np.int16))
        for name, n in n_values.items()
    )
    asks = {name: kind >> n & 1 == 1 for n, name in enumerate(n_values)}
    profiles = Profiles(activity.users, attributes, asks)
    return protect(activity, profiles, tuple(n_values), n_clusters=24, rng=rng)


def released(found: ProtectedUsers, budget: float, seed: int = 1, **options):
    choices = np.random.default_rng(2)
    return privrank(found, budget=budget, rng=Randomness.seeded(seed), choices=choices, **options)


def members_of(release):
    return [plan.users for plan in release.plans]


def test_users_who_protect_nothing_are_released_unchanged_and_lend_no_record():
    found = users()
    release = released(found, 0.1)
    is_open = np.arange(400) % 4 == 0
    np.testing.assert_array_equal(release.sources[is_open], np.flatnonzero(is_open))
    assert (release.sources[~is_open] % 4 != 0).all()
    expected = found.activity.scores[release.sources].toarray()
    np.testing.assert_array_equal(release.activity.scores.toarray(), expected)
    assert release.activity.users == found.activity.users
    assert not release.is_private


def test_each_set_of_attributes_has_a_channel_of_its_own_within_the_budget():
    found = users()
    release = released(found, 0.08)
    assert [plan.names for plan in release.plans] == [("group",), ("age",), NAMES]
    assert len(release.plans[2].values) == 4
    for plan in release.plans:
        shares = plan.joint.sum(axis=1)
        spent = float(shares @ (plan.transitions * found.distances.matrix).sum(axis=1))
        assert spent == pytest.approx(plan.expected_distortion, abs=1e-12)
        assert spent <= 0.08 * (1 + 1e-9)
        assert plan.leaked.leakage_bits == pytest.approx(leakage_bits(plan.joint, plan.transitions))
        assert 0 <= plan.leaked.certified_gap <= 1e-4 * plan.leaked.untouched_bits + 1e-12
        assert plan.leaked.leakage_bits < plan.leaked.untouched_bits
        assert plan.leaked.leakage_bits_heldout is not None


def test_the_users_of_every_group_are_released_as_their_own_channel_draws():
    """Nobody keeps the own record because others, who protect something else, were dealt with."""
    found = users()
    plans = released(found, 0.08).plans
    given = {plan.names: np.roll(plan.users, 1) for plan in plans}
    drawn = [replace(plan, draw=lambda *, rng, own=given[plan.names]: own) for plan in plans]
    release = exchange_records(found, drawn, "privrank", 0.08, rng=Randomness.seeded(1))
    assert sorted(place for own in given.values() for place in own) == [*range(len(found.rows))]
    for plan in plans:
        rows = found.rows[plan.users]
        np.testing.assert_array_equal(release.sources[rows], np.roll(rows, 1))


def plans_of_each(found: ProtectedUsers, method: str, budget: float):
    if method == "privrank":
        return released(found, budget).plans
    asked = {"budget": budget, "held_out": 0.2, "choices": np.random.default_rng(2)}
    return baseline_plans(found, method, **asked)


@pytest.mark.parametrize(
    ("method", "budget"), [("privrank", 0.08), ("rand", 0.5), ("frapp", 100.0), ("diff", 15.0)]
)
def test_of_many_groups_everybody_is_released_as_planned_and_counted(method, budget):
    """Who is passed over would be released with the own record."""
    found = users_of_many_groups()
    plans = plans_of_each(found, method, budget)
    assert [plan.names for plan in plans] == [*found.groups]
    assert len(plans) == 31
    given, paid = np.full((2, len(found.rows)), np.nan)
    for plan in plans:
        given[plan.users], paid[plan.users] = np.roll(plan.users, 1), plan.expected_distortion
    given = given.astype(int)
    drawn = [replace(plan, draw=lambda *, rng, own=plan.users: given[own]) for plan in plans]
    release = exchange_records(found, drawn, method, budget, rng=Randomness.seeded(1))
    np.testing.assert_array_equal(release.sources[found.rows], found.rows[given])
    assert release.n_protected == len(found.rows)
    assert release.expected_distortion == pytest.approx(paid.mean(), rel=1e-12)


def test_of_each_of_many_values_it_is_told_how_many_users_pay_for_all():
    found = users_of_many_groups()
    plans = plans_of_each(found, "rand", 0.5)
    sources = np.arange(found.activity.n_users)
    paying = found.rows[::2]
    sources[paying] = NOTHING
    for plan in plans:
        own, value = found.rows[plan.users], found.values(plan.names, plan.users)
        told = changed_users(found, plan, sources)
        codes = [value.values.index(each.value) for each in told]
        all_users, paid = np.zeros((2, value.n_values), dtype=int)
        np.add.at(all_users, value.codes, 1)
        np.add.at(paid, value.codes, np.isin(own, paying))
        assert [each.users for each in told] == all_users[codes].tolist()
        assert [each.changed for each in told] == paid[codes].tolist()
        assert [each.withheld for each in told] == paid[codes].tolist()
        assert all_users[codes].sum() == len(own)
    assert len(told) > 20


def test_who_alone_protects_something_is_released_as_drawn():
    found = users()
    plan = released(found, 0.08).plans[0]
    own, other, *_ = plan.users
    alone = replace(plan, users=np.array([own]), draw=lambda *, rng: np.array([other]))
    assert draw_sources(found, [alone], rng=Randomness.replayed(b""))[own] == other


def test_the_record_released_is_uniform_in_the_cluster_that_the_channel_draws():
    """A user's record comes with P(released cluster | own cluster) / size of that cluster."""
    labels = np.array([0, 0, 0, 1, 1, 2])
    channel = Channel(np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]]))
    activity, profiles = people()
    found = users()
    small = ProtectedUsers(
        activity, profiles, NAMES, found.rows, with_labels(found, labels), found.distances
    )
    draw = cluster_draw(small, np.array([0, 3, 5]), channel)
    sizes = np.array([3, 3, 3, 2, 2, 1])
    stated = channel.probabilities[:, labels] / sizes
    wrong = stated * np.where(labels == 1, 1.05, 1)
    wrong /= wrong.sum(axis=1, keepdims=True)
    n_draws = max(draws_needed(*rows, n_tests=3) for rows in zip(stated, wrong, strict=True))
    many = cluster_draw(small, np.repeat([0, 3, 5], n_draws), channel)
    drawn = many(rng=Randomness.seeded(random_seed())).reshape(3, n_draws)
    counts = np.array([np.bincount(row, minlength=6) for row in drawn])
    assert_counts_follow(counts, stated)
    each = np.array([draw(rng=Randomness.seeded(seed)) for seed in range(200)])
    assert [set(column) for column in each.T.tolist()] == [{*range(6)}] * 3  # of few people, too


def with_labels(found: ProtectedUsers, labels):
    from dataclasses import replace

    return replace(found.clusters, labels=labels)


def test_keep_own_keeps_the_own_record_just_where_the_cluster_stays():
    found = users()
    labels = found.clusters.labels
    free, kept = (released(found, 0.03, keep_own=keep) for keep in (False, True))
    own = found.rows
    place = {row: n for n, row in enumerate(own.tolist())}
    stays = np.array([labels[place[row]] for row in free.sources[own]]) == labels
    np.testing.assert_array_equal(kept.sources[own][stays], own[stays])
    np.testing.assert_array_equal(kept.sources[own][~stays], free.sources[own][~stays])
    for members in found.groups.values():
        staying = members[stays[members]]
        assert (free.sources[own][staying] != own[staying]).any()
    assert kept.record_distortion < free.record_distortion


def test_the_record_distortion_is_the_mean_over_protected_users():
    found = users()
    release = released(found, 0.1)
    every = kendall_distances(found.activity.scores)
    expected = every[found.rows, release.sources[found.rows]].mean()
    assert release.record_distortion == pytest.approx(expected, rel=1e-12)


def test_nobody_is_learnt_from_and_held_out_at_once():
    found = users()
    value = found.values(("age",))
    counts = found.counts(("age",), held_out=0.25, rng=np.random.default_rng(1))
    told = value.counts
    np.testing.assert_array_equal(counts.held_out.sum(axis=0), told // 4)
    np.testing.assert_array_equal((counts.learnt + counts.held_out).sum(axis=0), told)
    sizes = np.bincount(found.clusters.labels[value.told], minlength=12)
    np.testing.assert_array_equal((counts.learnt + counts.held_out).sum(axis=1), sizes)


def test_the_posterior_is_bayes_of_the_released_cluster():
    found = users(names=("group",))
    (plan,) = released(found, 0.05).plans
    joint = plan.transitions.T @ plan.joint
    expected = (joint / joint.sum(axis=1, keepdims=True))[found.clusters.labels]
    reached = joint.sum(axis=1)[found.clusters.labels] > 0
    np.testing.assert_allclose(plan.posterior[reached], expected[reached], rtol=1e-12)


def test_no_budget_changes_the_channel_s_cluster_and_a_large_one_tells_nothing():
    found = users(names=("group",))
    (nothing,) = released(found, 0.0).plans
    np.testing.assert_allclose(nothing.transitions, np.eye(12), atol=1e-12)
    (blind,) = released(found, 1.0).plans
    assert blind.leaked.leakage_bits < 1e-9
    assert blind.leaked.worst_likelihood_ratio == pytest.approx(1, abs=1e-6)


def test_wrong_options_are_refused_before_anything_is_drawn():
    found, nothing = users(), Randomness.replayed(b"")
    choices = np.random.default_rng(1)
    for budget in (-0.1, 1.1, float("nan")):
        for more in ({}, {"keep_own": True}, {"max_ratio": 2.0}):
            with pytest.raises(HushrankError, match="budget: expected 0 to 1"):
                privrank(found, budget=budget, rng=nothing, choices=choices, **more)
    for more in ({}, {"keep_own": True}, {"max_ratio": 2.0}):
        with pytest.raises(HushrankError, match="held-out share"):
            privrank(found, budget=0.1, held_out=1.0, rng=nothing, choices=choices, **more)
    for method in BASELINES:
        with pytest.raises(HushrankError, match="expected a"):
            publish_baseline(found, method, budget=-1.0, held_out=0.2, rng=nothing, choices=choices)


def test_too_few_protected_users_are_refused_and_profiles_missing_protect_everything():
    activity, profiles = people(40, 20)
    nobody = {name: np.zeros(40, dtype=bool) for name in NAMES}
    with pytest.raises(HushrankError, match="4 or more users who ask for protection, got 0"):
        protect(activity, profiles.with_protected(nobody), NAMES, rng=np.random.default_rng(1))
    three, four = (profiles.with_protected(nobody | {"age": np.arange(40) < n}) for n in (3, 4))
    with pytest.raises(HushrankError, match="4 or more users who ask for protection, got 3"):
        protect(activity, three, NAMES, rng=np.random.default_rng(1))
    found = protect(activity, four, NAMES, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(found.rows, np.arange(4))
    some = profiles.with_protected(nobody).select(np.arange(30))
    found = protect(activity, some, NAMES, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(found.rows, np.arange(30, 40))


def test_however_many_users_there_are_those_who_ask_for_nothing_are_left_as_they_are():
    n_users = 140_001
    asks = np.arange(n_users) % 3 == 0
    gender = Attribute("gender", ("f", "m"), np.zeros(n_users, dtype=np.intp))
    rows = protected_rows(PrivateValues((gender,), {"gender": asks}), ["gender"])
    np.testing.assert_array_equal(rows, np.flatnonzero(asks))


@pytest.mark.parametrize(("method", "budget"), [("rand", 0.5), ("frapp", 100.0), ("diff", 15.0)])
def test_baselines_exchange_records_of_protected_users(method, budget):
    found = users()
    choices = np.random.default_rng(2)
    release = publish_baseline(
        found, method, budget=budget, held_out=0.2, rng=Randomness.seeded(1), choices=choices
    )
    is_open = np.arange(400) % 4 == 0
    np.testing.assert_array_equal(release.sources[is_open], np.flatnonzero(is_open))
    assert (release.sources[~is_open] % 4 != 0).all()
    assert release.n_protected == (~is_open).sum() == len({*np.concatenate(members_of(release))})
    paid = [len(plan.users) * plan.expected_distortion for plan in release.plans]
    assert release.expected_distortion == pytest.approx(sum(paid) / release.n_protected)
    for plan in release.plans:
        np.testing.assert_allclose(plan.transitions.sum(axis=1), 1, atol=1e-12)
        assert plan.leaked.leakage_bits < plan.leaked.untouched_bits
        assert plan.leaked.certified_gap is None


def test_what_diff_costs_and_leaks_is_of_the_users_who_protect_the_same():
    found = users()
    labels = found.clusters.labels
    asked = {"budget": 15.0, "held_out": 0.0, "choices": np.random.default_rng(2)}
    laws = cluster_laws(RecordExponential.of(csr_array(found.scores), 15.0), labels)
    for plan in baseline_plans(found, "diff", **asked):
        own, value = plan.users, found.values(plan.names, plan.users)
        assert plan.leaked == leaked_by_laws(labels[own], laws[own], value)
        costs = (plan.transitions * found.distances.matrix).sum(axis=1)
        assert plan.expected_distortion == pytest.approx(costs[labels[own]].mean(), rel=1e-12)


@pytest.mark.parametrize("at_once", [ROWS_AT_ONCE, 7])
def test_diff_s_laws_say_where_each_record_leads(monkeypatch, at_once):
    monkeypatch.setattr("hushrank.publishing.baselines.ROWS_AT_ONCE", at_once)
    found = users()
    exponential = RecordExponential.of(csr_array(found.scores), 15.0)
    labels = found.clusters.labels
    chances = np.vstack([rows for _, rows, _ in exponential.rows()])
    laws = cluster_laws(exponential, labels)
    np.testing.assert_allclose(laws, chances @ np.eye(12)[labels], atol=1e-12)
    means = [laws[labels == group].mean(axis=0) for group in range(12)]
    np.testing.assert_allclose(mean_laws(laws, labels), means, atol=1e-9)


def test_what_is_told_of_users_depends_on_their_records_besides_their_clusters():
    """Two users of one cluster with opposite values who are led to different clusters."""
    value = Attribute("secret", ("no", "yes", "nobody"), np.array([0, 1, 0, 1, -1], dtype=np.int16))
    laws = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    leaked = leaked_by_laws(np.array([0, 0, 1, 1, 0]), laws, value)
    assert leaked.untouched_bits == pytest.approx(0, abs=1e-12)
    assert (leaked.leakage_bits, leaked.leakage_bits_heldout) == pytest.approx((1, 1))
    assert leaked.worst_likelihood_ratio == np.inf
    assert leaked.certified_gap is None


@pytest.mark.parametrize("method", ["rand", "frapp"])
def test_where_a_cluster_has_one_law_what_it_leaks_is_that_of_its_users_laws(method):
    """Nothing of the size of users times clusters is needed for rand and frapp."""
    found = users()
    labels, choices = found.clusters.labels, np.random.default_rng(2)
    budget = {"rand": 0.5, "frapp": 100.0}[method]
    plans = baseline_plans(found, method, budget=budget, held_out=0.2, choices=choices)
    assert len(plans) > 1
    for plan in plans:
        laws, own = plan.transitions[labels], labels[plan.users]
        value = found.values(plan.names, plan.users)
        np.testing.assert_allclose(plan.transitions, mean_laws(laws, labels), atol=1e-9)
        stated = leaked_by_laws(own, laws[plan.users], value)
        told = [plan.leaked.untouched_bits, plan.leaked.leakage_bits]
        told += [plan.leaked.leakage_bits_heldout, plan.leaked.worst_likelihood_ratio]
        wanted = [stated.untouched_bits, stated.leakage_bits]
        wanted += [stated.leakage_bits_heldout, stated.worst_likelihood_ratio]
        assert told == pytest.approx(wanted, rel=1e-9)
        assert plan.leaked.certified_gap is None


def test_the_budget_and_what_is_learnt_are_of_the_users_of_the_group_alone():
    """Who protects the age behaves otherwise than who protects the group."""
    activity, profiles = people()
    rare = np.arange(400) % 4 == 1
    scores = activity.scores.toarray()
    scores[rare] = np.roll(scores[rare], 25, axis=1)
    moved = activity.with_scores(csr_array(scores))
    choices = np.random.default_rng(1)
    found = protect(moved, profiles, NAMES, n_clusters=12, rng=choices)
    for plan in released(found, 0.02).plans:
        labels = found.clusters.labels[plan.users]
        costs = (plan.transitions * found.distances.matrix).sum(axis=1)
        assert costs[labels].mean() == pytest.approx(plan.expected_distortion, rel=1e-9)
        assert plan.expected_distortion <= 0.02 * (1 + 1e-9)
        sizes = np.bincount(labels, minlength=12) / len(labels)
        np.testing.assert_allclose(plan.joint.sum(axis=1), sizes, atol=1e-12)
        value = found.values(plan.names, plan.users)
        learnt = found.counts(plan.names, plan.users, held_out=0.2, rng=choices)
        assert (learnt.learnt + learnt.held_out).sum() == value.told.sum()


def test_users_of_clusters_come_from_the_cluster():
    labels = np.array([1, 0, 1, 2, 1])
    wanted = np.array([1, 2, 0, 1, 1])
    drawn = users_of_clusters(labels, wanted, rng=Randomness.seeded(1))
    np.testing.assert_array_equal(labels[drawn], wanted)


def test_of_however_many_users_each_comes_from_the_cluster():
    labels = np.arange(140_001) // 70_001
    wanted = np.arange(500) % 2
    drawn = users_of_clusters(labels, wanted, rng=Randomness.seeded(1))
    np.testing.assert_array_equal(labels[drawn], wanted)
    assert drawn[wanted == 1].max() > 2**16


@pytest.mark.parametrize("n_clusters", [21, 200, 3000])
def test_of_many_clusters_each_user_comes_from_the_one_that_was_drawn(n_clusters):
    rng = np.random.default_rng(random_seed())
    labels = rng.permutation(np.repeat(np.arange(n_clusters), 3))
    wanted = rng.permutation(labels)
    drawn = users_of_clusters(labels, wanted, rng=Randomness.seeded(1))
    np.testing.assert_array_equal(labels[drawn], wanted)


def test_whose_records_others_get_tells_nothing_of_whose_the_next_is():
    """Of 1,000 pairs of users each of nine comes, but for one time in 10^50."""
    one_cluster, wanted = np.zeros(3, dtype=np.intp), np.zeros(2000, dtype=np.intp)
    drawn = users_of_clusters(one_cluster, wanted, rng=Randomness.seeded(random_seed()))
    assert len(set(zip(drawn[::2].tolist(), drawn[1::2].tolist(), strict=True))) == 9

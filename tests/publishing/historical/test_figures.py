"""What a plan says to its owner: of whom its figures are, and in which unit."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from hushrank.publishing.baselines import RecordExponential
from hushrank.publishing.historical import believed, user_level, withhold
from hushrank.publishing.historical.baselines import baseline_plans, cluster_laws
from hushrank.publishing.historical.believed import Solved, believed_plans
from hushrank.publishing.historical.release import (
    NOTHING,
    exchange_records,
    leaked_by_clusters,
    leaked_by_laws,
    leaked_by_transitions,
    record_distortion,
)
from hushrank.publishing.leakage.estimates import estimate_leakage, estimate_leakage_by_laws
from hushrank.publishing.record_channel.microaggregation import pooled_records
from hushrank.randomness import Randomness
from tests.publishing.historical.test_historical import users, users_of_many_groups

BITS, GAP = 0.375, 0.125


def plans_of(found, *, is_pooled):
    """Return plans of a solver that finds these bits and laws whatever it is given."""

    def solve(found, members, beliefs):
        laws = np.random.default_rng(1).dirichlet(np.ones(found.clusters.n_clusters), len(members))
        even = np.full((len(members), beliefs.shape[1]), 1 / beliefs.shape[1])
        figures = {"expected_distortion": 0.1, "leakage": BITS * log(2)}
        figures |= {"certified_gap": GAP * log(2), "is_pooled": is_pooled}
        return Solved(lambda *, rng: members, laws, even, **figures)

    asked = {"choices": np.random.default_rng(2), "tell": None, "believe": nothing_known}
    return believed_plans(found, solve, **asked)


def nothing_known(found, names, members, choices, tell):
    n_values = found.private.joint(names).n_values
    return np.full((len(members), n_values), 1 / n_values)


@pytest.mark.parametrize("is_pooled", [False, True])
def test_what_beliefs_leak_and_its_gap_are_in_bits(is_pooled):
    for plan in plans_of(users(), is_pooled=is_pooled):
        said = plan.leaked.leakage_bits, plan.leaked.certified_gap
        assert said == pytest.approx((BITS, GAP), rel=1e-12)


def test_everybody_of_many_groups_is_released_with_the_mean_record_of_their_pool():
    """Who is passed over would be released with the own record. Each group here is one pool."""
    found = users_of_many_groups()
    plans = plans_of(found, is_pooled=True)
    assert [plan.names for plan in plans] == [*found.groups]
    assert len(plans) == 31
    drawn = [
        replace(plan, draw=lambda *, rng, own=plan.users: np.repeat(own[:1], len(own)))
        for plan in plans
    ]
    release = exchange_records(found, drawn, "microaggregate", 3, rng=Randomness.seeded(1))
    first = np.empty(len(found.rows), dtype=np.intp)
    for members in found.groups.values():
        first[members] = members[0]
    means = pooled_records(found.scores, first).toarray()
    assert (release.sources[found.rows] == found.rows[first]).all()
    np.testing.assert_array_equal(release.activity.scores[found.rows].toarray(), means)


def test_pools_are_judged_by_those_who_tell_their_value():
    found = users()
    plans = plans_of(found, is_pooled=True)
    n_silent = 0
    for plan in plans:
        value = found.values(plan.names, plan.users)
        laws = np.random.default_rng(1).dirichlet(np.ones(12), len(plan.users))
        judged = estimate_leakage_by_laws(laws[value.told], value.codes[value.told])
        assert plan.leaked.leakage_bits_heldout == pytest.approx(judged, rel=1e-9)
        n_silent += (~value.told).sum()
    assert n_silent > 0


def test_of_records_that_are_not_pooled_leakage_is_not_corrected_for_chance(monkeypatch):
    monkeypatch.setattr(believed, "estimate_leakage_by_laws", lambda laws, values: -1.0)
    for plan in plans_of(users(), is_pooled=False):
        assert plan.leaked.leakage_bits_heldout >= 0


def test_what_is_said_of_users_held_out_is_of_them_alone():
    found = users()
    counts = found.counts(("group",), held_out=0.5, rng=np.random.default_rng(3))
    rows = 0.5 * np.eye(12) + 0.5 / 12
    said = leaked_by_clusters(counts, rows, gap_nats=0.0).leakage_bits_heldout
    assert said == estimate_leakage(counts.held_out, rows)
    assert said != estimate_leakage(counts.learnt, rows)


def test_the_gap_of_a_channel_between_clusters_is_said_in_bits():
    counts = users().counts(("group",), held_out=0.5, rng=np.random.default_rng(3))
    said = leaked_by_clusters(counts, np.eye(12), gap_nats=GAP * log(2))
    assert said.certified_gap == pytest.approx(GAP, rel=1e-12)


def test_who_is_held_out_is_chosen_by_chance():
    found = users()
    one, other = (
        found.counts(("group",), held_out=0.5, rng=np.random.default_rng(seed)).held_out
        for seed in (1, 2)
    )
    assert (one.sum(axis=0) == other.sum(axis=0)).all()
    assert (one != other).any()


@pytest.mark.parametrize(("method", "budget"), [("rand", 0.5), ("frapp", 100.0), ("diff", 15.0)])
def test_the_distortion_of_a_baseline_is_that_of_users_and_not_of_clusters(method, budget):
    found = users()
    choices = np.random.default_rng(2)
    apart = 0.0
    for plan in baseline_plans(found, method, budget=budget, held_out=0.2, choices=choices):
        costs = (plan.transitions * found.distances.matrix).sum(axis=1)
        of_users = costs[found.clusters.labels[plan.users]].mean()
        assert plan.expected_distortion == pytest.approx(of_users, rel=1e-9)
        apart = max(apart, abs(costs.mean() / of_users - 1))
    assert apart > 1e-6


def test_what_diff_leaks_is_by_the_law_of_each_user():
    """The mean law of a cluster leaks less: within it, laws have to do with values."""
    found = users()
    labels = found.clusters.labels
    laws = cluster_laws(RecordExponential.of(found.scores, 15.0), labels)
    choices = np.random.default_rng(2)
    for plan in baseline_plans(found, "diff", budget=15.0, held_out=0.2, choices=choices):
        of_members, value = labels[plan.users], found.values(plan.names, plan.users)
        assert plan.leaked == leaked_by_laws(of_members, laws[plan.users], value)
        by_clusters = leaked_by_transitions(of_members, plan.transitions, value)
        assert plan.leaked.leakage_bits > by_clusters.leakage_bits


def test_who_is_released_with_nothing_is_no_part_of_the_distortion_of_records():
    found = users()
    given = np.arange(found.activity.n_users)
    given[found.rows] = np.roll(found.rows, 1)
    released, kept = found.activity.scores[given], found.rows[::2]
    of_each = [record_distortion(found, released, of_alone(given, [row])) for row in kept]
    of_all = record_distortion(found, released, of_alone(given, kept))
    assert of_all == pytest.approx(np.mean(of_each), rel=1e-9)
    assert of_all > 0
    assert record_distortion(found, released, of_alone(given, [])) == 0


def of_alone(sources, rows):
    """Return the sources of these users: the others are released with nothing."""
    return np.where(np.isin(np.arange(len(sources)), rows), sources, NOTHING)


def test_figures_of_the_user_level_are_those_of_its_channels(monkeypatch):
    """Of each group's own users; what the unused budget could buy is part of the gap."""
    found, solve, channels = users(), user_level.solve_record_channel, []

    def solved(*given, **told):
        channels.append(solve(*given, **told))
        return channels[-1]

    monkeypatch.setattr(user_level, "solve_record_channel", solved)
    asked = {"budget": 0.4, "choices": np.random.default_rng(2), "believe": something_known}
    plans, labels = user_level.user_level_plans(found, **asked), found.clusters.labels
    assert len(plans) > 1
    for plan, channel in zip(plans, channels, strict=True):
        members, moves = channel.candidates.members, channel.solution.probabilities
        sums = np.zeros((12, 12))
        for user, chances, others in zip(plan.users, moves, members, strict=True):
            np.add.at(sums[labels[user]], labels[plan.users[others]], chances)
        filled = sums.sum(axis=1) > 0
        expected = sums[filled] / sums[filled].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(plan.transitions[filled], expected, atol=1e-9)
        assert plan.leaked.certified_gap * log(2) == pytest.approx(channel.certified_gap)
        assert channel.certified_gap > channel.solution.certified_gap
        own = something_known(found, plan.names, plan.users, None, None)
        np.testing.assert_array_equal(channel.problem.beliefs, own)


def something_known(found, names, members, choices, tell):
    n_values = found.private.joint(names).n_values
    return np.random.default_rng(4).dirichlet(np.full(n_values, 5.0), len(members))


def test_what_is_said_of_withheld_users_counts_their_chances_in_each_cluster(monkeypatch):
    found, solve, solved = users(), withhold.solve_withholding, []

    def remembered(*given, **told):
        solved.append(solve(*given, **told))
        return solved[-1]

    monkeypatch.setattr(withhold, "solve_withholding", remembered)
    asked = {"budget": 0.4, "choices": np.random.default_rng(2), "believe": something_known}
    for plan, each in zip(withhold.withhold_plans(found, **asked), solved, strict=True):
        labels = found.clusters.labels[plan.users]
        np.testing.assert_array_equal(plan.posterior[-1], each.prior)  # all that nothing tells
        own = something_known(found, plan.names, plan.users, None, None)
        np.testing.assert_array_equal(each.beliefs, own)
        for cluster in np.unique(labels):
            withheld = each.chances[labels == cluster].mean()
            assert plan.transitions[cluster, -1] == pytest.approx(withheld, abs=1e-9)
            assert plan.transitions[cluster, cluster] == pytest.approx(1 - withheld, abs=1e-9)


@pytest.mark.parametrize(("method", "budget"), [("rand", 0.0), ("diff", 1e9)])
def test_a_baseline_that_replaces_nothing_releases_each_record_of_a_group_as_it_is(method, budget):
    choices = np.random.default_rng(2)
    plans = baseline_plans(users(), method, budget=budget, held_out=0.2, choices=choices)
    assert len(plans) > 1
    for plan in plans:
        drawn = plan.draw(rng=Randomness.seeded(1))
        np.testing.assert_array_equal(drawn, plan.users)

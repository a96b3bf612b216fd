import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.cluster_channel import solve as solving
from hushrank.publishing.cluster_channel.arcs import SourceGroups, all_arcs
from hushrank.publishing.cluster_channel.certificate import certified_gap
from hushrank.publishing.cluster_channel.interior_point.iterate import first_iterate
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.repair import channel_of, within_budget, within_ratio
from hushrank.publishing.cluster_channel.solve import solve_channel
from tests.publishing.cluster_channel.problems import conic_leakage, plain_bound, random_problem

SHAPES = [
    {"n_groups": 2, "n_values": 2},
    {"n_groups": 5, "n_values": 8},
    {"n_groups": 12, "n_values": 3, "n_empty": 3},
    {"n_groups": 15, "n_values": 4, "zeros": 0.3},
    {"n_groups": 20, "n_values": 2, "symmetric": False},
]


def assert_solved(problem, solution, gap=1e-4):
    """Check by the definitions that the channel keeps the rules, and by loops that it is proven."""
    channel = solution.channel.probabilities
    assert (channel >= 0).all()
    assert np.abs(channel.sum(axis=1) - 1).max() <= 1e-12
    assert solution.distortion == problem.distortion(channel)
    assert solution.distortion <= problem.budget * (1 + 1e-9)
    bound = plain_bound(problem, solution.potentials, solution.price)
    assert problem.leakage(channel) - bound <= gap * problem.identity_leakage + 1e-15


@pytest.mark.parametrize("budget", [1e-3, 0.1, 0.5])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_least_leakage_is_that_of_a_conic_solver(shape, budget):
    problem = random_problem(7, budget=budget, **shape)
    solution = solve_channel(problem, gap=1e-6)
    assert_solved(problem, solution, 1e-6)
    least = conic_leakage(problem)
    assert solution.leakage == pytest.approx(least, abs=1e-5 * problem.identity_leakage)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("budget", [0.0, 1e-9, 1e-5, 1e-2, 0.3, 0.7, 0.95, 1.0, 5.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_budget_has_a_proven_channel(shape, budget):
    problem = random_problem(11, budget=budget, **shape)
    assert_solved(problem, solve_channel(problem))


def test_a_channel_above_its_budget_is_mixed_with_the_identity():
    problem = random_problem(3, 8, 2, 0.1)
    blind = np.tile(problem.shares, (8, 1))
    mended = within_budget(problem, blind)
    assert problem.distortion(mended) == pytest.approx(problem.budget, rel=1e-12)
    assert mended.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("n_groups", [3, 30])
def test_a_search_begins_where_each_group_is_released_as_often_as_it_is_there(n_groups):
    sources = SourceGroups.of(random_problem(3, n_groups, 3, 0.1))
    arcs = all_arcs(sources)
    start = first_iterate(sources, arcs, 1.0, sources.budget)
    assert arcs.by_source(start.flows) == pytest.approx(sources.shares, rel=1e-11)


@pytest.mark.parametrize("max_ratio", [1.0, 1.5, 20.0])
def test_no_mixture_exceeds_the_ratio_by_anything(max_ratio):
    problem = random_problem(3, 8, 2, 0.1)
    mended = within_ratio(problem, np.eye(8), max_ratio)
    assert problem.worst_ratio(mended) <= max_ratio * (1 + 1e-9)
    assert mended.sum(axis=1) == pytest.approx(1)


def test_a_group_without_users_is_released_as_the_nearest_one_that_others_are_released_as():
    """Were it released as itself, it would be known that the record is of somebody in it."""
    problem = random_problem(3, 8, 2, 0.1, n_empty=3)
    sources = SourceGroups.of(problem)
    channel = channel_of(problem, sources, np.diag(problem.shares)[sources.numbers])
    empty = np.flatnonzero(problem.shares == 0)
    nearest = problem.distances[np.ix_(empty, sources.numbers)].argmin(axis=1)
    np.testing.assert_array_equal(channel[empty], np.eye(8)[sources.numbers[nearest]])


@pytest.mark.parametrize("n_values", [2, 7])
def test_few_arcs_prove_as_much_as_all(n_values):
    problem = random_problem(3, 70, n_values, 0.1)
    few = solve_channel(problem, method="column-generation")
    every = solve_channel(problem, method="interior-point")
    assert_solved(problem, few)
    assert_solved(problem, every)
    assert few.method == "column-generation"
    assert every.method == "interior-point"
    assert few.leakage == pytest.approx(every.leakage, abs=1e-4 * problem.identity_leakage)


def test_mirror_descent_proves_the_same():
    problem = random_problem(5, 6, 3, 0.2)
    slow = solve_channel(problem, gap=1e-3, method="mirror-descent")
    assert slow.method == "mirror-descent"
    assert_solved(problem, slow, 1e-3)
    fast = solve_channel(problem)
    assert slow.leakage == pytest.approx(fast.leakage, abs=1.1e-3 * problem.identity_leakage)


def test_without_a_budget_nothing_changes():
    problem = random_problem(1, 10, 3, 0.0)
    solution = solve_channel(problem)
    assert np.array_equal(solution.channel.probabilities, np.eye(10))
    assert solution.leakage == pytest.approx(problem.identity_leakage, rel=1e-12)


def test_without_a_budget_groups_at_distance_0_merge():
    """What is left to leak is what the merged groups tell."""
    apart = random_problem(2, 12, 3, 0.0)
    twins = np.arange(12) % 5
    problem = ChannelProblem(apart.joint, apart.distances[np.ix_(twins, twins)], 0.0)
    merged = np.zeros((5, 3))
    np.add.at(merged, twins, problem.joint)
    least = ChannelProblem(merged, apart.distances[:5, :5], 0.0).identity_leakage
    solution = solve_channel(problem)
    assert_solved(problem, solution)
    assert solution.distortion == 0
    assert solution.leakage == pytest.approx(least, abs=1e-4 * problem.identity_leakage)


def test_a_free_target_takes_everybody():
    apart = random_problem(2, 6, 3, 0.0)
    distances = apart.distances.copy()
    distances[:, 4] = 0
    solution = solve_channel(ChannelProblem(apart.joint, distances, 0.0))
    assert solution.leakage == pytest.approx(0, abs=1e-15)
    assert (solution.channel.probabilities[:, 4] == 1).all()


def test_groups_that_tell_nothing_are_left_alone():
    joint = np.outer(np.full(6, 1 / 6), [0.2, 0.3, 0.5])
    problem = ChannelProblem(joint, random_problem(1, 6, 3, 0.0).distances, 0.5)
    solution = solve_channel(problem)
    assert np.array_equal(solution.channel.probabilities, np.eye(6))
    assert solution.leakage == pytest.approx(0, abs=1e-15)


def test_groups_without_users_are_released_as_what_others_are_released_as():
    problem = random_problem(6, 15, 2, 0.4, n_empty=5)
    channel = solve_channel(problem).channel.probabilities
    empty = problem.shares == 0
    released = problem.shares @ channel > 0
    rows = channel[empty]
    assert (rows.max(axis=1) == 1).all()
    assert released[rows.argmax(axis=1)].all()


def test_the_unit_of_the_distances_does_not_matter():
    problem = random_problem(8, 30, 3, 0.3)
    miles = ChannelProblem(problem.joint, problem.distances * 1e6, problem.budget * 1e6)
    ours, theirs = solve_channel(problem), solve_channel(miles)
    assert theirs.leakage == pytest.approx(ours.leakage, abs=1e-6)
    assert theirs.price == pytest.approx(ours.price / 1e6, rel=1e-3)


def test_an_unproven_channel_is_an_error(monkeypatch):
    monkeypatch.setattr(solving, "is_proven", lambda *_: False)
    problem = random_problem(1, 8, 2, 0.2)
    with pytest.raises(HushrankError, match="no channel was proven"):
        solve_channel(problem, method="interior-point")


@pytest.mark.parametrize(
    "options", [{"gap": 0}, {"gap": 1.0}, {"max_ratio": 0.5}, {"method": "simplex"}]
)
def test_unknown_options_are_refused(options):
    with pytest.raises(HushrankError, match="expected"):
        solve_channel(random_problem(1, 5, 2, 0.2), **options)


@pytest.mark.slow
@pytest.mark.parametrize("n_values", [2, 8])
def test_a_thousand_groups_are_proven(n_values):
    problem = random_problem(1, 1000, n_values, 0.2)
    solution = solve_channel(problem)
    assert solution.distortion <= problem.budget * (1 + 1e-9)
    assert certified_gap(problem, solution) <= 1e-4 * problem.identity_leakage

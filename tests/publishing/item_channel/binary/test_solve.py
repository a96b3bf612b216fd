import numpy as np
import pytest
from scipy.optimize import linprog

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.binary.dual import binned, no_leakage_dual, smoothed_dual
from hushrank.publishing.item_channel.binary.options import Prices, room, soft_value
from hushrank.publishing.item_channel.binary.solve import solve_binary, without_leakage
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.dual_point import DualPoint
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.online.documents import channel_from_document, channel_to_document
from tests.publishing.item_channel.problems import (
    assert_certified,
    counts,
    leakage,
    least_leakage,
    population,
    problem,
)

SHARES = [0.003, 0.02, 0.1, 0.2, 0.3, 0.5, 0.9, 1.5]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.02, 0.1, 0.25])
@pytest.mark.parametrize("ties", ["half", "ignored"])
def test_the_leakage_is_that_of_a_general_solver(share, ties, seed):
    posed = problem(12, share=share, ties=ties, seed=seed)
    solution = solve_binary(posed, gap=1e-4)
    expected = least_leakage(posed)
    assert solution.leakage == pytest.approx(expected, abs=3e-4 * posed.population.leakage)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("spread", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_items", [2, 3, 40, 300])
def test_every_solution_is_certified(n_items, share, spread):
    for seed in range(2):
        posed = problem(n_items, share=share, spread=spread, seed=seed)
        assert_certified(posed, solve_binary(posed), 1e-3)


@pytest.mark.parametrize("share", SHARES)
def test_a_warm_start_is_certified_as_well(share):
    posed = problem(200, share=share)
    earlier = solve_binary(posed)
    more = counts(200) + counts(200, 10, seed=1)
    later = ItemChannelProblem(posed.population, activity_cost(more), posed.budget)
    assert_certified(later, solve_binary(later, warm=earlier.warm_start), 1e-3)


@pytest.mark.parametrize("of", [smoothed_dual, no_leakage_dual])
def test_fewer_items_have_nearly_the_same_dual(of):
    dual = of(problem(3_000))
    fewer = binned(dual)
    assert len(fewer.items.weights) < 1_000
    assert fewer.items.weights.sum() == pytest.approx(1, abs=1e-12)
    tilts = np.random.default_rng(5).normal(size=len(dual.columns.kinds)) / 3
    point = DualPoint(tilts, 1.0)
    assert fewer.values(point, 0.02) == pytest.approx(dual.values(point, 0.02), abs=1e-5)


@pytest.mark.parametrize("n_options", [2, 60])
def test_the_soft_minimum_is_of_all_options_within_reach(n_options):
    none = np.zeros(1)
    prices = Prices(none, none, none, none, 1.0, temperature=0.5)
    into = room(n_options - 2)
    into.values[:] = 3 + np.linspace(9, 0, n_options)
    expected = 3 - 0.5 * np.log(np.exp((3 - into.values[into.values < 11]) / 0.5).sum())
    assert soft_value(3.0, prices, into) == pytest.approx(expected, rel=1e-12)


def test_a_warm_start_survives_as_plain_numbers():
    posed = problem(60)
    start = solve_binary(posed).warm_start
    again = WarmStart.from_numbers(start.to_numbers())
    assert again.price == start.price
    assert np.array_equal(again.potentials(posed), start.potentials(posed))


def transport_cost(posed):
    """Return the least cost of a channel that leaks nothing, as a linear program."""
    joint, n_items = posed.population.joint, posed.population.n_items
    costs = (posed.population.weights[:, None] * posed.cost.matrix()).ravel()
    rows = np.kron(np.eye(n_items), np.ones(n_items))
    excess = joint[:, 1] - posed.population.weights * posed.population.prior[1]
    balance = np.kron(excess[None], np.eye(n_items))
    sides = np.concatenate((np.ones(n_items), np.zeros(n_items)))
    scale = costs.max()
    found = linprog(costs / scale, A_eq=np.vstack((rows, balance * 10)), b_eq=sides)
    return found.fun * scale


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", ["half", "ignored"])
def test_the_channel_that_leaks_nothing_is_the_cheapest(seed, ties):
    posed = problem(12, share=1.2, seed=seed, ties=ties)
    solution = without_leakage(posed)
    assert leakage(posed.population.joint, solution.channel.matrix()) < 1e-12
    assert solution.distortion == pytest.approx(
        transport_cost(posed), abs=posed.constant_cost_bound / 200
    )


def test_below_the_cheapest_cost_no_channel_leaks_nothing():
    posed = problem(12, share=1.0)
    least = transport_cost(posed)
    tight = ItemChannelProblem(posed.population, posed.cost, 0.95 * least)
    assert without_leakage(tight) is None
    assert solve_binary(tight).leakage > 0


def test_without_a_budget_nothing_changes():
    posed = problem(30, share=0.0)
    solution = solve_binary(posed)
    assert np.array_equal(solution.channel.matrix(), np.eye(30))
    assert solution.leakage == pytest.approx(posed.population.leakage, rel=1e-12)


def test_where_nothing_leaks_nothing_changes():
    weights = np.array([0.5, 0.3, 0.2])
    items = ActivityPopulation(weights[:, None] * np.array([0.25, 0.75]))
    posed = ItemChannelProblem(items, activity_cost(np.array([0, 1, 1])), 0.1)
    assert np.array_equal(solve_binary(posed).channel.matrix(), np.eye(3))


def test_items_that_nobody_uses_and_certain_values_are_allowed():
    joint = population(40).joint.copy()
    joint[:5], joint[5:9, 0], joint[9:12, 1] = 0, 0, 0
    items = ActivityPopulation(joint / joint.sum())
    for share in SHARES:
        cost = activity_cost(counts(40))
        free = ItemChannelProblem(items, cost, 0.0).constant_cost_bound
        posed = ItemChannelProblem(items, cost, min(1.0, share * free))
        assert_certified(posed, solve_binary(posed), 1e-3)


def test_items_that_nobody_uses_move_into_no_column_that_releases_nothing():
    joint = np.array([[3.0, 9619.0], [0.0, 0.0], [116.0, 263.0]])
    items = ActivityPopulation(joint / joint.sum())
    channel = solve_binary(
        ItemChannelProblem(items, activity_cost(np.array([0, 1, 0])), 0.001)
    ).channel
    assert channel.n_columns > 1  # and one of them is that of the unused item alone
    assert (np.diff(channel.good_starts)[channel.columns] > 0).all()
    assert channel_from_document(channel_to_document(channel)).n_items == 3


def test_counts_decide_by_their_classes_only():
    posed = problem(30)
    doubled = activity_cost(3 * counts(30) + 2)
    apart = activity_cost(7 * counts(30))
    first = solve_binary(ItemChannelProblem(posed.population, doubled, posed.budget))
    second = solve_binary(ItemChannelProblem(posed.population, apart, posed.budget))
    assert first.leakage == pytest.approx(second.leakage, rel=1e-9)


def test_a_larger_budget_leaks_no_more():
    solutions = [solve_binary(problem(80, share=share)) for share in SHARES]
    leaks = np.array([solution.leakage for solution in solutions])
    assert (np.diff(leaks) <= 1e-3 * problem(80).population.leakage).all()


def test_more_than_two_values_are_refused():
    with pytest.raises(HushrankError, match="2 values"):
        solve_binary(problem(10, 3))


@pytest.mark.parametrize("gap", [0.0, 1.0, np.nan])
def test_a_gap_outside_is_refused(gap):
    with pytest.raises(HushrankError, match="gap"):
        solve_binary(problem(10), gap=gap)

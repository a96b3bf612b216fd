import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.general.dual import (
    STRIDE,
    Chances,
    ItemTable,
    Slopes,
    costs_of,
    gradient_of,
    potentials_of,
    soften,
)
from hushrank.publishing.item_channel.general.newton import REACH
from hushrank.publishing.item_channel.general.solve import GROUPS_A_VALUE, solve_general
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import solve_item_channel
from tests.publishing.item_channel.problems import (
    assert_certified,
    counts,
    leakage,
    least_leakage,
    population,
    problem,
)
from tests.statistics import random_seed

SHARES = [0.01, 0.1, 0.25, 0.6, 1.5]


@pytest.mark.parametrize("n_values", [3, 5])
@pytest.mark.parametrize("share", [0.05, 0.2])
@pytest.mark.parametrize("ties", ["half", "ignored"])
def test_the_leakage_is_that_of_a_general_solver(n_values, share, ties):
    posed = problem(10, n_values, share=share, ties=ties)
    solution = solve_general(posed)
    expected = least_leakage(posed)
    assert solution.leakage == pytest.approx(expected, abs=0.012 * posed.population.leakage)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("n_values", [3, 4, 5])
@pytest.mark.parametrize("share", SHARES)
def test_every_solution_is_certified(n_values, share):
    for n_items, spread in ((2, 1.0), (3, 1.0), (30, 0.3), (90, 1.0)):
        posed = problem(n_items, n_values, share=share, spread=spread)
        assert_certified(posed, solve_general(posed), 0.01)


@pytest.mark.parametrize("share", SHARES)
def test_two_values_are_solved_as_well(share):
    posed = problem(60, 2, share=share)
    general, binary = solve_general(posed), solve_item_channel(posed)
    assert_certified(posed, general, 0.01)
    assert general.leakage == pytest.approx(binary.leakage, abs=0.011 * posed.population.leakage)


@pytest.mark.parametrize("n_values", [3, 5])
def test_more_items_than_groups_are_certified(n_values):
    posed = problem(3 * GROUPS_A_VALUE * (n_values - 1), n_values, share=0.1)
    assert_certified(posed, solve_general(posed), 0.01)


def test_the_gradient_is_that_of_the_smoothed_dual():
    rng = np.random.default_rng(random_seed())
    posed = problem(9, 3, ties="ignored")
    items, cost = posed.population, posed.cost
    table = ItemTable(items.posteriors, items.weights, cost.of_items, cost.classes, cost.within)
    tilts, price, into = rng.normal(size=(9, 3)), 2.0, room(9)

    def value(changed, cheaper=0.0):
        potentials = potentials_of(changed, items.prior)[0]
        return soften(table, potentials, price - cheaper, 0.3, 40.0, into)[0]

    value(tilts)
    slopes = Slopes(np.empty((9, 3)), np.empty(9), np.empty(9))
    shares = potentials_of(tilts, items.prior)[1]
    each = costs_of(table, into)
    by_price = gradient_of(table, shares, into, each, slopes)
    for cell in ((0, 0), (4, 2), (8, 1)):
        step = np.zeros((9, 3))
        step[cell] = 1e-6
        slope = (value(tilts + step) - value(tilts - step)) / 2e-6
        assert slopes.gradient[cell] == pytest.approx(slope, rel=1e-5, abs=1e-8)
    assert by_price == pytest.approx((value(tilts) - value(tilts, 1e-4)) / 1e-4, rel=1e-3)
    assert REACH < 40


def test_each_cell_within_reach_has_its_chance_however_many_there_are():
    n_cells, rng = 22 * STRIDE + 5, np.random.default_rng(random_seed())
    shares, parts = rng.dirichlet(np.ones(3), n_cells), rng.random(n_cells)
    rows = ItemTable(shares[:2], np.full(2, 0.5), parts, np.arange(n_cells), 0.0)
    potentials = rng.normal(size=(3, n_cells))
    into = room(n_cells)._replace(starts=np.zeros(3, np.int64))
    values = shares[:2] @ potentials + parts + parts[:2, None]
    values[[0, 1], [0, 1]] -= 2 * parts[:2]
    for reach in (2.0, 40.0):
        _, dual = soften(rows, potentials, 1.0, 0.5, reach, into)
        above = (values - values.min(axis=1, keepdims=True)) / 0.5
        masses = np.where(above < reach, np.exp(-above), 0)
        chances = np.zeros_like(values)
        rows_of, n_chances = np.repeat([0, 1], np.diff(into.starts)), into.starts[-1]
        chances[rows_of, into.cells[:n_chances]] = into.chances[:n_chances]
        assert chances == pytest.approx(masses / masses.sum(axis=1, keepdims=True), abs=1e-12)
        assert dual == pytest.approx(values.min(axis=1).mean())


def room(n_items):
    size = n_items * n_items
    return Chances(np.zeros(n_items + 1, np.int64), np.empty(size, np.int32), np.empty(size))


def test_groups_are_of_similar_items():
    """Most of what items tell is told by their group, and more groups tell more."""
    items = population(300, 3)
    leaked = []
    for n_groups in (1, 10, 100, 300):
        groups = items.similar.groups(n_groups)
        assert len(np.unique(groups)) == groups.max() + 1 <= n_groups
        merged = np.zeros((n_groups, 3))
        np.add.at(merged, groups, items.joint)
        leaked.append(leakage(merged, np.eye(n_groups)))
    assert leaked[0] == pytest.approx(0, abs=1e-12)
    assert 0.7 * items.leakage < leaked[1] < leaked[2] < leaked[3] * (1 + 1e-12)
    assert leaked[2] > 0.98 * items.leakage


def test_items_that_nobody_uses_and_certain_values_are_allowed():
    joint = population(40, 3).joint.copy()
    joint[:5], joint[5:9, 0], joint[9:12, 1:] = 0, 0, 0
    items = ActivityPopulation(joint / joint.sum())
    cost = activity_cost(counts(40))
    for share in (0.05, 0.3):
        budget = share * ItemChannelProblem(items, cost, 0.0).constant_cost_bound
        posed = ItemChannelProblem(items, cost, budget)
        assert_certified(posed, solve_general(posed), 0.01)


def test_without_a_budget_nothing_changes():
    solution = solve_general(problem(30, 3, share=0.0))
    assert np.array_equal(solution.channel.matrix(), np.eye(30))


@pytest.mark.parametrize("gap", [0.0, 1.0, np.nan])
def test_a_gap_outside_is_refused(gap):
    with pytest.raises(HushrankError, match="gap"):
        solve_general(problem(10, 3), gap=gap)

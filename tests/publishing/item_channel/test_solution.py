import numpy as np
import pytest
from scipy.special import rel_entr

from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import solve_item_channel
from tests.publishing.item_channel.problems import assert_certified, leakage, problem
from tests.statistics import random_seed


def released_given_value(posed, solution):
    """Return P(released | value), (items, values)."""
    released = solution.channel.matrix().T @ posed.population.joint
    return released / released.sum(axis=0)


@pytest.mark.parametrize("n_values", [2, 3])
def test_the_worst_leakage_is_the_largest_divergence(n_values):
    posed = problem(30, n_values)
    solution = solve_item_channel(posed)
    given = released_given_value(posed, solution)
    mean = given @ posed.population.prior
    divergences = rel_entr(given, mean[:, None]).sum(axis=0)
    assert solution.worst_leakage == pytest.approx(divergences.max(), rel=1e-9)


@pytest.mark.parametrize("n_values", [2, 3])
def test_the_worst_leakage_bounds_the_leakage_under_every_prior(n_values):
    posed = problem(30, n_values)
    solution = solve_item_channel(posed)
    given, rng = released_given_value(posed, solution), np.random.default_rng(random_seed())
    leaks = [
        leakage(given * prior, np.eye(30)) for prior in rng.dirichlet(np.ones(n_values), size=200)
    ]
    assert max(leaks) <= solution.worst_leakage
    assert solution.leakage <= solution.worst_leakage


def test_adaptive_releases_tell_no_more_than_their_worst_leakages():
    """Two activities, the second channel chosen by what the first released, all laws exact."""
    posed = problem(12, spread=2.0)
    first = solve_item_channel(posed)
    second = [solve_item_channel(problem(12, share=share, spread=2.0)) for share in (0.01, 0.15)]
    choice = np.arange(12) % 2
    given = released_given_value(posed, first)
    after = np.stack([released_given_value(posed, solution) for solution in second])[choice]
    pairs = given[:, None, :] * after
    joint = pairs.reshape(144, -1) * posed.population.prior
    spent = given @ posed.population.prior @ np.array([s.worst_leakage for s in second])[choice]
    assert leakage(joint, np.eye(144)) <= first.worst_leakage + spent


def test_the_representation_says_what_is_stated():
    solution = solve_item_channel(problem(12))
    assert repr(solution).startswith("ItemChannelSolution(leakage")
    assert solution.leakage_bits == pytest.approx(solution.leakage / np.log(2))


def test_activities_that_tell_little_are_hidden_as_well_as_others():
    told = problem(12)
    apart = np.outer(told.population.weights, told.population.prior)
    little = ActivityPopulation(0.99 * apart + 0.01 * told.population.joint)
    posed = ItemChannelProblem(little, told.cost, told.budget)
    assert little.leakage < 1e-4
    assert_certified(posed, solve_item_channel(posed), 1e-3)

"""Item-channel problems for tests, and what is said of channels, computed by the definitions."""

import numpy as np
import pytest
from scipy.special import rel_entr

from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem


def population(n_items, n_values=2, seed=0, spread=1.0):
    """Return power-law items whose private values lean either way, by `spread` nats."""
    rng = np.random.default_rng(seed)
    weights = rng.permutation(1 / np.arange(1, n_items + 1))
    posteriors = rng.dirichlet(np.full(n_values, 3.0)) * np.exp(
        spread * rng.normal(size=(n_items, n_values))
    )
    joint = weights[:, None] * posteriors / posteriors.sum(axis=1, keepdims=True)
    return ActivityPopulation(joint / joint.sum())


def counts(n_items, n_activities=40, seed=0):
    """Return what a user did, with a few favourites."""
    rng = np.random.default_rng(seed)
    habits = rng.dirichlet(np.full(n_items, 0.1))
    return rng.multinomial(n_activities, habits)


def problem(n_items=30, n_values=2, *, share=0.2, seed=0, spread=1.0, ties="half"):
    """Return a problem whose budget is `share` of what it costs to send all to one item."""
    items = population(n_items, n_values, seed, spread)
    cost = activity_cost(counts(n_items, seed=seed), ties=ties)
    free = ItemChannelProblem(items, cost, 0.0)
    return ItemChannelProblem(items, cost, share * free.constant_cost_bound)


def leakage(joint, matrix):
    """Return I(released; value) of a channel matrix, by the definition."""
    released = matrix.T @ joint
    independent = released.sum(axis=1, keepdims=True) * released.sum(axis=0)
    return rel_entr(released, independent).sum()


def distortion(problem, matrix):
    """Return the expected cost of a channel matrix, by the definition."""
    return (problem.population.weights[:, None] * matrix * problem.cost.matrix()).sum()


def dual_bound(problem, potentials, price):
    """Return the lower bound, by the definition."""
    joint = problem.population.joint
    prior, weights = joint.sum(axis=0), joint.sum(axis=1)
    feasible = potentials - np.log(np.exp(potentials) @ prior)[:, None]
    posteriors = np.where(weights[:, None] > 0, joint / np.maximum(weights, 1e-300)[:, None], prior)
    values = posteriors @ feasible.T + price * problem.cost.matrix()
    return weights @ values.min(axis=1) - price * problem.budget


def least_leakage(posed):
    """Solve the problem by a general conic solver."""
    import cvxpy  # takes a second

    joint, prior = posed.population.joint, posed.population.prior
    matrix = cvxpy.Variable((len(joint), len(joint)), nonneg=True)
    released = matrix.T @ joint
    shares = cvxpy.reshape(released @ np.ones(len(prior)), (len(joint), 1), order="F")
    divergence = cvxpy.sum(cvxpy.rel_entr(released, shares @ prior[None]))
    costs = posed.population.weights[:, None] * posed.cost.matrix() / posed.cost.largest
    spent = cvxpy.sum(cvxpy.multiply(costs, matrix))
    limits = [cvxpy.sum(matrix, axis=1) == 1, spent <= posed.budget / posed.cost.largest]
    return cvxpy.Problem(cvxpy.Minimize(divergence), limits).solve(solver=cvxpy.CLARABEL)


def assert_certified(posed, solution, gap):
    """Assert all that is stated of a solution from its matrix and its dual, by the definitions."""
    matrix = solution.channel.matrix()
    assert matrix.min() >= 0
    assert matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert distortion(posed, matrix) <= posed.budget * (1 + 1e-9)
    assert solution.distortion == pytest.approx(distortion(posed, matrix), rel=1e-9, abs=1e-15)
    leaks = leakage(posed.population.joint, matrix)
    assert solution.leakage == pytest.approx(leaks, rel=1e-9, abs=1e-13)
    bound = max(0.0, dual_bound(posed, solution.potentials, solution.price))
    assert solution.certified_gap == pytest.approx(leaks - bound, rel=1e-6, abs=1e-12)
    assert leaks - bound <= gap * posed.population.leakage + 1e-12

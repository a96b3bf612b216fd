import numpy as np
import pytest

from hushrank.publishing.cluster_channel.certificate import (
    certified_gap,
    dual_bound,
    log_normalisers,
    window_starts,
)
from hushrank.publishing.cluster_channel.solve import solve_channel
from tests.publishing.cluster_channel.problems import plain_bound, random_problem


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_that_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, 7, 2 + seed, 0.3, symmetric=False)
    potentials, price = rng.normal(size=(7, 2 + seed)), rng.exponential()
    bound = dual_bound(problem, potentials, price)
    assert bound == pytest.approx(plain_bound(problem, potentials, price), abs=1e-13)


@pytest.mark.parametrize("max_ratio", [None, 1.0, 1.5, 4.0])
@pytest.mark.parametrize("seed", range(20))
def test_no_channel_within_the_rules_leaks_less_than_any_bound(seed, max_ratio):
    """Potentials are those of the channel itself, nudged: the bound is then nearly tight."""
    rng = np.random.default_rng(seed)
    n_values = 2 + seed % 4
    problem = random_problem(seed, 6, n_values, 1.0)
    channel = _allowed_channel(problem, max_ratio, rng)
    joint = channel.T @ problem.joint
    potentials = np.log(joint / joint.sum(axis=1, keepdims=True) / problem.prior)
    potentials += rng.normal(size=potentials.shape) * 10.0 ** -rng.integers(0, 4)
    price = rng.exponential() * 10.0 ** -rng.integers(0, 3)
    bound = dual_bound(problem, potentials, price, max_ratio)
    assert bound <= problem.leakage(channel) + 1e-12


def _allowed_channel(problem, max_ratio, rng):
    """Return a channel mixed with one that always releases the cheapest group."""
    blind = np.tile(rng.dirichlet(np.ones(problem.n_groups)), (problem.n_groups, 1))
    free = rng.dirichlet(np.full(problem.n_groups, 0.3), problem.n_groups)
    cheap = np.eye(problem.n_groups)
    for mixed in np.linspace(0, 1, 201):
        channel = (1 - mixed) * free + mixed * (cheap if max_ratio is None else blind)
        ratio = problem.worst_ratio(channel)
        if max_ratio is None and problem.distortion(channel) <= problem.budget:
            return channel
        if max_ratio is not None and ratio <= max_ratio * (1 + 1e-12):
            object.__setattr__(problem, "budget", problem.distortion(channel))
            return channel
    raise AssertionError


@pytest.mark.parametrize("max_ratio", [1.0, 1.2, 3.0])
def test_normalisers_are_the_largest_of_all_allowed_directions(max_ratio):
    """On a fine grid of directions; the largest may fall between two of them."""
    rng = np.random.default_rng(1)
    prior, potentials = np.array([0.2, 0.3, 0.5]), rng.normal(size=(20, 3)) * 2
    directions = _directions_within(prior, max_ratio, rng)
    divergences = (directions * np.log(directions / prior)).sum(axis=1)
    largest = (potentials @ directions.T - divergences).max(axis=1)
    normalisers = log_normalisers(potentials, prior, max_ratio)
    assert (normalisers >= largest - 1e-12).all()
    assert np.abs(normalisers - largest).max() <= 0.02


def _directions_within(prior, max_ratio, rng):
    likelihoods = np.exp(rng.uniform(0, np.log(max_ratio), (100_000, 3)))
    corners = max_ratio ** np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    directions = np.vstack([likelihoods, corners]) * prior
    return directions / directions.sum(axis=1, keepdims=True)


def test_a_wide_ratio_changes_no_normaliser():
    rng = np.random.default_rng(2)
    prior, potentials = rng.dirichlet(np.ones(4)), rng.normal(size=(10, 4))
    wide = log_normalisers(potentials, prior, np.exp(20))
    assert wide == pytest.approx(log_normalisers(potentials, prior), abs=1e-12)


def test_the_window_balances_what_it_cuts_off():
    rng = np.random.default_rng(3)
    prior, potentials = rng.dirichlet(np.ones(5)), rng.normal(size=(30, 5)) * 3
    start = window_starts(potentials, prior, 1.5)[:, None]
    raised = np.maximum(start - potentials, 0) @ prior
    lowered = np.maximum(potentials - start - np.log(1.5), 0) @ prior
    assert raised == pytest.approx(1.5 * lowered, abs=1e-12)
    assert (raised > 1.5 * lowered - 1e-15).all()  # the side on which the bound is true


def test_a_gap_follows_from_potentials_and_price_alone():
    problem = random_problem(4, 12, 3, 0.2)
    solution = solve_channel(problem)
    bound = plain_bound(problem, solution.potentials, solution.price)
    assert certified_gap(problem, solution) == pytest.approx(solution.leakage - bound, abs=1e-13)
    assert solution.certified_gap == certified_gap(problem, solution)
    assert solution.leakage == problem.leakage(solution.channel.probabilities)
    assert solution.leakage_bits == pytest.approx(solution.leakage / np.log(2))

from itertools import permutations

import numpy as np
import pytest

from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.protocols.orders.subset_order import (
    estimated_mean_ranks,
    mean_rank_covariance,
    subset_order,
)
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from tests.statistics import critical_deviate, random_seed

EPSILONS = (0.1, 0.5, 1, 2, 3, 5, 8)


def population(n_people, n_items=6):
    """Return people who mostly agree with 0, 1, 2, ..."""
    keys = np.arange(n_items) + 2 * np.random.default_rng(5).standard_normal((n_people, n_items))
    return Rankings.from_orders(np.argsort(keys, axis=1))


@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_the_engine_learns_the_mean_ranks(epsilon):
    people = population(20_000)
    outcome = run(subset_order(6, epsilon=epsilon), people, rng=Randomness.seeded(random_seed()))
    assert outcome.epsilon == epsilon
    errors = np.sqrt(outcome.result.covariance.diagonal())
    deviates = (outcome.result.mean_ranks - people.ranks.mean(axis=0)) / errors
    assert errors.max() < 0.15
    assert np.abs(deviates).max() < 1.05 * critical_deviate(6)
    assert outcome.result.order == tuple(range(6))


def expected_tally(mechanism, ranks):
    """Return the tally that people with `ranks` (people, items) give on average."""
    m = mechanism.n_categories
    centred = ranks - (m - 1) / 2
    return Tally((mechanism.signal * centred + (m - 1) / 2).sum(axis=0), len(ranks))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n_items", [2, 3, 5])
def test_the_estimate_inverts_the_expectation(n_items, epsilon):
    """That reports have this expectation is tested by enumeration, with the mechanism."""
    ranks = np.array(list(permutations(range(n_items))))[: n_items + 1]
    mechanism = SubsetOrder(n_items, epsilon)
    estimate = estimated_mean_ranks(mechanism, expected_tally(mechanism, ranks))
    np.testing.assert_allclose(estimate.mean_ranks, ranks.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("n_items", [21, 254])
def test_of_many_items_each_has_its_place(n_items):
    mechanism = SubsetOrder(n_items, 2.0)
    ranks = np.random.default_rng(random_seed()).permutation(n_items)
    found = estimated_mean_ranks(mechanism, expected_tally(mechanism, ranks[None]))
    assert found.order == tuple(np.argsort(ranks).tolist())


def noise_of_one_report(mechanism):
    """Return the covariance of the reported ranks of one person, by enumeration."""
    m, rate = mechanism.n_categories, mechanism.far_words / 2**64
    shuffles = np.array(list(permutations(range(m)))) - (m - 1) / 2
    places = np.arange(m) - (m - 1) / 2
    near = ((shuffles - places) ** 2).sum(axis=1) // 2 <= mechanism.radius
    weights = np.where(near, 1, rate) / np.where(near, 1, rate).sum()
    moments = np.zeros((m, m))
    for swapped in range(2 ** (m // 2)):
        order, share = np.arange(m), 1.0
        for place, p in enumerate(mechanism.swap_rates):
            is_swapped = swapped >> place & 1
            share *= p if is_swapped else 1 - p
            if is_swapped:
                order[[place, m - 1 - place]] = order[[m - 1 - place, place]]
        moments += share * (shuffles[:, order] * weights[:, None]).T @ shuffles[:, order]
    return moments - mechanism.signal**2 * np.outer(places, places)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6, 7])
def test_the_noise_exceeds_the_covariance_by_8_per_cent_at_most(n_items, epsilon):
    mechanism = SubsetOrder(n_items, epsilon)
    noise = noise_of_one_report(mechanism) / mechanism.signal**2
    slack = 1.081 * mean_rank_covariance(mechanism, 1) - noise
    assert np.linalg.eigvalsh(slack).min() > -1e-9 / mechanism.signal**2


def test_the_covariance_is_that_of_uniform_orders():
    mechanism = SubsetOrder(5, 2.0)
    uniform = np.cov(np.array(list(permutations(range(5)))).T, bias=True)
    stated = mean_rank_covariance(mechanism, 10)
    np.testing.assert_allclose(stated, uniform / (10 * mechanism.signal**2), rtol=1e-12)


def test_ties_go_by_item_number():
    estimate = estimated_mean_ranks(SubsetOrder(3, 1.0), Tally(np.array([5, 2, 2]), 3))
    assert estimate.order == (1, 2, 0)


def test_relabelled_items_relabel_the_outcome():
    people = population(200)
    renamed = np.array([3, 0, 5, 1, 4, 2])
    moved = Rankings.from_orders(renamed[people.orders()])
    first, second = (
        run(subset_order(6, epsilon=3.0), crowd, rng=Randomness.seeded(7)).result
        for crowd in (people, moved)
    )
    assert second.order == tuple(renamed[list(first.order)].tolist())
    assert np.array_equal(second.mean_ranks[renamed], first.mean_ranks)


def test_nobody_has_no_mean_ranks():
    with pytest.raises(HushrankError, match="0 reports"):
        estimated_mean_ranks(SubsetOrder(3, 1.0), Tally.empty(3))


def test_rankings_of_fewer_items_are_refused():
    with pytest.raises(HushrankError):
        run(subset_order(7, epsilon=1.0), population(10), rng=Randomness.replayed(b""))

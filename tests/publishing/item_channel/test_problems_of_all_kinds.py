"""Problems of many kinds, also extreme ones: every solution is certified."""

import numpy as np
import pytest

from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import COARSEST_GAP, solve_item_channel
from tests.publishing.item_channel.problems import assert_certified, counts, population
from tests.statistics import random_seed


def any_population(rng):
    """Return a few items or many, of which some nobody uses, tell all or are used by most."""
    n_items, n_values = rng.choice([2, 3, 5, 17, 60, 250]), rng.choice([2, 2, 2, 3, 5])
    spread, seed = rng.choice([0.1, 0.5, 1.0, 3.0]), int(rng.integers(10**6))
    joint = population(n_items, n_values, seed=seed, spread=spread).joint.copy()
    if n_items > 10 and rng.random() < 0.4:
        joint[rng.integers(0, n_items, 3)] = 0
        joint[rng.integers(0, n_items, 2), 0] = 0
    if n_items > 10 and rng.random() < 0.3:
        joint[0] += 0.3 * rng.random(n_values)
    if rng.random() < 0.1:  # items tell nothing
        joint = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return ActivityPopulation(joint / joint.sum())


@pytest.mark.parametrize("nth", range(60))
def test_every_kind_of_problem_is_certified_cold_and_warm(nth):
    rng = np.random.default_rng([random_seed(), nth])
    items = any_population(rng)
    done = counts(items.n_items, rng.choice([1, 5, 50, 20_000]), seed=nth)
    more = counts(items.n_items, 100, seed=nth + 1)
    ties = str(rng.choice(["half", "half", "ignored"]))
    share, gap = 10 ** rng.uniform(-3, 0.3), 1e-3 if items.n_values == 2 else COARSEST_GAP
    first = activity_cost(done, ties=ties)
    budget = min(1.0, share * ItemChannelProblem(items, first, 0.0).constant_cost_bound)
    cold = solve_item_channel(ItemChannelProblem(items, first, budget))
    assert_certified(ItemChannelProblem(items, first, budget), cold, gap)
    later = ItemChannelProblem(items, activity_cost(done + more, ties=ties), budget)
    assert_certified(later, solve_item_channel(later, warm=cold.warm_start), gap)

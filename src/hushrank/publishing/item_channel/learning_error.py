"""How much more a channel leaks of everybody than of the sample that it was made for.

Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.activities.activity import Scores
from hushrank.arrays import Floats, Indices, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.item_channel.channel import CompactChannel
from hushrank.publishing.item_channel.problem import ActivityPopulation

MOST_GROUPS = 16  # of users, each left out once
MARGIN = 2.0  # the worst of one sample's estimates was .67 of what leaked, with 16+ users a value


class LearningError(NamedTuple):
    """Nats of one activity, to be added to `leakage`; and, twice that, to `worst_leakage`."""

    mean: float
    worst: float


def learnt_population(scores: Scores, codes: WholeNumbers, n_values: int) -> ActivityPopulation:
    """Return P(item, value) of users (users,) with scores (users, items) and a value's code each.

    It remembers what would be learnt without each of up to 16 groups of users.
    Raises HushrankError unless 2 or more users of each value have any activity.
    """
    active = np.flatnonzero(np.asarray(scores.sum(axis=1)) > 0)
    cell, n_groups = group_cells(codes[active], n_values)
    cells = np.eye(n_values * n_groups)[cell]
    return population_of_sums(np.asarray(scores[active].T @ cells), n_values)


def group_cells(codes: WholeNumbers, n_values: int) -> tuple[Indices, int]:
    """Return group * n_values + value of each active user (users,), and how many groups there are.

    Raises HushrankError unless there are 2 or more users of each value.
    """
    fewest = int(np.bincount(codes, minlength=n_values).min())
    require(fewest >= 2, "expected activity of 2 or more users of each private value")
    groups = _spread_out(codes, n_values) % min(MOST_GROUPS, fewest)
    return groups * n_values + codes, int(groups.max()) + 1


def population_of_sums(sums: Floats, n_values: int) -> ActivityPopulation:
    """Return what sums of scores (items, groups * values) of users teach."""
    parts = sums.reshape(len(sums), -1, n_values)
    joint = parts.sum(axis=1)
    without = joint[:, None] - parts
    return ActivityPopulation(joint / joint.sum(), without / without.sum(axis=0))


def learning_error(population: ActivityPopulation, channel: CompactChannel) -> LearningError:
    """Return what the population's being learnt from a sample of users adds, to first order.

    It is half the variance of P(released | value) - P(released) over P(released), summed over
    items. Users, not activities, are the sample, so the delete-a-group jackknife estimates the
    variance. It is an estimate and no bound: 0 for a population that does not say how it was
    learnt, and with fewer than 16 users of a value it may be far too low.
    Source: Kott (J. Official Statistics 17, 2001), for the jackknife; Akaike (1973), for fitting
    and being judged on one sample.
    """
    if population.without is None:
        return LearningError(0.0, 0.0)
    n_items, n_groups, n_values = population.without.shape
    released = channel.pushforward(population.without.reshape(n_items, -1))
    apart = released.reshape(n_items, n_groups, n_values)
    apart = apart - apart.mean(axis=1, keepdims=True)
    variances = (n_groups - 1) / n_groups * (apart**2).sum(axis=1)
    mixed = variances @ population.prior**2
    of_values = variances * (1 - 2 * population.prior) + mixed[:, None]
    weights = channel.pushforward(population.joint).sum(axis=1)
    shown = weights > 0
    errors = (of_values[shown] / (2 * weights[shown])[:, None]).sum(axis=0)
    return LearningError(float(population.prior @ errors), MARGIN * float(errors.max()))


def _spread_out(codes: WholeNumbers, n_values: int) -> Indices:
    """Return how many users before (users,) have the same value: groups are alike in values."""
    ranks = np.empty(len(codes), dtype=np.intp)
    for value in range(n_values):
        ranks[codes == value] = np.arange(np.count_nonzero(codes == value))
    return ranks

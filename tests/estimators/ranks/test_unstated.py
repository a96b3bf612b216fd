"""What people do not say is part of the errors: of all orders of four items, one by one."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.unstated import DEVIATION, neither_ranked, with_unstated
from tests.estimators.enumeration import statistics

N = 4
SHARES = np.random.default_rng(3).dirichlet(np.ones(24))
STATED = np.array([0.9, 0.6, 0.5])
"""Of the people: rank at least one, two, and all but one of the items, which tells the last."""
LENGTHS = {0: 0.1, 1: 0.3, 2: 0.1, 4: 0.5}
STATISTICS = statistics(SHARES, N)
AT = STATISTICS[: N**2].reshape(N, N)
PRECEDENCES = STATISTICS[N**2 :].reshape(N, N, N).sum(axis=2).T
NOTHING = np.zeros((N, N))
KNOWN = RankEstimates(AT, NOTHING, PRECEDENCES, NOTHING, np.zeros(N), NOTHING)


def by_enumeration() -> tuple[np.ndarray, np.ndarray]:
    """P(neither of two items is ranked) and P(an item is at a rank, and not ranked)."""
    neither, unsaid = np.zeros((N, N)), np.zeros((N, N))
    for share, order in zip(SHARES, permutations(range(N)), strict=True):
        for length, part in LENGTHS.items():
            left = order[length:]
            for a in left:
                unsaid[a, order.index(a)] += share * part
                for b in left:
                    neither[a, b] += share * part * (a != b)
    return neither, unsaid


def test_shares_that_are_not_stated_are_those_of_all_orders():
    neither, unsaid = neither_ranked(KNOWN, STATISTICS, STATED)
    assert neither == pytest.approx(by_enumeration()[0])
    assert unsaid == pytest.approx(by_enumeration()[1])


def test_errors_grow_by_what_is_not_stated_and_estimates_stay():
    widened = with_unstated(KNOWN, STATISTICS, STATED)
    neither, unsaid = by_enumeration()
    assert widened.precedence_errors == pytest.approx(DEVIATION * neither)
    assert widened.at_errors == pytest.approx(2 * DEVIATION * unsaid)
    assert widened.precedences is KNOWN.precedences
    assert np.linalg.eigvalsh(widened.score_covariance).min() > -1e-12
    own = np.diag(widened.score_covariance)
    assert own == pytest.approx((2 * DEVIATION) ** 2 * (neither**2).sum(axis=1))


def test_where_everybody_ranks_all_nothing_is_added():
    noisy = replace(KNOWN, at_errors=np.full((N, N), 0.1))
    same = with_unstated(noisy, STATISTICS, np.ones(N - 1))
    assert same.at_errors == pytest.approx(noisy.at_errors)
    assert same.precedence_errors == pytest.approx(noisy.precedence_errors)

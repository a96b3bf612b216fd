"""What people would say of items that they do not rank is not known: how much that leaves open.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import replace

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.estimators.ranks.estimates import RankEstimates

DEVIATION = 0.2
"""Standard deviation of what the share of "a before b" is, among those who rank neither.

Of nine public elections with 1,000 ballots or more, the root mean square of what the model
imputes less what those state who rank one of the two: .09 to .46, median .18.
"""


def with_unstated(estimates: RankEstimates, statistics: Floats, stated: Shares) -> RankEstimates:
    """Return the estimates with errors for what nobody stated.

    The model imputes it as if how much people rank were independent of what they prefer, which no
    report can tell. statistics (statistics,) of the model; stated (items - 1,) = the shares of
    people who rank at least 1, 2, ... items. A precedence gets the deviation `DEVIATION` times the
    share of people who rank neither, and the share of a rank twice `DEVIATION` times that of the
    people who have the item there and do not say so.
    """
    neither, unsaid = neither_ranked(estimates, statistics, stated)
    margins = (2 * DEVIATION * neither) ** 2
    of_scores = np.diag(margins.sum(axis=1)) - margins
    return replace(
        estimates,
        at_errors=np.hypot(estimates.at_errors, 2 * DEVIATION * unsaid),
        precedence_errors=np.hypot(estimates.precedence_errors, DEVIATION * neither),
        score_covariance=estimates.score_covariance + of_scores,
    )


def neither_ranked(
    estimates: RankEstimates, statistics: Floats, stated: Shares
) -> tuple[Shares, Shares]:
    """Return the shares of people who rank neither of two items, and of those who leave one out.

    neither (items, items), 0 on the diagonal: the better of the two is at a rank that is not
    stated. unsaid (items, ranks): the item is at the rank, and that is not stated.
    """
    n_items = len(estimates.at)
    at = statistics[: n_items**2].reshape(n_items, n_items)
    preceded = statistics[n_items**2 :].reshape(n_items, n_items, n_items)
    left_out = np.append(1 - stated, 1 - stated[-1])  # all but one ranked tells the last
    is_better = (at[:, None] - preceded) @ left_out
    neither = is_better + is_better.T
    np.fill_diagonal(neither, 0.0)
    return np.clip(neither, 0.0, 1.0), np.clip(at * left_out, 0.0, 1.0)

"""What reports say of ranks where some orders are popular: of the rest, and of everybody."""

from dataclasses import replace

import numpy as np

from hushrank.arrays import Shares
from hushrank.estimators.cell_weights import statistics_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.models.popular_orders import PopularOrders


def beside(likelihood: ReportLikelihood, popular: PopularOrders) -> ReportLikelihood:
    """Return the likelihood as a function of the rest alone, popular orders being as they are.

    P(report) = q + (p - q) (P_popular(category) + (1 - share) P_rest(category))
    """
    explained = likelihood.weights @ statistics_of(*popular.marginals)
    floors = likelihood.floors + likelihood.gaps * explained
    return replace(likelihood, floors=floors, gaps=likelihood.gaps * (1 - popular.share))


def with_popular(
    rest: RankEstimates, popular: PopularOrders, share_errors: Shares
) -> RankEstimates:
    """Return the estimates of a population of popular orders and a rest that is known so well.

    share_errors (orders,) = those of the shares: people whom an order has too many, the rest lacks,
    so that a share's error moves what it explains by as much as the order differs from the rest.
    """
    left = 1 - popular.share
    at, preceded = popular.each_marginals
    before = preceded.sum(axis=3).transpose(0, 2, 1)
    precedences = left * rest.precedences + np.tensordot(popular.shares, before, 1)
    np.fill_diagonal(precedences, 0.5)
    moved = before - rest.precedences
    moved[:, np.eye(len(precedences), dtype=bool)] = 0.0
    scores = 2 * moved.sum(axis=2) * share_errors[:, None]
    return RankEstimates(
        left * rest.at + np.tensordot(popular.shares, at, 1),
        _with_errors(left * rest.at_errors, at - rest.at, share_errors),
        precedences,
        _with_errors(left * rest.precedence_errors, moved, share_errors),
        (2 * precedences - 1).sum(axis=1),
        left**2 * rest.score_covariance + scores.T @ scores,
    )


def _with_errors(errors: Shares, moved: Shares, share_errors: Shares) -> Shares:
    variances: Shares = errors**2 + np.tensordot(share_errors**2, moved**2, 1)
    return np.sqrt(variances)

"""What reports say of ranks where some orders are popular: of the rest, and of everybody."""

from dataclasses import replace

import numpy as np

from hushrank.estimators.cell_weights import statistics_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.rank_estimates import RankEstimates
from hushrank.models.popular_orders import PopularOrders


def beside(likelihood: ReportLikelihood, popular: PopularOrders) -> ReportLikelihood:
    """Return the likelihood as a function of the rest alone, popular orders being as they are.

    P(report) = q + (p - q) (P_popular(category) + (1 - share) P_rest(category))
    """
    explained = likelihood.weights @ statistics_of(*popular.marginals)
    floors = likelihood.floors + likelihood.gaps * explained
    return replace(likelihood, floors=floors, gaps=likelihood.gaps * (1 - popular.share))


def with_popular(rest: RankEstimates, popular: PopularOrders) -> RankEstimates:
    """Return the estimates of a population of popular orders and a rest that is known so well.

    The errors are those of the rest, by its share.
    """
    share = 1 - popular.share
    at, preceded = popular.marginals
    precedences = share * rest.precedences + preceded.sum(axis=2).T
    np.fill_diagonal(precedences, 0.5)
    return RankEstimates(
        share * rest.at + at,
        share * rest.at_errors,
        precedences,
        share * rest.precedence_errors,
        (2 * precedences - 1).sum(axis=1),
        share**2 * rest.score_covariance,
    )

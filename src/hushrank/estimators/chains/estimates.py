"""Rank shares and precedences of many items, each with its standard error, by chains.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.estimators.cell_weights import preceded_at
from hushrank.estimators.chains.fit import ChainFit
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.models.max_entropy.pair_features import cells_of
from hushrank.models.max_entropy.rank_features import (
    WIDE_DEGREES,
    RankFeatures,
    rank_features,
    rank_polynomials,
)


def chain_estimates(fit: ChainFit) -> RankEstimates:
    """Return shares with errors that count what the family of many items leaves out.

    Degrees above 6 of a rank, and precedences beside ranks, are as large as their prior says at the
    wider scale; their effect on a share p is that near uniform, times p over its uniform value, or
    times 4 p (1 - p) of a precedence.
    """
    estimates, scale = family_estimates(fit), fit.wide_scale
    n = len(estimates.at)
    at = (estimates.at * scale) ** 2 * _left_out_of_ranks(n)
    before = (scale * _left_out_of_pairs(n) * (1 - estimates.margins**2)) ** 2
    np.fill_diagonal(before, 0.0)
    of_scores = 4 * (np.diag(before.sum(axis=1)) - before)
    return replace(
        estimates,
        at_errors=np.sqrt(estimates.at_errors**2 + at),
        precedence_errors=np.sqrt(estimates.precedence_errors**2 + before),
        score_covariance=estimates.score_covariance + of_scores,
    )


def family_estimates(fit: ChainFit) -> RankEstimates:
    """Take the wider of the two fits, as `RankEstimates.of` does, by draws from it.

    The chance of the draws is part of the errors, and what it adds to the squares of derivatives
    that are means over draws is taken off.
    """
    point, covariance = fit.wide.point, fit.wide.covariance(fit.wide_scale)
    n, n_draws = point.features.n_items, len(point.orders)
    shares_of = _share_weights(n)
    shares = shares_of @ point.statistics
    changes = point.changes_of(shares_of).astype(np.float64)
    by_chance = 1 - float(np.vdot(point.feature_covariance, covariance))
    variances = ((changes @ covariance) * changes).sum(axis=1)
    variances += by_chance * shares * (1 - shares) / n_draws
    errors = np.sqrt(np.maximum(variances, shares * (1 - shares) / n_draws)).reshape(2, n, n)
    at, precedences = shares.reshape(2, n, n)
    np.fill_diagonal(precedences, 0.5)
    np.fill_diagonal(errors[1], 0.0)
    of_scores = 2 * changes[n**2 :].reshape(n, n, -1).sum(axis=1)
    of_chance = by_chance * 4 * np.cov(point.ranks.T) / n_draws
    score_covariance = _possible(of_scores @ covariance @ of_scores.T + of_chance)
    scores = (2 * precedences - 1).sum(axis=1)
    return RankEstimates(at, errors[0], precedences, errors[1], scores, score_covariance)


def _left_out_of_ranks(n_items: int) -> Floats:
    """Return the prior variance (ranks,), at scale 1, of log P(rank) that degrees above 6 add."""
    polynomials = rank_polynomials(n_items)
    root = RankFeatures(polynomials, ()).prior_root[: n_items - 1, : n_items - 1]
    known = root[WIDE_DEGREES:]
    variances: Floats = np.square(known.T @ polynomials[WIDE_DEGREES:]).sum(axis=0)
    return variances


def _left_out_of_pairs(n_items: int) -> float:
    """Return the prior deviation, at scale 1, of P(a before b) that its own feature adds."""
    kind = rank_features(n_items).kinds[0]
    values = np.triu(cells_of(kind.parts))
    return kind.spread * abs(float(values.sum())) / (n_items * (n_items - 1))


def _share_weights(n_items: int) -> csr_array:
    """Return the weights (shares, statistics) of all P(rank of a = r), then all P(a before b)."""
    n_at = n_items**2
    first, second = np.nonzero(~np.eye(n_items, dtype=np.bool_))
    ranks = np.arange(n_items)
    before = preceded_at(second[:, None], first[:, None], ranks, n_items)
    rows = np.repeat(n_at + first * n_items + second, n_items)
    rows, columns = (
        np.concatenate([np.arange(n_at), rows]),
        np.concatenate([np.arange(n_at), before.ravel()]),
    )
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(2 * n_at, n_at + n_items**3))


def _possible(covariance: Floats) -> Floats:
    """Return the nearest covariance without directions of negative variance."""
    variances, directions = np.linalg.eigh(covariance)
    possible: Floats = (directions * np.maximum(variances, 0.0)) @ directions.T
    return possible

"""Fit a maximum-entropy model of many items to noisy reports, by Markov chains over orders.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.estimators.chains.point import ChainPoint
from hushrank.estimators.chains.search import ChainParabola, Chains, most_likely, posterior_slope
from hushrank.estimators.chains.uniform_orders import UniformOrders
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.models.max_entropy.rank_features import wide_features

Near: TypeAlias = ChainParabola[ChainPoint | UniformOrders]

MOST_SEARCHES = 6
CLOSE = 0.5
"""Standard errors from the most likely model, on average: a search that comes so near ends."""
MOST_OFF = 1.0
"""Beyond, a fit is not to be relied on. Of 100,000 clear reports chance alone is .6."""
CLEAREST = 0.8
"""The largest scale with which a search begins: a larger one is what the parabola at the uniform
model makes of reports that are too clear for it, and coefficients run away from there.
"""
FEWER, LEAST_PART = 4.0, 1e-4
RAN_AWAY, PATIENCE = 10.0, 4
"""A fit that ends so far off is made anew with so many times as many exchanges."""
SEED = 3
"""The chains' coins are public, and always the same: a fit is a function of the tallies."""


@dataclass(frozen=True, eq=False, repr=False)
class ChainFit:
    """The model to publish, and a wider one for its errors, as `RankFit`; by draws.

    off, wide_off: how far each is from the most likely one, in standard errors of the coefficients
    (root mean square), the chance of the draws by which that is judged included.
    """

    point: ChainPoint
    scale: float
    off: float
    wide: ChainParabola[ChainPoint]
    wide_scale: float
    wide_off: float

    @property
    def has_converged(self) -> bool:
        """Whether both are near the most likely ones, and the draws of the model agree."""
        return self.most_off <= MOST_OFF and self.point.model.has_mixed

    @property
    def most_off(self) -> float:
        """How far the worse of the two is off."""
        return max(self.off, self.wide_off)


def fit_by_chains(likelihood: ReportLikelihood, *, prior: Prior, patience: int = 1) -> ChainFit:
    """Fit a model of many items to reports, as `fit_ranks` does, by Markov chains.

    The evidence of the prior's scale is first taken at the uniform model, exactly, then at the fit.
    Searches go on from there until one comes near, up to 6. Clear reports are taken for fewer ones
    at first, and for four times as many in each search. `patience`: how many rounds of exchanges
    chains take where others take one.
    Privacy: post-processing, costs nothing.   Cost: whatever the number of people; a minute for 50
    items.   Deterministic, but for the last bits of a processor's arithmetic, which the chance of
    the draws exceeds.   Raises HushrankError when there is no report.
    """
    require_prior(prior)
    require(likelihood.n_reports.any(), "cannot fit a model to 0 reports")
    chains, whole = _start(likelihood, patience)
    part, near = _beginning(whole, prior)
    point, off = _searched(near, near.evidence.point_scale(prior), chains)
    for each in (*_parts_after(part), *[1.0] * (MOST_SEARCHES - 1)):
        near = Near(_fewer(likelihood, each), point)
        scale, wide_scale = near.evidence.point_scale(prior), near.evidence.interval_scale()
        point, off = _searched(near, scale, chains)
        if each == 1 and off <= CLOSE:
            break
    wide, wide_off = _searched(near, wide_scale, chains)
    return ChainFit(point, scale, off, ChainParabola(likelihood, wide), wide_scale, wide_off)


def fit_again(found: ChainFit, likelihood: ReportLikelihood, *, prior: Prior) -> ChainFit:
    """Return a fit that did not run away; of one that did, a new one by chains with more patience.

    The nearer of the two.   Cost: four times that of the fit.
    """
    if found.most_off <= RAN_AWAY:
        return found
    anew = fit_by_chains(likelihood, prior=prior, patience=PATIENCE)
    return min(found, anew, key=lambda fit: fit.most_off)


def fit_vaguely(likelihood: ReportLikelihood, *, prior: Prior, most_scale: float) -> ChainPoint:
    """Return a model of no more reports than a parabola at the uniform model holds for.

    At a scale of the prior of at most this, without a judgement of errors.   Cost: one search.
    """
    chains, whole = _start(likelihood)
    _, near = _beginning(whole, prior)
    point, _ = _searched(near, min(most_scale, near.evidence.point_scale(prior)), chains)
    return point


def _start(likelihood: ReportLikelihood, patience: int = 1) -> tuple[Chains, Near]:
    """Return chains that have not moved yet, and the reports at the uniform model."""
    features = wide_features(likelihood.n_items)
    chains = Chains.of(features, rng=np.random.default_rng(SEED), patience=patience)
    return chains, Near(likelihood, UniformOrders(features))


def _beginning(whole: Near, prior: Prior) -> tuple[float, Near]:
    """Return of which part of the reports the parabola at the uniform model is to be trusted."""
    part, near = 1.0, whole
    while part > LEAST_PART and near.evidence.point_scale(prior) > CLEAREST:
        part /= FEWER
        near = Near(_fewer(whole.likelihood, part), whole.point)
    return part, near


def _parts_after(part: float) -> Iterator[float]:
    """Yield the parts between the first and all reports."""
    while part * FEWER < 1:
        part *= FEWER
        yield part


def _fewer(likelihood: ReportLikelihood, part: float) -> ReportLikelihood:
    """Return the likelihood of so many reports that say the same."""
    counts, n_reports = likelihood.counts * part, likelihood.n_reports * part
    return replace(likelihood, counts=counts, n_reports=n_reports)


def _searched(near: Near, scale: float, chains: Chains) -> tuple[ChainPoint, float]:
    """Return the most likely point, and how far off it is by the slope there."""
    point = chains.point(most_likely(near, scale, chains))
    slope = posterior_slope(near.likelihood, point, point.statistics, scale)
    return point, near.standard_errors(slope, scale)

"""Which exact orders many people hold, found in ordinary reports of ranks and precedences.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lgamma, log

import numpy as np
from scipy.linalg import block_diag
from scipy.special import ndtri_exp, softmax

from hushrank.arrays import Floats, Orders, Shares
from hushrank.estimators.chains.fit import ChainFit
from hushrank.estimators.goodness_of_fit import GoodnessOfFit
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.rest_and_orders import RestAndOrders, statistics_of_orders
from hushrank.estimators.prior_scale import Prior
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import RankFit
from hushrank.estimators.ranks.point import uniform_point
from hushrank.models.max_entropy.best_orders import best_orders
from hushrank.models.popular_orders import PopularOrders

FALSE_ALARMS = 0.01, 0.5
"""Bounds, by a union over all orders, on chance making a first one look popular, and a further one.

Measured, of the first: 1 in 600 collections. Who hands out one order is seldom alone.
"""
FEWEST_ITEMS = 4
"""The family describes every population of 3 items as it is."""
MOST_ORDERS = 12
LEAST_POPULAR = 0.01
"""The least share of the people that makes an order popular: any smooth law is bent somewhere."""
STIFF = 0.35
"""The largest scale of the prior at which candidates are looked at."""
N_LIKELY, N_TRIED = 32, 3
N_ROUNDS = 2
LEAST_TRIED, MOST_TRIED = 0.02, 0.4
"""Shares with which a search begins."""


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """A model at the scale of the prior that its own reports choose, and how likely it makes them.

    `log_evidence`: the log-probability of the reports, the coefficients being integrated out.
    """

    model: RestAndOrders
    scale: float
    log_evidence: float

    @property
    def n_orders(self) -> int:
        """How many popular orders there are."""
        return len(self.model.popular.shares)

    @property
    def least_share(self) -> float:
        """The share of the least popular order."""
        return float(self.model.popular.shares.min(initial=1.0))

    @property
    def stiff_scale(self) -> float:
        """A scale at which the rest cannot follow an exact order."""
        return min(STIFF, self.scale)


def price_of_an_order(n_items: int, false_alarms: float = FALSE_ALARMS[0]) -> float:
    """Return the gain of log-evidence that an order must bring to be called popular.

    z^2 / 2, z being the normal deviate that chance exceeds with probability `false_alarms` / n!:
    whichever of the n! orders looks best, the family alone brings it there as seldom as stated.
    """
    log_chance = log(false_alarms) - lgamma(n_items + 1)
    return float(ndtri_exp(log_chance)) ** 2 / 2


@dataclass(frozen=True, eq=False, repr=False)
class FoundOrders:
    """Popular orders, the fit of the rest beside them, and what both say of everybody.

    `popular`: the orders with their shares, the most popular first. share_errors (orders,) and
    share_error = standard errors of the share of each and of all together. `goodness`: of
    `reports`, which are those of everybody, to both together. exact (orders,): how likely it is
    just this order that people hold, and no other near it; None where that is not known.
    """

    popular: PopularOrders
    share_errors: Shares
    share_error: float
    fit: RankFit | ChainFit
    estimates: RankEstimates
    goodness: GoodnessOfFit
    reports: ReportLikelihood
    exact: Shares | None = None


def find_orders(likelihood: ReportLikelihood, fit: RankFit, *, prior: Prior) -> FoundOrders | None:
    """Add orders to a fit while each brings more than its price; return None if there is none.

    Privacy: post-processing, costs nothing.   Cost: about one search of `fit_ranks` where nothing
    is found, half a dozen for each order.
    """
    if likelihood.n_items < FEWEST_ITEMS:
        return None
    start = RestAndOrders(likelihood, fit.point, no_orders(likelihood.n_items))
    wide = replace(start, rest=fit.wide.point)
    smooth = max(start.log_evidence(fit.scale), wide.log_evidence(fit.wide_scale))
    best = Judged(start, fit.scale, smooth)
    while best.n_orders < MOST_ORDERS:
        price = price_of_an_order(likelihood.n_items, FALSE_ALARMS[best.n_orders > 0])
        bolder = _with_one_more(best, prior, price)
        if bolder is None or bolder.least_share < LEAST_POPULAR:
            break
        if bolder.log_evidence - best.log_evidence <= price:
            break
        best = _with_exchanges(bolder, prior)
    return _concluded(best) if best.n_orders else None


def no_orders(n_items: int) -> PopularOrders:
    """Return popular orders where there are none."""
    return PopularOrders(np.zeros((0, n_items), dtype=np.intp), np.zeros(0))


def _with_one_more(found: Judged, prior: Prior, least: float) -> Judged | None:
    """Return the best model with one order more, or None where no order promises `least`."""
    stiff, orders, gains, shares = _promising(found)
    gains = np.where(shares >= LEAST_POPULAR, gains, 0.0)
    if gains.max(initial=0.0) <= least:
        return None
    tried = np.argsort(-gains, kind="stable")[:N_TRIED]
    each = (
        stiff.with_order(orders[i], float(np.clip(shares[i], LEAST_TRIED, MOST_TRIED)))
        for i in tried
    )
    scale = found.stiff_scale
    best = max((one.most_likely(scale) for one in each), key=lambda one: one.log_posterior(scale))
    return _judged(best, prior)


def _promising(found: Judged) -> tuple[RestAndOrders, Orders, Floats, Floats]:
    """Return a stiff model, candidates (orders, items), what each would gain, and with which share.

    Stiff: its rest cannot have taken the people of a popular order that is not found yet.
    """
    scale = found.stiff_scale
    uniform = uniform_point(found.model.likelihood.n_items)
    stiff = replace(found.model, rest=uniform).most_likely(scale)
    orders = _likely_orders(found.model, stiff)
    return stiff, orders, *stiff.gains(orders, scale)


def _with_exchanges(found: Judged, prior: Prior) -> Judged:
    """Put another order in the place of each, in turn, where that is more likely."""
    for order in found.model.popular.orders:
        others = replace(found, model=found.model.without_order(order))
        left_out = others.n_orders < found.n_orders
        other = _with_one_more(others, prior, 0.0) if left_out else None
        if other is not None and other.log_evidence > found.log_evidence:
            found = other
    return found


def _judged(model: RestAndOrders, prior: Prior) -> Judged:
    """Let the reports choose the scale, and search again, in turn."""
    scale = STIFF
    for _ in range(N_ROUNDS):
        scale = model.near.evidence.point_scale(prior)
        model = model.most_likely(scale)
    return Judged(model, scale, model.log_evidence(scale))


def _concluded(judged: Judged) -> FoundOrders:
    """Judge errors as `fit_ranks` does: of a second fit, with a prior wide enough for errors."""
    judged = replace(judged, model=judged.model.most_popular_first())
    model = judged.model
    scale = model.near.evidence.interval_scale()
    wide = model.most_likely(scale)
    n_coefficients = len(model.rest.coefficients)
    of_shares = model.covariance(scale)[n_coefficients:, n_coefficients:]
    others = [_alternatives(judged, order) for order in model.popular.orders]
    return FoundOrders(
        model.popular,
        np.sqrt(np.diag(of_shares)),
        float(np.sqrt(of_shares.sum())),
        RankFit(model.rest, judged.scale, wide.near, scale),
        _estimates(others, wide, scale),
        GoodnessOfFit.of(wide.likelihood, wide.statistics, wide.n_fitted(scale)),
        wide.likelihood,
        np.array([each.exact for each in others]),
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Others:
    """What other orders in the place of one would move: the mean (statistics,) over their chances.

    deviations (orders, statistics) from it, times roots of chances. exact: the order's own chance.
    """

    mean: Floats
    deviations: Floats
    exact: float


def _estimates(others: Sequence[_Others], wide: RestAndOrders, scale: float) -> RankEstimates:
    """Return what is known of everybody, as far as it is known which orders are popular.

    What another order in the place of one would move, with the root of its chance, is one more
    parameter of variance 1.
    """
    statistics, changes, covariance = wide.statistics, wide.changes, wide.covariance(scale)
    statistics = statistics + sum(each.mean for each in others)
    moved = np.concatenate([each.deviations for each in others])
    return RankEstimates.linear(
        wide.likelihood.n_items,
        statistics,
        np.concatenate([changes, moved]),
        block_diag(covariance, np.eye(len(moved))),
    )


def _alternatives(judged: Judged, order: Orders) -> _Others:
    """Return how far the statistics would move if another order were in the place of one.

    Chances are those of the reports if each order were as likely before, beside a stiff rest.
    """
    is_it = (judged.model.popular.orders == order).all(axis=1)
    share = float(judged.model.popular.shares[is_it].sum())
    others = replace(judged, model=judged.model.without_order(order))
    stiff, orders, *_ = _promising(others)
    orders = np.unique(np.concatenate([orders, order[None]]), axis=0)
    chances = softmax(stiff.gains(orders, others.stiff_scale)[0])
    moved = share * (statistics_of_orders(orders) - statistics_of_orders(order[None]))
    mean = chances @ moved
    exact = float(chances[(orders == order).all(axis=1)].sum())
    return _Others(mean, np.sqrt(chances)[:, None] * (moved - mean), exact)


def _likely_orders(model: RestAndOrders, stiff: RestAndOrders) -> Orders:
    """Return the orders (orders, items) which either rest likes most, or the reports miss most.

    Those that are popular already are no candidates.
    """
    likely = [
        best_orders(*potentials, N_LIKELY)
        for each in (model, stiff)
        for potentials in ((each.rest.model.own, each.rest.model.before), _slopes(each))
    ]
    orders = np.unique(np.concatenate([*likely, model.popular.orders]), axis=0)
    is_held = (orders[:, None] == model.popular.orders).all(axis=2).any(axis=1)
    new: Orders = orders[~is_held]
    return new


def _slopes(model: RestAndOrders) -> tuple[Floats, Floats]:
    """Return how the log-likelihood moves with P(rank) and P(rank and precedence).

    Summed along an order, that is what a small share of it would gain.
    """
    n = model.likelihood.n_items
    slopes = model.likelihood.slopes(model.statistics)
    return slopes[: n**2].reshape(n, n), slopes[n**2 :].reshape(n, n, n)

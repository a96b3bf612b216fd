"""Which exact orders many people hold, where the chains of many items do not settle without them.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Orders, Shares
from hushrank.estimators.chains.estimates import chain_estimates
from hushrank.estimators.chains.fit import ChainFit, fit_by_chains, fit_vaguely
from hushrank.estimators.chains.point import ChainPoint
from hushrank.estimators.goodness_of_fit import GoodnessOfFit, n_fitted_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.estimates import beside, with_popular
from hushrank.estimators.popular.in_ordinary_reports import (
    LEAST_POPULAR,
    LEAST_TRIED,
    MOST_ORDERS,
    STIFF,
    FoundOrders,
    no_orders,
    price_of_an_order,
)
from hushrank.estimators.popular.rest_and_orders import MOST_ODDS, statistics_of_orders
from hushrank.estimators.prior_scale import Prior
from hushrank.models.max_entropy.tempered_draws import cooled_orders
from hushrank.models.popular_orders import PopularOrders

N_LIKELY = 16
SEED = 4
"""The coins of a search are public, and always the same: what is found hangs on the tallies."""


@dataclass(frozen=True, eq=False, repr=False)
class OrdersBeside:
    """Popular orders beside a rest that stays as it is: reports of everybody, shares to be found.

    The rest is known by draws from it, as statistics (statistics,).
    """

    likelihood: ReportLikelihood
    rest: Floats
    popular: PopularOrders

    @property
    def statistics(self) -> Floats:
        """The statistics of everybody: (statistics,)."""
        popular = self.popular
        everybody: Floats = (1 - popular.share) * self.rest
        return everybody + popular.shares @ statistics_of_orders(popular.orders)

    @cached_property
    def log_likelihood(self) -> float:
        """The log-probability of the reports."""
        return self.likelihood.log_likelihood(self.statistics)

    @property
    def least_share(self) -> float:
        """The share of the least popular order."""
        return float(self.popular.shares.min(initial=1.0))

    def candidates(self) -> Orders:
        """Return new orders (orders, items) of which a small share would make reports likelier."""
        n, rng = self.likelihood.n_items, np.random.default_rng(SEED)
        slopes = self.likelihood.slopes(self.statistics)
        potentials = slopes[: n**2].reshape(n, n), slopes[n**2 :].reshape(n, n, n)
        orders = cooled_orders(*potentials, N_LIKELY, rng=rng)
        is_held = (orders[:, None] == self.popular.orders).all(axis=2).any(axis=1)
        new: Orders = orders[~is_held]
        return new

    def with_one_more(self) -> "OrdersBeside":
        """Return the likeliest model with one order more; this one, where there is none."""
        each = (self._with_order(order) for order in self.candidates())
        return max(each, key=_log_likelihood, default=self)

    def with_exchanges(self) -> "OrdersBeside":
        """Look for as many orders anew, for another in the place of each, and for exchanged ends.

        Beside the same rest, which does not explain what an order does that it was fitted beside:
        orders that were first found may be near to those that are held, these be the next.
        """
        anew = self._without(np.ones(len(self.popular.shares), dtype=np.bool_))
        for _ in self.popular.shares:
            anew = anew.with_one_more()
        best = max(self, anew, key=_log_likelihood)
        for order in best.popular.orders:
            others = best._without((best.popular.orders == order).all(axis=1))
            best = max(best, others.with_one_more(), key=_log_likelihood)
        return best._with_ends_exchanged()

    def with_rest(self, rest: ChainPoint) -> "OrdersBeside":
        """Return the same orders beside another rest, with the shares that are likeliest there."""
        return replace(self, rest=rest.statistics).with_best_shares()

    def with_best_shares(self) -> "OrdersBeside":
        """Return the same orders and rest, with the likeliest shares: by odds against the rest."""
        if not len(self.popular.shares):
            return self
        from scipy.optimize import minimize  # slow to load

        start = self.popular.shares / (1 - self.popular.share)
        bounds = [(0.0, MOST_ODDS)] * len(start)
        found = minimize(self._loss, start, method="L-BFGS-B", jac=True, bounds=bounds)
        shares = found.x / (1 + found.x.sum())
        return replace(self, popular=PopularOrders(self.popular.orders, shares))

    def share_covariance(self, fit: ChainFit) -> Floats:
        """Return the covariance (orders, orders) of the shares, a fitted rest moving along."""
        near, left = fit.wide, 1 - self.popular.share
        roots = near.likelihood.roots(near.point.statistics)[:, None]
        of_shares = self._apart.T * roots / left
        of_rest = near.point.changes_of(near.likelihood.weights) * roots
        shared = of_rest.T @ of_shares
        told = of_shares.T @ of_shares - shared.T @ near.covariance(fit.wide_scale) @ shared
        covariance: Floats = np.linalg.pinv(told).astype(np.float64)
        return covariance

    def _with_ends_exchanged(self) -> "OrdersBeside":
        """Exchange the ends of two orders that begin with the same items, where that is likelier.

        Reports on two items at once hardly tell who begins in one way and ends in another.
        """
        best = self
        for one, other in combinations(range(len(self.popular.shares)), 2):
            for place in _common_beginnings(*best.popular.orders[[one, other]]):
                orders = best.popular.orders.copy()
                orders[[one, other], place:] = orders[[other, one], place:]
                crossed = replace(best, popular=PopularOrders(orders, best.popular.shares))
                best = max(best, crossed.with_best_shares(), key=_log_likelihood)
        return best

    def _without(self, is_left_out: NDArray[np.bool_]) -> "OrdersBeside":
        """Return the same model without some orders (orders,): all others take their people."""
        kept = ~is_left_out
        left = 1 - self.popular.shares[is_left_out].sum()
        popular = PopularOrders(self.popular.orders[kept], self.popular.shares[kept] / left)
        return replace(self, popular=popular)

    def _with_order(self, order: Orders) -> "OrdersBeside":
        orders = np.vstack([self.popular.orders, order[None]]).astype(np.intp)
        shares = np.append(self.popular.shares * (1 - LEAST_TRIED), LEAST_TRIED)
        return replace(self, popular=PopularOrders(orders, shares)).with_best_shares()

    def _loss(self, odds: Shares) -> tuple[float, Floats]:
        """Return what a report is unlikely by, on average, and its slope by the odds."""
        likelihood, total = self.likelihood, 1 + odds.sum()
        shares = self._of_rest + odds @ self._apart / total
        chances = likelihood.floors + likelihood.gaps * np.maximum(shares, 0.0)
        by_cell = likelihood.counts * likelihood.gaps / chances
        moved = (self._apart - odds @ self._apart / total) / total
        n_reports = likelihood.counts.sum()
        lost = likelihood.counts @ np.log(chances)
        return -float(lost) / n_reports, -(moved @ by_cell) / n_reports

    @cached_property
    def _of_rest(self) -> Floats:
        cells: Floats = self.likelihood.weights @ self.rest
        return cells

    @cached_property
    def _apart(self) -> Floats:
        """What each order has more than the rest of each cell: (orders, cells)."""
        cells: Floats = (self.likelihood.weights @ statistics_of_orders(self.popular.orders).T).T
        return cells - self._of_rest


def _common_beginnings(one: Orders, other: Orders) -> list[int]:
    """Return the places before which two different orders (items,) have the same items."""
    begun = (
        (len(set(one[:place]) | set(other[:place])), place) for place in range(2, len(one) - 1)
    )
    return [place for n_begun, place in begun if n_begun == place]


def _log_likelihood(model: OrdersBeside) -> float:
    return model.log_likelihood


def find_orders_by_chains(
    likelihood: ReportLikelihood, fit: ChainFit, *, prior: Prior
) -> FoundOrders | None:
    """Look for orders beside a stiff rest, and fit the rest anew; None where that explains less.

    For a fit that did not settle. An order must bring its price beside the rest, and all together
    theirs beyond the smooth fit.
    Privacy: post-processing, costs nothing.   Cost: two searches for each order, and a fit.
    """
    price = price_of_an_order(likelihood.n_items)
    found = _search(likelihood, prior, price)
    n_orders = len(found.popular.shares)
    if not n_orders:
        return None
    found, rest = _fitted(found, prior)
    better = found.with_exchanges()
    if better is not found:
        found, rest = _fitted(better, prior)
    smooth = likelihood.log_likelihood(fit.point.statistics)
    if found.log_likelihood - smooth <= n_orders * price:
        return None
    return _concluded(found, rest)


def _fitted(found: OrdersBeside, prior: Prior) -> tuple[OrdersBeside, ChainFit]:
    """Return the same orders beside a rest that is fitted to all reports beside them."""
    rest = fit_by_chains(beside(found.likelihood, found.popular), prior=prior)
    return found.with_rest(rest.point), rest


def _search(likelihood: ReportLikelihood, prior: Prior, price: float) -> OrdersBeside:
    """Add orders while each brings its price beside a vague rest; exchange them for likelier."""
    found = _beside_vague(likelihood, no_orders(likelihood.n_items), prior)
    while len(found.popular.shares) < MOST_ORDERS:
        bolder = found.with_one_more()
        gain = bolder.log_likelihood - found.log_likelihood
        if gain <= price or bolder.least_share < LEAST_POPULAR:
            break
        found = _beside_vague(likelihood, bolder.popular, prior).with_exchanges()
    return found


def _beside_vague(
    likelihood: ReportLikelihood, popular: PopularOrders, prior: Prior
) -> OrdersBeside:
    """Return these orders beside a rest that cannot follow one."""
    rest = fit_vaguely(beside(likelihood, popular), prior=prior, most_scale=STIFF)
    return OrdersBeside(likelihood, rest.statistics, popular).with_best_shares()


def _concluded(found: OrdersBeside, rest: ChainFit) -> FoundOrders:
    """Say how sure everything is: shares and the rest as if independent."""
    at = np.argsort(-found.popular.shares, kind="stable")
    popular = PopularOrders(found.popular.orders[at], found.popular.shares[at])
    found = replace(found, popular=popular)
    covariance = found.share_covariance(rest)
    errors = np.sqrt(np.diag(covariance))
    wide = replace(found, rest=rest.wide.point.statistics)
    n_fitted = n_fitted_of(rest) + len(errors)
    return FoundOrders(
        popular,
        errors,
        float(np.sqrt(covariance.sum())),
        rest,
        with_popular(chain_estimates(rest), popular, errors),
        GoodnessOfFit.of(found.likelihood, wide.statistics, n_fitted),
        found.likelihood,
    )

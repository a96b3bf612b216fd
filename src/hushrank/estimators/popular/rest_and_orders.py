"""A smooth rest and a few exact orders beside it, as one model of tallied reports.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from hushrank.arrays import Floats, Orders
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.estimates import beside
from hushrank.estimators.ranks.fit import PRECISION, Parabola, covariance_of
from hushrank.estimators.ranks.point import RankPoint
from hushrank.models.popular_orders import PopularOrders

LEAST_SHARE = 1e-4
"""Below it an order is left out."""
MOST_STEPS = 300
MOST_ODDS = 99.0
TINY = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class RestAndOrders:
    """P(order) = share of the order, if it is popular, + (1 - all their shares) P_rest(order).

    `likelihood` of the reports of everybody. Both parts are to be found: the coefficients of the
    rest, which have the prior of the family, and the shares, which have none.
    """

    likelihood: ReportLikelihood
    rest: RankPoint
    popular: PopularOrders

    @cached_property
    def statistics(self) -> Floats:
        """The statistics of everybody: (statistics,)."""
        popular = self.popular
        everybody: Floats = (1 - popular.share) * self.rest.statistics
        return everybody + popular.shares @ statistics_of_orders(popular.orders)

    @cached_property
    def changes(self) -> Floats:
        """The derivatives of the statistics by coefficients and shares: (parameters, statistics).

        A share grows at the cost of the rest.
        """
        of_shares = statistics_of_orders(self.popular.orders) - self.rest.statistics
        return np.vstack([(1 - self.popular.share) * self.rest.changes, of_shares])

    @cached_property
    def near(self) -> Parabola:
        """The likelihood of the rest alone, the popular orders being as they are."""
        return Parabola(beside(self.likelihood, self.popular), self.rest)

    @cached_property
    def information(self) -> Floats:
        """The expected Fisher information of the reports (parameters, parameters)."""
        return self.likelihood.information(self.statistics, self.changes)

    def n_fitted(self, scale: float) -> float:
        """Return how many parameters the reports decide: one that the prior holds back, in part."""
        return float((self.covariance(scale) * self.information).sum())

    def precision(self, scale: float) -> Floats:
        """Return the inverse covariance (parameters, parameters), given the reports."""
        precision = self.information.copy()
        n_coefficients = len(self.rest.coefficients)
        prior = self.rest.features.prior_precision / scale**2
        precision[:n_coefficients, :n_coefficients] += prior
        of_shares = np.arange(n_coefficients, len(precision))
        precision[of_shares, of_shares] *= 1 + TINY  # orders that nothing asked tells apart
        return precision

    def covariance(self, scale: float) -> Floats:
        """Return the covariance (parameters, parameters) of what is found at this scale."""
        return covariance_of(self.precision(scale))

    def gains(self, orders: Orders, scale: float) -> tuple[Floats, Floats]:
        """Return what each order (orders,) would gain of log-likelihood, and with which share.

        By the parabola here, which holds for small steps; coefficients and other shares move along.
        """
        pulls = np.maximum(self.added_by(orders) @ self.likelihood.slopes(self.statistics), 0.0)
        told = self.told_of(orders, scale)
        return pulls**2 / (2 * told), pulls / told

    def told_of(self, orders: Orders, scale: float) -> Floats:
        """Return what the reports tell of each order's share (orders,), all else moving along."""
        told, shared = self._told_by_cell(orders), self.shared_with(orders)
        explained = (shared * np.linalg.solve(self.precision(scale), shared)).sum(axis=0)
        alone: Floats = np.maximum((told**2).sum(axis=0) - explained, TINY)
        return alone

    def added_by(self, orders: Orders) -> Floats:
        """Return how a small share of each order moves the statistics (orders, statistics)."""
        return statistics_of_orders(orders) - self.statistics

    def shared_with(self, orders: Orders) -> Floats:
        """Return the information that parameters share with an order's (parameters, orders)."""
        roots = self.likelihood.roots(self.statistics)[:, None]
        shared: Floats = ((self.likelihood.weights @ self.changes.T) * roots).T
        return shared @ self._told_by_cell(orders)

    def missed_of(self, orders: Orders, scale: float) -> Floats:
        """Return what a small share of each order moves, less what the parameters take up of it.

        In parts of the share: (orders, statistics).
        """
        taken_up = np.linalg.solve(self.precision(scale), self.shared_with(orders))
        missed: Floats = self.added_by(orders) - taken_up.T @ self.changes
        return missed

    def _told_by_cell(self, orders: Orders) -> Floats:
        roots = self.likelihood.roots(self.statistics)[:, None]
        told: Floats = (self.likelihood.weights @ self.added_by(orders).T) * roots
        return told

    def with_order(self, order: Orders, share: float) -> "RestAndOrders":
        """Return the same model, of which one order takes a share."""
        orders = np.vstack([self.popular.orders, [order]]).astype(np.intp)
        shares = np.append(self.popular.shares * (1 - share), share)
        return replace(self, popular=PopularOrders(orders, shares))

    def without_order(self, order: Orders) -> "RestAndOrders":
        """Return the same model, an order's people being left to all others."""
        kept = (self.popular.orders != order).any(axis=1)
        left = 1 - self.popular.shares[~kept].sum()
        popular = PopularOrders(self.popular.orders[kept], self.popular.shares[kept] / left)
        return replace(self, popular=popular)

    def log_posterior(self, scale: float) -> float:
        """Return the log-probability of reports and coefficients, without a constant."""
        coefficients = self.rest.coefficients
        drawn_back = self.rest.features.prior_precision @ coefficients / scale**2
        likelihood = self.likelihood.log_likelihood(self.statistics)
        return float(likelihood - coefficients @ drawn_back / 2)

    def log_evidence(self, scale: float) -> float:
        """Return the log-probability of the reports, by the parabola here; shares as they are."""
        here = self.likelihood.log_likelihood(self.statistics)
        return here + self.near.evidence_beyond(scale)

    def most_likely(self, scale: float) -> "RestAndOrders":
        """Return the most likely model under the prior at this scale that a search from here finds.

        By L-BFGS over coefficients, in coordinates in which the parabola of the rest is round, and
        odds of the popular orders against the rest, which are at least 0.
        """
        lower: Floats = cholesky(self.near.precision(scale), lower=True)
        start = np.append(lower.T @ self.rest.coefficients, self._odds / self._unit)

        def loss(place: Floats) -> tuple[float, Floats]:
            at = self._at(place, lower)
            return -at.log_posterior(scale), -at._slopes(scale, lower)

        from scipy.optimize import minimize  # costs half a second, which only a fit should pay

        n_coefficients = len(lower)
        bounds = [(-inf, inf)] * n_coefficients
        bounds += [(0.0, MOST_ODDS / self._unit)] * (len(start) - n_coefficients)
        options: Any = {"ftol": PRECISION, "gtol": 0.0, "maxiter": MOST_STEPS}
        found = minimize(loss, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options)
        return self._at(found.x, lower)._without_the_least()

    def most_popular_first(self) -> "RestAndOrders":
        """Return the same model, its popular orders by their shares."""
        numbers = np.argsort(-self.popular.shares, kind="stable")
        popular = PopularOrders(self.popular.orders[numbers], self.popular.shares[numbers])
        return replace(self, popular=popular)

    @property
    def _odds(self) -> Floats:
        return self.popular.shares / (1 - self.popular.share)

    @property
    def _unit(self) -> float:
        """About how exactly the reports tell a share: steps of a search should be alike."""
        return float(1 / np.sqrt(1 + self.likelihood.counts.sum() / 20))

    def _at(self, place: Floats, lower: Floats) -> "RestAndOrders":
        round_coefficients, odds = place[: len(lower)], place[len(lower) :] * self._unit
        coefficients = solve_triangular(lower, round_coefficients, lower=True, trans="T")
        popular = PopularOrders(self.popular.orders, odds / (1 + odds.sum()))
        return replace(self, rest=replace(self.rest, coefficients=coefficients), popular=popular)

    def _slopes(self, scale: float, lower: Floats) -> Floats:
        """Return the derivatives of `log_posterior` by the coordinates of the search."""
        left, slopes = 1 - self.popular.share, self.likelihood.slopes(self.statistics)
        prior = self.rest.features.prior_precision @ self.rest.coefficients / scale**2
        of_rest = solve_triangular(lower, self.rest.gradient(slopes * left) - prior, lower=True)
        apart = statistics_of_orders(self.popular.orders) - self.statistics
        return np.append(of_rest, left * (apart @ slopes) * self._unit)

    def _without_the_least(self) -> "RestAndOrders":
        held = self.popular.shares >= LEAST_SHARE
        popular = PopularOrders(self.popular.orders[held], self.popular.shares[held])
        return replace(self, popular=popular)


def statistics_of_orders(orders: Orders) -> Floats:
    """Return the statistics (orders, statistics) of people who all hold one order, for each."""
    n_orders, n_items = orders.shape
    alone = PopularOrders(orders, np.zeros(n_orders))
    at, preceded = alone.each_marginals
    return np.hstack([at.reshape(n_orders, n_items**2), preceded.reshape(n_orders, n_items**3)])

"""How popular an exact order may be and still go unseen, and what it would do to stated errors.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass

import numpy as np

from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.in_ordinary_reports import (
    FALSE_ALARMS,
    FEWEST_ITEMS,
    STIFF,
    FoundOrders,
    no_orders,
    price_of_an_order,
)
from hushrank.estimators.popular.rest_and_orders import RestAndOrders
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import RankFit

N_ORDERS = 60
"""Drawn with fixed coins, equally likely: what is said is typical of an order."""
SEED = 4
FOUND_BY_HALF = 1.5
"""How many times the share that is worth its price at the model without orders is found by half of
collections: measured with 5 to 8 items, because the rest has bent itself around the order.
"""


@dataclass(frozen=True)
class UnseenOrder:
    """The share of an order that half of such collections find, and what missing one would mean.

    errors: how many times as large errors are if they count on an order whose share is worth the
    price: in the mean of rank shares.
    """

    share: float
    errors: float


def unseen_order(
    fit: RankFit, found: FoundOrders | None, stated: RankEstimates
) -> UnseenOrder | None:
    """Return what the search for popular orders is too weak to see; None where it is not made.

        worth = sqrt(2 price / k)      k = what reports tell of an order's share, beside the rest

    The median over orders. Where orders are found, it is about one more, whose price is lower.
    """
    reports = fit.wide.likelihood if found is None else found.reports
    n_items = fit.point.features.n_items
    if n_items < FEWEST_ITEMS or not isinstance(reports, ReportLikelihood):
        return None
    popular = no_orders(n_items) if found is None else found.popular
    rng = np.random.default_rng(SEED)
    orders = np.array([rng.permutation(n_items) for _ in range(N_ORDERS)])
    told = RestAndOrders(reports, fit.point, popular).told_of(orders, min(STIFF, fit.scale))
    price = price_of_an_order(n_items, FALSE_ALARMS[found is not None])
    worth = float(np.median(np.sqrt(2 * price / told)))
    wide = RestAndOrders(reports, fit.wide.point, popular)
    missed = min(1.0, worth) * wide.missed_of(orders, fit.wide_scale)[:, : n_items**2]
    variances = stated.at_errors.ravel() ** 2
    errors = np.sqrt(variances + (missed**2).mean(axis=0)).mean() / np.sqrt(variances).mean()
    return UnseenOrder(min(1.0, FOUND_BY_HALF * worth), float(errors))

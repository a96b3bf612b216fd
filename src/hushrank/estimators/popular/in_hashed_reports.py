"""Which exact orders many people hold, beyond what a smooth model foretells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, ndtr

from hushrank.arrays import Categories, Floats, Shares
from hushrank.estimators.popular.candidate_orders import MOST_ITEMS_LISTED, support_at
from hushrank.estimators.popular.hash_supports import CellNumbers, HashedReports
from hushrank.estimators.ranks.fit import RankFit
from hushrank.models.popular_orders import PopularOrders, RanksModel
from hushrank.rankings.coding import inverse, lexicographic_index, orders_at

EXTRA_DEVIATE = 0.5
MOST_POPULAR = 30
MOST_SHARE = 0.99  # some people are always left for the rest
MARGIN_OF_FINALISTS = 1.5
N_DRAWS_OF_THE_REST = 2**14
N_SETTLING = 20
MOST_FINALISTS = 2**14  # a few reports support millions of orders of 16 items, once each


@dataclass(frozen=True, eq=False, repr=False)
class Foretold:
    """What a model of the rest says of the finalists (finalists,) and of the hash functions.

    `not_drawn` = by how much the shares exceed those among the orders that stand for the model,
    which in_buckets (functions, buckets) counts.
    """

    shares: Shares
    not_drawn: Shares
    in_buckets: Floats


@dataclass(frozen=True, eq=False, repr=False)
class PopularSearch:
    """The reports on whole orders, and the candidates worth a closer look (finalists,).

    `support` = how many reports support each; `level` = the false alarms allowed of a candidate.
    """

    n_items: int
    reports: HashedReports
    finalists: Categories
    support: Floats
    level: float

    @classmethod
    def among(
        cls, candidates: Sequence[range], reports: HashedReports, n_items: int
    ) -> "PopularSearch":
        """Look at all candidates once."""
        n_candidates = max(2, sum(map(len, candidates)))
        deviate = sqrt(2 * log(n_candidates)) + EXTRA_DEVIATE
        least = support_at(reports, deviate - MARGIN_OF_FINALISTS)
        finalists, support = reports.supported(candidates, least)
        best = np.sort(np.argsort(-support, kind="stable")[:MOST_FINALISTS])
        return cls(n_items, reports, finalists[best], support[best], float(ndtr(-deviate)))

    def popular(self, shares: Shares) -> PopularOrders:
        """Return the finalists that have a share (finalists,), the most popular first."""
        held = self._held(shares)
        return PopularOrders(orders_at(self.finalists[held], self.n_items), shares[held])

    def _held(self, shares: Shares) -> NDArray[np.intp]:
        return np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)]

    def nothing(self) -> Shares:
        """Return the shares (finalists,) before anything is found: none."""
        return np.zeros(len(self.finalists))

    def boldest(self) -> Shares:
        """Return the shares (finalists,) where the order of most support is all there is to find.

        A search that begins without it may miss it; of more than 7 items it stands out: nothing.
        """
        shares = self.nothing()
        if len(shares) and self.n_items <= MOST_ITEMS_LISTED:
            boldest = self.support.argmax()
            excess = self.support[boldest] / self.reports.n_reports - self.reports.false_support
            shares[boldest] = excess / self.reports.gap
        return _possible(shares)

    def log_evidence(self, shares: Shares, fit: RankFit) -> float:
        """Return the log-probability of all reports, less a price for each popular order.

        The price is that of the false alarm which `improved` allows.
        """
        buckets = self.reports.in_buckets(self._cells, shares)
        buckets += (1 - shares.sum()) * self._foretold(fit.point.model).in_buckets
        price = np.count_nonzero(shares) * log(self.level)
        return fit.log_evidence + self.reports.log_likelihood(buckets) + price

    def improved(self, shares: Shares, rest: RanksModel) -> Shares:
        """Return the shares (finalists,) of the orders that are popular beside the model `rest`.

        Each is the excess of its support over what the rest and the other popular orders explain,
        if chance alone would give that much to an order with probability `level` at most. The first
        ones also get what the rest, which was fitted without them, has taken of them.
        """
        if not len(self.finalists):
            return shares
        foretold = self._foretold(rest)
        settled = self._settled(shares, foretold)
        n_people, unheld = self.reports.n_reports, self._unheld(settled, foretold)
        is_popular = bdtrc(self.support - 1, round(n_people), unheld / n_people) <= self.level
        excess = (self.support - unheld) / self._support_of_all
        taken = np.where(shares.any(), 0.0, foretold.shares)
        return _possible(np.where(is_popular, excess + taken, 0.0))

    def _settled(self, shares: Shares, rest: "Foretold") -> Shares:
        """Return the shares at which those held and the rest together explain the support.

        The rest has the people whom the orders held leave over, of its share beside them.
        """
        held = shares > 0
        for _ in range(N_SETTLING if held.any() else 0):
            excess = (self.support - self._unheld(shares, rest)) / self._support_of_all
            total = np.where(held, excess + rest.shares * (1 - shares.sum()), 0.0)
            beside_them = max(1 - rest.shares[held].sum(), 1 - MOST_SHARE)
            rest_share = max(0.0, 1 - total.sum()) / beside_them
            shares = _possible(np.where(held, total - rest_share * rest.shares, 0.0))
        return shares

    def _unheld(self, shares: Shares, rest: "Foretold") -> Floats:
        """Return the support that each finalist should have if it alone were not popular."""
        rest_share = 1 - shares.sum()
        in_buckets = self.reports.in_buckets(self._cells, shares) + rest_share * rest.in_buckets
        expected = self.reports.expected_support(self._cells, in_buckets)
        others: Floats = (rest_share * rest.not_drawn - shares) * self._support_of_all
        return expected + others

    def _foretold(self, rest: RanksModel) -> "Foretold":
        numbers, weights = orders_of(rest)
        shares = np.exp(rest.log_probability(orders_at(self.finalists, self.n_items)))
        in_buckets = self.reports.in_buckets(self.reports.cells(numbers), weights)
        return Foretold(shares, shares - _weight_of(self.finalists, numbers, weights), in_buckets)

    @property
    def _support_of_all(self) -> float:
        """How much more support an order has if everybody holds it than if nobody does."""
        return self.reports.n_reports * self.reports.gap

    def errors(self, shares: Shares) -> tuple[Shares, float]:
        """Return the standard errors of the shares of `popular(shares)`, and of their sum.

            s (1 - s) / (n gap^2)       s = false support + share gap

        People are drawn at random, too: two shares have the covariance -share share' / n.
        """
        reports, held = self.reports, shares[self._held(shares)]
        if not len(held):
            return held, 0.0
        supported = reports.false_support + held * reports.gap
        variances = supported * (1 - supported) / (reports.n_reports * reports.gap**2)
        covariances = (held.sum() ** 2 - (held**2).sum()) / reports.n_reports
        return np.sqrt(variances), sqrt(max(0.0, variances.sum() - covariances))

    @cached_property
    def _cells(self) -> CellNumbers:
        return self.reports.cells(self.finalists)


def orders_of(rest: RanksModel) -> tuple[Categories, Shares]:
    """Return orders' lexicographic numbers and weights that stand for a model.

    All orders with their probabilities; of more than 7 items, draws: always the same ones, and only
    what falls into a bucket beside an order is taken from them.
    """
    n_items = rest.n_items
    if n_items <= MOST_ITEMS_LISTED:
        numbers = np.arange(factorial(n_items))
        return numbers, np.exp(rest.log_probability(orders_at(numbers, n_items)))
    ranks = rest.sample(N_DRAWS_OF_THE_REST, rng=np.random.default_rng(0))
    numbers = lexicographic_index(inverse(ranks))
    return numbers, np.full(len(numbers), 1 / len(numbers))


def _possible(excess: Shares) -> Shares:
    """Return the largest of the excesses, brought below 1 in all."""
    shares = np.maximum(excess, 0.0)
    shares[np.argsort(-shares, kind="stable")[MOST_POPULAR:]] = 0.0
    possible: Shares = shares * min(1.0, MOST_SHARE / max(shares.sum(), MOST_SHARE))
    return possible


def _weight_of(wanted: Categories, numbers: Categories, weights: Shares) -> Shares:
    """Return the total weight (wanted,) of each wanted number."""
    order = np.argsort(numbers, kind="stable")
    ends = np.concatenate([[0.0], weights[order].cumsum()])
    low, high = (numbers[order].searchsorted(wanted, side=side) for side in ("left", "right"))
    found: Shares = ends[high] - ends[low]
    return found

"""The Mallows model: orders become rarer with every pair they turn round against a centre."""

from dataclasses import dataclass
from math import inf, log

import numpy as np

from hushrank.arrays import Counts, Order, Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.categories import sample_categories
from hushrank.models.ranking_model import require_orders
from hushrank.rankings.coding import inverse, rank_type
from hushrank.rankings.distances import improved_order, kendall_cost, kendall_distances
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

PEOPLE_AT_ONCE = 2**15  # a column of ranks, and the coins for it, stay in the cache


@dataclass(frozen=True, repr=False)
class Mallows:
    """P(order) = dispersion^d / Z, where d is the Kendall tau distance to the centre, in pairs.

        Z = prod_i (1 + φ + ... + φ^(i-1)), i = 1..items       φ = dispersion = e^-theta

    Dispersion 0 is the centre alone, 1 the uniform distribution.
    Source: Mallows (Biometrika 1957), φ model; Doignon, Pekeč, Regenwetter (Psychometrika 2004).
    """

    centre: Order
    dispersion: float

    def __post_init__(self) -> None:
        """Check that the centre is an order and the dispersion in [0, 1]."""
        is_order = sorted(self.centre) == list(range(len(self.centre))) and self.centre
        require(is_order, f"expected each item 0..{len(self.centre) - 1} once in the centre")
        is_rate = 0 <= self.dispersion <= 1
        require(is_rate, f"expected a dispersion of 0 to 1, got {self.dispersion}")

    @classmethod
    def fit(cls, rankings: Rankings, *, centre: Order | None = None) -> "Mallows":
        """Maximise the likelihood of complete strict rankings, around `centre` if it is given.

        Without it, the centre is the Borda order, improved by moving single items while that lowers
        the total distance: often the Kemeny order, which is the exact maximum, but not always.
        The dispersion then is exact: it makes the expected distance equal the mean distance, or is
        1 where the rankings lie further from the centre than uniform ones.
        Raises HushrankError when a ranking has ties or unranked items.
        """
        rankings.require_complete_strict("Mallows fit")
        counts = majority(rankings)
        found = improved_order(counts, _borda_order(counts)) if centre is None else centre
        require(len(found) == rankings.n_items, f"expected a centre of {rankings.n_items} items")
        uniform = cls(found, 1.0)  # checks the centre
        mean_distance = kendall_cost(counts, found) / rankings.n_people
        return cls(uniform.centre, _dispersion_at(mean_distance, rankings.n_items))

    def __repr__(self) -> str:
        """Say the size: the centre may be somebody's ranking."""
        return f"Mallows({self.n_items} items, dispersion {self.dispersion:g})"

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return len(self.centre)

    @property
    def theta(self) -> float:
        """The natural parameter, -ln dispersion; inf where only the centre is possible."""
        return abs(log(self.dispersion)) if self.dispersion > 0 else inf

    @property
    def expected_distance(self) -> float:
        """The mean Kendall tau distance to the centre, in pairs."""
        return _expected_distance(self.dispersion, self.n_items)

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); -inf where impossible."""
        require_orders(orders, self.n_items)
        powers = self.dispersion ** np.arange(self.n_items)
        log_normaliser = np.log(powers.cumsum()).sum()
        distances = kendall_distances(inverse(orders), self.centre)
        if self.dispersion == 0:
            return np.where(distances == 0, 0.0, -inf)
        log_probability: Shares = -self.theta * distances - log_normaliser
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items) by repeated insertion.

        Cost: O(items^2) per person.
        """
        ranks = np.empty((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        for start in range(0, n_people, PEOPLE_AT_ONCE):
            block = ranks[start : start + PEOPLE_AT_ONCE]
            block[:, self.centre] = self._insert_items(len(block), rng=rng)
        return ranks

    def _insert_items(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw the ranks (people, items) of the best of the centre, the second best and so on."""
        ranks = np.zeros((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        powers = np.power(self.dispersion, np.arange(self.n_items), dtype=np.float64)
        for item in range(1, self.n_items):
            n_passed = sample_categories(powers[: item + 1], n_people, rng=rng)
            place = (item - n_passed).astype(ranks.dtype)
            ranks[:, :item] += ranks[:, :item] >= place[:, None]
            ranks[:, item] = place
        return ranks


def _borda_order(counts: Counts) -> Order:
    return tuple(int(item) for item in np.argsort(-counts.sum(axis=1), kind="stable"))


def _expected_distance(dispersion: float, n_items: int) -> float:
    """Return the sum over i = 1..items of the mean of the geometric distribution cut to 0..i-1."""
    powers = dispersion ** np.arange(n_items)
    return float(((np.arange(n_items) * powers).cumsum() / powers.cumsum()).sum())


def _dispersion_at(mean_distance: float, n_items: int) -> float:
    """Find the dispersion whose expected distance is `mean_distance`; it grows with it."""
    from scipy.optimize import brentq  # costs half a second, which only a fit should pay

    def excess(dispersion: float) -> float:
        return _expected_distance(dispersion, n_items) - mean_distance

    if mean_distance >= _expected_distance(1.0, n_items):
        return 1.0
    return float(brentq(excess, 0.0, 1.0, xtol=1e-15))

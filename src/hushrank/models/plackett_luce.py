"""The Plackett-Luce model: people pick the best, then the best of the rest, and so on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Orders, Ranks, Shares
from hushrank.errors import HushrankError, require
from hushrank.kernels import kernel
from hushrank.models.ranking_model import require_orders
from hushrank.rankings.coding import inverse, rank_type
from hushrank.rankings.competition import FEW_ITEMS, unranked
from hushrank.rankings.profile import Rankings

PEOPLE_AT_ONCE = 2**14  # their noise stays in the cache
MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class PlackettLuce:
    """P(order) = prod_place w(item at place) / sum of w over the items not yet placed.

    utilities (items,) = ln w, finite; a shift of all of them changes nothing.
    Source: Plackett (Applied Statistics 1975); Luce (Individual Choice Behavior, 1959).
    """

    utilities: Shares

    def __post_init__(self) -> None:
        """Check and freeze the utilities."""
        utilities = np.array(self.utilities, dtype=np.float64)
        shaped = utilities.ndim == 1 and utilities.size >= 1
        require(shaped, f"expected utilities of shape (items,), got shape {utilities.shape}")
        require(np.isfinite(utilities).all(), "expected finite utilities")
        utilities.setflags(write=False)
        object.__setattr__(self, "utilities", utilities)

    @classmethod
    def fit(
        cls, rankings: Rankings, *, prior: float = 0.0, tolerance: float = 1e-9
    ) -> "PlackettLuce":
        """Maximise the likelihood; weights have mean 1. Unranked items stand in no choice set.

            w = (chosen + prior) / (prior + sum over the choices with the item of 1 / sum of w)

        `prior` > 0 adds prior (ln w - w) for each item, a Gamma(1 + prior, prior) density on w.
        Stops when one iteration changes no weight by more than the share `tolerance`.
        Raises HushrankError for ties, after 10,000 iterations, and, without a prior, where there is
        no maximum: some group of items is always put before, or after, all others.
        Source: Hunter (Annals of Statistics 2004), section 5; prior: Caron, Doucet (JCGS 2012).
        """
        require(rankings.is_strict, "Plackett-Luce fit: expected strict rankings, some are tied")
        require(rankings.n_items >= 2, "Plackett-Luce fit: expected at least 2 items, got 1")
        require(0 <= prior < np.inf, f"expected a finite prior of at least 0, got {prior}")
        require(0 < tolerance < 1, f"expected a tolerance between 0 and 1, got {tolerance}")
        orders, n_ranked = _orders_and_lengths(rankings.ranks, unranked(rankings.ranks))
        if prior == 0:
            _require_maximum(orders, n_ranked)
        people = rankings.people_of_rows.astype(np.float64)
        return cls(np.log(_maximise(orders, n_ranked, people, prior, tolerance)))

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return len(self.utilities)

    @property
    def weights(self) -> Shares:
        """The weights w (items,), scaled to sum 1: the probabilities to be placed first."""
        weights = np.exp(self.utilities - self.utilities.max())
        scaled: Shares = weights / weights.sum()
        return scaled

    def __repr__(self) -> str:
        """Say the size."""
        return f"PlackettLuce({self.n_items} items)"

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items)."""
        require_orders(orders, self.n_items)
        log_probability = np.zeros(len(orders))
        log_rest = np.full(len(orders), -np.inf)
        for items in orders.T[::-1]:  # the last place first: the rest only grows
            utilities = self.utilities[items]
            log_rest = np.logaddexp(log_rest, utilities)
            log_probability += utilities - log_rest
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items): sort utilities plus Gumbel noise.

        -ln of an exponential draw is Gumbel noise, and four times faster than `Generator.gumbel`.
        Source: Yellott (Journal of Mathematical Psychology 1977).
        """
        ranks = np.empty((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        for start in range(0, n_people, PEOPLE_AT_ONCE):
            block = ranks[start : start + PEOPLE_AT_ONCE]
            noise = rng.standard_exponential((self.n_items, len(block)))
            with np.errstate(divide="ignore"):  # a noise of 0 rightly puts its item first
                block[:] = _descending_ranks(self.utilities[:, None] - np.log(noise)).T
        return ranks


def _descending_ranks(keys: Shares) -> Ranks:
    """Rank the items of keys (items, people), the largest first; a tie breaks by item."""
    n_items = len(keys)
    if n_items > FEW_ITEMS:
        return inverse(np.argsort(-keys, axis=0, kind="stable").T).T
    ranks = np.zeros(keys.shape, dtype=rank_type(n_items))
    for item in range(n_items):
        for other in range(item):
            other_first = keys[other] >= keys[item]
            ranks[item] += other_first
            ranks[other] += ~other_first
    return ranks


def _require_maximum(orders: NDArray[np.int32], n_ranked: Counts) -> None:
    """Raise HushrankError unless, however the items are split in two, both halves win once.

    Source: Hunter (Annals of Statistics 2004), assumption 1: a strongly connected graph.
    """
    reaches = np.eye(orders.shape[1], dtype=np.float32)
    for place in range(1, orders.shape[1]):
        follows = place < n_ranked
        reaches[orders[follows, place - 1], orders[follows, place]] = 1
    for _ in range(orders.shape[1].bit_length()):  # each turn doubles the length of the paths
        reaches = np.minimum(reaches @ reaches, 1)
    n_groups = len(np.unique((reaches * reaches.T) > 0, axis=0))
    message = "no maximum: expected every item to beat and lose to any other, directly or not"
    require(n_groups == 1, f"{message}, got {n_groups} groups; a prior above 0 helps")


def _maximise(
    orders: NDArray[np.int32], n_ranked: Counts, people: Shares, prior: float, tolerance: float
) -> Shares:
    """Iterate Hunter's update until it stands still; weights (items,) of mean 1."""
    weights = np.ones(orders.shape[1])
    chosen = _count_choices(orders, n_ranked, people)
    for _ in range(MOST_ITERATIONS):
        updated = (chosen + prior) / (prior + _exposure(orders, n_ranked, people, weights))
        updated /= updated.mean()  # the best scale under the prior, and any scale without it
        change = np.abs(updated / weights - 1).max()
        weights = updated
        if change <= tolerance:
            return weights
    raise HushrankError(f"no convergence in {MOST_ITERATIONS} iterations; a larger prior helps")


@kernel
def _orders_and_lengths(ranks: Ranks, sentinel: int) -> tuple[NDArray[np.int32], Counts]:
    """Return the items in order (rows, items), row-major, and how many of them are ranked."""
    n_rows, n_items = ranks.shape
    orders = np.zeros((n_rows, n_items), dtype=np.int32)
    n_ranked = np.zeros(n_rows, dtype=np.int64)
    for item in range(n_items):
        for row in range(n_rows):
            if ranks[row, item] != sentinel:
                orders[row, ranks[row, item]] = item
                n_ranked[row] += 1
    return orders, n_ranked


@kernel
def _count_choices(orders: NDArray[np.int32], n_ranked: Counts, people: Shares) -> Shares:
    """Count how often each item (items,) is chosen among two or more."""
    chosen = np.zeros(orders.shape[1])
    for row in range(orders.shape[0]):
        for place in range(n_ranked[row] - 1):
            chosen[orders[row, place]] += people[row]
    return chosen


@kernel
def _exposure(
    orders: NDArray[np.int32], n_ranked: Counts, people: Shares, weights: Shares
) -> Shares:
    """Sum, for each item, 1 / (weight of the choice set) over the choices that offer it."""
    exposure = np.zeros(weights.size)
    rates = np.empty(weights.size)
    for row in range(orders.shape[0]):
        n_places = n_ranked[row]
        rest = 0.0
        for place in range(n_places - 1, -1, -1):
            rest += weights[orders[row, place]]
            rates[place] = people[row] / rest
        offered = 0.0
        for place in range(n_places):
            offered += rates[place] if place < n_places - 1 else 0.0
            exposure[orders[row, place]] += offered
    return exposure

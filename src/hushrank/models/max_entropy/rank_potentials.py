"""The family in which ranks and precedences interact freely: exact sums for up to 20 items.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.arrays import Floats, Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.max_entropy.rank_features import RankFeatures
from hushrank.models.max_entropy.subset_draws import draw_ranks, log_weights_of
from hushrank.models.max_entropy.subset_pairs import joint_ranks
from hushrank.models.max_entropy.subset_passes import Passes, collect, log_weights, run_passes
from hushrank.models.max_entropy.subset_tangents import covariances
from hushrank.models.ranking_model import require_orders

MOST_ITEMS_OF_SETS = 20
"""2^20 sets take seconds and half a gigabyte; every item more doubles both."""


@dataclass(frozen=True, eq=False, repr=False)
class RankPotentials:
    """P(order) ~ exp sum_a [ own[a, rank a] + sum_{b before a} before[a, b, rank a] ].

    own (items, ranks), before (items, items, ranks), finite. Every sum over orders is exact.
    Cost: O(items 2^items), once; in memory too.
    """

    own: Floats
    before: Floats

    def __post_init__(self) -> None:
        """Check and freeze the potentials."""
        require_potentials(self.own, self.before)
        n_items = len(self.own)
        message = f"expected at most {MOST_ITEMS_OF_SETS} items for exact sums, got {n_items}"
        require(n_items <= MOST_ITEMS_OF_SETS, message)
        for name in ("own", "before"):
            frozen = np.array(getattr(self, name), dtype=np.float64)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)

    @classmethod
    def from_coefficients(cls, features: RankFeatures, coefficients: Floats) -> "RankPotentials":
        """Take the coefficients (features,) of features of orders."""
        return cls(*features.potentials(coefficients))

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return len(self.own)

    def __repr__(self) -> str:
        """Say the size."""
        return f"RankPotentials({self.n_items} items)"

    @cached_property
    def passes(self) -> Passes:
        """The sums over all orders, and the chances of every set and next item."""
        return run_passes(self._logs)

    @cached_property
    def _logs(self) -> Floats:
        return log_weights(self.own, self.before)

    @property
    def log_partition(self) -> float:
        """The log of the sum of exp(...) over all orders."""
        return self.passes.log_total

    @cached_property
    def marginals(self) -> tuple[Floats, Floats]:
        """P(rank of a = r) (items, ranks), and P(that, and b before a) (items, items, ranks)."""
        return collect(self.passes.chances)

    @property
    def first_order_marginals(self) -> Shares:
        """P(rank of a = r): (items, ranks)."""
        return self.marginals[0]

    @property
    def precedences(self) -> Shares:
        """P(a before b): (items, items); 0 on the diagonal."""
        preceded = self.marginals[1]
        precedences: Shares = preceded.sum(axis=2).T
        return precedences

    @cached_property
    def second_order_marginals(self) -> Shares:
        """P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks).

        Pairs in lexicographic order. Cost: O(items^3 2^items).
        """
        return joint_ranks(self.passes)

    def expectation(self, values: Floats) -> float:
        """Return the mean of the sum, along an order, of values (sets, items).

        values[S, a] counts where the items of S, as bits, are before a and no others.
        """
        shape = self.passes.chances.shape
        require(values.shape == shape, f"expected values of shape {shape}, got {values.shape}")
        return float(np.vdot(self.passes.chances, values))

    def covariance_product(self, own: Floats, before: Floats) -> tuple[Floats, Floats]:
        """Return how `marginals` move when the potentials move by own and before: derivatives.

        The covariances of each indicator with the log-weight that own and before alone would give.
        Both may have a first axis of directions, as the results then do: cheaper than one by one.
        """
        single = own.ndim == 2
        directions = (own[None], before[None]) if single else (own, before)
        at, preceded = covariances(self.passes, *directions)
        return (at[0], preceded[0]) if single else (at, preceded)

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items)."""
        require_orders(orders, self.n_items)
        return log_weights_of(self._logs, orders) - self.log_partition

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items)."""
        return draw_ranks(self.passes, n_people, rng=rng)


def require_potentials(own: Floats, before: Floats) -> None:
    """Raise HushrankError unless the potentials are of one number of items, and finite."""
    shaped = own.ndim == 2 and own.shape[0] == own.shape[1] >= 1
    require(shaped, f"expected own potentials of shape (items, ranks), got shape {own.shape}")
    expected = (*own.shape, own.shape[0])
    require(before.shape == expected, f"expected before of shape {expected}, got {before.shape}")
    is_finite = np.isfinite(own).all() and np.isfinite(before).all()
    require(is_finite, "expected finite potentials")

"""The family of `RankPotentials` for more items than sets allow: by draws, with their errors."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from hushrank.arrays import Floats, Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.max_entropy.rank_potentials import require_potentials
from hushrank.models.max_entropy.swap_moves import collect_orders, joint_ranks_of, order_logs
from hushrank.models.max_entropy.tempered_draws import LAST_ROUNDS, move_orders, tempered_draws
from hushrank.models.ranking_model import require_orders
from hushrank.rankings.coding import inverse


@dataclass(frozen=True, eq=False, repr=False)
class SampledPotentials:
    """P(order) ~ exp sum_a [ own[a, rank a] + sum_{b before a} before[a, b, rank a] ], by draws.

    orders (repeats, draws, items) with weights (repeats, draws) that sum to 1 in each repeat, and
    log_partitions (repeats,). Estimates are means over the independent repeats; their errors are
    the repeats' standard deviation / sqrt(repeats), and do not see what all repeats missed.
    """

    own: Floats
    before: Floats
    orders: NDArray[np.int64]
    weights: Floats
    log_partitions: Floats

    @classmethod
    def of(
        cls,
        own: Floats,
        before: Floats,
        *,
        rng: np.random.Generator,
        n_draws: int = 1000,
        n_repeats: int = 8,
    ) -> "SampledPotentials":
        """Draw orders from the model with these potentials, as `tempered_draws` does.

        own (items, ranks), before (items, items, ranks).   Cost: O(items^2) a draw and a step.
        Raises HushrankError unless there are 2+ draws and 2+ repeats, and finite potentials.
        """
        require_potentials(own, before)
        require(n_draws >= 2, f"expected at least 2 draws, got {n_draws}")
        require(n_repeats >= 2, f"expected at least 2 repeats to tell the error, got {n_repeats}")
        repeats = [tempered_draws(own, before, n_draws, rng=rng) for _ in range(n_repeats)]
        orders = np.stack([each.orders for each in repeats])
        weights = np.full((n_repeats, n_draws), 1 / n_draws)
        return cls(own, before, orders, weights, np.array([each.log_total for each in repeats]))

    def reweighted(self, own: Floats, before: Floats) -> "SampledPotentials":
        """Estimate the model with other potentials from the same draws: smooth, for an optimiser.

        Good as long as `effective_share` stays well above 0.
        """
        require_potentials(own, before)
        require(own.shape == self.own.shape, f"expected own potentials of shape {self.own.shape}")
        with np.errstate(divide="ignore"):  # a weight that has vanished stays so
            moved = np.log(self.weights) + self._logs_of(own - self.own, before - self.before)
        gained = logsumexp(moved, axis=1)
        weights = np.exp(moved - gained[:, None])
        totals = self.log_partitions + gained
        return replace(self, own=own, before=before, weights=weights, log_partitions=totals)

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return len(self.own)

    def __repr__(self) -> str:
        """Say the size."""
        return f"SampledPotentials({self.n_items} items, {self.weights.size} draws)"

    @property
    def effective_share(self) -> float:
        """What share of the draws would be worth as much with equal weights."""
        return float(1 / np.square(self._pooled_weights).sum() / self.weights.size)

    @property
    def log_partition(self) -> float:
        """The log of the estimated sum of exp(...) over all orders."""
        return float(logsumexp(self.log_partitions) - np.log(len(self.log_partitions)))

    @property
    def log_partition_error(self) -> float:
        """The standard error of `log_partition`."""
        relative = np.exp(self.log_partitions - self.log_partition)
        return float(_errors(relative))

    @cached_property
    def marginals(self) -> tuple[Floats, Floats]:
        """P(rank of a = r) (items, ranks), and P(that, and b before a) (items, items, ranks)."""
        at, preceded = self._marginals_of_repeats
        return at.mean(axis=0), preceded.mean(axis=0)

    @cached_property
    def marginal_errors(self) -> tuple[Floats, Floats]:
        """The standard errors of `marginals`."""
        at, preceded = self._marginals_of_repeats
        return _errors(at), _errors(preceded)

    @property
    def first_order_marginals(self) -> Shares:
        """P(rank of a = r): (items, ranks)."""
        return self.marginals[0]

    @property
    def precedences(self) -> Shares:
        """P(a before b): (items, items); 0 on the diagonal."""
        precedences: Shares = self.marginals[1].sum(axis=2).T
        return precedences

    @property
    def precedence_errors(self) -> Floats:
        """The standard errors of `precedences`."""
        return _errors(self._marginals_of_repeats[1].sum(axis=3)).T

    @cached_property
    def second_order_marginals(self) -> Shares:
        """P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks).

        Pairs in lexicographic order. Error of a cell: about sqrt(share / effective draws), of all
        repeats together.
        """
        return joint_ranks_of(self._pooled_orders, self._pooled_weights)

    def covariance_product(self, own: Floats, before: Floats) -> tuple[Floats, Floats]:
        """Return the covariances of each indicator with the log-weight that own and before give.

        own (items, ranks), before (items, items, ranks), as are the results: exactly the slopes of
        the marginals of `reweighted`.
        """
        logs = self._logs_of(own, before)
        centred = logs - (self.weights * logs).sum(axis=1, keepdims=True)
        return collect_orders(self._pooled_orders, self._pooled_weights * centred.ravel())

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); all share one estimated term."""
        require_orders(orders, self.n_items)
        by_rank = np.ascontiguousarray(self.before.transpose(2, 0, 1))
        return order_logs(orders.astype(np.int64), self.own, by_rank) - self.log_partition

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw ranks (people, items): of the kept draws, each then moved on by exchanges of items.

        Nearly independent; exactly as good as the kept draws.   Cost: O(items^2) a person.
        """
        chosen = rng.choice(self.weights.size, size=n_people, p=self._pooled_weights)
        orders = self._pooled_orders[chosen]
        move_orders(orders, self.own, self.before, 1.0, LAST_ROUNDS, rng=rng)
        return inverse(orders)

    @cached_property
    def _marginals_of_repeats(self) -> tuple[Floats, Floats]:
        each = [collect_orders(*one) for one in zip(self.orders, self.weights, strict=True)]
        return np.stack([at for at, _ in each]), np.stack([preceded for _, preceded in each])

    @property
    def _pooled_orders(self) -> NDArray[np.int64]:
        return self.orders.reshape(-1, self.n_items)

    @property
    def _pooled_weights(self) -> Floats:
        return self.weights.ravel() / len(self.weights)

    def _logs_of(self, own: Floats, before: Floats) -> Floats:
        by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
        return order_logs(self._pooled_orders, own, by_rank).reshape(self.weights.shape)


def _errors(of_repeats: Floats) -> Floats:
    """Return the standard errors of means over the first axis, of independent repeats."""
    errors: Floats = of_repeats.std(axis=0, ddof=1) / np.sqrt(len(of_repeats))
    return errors

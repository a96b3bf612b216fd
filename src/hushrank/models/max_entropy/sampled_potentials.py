"""The family of `RankPotentials` for more items than sets allow: by draws, with their errors.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from hushrank.arrays import Floats, Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.max_entropy.rank_potentials import require_potentials
from hushrank.models.max_entropy.swap_moves import add_joint_ranks, order_logs
from hushrank.models.max_entropy.tempered_draws import move_orders, tempered_draws
from hushrank.models.ranking_model import require_orders
from hushrank.rankings.coding import inverse

FEWEST_ROUNDS = 5
DRAWS_OF_A_CELL = 200
"""Of two items' joint ranks there are items^2 cells: so many draws for each, if rounds suffice."""
ROUNDS_OF_A_SAMPLE = 2
RUN_SEED = 1
"""The run's coins are public, and always the same: shares are a function of the draws."""
LEAST_VARIANCE = 1e-6
"""Of a precedence: what is surer than that needs no draws to be known."""
MOST_SPREAD = 1.01
"""Of R-hat: beyond, the repeats disagree more than draws of one model would."""


@dataclass(frozen=True, eq=False, repr=False)
class DrawnMarginals:
    """Shares over a run of draws: joint (pairs, ranks, ranks), and of each half of each repeat.

    parts (halves of repeats, items, items) = P(a before b), by the draws of one half.
    """

    joint: Shares
    parts: Shares


@dataclass(frozen=True, eq=False, repr=False)
class SampledPotentials:
    """P(order) ~ exp sum_a [ own[a, rank a] + sum_{b before a} before[a, b, rank a] ], by draws.

    orders (repeats, draws, items): independent repeats of `tempered_draws`, with log_partitions
    (repeats,). Shares are means over a run of chains that begin there. What all repeats missed no
    error shows; what some of them missed `r_hat` does.
    """

    own: Floats
    before: Floats
    orders: NDArray[np.int64]
    log_partitions: Floats

    @classmethod
    def of(
        cls,
        own: Floats,
        before: Floats,
        *,
        rng: np.random.Generator,
        n_draws: int = 2000,
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
        return cls(own, before, orders, np.array([each.log_total for each in repeats]))

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return len(self.own)

    def __repr__(self) -> str:
        """Say the size."""
        n_draws = self.orders.shape[0] * self.orders.shape[1]
        return f"SampledPotentials({self.n_items} items, {n_draws} draws)"

    @property
    def log_partition(self) -> float:
        """The log of the estimated sum of exp(...) over all orders."""
        return float(logsumexp(self.log_partitions) - np.log(len(self.log_partitions)))

    @property
    def first_order_marginals(self) -> Shares:
        """P(rank of a = r): (items, ranks)."""
        with_last = np.flatnonzero(np.triu_indices(self.n_items, 1)[1] == self.n_items - 1)
        of_others = self._run.joint[with_last].sum(axis=2)
        return np.vstack([of_others, self._run.joint[-1].sum(axis=0)])

    @property
    def marginals(self) -> tuple[Shares, Shares]:
        """P(rank of a = r) (items, ranks), and P(that, and b before a) (items, items, ranks)."""
        first, second = np.triu_indices(self.n_items, 1)
        preceded = np.zeros((self.n_items,) * 3)
        preceded[first, second] = np.tril(self._run.joint, -1).sum(axis=2)
        preceded[second, first] = np.triu(self._run.joint, 1).sum(axis=1)
        return self.first_order_marginals, preceded

    @property
    def precedences(self) -> Shares:
        """P(a before b): (items, items); 0 on the diagonal."""
        precedences: Shares = self._run.parts.mean(axis=0)
        return precedences

    @property
    def precedence_errors(self) -> Floats:
        """The standard errors of `precedences`: of the mean over halves of repeats."""
        parts = self._run.parts
        errors: Floats = parts.std(axis=0, ddof=1) / np.sqrt(len(parts))
        return errors

    @property
    def second_order_marginals(self) -> Shares:
        """P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks).

        Pairs in lexicographic order.
        """
        return self._run.joint

    @property
    def second_order_error(self) -> float:
        """How far `second_order_marginals` are from the exact ones: the expected mean distance.

        Total variation, as Q2 distances are; they grow by it in quadrature, about.
        """
        cells = np.sqrt(self._run.joint * (1 - self._run.joint)).sum(axis=(1, 2)).mean()
        return float(cells * np.sqrt(2 / np.pi / self.effective_draws) / 2)

    @cached_property
    def r_hat(self) -> float:
        """The worst ratio of deviations, of all precedences: 1 where all halves agree.

            sqrt(1 + variance between the halves of repeats / variance of a draw)

        Source: Margossian et al. (Bayesian Analysis 2024), nested R-hat, of many short chains.
        """
        return float(np.sqrt(1 + self._variance_ratios.max()))

    @cached_property
    def effective_draws(self) -> float:
        """How many independent draws would err as little, for the typical precedence."""
        typical = max(float(np.median(self._variance_ratios)), LEAST_VARIANCE)
        return len(self._run.parts) / typical

    @property
    def has_mixed(self) -> bool:
        """Whether the repeats agree as draws of one model do."""
        return self.r_hat <= MOST_SPREAD

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); all share one estimated term."""
        require_orders(orders, self.n_items)
        by_rank = np.ascontiguousarray(self.before.transpose(2, 0, 1))
        return order_logs(orders.astype(np.int64), self.own, by_rank) - self.log_partition

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw ranks (people, items): of the kept draws, each then moved on by exchanges of items.

        Nearly independent; exactly as good as the kept draws.   Cost: O(items^2) a person.
        """
        kept = self.orders.reshape(-1, self.n_items)
        orders = kept[rng.integers(len(kept), size=n_people)]
        move_orders(orders, self.own, self.before, 1.0, ROUNDS_OF_A_SAMPLE, rng=rng)
        return inverse(orders)

    @cached_property
    def _run(self) -> DrawnMarginals:
        """Move each repeat on, and add up where it stands after each round."""
        n_repeats, n_draws, n = self.orders.shape
        wanted = DRAWS_OF_A_CELL * n**2 / (2 * n_repeats * n_draws)
        n_rounds = max(FEWEST_ROUNDS, ceil(wanted))
        joint = np.zeros((n * (n - 1) // 2, n, n))
        parts = []
        rng = np.random.default_rng(RUN_SEED)
        for orders in self.orders.copy():
            for _ in range(2):
                half = np.zeros_like(joint)
                for _ in range(n_rounds):
                    move_orders(orders, self.own, self.before, 1.0, 1, rng=rng)
                    add_joint_ranks(inverse(orders), half)
                parts.append(_precedences_of(half / (n_rounds * n_draws), n))
                joint += half
        return DrawnMarginals(joint / (2 * n_repeats * n_rounds * n_draws), np.stack(parts))

    @cached_property
    def _variance_ratios(self) -> Floats:
        """Variance between halves over that of one draw, of each pair a < b; 0 where all agree."""
        pairs = np.triu_indices(self.n_items, 1)
        shares = self.precedences[pairs]
        between = self._run.parts[:, *pairs].var(axis=0, ddof=1)
        within = np.maximum(shares * (1 - shares), LEAST_VARIANCE)
        ratios: Floats = between / within
        return ratios


def _precedences_of(joint: Shares, n_items: int) -> Shares:
    """Return P(a before b) (items, items) by joint ranks of a < b; 0 on the diagonal."""
    first, second = np.triu_indices(n_items, 1)
    precedences = np.zeros((n_items, n_items))
    precedences[first, second] = np.triu(joint).sum(axis=(1, 2))
    precedences[second, first] = np.tril(joint).sum(axis=(1, 2))
    return precedences

"""Orders proposed by a dynamic program for a core of items, into which the others are inserted.

Theory: docs/theory/exact-sampling.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushrank.aggregators.private.exponential.by_insertion import InsertionProposal
from hushrank.aggregators.private.exponential.by_sets import SetProposal
from hushrank.aggregators.private.exponential.proposals import Proposals
from hushrank.arrays import Counts
from hushrank.randomness import Randomness

TRIES_AT_ONCE = 2**12


@dataclass(frozen=True, eq=False, repr=False)
class CoreProposal:
    """Propose orders of a core of items by their sets, and insert the other items into them.

    Hardly a try is lost on the order of the core. Borda's middle makes the best core: its items are
    those that would jump, and be jumped by, most others. The other items are inserted from the
    middle outwards, so that each of them jumps few others or nearly all.
    """

    core: SetProposal
    insertion: InsertionProposal

    @classmethod
    def of(cls, margins: Counts, rate: Fraction, n_core: int) -> "CoreProposal":
        """Tabulate both, for `n_core` items of the core."""
        items = _from_the_middle(margins)
        core = items[:n_core]
        sets = SetProposal.of(margins[np.ix_(core, core)], rate)
        return cls(sets, InsertionProposal.after(n_core, items, margins, rate))

    @property
    def rate(self) -> Fraction:
        """Of the law, per lost pair."""
        return self.core.rate

    @property
    def log_bound(self) -> float:
        """The sum of both bounds: the weight of an order is a product too."""
        return self.core.log_bound + self.insertion.log_bound

    def propose(self, size: int, *, most_tries: int, rng: Randomness) -> Proposals:
        """Draw up to `size` orders in at most so many tries, each with a core of its own."""
        found = [self._tried(0, size, rng=rng)]
        n_kept = n_tries = 0
        while n_kept < size and n_tries < most_tries:
            n_now = min(TRIES_AT_ONCE, most_tries - n_tries)
            found.append(self._tried(n_now, size - n_kept, rng=rng))
            n_kept, n_tries = n_kept + len(found[-1].orders), n_tries + n_now
        orders, shares = ([each.orders for each in found], [each.shares for each in found])
        costs = np.concatenate([each.costs for each in found])
        return Proposals(np.concatenate(orders), np.concatenate(shares), costs)

    def _tried(self, n_tries: int, size: int, *, rng: Randomness) -> Proposals:
        cores = self.core.propose(n_tries, rng=rng)
        rest, kept = self.insertion.inserted(cores.orders, size, rng=rng)
        shares = np.hstack([cores.shares[kept], rest.shares])
        return Proposals(rest.orders, shares, cores.costs[kept] + rest.costs)


def log_tries_saved(core: CoreProposal, insertion: InsertionProposal) -> float:
    """Return log(tries of insertion alone / tries with a core) until an order is kept, expected.

    Both accept e^-log_bound of the sum of e^-(rate * cost), but count a pair's cost from another
    zero: from its order of insertion, or from its cheaper side. The half-way mark is common.
    """
    n_core, margins = core.core.lower.shape[1], core.insertion.margins
    zero_of_core = np.abs(margins[:n_core, :n_core]).sum() / 2
    zero_of_rest = np.triu(margins, 1)[:, n_core:].sum()
    zeros = np.triu(insertion.margins, 1).sum() - zero_of_core - zero_of_rest
    return insertion.log_bound - core.log_bound + float(core.rate) * float(zeros) / 2


def _from_the_middle(margins: Counts) -> Counts:
    """Return all items, those in the middle of Borda's order first."""
    items = np.argsort(-margins.sum(axis=1), kind="stable")
    distances = np.abs(2 * np.arange(len(items)) - (len(items) - 1))
    return items[np.argsort(distances, kind="stable")]

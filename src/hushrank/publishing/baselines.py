"""The simple ways to obfuscate that others are compared with: Rand, Frapp and Diff."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

import numpy as np
from scipy.sparse import csr_array

from hushrank.accounting.words import as_given
from hushrank.arrays import Counts, Indices, Shares, Words
from hushrank.errors import require
from hushrank.publishing.channel import WORDS, Channel
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.distances.kendall import kendall_distances_from
from hushrank.publishing.distances.ranked_rows import RankedRows
from hushrank.randomness import Randomness

ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Replacement:
    """Replace one of n things, users or items, by another one, each as likely, else keep it.

    `words` of 2^64 replace, so the channel is exact: words / 2^64 / (n - 1) for each other thing.
    """

    n_things: int
    words: int

    @property
    def probability(self) -> float:
        """How likely a thing is replaced."""
        return self.words / WORDS

    def draw(self, things: Indices, *, rng: Randomness) -> Indices:
        """Draw what is released for each of `things` (draws,), numbers below n."""
        coins = rng.words(len(things))
        others = rng.below(self.n_things - 1, len(things)).astype(np.intp)
        others += others >= things  # skip the thing itself
        is_replaced = np.full(len(things), self.words == WORDS)
        if self.words < WORDS:
            is_replaced = coins < np.uint64(self.words)
        return np.where(is_replaced, others, things)

    def transitions(self, sizes: Counts) -> Shares:
        """Return P(class of the released | class) (classes, classes) of classes of these sizes."""
        moved = self.probability * (sizes - np.eye(len(sizes))) / (self.n_things - 1)
        kept: Shares = (1 - self.probability) * np.eye(len(sizes))
        return kept + moved


def rand(n_things: int, probability: float) -> Replacement:
    """Return Rand: replace with this probability.

    Raises HushrankError unless there are 2 or more things and the probability is in [0, 1].
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), section 7.1.3.
    """
    require(n_things >= 2, f"expected 2 or more to choose from, got {n_things}")
    require(
        0 <= probability <= 1, f"expected a probability from 0 to 1, got {as_given(probability)}"
    )
    return Replacement(n_things, int(probability * WORDS))


def frapp(n_things: int, ratio: float) -> Replacement:
    """Return Frapp: the true thing is `ratio` >= 1 times as likely as each of the others.

    That is Rand with probability (n - 1) / (ratio + n - 1), rounded up to 64 bits.
    Privacy: log(ratio)-DP of which of the n things it is, were these things not data themselves.
    Source: Agrawal, Haritsa (ICDE 2005), as in Yang et al. (TKDE 2019).
    """
    require(
        1 <= ratio < inf, f"budget: expected a finite ratio of at least 1, got {as_given(ratio)}"
    )
    require(n_things >= 2, f"expected 2 or more to choose from, got {n_things}")
    words = ceil(WORDS * (n_things - 1) / (Fraction(ratio) + n_things - 1))  # never likelier
    return Replacement(n_things, words)


@dataclass(frozen=True, eq=False, repr=False)
class RecordExponential:
    """Diff: release record v for u with P(v | u) ~ e^(-steepness distance(u, v)), of all records.

    Kendall distance, where a tie in one record costs 1/2: without ties sparse records would all be
    near one another.
    Privacy: 2 steepness max distance of differential privacy for whose record it is, given the
    set of records; that set is data of these users too.   Cost: quadratic in records.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), section 7.1.3. Differs from the source: ties.
    """

    records: RankedRows
    steepness: float

    @classmethod
    def of(cls, scores: csr_array, steepness: float) -> "RecordExponential":
        """Take records (users, items); raise HushrankError unless the steepness is 0 or more."""
        require(0 <= steepness < inf, f"expected a finite steepness of at least 0, got {steepness}")
        return cls(RankedRows.of(scores), steepness)

    def rows(self) -> Iterator[tuple[Indices, Shares, Shares]]:
        """Yield blocks of users (block,), their channel and distances (block, records)."""
        n_records = self.records.n_rows
        for start in range(0, n_records, ROWS_AT_ONCE):
            users = np.arange(start, min(start + ROWS_AT_ONCE, n_records))
            distances = kendall_distances_from(self.records, users)
            weights = np.exp(-self.steepness * distances)  # 1 for the own record
            yield users, weights / weights.sum(axis=1, keepdims=True), distances

    def draw(self, users: Indices, *, rng: Randomness) -> Indices:
        """Draw whose record is released for each of `users` (draws,), which ascend."""
        drawn = []
        words = rng.words(len(users))
        for block, chances, _ in self.rows():
            first, last = np.searchsorted(users, [block[0], block[-1] + 1])
            own = users[first:last] - block[0]
            drawn.append(draw_from_rows(chances[own], words[first:last]))
        return np.concatenate(drawn)


def draw_from_rows(chances: Shares, words: Words) -> Indices:
    """Return what each word (draws,) draws from its row of probabilities (draws, outcomes).

    Each probability is rounded down to whole words of 2^64; the largest takes what remains.
    """
    largest = chances.argmax(axis=1)
    others = chances.copy()
    others[np.arange(len(chances)), largest] = 0.0
    ends = np.cumsum((others * 2.0**64).astype(np.uint64), axis=1, dtype=np.uint64)
    drawn = (words[:, None] >= ends).sum(axis=1)
    outcomes: Indices = np.where(words < ends[:, -1], drawn, largest).astype(np.intp)
    return outcomes


def item_exponential(counts: Counts, steepness: float) -> Channel:
    """Return Diff for one activity of a user with these counts (items,): item to item.

        P(j | i) ~ e^(-steepness cost[i, j]), cost: the Kendall distance of V + i and V + j

    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), section 7.1.3. Differs from the source: a tie in
    one vector costs 1/2, not nothing.   Cost: O(items^2).
    """
    require(0 <= steepness < inf, f"expected a finite steepness of at least 0, got {steepness}")
    weights = np.exp(-steepness * activity_cost(counts).matrix())
    return Channel(weights / weights.sum(axis=1, keepdims=True))

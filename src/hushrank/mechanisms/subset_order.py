"""The subset-order mechanism: a whole order, hidden behind one random order.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Ranks, Reports, Shares, is_plain
from hushrank.errors import require
from hushrank.mechanisms.local import Tally, require_parameters
from hushrank.mechanisms.spearman_law import Ball, accepted_share, best_ball
from hushrank.randomness import Randomness
from hushrank.samplers.shuffles import accept_shuffles, words_of_a_shuffle
from hushrank.samplers.word_probabilities import WORDS, exp_below, words_above

MOST_ITEMS = 254
"""So that a rank is one byte."""
MOST_TRIES = 100_000
"""About two seconds for a person alone, who reads the words of one try at a time."""
TRIES_AT_ONCE = 2**14
SWAP_STEPS = 2**36


@dataclass(frozen=True)
class SubsetOrder:
    """Report an order s that probably lies near one's own order r, of all m! orders.

        P(s | r) ~ 1 where d(s, r) <= radius, else e^-ε      d = half the sum of (s_i - r_i)^2

    Before that, mirrored places of r are swapped at the public `swap_rates`, which make the mean
    report a multiple of the truth: E[s | r] = signal r in centred ranks. A category is a row of
    ranks; a tally sums the reported ranks of each item, so `n_categories` = m counts the items.
    Report: ranks (people, m), uint8. Tape: the words of a shuffle and one of a coin for each try,
    and at last one word for each swap. How many tries are made, only the tape decides.
    Privacy: ε-LDP.   Source: Ye, Barg (IEEE Trans. Inf. Theory 2018); Bhowmick et al. (arXiv 2018).
    Differs from the sources: a ball of orders, neither of categories nor of directions.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits and the tries suffice."""
        require_parameters(self.n_categories, self.epsilon)
        most = f"expected at most {MOST_ITEMS} items, got {self.n_categories}"
        require(self.n_categories <= MOST_ITEMS, most)
        is_told = self.far_words < WORDS and self.signal > 0
        require(is_told, f"epsilon {self.epsilon} is too small for 64-bit words")
        hopeless = f"a report at epsilon {self.epsilon} takes {self.n_tries:.0f} tries on average"
        require(self.n_tries <= MOST_TRIES, f"{hopeless}, expected at most {MOST_TRIES}")

    @cached_property
    def far_words(self) -> int:
        """How many of 2^64 words accept an order outside the radius: e^-ε, rounded up."""
        return words_above(1 / exp_below(self.epsilon))

    @property
    def radius(self) -> int:
        """The largest distance d of an order that is always accepted: `best_ball`."""
        return self._ball.radius

    @property
    def signal(self) -> float:
        """The slope of E[s_i | r] on r_i, centred: the least that any rank has without swaps.

        The noise of mean ranks is about 1 / signal. Exact for up to 12 items; an error scales all
        estimates, and changes neither order nor privacy.
        """
        return float(self._slopes.min())

    @property
    def swap_rates(self) -> Shares:
        """P(rank k and its mirror image m - 1 - k are swapped in r) (m // 2,).

            (1 - signal / slope_k) / 2      E[s_i | r_i = k] = slope_k k without swaps, k centred

        Symmetry makes E[s_i | r] an odd function of r_i alone, but not a linear one; swaps do.
        """
        rates: Shares = (1 - self.signal / self._slopes) / 2
        return rates

    @property
    def swap_words(self) -> tuple[int, ...]:
        """How many of 2^64 words swap each rank with its mirror image (m // 2,).

        In steps of 2^-36, so that the last bits of a platform's floats decide nothing.
        """
        return tuple(round(rate * SWAP_STEPS) * (WORDS // SWAP_STEPS) for rate in self.swap_rates)

    @property
    def words_of_a_try(self) -> int:
        """How many words a try takes, whatever comes of it."""
        return len(words_of_a_shuffle(self.n_categories)) + 1

    @property
    def n_tries(self) -> float:
        """How many tries a report takes on average, whatever it hides."""
        return float(1 / accepted_share(self._ball.share, self.far_words / WORDS))

    @property
    def worst_ratio(self) -> Fraction:
        """What no P(report | a) / P(report | b) exceeds, exactly; at most e^ε.

        The normaliser is the same for all r, because the shuffles do not know r; swaps mix such
        channels, with the same weights for all r.
        """
        return Fraction(WORDS, self.far_words)

    def randomise(self, categories: NDArray[Any], *, rng: Randomness) -> Reports:
        """Draw one report (people, items) for each row of ranks, `categories` (people, items).

        Raises HushrankError, before anything is drawn, unless each row ranks every item strictly.
        """
        ranks = _checked_ranks(categories, self.n_categories)
        shuffles, n_done = np.empty(ranks.shape, dtype=np.uint8), 0
        while n_done < len(ranks):
            n_tries = min(len(ranks) - n_done, TRIES_AT_ONCE)  # none is left over
            words = rng.words(n_tries * self.words_of_a_try).reshape(n_tries, -1)
            n_done += accept_shuffles(words, shuffles[n_done:], self.radius, self.far_words)
        self._swap(shuffles, rng=rng)
        return np.take_along_axis(shuffles, ranks.astype(np.intp), axis=1)

    def tally(self, reports: Reports) -> Tally:
        """Sum the reported ranks of each item (items,)."""
        shaped = reports.dtype == np.uint8 and reports.ndim == 2
        require(shaped, f"expected reports of shape (people, {self.n_categories}), uint8")
        ranks = _checked_ranks(reports, self.n_categories)
        return Tally(ranks.sum(axis=0, dtype=np.int64), len(ranks))

    def _swap(self, shuffles: Ranks, *, rng: Randomness) -> None:
        """Swap the ranks that a shuffle gives to mirrored places: as if r had them swapped."""
        for place, words in enumerate(self.swap_words):
            is_swapped = rng.words(len(shuffles)) < np.uint64(words)
            pair = [place, self.n_categories - 1 - place]
            swapped = shuffles[:, pair[::-1]]
            shuffles[:, pair] = np.where(is_swapped[:, None], swapped, shuffles[:, pair])

    @cached_property
    def _ball(self) -> Ball:
        return best_ball(self.n_categories, self.far_words / WORDS)

    @cached_property
    def _slopes(self) -> Shares:
        return self._ball.slopes(self.far_words / WORDS)


def _checked_ranks(ranks: NDArray[Any], n_items: int) -> NDArray[Any]:
    """Return ranks (people, items) that are permutations of 0..m-1; nobody may have any shape."""
    require(is_plain(ranks), "expected an array of ranks, without a mask")
    if ranks.size == 0:
        return np.zeros((0, n_items), dtype=np.uint8)
    shaped = ranks.ndim == 2 and ranks.shape[1] == n_items and ranks.dtype.kind in "iu"
    require(shaped, f"expected whole ranks of shape (people, {n_items})")
    strict = (np.sort(ranks, axis=1) == np.arange(n_items)).all()
    require(strict, f"expected each rank 0..{n_items - 1} exactly once in every row")
    return ranks

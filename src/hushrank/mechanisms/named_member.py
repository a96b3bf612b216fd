"""Name one of the several categories that hold for a person, or another one.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Counts, Reports, Words, is_plain
from hushrank.errors import require
from hushrank.mechanisms.local import Tally, checked_categories, require_parameters
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import WORDS

PEOPLE_AT_ONCE = 2**14


@dataclass(frozen=True)
class NamedMember:
    """Of k categories M hold for each person: report one that holds, or else one that does not.

        p = e^ε / (M e^ε + k - M) for each that holds      q = 1 / (M e^ε + k - M) for each other

    M is the same for everybody, so that the normaliser is, too: that is the whole proof. q is
    rounded up to a whole number of 2^64 words and p down, so ln(p / q) <= ε holds exactly; the
    fewer than M words that are left name the first categories, one each, whatever holds. One word
    a report. With M = 1 it is generalised randomised response, word for word.
    An answer is a row (people, M) of distinct categories, ascending.
    Privacy: ε-LDP. Report: one integer in [0, k). Cost: O(M) per person.
    Source: Wang et al. (INFOCOM 2018), PrivSet, reports of one element.
    """

    n_categories: int
    epsilon: float
    n_members: int

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell what holds from what does not."""
        require_parameters(self.n_categories, self.epsilon)
        fits = isinstance(self.n_members, int) and 1 <= self.n_members < self.n_categories
        require(fits, f"expected 1 to {self.n_categories - 1} categories to hold")
        too_fine = f"epsilon {self.epsilon} is too small for {self.n_categories} categories"
        require(self.rates.reach > 0, too_fine)

    @cached_property
    def rates(self) -> WordRates:
        """P(one given category is reported) if it holds, and if it does not."""
        return WordRates.of_members(self.n_categories, self.n_members, self.epsilon)

    @property
    def spare_words(self) -> int:
        """How many words are left: word j of them names category j, whatever holds."""
        return WORDS - self._words_of_truth - self._words_of_others

    def channel_words(self, members: NDArray[Any]) -> Counts:
        """Return 2^64 P(report | row), exactly, for rows (people, M): (people, k) Python ints."""
        words = np.full((len(members), self.n_categories), self.rates.false_hit_words, dtype=object)
        np.put_along_axis(words, self._checked(members), self.rates.hit_words, axis=1)
        words[:, : self.spare_words] += 1
        return words

    def randomise(self, categories: NDArray[Any], *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each row of `categories` (people, M).

        Raises HushrankError, before anything is drawn, unless each row is ascending, in 0..k-1.
        """
        hidden = self._checked(categories)
        reports = np.empty(len(hidden), dtype=np.intp)
        for start in range(0, len(hidden), PEOPLE_AT_ONCE):
            some = hidden[start : start + PEOPLE_AT_ONCE]
            reports[start : start + PEOPLE_AT_ONCE] = self._name(some, rng.words(len(some)))
        return reports

    def tally(self, reports: Reports) -> Tally:
        """Count the reports of each category."""
        named = checked_categories(reports, self.n_categories)
        return Tally(np.bincount(named, minlength=self.n_categories), named.size)

    def simulate_rows(self, categories: NDArray[Any], *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people who hide these rows (people, M), without their reports.

        With probability k q a report is uniform on all categories, else on those that hold.
        Protects nobody.
        """
        hidden = self._checked(categories)
        n_uniform = int(rng.binomial(len(hidden), self.n_categories * self.rates.false_hit_rate))
        evenly = np.full(self.n_categories, 1 / self.n_categories)
        spread = rng.multinomial(n_uniform, evenly)
        truthful = rng.permutation(len(hidden))[n_uniform:]
        named = hidden[truthful, rng.integers(self.n_members, size=truthful.size)]
        return Tally(spread + np.bincount(named, minlength=self.n_categories), len(hidden))

    @property
    def _words_of_truth(self) -> int:
        return self.n_members * self.rates.hit_words

    @property
    def _words_of_others(self) -> int:
        return (self.n_categories - self.n_members) * self.rates.false_hit_words

    def _name(self, hidden: Categories, words: Words) -> Categories:
        """Split the words: M runs of p for what holds, runs of q for the others, then the rest."""
        of_truth = np.uint64(self._words_of_truth)
        own = (words // np.uint64(self.rates.hit_words)).view(np.int64)
        nth = np.minimum(own, self.n_members - 1)[:, None]
        truth = np.take_along_axis(hidden, nth, axis=1)[:, 0]
        past = words - of_truth
        others = (past // np.uint64(self.rates.false_hit_words)).view(np.int64)
        is_spare = others >= self.n_categories - self.n_members
        spare = (past - np.uint64(self._words_of_others)).view(np.int64)
        for members in hidden.T:  # ascending: skip each that holds
            others += others >= members
        return np.where(words < of_truth, truth, np.where(is_spare, spare, others))

    def _checked(self, categories: NDArray[Any]) -> Categories:
        """Return rows (people, M) as categories; nobody may have any shape."""
        require(is_plain(categories), "expected an array of categories, without a mask")
        if categories.size == 0:
            return np.zeros((0, self.n_members), dtype=np.intp)
        shaped = categories.ndim == 2 and categories.shape[1] == self.n_members
        require(shaped, f"expected rows of {self.n_members} categories")
        rows = checked_categories(categories.ravel(), self.n_categories).reshape(categories.shape)
        require((np.diff(rows, axis=1) > 0).all(), "expected distinct categories, ascending")
        return rows

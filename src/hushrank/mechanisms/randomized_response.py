"""Generalised randomised response: the truth or another category.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.arrays import Categories, Counts, Reports, Words
from hushrank.errors import require
from hushrank.mechanisms.local import (
    Tally,
    checked_categories,
    checked_counts,
    require_parameters,
)
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness

PEOPLE_AT_ONCE = 2**14  # their words, 128 kB, stay in the cache


@dataclass(frozen=True)
class GeneralizedRandomizedResponse:
    """Report the true category with probability p, else another one, uniformly (GRR, k-RR).

        p = e^ε / (e^ε + k - 1)      q = 1 / (e^ε + k - 1)

    q is rounded up to a whole number of 2^64 words and p is what remains, so ln(p / q) <= ε holds
    exactly. One word a report: words below 2^64 p tell the truth, each other category has 2^64 q.
    Privacy: ε-LDP. Report: one integer in [0, k). Cost: O(1) per person.
    Source: Kairouz, Bonawitz, Ramage (ICML 2016), k-RR; Yang et al. (ICDE 2019), Algorithm 2.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell truth from lie."""
        require_parameters(self.n_categories, self.epsilon)
        too_fine = f"epsilon {self.epsilon} is too small for {self.n_categories} categories"
        require(self.rates.reach > 0, too_fine)

    @cached_property
    def rates(self) -> WordRates:
        """P(the truth is reported), and P(one given other category is)."""
        return WordRates.of_response(self.n_categories, self.epsilon)

    def channel_words(self) -> Counts:
        """Return 2^64 P(report | category), exactly: (k, k) Python integers, rows = categories."""
        shape = (self.n_categories, self.n_categories)
        words = np.full(shape, self.rates.false_hit_words, dtype=object)
        np.fill_diagonal(words, self.rates.hit_words)
        return words

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each of `categories` (people,)."""
        hidden = checked_categories(categories, self.n_categories)
        reports = np.empty(hidden.size, dtype=np.intp)
        for start in range(0, hidden.size, PEOPLE_AT_ONCE):
            some = hidden[start : start + PEOPLE_AT_ONCE]
            reports[start : start + PEOPLE_AT_ONCE] = self._respond(some, rng.words(some.size))
        return reports

    def _respond(self, hidden: Categories, words: Words) -> Categories:
        hit_words = np.uint64(self.rates.hit_words)
        lies = (words - hit_words) // np.uint64(self.rates.false_hit_words)
        others = lies.view(np.int64)
        others += others >= hidden  # skip the true category
        return np.where(words < hit_words, hidden, others)

    def tally(self, reports: Reports) -> Tally:
        """Count the reports of each category."""
        named = checked_categories(reports, self.n_categories)
        return Tally(np.bincount(named, minlength=self.n_categories), named.size)

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports.

        Of the people of one category a binomial number tells the truth; the others spread evenly
        over k - 1 cells. Spread over all k cells and thinned, the people of all categories can be
        drawn at once: with probability k q a report is uniform on all cells, else it is the truth.
        """
        uniform_rate = self.n_categories * self.rates.false_hit_rate
        counts = checked_counts(category_counts, self.n_categories)
        uniform = rng.binomial(counts, uniform_rate)
        evenly = np.full(self.n_categories, 1 / self.n_categories)
        spread = rng.multinomial(uniform.sum(), evenly)
        return Tally(counts - uniform + spread, int(counts.sum()))

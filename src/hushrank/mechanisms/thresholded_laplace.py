"""The Laplace mechanism on a yes-or-no answer, read at one half: a coin in disguise.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1, inf, log1p, nextafter

import numpy as np

from hushrank.arrays import Categories, Counts, Reports
from hushrank.errors import require
from hushrank.mechanisms.local import (
    Tally,
    checked_categories,
    checked_counts,
    require_parameters,
)
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import WORDS, exp_below, words_above


@dataclass(frozen=True)
class ThresholdedLaplace:
    """Report whether answer + Laplace(1 / e) reaches 1/2: the truth with probability p.

        p = 1 - exp(-e/2) / 2      q = exp(-e/2) / 2      e = `nominal_epsilon`

    Drawn as the coin that it is: no floating-point noise, one word a report, q rounded up.
    Privacy: ln(2 exp(e/2) - 1)-LDP, less than e; randomised response at e tells the truth oftener.
    Source: Yan, Li, Liu (arXiv 2019), section 4.5.   Differs from the source: which states that
    the reports are e-individually differentially private.
    """

    nominal_epsilon: float

    def __post_init__(self) -> None:
        """Check the parameter, and that 64 bits can tell truth from lie."""
        require_parameters(2, self.nominal_epsilon)
        too_fine = f"epsilon {self.nominal_epsilon} is too small"
        require(self.rates.reach > 0, too_fine)

    @property
    def n_categories(self) -> int:
        """No and yes."""
        return 2

    @cached_property
    def epsilon(self) -> float:
        """The true privacy loss of one report, in nats, rounded up: less than the nominal one."""
        half = self.nominal_epsilon / 2
        loss = half + log1p(-expm1(-half))  # the same, without overflow
        while self.rates.worst_ratio > exp_below(loss):
            loss = nextafter(loss, inf)
        return loss

    @cached_property
    def rates(self) -> WordRates:
        """P(the truth is reported), and P(the other answer is)."""
        false_hit_words = words_above(1 / (2 * exp_below(self.nominal_epsilon, 2)))
        hit_words = WORDS - false_hit_words
        return WordRates(hit_words, false_hit_words, Fraction(hit_words, false_hit_words))

    def channel_words(self) -> Counts:
        """Return 2^64 P(report | category), exactly: (2, 2) Python integers, rows = categories."""
        words = np.full((2, 2), self.rates.false_hit_words, dtype=object)
        np.fill_diagonal(words, self.rates.hit_words)
        return words

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each of `categories` (people,)."""
        hidden = checked_categories(categories, 2)
        lies = rng.words(hidden.size) >= np.uint64(self.rates.hit_words)
        return hidden ^ lies

    def tally(self, reports: Reports) -> Tally:
        """Count the reports of each category."""
        named = checked_categories(reports, 2)
        return Tally(np.bincount(named, minlength=2), named.size)

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports."""
        counts = checked_counts(category_counts, 2)
        lies = rng.binomial(counts, self.rates.false_hit_rate)
        return Tally(counts - lies + lies[::-1], int(counts.sum()))

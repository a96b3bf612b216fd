"""Harmony on one categorical attribute: one noisy entry of a Hadamard matrix.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Counts, Reports
from hushrank.errors import require
from hushrank.mechanisms.local import (
    Tally,
    checked_categories,
    checked_counts,
    require_parameters,
)
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness


@dataclass(frozen=True)
class Harmony:
    """Report a random row of a Hadamard matrix and, noisily, the sign in the category's column.

        p = e^ε / (e^ε + 1): the sign is true      sign = parity of the bits of row & category

    Report: 2 row + sign, of 0..2K-1, uint32, where K is the power of two from k on; sign 1 is -.
    Tape: a word whose low bits are the row, then one of GeneralizedRandomizedResponse for the sign.
    Privacy: ε-LDP. Error: a share's variance is at most (e^ε + 1)^2 / (n (e^ε - 1)^2).
    Cost: O(1) per person, O(n + K log K) at the collector.
    Source: Nguyên, Xiao, Yang, Hui, Shin, Shin (arXiv 2016), Harmony, one categorical attribute.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell truth from lie."""
        require_parameters(self.n_categories, self.epsilon)
        most = f"expected at most 2^31 categories, got {self.n_categories}"
        require(self.n_categories <= 2**31, most)
        _ = self._response

    @property
    def n_rows(self) -> int:
        """The number K of rows: the power of two from k on."""
        return 1 << (self.n_categories - 1).bit_length()

    @cached_property
    def rates(self) -> WordRates:
        """P(the true sign is reported), and P(the other is); two columns agree in half the rows."""
        return replace(self._response.rates, collision_rate=Fraction(1, 2))

    def channel_words(self) -> Counts:
        """Return 2^64 K P(report | category), exactly: (k, 2 K) Python integers."""
        rows, categories = np.arange(self.n_rows), np.arange(self.n_categories)
        true_signs = signs_at(rows, categories[:, None])
        is_true = true_signs[:, :, None] == np.arange(2)
        hit_words = np.array(self.rates.hit_words, dtype=object)
        words = np.where(is_true, hit_words, self.rates.false_hit_words)
        return words.reshape(self.n_categories, -1)

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each of `categories` (people,)."""
        hidden = checked_categories(categories, self.n_categories)
        rows = (rng.words(hidden.size) & np.uint64(self.n_rows - 1)).view(np.int64)
        signs = self._response.randomise(signs_at(rows, hidden), rng=rng)
        return (2 * rows + signs).astype(np.uint32)

    def tally(self, reports: Reports) -> Tally:
        """Count for every category the reports whose sign its column has in the report's row."""
        shaped = reports.dtype == np.uint32 and reports.ndim == 1
        require(shaped, "expected reports of shape (people,), uint32")
        known = bool((reports < 2 * self.n_rows).all())
        require(known, f"expected reports 0..{2 * self.n_rows - 1}, some lie outside")
        return self._tally_of(np.bincount(reports, minlength=2 * self.n_rows))

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports.

        With probability 2 q a report is uniform on all 2 K, else its sign is true. The true ones
        are drawn as multinomials over the rows where a category has more people than there are
        rows, else one by one: time O(min(n, k K) + K log K), memory O(min(n, k K) + K).
        """
        counts = checked_counts(category_counts, self.n_categories)
        true = rng.binomial(counts, 1 - 2 * self.rates.false_hit_words / 2**64)
        n_uniform = int(counts.sum() - true.sum())
        reports = rng.multinomial(n_uniform, np.full(2 * self.n_rows, 0.5 / self.n_rows))
        is_crowded = true > self.n_rows
        singles = np.repeat(np.arange(self.n_categories), np.where(is_crowded, 0, true))
        rows = rng.integers(self.n_rows, size=singles.size)
        reports += np.bincount(2 * rows + signs_at(rows, singles), minlength=2 * self.n_rows)
        every_row = np.arange(self.n_rows)
        for category in np.flatnonzero(is_crowded):
            people = rng.multinomial(true[category], np.full(self.n_rows, 1 / self.n_rows))
            reports[2 * every_row + signs_at(every_row, np.array(category))] += people
        return self._tally_of(reports)

    def _tally_of(self, report_counts: Counts) -> Tally:
        """Turn how often each report came (2 K,) into supports: (n + agreeing - opposing) / 2."""
        n_reports = int(report_counts.sum())
        surplus = hadamard_transform(report_counts[::2] - report_counts[1::2])
        return Tally((n_reports + surplus[: self.n_categories]) // 2, n_reports)

    @cached_property
    def _response(self) -> GeneralizedRandomizedResponse:
        return GeneralizedRandomizedResponse(2, self.epsilon)


def signs_at(rows: Categories, columns: Categories) -> NDArray[np.int64]:
    """Return the signs of the Sylvester matrix, 0 for + and 1 for -; arrays broadcast."""
    signs: NDArray[np.int64] = np.bitwise_count(rows & columns).astype(np.int64) & 1
    return signs


def hadamard_transform(values: Counts) -> Counts:
    """Multiply `values` (K,) by the Sylvester matrix, exactly. Cost: O(K log K)."""
    transformed, half = values, 1
    while half < values.size:
        pairs = transformed.reshape(-1, 2, half)
        sums, differences = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        transformed = np.stack([sums, differences], axis=1).reshape(-1)
        half *= 2
    return transformed

"""Unary encoding: one noisy bit for each category.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

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
from hushrank.samplers.bit_slicing import LANES, count_bits, draw_bits, little_endian_bytes
from hushrank.samplers.word_probabilities import WORDS, exp_below, words_above

BATCH_BLOCKS = 2**16
"""Blocks of 64 bits drawn or counted at once: half a megabyte, which stays in the cache."""
MOST_LISTED_CATEGORIES = 12  # 4096 reports


@dataclass(frozen=True)
class NoisyBits:
    """One bit for each of k categories, independently: what both encodings draw, list and count.

    The true category's bit is set at the hit rate, every other one at the false hit rate.
    """

    n_categories: int
    rates: WordRates

    def channel_words(self) -> Counts:
        """Return 2^(64 k) P(report | category): (k, 2^k) Python integers; r sets the bits of r."""
        k = self.n_categories
        require(k <= MOST_LISTED_CATEGORIES, f"cannot list the 2^{k} reports of {k} categories")
        set_words = np.full((k, k), self.rates.false_hit_words, dtype=object)
        np.fill_diagonal(set_words, self.rates.hit_words)
        either = [[(WORDS - words, words) for words in row[::-1]] for row in set_words]
        return np.array([[prod(bits) for bits in product(*row)] for row in either], dtype=object)

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw packed bits (people, ceil(k / 8)), batch by batch."""
        hidden = checked_categories(categories, self.n_categories).astype(np.uint64)
        reports = np.empty((hidden.size, -(-self.n_categories // 8)), dtype=np.uint8)
        for batch in self._batches(hidden.size):
            blocks = self._draw_batch(hidden[batch], rng=rng)
            reports[batch] = little_endian_bytes(blocks)[:, : reports.shape[1]]
        return reports

    def _draw_batch(self, categories: Words, *, rng: Randomness) -> Words:
        """Draw everybody's bits as if all were false hits, then overwrite the true ones."""
        blocks = draw_bits(categories.size, self.n_categories, self.rates.false_hit_words, rng=rng)
        is_hit = rng.words(categories.size) < np.uint64(self.rates.hit_words)
        people, block = np.arange(categories.size), categories // np.uint64(LANES)
        lane = categories % np.uint64(LANES)
        others = blocks[people, block] & ~(np.uint64(1) << lane)
        blocks[people, block] = others | (is_hit.astype(np.uint64) << lane)
        return blocks

    def tally(self, reports: Reports) -> Tally:
        """Count the set bits of each category."""
        self._require_reports(reports)
        support = np.zeros(self._n_blocks * LANES, dtype=np.int64)
        for batch in self._batches(len(reports)):
            support += count_bits(self._blocks_of(reports[batch]))
        return Tally(support[: self.n_categories].copy(), len(reports))

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports.

        All bits are independent: each category has a binomial number of hits and of false hits.
        """
        counts = checked_counts(category_counts, self.n_categories)
        n_people = int(counts.sum())
        hits = rng.binomial(counts, self.rates.hit_rate)
        false_hits = rng.binomial(n_people - counts, self.rates.false_hit_rate)
        return Tally(hits + false_hits, n_people)

    @property
    def _n_blocks(self) -> int:
        return -(-self.n_categories // LANES)

    def _batches(self, n_people: int) -> list[slice]:
        size = max(2, BATCH_BLOCKS // self._n_blocks)  # a lone row takes many more words
        return [slice(start, start + size) for start in range(0, n_people, size)]

    def _blocks_of(self, reports: Reports) -> Words:
        padded = reports
        if reports.shape[1] != 8 * self._n_blocks or not reports.flags.c_contiguous:
            padded = np.zeros((len(reports), 8 * self._n_blocks), dtype=np.uint8)
            padded[:, : reports.shape[1]] = reports
        return padded.view("<u8").astype(np.uint64, copy=False)

    def _require_reports(self, reports: Reports) -> None:
        n_bytes = -(-self.n_categories // 8)
        shaped = reports.dtype == np.uint8 and reports.ndim == 2 and reports.shape[1] == n_bytes
        require(shaped, f"expected packed reports of shape (people, {n_bytes}), uint8")
        padding = 0xFF << (self.n_categories - 8 * (n_bytes - 1)) & 0xFF
        require(not (reports[:, -1] & np.uint8(padding)).any(), "expected padding bits of 0")


@dataclass(frozen=True)
class SymmetricUnaryEncoding:
    """Report one bit a category; hits and misses are equally sure (SUE, basic RAPPOR).

        p = e^(ε/2) / (e^(ε/2) + 1)      q = 1 - p

    q is rounded up to a whole number of 2^64 words. Report: packed bits (people, ceil(k/8)) uint8;
    category v is bit v % 8, least significant first, of byte v // 8. Tape: `draw_bits` for all bits
    as false hits, then one word for the true bit. A person alone always draws 64 ceil(k/64) + 1
    words. Only a simulated crowd stops early; its number cannot be attributed to a person.
    Privacy: ε-LDP. Cost: O(k) per person.
    Source: Erlingsson, Pihur, Korolova (CCS 2014), basic one-time RAPPOR.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell a hit from a false hit."""
        require_parameters(self.n_categories, self.epsilon)
        is_told = self.rates.reach > 0
        require(is_told, f"epsilon {self.epsilon} is too small")

    @cached_property
    def rates(self) -> WordRates:
        """P(the bit of the true category is set), and P(the bit of one given other one is)."""
        false_hit_words = words_above(1 / (exp_below(self.epsilon, 2) + 1))
        return WordRates.of_bits(WORDS - false_hit_words, false_hit_words)

    def channel_words(self) -> Counts:
        """Return 2^(64 k) P(report | category), exactly: (k, 2^k); column r sets the bits of r."""
        return self._bits.channel_words()

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people, ceil(k / 8)) for each of `categories` (people,)."""
        return self._bits.randomise(categories, rng=rng)

    def tally(self, reports: Reports) -> Tally:
        """Count the set bits of each category."""
        return self._bits.tally(reports)

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports."""
        return self._bits.simulate_tally(category_counts, rng=rng)

    @cached_property
    def _bits(self) -> NoisyBits:
        return NoisyBits(self.n_categories, self.rates)


@dataclass(frozen=True)
class OptimisedUnaryEncoding:
    """Report one bit a category; the zeros, which are many, carry the budget (OUE).

        p = 1 / 2      q = 1 / (e^ε + 1)

    p is exact and q is rounded up to a whole number of 2^64 words. Report and tape: those of
    SymmetricUnaryEncoding. A person alone always draws 64 ceil(k/64) + 1 words. Only a simulated
    crowd stops early; its number cannot be attributed to a person.
    Privacy: ε-LDP. Cost: O(k) per person.
    Source: Wang, Blocki, Li, Jha (USENIX Security 2017), OUE.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell a hit from a false hit."""
        require_parameters(self.n_categories, self.epsilon)
        is_told = self.rates.reach > 0
        require(is_told, f"epsilon {self.epsilon} is too small")

    @cached_property
    def rates(self) -> WordRates:
        """P(the bit of the true category is set), and P(the bit of one given other one is)."""
        return WordRates.of_bits(WORDS // 2, words_above(1 / (exp_below(self.epsilon) + 1)))

    def channel_words(self) -> Counts:
        """Return 2^(64 k) P(report | category), exactly: (k, 2^k); column r sets the bits of r."""
        return self._bits.channel_words()

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people, ceil(k / 8)) for each of `categories` (people,)."""
        return self._bits.randomise(categories, rng=rng)

    def tally(self, reports: Reports) -> Tally:
        """Count the set bits of each category."""
        return self._bits.tally(reports)

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide c, without their reports."""
        return self._bits.simulate_tally(category_counts, rng=rng)

    @cached_property
    def _bits(self) -> NoisyBits:
        return NoisyBits(self.n_categories, self.rates)

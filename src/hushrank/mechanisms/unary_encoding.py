"""Unary encoding: one noisy bit for each category."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hushrank.arrays import Categories, Counts, Reports
from hushrank.errors import require
from hushrank.mechanisms.local import Tally, require_parameters
from hushrank.mechanisms.noisy_bits import NoisyBits
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import WORDS, exp_below, words_above


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
        require(self.hit_words > self.false_hit_words, f"epsilon {self.epsilon} is too small")

    @cached_property
    def false_hit_words(self) -> int:
        """2^64 q: how many words set the bit of one given other category."""
        return words_above(1 / (exp_below(self.epsilon, 2) + 1))

    @property
    def hit_words(self) -> int:
        """2^64 p: how many words set the bit of the true category."""
        return WORDS - self.false_hit_words

    @property
    def hit_rate(self) -> float:
        """The probability p."""
        return self.hit_words / WORDS

    @property
    def false_hit_rate(self) -> float:
        """The probability q."""
        return self.false_hit_words / WORDS

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(report | a) / P(report | b), exactly; at most e^ε."""
        return self._bits.worst_ratio

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
        return NoisyBits(self.n_categories, self.hit_words, self.false_hit_words)


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
        require(self.hit_words > self.false_hit_words, f"epsilon {self.epsilon} is too small")

    @cached_property
    def false_hit_words(self) -> int:
        """2^64 q: how many words set the bit of one given other category."""
        return words_above(1 / (exp_below(self.epsilon) + 1))

    @property
    def hit_words(self) -> int:
        """2^64 p: how many words set the bit of the true category."""
        return WORDS // 2

    @property
    def hit_rate(self) -> float:
        """The probability p."""
        return self.hit_words / WORDS

    @property
    def false_hit_rate(self) -> float:
        """The probability q."""
        return self.false_hit_words / WORDS

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(report | a) / P(report | b), exactly; at most e^ε."""
        return self._bits.worst_ratio

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
        return NoisyBits(self.n_categories, self.hit_words, self.false_hit_words)

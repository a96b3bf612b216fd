"""The two probabilities of a local mechanism, as whole numbers of 64-bit words.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hushrank.samplers.word_probabilities import WORDS, exp_below, words_above


@dataclass(frozen=True)
class WordRates:
    """How many of 2^64 words tell the truth, how many tell one given lie, and what that costs.

    A word is drawn for each report or, in unary encodings, compared for each of its bits.
    `worst_ratio` is the largest P(report | a) / P(report | b), exactly; at most e^ε. Where reports
    name a bucket or a sign, `collision_rate` is the probability that two given categories share it.
    """

    hit_words: int
    false_hit_words: int
    worst_ratio: Fraction
    collision_rate: Fraction = Fraction(0)

    @classmethod
    def of_response(cls, n_choices: int, epsilon: float) -> "WordRates":
        """Return the rates of one report of n choices: the truth, or another one, uniformly.

        p = e^ε / (e^ε + n - 1)      q = 1 / (e^ε + n - 1), rounded up, and p is what remains
        """
        return cls.of_members(n_choices, 1, epsilon)

    @classmethod
    def of_members(cls, n_choices: int, n_members: int, epsilon: float) -> "WordRates":
        """Return the rates of one report of n choices, of which M hold: one of these, or another.

        p = e^ε / (M e^ε + n - M)      q = 1 / (M e^ε + n - M), rounded up, and p down
        """
        n_others = n_choices - n_members
        false_hit_words = words_above(1 / (n_members * exp_below(epsilon) + n_others))
        hit_words = (WORDS - n_others * false_hit_words) // n_members
        return cls(hit_words, false_hit_words, Fraction(hit_words, false_hit_words))

    @classmethod
    def of_bits(cls, hit_words: int, false_hit_words: int) -> "WordRates":
        """Return the rates of independent bits: set for the truth, and for each other category.

        The worst ratio is p (1 - q) / (q (1 - p)): a's bit is set and b's is not.
        """
        p, q = Fraction(hit_words, WORDS), Fraction(false_hit_words, WORDS)
        return cls(hit_words, false_hit_words, p * (1 - q) / (q * (1 - p)))

    @property
    def hit_rate(self) -> float:
        """P(a report supports the category that it hides): p."""
        return self.hit_words / WORDS

    @cached_property
    def false_hit_rate(self) -> float:
        """P(a report supports one given other category): q, or p c + q (1 - c) with collisions."""
        collision = self.collision_rate
        if not collision:
            return self.false_hit_words / WORDS
        words = self.hit_words * collision + self.false_hit_words * (1 - collision)
        return float(words / WORDS)

    @property
    def reach(self) -> float:
        """How much likelier the truth supports a category than a given lie does: p - q."""
        return self.hit_rate - self.false_hit_rate

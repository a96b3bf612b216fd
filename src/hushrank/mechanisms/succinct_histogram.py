"""Succinct histogram: one noisy bit of a random matrix."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hushrank.arrays import Categories, Counts, Reports
from hushrank.mechanisms.hash_family import HashedResponse
from hushrank.mechanisms.local import Tally, require_parameters
from hushrank.randomness import Randomness


@dataclass(frozen=True)
class SuccinctHistogram:
    """Draw a row of a matrix of signs and report, noisily, the sign in the category's column (SH).

        p = e^ε / (e^ε + 1): the sign is true      q = 1 - p

    Report: `HASHED_REPORT` (people,): row a, b; bucket 0 is +, 1 is -. Tape: a, b, then one word
    of GeneralizedRandomizedResponse. No simulate_tally: columns are independent in pairs only.
    Differs from the source: the 2^128 rows are those of `buckets_of` with 2 buckets, and not m rows
    drawn once, so columns are exactly orthogonal, without the Johnson-Lindenstrauss error. So it is
    binary local hashing, as Wang et al. (USENIX Security 2017) note. Privacy: ε-LDP.
    Source: Bassily, Smith (STOC 2015), with the basic randomizer on one random row.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell truth from lie."""
        require_parameters(self.n_categories, self.epsilon)
        _ = self._hashed.response

    @property
    def hit_words(self) -> int:
        """2^64 p: how many words report the true sign."""
        return self._hashed.response.hit_words

    @property
    def false_hit_words(self) -> int:
        """2^64 q: how many words report the other sign."""
        return self._hashed.response.false_hit_words

    @property
    def hit_rate(self) -> float:
        """The probability p."""
        return self._hashed.response.hit_rate

    @property
    def false_hit_rate(self) -> float:
        """P(a report supports one given other category): exactly 1 / 2."""
        return float(self._hashed.false_hit)

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(report | a) / P(report | b), exactly; at most e^ε."""
        return self._hashed.response.worst_ratio

    def channel_words(self, multiplier: int, offset: int) -> Counts:
        """Return 2^64 P(sign | category, row), exactly: (k, 2); each row has probability 2^-128."""
        return self._hashed.channel_words(multiplier, offset)

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each of `categories` (people,)."""
        return self._hashed.randomise(categories, rng=rng)

    def tally(self, reports: Reports) -> Tally:
        """Count for every category the reports whose sign its column has in the report's row."""
        return self._hashed.tally(reports)

    @cached_property
    def _hashed(self) -> HashedResponse:
        return HashedResponse(self.n_categories, self.epsilon, n_buckets=2)

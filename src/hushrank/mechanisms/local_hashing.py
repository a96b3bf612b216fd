"""Local hashing: randomised response on a few buckets, behind a function drawn anew each time.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from functools import cached_property

from hushrank.arrays import Categories, Counts, Reports
from hushrank.mechanisms.hash_family import HashedResponse
from hushrank.mechanisms.local import Tally, require_parameters
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import exp_below

MOST_BUCKETS = 2**16
"""Reached at epsilon 11.1, where two categories in one bucket are rarer than 1 in 65,000."""


@dataclass(frozen=True)
class OptimisedLocalHashing:
    """Hash the category to one of g buckets and report a noisy bucket (OLH).

        g = round(e^ε) + 1, of 2 to 2^16      p = e^ε / (e^ε + g - 1)      q = 1 / (e^ε + g - 1)

    Report: `HASHED_REPORT` (people,): the words a, b of `buckets_of`, and a bucket in [0, g).
    Tape: a, b, then the word of GeneralizedRandomizedResponse on g buckets.
    No simulate_tally: the supports of one report are only pairwise independent, so that the joint
    law of a tally is no product.
    Privacy: ε-LDP. Cost: O(1) per person, O(k) per report at the collector.
    Source: Wang, Blocki, Li, Jha (USENIX Security 2017), OLH.
    """

    n_categories: int
    epsilon: float

    def __post_init__(self) -> None:
        """Check the parameters, and that 64 bits can tell truth from lie."""
        require_parameters(self.n_categories, self.epsilon)
        _ = self._hashed.response

    @property
    def n_buckets(self) -> int:
        """The number g of buckets."""
        return self._hashed.n_buckets

    @property
    def rates(self) -> WordRates:
        """P(the true bucket is reported), and P(one given other bucket is)."""
        return self._hashed.rates

    def channel_words(self, multiplier: int, offset: int) -> Counts:
        """Return 2^64 P(bucket | category, function), exactly: (k, g); function = 2^-128 each."""
        return self._hashed.channel_words(multiplier, offset)

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw one report (people,) for each of `categories` (people,)."""
        return self._hashed.randomise(categories, rng=rng)

    def tally(self, reports: Reports) -> Tally:
        """Count for every category the reports that name its bucket."""
        return self._hashed.tally(reports)

    @cached_property
    def _hashed(self) -> HashedResponse:
        n_buckets = min(round(exp_below(self.epsilon)) + 1, MOST_BUCKETS)
        return HashedResponse(self.n_categories, self.epsilon, n_buckets)


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
    def rates(self) -> WordRates:
        """P(the true sign is reported), and P(the other sign is)."""
        return self._hashed.rates

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

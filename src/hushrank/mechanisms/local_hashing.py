"""Local hashing: randomised response on a few buckets, behind a function drawn anew each time."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hushrank.arrays import Categories, Counts, Reports
from hushrank.mechanisms.hash_family import HashedResponse
from hushrank.mechanisms.local import Tally, require_parameters
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
    def hit_words(self) -> int:
        """2^64 p: how many words report the true bucket."""
        return self._hashed.response.hit_words

    @property
    def false_hit_words(self) -> int:
        """2^64 q: how many words report one given other bucket."""
        return self._hashed.response.false_hit_words

    @property
    def hit_rate(self) -> float:
        """The probability p."""
        return self._hashed.response.hit_rate

    @property
    def false_hit_rate(self) -> float:
        """P(a report supports one given other category): about 1 / g."""
        return float(self._hashed.false_hit)

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(report | a) / P(report | b), exactly; at most e^ε."""
        return self._hashed.response.worst_ratio

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
        n_buckets = min(max(2, round(exp_below(self.epsilon)) + 1), MOST_BUCKETS)
        return HashedResponse(self.n_categories, self.epsilon, n_buckets)

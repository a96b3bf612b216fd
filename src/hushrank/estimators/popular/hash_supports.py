"""How many reports support an answer, told from the tallies of a few hash functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Floats, Shares, Words
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.questions.hashed import BITS, SHIFT, Hashed, collision_rate, hashed_buckets
from hushrank.questions.question import Question

CellNumbers: TypeAlias = NDArray[np.intp]
"""(functions, answers): the bucket of each answer, among all buckets of all functions."""

AT_ONCE = 4096  # answers, whose supports stay in the cache
RUN_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False, repr=False)
class HashedReports:
    """Counts (functions, buckets) of the reported buckets of the answers to one question.

        P(report of bucket y) = lie_rate + (hit_rate - lie_rate) P(bucket y)

    A report supports every answer of its bucket. functions (functions, 2) = multiplier, offset.
    """

    functions: Words
    counts: Floats
    hit_rate: float
    lie_rate: float

    @classmethod
    def of(
        cls,
        questions: Sequence[Question],
        mechanisms: Sequence[LocalMechanism],
        tallies: Sequence[Tally],
    ) -> "HashedReports":
        """Take one tally for each question, all of them `Hashed`, through like mechanisms."""
        asked = [each for each in questions if isinstance(each, Hashed)]
        same = len({each.question for each in asked}) == 1 and len(asked) == len(questions)
        require(same, "expected one question behind several hash functions")
        rates = {(each.rates.hit_rate, each.rates.false_hit_rate) for each in mechanisms}
        require(len(rates) == 1, "expected one mechanism for all hash functions")
        functions = np.array([(each.multiplier, each.offset) for each in asked], dtype=np.uint64)
        counts: Floats = np.stack([tally.support for tally in tallies]).astype(np.float64)
        fits = counts.shape == (len(asked), asked[0].n_buckets)
        require(fits, "expected a tally of buckets for each hash function")
        return cls(functions, counts, *rates.pop())

    @property
    def n_buckets(self) -> int:
        """How many buckets each function has."""
        return int(self.counts.shape[1])

    @cached_property
    def by_function(self) -> Floats:
        """How many people reported through each function (functions,)."""
        rows: Floats = self.counts.sum(axis=1)
        return rows

    @cached_property
    def n_reports(self) -> float:
        """How many people reported."""
        return float(self.by_function.sum())

    @property
    def false_support(self) -> float:
        """P(a report supports one given other answer than its own)."""
        collision = collision_rate(self.n_buckets)
        return self.hit_rate * collision + self.lie_rate * (1 - collision)

    @property
    def gap(self) -> float:
        """P(a report supports its own answer) - P(it supports another)."""
        return self.hit_rate - self.false_support

    def cells(self, answers: Categories) -> CellNumbers:
        """Return the bucket of each answer by each function."""
        buckets = hashed_buckets(self.functions, answers.astype(np.uint64), self.n_buckets)
        buckets += np.arange(len(buckets))[:, None] * self.n_buckets
        return buckets

    def support(self, cells: CellNumbers) -> Floats:
        """Return how many reports support each answer (answers,)."""
        support: Floats = self.counts.ravel()[cells].sum(axis=0)
        return support

    def log_likelihood(self, in_buckets: Floats) -> float:
        """Return the log-probability of the reports where P(bucket) is (functions, buckets)."""
        reported = self.lie_rate + (self.hit_rate - self.lie_rate) * in_buckets
        return float((self.counts * np.log(reported)).sum())

    def expected_support(self, cells: CellNumbers, in_buckets: Floats) -> Floats:
        """Return the expected support (answers,) where P(bucket) is (functions, buckets)."""
        reported = self.lie_rate + (self.hit_rate - self.lie_rate) * in_buckets
        counts = self.by_function[:, None] * reported
        expected: Floats = counts.ravel()[cells].sum(axis=0)
        return expected

    def in_buckets(self, cells: CellNumbers, shares: Shares) -> Floats:
        """Return P(bucket) (functions, buckets) where answers have shares (answers,)."""
        weights = np.broadcast_to(shares, cells.shape)
        flat = np.bincount(cells.ravel(), weights.ravel(), minlength=self.counts.size)
        in_buckets: Floats = flat.astype(np.float64).reshape(self.counts.shape)
        return in_buckets

    def supported(self, runs: Sequence[range], least: float) -> tuple[Categories, Floats]:
        """Return the answers of the runs whose support is at least `least`, and their supports.

        Cost: O(answers functions), about a nanosecond each, whatever the number of people.
        """
        found = [np.zeros(0, dtype=np.intp)]
        supports = [np.zeros(0)]
        for run in runs:
            for start in range(run.start, run.stop, RUN_AT_ONCE):
                support = np.zeros(min(RUN_AT_ONCE, run.stop - start))
                _add_support(self.functions, self.counts, start, support)
                (enough,) = np.nonzero(support >= least)
                found.append(start + enough)
                supports.append(support[enough])
        return np.concatenate(found), np.concatenate(supports)


@kernel
def _add_support(functions: Words, counts: Floats, start: int, support: Floats) -> None:
    """Add the support of the answers start, start + 1, ...: `hashed_buckets` moves by a step."""
    n_buckets = np.uint64(counts.shape[1])
    for first in range(0, support.size, AT_ONCE):
        block = support[first : first + AT_ONCE]
        for function in range(len(functions)):
            row, step = counts[function], functions[function, 0]
            hashed = functions[function, 1] + step * np.uint64(start + first)
            for nth in range(block.size):
                bucket = ((hashed >> np.uint64(SHIFT)) * n_buckets) >> np.uint64(BITS)
                block[nth] += row[bucket]
                hashed += step

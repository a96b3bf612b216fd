"""How liars make reports that serve what they want, in three ways.

Theory: docs/theory/forged-reports.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from hushrank.arrays import Indices, Order, Ranks, Reports
from hushrank.mechanisms.hash_family import HASHED_REPORT, buckets_of
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.poisoning.sums import favouring
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.randomness import Randomness

UNARY = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)
HASHING = (OptimisedLocalHashing, SuccinctHistogram)
TRIED_FUNCTIONS = 200
"""Among so many hash functions an attacker looks for the one that says most at once."""


@dataclass(frozen=True, eq=False, repr=False)
class Wanted:
    """What liars are after: an item that most people have last is to be first.

    order: that item, then the others as most people have them.
    """

    order: Order

    @property
    def item(self) -> int:
        """The item to promote."""
        return self.order[0]

    @cached_property
    def ranks(self) -> Ranks:
        """The order as one person's ranks (1, items)."""
        ranks = np.empty((1, len(self.order)), dtype=np.uint8)
        ranks[0, list(self.order)] = np.arange(len(self.order))
        return ranks


Forge: TypeAlias = Callable[[Question, Reporting, int, Wanted, Randomness], Reports]
"""Makes so many reports to a question, for what is wanted."""


def as_fake_people(
    question: Question, mechanism: Reporting, n_reports: int, wanted: Wanted, rng: Randomness
) -> Reports:
    """Answer as honest devices of people who have the wanted order (input poisoning)."""
    truths = question.answer(np.repeat(wanted.ranks, n_reports, axis=0))
    return mechanism.randomise(truths, rng=rng)


def without_noise(
    question: Question, mechanism: Reporting, n_reports: int, wanted: Wanted, rng: Randomness
) -> Reports:
    """Report what people who have the wanted order hide, as it is (output poisoning)."""
    truth = question.answer(wanted.ranks)
    if isinstance(mechanism, UNARY):
        return _bits(mechanism, np.tile([int(truth[0])], (n_reports, 1)))
    if isinstance(mechanism, HASHING):
        return _hashed(mechanism, np.array([int(truth[0])]), n_reports, 1, rng)
    if isinstance(question, NamedSet):
        return _named(question, truth[0], n_reports, wanted, rng)
    return np.repeat(truth, n_reports, axis=0)


def with_most_gain(
    question: Question, mechanism: Reporting, n_reports: int, wanted: Wanted, rng: Randomness
) -> Reports:
    """Speak for all answers that put the item first, as far as one report can.

    Bits of other answers are set too, as many as honest reports have. Of 200 hash functions the one
    is named that has most of the answers in a bucket.
    Source: Cao, Jia, Gong (USENIX Security 2021), MGA.
    """
    cells = dict(favouring(question)).get(wanted.item)
    if cells is None or not isinstance(mechanism, UNARY + HASHING):
        return without_noise(question, mechanism, n_reports, wanted, rng)
    if isinstance(mechanism, HASHING):
        return _hashed(mechanism, np.array(cells), n_reports, TRIED_FUNCTIONS, rng)
    k, rates = mechanism.n_categories, mechanism.rates
    usual = round(rates.hit_rate + (k - 1) * rates.false_hit_rate)
    others = np.setdiff1d(np.arange(k), cells)
    keys = rng.words(n_reports * others.size).reshape(n_reports, -1)
    beside = others[keys.argsort(axis=1)[:, : max(0, usual - len(cells))]]
    return _bits(mechanism, np.hstack([np.tile(np.array(cells), (n_reports, 1)), beside]))


def with_dealt_functions(
    question: Question, mechanism: Reporting, n_reports: int, wanted: Wanted, rng: Randomness
) -> Reports:
    """Do as `with_most_gain`, where the collector draws the hash functions: one each, no choice."""
    cells = dict(favouring(question)).get(wanted.item)
    if cells is None or not isinstance(mechanism, HASHING):
        return with_most_gain(question, mechanism, n_reports, wanted, rng)
    return _hashed(mechanism, np.array(cells), n_reports, 1, rng)


ATTACKS: Mapping[str, Forge] = {
    "fake people": as_fake_people,
    "no noise": without_noise,
    "most gain": with_most_gain,
}


def _named(
    question: NamedSet, held: Indices, n_reports: int, wanted: Wanted, rng: Randomness
) -> Reports:
    """Name what holds of the promoted item, of several any; if nothing does, any that holds."""
    own = np.array([cell for cell in held.tolist() if question.cell(cell)[0] == wanted.item])
    cells = own if own.size else held
    named: Reports = cells[rng.below(len(cells), n_reports).astype(np.intp)]
    return named


def _bits(mechanism: Reporting, set_cells: Indices) -> Reports:
    """Pack rows of bits that are set for these cells (people, set)."""
    bits = np.zeros((len(set_cells), mechanism.n_categories), dtype=np.uint8)
    np.put_along_axis(bits, set_cells, 1, axis=1)
    return np.packbits(bits, axis=1, bitorder="little")


def _hashed(
    mechanism: Reporting, cells: Indices, n_reports: int, n_functions: int, rng: Randomness
) -> Reports:
    """Name, each time, the function and the bucket that hold most of the cells."""
    n_buckets = 2 if isinstance(mechanism, SuccinctHistogram) else mechanism.n_buckets  # type: ignore[attr-defined]
    functions = rng.words(2 * n_reports * n_functions).reshape(2, n_reports, n_functions)
    multipliers, offsets = functions[..., None]
    buckets = buckets_of(multipliers, offsets, cells.astype(np.uint64), n_buckets)
    held = (buckets[..., None] == np.arange(n_buckets, dtype=np.uint64)).sum(axis=2)
    best = held.reshape(n_reports, -1).argmax(axis=1)
    reports, people = np.empty(n_reports, dtype=HASHED_REPORT), np.arange(n_reports)
    reports["multiplier"], reports["offset"] = functions[:, people, best // n_buckets]
    reports["bucket"] = best % n_buckets
    return reports

"""Random cases, of every question through every mechanism that can hide it, for two languages."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.coding import rank_type
from hushrank.rankings.competition import unranked
from hushrank.samplers.shuffles import words_of_a_shuffle
from hushrank.surveys.wire_documents import wire_mechanism
from hushrank.surveys.wire_questions import wire_question
from hushrank.surveys.wire_reports import to_wire
from tests.conformance import WORDS, bytes_of_words, recorded, words_of_a_person

MECHANISMS = (
    GeneralizedRandomizedResponse,
    SymmetricUnaryEncoding,
    OptimisedUnaryEncoding,
    OptimisedLocalHashing,
    SuccinctHistogram,
    Harmony,
)
MOST_UNARY = 2**8  # a report has a word for each; the vectors have more
EDGES_EVERY = 5


@dataclass(frozen=True)
class Pair:
    """A question, what hides its answers, and of how many items people rank."""

    question: Any
    mechanism: Any
    n_items: int

    @property
    def line(self) -> bytes:
        """What the other language is told of it."""
        wire = {"question": wire_question(self.question), "n_items": self.n_items}
        return msgspec.json.encode({**wire, "mechanism": wire_mechanism(self.mechanism)})

    def cases(self, n: int, rng: np.random.Generator) -> Iterator[tuple[bytes, bytes]]:
        """Yield the lines of n people, and the JSON of what they report."""
        ranks = people(n, self.n_items, self.question.takes_incomplete, rng)
        rows = np.where(ranks == unranked(ranks), -1, ranks.astype(int)).tolist()
        answers = self.question.answer(ranks)
        for nth, row in enumerate(rows):
            source, pieces = self._source(nth, rng)
            report = self.mechanism.randomise(answers[nth : nth + 1], rng=source)
            own = [None if rank < 0 else rank for rank in row]
            line = msgspec.json.encode([own, b"".join(pieces).hex()])
            yield line, msgspec.json.encode(to_wire(self.mechanism, report))

    def _source(self, nth: int, rng: np.random.Generator) -> tuple[Randomness, list[bytes]]:
        """Return random words, and all that are read of them; some end beside a threshold."""
        is_edge = nth % EDGES_EVERY == 0
        if isinstance(self.mechanism, SubsetOrder):
            edge = _edge_of_orders(self.mechanism, nth // EDGES_EVERY)
            return recorded(BytesIO(edge).read if is_edge else rng.bytes)
        tape = rng.bytes(8 * words_of_a_person(self.mechanism))
        if is_edge:
            hit, lie = self.mechanism.rates.hit_words, self.mechanism.rates.false_hit_words
            edges = [0, hit - 1, hit, hit + lie - 1, hit + lie, WORDS - 1]
            last = min(edges[nth // EDGES_EVERY % len(edges)], WORDS - 1)
            tape = tape[:-8] + bytes_of_words([last])
        return Randomness.replayed(tape), [tape]


def _edge_of_orders(mechanism: SubsetOrder, nth: int) -> bytes:
    """Return words at the thresholds: of a try, its coin and the swaps.

    The last words that are allowed shuffle nothing, so that their try succeeds; one more spoils it.
    Words of 0 shuffle far, so that the coin decides.
    """
    lasts = [last for _, last in words_of_a_shuffle(mechanism.n_categories)]
    shuffle = [lasts, [0] * len(lasts), [min(last + 1, WORDS - 1) for last in lasts]][nth % 3]
    coin = mechanism.far_words - nth // 3 % 2
    swaps = [max(0, words - nth // 6 % 2) for words in mechanism.swap_words]
    succeeds = [*lasts, 0, *swaps]
    is_accepted = nth % 3 == 0 or (nth % 3 == 1 and nth // 3 % 2 == 1)
    first = [*shuffle, coin, *(swaps if is_accepted else [])]
    return bytes_of_words([*first, *succeeds, *succeeds])


def people(n: int, n_items: int, incomplete: bool, rng: np.random.Generator) -> NDArray[Any]:
    """Return the ranks (people, items) of people who rank all items, or only some."""
    identical = np.tile(np.arange(n_items, dtype=rank_type(n_items)), (n, 1))
    ranks = rng.permuted(identical, axis=1)
    if incomplete:
        ranks[ranks >= rng.integers(n_items + 1, size=n)[:, None]] = unranked(ranks)
    return ranks


def questions(rng: np.random.Generator) -> list[tuple[Any, int]]:
    """Return questions of every kind, about random items, and how many items there are."""
    drawn: list[tuple[Any, int]] = []
    for n_items in (3, 5, 8, 12, 40, 260):
        items = tuple(rng.permutation(n_items).tolist())
        first, second, third = items[:3]
        levels = even_levels(n_items, min(n_items, 4))
        pair, level = RelativeOrder((first, second)), RankLevel(first, extreme_levels(n_items))
        both = LevelAndPrecedence(first, second, levels)
        each = [pair, RelativeOrder(items[:3]), level, both]
        each += [RankAndPrecedence(first, second, third, n_items), Stated(pair, "unknown")]
        each += [Stated(question, "last") for question in (pair, level, both)]
        each += [Interleaving(items[:1], items[1:8]), Interleaving(items[1:3], items[:1])]
        drawn += [(question, n_items) for question in each]
        if n_items <= 12:
            drawn += [(question, n_items) for question in _of_few_items(items, rng)]
        if n_items <= 40:
            half = tuple(range(n_items // 2))
            drawn += [
                (NamedSet(half, n_items), n_items),
                (NamedSet(half, n_items, "after"), n_items),
            ]
            last = tuple(range(n_items - 2, n_items))
            drawn += [(NamedSet(last, n_items, side), n_items) for side in ("before", "after")]
            drawn += [(NamedSet(last[-(n_items // 2) :], n_items), n_items)]
        drawn += [(WholeOrder(items[:size]), n_items) for size in {2, min(n_items, 20)}]
    return drawn


def _of_few_items(items: tuple[int, ...], rng: np.random.Generator) -> Iterator[Any]:
    n_items, half = len(items), len(items) // 2
    yield RelativeOrder(items)
    yield Interleaving(items[:half], items[half:])
    for places in {1, half, n_items}:
        question = TopOrder(n_items, places)
        yield question
        multiplier, offset = rng.integers(WORDS - 1, size=2, dtype=np.uint64).tolist()
        yield Hashed(question, multiplier, offset, int(rng.integers(2, 1025)))


def pairs(rng: np.random.Generator) -> list[Pair]:
    """Return every question with every mechanism that can hide its answers."""
    every: list[Pair] = []
    for question, n_items in questions(rng):
        epsilon = float(rng.choice([0.1, 0.5, 1.0, 2.0, 3.0, 4.5]))
        k = question.n_categories
        if isinstance(question, WholeOrder):
            every.append(Pair(question, SubsetOrder(k, min(epsilon, 3.0)), n_items))
            continue
        if isinstance(question, NamedSet):
            every.append(Pair(question, NamedMember(k, epsilon, question.n_members), n_items))
            continue
        for mechanism in MECHANISMS:
            is_unary = mechanism in (SymmetricUnaryEncoding, OptimisedUnaryEncoding)
            if k <= (MOST_UNARY if is_unary else 2**31):
                every.append(Pair(question, mechanism(k, epsilon), n_items))
    return every

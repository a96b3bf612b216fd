"""Surveys with some forged reports among honest ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hushrank.arrays import Reports
from hushrank.mechanisms.hash_family import HASHED_REPORT, buckets_of
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.protocols.registry import make_protocol
from hushrank.questions.question import Question
from hushrank.randomness import Randomness
from hushrank.surveys.survey import Survey, Tallies

Forge = Callable[[Question, Reporting, int, Randomness], Reports]
"""Makes so many reports to a question."""

UNARY = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)
HASHING = (OptimisedLocalHashing, SuccinctHistogram)


def survey_of(protocol: str, n_items: int, epsilon: float, n_people: int, **options: Any) -> Survey:
    """Return the first survey of a protocol."""
    begun = make_protocol(protocol, options)
    return next(begun.begin(n_items, epsilon=epsilon, n_people=n_people, seed=1))[0]


def people(n_people: int, n_items: int, agreement: float, seed: int) -> np.ndarray:
    """Return ranks (people, items) near to the order 0, 1, ... by Plackett-Luce."""
    rng = np.random.default_rng(seed)
    utilities = -agreement * np.arange(n_items) + rng.gumbel(size=(n_people, n_items))
    return (-utilities).argsort(axis=1).argsort(axis=1).astype(np.uint8)


def collected(survey: Survey, ranks: np.ndarray, n_forged: int, forge: Forge, seed: int) -> Tallies:
    """Return the tallies of honest people and of so many forgers, spread over the questions."""
    rng = Randomness.seeded(seed)
    n_questions, each = len(survey.questions), survey.answers_per_person
    honest = _dealt(len(ranks), n_questions, each, seed)
    forged = _dealt(n_forged, n_questions, each, seed + 1)
    tallies = []
    for number, (question, mechanism) in enumerate(
        zip(survey.questions, survey.mechanisms, strict=True)
    ):
        tally = Tally.empty(mechanism.n_categories)
        some = ranks[(honest == number).any(axis=1)]
        if len(some):
            tally += mechanism.tally(mechanism.randomise(question.answer(some), rng=rng))
        n_here = int((forged == number).sum())
        if n_here:
            tally += mechanism.tally(forge(question, mechanism, n_here, rng))
        tallies.append(tally)
    return tuple(tallies)


def _dealt(n_people: int, n_questions: int, each: int, seed: int) -> np.ndarray:
    """Return questions (people, answers of a person), each about equally often."""
    rng, n_decks = np.random.default_rng(seed), -(-n_people * each // n_questions) + 1
    cards = np.concatenate([rng.permutation(n_questions) for _ in range(n_decks)])
    usable = n_questions // each * each
    rows = cards.reshape(n_decks, n_questions)[:, :usable].reshape(-1, each)
    return rows[:n_people] if len(rows) >= n_people else np.resize(rows, (n_people, each))


def as_honest(order: np.ndarray) -> Forge:
    """Answer like honest people who all have one ranking."""

    def forge(question, mechanism, n_reports, rng):
        ranks = np.tile(order.argsort().astype(np.uint8), (n_reports, 1))
        return mechanism.randomise(question.answer(ranks), rng=rng)

    return forge


def without_noise(order: np.ndarray) -> Forge:
    """Report what honest people of one ranking hide, as it is; unary and hashed: nothing else."""

    def forge(question, mechanism, n_reports, rng):
        answer = question.answer(order.argsort().astype(np.uint8)[None, :])[0]
        if isinstance(mechanism, SubsetOrder):
            return np.tile(answer.astype(np.uint8), (n_reports, 1))
        if isinstance(mechanism, UNARY):
            return _bits(mechanism, [int(answer)], n_reports)
        if isinstance(mechanism, HASHING):
            return _hashed(mechanism, int(answer), n_reports, rng)
        return np.full(n_reports, answer)

    return forge


def for_everything(question, mechanism, n_reports, rng) -> Reports:
    """Speak for all answers at once, where a report can."""
    if isinstance(mechanism, UNARY):
        return _bits(mechanism, range(mechanism.n_categories), n_reports)
    reports = np.zeros(n_reports, dtype=HASHED_REPORT)  # the function that sends all to one bucket
    return reports


def for_a_half(question, mechanism, n_reports, rng) -> Reports:
    """Speak for the first half of the answers."""
    return _bits(mechanism, range(mechanism.n_categories // 2), n_reports)


def at_random(question, mechanism, n_reports, rng) -> Reports:
    """Report anything: any category, any order."""
    if isinstance(mechanism, SubsetOrder):
        keys = rng.words(n_reports * mechanism.n_categories).reshape(n_reports, -1)
        return keys.argsort(axis=1).argsort(axis=1).astype(np.uint8)
    return rng.below(mechanism.n_categories, n_reports).astype(np.intp)


def _bits(mechanism, categories, n_reports) -> Reports:
    bits = np.zeros(mechanism.n_categories, dtype=np.uint8)
    bits[list(categories)] = 1
    return np.tile(np.packbits(bits, bitorder="little"), (n_reports, 1))


def _hashed(mechanism, category, n_reports, rng) -> Reports:
    n_buckets = 2 if isinstance(mechanism, SuccinctHistogram) else mechanism.n_buckets
    functions = rng.words(2 * n_reports).reshape(-1, 2)
    reports = np.empty(n_reports, dtype=HASHED_REPORT)
    reports["multiplier"], reports["offset"] = functions.T
    hidden = np.full(n_reports, category, dtype=np.uint64)
    reports["bucket"] = buckets_of(functions[:, 0], functions[:, 1], hidden, n_buckets)
    return reports

"""Whole devices: the bytes that leave one, for each kind of survey that a protocol begins with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from hushrank.audit.subject import Observations, Subject
from hushrank.protocols.distributions.question_mix import MixPart, mix_surveys
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Round, Survey
from hushrank.surveys.wire import PublishedSurvey

NAMES = ("tea", "coffee", "water", "milk")
ORDERS = {"abcd": (0, 1, 2, 3), "abdc": (0, 1, 3, 2), "dcba": (3, 2, 1, 0), "cdab": (2, 3, 0, 1)}
NO_RANK = 255
PARTS = {
    "abcd": (0, 1, 2, 3),
    "a alone": (0, NO_RANK, NO_RANK, NO_RANK),
    "ba": (1, 0, NO_RANK, NO_RANK),
    "dcba": (3, 2, 1, 0),
}
DRAWS = 100_000
N_PEOPLE = 1000


@dataclass(frozen=True)
class Asked:
    """A protocol with its options, and which survey of its first round a device answers."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    nth: int = 0

    def survey(self, epsilon: float) -> Survey:
        """Return the survey."""
        return first_round(self.name, self.options, epsilon)[self.nth]


PROTOCOLS = {
    "max-entropy": Asked("max-entropy"),
    "safari": Asked("safari"),
    "order": Asked("order"),
    "pairs": Asked("pairs"),
    "ldp-kwiksort-rr": Asked("ldp-kwiksort-rr"),
    "subset-order": Asked("subset-order"),
    "grr": Asked("grr"),
    "rappor": Asked("rappor"),
    "popular orders": Asked("max-entropy", {"popular_orders": True}, nth=-1),
}
INCOMPLETE = {
    "unranked last": Asked("max-entropy", {"unranked": "last"}),
    "unranked unknown": Asked("max-entropy", {"unranked": "unknown"}),
}
NAMED = {
    "named items": MixPart("first", n_levels=2),
    "named pairs": MixPart("two-of-first", n_levels=2),
    "named later": MixPart("first-and-later", n_levels=2),
}


def first_round(
    name: str, options: dict[str, Any], epsilon: float, n_items: int = len(NAMES)
) -> Round:
    """Return the surveys that a protocol begins with."""
    begun = make_protocol(name, options).begin(n_items, epsilon=epsilon, n_people=N_PEOPLE, seed=1)
    surveys = next(begun)
    begun.close()
    return surveys


def device_subjects(epsilon: float) -> Iterator[Subject]:
    """Yield the device of each protocol, with every pair of some rankings of four items."""
    for name, asked in PROTOCOLS.items():
        yield _subject(name, asked.survey(epsilon), _complete)
    for name, part in NAMED.items():
        yield _subject(name, mix_surveys((part,), len(NAMES), epsilon)[0], _complete)
    for name, asked in INCOMPLETE.items():
        yield _subject(name, asked.survey(epsilon), _incomplete)


def _subject(name: str, survey: Survey, people: Callable[[], dict[str, Rankings]]) -> Subject:
    inputs = people()
    draw = _Device(PublishedSurvey(survey, NAMES)).draw
    pairs = tuple(combinations(inputs, 2))
    return Subject(f"device {name}", survey.epsilon, inputs, pairs, draw, draws=DRAWS)


def _complete() -> dict[str, Rankings]:
    each = {name: Rankings.from_orders(np.array([order])) for name, order in ORDERS.items()}
    return {name: Rankings(person.ranks, NAMES) for name, person in each.items()}


def _incomplete() -> dict[str, Rankings]:
    return {
        name: Rankings(np.array([ranks], dtype=np.uint8), NAMES) for name, ranks in PARTS.items()
    }


class _Device:
    """Answers the first questions of a survey, as often as it is asked to: no device does that."""

    def __init__(self, survey: PublishedSurvey) -> None:
        """Take a survey."""
        self._survey = survey
        self._asked = tuple(range(survey.survey.answers_per_person))
        self._lot = survey.survey.lots[0]

    def draw(self, person: Rankings, n_draws: int, rng: Randomness) -> Observations:
        """Return how many bytes left, in how many reports, a hash of them, and what they tell."""
        return np.array([_seen(self._answer(person, rng)) for _ in range(n_draws)])

    def _answer(self, person: Rankings, rng: Randomness) -> tuple[bytes, ...]:
        is_simulation = not rng.is_private
        return self._survey.answer(
            person, self._asked, lot=self._lot, rng=rng, is_simulation=is_simulation
        )


def _seen(sent: tuple[bytes, ...]) -> list[float]:
    digest = blake2b(b"\n".join(sent), digest_size=6).digest()
    told = [number for each in sent for number in _numbers(msgspec.json.decode(each)["report"])]
    return [sum(map(len, sent)), len(sent), int.from_bytes(digest, "big"), *told]


def _numbers(report: int | str | list[int]) -> list[int]:
    """Return a report as numbers: of a row of bits, in hexadecimal, each bit."""
    if isinstance(report, str):
        return [int(bit) for bit in f"{int(report, 16):0{4 * len(report)}b}"]
    return report if isinstance(report, list) else [report]

"""Whole devices: the bytes that leave one, in the first round of each protocol."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import combinations

import msgspec
import numpy as np

from hushrank.audit.subject import Observations, Subject
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.wire import PublishedSurvey

NAMES = ("tea", "coffee", "water", "milk")
ORDERS = {"abcd": (0, 1, 2, 3), "abdc": (0, 1, 3, 2), "dcba": (3, 2, 1, 0), "cdab": (2, 3, 0, 1)}
PROTOCOLS = (
    "max-entropy",
    "safari",
    "order",
    "pairs",
    "ldp-kwiksort-rr",
    "subset-order",
    "grr",
    "rappor",
)
DRAWS = 100_000
N_PEOPLE = 1000


def device_subjects(epsilon: float) -> Iterator[Subject]:
    """Yield the device of each protocol, with every pair of some orders of four items."""
    for name in PROTOCOLS:
        begun = make_protocol(name, {}).begin(
            len(NAMES), epsilon=epsilon, n_people=N_PEOPLE, seed=1
        )
        survey = PublishedSurvey(next(begun)[0], NAMES)
        begun.close()
        inputs = {order: Rankings.from_orders(np.array([ORDERS[order]])) for order in ORDERS}
        yield Subject(
            f"device {name}",
            survey.survey.epsilon,
            {order: _named(person) for order, person in inputs.items()},
            tuple(combinations(inputs, 2)),
            _Device(survey).draw,
            draws=DRAWS,
        )


def _named(person: Rankings) -> Rankings:
    return Rankings(person.ranks, NAMES)


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

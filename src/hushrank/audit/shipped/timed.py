"""What is timed: devices, mechanisms, and the collector's checks, on two inputs each."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from hushrank.audit.shipped.devices import INCOMPLETE, NAMED, NAMES, ORDERS, PARTS, PROTOCOLS
from hushrank.audit.shipped.local import MECHANISMS
from hushrank.audit.timing import Path
from hushrank.collector.refusals import Refusal
from hushrank.collector.tokens import Assignment, new_id, sign, verify
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.protocols.distributions.question_mix import mix_surveys
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey


def timed_paths(epsilon: float, *, rng: Randomness) -> Iterator[Path]:
    """Yield what hides an answer, on two answers; and what admits reports, on two reports.

    rng: of the reports: the operating system's, unless this is a simulation.
    """
    yield from _mechanisms(epsilon, rng)
    yield from _devices(epsilon, rng)
    yield from _service(epsilon)


def _mechanisms(epsilon: float, rng: Randomness) -> Iterator[Path]:
    each: list[tuple[str, Any, Any, Any]] = [
        (name, make(n, epsilon), 0, n - 1) for name, make, n in MECHANISMS
    ]
    each.append(("named member", NamedMember(6, epsilon, 2), (0, 1), (4, 5)))
    each.append(("subset order", SubsetOrder(4, epsilon), (0, 1, 2, 3), (3, 2, 1, 0)))
    for name, mechanism, first, last in each:
        inputs = np.array([first]), np.array([last])
        yield Path(f"mechanism {name}", inputs, partial(_report, mechanism, rng))


def _report(mechanism: Any, rng: Randomness, answer: Any) -> bytes:
    return bytes(mechanism.randomise(answer, rng=rng).tobytes())


def _devices(epsilon: float, rng: Randomness) -> Iterator[Path]:
    complete = _person(ORDERS["abcd"]), _person(ORDERS["dcba"])
    for name, asked in PROTOCOLS.items():
        yield Path(f"device {name}", complete, _device(asked.survey(epsilon), rng))
    for name, part in NAMED.items():
        (survey, *_) = mix_surveys((part,), len(NAMES), epsilon)
        yield Path(f"device {name}", complete, _device(survey, rng))
    partly = _person(PARTS["abcd"]), _person(PARTS["a alone"])
    for name, asked in INCOMPLETE.items():
        yield Path(f"device {name}", partly, _device(asked.survey(epsilon), rng))


def _person(ranks: tuple[int, ...]) -> Rankings:
    return Rankings(np.array([ranks], dtype=np.uint8), NAMES)


def _device(survey: Survey, rng: Randomness) -> Any:
    published = PublishedSurvey(survey, NAMES)
    asked = tuple(range(survey.answers_per_person))
    return partial(
        published.answer,
        questions=asked,
        lot=survey.lots[0],
        rng=rng,
        is_simulation=not rng.is_private,
    )


def _service(epsilon: float) -> Iterator[Path]:
    """Yield a report that is read, of two values; and tokens forged at either end of the MAC."""
    survey = PublishedSurvey(PROTOCOLS["max-entropy"].survey(epsilon), NAMES)
    last = survey.survey.mechanisms[0].n_categories - 1
    reports = [
        f'{{"version":2,"survey":"{survey.fingerprint}","question":0,"report":{value}}}'.encode()
        for value in (0, last)
    ]
    yield Path("collector, a report is admitted", (reports[0], reports[1]), partial(_read, survey))
    keys = {1: bytes(range(32))}
    token = sign(Assignment(new_id(), 1, 0, 1, 1, (0,)), keys)
    forged = _other(token, -22), _other(token, -3)
    yield Path("collector, a forged token", forged, partial(_verified, keys))


def _read(survey: PublishedSurvey, document: bytes) -> int:
    return survey.tally([document]).n_refused


def _other(token: str, place: int) -> str:
    """Return a token with another letter at a place."""
    letters = list(token)
    letters[place] = "A" if letters[place] != "A" else "B"
    return "".join(letters)


def _verified(keys: dict[int, bytes], token: str) -> bool:
    try:
        verify(token, keys)
    except Refusal:
        return False
    return True

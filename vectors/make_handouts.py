"""Write the golden vectors of a device's documents: `python -m vectors.make_handouts`.

A changed vector is a changed protocol: the test of the vectors compares, and does not rewrite.
"""

import json
from collections.abc import Iterator
from hashlib import shake_256
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from hushrank.collector.announcement import Announcement, announce, fingerprint_of_announcement
from hushrank.collector.draft import make_draft
from hushrank.collector.rounds import Asked, replay
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import read_handout
from hushrank.surveys.wire import PublishedSurvey

FILE = Path(__file__).parent / "handouts.json"
NAMES = ("tea", "coffee", "água", "水", "🥛 milk")
PROTOCOLS: list[tuple[str, dict[str, Any]]] = [
    *[("max-entropy", {"unranked": how}) for how in ("refused", "last", "unknown")],
    ("pairs", {}),
    ("ldp-kwiksort-rr", {"queries": 3}),
    *[("safari", {"split": how}) for how in ("budget", "people")],
    *[(name, {}) for name in ("subset-order", "grr", "rappor", "sh", "olh")],
]
LOT = 2**30
EPSILON = 2.0
ORDER = [3, 0, 4, 1, 2]


def document() -> dict[str, Any]:
    """Return the vectors as they stand in the file."""
    cases = [_case(name, options) for name, options in PROTOCOLS]
    return {"version": 2, "names": NAMES, "cases": cases, "bad_handouts": [*bad_handouts()]}


def text() -> str:
    """Return the file's text."""
    return json.dumps(document(), indent=1) + "\n"


def _case(protocol: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return one device's documents, its ranking, its random bytes, and what it sends."""
    announcement, part = published(protocol, options)
    takes_incomplete = part.survey.takes_incomplete
    order = ORDER[:3] if takes_incomplete else ORDER
    asked = _assigned(part)
    handout = part.handout(asked)
    tape = BytesIO(shake_256(f"{protocol} {options}".encode()).digest(2**14))
    reports = read_handout(handout, most_epsilon=EPSILON).answer(
        _person(order), lot=LOT / 2**32, rng=Randomness(tape.read, is_private=False),
        is_simulation=True,
    )  # fmt: skip
    return {
        "announcement": msgspec.json.encode(announcement).decode(),
        "announcement_fingerprint": fingerprint_of_announcement(msgspec.json.encode(announcement)),
        "handout": handout.decode(),
        "fingerprint": part.fingerprint,
        "lot": LOT,
        "order": order,
        "random_bytes": tape.getvalue()[: tape.tell()].hex(),
        "reports": [report.decode() for report in reports],
    }


def published(protocol: str, options: dict[str, Any]) -> tuple[Announcement, PublishedSurvey]:
    """Return the announcement of a survey, and the part of its first round that asks the lot."""
    draft = make_draft(
        {
            "title": "What shall we drink?",
            "items": [{"name": name, "description": f"a cup of {name}"} for name in NAMES],
            "asked_by": "The kitchen",
            "purpose": 'One kind a week.\n"Really."',
            "contact": "kitchen@example.org",
            "privacy_notice": "Nothing \\ raw\tleaves your phone.",
            "epsilon": EPSILON,
            "protocol": protocol,
            "options": options,
        }
    )
    asked = replay(draft, 7, ())
    assert isinstance(asked, Asked)
    terms = announce(draft, "AAAABBBBCCCC", "DDDDEEEEFFFF", asked.surveys, asked.fingerprints)
    number = asked.part_of(LOT / 2**32)
    assert number is not None
    return terms, asked.parts[number]


def _assigned(part: PublishedSurvey) -> list[int]:
    n = len(part.survey.questions)
    return [(5 + 3 * nth) % n for nth in range(part.survey.answers_per_person)]


def _person(order: list[int]) -> Rankings:
    keys = [[order.index(item) if item in order else float("nan") for item in range(len(NAMES))]]
    return Rankings.from_keys(keys, NAMES)


def bad_handouts() -> Iterator[dict[str, str]]:
    """Yield handouts that no device answers, each with the reason."""
    _, part = published("pairs", {})
    handout = part.handout(_assigned(part)).decode()
    for why, changed in _changes(handout):
        assert changed != handout, why
        yield {"why": why, "handout": changed}


def _changes(handout: str) -> Iterator[tuple[str, str]]:
    yield "not JSON", handout[:-1]
    yield "an unknown field", handout[:-1] + ',"more":1}'
    for why, old, new in _HEAD_CHANGES:
        yield f"head: {why}", _with_head(handout, old, new)
    for why, change in _QUESTION_CHANGES.items():
        plain = json.loads(handout)
        change(plain["questions"])
        yield f"question: {why}", json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def _with_head(handout: str, old: str, new: str) -> str:
    plain = json.loads(handout)
    plain["head"] = plain["head"].replace(old, new, 1)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


_HEAD_CHANGES = (
    ("another version", '"version":2', '"version":3'),
    ("more nats than were shown", '"epsilon":2.0', '"epsilon":2.5'),
    ("fewer nats than the answers cost", '"epsilon":2.0', '"epsilon":1.9'),
    ("no nats", '"epsilon":2.0', '"epsilon":0.0'),
    ("another root", '"questions_root":"', '"questions_root":"0'),
    ("more questions", '"n_questions":10', '"n_questions":17'),
    ("two answers of one", '"answers_per_person":1', '"answers_per_person":2'),
    ("an item twice", '"tea"', '"coffee"'),
    ("an item without a name", '"tea"', '""'),
    ("an item that turns the line", '"tea"', '"te\u202ea"'),
    ("lots from the end", '"lots":[0.0,1.0]', '"lots":[1.0,0.0]'),
    ("lots beyond all", '"lots":[0.0,1.0]', '"lots":[0.0,1.5]'),
    ("a cell for what is not stated, but none there", "false", "true"),
    ("a mechanism of other thresholds", '"hit_words":"1', '"hit_words":"2'),
    ("a mechanism of another epsilon", '2,"epsilon":2.0', '2,"epsilon":2.1'),
    ("a mechanism of more categories", '"n_categories":2', '"n_categories":3'),
    ("an unknown mechanism", "generalized-", "special-"),
    ("the thresholds of others", '"hit_words"', '"far_words"'),
    ("a field twice", '"version":2', '"version":2,"version":2'),
    ("room to hide in", '"version":2', '"version": 2'),
    ("another form of a number", '"epsilon":2.0', '"epsilon":2.00'),
)  # fmt: skip


def _leaf(old: str, new: str) -> Any:
    def change(questions: list[Any]) -> None:
        questions[0]["asked"] = questions[0]["asked"].replace(old, new)

    return change


_QUESTION_CHANGES = {
    "none": lambda questions: questions.clear(),
    "twice": lambda questions: questions.append(questions[0]),
    "of another number": lambda questions: questions[0].update(number=6),
    "of a number that none has": lambda questions: questions[0].update(number=10),
    "of a negative number": lambda questions: questions[0].update(number=-1),
    "about others": _leaf("[", "[4,"),
    "of another mechanism": _leaf('"mechanism":0', '"mechanism":1'),
    "a path too short": lambda questions: questions[0]["path"].pop(),
    "a path too long": lambda questions: questions[0]["path"].append("0" * 64),
    "a path in capitals": lambda questions: questions[0].update(
        path=[digest.upper() for digest in questions[0]["path"]]
    ),
    "a path of others": lambda questions: questions[0]["path"].reverse(),
}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

"""Write the golden vectors of naming one of several: `python -m vectors.make_named_member`.

A changed vector is a changed protocol: the test of the vectors compares, and does not rewrite.
"""

import json
from hashlib import shake_256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from hushrank.mechanisms.named_member import NamedMember
from hushrank.randomness import Randomness
from tests.conformance import WORDS, bytes_of_words

FILE = Path(__file__).parent / "named-member.json"
PARAMETERS = [
    (2, 1.0, 1),
    (5, 0.1, 2),
    (10, 1.0, 3),
    (12, 2.0, 6),
    (20, 4.0, 10),
    (90, 1.0, 24),
    (90, 2.0, 10),
    (240, 10.0, 120),
    (240, 0.01, 7),
]
BAD_PARAMETERS = [(5, 1.0, 0), (5, 1.0, 5), (1, 1.0, 1), (5, 0.0, 2), (5, "NaN", 2), (5, 1e-30, 2)]
BAD_ROWS = [[0, 1], [0, 1, 2, 3], [2, 1, 3], [1, 1, 3], [-1, 1, 3], [1, 3, 10], []]


def document() -> dict[str, Any]:
    """Return the vectors as they stand in the file."""
    keys = ("n_categories", "epsilon", "n_members")
    of_ten = {"n_categories": 10, "epsilon": 1.0, "n_members": 3}
    return {
        "mechanism": "named-member",
        "version": 1,
        "cases": [_case(NamedMember(*parameters)) for parameters in PARAMETERS],
        "bad_parameters": [dict(zip(keys, bad, strict=True)) for bad in BAD_PARAMETERS],
        "bad_rows": [{**of_ten, "members": row} for row in BAD_ROWS],
    }


def text() -> str:
    """Return the file's text, of one vector a line."""
    return json.dumps(document()).replace("[{", "[\n{").replace(", {", ",\n{") + "\n"


def _case(mechanism: NamedMember) -> dict[str, Any]:
    k, m = mechanism.n_categories, mechanism.n_members
    labels = [f"named-member {k} {mechanism.epsilon} {m} {number}" for number in range(4)]
    tapes = [shake_256(label.encode()).digest(8) for label in labels]
    tapes += [bytes_of_words([word]) for word in _edges(mechanism)]
    return {
        "n_categories": k,
        "epsilon": mechanism.epsilon,
        "n_members": m,
        "hit_words": str(mechanism.rates.hit_words),
        "false_hit_words": str(mechanism.rates.false_hit_words),
        "vectors": [_replay(mechanism, nth, tape) for nth, tape in enumerate(tapes)],
    }


def _edges(mechanism: NamedMember) -> list[int]:
    """Return words at the thresholds, where an error by one would show, and all that are left."""
    p, q = mechanism.rates.hit_words, mechanism.rates.false_hit_words
    truths, others = p * mechanism.n_members, q * (mechanism.n_categories - mechanism.n_members)
    left = range(truths + others, WORDS)
    edges = [0, p - 1, p, truths - 1, truths, truths + q - 1, truths + q, truths + others - 1]
    return [min(word, WORDS - 1) for word in edges] + [*left[:2], WORDS - 1]


def _replay(mechanism: NamedMember, nth: int, tape: bytes) -> dict[str, Any]:
    rng = np.random.default_rng(nth)
    drawn = rng.permutation(mechanism.n_categories)[: mechanism.n_members]
    members = np.sort(drawn)
    source = BytesIO(tape)
    replayed = Randomness(source.read, is_private=False)
    report = mechanism.randomise(members[None], rng=replayed)
    return {
        "members": members.tolist(),
        "random_bytes": tape[: source.tell()].hex(),
        "report": int(report[0]),
    }


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

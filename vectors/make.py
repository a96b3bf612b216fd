"""Write the golden vectors: `python -m vectors.make`, from the project's root.

A changed vector is a changed protocol: the test of the vectors compares, and does not rewrite.
"""

import json
from hashlib import shake_256
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hushrank.mechanisms.harmony import Harmony
from hushrank.randomness import Randomness
from hushrank.surveys.wire_reports import MECHANISMS as EVERY_MECHANISM
from tests.conformance import HASHED, UNARY, WORDS, bytes_of_words, tape_of_a_person

FOLDER = Path(__file__).parent
OF_ROWS = ("subset-order", "named-member")
MECHANISMS = {name: kind for name, kind in EVERY_MECHANISM.items() if name not in OF_ROWS}
"""Those that hide a category; `make_subset_order` and `make_named_member` write the others'."""
PARAMETERS = [*product((2, 3, 20, 65, 130), (0.1, 1.0, 4.0, 10.0)), (8, 0.01), (1024, 1.0)]
RANDOM_TAPES = (0, 1, 2, 3)
RANDOM_UNARY_TAPES = (0, 3)  # fewer, for a tape has 64 words a block
BAD_PARAMETERS = [(1, 1.0), (0, 1.0), (5, 0.0), (5, -1.0), (5, "NaN"), (5, "Infinity"), (5, 1e-30)]


def document(name: str) -> dict[str, Any]:
    """Return the vectors of one mechanism as they stand in its file."""
    kind = MECHANISMS[name]
    return {
        "mechanism": name,
        "version": 1,
        "cases": [_case(name, kind(*parameters)) for parameters in PARAMETERS],
        "bad_parameters": [{"n_categories": k, "epsilon": e} for k, e in BAD_PARAMETERS],
        "bad_categories": [
            {"n_categories": 20, "epsilon": 1.0, "category": category} for category in (-1, 20, 64)
        ],
        "bad_reports": [
            {"n_categories": 20, "epsilon": 1.0, "report": report} for report in _bad_reports(kind)
        ],
    }


def text(name: str) -> str:
    """Return the file's text, of one vector a line."""
    pretty = json.dumps(document(name), indent=1)
    return pretty.replace("\n    ", " ").replace("\n   }", " }") + "\n"


def report_json(report: np.ndarray[Any, Any]) -> Any:
    """Write one report: a number, packed bits in hexadecimal, or a hash function and a bucket."""
    if report.dtype.names:
        multiplier, offset, bucket = report[0].item()
        return {"multiplier": str(multiplier), "offset": str(offset), "bucket": bucket}
    return report.tobytes().hex() if report.ndim == 2 else report[0].item()


def _case(name: str, mechanism: Any) -> dict[str, Any]:
    rates = mechanism.rates
    thresholds = {"hit_words": rates.hit_words, "false_hit_words": rates.false_hit_words}
    sizes = {
        size: getattr(mechanism, size)
        for size in ("n_buckets", "n_rows")
        if hasattr(mechanism, size)
    }
    return {
        "n_categories": mechanism.n_categories,
        "epsilon": mechanism.epsilon,
        **{threshold: str(words) for threshold, words in thresholds.items()},
        **sizes,
        "vectors": _random_vectors(name, mechanism) + _edge_vectors(mechanism),
    }


def _random_vectors(name: str, mechanism: Any) -> list[dict[str, Any]]:
    vectors = []
    for number in RANDOM_UNARY_TAPES if isinstance(mechanism, UNARY) else RANDOM_TAPES:
        label = f"{name} {mechanism.n_categories} {mechanism.epsilon} {number}"
        vectors.append(_replay(mechanism, number * 31, shake_256(label.encode()).digest(2**14)))
    return vectors


def _edge_vectors(mechanism: Any) -> list[dict[str, Any]]:
    """Unary encodings hide 0, k - 1, k - 2, which reach the last block; others count upwards."""
    step = -1 if isinstance(mechanism, UNARY) else 1
    tapes = enumerate(_edge_tapes(mechanism))
    return [_replay(mechanism, step * nth, tape) for nth, tape in tapes]


def _replay(mechanism: Any, number: int, tape: bytes) -> dict[str, Any]:
    category = number % mechanism.n_categories
    source = BytesIO(tape)
    rng = Randomness(source.read, is_private=False)
    report = mechanism.randomise(np.array([category]), rng=rng)
    read = tape[: source.tell()].hex()
    return {"category": category, "random_bytes": read, "report": report_json(report)}


def _edge_tapes(mechanism: Any) -> list[bytes]:
    """Return tapes whose words lie at the thresholds, where an error by one would show."""
    p, q, k = mechanism.rates.hit_words, mechanism.rates.false_hit_words, mechanism.n_categories
    edges = [0, p - 1, p, min(p + q - 1, WORDS - 1), min(p + q, WORDS - 1), WORDS - 1]
    if isinstance(mechanism, UNARY):
        cycle = (q, q - 1, q + 1)
        return [
            tape_of_a_person([cycle[(v + turn) % 3] for v in range(k)]) + bytes_of_words([word])
            for turn, word in enumerate((p - 1, p, WORDS - 1))
        ]
    before: list[int] = []
    if isinstance(mechanism, HASHED):
        before = [WORDS - 1, WORDS - 2**32]
    elif isinstance(mechanism, Harmony):
        before = [WORDS - 2]
    return [bytes_of_words([*before, word]) for word in edges]


def _bad_reports(kind: Any) -> list[Any]:
    if kind in UNARY:
        return ["000010", "000080", "0000", "00000000", ""]
    if kind in HASHED:
        return [{"multiplier": "1", "offset": "2", "bucket": bucket} for bucket in (4, 2**32 - 1)]
    return [64, 2**32 - 1] if kind is Harmony else [20, 2**32 - 1]


if __name__ == "__main__":
    for mechanism_name in MECHANISMS:
        (FOLDER / f"{mechanism_name}.json").write_text(text(mechanism_name), encoding="utf-8")

"""Write the golden vectors of the subset-order mechanism: `python -m vectors.make_subset_order`.

A changed vector is a changed protocol: the test of the vectors compares, and does not rewrite.
"""

import json
from hashlib import shake_256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.randomness import Randomness
from hushrank.samplers.shuffles import words_of_a_shuffle
from tests.conformance import WORDS, bytes_of_words

FILE = Path(__file__).parent / "subset-order.json"
PARAMETERS = [(2, 1.0), (3, 1.0), (4, 2.0), (6, 5.0), (10, 0.1), (10, 3.0), (20, 1.0), (40, 3.0)]
BAD_PARAMETERS = [(1, 1.0), (255, 1.0), (5, 0.0), (5, "NaN"), (5, 1e-30), (10, 20.0)]
BAD_RANKS = [[0, 0, 1, 2], [0, 1, 2, 4], [-1, 0, 1, 2], [0, 1, 2], [0, 1, 2, 3, 4]]


def document() -> dict[str, Any]:
    """Return the vectors as they stand in the file."""
    return {
        "mechanism": "subset-order",
        "version": 1,
        "cases": [_case(SubsetOrder(*parameters)) for parameters in PARAMETERS],
        "bad_parameters": [{"n_categories": m, "epsilon": e} for m, e in BAD_PARAMETERS],
        "bad_ranks": [{"n_categories": 4, "epsilon": 1.0, "ranks": ranks} for ranks in BAD_RANKS],
    }


def text() -> str:
    """Return the file's text, of one vector a line."""
    return json.dumps(document()).replace("[{", "[\n{").replace(", {", ",\n{") + "\n"


def _case(mechanism: SubsetOrder) -> dict[str, Any]:
    m = mechanism.n_categories
    labels = [f"subset-order {m} {mechanism.epsilon} {number}" for number in range(4)]
    tapes = [shake_256(label.encode()).digest(2**14) for label in labels]
    edges = [*_edge_tapes(mechanism), *_deciding_tapes(mechanism)]
    return {
        "n_categories": m,
        "epsilon": mechanism.epsilon,
        "radius": mechanism.radius,
        "far_words": str(mechanism.far_words),
        "swap_words": [str(words) for words in mechanism.swap_words],
        "words_of_a_try": mechanism.words_of_a_try,
        "vectors": [_replay(mechanism, tape) for tape in [*tapes, *edges]],
    }


def _edge_tapes(mechanism: SubsetOrder) -> list[bytes]:
    """Return tapes whose words lie at the thresholds, where an error by one would show."""
    lasts = [last for _, last in words_of_a_shuffle(mechanism.n_categories)]
    sure = [*lasts, 0]
    swaps = [[max(0, words + off) for words in mechanism.swap_words] for off in (-1, 0)]
    spoilt = [*lasts[:-1], lasts[-1] + 1, 0] if lasts[-1] + 1 < WORDS else sure
    before = [[*lasts, mechanism.far_words + off] for off in (-1, 0)]
    tries = [[*spoilt, *sure, *sure], [*before[0], *sure], [*before[1], *sure]]
    return [bytes_of_words([*words, *swap]) for words in tries for swap in swaps]


def _deciding_tapes(mechanism: SubsetOrder) -> list[bytes]:
    """Return tapes of which each of the words at a threshold decides.

    The coin accepts a far order or makes another try, and each swap is made or not.
    """
    m = mechanism.n_categories
    near, far = _words_of_order(list(range(m))), _words_of_order(list(range(m))[::-1])
    coins = [mechanism.far_words + off for off in (-1, 0)]
    tries = [[*near, 0], [*far, coins[0]], [*far, coins[1], *near, 0]]
    swaps = [[max(0, words + off) for words in mechanism.swap_words] for off in (-1, 0)]
    return [bytes_of_words([*words, *swap]) for words in tries for swap in swaps]


def _words_of_order(order: list[int]) -> list[int]:
    """Return the words by which a shuffle leads to an order: its draws are their digits."""
    shuffle, words = list(range(len(order))), []
    for bounds, _ in words_of_a_shuffle(len(order)):
        word, place = 0, 1
        for bound in bounds:
            drawn = shuffle.index(order[bound - 1])
            word, place = word + drawn * place, place * bound
            shuffle[bound - 1], shuffle[drawn] = shuffle[drawn], shuffle[bound - 1]
        words.append(word)
    return words


def _replay(mechanism: SubsetOrder, tape: bytes) -> dict[str, Any]:
    m = mechanism.n_categories
    ranks = [(7 * item + 3) % m for item in range(m)] if m % 7 else list(range(m))
    source = BytesIO(tape)
    rng = Randomness(source.read, is_private=False)
    report = mechanism.randomise(np.array([ranks]), rng=rng)
    read = tape[: source.tell()].hex()
    return {"ranks": ranks, "random_bytes": read, "report": report[0].tolist()}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

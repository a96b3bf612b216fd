"""Rankings: reading a file, counting pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import svvamp
from harness import Row, check, data_folder, main, milliseconds, seconds
from people import orders
from preflibtools.instances import OrdinalInstance
from preflibtools.properties.pairwisecomparisons import pairwise_scores

from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

INTRODUCTION = """## Rankings

Each reads the same file, and counts the same people from the form it keeps them in: column-major
ranks (ours), one tuple an order (preflibtools), an array of orders (svvamp). Sushi is the file
00014-00000001.soc of PrefLib: 5,000 people, 10 items."""


def read_sushi(_is_quick: bool) -> Sequence[Row]:
    """Measure reading the Sushi file."""
    folder = data_folder()
    task, target = "read Sushi", 5.0
    if folder is None:
        return [Row(task, "ms", target, skipped="HUSHRANK_DATA names no folder of data")]
    path = str(folder / "sushi" / "sushi.soc")
    theirs = _as_matrix(pairwise_scores(_preflibtools(path)), 10)
    ours = read_rankings(path)
    check(np.array_equal(majority(ours), theirs), "Sushi: expected the pair counts of the peer")
    return [
        Row(
            task,
            "ms",
            target,
            milliseconds(seconds(lambda: read_rankings(path), 15)),
            {"preflibtools": milliseconds(seconds(lambda: _preflibtools(path), 7))},
            "all 90 pair counts equal those of preflibtools; at least 4 x is wanted",
        )
    ]


def count_pairs(is_quick: bool) -> Sequence[Row]:
    """Measure the pair counts of a million made-up people."""
    n_people = 20_000 if is_quick else 1_000_000
    drawn = orders(n_people, 10)
    rankings = Rankings.from_orders(drawn)
    ours = milliseconds(seconds(lambda: majority(rankings), 9))
    counts = majority(rankings)
    check(np.array_equal(_svvamp(drawn), counts), "expected the pair counts of svvamp")
    instance = OrdinalInstance()
    instance.append_order_list([tuple((item + 1,) for item in order) for order in drawn.tolist()])
    theirs = _as_matrix(pairwise_scores(instance), 10)
    check(np.array_equal(theirs, counts), "expected the pair counts of preflibtools")
    peers = {
        "svvamp": milliseconds(seconds(lambda: _svvamp(drawn), 5)),
        "preflibtools": milliseconds(seconds(lambda: pairwise_scores(instance), 5)),
    }
    checked = "all 90 pair counts equal those of both peers"
    return [Row(f"pair counts, {n_people:,} x 10", "ms", 60.0, ours, peers, checked)]


def _preflibtools(path: str) -> Any:
    instance = OrdinalInstance()
    instance.parse_file(path)
    return instance


def _svvamp(drawn: Any) -> Any:
    return svvamp.Profile(preferences_rk=drawn).matrix_duels_rk


def _as_matrix(scores: dict[int, dict[int, int]], n_items: int) -> Any:
    matrix = np.zeros((n_items, n_items), dtype=np.int64)
    for first, beaten in scores.items():
        for second, people in beaten.items():
            matrix[first - 1, second - 1] = people
    return matrix


if __name__ == "__main__":
    main(INTRODUCTION, (read_sushi, count_pairs))

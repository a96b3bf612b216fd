"""The numbers behind the words and pictures of a result, as one tidy table."""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import pairwise, permutations
from typing import Any, TypeAlias

import numpy as np

from hushrank.aggregators.private.order import NoisyMargins, NoisyScores, PrivateOrder
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks
from hushrank.arrays import Floats
from hushrank.rankings.marginals import first_order_marginals
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.shares import SURE, Estimates, pair_shares, rank_shares

COLUMNS = ("measure", "item", "other", "rank", "value", "low", "high")
Row: TypeAlias = tuple[Any, ...]
"""One number in the order of COLUMNS; None is an empty cell."""


def collection_csv(learnt: Collection) -> bytes:
    """Return all numbers of a collection as CSV, from the reports alone."""
    return _csv([*_order_rows(learnt), *_share_rows(learnt)])


def consensus_csv(found: Consensus) -> bytes:
    """Return all numbers of a consensus as CSV: of a private one, from its release alone."""
    rows = [*_order_rows(found), *_evidence_rows(found)]
    return _csv([*rows, *_raw_rows(found)])


def _csv(rows: Iterable[Row]) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_rounded(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def _rounded(cell: Any) -> Any:
    """Return a number to five places: more than any survey can tell."""
    return f"{cell:.5f}".rstrip("0").rstrip(".") if isinstance(cell, float) else cell


def _order_rows(found: Collection | Consensus) -> Iterator[Row]:
    intervals, drawn = found.rank_intervals or {}, found.drawn_ranks
    for place, item in enumerate(found.items, start=1):
        yield ("place", item, None, None, place, *intervals.get(item, (None, None)))
    for (item, other), sure in zip(pairwise(found.items), found.confidence or (), strict=False):
        yield "ahead_of_next", item, other, None, sure, None, None
    if drawn is not None:
        yield from _chance_rows(found.names, found.items, drawn)


def _chance_rows(names: tuple[str, ...], items: tuple[str, ...], drawn: DrawnRanks) -> list[Row]:
    chances = drawn.chances()
    return [
        ("chance_of_rank", item, None, rank, float(chance), None, None)
        for item in items
        for rank, chance in enumerate(chances[names.index(item)], start=1)
    ]


def _share_rows(learnt: Collection) -> Iterator[Row]:
    ranks, pairs, names = rank_shares(learnt), pair_shares(learnt), learnt.names
    if ranks is not None:
        for item in learnt.order:
            for rank in range(len(names)):
                cells = _cells(ranks, item, rank)
                yield ("share_at_rank", names[item], None, rank + 1, *cells)
    if pairs is not None:
        for one, other in permutations(learnt.order, 2):
            yield ("share_before", names[one], names[other], None, *_cells(pairs, one, other))


def _cells(found: Estimates, row: int, column: int) -> list[float | None]:
    each = (found.shares, found.low, found.high)
    return [None if one is None else float(one[row, column]) for one in each]


def _evidence_rows(found: Consensus) -> Iterator[Row]:
    """Yield the noisy numbers that were released beside a private order, with 95 % intervals."""
    evidence = found.found.evidence if isinstance(found.found, PrivateOrder) else None
    names = found.names
    if isinstance(evidence, NoisyScores):
        for item in found.found.order:
            yield (
                "noisy_score",
                names[item],
                None,
                None,
                *_around(evidence, evidence.scores[item]),
            )
    if isinstance(evidence, NoisyMargins):
        for one, other in permutations(found.found.order, 2):
            near = _around(evidence, evidence.margins[one, other])
            yield ("noisy_margin", names[one], names[other], None, *near)


def _around(evidence: NoisyScores | NoisyMargins, value: float) -> tuple[float, float, float]:
    reach = SURE * evidence.noise_sd
    return float(value), float(value - reach), float(value + reach)


def _raw_rows(found: Consensus) -> Iterator[Row]:
    """Yield the exact shares of ballots behind an order that protects nobody."""
    if isinstance(found.found, PrivateOrder):
        return
    ballots, names = found.found.ballots, found.names
    if ballots.whole.is_complete and ballots.whole.is_strict:
        at: Floats = first_order_marginals(ballots.whole)
        for item in found.found.order:
            for rank in range(len(names)):
                yield (
                    "share_at_rank",
                    names[item],
                    None,
                    rank + 1,
                    float(at[item, rank]),
                    None,
                    None,
                )
    decided = np.maximum(ballots.counts + ballots.counts.T, 1)
    shares = ballots.counts / decided
    for one, other in permutations(found.found.order, 2):
        yield "share_before", names[one], names[other], None, float(shares[one, other]), None, None

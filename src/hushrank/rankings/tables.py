"""Ballots in tables, CSV and Parquet: one column a place, or one column an item."""

import csv
import re
from collections.abc import Sequence
from io import BytesIO, StringIO
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts
from hushrank.errors import require
from hushrank.files.names import distinct_names, natural_order, require_plain_names
from hushrank.files.table_files import Column, Table
from hushrank.rankings.coding import rank_type
from hushrank.rankings.competition import unranked
from hushrank.rankings.preflib_body import MOST_PEOPLE_OF_A_ROW
from hushrank.rankings.profile import Rankings

TableForm = Literal["places", "ranks", "scores"]
WEIGHT = "weight"
RANK_OF = "rank of "
SCORE_COLUMNS = ("person", "item", "score")
LARGEST_RANK = 2**53 - 1  # up to here no two whole numbers read as one in floating point

_PLACE = re.compile(r"(?:place[ _])?([1-9]\d{0,8})", re.ASCII | re.IGNORECASE)


def form_of(header: Sequence[str]) -> TableForm:
    """Tell the form of a table by its header, the weight column aside.

    `1`, `2`, .. or `place_1`, `place_2`, .. in order: places. `person`, `item` and `score`: scores.
    Anything else: ranks, one column an item. Raises HushrankError when it is all other whole
    numbers: then it is rather the first ballot of a file without a header.
    """
    names = [name for name in header if name.lower() != WEIGHT]
    if sorted(name.lower() for name in header) == sorted(SCORE_COLUMNS):
        return "scores"
    places = [_PLACE.fullmatch(name) for name in names]
    in_order = all(place and int(place[1]) == n for n, place in enumerate(places, start=1))
    is_ballot = bool(names) and not in_order and all(name.isdecimal() for name in names)
    require(not is_ballot, "line 1: expected a header, or a form that says what the columns are")
    return "places" if names and in_order else "ranks"


def table_rankings(table: Table, form: Literal["places", "ranks"]) -> Rankings:
    """Turn a table of ballots into rankings; a column `weight` says how many people a row is.

    Raises HushrankError, with the line, when a cell or a weight is not what the form holds.
    """
    is_weight = [name.lower() == WEIGHT for name in table.header]
    require(sum(is_weight) <= 1, "line 1: expected at most one weight column")
    require(not all(is_weight), "line 1: expected a column beside the weight")
    ballots = [n for n, is_it in enumerate(is_weight) if not is_it]
    columns = tuple(table.columns[n] for n in ballots)
    weights = _weights(table, table.columns[is_weight.index(True)]) if any(is_weight) else None
    if form == "places":
        return _from_places(table, columns, weights)
    return _from_ranks(table, columns, [table.header[n] for n in ballots], weights)


def format_csv(rankings: Rankings, form: TableForm) -> bytes:
    """Write ranks (1 = best, empty = unranked) or places as CSV, with weights when rows have them.

    Raises HushrankError when places cannot hold the rankings (ties, items nobody ranks).
    """
    header, cells = (_written_places if form == "places" else _written_ranks)(rankings)
    if rankings.multiplicities is not None:
        header = [*header, WEIGHT]
        people = rankings.multiplicities.tolist()
        cells = [[*row, n] for row, n in zip(cells, people, strict=True)]
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *cells])
    return text.getvalue().encode()


def format_parquet(rankings: Rankings) -> bytes:
    """Write ranks (1 = best, null = unranked) as Parquet, with weights when rows have them."""
    import pyarrow as pa
    from pyarrow import parquet

    require_plain_names(rankings.names)
    ranks = rankings.ranks.astype(np.int32) + 1
    columns = [
        pa.array(ranks[:, item], mask=~rankings.is_ranked[:, item])
        for item in range(rankings.n_items)
    ]
    header = _unmistakable(rankings.names)
    if rankings.multiplicities is not None:
        columns, header = [*columns, pa.array(rankings.multiplicities)], [*header, WEIGHT]
    sink = BytesIO()
    parquet.write_table(pa.table(columns, names=header), sink, write_page_checksum=True)
    return sink.getvalue()


def _is_whole(numbers: NDArray[np.float64], most: int) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_] = (numbers >= 1) & (numbers <= most) & (np.floor(numbers) == numbers)
    return fits


def _weights(table: Table, column: Column) -> Counts:
    weights = column.numbers()
    fits = _is_whole(weights, MOST_PEOPLE_OF_A_ROW)
    table.require_rows(fits, f"a weight that is a whole number of 1..{MOST_PEOPLE_OF_A_ROW}")
    return weights.astype(np.int64)


def _from_places(table: Table, columns: Sequence[Column], weights: Counts | None) -> Rankings:
    names = natural_order(text for column in columns for text in column.texts if text)
    require(names, "expected at least 1 ranked item")
    items = np.stack([column.codes_in(names) for column in columns], axis=1)
    filled = items >= 0
    fits = (filled[:, :-1] | ~filled[:, 1:]).all(axis=1)
    table.require_rows(np.asarray(fits), "no filled place after an empty one")
    ranks = np.zeros((len(items), len(names)), dtype=rank_type(len(names)), order="F")
    ranks[:] = unranked(ranks)
    for place in range(len(columns)):
        rows = np.flatnonzero(filled[:, place])
        is_new = np.ones(len(items), dtype=np.bool_)
        is_new[rows] = ranks[rows, items[rows, place]] == unranked(ranks)
        table.require_rows(is_new, "each item at most once")
        ranks[rows, items[rows, place]] = place
    return Rankings(ranks, names, weights)


def _from_ranks(
    table: Table, columns: Sequence[Column], names: Sequence[str], weights: Counts | None
) -> Rankings:
    keys = np.stack([column.numbers() for column in columns], axis=1)
    fits = (np.isnan(keys) | _is_whole(keys, LARGEST_RANK)).all(axis=1)
    table.require_rows(np.asarray(fits), "ranks that are whole numbers from 1 on, or empty")
    if all(name.startswith(RANK_OF) for name in names):
        names = [name.removeprefix(RANK_OF).strip() for name in names]
    return Rankings.from_keys(keys, distinct_names(names), weights)


def _unmistakable(names: Sequence[str]) -> list[str]:
    """Return the names as a header that reads back as items, prefixed where it might not."""
    is_weight = any(name.lower() == WEIGHT for name in names)
    is_plain = names[0][0].isalpha() and not names[0].startswith(RANK_OF) and not is_weight
    return list(names) if is_plain and form_of(names) == "ranks" else [RANK_OF + n for n in names]


def _written_ranks(rankings: Rankings) -> tuple[list[str], list[list[Any]]]:
    require_plain_names(rankings.names)
    texts = np.array([*(str(rank + 1) for rank in range(rankings.n_items)), ""], dtype=object)
    ranks = np.where(rankings.is_ranked, rankings.ranks, rankings.n_items)
    return _unmistakable(rankings.names), texts[ranks].tolist()


def _written_places(rankings: Rankings) -> tuple[list[str], list[list[Any]]]:
    require(rankings.is_strict, "one column a place holds no ties: expected strict rankings")
    is_known = rankings.is_ranked.any(axis=0).all()
    require(is_known, "one column a place holds no item that nobody ranks")
    require_plain_names(rankings.names)
    n_ranked = rankings.is_ranked.sum(axis=1)
    n_places = int(n_ranked.max())
    orders = np.argsort(rankings.ranks, axis=1, kind="stable")[:, :n_places]
    shown = np.where(np.arange(n_places) < n_ranked[:, None], orders, rankings.n_items)
    texts = np.array([*rankings.names, ""], dtype=object)
    return [f"place_{place + 1}" for place in range(n_places)], texts[shown].tolist()

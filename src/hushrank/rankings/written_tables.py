"""Ballots as tables are written: CSV with a column a place or an item, Parquet with items."""

import csv
from io import BytesIO, StringIO
from typing import Any, Literal

import numpy as np

from hushrank.errors import require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.names import require_plain_names
from hushrank.rankings.forms.columns import WEIGHT
from hushrank.rankings.forms.places import names_an_item
from hushrank.rankings.profile import Rankings
from hushrank.rankings.rank_columns import arrow_ranks, unmistakable_names

TableForm = Literal["places", "ranks"]


def format_csv(rankings: Rankings, form: TableForm) -> bytes:
    """Write ranks (1 = best, empty = unranked) or places as CSV, with weights when rows have them.

    Raises HushrankError when places cannot hold the rankings (ties, items nobody ranks, an item
    whose name says that a place is empty).
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
    pyarrow_for("a Parquet file")
    from pyarrow import parquet

    require_plain_names(rankings.names)
    sink = BytesIO()
    parquet.write_table(arrow_ranks(rankings), sink, write_page_checksum=True)
    return sink.getvalue()


def _written_ranks(rankings: Rankings) -> tuple[list[str], list[list[Any]]]:
    require_plain_names(rankings.names)
    texts = np.array([*(str(rank + 1) for rank in range(rankings.n_items)), ""], dtype=object)
    ranks = np.where(rankings.is_ranked, rankings.ranks, rankings.n_items)
    return unmistakable_names(rankings), texts[ranks].tolist()


def _written_places(rankings: Rankings) -> tuple[list[str], list[list[Any]]]:
    require(rankings.is_strict, "one column a place holds no ties: expected strict rankings")
    is_known = rankings.is_ranked.any(axis=0).all()
    require(is_known, "one column a place holds no item that nobody ranks")
    require_plain_names(rankings.names)
    for number, name in enumerate(rankings.names, start=1):
        says = f"the name of item {number} says that a place is empty, such as - or n/a"
        require(names_an_item(name), f"one column a place: {says}; rename it, or write form ranks")
    n_ranked = rankings.is_ranked.sum(axis=1)
    n_places = int(n_ranked.max())
    orders = np.argsort(rankings.ranks, axis=1, kind="stable")[:, :n_places]
    shown = np.where(np.arange(n_places) < n_ranked[:, None], orders, rankings.n_items)
    texts = np.array([*rankings.names, ""], dtype=object)
    return [f"place_{place + 1}" for place in range(n_places)], texts[shown].tolist()

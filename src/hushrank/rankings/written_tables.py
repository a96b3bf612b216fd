"""Ballots as tables are written: CSV with a column a place or an item, Parquet with items."""

import csv
from io import BytesIO, StringIO
from typing import Any, Literal

import numpy as np

from hushrank.errors import require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.data_frames import Values
from hushrank.files.names import require_plain_names
from hushrank.rankings.forms.columns import may_stand_beside, stands_beside
from hushrank.rankings.forms.long import ITEMS, PEOPLE, RANKS, SCORES
from hushrank.rankings.forms.ordinals import place_within
from hushrank.rankings.forms.places import names_an_item
from hushrank.rankings.profile import Rankings

TableForm = Literal["places", "ranks"]
WEIGHT = "weight"
SIGNS = frozenset('[]{}<>|;,"\t')
RANK_OF = "rank of "


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


def arrow_ranks(rankings: Rankings) -> Any:
    """Return ranks (1 = best, null = unranked) as a `pyarrow.Table`, with weights of the rows."""
    pa = pyarrow_for("a table in memory")
    ranks = rankings.ranks.astype(np.int32) + 1
    columns = [
        pa.array(ranks[:, item], mask=~rankings.is_ranked[:, item])
        for item in range(rankings.n_items)
    ]
    header = _unmistakable(rankings)
    if rankings.multiplicities is not None:
        columns, header = [*columns, pa.array(rankings.multiplicities)], [*header, WEIGHT]
    return pa.table(columns, names=header)


def rank_columns(rankings: Rankings) -> Values:
    """Return ranks (1 = best, None = unranked) by name of item, with weights of the rows."""
    ranks = (rankings.ranks.astype(np.int32) + 1).astype(object)
    ranks[~rankings.is_ranked] = None
    named = zip(_unmistakable(rankings), ranks.T.tolist(), strict=True)
    weights = rankings.multiplicities
    return dict(named) | ({} if weights is None else {WEIGHT: weights.tolist()})


def _unmistakable(rankings: Rankings) -> list[str]:
    """Return the names as a header that reads back as items, prefixed where it might not.

    One column of numbers beside empty ones might be anything.
    """
    tells = rankings.n_items == 1 or np.count_nonzero(rankings.is_ranked.any(axis=0)) > 1
    if tells and all(map(_is_plain, rankings.names)):
        return list(rankings.names)
    return [RANK_OF + name for name in rankings.names]


def _is_plain(name: str) -> bool:
    """Tell a name that begins with a letter, has no sign of a table, and is no word of a header."""
    signs = name[0].isalpha() and not any(each in SIGNS for each in name)
    word = stands_beside(name) or may_stand_beside(name) or place_within(name) is not None
    known = {WEIGHT, *PEOPLE, *ITEMS, *SCORES, *RANKS}
    return signs and not word and name.lower() not in known and not name.startswith(RANK_OF)


def _written_ranks(rankings: Rankings) -> tuple[list[str], list[list[Any]]]:
    require_plain_names(rankings.names)
    texts = np.array([*(str(rank + 1) for rank in range(rankings.n_items)), ""], dtype=object)
    ranks = np.where(rankings.is_ranked, rankings.ranks, rankings.n_items)
    return _unmistakable(rankings), texts[ranks].tolist()


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

"""PrefLib files of orders: soc, soi, toc and toi. They number items from 1, the code from 0."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Ranks
from hushrank.errors import HushrankError, require
from hushrank.files.names import distinct_names, require_plain_names
from hushrank.rankings.competition import unranked
from hushrank.rankings.formats.preflib_body import PreflibBody, parse_body
from hushrank.rankings.formats.preflib_header import KINDS, PreflibHeader, split_header
from hushrank.rankings.profile import Rankings

CELLS_OF_A_BLOCK = 2**18  # ranks written at once: few megabytes, whatever the size of the file


def parse_preflib(text: bytes) -> Rankings:
    """Read the text of a PrefLib file, modern (`# KEY: value`) or old (numbers only).

    One row for each line of ballots, with its number of people. Repeated names become distinct:
    see `distinct_names`. A declared type soc or soi forbids ties, soc or toc unranked items.
    Cost: strict orders are read at once by numpy, others line by line.
    Raises HushrankError, with the line, when a line, a number or a declared count does not fit.
    Source: Mattei, Walsh (ADT 2013), PrefLib: A Library for Preferences.
    """
    header, ballots = split_header(text)
    body = parse_body(ballots, header)
    _require_declared(header, body)
    rankings = Rankings(body.ranks, distinct_names(header.names), body.people)
    _require_kind(header, rankings, body.lines)
    return rankings


def format_preflib(rankings: Rankings, kind: str, *, file_name: str = "") -> bytes:
    """Write the text of a modern PrefLib file of the kind soc, soi, toc or toi.

    Rows stay in their order; rows that repeat one another are counted together first.
    Raises HushrankError when `kind` cannot hold the rankings or the format a name.
    """
    require(kind in KINDS, f"expected a kind of {', '.join(KINDS)}")
    _require_holdable(rankings, kind)
    counted = rankings.counted()
    distinct = rankings if counted.n_rows == rankings.n_rows else counted
    fields = {
        "FILE NAME": file_name if file_name.isprintable() else "",
        "DATA TYPE": kind,
        "NUMBER ALTERNATIVES": rankings.n_items,
        "NUMBER VOTERS": rankings.n_people,
        "NUMBER UNIQUE ORDERS": distinct.n_rows,
        **{f"ALTERNATIVE NAME {n}": name for n, name in enumerate(rankings.names, start=1)},
    }
    header = "".join(f"# {key}: {value}\n" for key, value in fields.items())
    return b"".join([header.encode(), *_written_blocks(distinct)])


def _require_declared(header: PreflibHeader, body: PreflibBody) -> None:
    for key, found in (("VOTERS", int(body.people.sum())), ("UNIQUE ORDERS", len(body.people))):
        stated, line = header.declared.get(f"NUMBER {key}", (found, 0))
        message = f"line {line}: expected {stated} {key.lower()} as declared, got {found}"
        require(stated == found, message)


def _require_kind(header: PreflibHeader, rankings: Rankings, lines: NDArray[np.int64]) -> None:
    kind = header.kind or "toi"
    if kind.endswith("c") and not rankings.is_complete:
        line = lines[np.argmin(rankings.is_ranked.all(axis=1))]
        raise HushrankError(
            f"line {line}: expected all {rankings.n_items} items, the type is {kind}"
        )
    if kind.startswith("s") and not rankings.is_strict:
        in_order = np.sort(rankings.ranks, axis=1)
        ties = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] != unranked(in_order))
        line = lines[np.argmax(ties.any(axis=1))]
        raise HushrankError(f"line {line}: expected no ties, the type is {kind}")


def _require_holdable(rankings: Rankings, kind: str) -> None:
    if kind.startswith("s"):
        require(rankings.is_strict, f"{kind} holds no ties: expected strict rankings")
    if kind.endswith("c"):
        require(rankings.is_complete, f"{kind} holds no unranked items: expected complete rankings")
    speaks = rankings.is_ranked.any(axis=1).all()
    require(speaks, f"{kind} holds no empty order: expected at least 1 ranked item in every row")
    require_plain_names(rankings.names)


def _written_blocks(rankings: Rankings) -> Iterator[bytes]:
    """Write the ballots block by block, as rows of characters in which zero stands for none."""
    n_rows = max(1, CELLS_OF_A_BLOCK // rankings.n_items)
    for begin in range(0, rankings.n_rows, n_rows):
        rows = slice(begin, begin + n_rows)
        orders = _written_orders(rankings.ranks[rows])
        people = _written_numbers(rankings.people_of_rows[rows])
        colon = np.tile(_characters(": "), (len(people), 1))
        lines = np.concatenate((people, colon, orders), axis=1)
        yield lines[lines != 0].tobytes()


def _written_orders(ranks: Ranks) -> NDArray[np.uint8]:
    """Write each row as `item,{item,item},..` and a newline: characters (rows, any)."""
    orders = np.argsort(ranks, axis=1, kind="stable")
    in_order = np.take_along_axis(ranks, orders, axis=1)
    is_listed = in_order != unranked(ranks)
    ties_last = np.zeros(ranks.shape, dtype=np.bool_)
    ties_last[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    ties_next = np.zeros_like(ties_last)
    ties_next[:, :-1] = ties_last[:, 1:]
    items = _written_numbers(np.arange(1, ranks.shape[1] + 1))
    opening, closing, comma, newline = _characters("{},\n")
    cells = np.empty((*ranks.shape, items.shape[1] + 3), dtype=np.uint8)
    cells[:, :, 0] = (ties_next & ~ties_last) * opening
    cells[:, :, 1:-2] = items[orders]
    cells[:, :, -2] = (ties_last & ~ties_next) * closing
    cells[:, :, -1] = comma
    cells[~is_listed] = 0
    cells[np.arange(len(ranks)), is_listed.sum(axis=1) - 1, -1] = newline
    return cells.reshape(len(ranks), -1)


def _written_numbers(numbers: Counts) -> NDArray[np.uint8]:
    """Write each number (rows,) in decimal: characters (rows, digits), zero before the first."""
    places = 10 ** np.arange(len(str(numbers.max())), dtype=np.int64)[::-1]
    digits = numbers[:, None] // places % 10 + ord("0")
    return np.where(numbers[:, None] >= places, digits, 0).astype(np.uint8)


def _characters(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)

"""PrefLib files of orders: soc, soi, toc and toi. They number items from 1, the code from 0."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Ranks
from hushrank.errors import HushrankError, require
from hushrank.rankings.coding import rank_type
from hushrank.rankings.profile import Rankings, unranked

KINDS = ("soc", "soi", "toc", "toi")
MOST_PEOPLE_OF_A_ROW = 10**12  # millions of such rows still add up in 64 bits

_FIRST_BALLOT = re.compile(rb"^[ \t]*[^#\s]", re.MULTILINE)
_FIELD = re.compile(r"#\s*([A-Z][A-Z ]*?)(?:\s+(\d{1,9}))?\s*:(.*)", re.ASCII)
_TIER = r"(?:\d{1,18}|\{[ \t]*\d{1,18}(?:[ \t]*,[ \t]*\d{1,18})*[ \t]*\})"
_BALLOT = r"[ \t]*(\d{1,18})[ \t]*%s[ \t]*(" + _TIER + r"(?:[ \t]*,[ \t]*" + _TIER + r")*)\s*"
_NUMBER = re.compile(r"\d+", re.ASCII)
_TIERS = re.compile(r"\{[^}]*\}|\d+", re.ASCII)
_MODERN = re.compile(_BALLOT % ":", re.ASCII)
_OLD = re.compile(_BALLOT % ",", re.ASCII)


@dataclass(frozen=True)
class _Header:
    """What the lines before the ballots declare; `declared` = (number, line) of each count."""

    names: tuple[str, ...]
    declared: dict[str, tuple[int, int]]
    kind: str | None
    first_line: int
    ballot: re.Pattern[str]


@dataclass(frozen=True, repr=False)
class _Body:
    """Ranks (rows, items), people (rows,) and line number (rows,) of the ballots."""

    ranks: Ranks
    people: Counts
    lines: NDArray[np.int64]


def parse_preflib(text: bytes) -> Rankings:
    """Read the text of a PrefLib file, modern (`# KEY: value`) or old (numbers only).

    One row for each line of ballots, with its number of people. Repeated names become distinct:
    see `distinct_names`. A declared type soc or soi forbids ties, soc or toc unranked items.
    Cost: strict orders are read at once by numpy, others line by line.
    Raises HushrankError, with the line, when a line, a number or a declared count does not fit.
    Source: Mattei, Walsh (ADT 2013), PrefLib: A Library for Preferences.
    """
    is_modern = text.lstrip().startswith(b"#")
    header, body_text = (_modern_header if is_modern else _old_header)(text)
    body = _strict_body(body_text, header) if is_modern else None
    body = body or _any_body(body_text, header)
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
    header = [f"# {key}: {value}" for key, value in fields.items()]
    people = distinct.people_of_rows.tolist()
    ballots = [f"{n}: {order}" for n, order in zip(people, _written_orders(distinct), strict=True)]
    return "\n".join([*header, *ballots, ""]).encode()


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Number repeated names: a, a, a become a, a (2), a (3); numbers that are names are skipped."""
    taken = set(names)
    seen: dict[str, Iterator[int]] = {}
    distinct = []
    for name in names:
        unique = name
        if name in seen:
            unique = next(new for n in seen[name] if (new := f"{name} ({n})") not in taken)
        else:
            seen[name] = count(2)
        distinct.append(unique)
    return tuple(distinct)


def require_plain_names(names: Sequence[str]) -> None:
    """Raise HushrankError unless a line of text can hold each name and give it back."""
    for number, name in enumerate(names, start=1):
        is_plain = name == name.strip() != "" and not re.search("[\0\r\n\ufeff\ud800-\udfff]", name)
        require(is_plain, f"expected a name of one line without outer blanks for item {number}")


def _modern_header(text: bytes) -> tuple[_Header, bytes]:
    first_ballot = _FIRST_BALLOT.search(text)
    body_at = first_ballot.start() if first_ballot else len(text)
    lines = text[:body_at].decode().split("\n")
    numbers: dict[str, tuple[int, int]] = {}
    names: dict[int, str] = {}
    kind = None
    for line, key, number, value in _fields(lines):
        if key == "ALTERNATIVE NAME":
            require(number and number not in names, f"line {line}: expected a new item number")
            names[number] = value or str(number)
        elif key.startswith("NUMBER "):
            numbers[key] = _declared_number(value, line), line
        elif key == "DATA TYPE":
            require(value in KINDS, f"line {line}: expected a type of {', '.join(KINDS)}")
            kind = value
    _require_names(names, numbers)
    in_order = tuple(names[number] for number in sorted(names))
    return _Header(in_order, numbers, kind, len(lines), _MODERN), text[body_at:]


def _fields(lines: Sequence[str]) -> Iterator[tuple[int, str, int, str]]:
    """Yield (line, key, number of the key or 0, value); other comments are passed over."""
    for line, content in enumerate(lines, start=1):
        if field := _FIELD.fullmatch(content.strip()):
            yield line, field[1], int(field[2] or 0), field[3].strip()


def _declared_number(value: str, line: int) -> int:
    require(re.fullmatch(r"\d{1,18}", value, re.ASCII), f"line {line}: expected a whole number")
    return int(value)


def _require_names(names: dict[int, str], numbers: dict[str, tuple[int, int]]) -> None:
    has_count = "NUMBER ALTERNATIVES" in numbers
    require(has_count, "line 1: expected a header with '# NUMBER ALTERNATIVES: n'")
    n_items, line = numbers["NUMBER ALTERNATIVES"]
    require(n_items >= 1, f"line {line}: expected at least 1 item")
    fits = len(names) == n_items and max(names) == n_items
    require(fits, f"line {line}: expected {n_items} names, for items 1..{n_items}")


def _old_header(text: bytes) -> tuple[_Header, bytes]:
    first = text.partition(b"\n")[0].decode().strip()
    n_items = _declared_number(first, 1)
    require(n_items >= 1, "line 1: expected at least 1 item")
    lines = text.split(b"\n", n_items + 2)
    complete = len(lines) == n_items + 3
    require(complete, f"line 1: expected {n_items} names, a line of totals and ballots to follow")
    names = []
    for number, content in enumerate(lines[1:-2], start=1):
        given, _, name = content.decode().partition(",")
        fits = given.strip() == str(number)
        require(fits, f"line {number + 1}: expected '{number},' and a name")
        names.append(name.strip() or str(number))
    declared = _old_totals(lines[-2].decode(), n_items + 2)
    return _Header(tuple(names), declared, None, n_items + 3, _OLD), lines[-1]


def _old_totals(content: str, line: int) -> dict[str, tuple[int, int]]:
    totals = re.fullmatch(r"\d{1,18},(\d{1,18}),(\d{1,18})", content.strip(), re.ASCII)
    if not totals:
        raise HushrankError(f"line {line}: expected 'voters,sum of counts,unique orders'")
    n_people, n_orders = int(totals[1]), int(totals[2])
    return {"NUMBER VOTERS": (n_people, line), "NUMBER UNIQUE ORDERS": (n_orders, line)}


def _strict_body(text: bytes, header: _Header) -> _Body | None:
    """Read plain lines `count: item,item,...` at once; None when a line is anything else."""
    unix = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    characters = np.frombuffer(unix.rstrip() + b"\n", dtype=np.uint8)
    at = np.flatnonzero(characters - ord("0") > 9)  # unsigned: everything but digits is above 9
    lengths = np.concatenate((at[:1], at[1:] - at[:-1] - 1))
    ends = np.flatnonzero(characters[at] == ord("\n"))
    begins = np.concatenate(([0], ends[:-1] + 1))
    if not _is_plain(characters[at], begins, ends) or lengths[begins + 1].any():
        return None
    is_item = np.ones(len(at), dtype=np.bool_)
    is_item[begins] = is_item[begins + 1] = False
    people = _decimals(characters, at[begins], lengths[begins], MOST_PEOPLE_OF_A_ROW)
    items = _decimals(characters, at[is_item], lengths[is_item], len(header.names))
    if people is None or items is None:
        return None
    ranks = _placed(items - 1, ends - begins - 1, len(header.names))
    lines = header.first_line + np.arange(len(people))
    return None if ranks is None else _Body(ranks, people, lines)


def _is_plain(
    separators: NDArray[np.uint8], begins: NDArray[np.intp], ends: NDArray[np.intp]
) -> bool:
    """Tell whether every row has the separators colon, blank, comma, .., comma, newline."""
    if (ends - begins < 2).any():
        return False
    expected = np.full(len(separators), ord(","), dtype=np.uint8)
    expected[begins], expected[begins + 1], expected[ends] = ord(":"), ord(" "), ord("\n")
    return np.array_equal(separators, expected)


def _decimals(
    characters: NDArray[np.uint8], ends: NDArray[np.intp], lengths: NDArray[np.intp], most: int
) -> NDArray[np.int64] | None:
    """Return the numbers that end before `ends`; None unless all are of 1..most."""
    if lengths.min() < 1 or lengths.max() > len(str(most)):
        return None
    numbers = characters[ends - 1] - np.int64(ord("0"))
    for digit in range(1, lengths.max()):
        longer = np.flatnonzero(lengths > digit)
        values = characters[ends[longer] - 1 - digit] - np.int64(ord("0"))
        numbers[longer] += values * 10**digit
    return numbers if numbers.min() >= 1 and numbers.max() <= most else None


def _placed(items: NDArray[np.int64], lengths: NDArray[np.intp], n_items: int) -> Ranks | None:
    """Rank `items`, given row by row, by their places; None when a row repeats an item."""
    n_rows = len(lengths)
    ranks = np.full(n_rows * n_items, np.iinfo(rank_type(n_items)).max, dtype=rank_type(n_items))
    before = np.cumsum(lengths) - lengths
    rows = np.repeat(np.arange(n_rows), lengths)
    places = np.arange(len(items)) - np.repeat(before, lengths)
    ranks[items * n_rows + rows] = places
    repeats = np.count_nonzero(ranks != unranked(ranks)) != len(items)
    return None if repeats else ranks.reshape(n_items, n_rows).T


def _any_body(text: bytes, header: _Header) -> _Body:
    """Read line by line, ties and blanks allowed, and say which line is wrong."""
    numbered = enumerate(text.decode().split("\n"), start=header.first_line)
    ballots = [(line, content) for line, content in numbered if content.strip()]
    require(ballots, f"line {header.first_line}: expected at least 1 ballot")
    n_items = len(header.names)
    ranks = np.empty((len(ballots), n_items), dtype=rank_type(n_items), order="F")
    people = np.empty(len(ballots), dtype=np.int64)
    for row, (line, content) in enumerate(ballots):
        ballot = header.ballot.fullmatch(content)
        if not ballot:
            separator = ":" if header.ballot is _MODERN else ","
            raise HushrankError(f"line {line}: expected 'count{separator} order', ties in braces")
        people[row] = min(int(ballot[1]), MOST_PEOPLE_OF_A_ROW + 1)
        fits = 1 <= people[row] <= MOST_PEOPLE_OF_A_ROW
        require(fits, f"line {line}: expected a count of 1..{MOST_PEOPLE_OF_A_ROW}")
        ranks[row] = _row_ranks(ballot[2], n_items, line)
    return _Body(ranks, people, np.array([line for line, _ in ballots]))


def _row_ranks(order: str, n_items: int, line: int) -> list[int]:
    items = [int(number) - 1 for number in _NUMBER.findall(order)]
    in_range = min(items) >= 0 and max(items) < n_items
    require(in_range, f"line {line}: expected items of 1..{n_items}")
    require(len(set(items)) == len(items), f"line {line}: expected each item at most once")
    row = [np.iinfo(rank_type(n_items)).max] * n_items
    n_better = 0
    for tier in _TIERS.findall(order):
        n_tied = tier.count(",") + 1
        for item in items[n_better : n_better + n_tied]:
            row[item] = n_better
        n_better += n_tied
    return row


def _require_declared(header: _Header, body: _Body) -> None:
    for key, found in (("VOTERS", int(body.people.sum())), ("UNIQUE ORDERS", len(body.people))):
        stated, line = header.declared.get(f"NUMBER {key}", (found, 0))
        message = f"line {line}: expected {stated} {key.lower()} as declared, got {found}"
        require(stated == found, message)


def _require_kind(header: _Header, rankings: Rankings, lines: NDArray[np.int64]) -> None:
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


def _written_orders(rankings: Rankings) -> Iterator[str]:
    n_ranked = rankings.is_ranked.sum(axis=1).tolist()
    orders = np.argsort(rankings.ranks, axis=1, kind="stable")
    if rankings.is_strict:
        for order, length in zip((orders + 1).tolist(), n_ranked, strict=True):
            yield ",".join(map(str, order[:length]))
        return
    in_order = np.take_along_axis(rankings.ranks, orders, axis=1)
    for order, ranks, length in zip(orders + 1, in_order, n_ranked, strict=True):
        placed = zip(ranks[:length].tolist(), order[:length].tolist(), strict=True)
        tiers = ([str(item) for _, item in tier] for _, tier in groupby(placed, lambda x: x[0]))
        yield ",".join(tier[0] if len(tier) == 1 else f"{{{','.join(tier)}}}" for tier in tiers)

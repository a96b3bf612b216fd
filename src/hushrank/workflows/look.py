"""Look at a file: what it is, what is odd in it and where, and which command takes it."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError
from hushrank.files.columns import Table
from hushrank.files.disk import FilePath, errors_naming
from hushrank.files.names import is_number
from hushrank.files.tables import load, read_table
from hushrank.rankings.cast_votes.exports import parse_cast_votes
from hushrank.rankings.files import opened
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.cleaning import ballots_of
from hushrank.rankings.forms.columns import stands_beside
from hushrank.rankings.forms.found import Found
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.lists import names_a_ballot
from hushrank.rankings.forms.long import long_form
from hushrank.rankings.forms.ranks import kind_of
from hushrank.rankings.profile import Rankings
from hushrank.workflows.results.useful_budgets import useful_budgets

MOST_LINES = 5
"""How many lines of one kind are named; the others are counted."""

KNOWN = {
    "user": (
        "user",
        "userid",
        "user_id",
        "uid",
        "customer",
        "customerid",
        "customer_id",
        "visitor",
        "visitor_id",
        "member",
    ),
    "item": (
        "item",
        "itemid",
        "item_id",
        "movieid",
        "product",
        "productid",
        "movie",
        "movie_id",
        "product_id",
        "venue",
        "venueid",
        "venue_id",
        "location_id",
        "locationid",
        "poi",
        "poi_id",
        "place_id",
        "business_id",
        "song",
        "song_id",
        "track",
        "track_id",
        "artist_id",
        "book_id",
        "article_id",
        "asin",
        "isbn",
    ),
    "score": ("score", "rating", "stars", "count", "plays"),
    "time": ("time", "timestamp", "date", "datetime"),
}
ODD = {
    "empty": "nothing is ranked; left out",
    "nameless": "the id is empty; counts as one more person",
    "skipped": "a place is skipped; closed up",
    "repeated": "an item stands there twice; its first place counts",
    "uneven": "the numbers skip or repeat places; their order counts",
    "overvoted": "two items in one place; the ballot ends before them",
}
_WORD = re.compile(r"[^\s,;|>={}]+")
_ONE_EACH = re.compile(r"e-?mail.*|.*id|token|user ?name|name|ip ?address", re.IGNORECASE)


@dataclass(frozen=True)
class Look:
    """What was found: a line on what it is, what is odd, by line, and commands that take it.

    `columns` are named one by one where it could not be told what they are.
    Privacy: names of columns, lines and counts, nothing of what a person said.
    """

    kind: str
    line: str
    odd: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def look(path: FilePath, asked: Asked = Asked(), *, options: Sequence[str] = ()) -> Look:  # noqa: B008 (frozen)
    """Look at a file of rankings, activity or profiles; the first that fits.

    options: those of `asked` as words of a command, for the commands that are named.
    Raises HushrankError when the file cannot be opened; a file of which the form cannot be told is
    described column by column.
    """
    name = shlex.quote(os.fspath(path))
    with errors_naming(path):
        table = _table(path)
    if table is not None and asked == Asked() and (users := _of_users(path, name, table)):
        return users
    try:
        with errors_naming(path):
            file = opened(path, asked, table)
            rankings = ballots_of(file.found, Path(path).name, asked, n_empty=file.n_empty)
    except HushrankError as error:
        if table is None:
            raise
        return Look("unclear", str(error), columns=_columns(table))
    commands = _commands(rankings, shlex.join(["FILE", *options]).replace("FILE", name, 1))
    return Look("rankings", str(rankings.reading), _odd(file.found), commands=commands)


def _of_users(path: FilePath, name: str, table: Table) -> Look | None:
    """Look at activity or profiles; None for a table of neither."""
    lowered = {title.lower(): title for title in table.header}
    found = {
        key: next((lowered[n] for n in names if n in lowered), "") for key, names in KNOWN.items()
    }
    if found["user"] and found["item"]:
        return _activity(path, table, name, found)
    if "user" in lowered and ("protects" in lowered or not _are_ballots(path, table)):
        return _profiles(path, name)
    return None


def _table(path: FilePath) -> Table | None:
    try:
        content = load(path)
        return parse_cast_votes(content, Path(path)) or read_table(path)
    except HushrankError:
        return None


def _are_ballots(path: FilePath, table: Table) -> bool:
    """Tell a table in which users rank from one of what they keep private."""
    try:
        return opened(path, Asked(), table).found.rankings.n_items > 1
    except HushrankError:
        return False


def _activity(path: FilePath, table: Table, name: str, found: Mapping[str, str]) -> Look:
    """Describe activity, and name its columns where they are not called as ours."""
    from hushrank.activities.activity_files import ActivityColumns, activity_of  # as slow as numpy

    others = {key: title for key, title in found.items() if title and title.lower() != key}
    named = {key: title for key, title in found.items() if title} if others else {}
    with errors_naming(path):
        activity = activity_of(table, path, ActivityColumns(**named))
    flags = "".join(f" --{key} {shlex.quote(title)}" for key, title in named.items())
    budgets = useful_budgets("privrank", "kendall", activity) or ()
    budget = "".join(f" --budget {most:.2g}" for most in budgets[1:])
    command = (
        f"hushrank publish historical {name}{flags} --profiles users.csv --private gender{budget}"
        " --output released.csv"
    )
    ratings = f"to rank items by such scores instead: hushrank aggregate {name} --form scores"
    odd = (ratings,) if long_form(table.header, Asked(form="scores")) else ()
    return Look("activity", str(activity.reading), odd, commands=(command,))


def _profiles(path: FilePath, name: str) -> Look:
    """Describe profiles: which attributes there are, and of how many values."""
    from hushrank.activities.profile_files import read_profiles

    try:
        profiles = read_profiles(path)
    except HushrankError as error:
        return Look("profiles", str(error))
    values = ", ".join(f"{each.name} ({len(each.values)} values)" for each in profiles.attributes)
    line = f"{Path(path).name}: profiles of {profiles.n_users:,} users; {values}"
    told = [each for each in profiles.attributes if len(each.values) > 1] or profiles.attributes
    private = min(told, key=lambda each: len(each.values)).name
    command = (
        f"hushrank publish historical visits.csv --profiles {name} --private {shlex.quote(private)}"
        " --output released.csv"
    )
    return Look("profiles", line, commands=(command,))


def _odd(found: Found) -> tuple[str, ...]:
    """Say by line what is not as one would wish."""
    if found.head is None:
        return ()
    table = found.head.table
    rows: dict[str, NDArray[np.bool_]] = dict(found.flags)
    rows["empty"] = np.asarray(~found.rankings.is_ranked.any(axis=1))
    said = [
        f"{_lines(table, rows[kind])}: {ODD[kind]}"
        for kind in ODD
        if kind in rows and rows[kind].any()
    ]
    return (*said, *_again(found.head, found.n_superseded is not None))


def _lines(table: Table, rows: NDArray[np.bool_]) -> str:
    numbers = np.flatnonzero(rows).tolist()
    kind, _, first = table.where(numbers[0]).partition(" ")
    if len(numbers) == 1:
        return f"{kind} {first}"
    named = [table.where(row).removeprefix(f"{kind} ") for row in numbers[:MOST_LINES]]
    more = len(numbers) - MOST_LINES
    return f"{kind}s {', '.join(named)}{f' and {more:,} more' if more > 0 else ''}"


def _again(head: Headed, is_named: bool) -> tuple[str, ...]:
    """Say which column seems to say who a row is of, if somebody has several rows."""
    said = []
    for title, column in zip(head.table.header, head.table.columns, strict=True):
        filled = np.array([*map(bool, column.texts), False])[column.codes]
        n_again = int(filled.sum()) - sum(map(bool, column.texts))
        several = 0 < n_again < 0.5 * filled.sum()
        if not is_named and several and stands_beside(title) and _ONE_EACH.fullmatch(title):
            option = shlex.quote(title)
            rows = "1 row repeats its" if n_again == 1 else f"{n_again:,} rows repeat their"
            said.append(f"{rows} '{title}': --id {option} keeps the last")
    return tuple(said)


def _columns(table: Table) -> tuple[str, ...]:
    """Describe each column by its cells, for somebody who has to choose.

    Where the first line may be a record of a person, for want of a header, it is not shown.
    """
    is_named = _has_header(table)
    titles = table.header if is_named else [""] * len(table.header)
    said = [] if is_named else ["line 1 looks like a record, not like a header: it is not shown"]
    if all(map(is_number, table.header)) and 2 <= len(table.header) <= 4:
        flags = " ".join(f"--{key} {n}" for n, key in enumerate(KNOWN, start=1))
        said.append(f"if this is activity without a header, its columns have numbers: {flags}")
    elif not is_named:
        said.append("if these are profiles, write a line above that names the columns: user, ..")
    for number, (title, column) in enumerate(zip(titles, table.columns, strict=True), start=1):
        kind = kind_of(column)
        words = "empty" if not kind.filled else "numbers" if kind.is_of_numbers else "text"
        if kind.in_words:
            words = "places in words"
        aside = ", set aside by its name" if stands_beside(title) else ""
        named = f" ({title})" if title else ""
        said.append(f"column {number}{named}: {words}{aside}")
    return tuple(said)


def _has_header(table: Table) -> bool:
    """Tell names from a record: no number, nothing that stands below, more letters than digits."""
    below = {text for column in table.columns for text in column.texts}
    repeats = any(
        title and (title in below or _is_made_of_words_below(title, column.texts))
        for title, column in zip(table.header, table.columns, strict=True)
    )
    signs = "".join(table.header)
    is_of_digits = sum(map(str.isdigit, signs)) > sum(map(str.isalpha, signs))
    is_record = repeats or is_of_digits or names_a_ballot(table)
    return not (is_record or any(map(is_number, table.header)))


def _is_made_of_words_below(title: str, texts: Sequence[str]) -> bool:
    """Tell a whole ballot in one cell, of two words or more that cells below it have, too."""
    words = _WORD.findall(title)
    if len(words) < 2:
        return False
    missing = {*words}
    for text in texts:
        missing.difference_update(_WORD.findall(text))
    return not missing


def _commands(rankings: Rankings, file: str) -> tuple[str, ...]:
    """Return the commands that take such rankings as they are."""
    collect = f"hushrank collect {file} --epsilon 4"
    if not rankings.is_complete:
        collect += f" --unranked {rankings.unranked}"
    if not rankings.is_strict:
        collect += " --break-ties"
    return (f"hushrank aggregate {file}", f"hushrank aggregate {file} --epsilon 1", collect)

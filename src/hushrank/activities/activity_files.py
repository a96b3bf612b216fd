"""Read and write what users did: one record a row, `user,item[,score][,time]`."""

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushrank.activities.activity import Activity
from hushrank.activities.log import ActivityLog, Duplicates
from hushrank.activities.reading import ActivityReading
from hushrank.errors import expect, require
from hushrank.files.arrow_tables import ArrowTable
from hushrank.files.columns import Column, Table
from hushrank.files.delimiters import TWO_SIGNS
from hushrank.files.disk import FilePath, errors_naming, require_folder
from hushrank.files.names import is_number, natural_order
from hushrank.files.tables import (
    Written,
    column_named,
    decimal_numbers,
    has_column,
    held_texts,
    identifiers,
    opened_table,
    people,
    require_table_extension,
    whole_where_all_are,
    write_table,
)

USER, ITEM, SCORE, TIME = "user", "item", "score", "time"


@dataclass(frozen=True)
class ActivityColumns:
    """The names of the columns, where they are not user, item, score and time; and what parts them.

    With a name for one of them the other columns of a table are ignored; without, there are none.
    """

    user: str | None = None
    item: str | None = None
    score: str | None = None
    time: str | None = None
    delimiter: str | None = None

    def __post_init__(self) -> None:
        """Check the delimiter."""
        known = self.delimiter in (None, TWO_SIGNS) or len(str(self.delimiter).encode()) == 1
        require(known, "delimiter: expected one sign, such as , ; | or a tab, or ::")

    @property
    def are_named(self) -> bool:
        """Whether the caller names a column."""
        return any(name is not None for name in (self.user, self.item, self.score, self.time))

    @property
    def are_numbers(self) -> bool:
        """Whether the caller names all columns by number, as where the first line is a record."""
        given = [name for name in (self.user, self.item, self.score, self.time) if name]
        return bool(given) and all(name.isdecimal() for name in given)


UNNAMED = ActivityColumns()


def read_activity(
    source: FilePath | ArrowTable,
    *,
    duplicates: Duplicates = "sum",
    user: str | None = None,
    item: str | None = None,
    score: str | None = None,
    time: str | None = None,
    delimiter: str | None = None,
) -> Activity:
    """Read one score for each user and item.

    source: a table as CSV, Excel, OpenDocument, JSON or Parquet, plain or gzipped, or in memory
    (pandas 2.2 or newer, polars, pyarrow: whatever speaks the Arrow C interface), with columns
    `user` and `item`, perhaps `score` (otherwise 1) and `time`; users and items are sorted, whole
    numbers by size.
    duplicates: what becomes of scores of one user and one item: `sum`, `last`, `max`, `refused`.
    user, item, score, time: the columns' names where they are others; further columns are then
    ignored, and a table without a header has names 1, 2, .. `delimiter`: what parts cells, if it
    cannot be told. `docs/activity-data.md` has more.
    Privacy: what is read is raw. The error names file, line and expectation, never a cell.
    Raises HushrankError when the file is missing, damaged or not of the form, when a score is no
    finite number of at least 0, or when all scores of a user or an item are 0; TypeError for what
    is no path and no table.
    """
    columns = ActivityColumns(user, item, score, time, delimiter)
    is_headed = not columns.are_numbers
    with opened_table(source, delimiter=delimiter, is_headed=is_headed) as table:
        return activity_of(table, source, columns, duplicates)


def activity_of(
    table: Table, source: object, columns: ActivityColumns, duplicates: Duplicates = "sum"
) -> Activity:
    """Return what `read_activity` does of a table that was read already; source: its name."""
    log = _log(table, columns)
    if duplicates == "refused":
        table.require_rows(~log.repeats(), "one record at most of each user and item")
    activity = log.activity(duplicates)
    activity.require_active()
    return activity.read_as(_reading(source, table, columns, log, duplicates))


def read_log(source: FilePath | ArrowTable, *, columns: ActivityColumns = UNNAMED) -> ActivityLog:
    """Read all records in the order of the file or table, with their times where it has any.

    Raises HushrankError as `read_activity` does, but for scores of 0.
    """
    is_headed = not columns.are_numbers
    with opened_table(source, delimiter=columns.delimiter, is_headed=is_headed) as table:
        return _log(table, columns)


def write_activity(activity: Activity, path: FilePath, *, secret: bool = False) -> None:
    """Write an `activity` to `path`: .csv or .parquet, or +.gz; no column `score` when all are 1.

    The file appears whole or not at all. It does not say who or what has no score at all.
    Privacy: writes what it is given; whether that may be published, or is `secret` as in
    `replace_file`, is for the caller to say.
    Raises HushrankError when it cannot be written.
    """
    expect(activity, Activity, "activity", "hushrank.read_activity")
    rows = np.repeat(np.arange(activity.n_users, dtype=np.int32), activity.records_of_users)
    cells = activity.scores
    log = ActivityLog(rows, cells.indices, cells.data, activity.users, activity.items)
    write_log(log, path, secret=secret)


def write_log(log: ActivityLog, path: FilePath, *, secret: bool) -> None:
    """Write all records in their order, with times where there are any; as `write_activity`."""
    columns: dict[str, Written] = {
        USER: held_texts(log.user_codes, log.users),
        ITEM: held_texts(log.item_codes, log.items),
    }
    if not (log.scores == 1).all():
        columns[SCORE] = whole_where_all_are(log.scores)
    if log.times is not None:
        columns[TIME] = whole_where_all_are(log.times)
    write_table(columns, path, secret=secret)


def require_writable(path: FilePath) -> None:
    """Raise HushrankError where `write_activity` would, as far as the path alone tells."""
    with errors_naming(path):
        require_table_extension(path)
    require_folder(path)


def _log(table: Table, columns: ActivityColumns) -> ActivityLog:
    if columns.are_named:
        table = _named(table, columns)
    titles = sorted(title.lower() for title in table.header)
    known = {USER, ITEM} <= set(titles) <= {USER, ITEM, SCORE, TIME}
    require(known and len(set(titles)) == len(titles), _not_named(table))
    users = people(table, USER, natural_order)
    items = identifiers(table, ITEM, natural_order)
    times = _times(table) if has_column(table, TIME) else None
    codes = users.codes.astype(np.int32), items.codes.astype(np.int32)
    return ActivityLog(*codes, _scores(table), users.texts, items.texts, times)


def _reading(
    source: object, table: Table, columns: ActivityColumns, log: ActivityLog, duplicates: str
) -> ActivityReading:
    table = _numbered(table, columns) if columns.are_named else table
    used = set(_used(table, columns).values())
    return ActivityReading(
        Path(source).name if isinstance(source, str | os.PathLike) else "table",
        users=log.n_users,
        items=log.n_items,
        records=log.n_records,
        repeated=int(log.repeats().sum()),
        duplicates=duplicates,
        has_scores=SCORE in _used(table, columns),
        has_times=log.times is not None,
        ignored=tuple(name for n, name in enumerate(table.header) if n not in used),
        remarks=(table.format,) if table.format else (),
    )


def _used(table: Table, columns: ActivityColumns) -> dict[str, int]:
    """Return which column is which, by number."""
    lowered = [title.lower() for title in table.header]
    names = {
        title: (getattr(columns, title) or title).lower() for title in (USER, ITEM, SCORE, TIME)
    }
    return {title: lowered.index(name) for title, name in names.items() if name in lowered}


def _named(table: Table, columns: ActivityColumns) -> Table:
    """Return the columns that the caller names, as user, item, score and time, and no others."""
    table = _numbered(table, columns)
    found = _used(table, columns)
    needed = [title for title in (USER, ITEM, SCORE, TIME) if getattr(columns, title) is not None]
    missing = [f"{title}=" for title in dict.fromkeys((USER, ITEM, *needed)) if title not in found]
    require(not missing, f"line 1: there is no column for {', '.join(missing)}")
    chosen = tuple(table.columns[n] for n in found.values())
    return replace(table, header=tuple(found), columns=chosen)


def _numbered(table: Table, columns: ActivityColumns) -> Table:
    """Take a first line of numbers for a record where all columns are named by number."""
    if not (columns.are_numbers and all(map(is_number, table.header))):
        return table
    numbers = tuple(str(n) for n in range(1, len(table.header) + 1))
    return replace(table.with_header_as_row(), header=numbers)


def _not_named(table: Table) -> str:
    """Say what columns are missing or too many, and how to name them."""
    expected = "line 1: expected the columns user and item, and perhaps score and time"
    if all(map(is_number, table.header)):
        return f'{expected}, got numbers; without a header say which is which: user="1", item="2"'
    name = "name yours with user=, item=, score= and time=; the others are then ignored"
    n = len(table.header)
    found = "1 column" if n == 1 else f"{n} columns of which some are called otherwise"
    return f"{expected}, got {found}; {name}"


def _scores(table: Table) -> NDArray[np.float64]:
    if not has_column(table, SCORE):
        return np.ones(len(table.columns[0].codes))
    scores = decimal_numbers(column_named(table, SCORE))
    table.require_rows(np.isfinite(scores) & (scores >= 0), "a score that is a number of 0 or more")
    return scores


def _times(table: Table) -> NDArray[np.float64]:
    """Return times as numbers; days and times as ISO 8601 writes them are seconds since 1970.

    All are of one kind, that which more of them are: beside days 20260301 is refused, which is a
    number among numbers.
    """
    column = column_named(table, TIME)
    times = column.numbers()
    if not np.isfinite(times).all():
        times = max(times, _seconds(column), key=lambda found: np.isfinite(found).sum())
    table.require_rows(np.isfinite(times), "a time that is a finite number, or as 2026-03-01T12:00")
    return times


def _seconds(column: Column) -> NDArray[np.float64]:
    """Return seconds since 1970 of each row's time, nan where it is none; UTC unless it says."""
    return np.array([*map(_second, column.texts), np.nan]).take(column.codes)


def _second(text: str) -> float:
    if is_number(text):
        return np.nan
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return np.nan
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()

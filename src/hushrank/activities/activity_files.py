"""Read and write what users did: one record a row, `user,item[,score][,time]`."""

import numpy as np
from numpy.typing import NDArray

from hushrank.activities.activity import Activity
from hushrank.activities.log import ActivityLog, Duplicates
from hushrank.errors import expect, require
from hushrank.files.disk import FilePath, errors_naming, require_folder
from hushrank.files.names import natural_order
from hushrank.files.table_files import ArrowTable, Table
from hushrank.files.tables import (
    column_named,
    has_column,
    identifiers,
    number_column,
    numbers,
    opened_table,
    require_table_extension,
    text_column,
    write_table,
)

USER, ITEM, SCORE, TIME = "user", "item", "score", "time"


def read_activity(source: FilePath | ArrowTable, *, duplicates: Duplicates = "sum") -> Activity:
    """Read one score for each user and item.

    source: a CSV or Parquet file, plain or gzipped, or a table in memory (pandas 2.2 or newer,
    polars, pyarrow: whatever speaks the Arrow C interface), with columns `user` and `item`, perhaps
    `score` (otherwise 1) and `time`; users and items are sorted, whole numbers by size.
    duplicates: what becomes of scores of one user and one item: `sum`, `last`, `max`, `refused`.
    `docs/activity-data.md` has more.
    Privacy: what is read is raw. The error names file, line and expectation, never a cell.
    Raises HushrankError when the file is missing, damaged or not of the form, when a score is no
    finite number of at least 0, or when all scores of a user or an item are 0; TypeError for what
    is no path and no table.
    """
    with opened_table(source) as table:
        log = _log(table)
        if duplicates == "refused":
            table.require_rows(~log.repeats(), "one record at most of each user and item")
        activity = log.activity(duplicates)
        activity.require_active()
        return activity


def read_log(source: FilePath | ArrowTable) -> ActivityLog:
    """Read all records in the order of the file or table, with their times where it has any.

    Raises HushrankError as `read_activity` does, but for scores of 0.
    """
    with opened_table(source) as table:
        return _log(table)


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


def write_log(log: ActivityLog, path: FilePath, *, secret: bool = False) -> None:
    """Write all records in their order, with times where there are any; as `write_activity`."""
    columns = {
        USER: text_column(log.user_codes, log.users),
        ITEM: text_column(log.item_codes, log.items),
    }
    if not (log.scores == 1).all():
        columns[SCORE] = number_column(log.scores)
    if log.times is not None:
        columns[TIME] = number_column(log.times)
    write_table(columns, path, secret=secret)


def require_writable(path: FilePath) -> None:
    """Raise HushrankError where `write_activity` would, as far as the path alone tells."""
    with errors_naming(path):
        require_table_extension(path)
    require_folder(path)


def _log(table: Table) -> ActivityLog:
    titles = sorted(title.lower() for title in table.header)
    known = {USER, ITEM} <= set(titles) <= {USER, ITEM, SCORE, TIME}
    message = "line 1: expected the columns user and item, and perhaps score and time"
    require(known and len(set(titles)) == len(titles), message)
    users = identifiers(table, USER, natural_order)
    items = identifiers(table, ITEM, natural_order)
    times = _times(table) if has_column(table, TIME) else None
    codes = users.codes.astype(np.int32), items.codes.astype(np.int32)
    return ActivityLog(*codes, _scores(table), users.texts, items.texts, times)


def _scores(table: Table) -> NDArray[np.float64]:
    if not has_column(table, SCORE):
        return np.ones(len(table.columns[0].codes))
    scores = numbers(column_named(table, SCORE))
    table.require_rows(np.isfinite(scores) & (scores >= 0), "a score that is a number of 0 or more")
    return scores


def _times(table: Table) -> NDArray[np.float64]:
    times = numbers(column_named(table, TIME))
    table.require_rows(np.isfinite(times), "a time that is a finite number")
    return times

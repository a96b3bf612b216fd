"""One self-contained HTML page about released activity, from what was released alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.arrays import Counts
from hushrank.files.disk import replace_file
from hushrank.reports.charts import steps_drawing
from hushrank.reports.page import (
    facts,
    figure,
    heading,
    lead,
    page,
    privacy_box,
    section,
    table,
)

QUANTILES = (("largest", 1.0), ("upper quarter", 0.75), ("middle", 0.5), ("lower quarter", 0.25))


def write_released_report(
    path: Path,
    activity: Activity,
    rows: Mapping[str, str],
    notes: Sequence[str],
    *,
    title: str,
    secret: bool,
) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all.

    secret: whether only its owner may read it.
    """
    size = f"{activity.n_records:,} records of {activity.n_users:,} users and {activity.n_items:,}"
    parts = [
        heading(title),
        lead([f"{size} items, released so that private values are harder to infer."]),
        section("What was protected", privacy_box(notes)),
        _records(
            "Users of the items",
            activity.records_of_items,
            ("items", "users"),
            "Of how many users each item was released, the most frequent first.",
        ),
        _records(
            "Items of the users",
            activity.records_of_users,
            ("users", "items"),
            "How many items were released of each user, the longest record first.",
        ),
        section("Details", facts(rows)),
    ]
    replace_file(path, page(title, "\n".join(parts)).encode(), secret=secret)


def records_drawing(records: Counts, of: str, what: str) -> str:
    """Draw numbers of records as falling steps."""
    return steps_drawing(f"{what} of {of}", records, of, what)


def _records(title: str, records: Counts, words: tuple[str, str], caption: str) -> str:
    of, what = words
    rows = [[named, f"{np.quantile(records, level):,.0f}"] for named, level in QUANTILES]
    return section(
        title,
        figure(records_drawing(records, of, what), caption),
        table([f"of the {of}", what], rows, numbers=(1,)),
    )

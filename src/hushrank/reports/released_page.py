"""One self-contained HTML page about released activity, from what was released alone."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hushrank.activities.activity import Activity
from hushrank.arrays import Counts
from hushrank.files.disk import replace_file
from hushrank.reports.page import page, picture, privacy_box, summary
from hushrank.reports.plots import new_figure

BLUE = "#0072B2"


def write_released_report(
    path: Path, activity: Activity, rows: Mapping[str, str], notes: Sequence[str], *, title: str
) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        privacy_box(notes),
        summary(rows),
        picture(
            "Users of the items",
            records_figure(activity.records_of_items, "item", "users"),
            "Of how many users each item was released, the most frequent first.",
        ),
        picture(
            "Items of the users",
            records_figure(activity.records_of_users, "user", "items"),
            "How many items were released of each user, the longest record first.",
        ),
    ]
    replace_file(path, page(title, "\n".join(parts)).encode())


def records_figure(records: Counts, of: str, what: str, *, height: float = 2.6) -> Figure:
    """Draw numbers of records as falling steps."""
    figure = new_figure(6.5, height)
    axes = figure.add_subplot()
    axes.stairs(np.sort(records)[::-1], fill=True, color=BLUE)
    axes.set_xlabel(of, fontsize=8)
    axes.set_ylabel(what, fontsize=8)
    return figure

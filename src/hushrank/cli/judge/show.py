"""Show what was judged, and write it for machines."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from hushrank.activities.activity import Activity
from hushrank.cli.input.reading import say_reading
from hushrank.cli.output.console import console_beside, say_written, write_json
from hushrank.workflows.judge import OWNERS


def show_judged(
    table: Table,
    document: Mapping[str, Any],
    json: Path | None,
    activity: Activity,
    warnings: Sequence[str] = (),
) -> None:
    """Say how activity was read, print a table and whose it is, warn, and write the document."""
    written = [] if json is None else [json]
    console = console_beside(written)
    say_reading(console, activity.reading)
    console.print(table)
    console.print(OWNERS)
    for warning in warnings:
        console.print(warning)
    if json is not None:
        write_json(json, {**document, "publishable": []}, secret=True)
        say_written(console, written)

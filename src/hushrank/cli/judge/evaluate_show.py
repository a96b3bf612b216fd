"""Train recommenders on what is known and on what was released, and show how well they do."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from hushrank.activities.activity_files import read_activity
from hushrank.cli.console import plain
from hushrank.files.disk import outputs, replace_file
from hushrank.workflows.judge import RECOMMENDERS, EvaluationResult, evaluate


@dataclass(frozen=True)
class EvaluatePaths:
    """The files to read, and the one to write."""

    activity: Path
    released: Path
    held_out: Path
    json: Path | None


def evaluate_and_show(paths: EvaluatePaths, repetitions: int, seed: int) -> None:
    """Train and rank, print a table, and write what was asked for."""
    files = paths.activity, paths.released, paths.held_out
    outputs([paths.json], beside=files)
    activity, released, held_out = (read_activity(path) for path in files)
    with Console(stderr=True).status("recommending") as status:
        found = evaluate(
            activity,
            released,
            held_out=held_out,
            repetitions=repetitions,
            seed=seed,
            progress=status.update,
        )
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(_table(found))
    if paths.json is not None:
        result = msgspec.json.encode(found.to_dict())
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
        console.print(f"wrote {plain(str(paths.json))}")


def _table(found: EvaluationResult) -> Table:
    table = Table(title="Mean average precision", title_justify="left")
    table.add_column("recommender")
    for column in ("all users", "users changed"):
        table.add_column(column, justify="right")
    for name, each in found.map.items():
        changed = "-" if each.changed_users is None else f"{each.changed_users:.4f}"
        table.add_row(RECOMMENDERS[name], f"{each.all_users:.4f}", changed)
    return table

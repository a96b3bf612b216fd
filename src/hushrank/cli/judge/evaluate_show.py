"""Train recommenders on what is known and on what was released, and show how well they do."""

from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from hushrank.activities.activity_files import read_activity
from hushrank.cli.input.reading import ActivityOptions
from hushrank.cli.judge.show import show_judged
from hushrank.cli.output.talk import working
from hushrank.evaluation.recommendation.foretelling import Recommender
from hushrank.files.disk import outputs
from hushrank.workflows.judge import RECOMMENDERS, EvaluationResult, evaluate


@dataclass(frozen=True)
class EvaluatePaths:
    """The files to read, and the one to write."""

    activity: Path
    released: Path
    held_out: Path
    json: Path | None


def evaluate_and_show(
    paths: EvaluatePaths,
    recommender: Recommender,
    repetitions: int,
    seed: int,
    columns: ActivityOptions,
) -> None:
    """Train and rank, print a table, and write what was asked for."""
    files = paths.activity, paths.released, paths.held_out
    outputs([paths.json], beside=files)
    activity = columns.read(paths.activity)
    released, held_out = read_activity(paths.released), read_activity(paths.held_out)
    with working("recommending") as progress:
        found = evaluate(
            activity,
            released,
            held_out=held_out,
            recommender=recommender,
            repetitions=repetitions,
            seed=seed,
            progress=progress,
        )
    show_judged(_table(found), found.to_dict(), paths.json, activity, found.warnings)


def _table(found: EvaluationResult) -> Table:
    table = Table(title="Mean average precision", title_justify="left")
    table.add_column("recommender")
    for column in ("all users", "users changed"):
        table.add_column(column, justify="right")
    for name, each in found.map.items():
        changed = "-" if each.changed_users is None else f"{each.changed_users:.4f}"
        table.add_row(RECOMMENDERS[name], f"{each.all_users:.4f}", changed)
    return table

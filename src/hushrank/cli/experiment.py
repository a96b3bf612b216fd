"""`hushrank experiment`: repeat a figure of a paper, honestly."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option, echo

if TYPE_CHECKING:
    from hushrank.evaluation.experiments.experiment import Experiment, Result, Settings
    from hushrank.rankings.profile import Rankings


def experiment(
    names: Annotated[
        list[str] | None, Argument(metavar="[NAME]...", help="Which figures; see --list.")
    ] = None,
    show_list: Annotated[bool, Option("--list", help="List the experiments and stop.")] = False,
    data: Annotated[
        Path | None, Option(help="File of complete strict rankings, such as Sushi in PrefLib.")
    ] = None,
    out: Annotated[Path, Option(help="Directory for the CSV, PNG and JSON files.")] = Path("."),
    quick: Annotated[
        bool, Option("--quick", help="Few people, items and repetitions: does it run?")
    ] = False,
    repetitions: Annotated[int, Option(min=1, help="How often each point is measured.")] = 10,
    seed: Annotated[int, Option(min=0, help="Repeat the simulation. It protects nobody.")] = 0,
) -> None:
    """Measure figures of the papers on the rankings of a file.

    Example:  hushrank experiment safari-1a --data sushi.soc --out figures
    """
    from hushrank.evaluation.experiments.experiment import Settings
    from hushrank.evaluation.experiments.files import write_experiment
    from hushrank.evaluation.experiments.registry import EXPERIMENTS, experiment_named
    from hushrank.rankings.files import read_rankings

    if show_list:
        for known in EXPERIMENTS.values():
            echo(f"{known.name:12}{known.shows}")
        return
    if not names or data is None:
        raise BadParameter("expected the NAME of an experiment and --data FILE, or --list")
    chosen = [experiment_named(name) for name in names]
    settings = Settings(repetitions, seed, quick)
    out.mkdir(parents=True, exist_ok=True)
    rankings = read_rankings(data)
    for each in chosen:
        for path in write_experiment(_run_with_progress(each, rankings, settings), out):
            echo(f"wrote {path}")


def _run_with_progress(
    chosen: "Experiment", rankings: "Rankings", settings: "Settings"
) -> "Result":
    from rich.console import Console
    from rich.progress import Progress

    from hushrank.evaluation.experiments.experiment import run_experiment

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(chosen.name, total=1.0)
        return run_experiment(
            chosen,
            rankings,
            settings,
            on_progress=lambda done: progress.update(task, completed=done),
        )

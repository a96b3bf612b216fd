"""`hushrank experiment`: repeat a figure of a paper, honestly."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option, echo

from hushrank.cli.input.engines import workers_for
from hushrank.cli.input.options import Engine, Scheduler, WorkerCount
from hushrank.cli.output.talk import is_quiet

if TYPE_CHECKING:
    from hushrank.engines.tasks import Workers
    from hushrank.experiments.experiment import Experiment, Result, Settings
    from hushrank.experiments.resuming import Unfinished
    from hushrank.rankings.profile import Rankings


class PictureForm(StrEnum):
    """What a picture is written as."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


def experiment(
    names: Annotated[
        list[str] | None, Argument(metavar="[NAME]...", help="Which figures; see --list.")
    ] = None,
    show_list: Annotated[bool, Option("--list", help="List the experiments and stop.")] = False,
    data: Annotated[
        list[str] | None,
        Option(
            metavar="[POPULATION=]FILE",
            help="File of complete strict rankings, such as Sushi in PrefLib; repeat the option"
            " with sushi=FILE and so on where a figure has several populations.",
        ),
    ] = None,
    further: Annotated[
        list[str] | None,
        Option(
            "--with",
            metavar="PROTOCOL",
            help="frontier-*: another protocol, such as a plug-in's, beside ours; may be repeated.",
        ),
    ] = None,
    out: Annotated[Path, Option(help="Directory for the CSV, PNG and JSON files.")] = Path("."),
    quick: Annotated[
        bool, Option("--quick", help="Few people, items and repetitions: does it run?")
    ] = False,
    picture: Annotated[
        list[PictureForm] | None,
        Option("--format", help="Form of the picture; may be repeated. (default: png)"),
    ] = None,
    repetitions: Annotated[
        int | None, Option(min=1, help="How often each point is measured. (default: see --list)")
    ] = None,
    seed: Annotated[int, Option(min=0, help="Repeat the simulation. It protects nobody.")] = 0,
    engine: Annotated[Engine, Option(help="dask: points are measured by workers.")] = Engine.LOCAL,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Measure figures of the papers on the rankings of files, and on people drawn from models.

    The numbers are the same wherever a point is measured.

    Example:  hushrank experiment safari-1a --data sushi.soc --out figures
    """
    if show_list:
        _list_experiments()
        return
    if not names:
        raise BadParameter("expected the NAME of an experiment, or --list")
    from hushrank.experiments.experiment import Settings
    from hushrank.experiments.files import write_experiment
    from hushrank.experiments.registry import experiment_named, how_long
    from hushrank.experiments.resuming import unfinished
    from hushrank.reports.plots import require_matplotlib

    require_matplotlib("an experiment's picture")
    run_by = workers_for(engine, scheduler, workers)
    chosen = [experiment_named(name).with_protocols(further or []) for name in names]
    files = _files(chosen, data or [])
    given = _read_populations(chosen, files)
    forms = [form.value for form in picture or (PictureForm.PNG,)]
    for each in chosen:
        settings = Settings(repetitions or each.repetitions, seed, quick)
        left = unfinished(
            each, settings, files=files[each.name], protocols=further or [], directory=out
        )
        echo(how_long(each, settings), err=True)
        result = _run_with_progress(each, given[each.name], settings, left, run_by)
        for path in write_experiment(result, out, forms):
            echo(f"wrote {path}")
        left.finish()


def _list_experiments() -> None:
    from hushrank.experiments.registry import EXPERIMENTS

    for known in EXPERIMENTS.values():
        echo(f"{known.name:19}{known.shows} ({known.repetitions} repetitions)")


def _files(chosen: Sequence["Experiment"], data: Sequence[str]) -> Mapping[str, Mapping[str, Path]]:
    """Return the files of all experiments by population; refuse where one is missing."""
    from hushrank.experiments.data_files import files_for, named_files
    from hushrank.experiments.registry import DATA_NAMES

    files = named_files(data, DATA_NAMES)
    return {each.name: files_for(each, files) for each in chosen}


def _read_populations(
    chosen: Sequence["Experiment"], needed: Mapping[str, Mapping[str, Path]]
) -> Mapping[str, Mapping[str, "Rankings"]]:
    return {
        each.name: {
            population.name: population.read(needed[each.name][population.name])
            for population in each.file_populations
        }
        for each in chosen
    }


def _run_with_progress(
    chosen: "Experiment",
    given: Mapping[str, "Rankings"],
    settings: "Settings",
    left: "Unfinished",
    workers: "Workers",
) -> "Result":
    from rich.console import Console
    from rich.progress import Progress

    from hushrank.experiments.running import run_experiment

    with Progress(console=Console(stderr=True, quiet=is_quiet())) as progress:
        task = progress.add_task(chosen.name, total=1.0)
        return run_experiment(
            chosen,
            given,
            settings,
            measured=left.measured,
            on_points=left.add,
            on_progress=lambda done: progress.update(task, completed=done),
            workers=workers,
        )

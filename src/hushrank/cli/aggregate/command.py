"""hushrank aggregate: one consensus order from a file of ballots."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.engines import require_local, workers_of
from hushrank.cli.input.options import (
    EPSILON_HELP,
    BestEnd,
    Columns,
    CsvFile,
    Drop,
    Engine,
    EngineName,
    FigureFile,
    Form,
    Header,
    Id,
    Ignore,
    Items,
    Scheduler,
    Sheet,
    Unranked,
    Weight,
    WorkerCount,
)
from hushrank.cli.input.reading import ReadingOptions


class Method(StrEnum):
    """How ballots become one order: without privacy, or by a trusted curator."""

    BORDA = "borda"
    KWIKSORT = "kwiksort"
    KEMENY = "kemeny"
    P_BORDA = "p-borda"
    P_BORDA_CENTRED = "p-borda-centred"
    P_BORDA_KNORM = "p-borda-knorm"
    P_SORT = "p-sort"
    P_SAMPLE = "p-sample"
    P_BORDA_HIST = "p-borda-hist"
    DP_KWIKSORT = "dp-kwiksort"
    GAUSSIAN_BORDA = "gaussian-borda"
    GAUSSIAN_KEMENY = "gaussian-kemeny"
    AUTO = "auto"


def aggregate(
    file: Annotated[str, Argument(help="Ballots: PrefLib, CSV, Parquet, scores; also gzipped.")],
    method: Annotated[
        Method | None,
        Option(
            metavar="<method>",
            help=f"How ballots become one order: {', '.join(Method)}."
            " (default: auto with --epsilon, else kemeny)",
        ),
    ] = None,
    epsilon: Annotated[
        float | None, Option(help=f"For the private methods. {EPSILON_HELP}")
    ] = None,
    delta: Annotated[
        float | None, Option(help="Probability of more loss; for gaussian-*, and auto may use it.")
    ] = None,
    unranked: Annotated[
        Unranked | None,
        Option(help="An item that a ballot leaves out. (default: last; of scores, unknown)"),
    ] = None,
    time_limit: Annotated[
        float, Option(help="Seconds for the exact optimum; then its proven gap is said.")
    ] = 60.0,
    form: Form = None,
    columns: Columns = None,
    ignore: Ignore = None,
    id: Id = None,
    weight: Weight = None,
    best: BestEnd = None,
    drop: Drop = None,
    sheet: Sheet = None,
    items: Items = None,
    header: Header = None,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat pivots and noise. The result is then not private.")
    ] = None,
    release: Annotated[
        Path | None, Option(help="Write what may be published, and nothing else: JSON.")
    ] = None,
    title: Annotated[str | None, Option(help="What the release and the report are called.")] = None,
    force: Annotated[
        bool, Option("--force", help="Put a release in the place of an earlier one.")
    ] = False,
    no_ledger: Annotated[
        bool, Option("--no-ledger", help="Do not write down what a private result costs.")
    ] = False,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
    csv: CsvFile = None,
    figure: FigureFile = None,
    report: Annotated[Path | None, Option(help="Write pictures: one HTML page.")] = None,
    engine: EngineName = Engine.LOCAL,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Sum the ballots of FILE up in one order, and say how near it is to the exact optimum.

    With --epsilon the order is private: it protects each ballot against all who see it, but not
    against who runs this. How near it is, the JSON and the report are from the raw ballots: they
    are for you, not for publication; --release writes what may be published. A ledger beside FILE
    adds up what all its private results cost. A file may be -, standard output.

    With --engine dask FILE is Parquet, such as 'ballots/*.parquet' or s3://..., and is counted
    piece by piece; the noise is drawn once, here.

    Example:  hushrank aggregate ballots.toi --epsilon 0.5 --release order.json
    """
    from hushrank.cli.aggregate.show import AggregatePaths, ReleaseTerms, aggregate_and_show

    options = {
        "method": None if method is None else method.value,
        "epsilon": epsilon,
        "delta": delta,
        "unranked": None if unranked is None else unranked.value,
        "time_limit": time_limit,
        "seed": seed,
    }
    paths = AggregatePaths(Path(file), release, json, csv, figure, report)
    reading = ReadingOptions(form, columns, ignore, id, weight, best, drop, sheet, items, header)
    terms = ReleaseTerms(title, force, no_ledger)
    if engine == Engine.DASK:
        from hushrank.cli.aggregate.at_scale import aggregate_files_and_show

        chosen = workers_of(scheduler, workers)
        aggregate_files_and_show(file, paths, reading, options, terms, chosen)
        return
    require_local(scheduler, workers)
    aggregate_and_show(paths, reading, options, terms)

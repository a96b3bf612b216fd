"""hushrank aggregate: one consensus order from a file of ballots."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.options import FileForm, Unranked


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
    file: Annotated[Path, Argument(help="Ballots: PrefLib, CSV, Parquet, scores; also gzipped.")],
    method: Annotated[
        Method | None,
        Option(help="How ballots become one order. (default: auto with --epsilon, else kemeny)"),
    ] = None,
    epsilon: Annotated[
        float | None, Option(help="Privacy loss of a ballot, in nats; for the private methods.")
    ] = None,
    delta: Annotated[
        float | None, Option(help="Probability of more loss; for gaussian-*, and auto may use it.")
    ] = None,
    unranked: Annotated[
        Unranked, Option(help="An item that a ballot leaves out: says nothing, or comes last.")
    ] = Unranked.UNKNOWN,
    time_limit: Annotated[
        float, Option(help="Seconds for the exact optimum; then its proven gap is said.")
    ] = 60.0,
    form: Annotated[
        FileForm | None, Option(help="What FILE holds. (default: told by its content)")
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat pivots and noise. The result is then not private.")
    ] = None,
    release: Annotated[
        Path | None, Option(help="Write what may be published, and nothing else: JSON.")
    ] = None,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
    report: Annotated[Path | None, Option(help="Write pictures: one HTML page.")] = None,
) -> None:
    """Sum the ballots of FILE up in one order, and say how near it is to the exact optimum.

    With --epsilon the order is private: it protects each ballot against all who see it, but not
    against who runs this. How near it is, the JSON and the report are from the raw ballots: they
    are for you, not for publication; --release writes what may be published.

    Example:  hushrank aggregate ballots.toi --epsilon 0.5 --release order.json
    """
    from hushrank.cli.aggregate.show import AggregatePaths, aggregate_and_show

    options = {
        "method": None if method is None else method.value,
        "epsilon": epsilon,
        "delta": delta,
        "unranked": unranked.value,
        "time_limit": time_limit,
        "seed": seed,
    }
    paths = AggregatePaths(file, release, json, report)
    aggregate_and_show(paths, None if form is None else form.value, options)

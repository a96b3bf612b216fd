"""hushrank aggregate: one consensus order from a file of ballots."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.collect import FileForm


class Method(StrEnum):
    """The aggregators that need no privacy budget."""

    BORDA = "borda"
    KWIKSORT = "kwiksort"
    KEMENY = "kemeny"


class Unranked(StrEnum):
    """What it says about two items that a ballot ranks only one of them."""

    UNKNOWN = "unknown"
    LAST = "last"


def aggregate(
    file: Annotated[Path, Argument(help="Ballots: PrefLib, CSV, Parquet, scores; also gzipped.")],
    method: Annotated[Method, Option(help="How the ballots become one order.")] = Method.KEMENY,
    unranked: Annotated[
        Unranked, Option(help="An item that a ballot leaves out: says nothing, or comes last.")
    ] = Unranked.UNKNOWN,
    time_limit: Annotated[
        float, Option(help="Seconds for the exact optimum; then its proven gap is said.")
    ] = 60.0,
    form: Annotated[
        FileForm | None, Option(help="What FILE holds. (default: told by its content)")
    ] = None,
    seed: Annotated[int | None, Option(min=0, help="Repeat the pivots of kwiksort.")] = None,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
) -> None:
    """Sum the ballots of FILE up in one order, and say how near it is to the exact optimum.

    Not private: the order is computed from the raw ballots. Ties and unranked items are counted
    where they decide a pair.

    Example:  hushrank aggregate ballots.toi --method kemeny
    """
    from hushrank.cli.aggregation import AggregateOptions, aggregate_and_show
    from hushrank.rankings.files import read_rankings

    options = AggregateOptions(method.value, unranked.value, time_limit, seed)
    rankings = read_rankings(file, form=None if form is None else form.value)
    aggregate_and_show(rankings, options, title=file.name, source=file, json=json)

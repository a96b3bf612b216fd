"""hushrank publish: hand activity data over without handing over what users keep private."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, Option, Typer

from hushrank.cli.input.options import (
    Bins,
    Delimiter,
    Engine,
    ItemColumn,
    Private,
    ProfilesFile,
    Scheduler,
    ScoreColumn,
    TimeColumn,
    UserColumn,
    WorkerCount,
)
from hushrank.cli.input.reading import ActivityOptions
from hushrank.cli.publish.online import publish_online
from hushrank.cli.publish.shards import publish_shards
from hushrank.errors import require

publish = Typer(
    help="Publish activity data that still recommends well, and hides private values.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
publish.command("online")(publish_online)
publish.command("shards")(publish_shards)


class Method(StrEnum):
    """How records are obfuscated."""

    PRIVRANK = "privrank"
    USER_LEVEL = "user-level"
    WITHHOLD = "withhold"
    MICROAGGREGATE = "microaggregate"
    RAND = "rand"
    FRAPP = "frapp"
    DIFF = "diff"


class Distance(StrEnum):
    """What a budget of `privrank` is measured in."""

    KENDALL = "kendall"
    KENDALL_PRINTED = "kendall-printed"
    SPEARMAN = "spearman"
    EUCLIDEAN = "euclidean"
    SQUARED_EUCLIDEAN = "squared-euclidean"
    COSINE = "cosine"
    JENSEN_SHANNON = "jensen-shannon"


class Clustering(StrEnum):
    """How users are clustered."""

    AUTO = "auto"
    WARD = "ward"
    BISECTING = "bisecting"
    MINIBATCH = "minibatch"
    AVERAGE = "average"


@publish.command()
def historical(
    activity: Annotated[
        str, Argument(help="Who did what: CSV or Parquet, user,item[,score][,time]; also gzipped.")
    ],
    profiles: ProfilesFile,
    private: Private,
    output: Annotated[Path, Option(help="Where the released activity goes: .csv, .parquet, +.gz.")],
    budget: Annotated[
        float | None,
        Option(help="Largest expected distortion, by --method. Without it, budgets are suggested."),
    ] = None,
    protect: Annotated[
        float | None,
        Option(
            help="In place of a budget: what the worst attacker's 1 - AUC shall be, at least (0.5:"
            " learns nothing; 0: all). The budget is searched, on users who protect nothing."
        ),
    ] = None,
    method: Annotated[
        Method,
        Option(
            metavar="<method>",
            help=f"How records are obfuscated: {', '.join(Method)}; the second to fourth: ours.",
        ),
    ] = Method.PRIVRANK,
    clusters: Annotated[
        int | None, Option(min=2, help="How many clusters. (default: 200, or 1 for 10 users)")
    ] = None,
    clustering: Annotated[
        Clustering,
        Option(
            metavar="<way>",
            help=f"How users are clustered: {', '.join(Clustering)}; auto is ward or bisecting.",
        ),
    ] = Clustering.AUTO,
    distance: Annotated[
        Distance,
        Option(
            metavar="<distance>",
            help=f"The unit of privrank's budget, between clusters: {', '.join(Distance)}.",
        ),
    ] = Distance.KENDALL,
    max_ratio: Annotated[
        float | None, Option(help="privrank: bound P(released | y) / P(released | y') by this.")
    ] = None,
    keep_own: Annotated[
        bool, Option("--keep-own", help="privrank: own record where the cluster stays; no bound.")
    ] = False,
    user: UserColumn = None,
    item: ItemColumn = None,
    score: ScoreColumn = None,
    time: TimeColumn = None,
    delimiter: Delimiter = None,
    bins: Bins = None,
    hold_out: Annotated[
        Path | None, Option(help="Keep 20 % of the records out of the release, and write them.")
    ] = None,
    posterior: Annotated[
        Path | None, Option(help="Write what the channel tells of each user, for `attack`.")
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat a simulation. The result is then not private.")
    ] = None,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
    report: Annotated[Path | None, Option(help="Write pictures: one HTML page.")] = None,
    engine: Annotated[
        Engine, Option(help="dask: ACTIVITY is Parquet, read by pieces; OUTPUT a new folder.")
    ] = Engine.LOCAL,
    scratch: Annotated[
        Path | None,
        Option(help="Dask: a folder that all workers reach, for raw records meanwhile."),
    ] = None,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Release ACTIVITY so that the private values of users who protect them are hard to infer.

    No differential privacy. OUTPUT alone may be handed over; all else is for you. Real records
    appear under other users' names, which needs their consent, but for --method withhold and
    microaggregate. docs/publishing.md says the rest.

    Example:  hushrank publish historical visits.csv --profiles people.csv --private gender
    --budget 0.05 --output released.csv
    """
    from hushrank.activities.bins import parse_bins
    from hushrank.cli.input.engines import require_local, workers_of
    from hushrank.cli.output.console import in_flags
    from hushrank.cli.publish.show import PublishPaths, publish_and_show, suggestion
    from hushrank.workflows.results.release_terms import ReleaseTerms

    names = tuple(name.strip() for name in private.split(","))
    edges = dict(parse_bins(rule) for rule in bins or ())
    require(edges.keys() <= set(names), "--bins cuts attributes that --private names")
    require(budget is None or protect is None, "--budget and --protect: expected one of them")
    chosen = clusters, clustering.value, distance.value, max_ratio, keep_own, seed, protect
    with in_flags("max_ratio", "keep_own", "protect:", "budget"):
        terms = ReleaseTerms(method.value, names, budget, *chosen)
    paths = PublishPaths(Path(activity), profiles, output, hold_out, posterior, json, report)
    columns = ActivityOptions(user, item, score, time, delimiter)
    if engine is Engine.DASK:
        from hushrank.cli.publish.at_scale import publish_files_and_show

        require(budget is not None, "--engine dask needs --budget")
        run_by = workers_of(scheduler, workers)
        publish_files_and_show(
            activity, terms, edges, paths, columns, scratch=scratch, workers=run_by
        )
        return
    require_local(scheduler, workers)
    require(scratch is None, "--scratch goes with --engine dask")
    if budget is None and protect is None:
        raise suggestion(terms, columns.read(Path(activity)))
    publish_and_show(terms, tuple(bins or ()), edges, paths, columns)

"""hushrank publish shards: begin a stream of many users, one state for each shard of them."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.options import (
    ItemColumn,
    Private,
    ProfilesFile,
    Scheduler,
    ScoreColumn,
    TimeColumn,
    UserColumn,
    WorkerCount,
)


def publish_shards(
    activity: Annotated[
        str, Argument(help="Activity to learn from: Parquet, a path, a pattern, s3://...")
    ],
    profiles: ProfilesFile,
    private: Private,
    budget: Annotated[float, Option(help="Expected Kendall distance of one activity, in [0, 1].")],
    shards: Annotated[int, Option(min=1, help="How many states there are to be.")],
    out: Annotated[Path, Option(help="A folder for the states. Keep it secret.")],
    limit: Annotated[
        float | None, Option(help="Bits that all releases of one user may tell.")
    ] = None,
    history: Annotated[
        Path | None, Option(help="What the recipient holds already, user,item[,score].")
    ] = None,
    renew_every: Annotated[
        int | None, Option(help="Releases of a user by one channel. (default: 100)")
    ] = None,
    user: UserColumn = None,
    item: ItemColumn = None,
    score: ScoreColumn = None,
    time: TimeColumn = None,
    scheduler: Scheduler = None,
    workers: WorkerCount = None,
) -> None:
    """Begin a stream of many users in shards: each is then run by `publish online --state`.

    ACTIVITY is read piece by piece. A user belongs to one shard, which the name tells: see
    docs/cluster.md. A shard moves to another machine by moving its file, while nothing runs it.

    Example:  hushrank publish shards 'visits/*.parquet' --profiles people.csv --private gender
    --budget 0.001 --shards 16 --out states
    """
    from hushrank.activities.activity_files import ActivityColumns
    from hushrank.activities.profile_files import read_profiles
    from hushrank.cli.input.reading import ActivityOptions
    from hushrank.cli.output.console import say_written
    from hushrank.cli.output.talk import for_people, working
    from hushrank.engines.tasks import Workers
    from hushrank.workflows.publish.shards import begin_shards

    names = [name.strip() for name in private.split(",")]
    columns = ActivityOptions(user, item, score, time)
    people = read_profiles(profiles, attributes=names)
    held = None if history is None else columns.read(history)
    with working("learning") as progress:
        paths = begin_shards(
            out,
            shards,
            activity,
            people,
            private=names,
            budget=budget,
            limit=limit,
            history=held,
            renew_every=renew_every,
            columns=ActivityColumns(user, item, score, time),
            workers=Workers(scheduler, workers),
            progress=progress,
        )
    say_written(for_people(), paths)

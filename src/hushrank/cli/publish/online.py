"""hushrank publish online: hide activities one by one, as they happen."""

from pathlib import Path
from typing import Annotated

from typer import Option


def publish_online(
    state: Annotated[
        Path, Option(help="What the stream remembers; begun where there is none. Keep it secret.")
    ],
    input: Annotated[
        Path | None, Option(help="Activities as NDJSON. (default: standard input)")
    ] = None,
    output: Annotated[
        Path | None, Option(help="Append released activities here. (default: standard output)")
    ] = None,
    activity: Annotated[
        Path | None, Option(help="To begin: activity to learn from, user,item[,score][,time].")
    ] = None,
    profiles: Annotated[
        Path | None, Option(help="To begin: what users keep private, user,<attribute>,...")
    ] = None,
    private: Annotated[
        str | None, Option(help="To begin: the attributes to protect, gender or gender,age.")
    ] = None,
    budget: Annotated[
        float | None, Option(help="To begin: expected Kendall distance of one activity, in [0, 1].")
    ] = None,
    limit: Annotated[
        float | None, Option(help="To begin: bits that all releases of one user may tell.")
    ] = None,
    history: Annotated[
        Path | None, Option(help="To begin: what the recipient holds already, user,item[,score].")
    ] = None,
    renew_every: Annotated[
        int | None, Option(help="To begin: releases of a user by one channel. (default: 100)")
    ] = None,
    keep: Annotated[
        str | None, Option(help="Other keys of a line, a,b, to pass on: none may tell the item.")
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat a simulation. The result is then not private.")
    ] = None,
) -> None:
    """Release one activity for each that comes in, so that private values are hard to infer.

    A line is {"user": ..., "item": ...[, "time": ...]}. After a crash, run it again with the same
    input: nothing is lost or drawn twice. No differential privacy. docs/cli.md says the rest.

    Example:  hushrank publish online --state s --activity visits.csv --profiles people.csv
    --private gender --budget 0.001 < new.ndjson > released.ndjson
    """
    from hushrank.workflows.publish_online import Beginning, open_setup, run

    given = Beginning(activity, profiles, private, budget, limit, history, renew_every)
    setup = open_setup(state, given)
    kept = tuple(key.strip() for key in keep.split(",")) if keep else ()
    run(setup, (state, input, output), seed, kept=kept)

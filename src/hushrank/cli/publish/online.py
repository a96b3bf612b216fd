"""hushrank publish online: hide activities one by one, as they happen."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from typer import Argument, Option

from hushrank.accounting.words import bits_in_words
from hushrank.cli.input.options import Delimiter, ItemColumn, ScoreColumn, TimeColumn, UserColumn
from hushrank.cli.input.reading import ActivityOptions, say_reading
from hushrank.cli.output.talk import for_people
from hushrank.errors import HushrankError, require
from hushrank.files.disk import errors_naming, is_standard_output, keep_to_owner, outputs

if TYPE_CHECKING:  # numpy would double the time of --help
    from hushrank.activities.activity import Activity
    from hushrank.workflows.publish.online import OnlineStream

NOT_PRIVATE = "Not private: --seed drew some of what this state released."


@dataclass(frozen=True)
class Beginning:
    """What a state is begun with; everything None where there is one already."""

    activity: Path | None
    profiles: Path | None
    private: str | None
    budget: float | None
    limit: float | None
    history: Path | None
    renew_every: int | None
    user: str | None = None
    item: str | None = None
    score: str | None = None
    time: str | None = None
    delimiter: str | None = None

    def columns(self) -> ActivityOptions:
        """Return what is said about the columns of activity and history."""
        return ActivityOptions(self.user, self.item, self.score, self.time, self.delimiter)


def publish_online(
    state: Annotated[
        Path, Option(help="What the stream remembers; begun where there is none. Keep it secret.")
    ],
    activity: Annotated[
        Path | None,
        Argument(
            help="To begin: activity to learn from, user,item[,score][,time].", show_default=False
        ),
    ] = None,
    input: Annotated[
        Path | None, Option(help="Activities as NDJSON. (default: standard input)")
    ] = None,
    output: Annotated[
        Path | None, Option(help="Append released activities here. (default: standard output)")
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
    user: UserColumn = None,
    item: ItemColumn = None,
    score: ScoreColumn = None,
    time: TimeColumn = None,
    delimiter: Delimiter = None,
    keep: Annotated[
        str | None, Option(help="Other keys of a line, a,b, to pass on: none may tell the item.")
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, help="Repeat a simulation. The result is then not private.")
    ] = None,
) -> None:
    """Release one activity for each that comes in, so that private values are hard to infer.

    The first run learns from ACTIVITY, and releases nothing of it. A line is {"user": ...,
    "item": ...[, "time": ...]}. After a crash, run it again with the same input: nothing is lost or
    drawn twice. No differential privacy. docs/cli.md says the rest.

    Example:  hushrank publish online visits.csv --profiles people.csv --private gender
    --budget 0.001 --state s < new.ndjson > released.ndjson
    """
    columns = user, item, score, time, delimiter
    given = Beginning(activity, profiles, private, budget, limit, history, renew_every, *columns)
    kept = tuple(key.strip() for key in keep.split(",")) if keep else ()
    outputs([output], beside=[state, input, activity, profiles, history], appends=True)
    with ExitStack() as files:
        lines = sys.stdin.buffer if input is None else files.enter_context(_opened(input, "rb"))
        stream = files.enter_context(_open(state, given, seed))
        _warn(stream)
        into, appends = _target(output, files, secret=seed is not None)
        with _lines_of("standard input" if input is None else str(input)):
            stream.release_lines(lines, into, appends=appends, keep=kept)
        _tell(stream)


def _target(output: Path | None, files: ExitStack, *, secret: bool) -> tuple[BinaryIO, bool]:
    """Return what is written to, and whether it is a file, which is appended to: no pipe."""
    if output is None or is_standard_output(output):
        return sys.stdout.buffer, False
    if output.exists() and not output.is_file():
        return files.enter_context(_opened(output, "wb")), False
    if secret:  # whoever knows the seed knows the draws
        keep_to_owner(output)
    return files.enter_context(_opened(output, "a+b")), True


def _opened(path: Path, mode: str) -> Any:
    with errors_naming(path):
        return path.open(mode)


@contextmanager
def _lines_of(source: str) -> Iterator[None]:
    """Name the source of a line that does not fit."""
    try:
        yield
    except HushrankError as error:
        where = f"{source}: " if str(error).startswith("line ") else ""
        raise HushrankError(f"{where}{error}") from None


def _open(state: Path, given: Beginning, seed: int | None) -> "OnlineStream":
    """Go on with a state, or begin one with what the files hold."""
    from hushrank.workflows.publish.online import is_begun, publish_online

    if is_begun(state):
        unused = all(value is None for value in vars(given).values())
        require(unused, f"{state} exists: expected nothing that begins a state")
        return publish_online(state, seed=seed)
    return _begun(state, given, seed)


def _begun(state: Path, given: Beginning, seed: int | None) -> "OnlineStream":
    """Begin a state with what the files hold."""
    from hushrank.activities.profile_files import read_profiles
    from hushrank.workflows.publish.online import publish_online

    require(
        given.activity and given.profiles and given.private and given.budget is not None,
        "expected ACTIVITY, --profiles, --private and --budget to begin a state",
    )
    names = [name.strip() for name in str(given.private).split(",")]
    return publish_online(
        state,
        learn_from=_read(Path(str(given.activity)), given),
        profiles=read_profiles(str(given.profiles), attributes=names),
        private=names,
        budget=given.budget,
        limit=given.limit,
        history=None if given.history is None else _read(given.history, given),
        renew_every=given.renew_every,
        seed=seed,
    )


def _read(path: Path, given: Beginning) -> "Activity":
    """Read activity, and say on standard error how: standard output is for the releases."""
    activity = given.columns().read(path)
    say_reading(for_people(beside_output=True), activity.reading)
    return activity


def _warn(stream: "OnlineStream") -> None:
    """Say what is wrong with the rules before the first line: a pipe may never end."""
    for warning in stream.warnings:
        print(warning, file=sys.stderr, flush=True)


def _tell(stream: "OnlineStream") -> None:
    """Say on standard error what all releases so far may have told."""
    totals, bit = stream.totals, log(2)
    told = totals.mean_leaked, totals.most_leaked, totals.most_worst_leaked
    mean, at_most, worst = (bits_in_words(each / bit) for each in told)
    lines = (
        f"{stream.position:,} activities, {totals.n_released:,} of them hidden and"
        f" {totals.n_withheld:,} withheld, of {totals.n_users:,} protected users",
        f"told of one of them: {mean} bits on average, {at_most} at most",
        f"told under any prior belief: {worst} bits at most ({stream.limit_in_words})",
        "both include an estimate of what the users of ACTIVITY, a sample, do not show",
        *([] if stream.is_private else [NOT_PRIVATE]),
    )
    print("\n".join(lines), file=sys.stderr)

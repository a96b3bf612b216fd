"""hushrank attack: what attackers learn of a private attribute from released activity."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.options import (
    Activities,
    Bins,
    Delimiter,
    ItemColumn,
    Private,
    ProfilesFile,
    ScoreColumn,
    TimeColumn,
    UserColumn,
)
from hushrank.cli.input.reading import ActivityOptions


def attack(
    activity: Activities,
    released: Annotated[Path, Argument(help="What `publish` released of it.")],
    profiles: ProfilesFile,
    private: Private,
    bins: Bins = None,
    posterior: Annotated[
        Path | None, Option(help="What `publish --posterior` wrote: one attacker more.")
    ] = None,
    user: UserColumn = None,
    item: ItemColumn = None,
    score: ScoreColumn = None,
    time: TimeColumn = None,
    delimiter: Delimiter = None,
    seed: Annotated[int, Option(min=0, help="The attackers' own seed.")] = 0,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
) -> None:
    """Print 1 - AUC of every attacker, on ACTIVITY as it is and on RELEASED: 0.5 learns nothing.

    Attackers are taught on users who do not protect the attribute, or on released records of
    protected users whose value leaked. The worst for the users, the last line, is what counts.

    Example:  hushrank attack visits.csv released.csv --profiles people.csv --private gender
    """
    from hushrank.cli.judge.attack_show import AttackPaths, attack_and_show

    names = tuple(name.strip() for name in private.split(","))
    paths = AttackPaths(activity, released, profiles, posterior, json)
    columns = ActivityOptions(user, item, score, time, delimiter)
    attack_and_show(paths, names, tuple(bins or ()), seed, columns)

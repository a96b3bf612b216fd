"""hushrank evaluate: how well released activity still recommends."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.options import (
    Activities,
    Delimiter,
    ItemColumn,
    ScoreColumn,
    TimeColumn,
    UserColumn,
)
from hushrank.cli.input.reading import ActivityOptions


class Recommends(StrEnum):
    """What is trained."""

    BPR = "bpr"
    EASE = "ease"


def evaluate(
    activity: Activities,
    released: Annotated[Path, Argument(help="What `publish --hold-out` released of it.")],
    held_out: Annotated[Path, Option(help="What `publish --hold-out` kept out of the release.")],
    user: UserColumn = None,
    item: ItemColumn = None,
    score: ScoreColumn = None,
    time: TimeColumn = None,
    delimiter: Delimiter = None,
    recommender: Annotated[
        Recommends,
        Option(metavar="<name>", help="bpr, as in the paper, or ease, which learns more."),
    ] = Recommends.BPR,
    repetitions: Annotated[int, Option(min=1, help="How often the recommender is trained.")] = 1,
    seed: Annotated[int, Option(min=0, help="The recommender's seed.")] = 0,
    json: Annotated[Path | None, Option(help="Write the result for machines.")] = None,
) -> None:
    """Print how high a recommender ranks what was held out, before and after: mean precision, MAP.

    Bayesian personalised ranking or EASE is trained on ACTIVITY without HELD_OUT, and on RELEASED.
    Users whose record changed are shown apart.

    Example:  hushrank evaluate visits.csv released.csv --held-out held.csv
    """
    from hushrank.cli.judge.evaluate_show import EvaluatePaths, evaluate_and_show

    columns = ActivityOptions(user, item, score, time, delimiter)
    paths = EvaluatePaths(activity, released, held_out, json)
    evaluate_and_show(paths, recommender.value, repetitions, seed, columns)

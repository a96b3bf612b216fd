"""hushrank plan: what to expect of every protocol, before anybody is asked."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import BadParameter, Option

from hushrank.cli.options import EPSILON_HELP


class Goal(StrEnum):
    """What somebody wants to know."""

    WINNER = "winner"
    ORDER = "order"
    SHARES = "shares"


def plan(
    items: Annotated[int, Option(help="How many items people rank.")],
    people: Annotated[int, Option(help="How many people answer.")],
    epsilon: Annotated[
        float | None, Option(help=f"{EPSILON_HELP} (default with --goal: several)")
    ] = None,
    goal: Annotated[
        Goal | None,
        Option(help="Only this: which item is first, the whole order, or shares of pairs."),
    ] = None,
    error: Annotated[
        float,
        Option(help="Wanted Q2 distance: how many people does it take?"),
    ] = 0.1,
    excess: Annotated[
        float, Option(help="Wanted excess of protocols that learn one order only.")
    ] = 0.005,
    json: Annotated[Path | None, Option(help="Write the plan for machines.")] = None,
) -> None:
    """Say what so many people can tell, before anybody is asked.

    With --goal by formulas, for 20 to a billion people and 2 to 64 items, on devices and by a
    curator. Without it the errors of every protocol of `collect` on four reference populations,
    from a table of simulations of 200 to a million people and 2 to 16 items.

    Example:  hushrank plan --items 8 --people 300 --goal winner
    """
    from hushrank.cli.plan.show import show_advice, show_plan
    from hushrank.files.disk import outputs
    from hushrank.workflows import plan as workflow
    from hushrank.workflows.advise import advise

    outputs([json], beside=[])
    if goal is not None:
        found = advise(goal=goal.value, items=items, people=people, epsilon=epsilon)
        show_advice(found, json)
        return
    if epsilon is None:
        raise BadParameter("expected --epsilon, or --goal: winner, order or shares")
    planned = workflow.plan(items=items, people=people, epsilon=epsilon, error=error, excess=excess)
    show_plan(planned, json)

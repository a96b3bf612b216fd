"""hushrank plan: what to expect of every protocol, before anybody is asked."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import BadParameter, Option

from hushrank.cli.input.options import EPSILON_HELP, CentralEpsilon, Delta, Shuffled, plain_value


class Goal(StrEnum):
    """What somebody wants to know."""

    WINNER = "winner"
    ORDER = "order"
    SHARES = "shares"
    PUBLISH = "publish"


def plan(
    items: Annotated[int, Option(help="How many items people rank.")],
    people: Annotated[int, Option(help="How many people answer.")],
    epsilon: Annotated[
        float | None, Option(help=f"{EPSILON_HELP} (default with --goal: several)")
    ] = None,
    goal: Annotated[
        Goal | None,
        Option(
            metavar="<goal>",
            help="Only this: winner, the first item; order, all of it; shares, of pairs; or"
            " publish, budgets.",
        ),
    ] = None,
    records: Annotated[
        int | None,
        Option(help="With --goal publish: how many records there are."),
    ] = None,
    shuffled: Shuffled = False,
    central_epsilon: CentralEpsilon = None,
    delta: Delta = None,
    error: Annotated[
        float,
        Option(
            help="Wanted Q2 distance of synthetic rankings from people's (0: the same): how many"
            " people does it take?"
        ),
    ] = 0.1,
    excess: Annotated[
        float,
        Option(
            help="Wanted excess of protocols that learn one order only: how far it is from the best"
            " one."
        ),
    ] = 0.005,
    json: Annotated[Path | None, Option(help="Write the plan for machines.")] = None,
) -> None:
    """Say what so many people can tell, before anybody is asked.

    With --goal by formulas, for 20 to a billion people and 2 to 64 items, on devices and by a
    curator; of publish the budgets to try, by the numbers of users, items and records. Without it
    the errors of every protocol of `collect` on six reference populations, from a table of
    simulations of 200 to a million people and 2 to 50 items.

    With --shuffled the same where a shuffler stands before the collector, each protocol at the
    largest local epsilon that is certified for --central-epsilon and --delta.

    Example:  hushrank plan --items 8 --people 300 --goal winner
    """
    from hushrank.cli.output.console import in_flags
    from hushrank.cli.plan.show import show
    from hushrank.files.disk import outputs
    from hushrank.workflows.plan.plan import plan as make_plan

    outputs([json], beside=[])
    if epsilon is None and goal is None and not shuffled:
        raise BadParameter("expected --epsilon, or --goal: winner, order, shares or publish")
    trust = {"shuffled": shuffled, "central_epsilon": central_epsilon, "delta": delta}
    options = {"epsilon": epsilon, "goal": plain_value(goal), "records": records, **trust}
    with in_flags(*trust, "records", "epsilon", "error", "excess"):
        show(make_plan(items=items, people=people, error=error, excess=excess, **options), json)

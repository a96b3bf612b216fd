"""hushrank plan: what to expect of every protocol, before anybody is asked."""

from pathlib import Path
from typing import Annotated

from typer import Option


def plan(
    items: Annotated[int, Option(help="How many items people rank.")],
    people: Annotated[int, Option(help="How many people answer.")],
    epsilon: Annotated[float, Option(help="Privacy loss of a person, in nats.")],
    error: Annotated[
        float,
        Option(help="Wanted Q2 distance: how many people does it take?"),
    ] = 0.1,
    excess: Annotated[
        float, Option(help="Wanted excess of protocols that learn one order only.")
    ] = 0.005,
    json: Annotated[Path | None, Option(help="Write the plan for machines.")] = None,
) -> None:
    """Foretell the errors of every protocol of `collect` on four reference populations.

    From a table of simulations; nobody is asked. docs/planning.md says how well they agree.

    Example:  hushrank plan --items 10 --people 5000 --epsilon 1
    """
    from hushrank.cli.plan.show import show_plan
    from hushrank.files.disk import outputs
    from hushrank.workflows import plan as workflow

    outputs([json], beside=[])
    planned = workflow.plan(items=items, people=people, epsilon=epsilon, error=error, excess=excess)
    show_plan(planned, json)

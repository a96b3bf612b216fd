"""hushrank answer: take part in a survey from a terminal."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from hushrank.cli.input.extras import needs_collector


def answer(
    link: Annotated[str, Argument(help="The survey's link: https://example.org/s/A1b2C3d4E5f6.")],
    order: Annotated[
        Path | None, Option(help="Your order, an item a line, best first; -: standard input.")
    ] = None,
    yes: Annotated[bool, Option("--yes", help="Send what is shown without asking.")] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show who asks for what, and end: nothing is drawn or sent.")
    ] = False,
    state: Annotated[
        Path | None,
        Option(help="What this device keeps. (default: device.sqlite in your own folder)"),
    ] = None,
    limit: Annotated[
        float | None,
        Option(min=0, help="From now on, the most a collector costs you in a year. (default: 8)"),
    ] = None,
) -> None:
    """Answer the survey of LINK: this machine hides the answer, and then sends it.

    Shows who asks and why, asks for your order (it stays here), shows exactly what would be sent,
    and asks before it is. What was drawn is kept: the same command sends it again, never anew.

    Example:  hushrank answer https://survey.example.org/s/A1b2C3d4E5f6
    """
    with needs_collector():
        from hushrank.cli.answer.show import Wishes, answer_and_show

    answer_and_show(link, Wishes(order, yes, dry_run, limit), state)

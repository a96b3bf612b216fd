"""hushrank audit: how much each release betrays at least, found by drawing it many times."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option


def audit(
    names: Annotated[
        list[str] | None,
        Argument(help="What to audit: a name of --list, or how some names begin."),
    ] = None,
    all: Annotated[bool, Option("--all", help="Audit everything: some 15 minutes.")] = False,
    time: Annotated[
        bool, Option("--time", help="Measure instead whether times tell answers apart.")
    ] = False,
    list: Annotated[bool, Option("--list", help="Say what can be audited, and end.")] = False,
    epsilon: Annotated[float, Option(help="What each is made to claim, in nats.")] = 1.0,
    delta: Annotated[float, Option(help="The same of those that have a delta.")] = 1e-4,
    draws: Annotated[
        int | None, Option(help="How many releases of each; more show smaller faults.")
    ] = None,
    false_alarm: Annotated[
        float, Option(help="How likely a bound above the true loss may be, of each.")
    ] = 1e-6,
    seed: Annotated[
        int | None, Option(min=0, help="Draw the same again; else the system's randomness.")
    ] = None,
    json: Annotated[Path | None, Option(help="Write the findings for machines.")] = None,
    figure: Annotated[Path | None, Option(help="Draw the bounds: .png, .svg or .pdf.")] = None,
) -> None:
    """Look for releases that betray more than they claim, as an outsider who draws them often.

    Prints for each how much its privacy loss is at least. Exit code 3: one exceeds its claim.
    With --time: by how many standard errors the times of two answers differ. It judges nothing.

    Example:  hushrank audit mechanism "aggregate p-borda"
    """
    from hushrank.cli.audit.show import AuditPaths, audit_and_show, show_names
    from hushrank.cli.audit.times import time_and_show
    from hushrank.errors import require

    if time:
        require(figure is None and not list, "time: there is no picture of it, and no list")
        time_and_show(names or [], epsilon, draws, seed, json)
        raise Exit

    if list:
        show_names()
        raise Exit
    require(bool(names) or all, "expected what to audit: a name of --list, or --all")
    paths = AuditPaths(json, figure)
    terms = {"draws": draws, "false_alarm": false_alarm, "seed": seed}
    if audit_and_show(names or [], epsilon, delta, terms, paths):
        raise Exit(3)

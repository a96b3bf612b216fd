"""Run an audit and show what it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hushrank.accounting.rounding import places_above, places_below
from hushrank.accounting.words import loss_in_words
from hushrank.audit.auditing import Finding
from hushrank.audit.chosen import as_document, audits, chosen
from hushrank.audit.picture import bounds_figure
from hushrank.cli.output.console import console_beside, plain, say_written, write_json
from hushrank.cli.output.talk import working
from hushrank.files.disk import outputs, replace_file
from hushrank.reports.plots import rendered, require_matplotlib
from hushrank.workflows.results.pictures import require_picture


@dataclass(frozen=True)
class AuditPaths:
    """The files to write."""

    json: Path | None
    figure: Path | None


def show_names() -> None:
    """Print what can be audited."""
    for subject in chosen(()):
        print(subject.name)


def audit_and_show(
    names: Sequence[str],
    epsilon: float,
    delta: float,
    terms: Mapping[str, Any],
    paths: AuditPaths,
) -> bool:
    """Audit, print a table, write what was asked for; return whether a claim was exceeded."""
    if paths.figure is not None:
        require_picture(paths.figure)
        require_matplotlib("this picture")
    written = outputs([paths.json, paths.figure], beside=[])
    console = console_beside(written)
    subjects = chosen(names, epsilon=epsilon, delta=delta)
    with working("auditing") as progress:
        findings = list(audits(subjects, **terms, progress=progress))
    console.print(_table(findings))
    _verdict(console, findings)
    if paths.json is not None:
        write_json(paths.json, as_document(findings, seed=terms["seed"]), secret=False)
    if paths.figure is not None:
        form = paths.figure.suffix.lower().removeprefix(".")
        replace_file(paths.figure, rendered(bounds_figure(findings), form), secret=False)
    say_written(console, written)
    return any(each.exceeds for each in findings)


def _table(findings: Sequence[Finding]) -> Table:
    table = Table(title="Privacy loss in nats, as drawn from outside", title_justify="left")
    table.add_column("release")
    for column in ("claimed", "computed", "at least"):
        table.add_column(column, justify="right")
    table.add_column("shown by")
    for each in findings:
        exact = "-" if each.exact is None else places_above(each.exact, 4)
        bound = f"{places_below(each.bound, 4)}{' !' if each.exceeds else ''}"
        claimed = loss_in_words(each.claimed, 4)
        claimed += f", delta {loss_in_words(each.delta)}" if each.delta else ""
        table.add_row(plain(each.subject), claimed, exact, bound, plain(each.event))
    return table


def _verdict(console: Console, findings: Sequence[Finding]) -> None:
    exceeded = [each for each in findings if each.exceeds]
    for each in exceeded:
        console.print(plain(str(each)))
    wrong = max(each.false_alarm for each in findings)
    console.print(
        f"{len(exceeded)} of {len(findings)} betray more than they claim. A bound is too high with"
        f" probability {loss_in_words(wrong)} at most; a low one proves nothing."
    )

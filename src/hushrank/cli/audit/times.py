"""Measure times and show them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hushrank.audit.shipped.timed import timed_paths
from hushrank.audit.timing import RUNS, SUSPICIOUS, Timing, measure
from hushrank.cli.output.console import console_beside, plain, say_written, write_json
from hushrank.cli.output.talk import working
from hushrank.errors import require
from hushrank.files.disk import outputs
from hushrank.randomness import Randomness
from hushrank.workflows.progress import PartDone


def time_and_show(
    names: Sequence[str], epsilon: float, runs: int | None, seed: int | None, json: Path | None
) -> None:
    """Measure the paths whose names begin so, all where there is none; print and write times."""
    rng = Randomness.secure() if seed is None else Randomness.seeded(seed)
    every, wanted = list(timed_paths(epsilon, rng=rng)), tuple(names) or ("",)
    paths = [each for each in every if each.name.startswith(wanted)]
    begins = ", ".join(each.name for each in every)
    require(len(paths) > 0, f"expected how some of these begin: {begins}")
    written = outputs([json], beside=[])
    console = console_beside(written)
    found = []
    with working("timing") as progress:
        for number, path in enumerate(paths):
            progress(PartDone.of(path.name, number / len(paths)))
            found.append(measure(path, RUNS if runs is None else runs, rng=rng))
    console.print(_table(found))
    _verdict(console, found)
    if json is not None:
        write_json(json, {"times": [asdict(each) for each in found], "seed": seed}, secret=False)
    say_written(console, written)


def _table(found: Sequence[Timing]) -> Table:
    table = Table(title="Times of two answers, in random order", title_justify="left")
    table.add_column("path")
    for column in ("microseconds", "t", "later by ns", "t, same report", "later by ns"):
        table.add_column(column, justify="right")
    for each in found:
        same = (f"{each.same_t:.1f}", f"{each.same_ns:.0f}") if each.same_runs else ("-", "-")
        took = f"{each.median_ns / 1000:.1f}"
        table.add_row(plain(each.name), took, f"{each.t:.1f}", f"{each.later_ns:.0f}", *same)
    return table


def _verdict(console: Console, found: Sequence[Timing]) -> None:
    n_told = sum(each.is_suspicious for each in found)
    console.print(
        f"{n_told} of {len(found)} differ by more than {SUSPICIOUS:g} standard errors: whoever can"
        " time them on this very machine may tell answers apart. More runs show less."
    )

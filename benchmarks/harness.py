"""Time a thing, compare it with a target and with peers, write the row. Standard library only."""

import json
import os
import resource
import statistics
import subprocess
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).resolve().parent


class CheckError(Exception):
    """What was timed is not correct."""


def check(condition: object, message: str) -> None:
    """Raise CheckError with `message` unless `condition` holds."""
    if not condition:
        raise CheckError(message)


def check_binomial(found: float, rate: float, n_draws: int, what: str) -> None:
    """Check that a count of `n_draws` independent events is within 6 standard errors."""
    expected = rate * n_draws
    near = abs(found - expected) <= 6 * (expected * (1 - rate)) ** 0.5
    check(near, f"{what}: expected a count near {expected:.0f}, got {found:.0f}")


@dataclass(frozen=True)
class Series:
    """What the repetitions measured, in the unit of the row."""

    values: Sequence[float]

    @property
    def median(self) -> float:
        """The middle of the repetitions."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """Write the median, and the least and the most in brackets."""
        if len(self.values) == 1:
            return _short(self.median)
        return f"{_short(self.median)} ({_short(min(self.values))} to {_short(max(self.values))})"


@dataclass(frozen=True)
class Row:
    """One task: ours, the target, the peers, and what was checked in the same run.

    unit: a rate ("people/s": more is better) or a cost ("ms", "s", "MB": less is better).
    peers: what each measured, or in a few words why it did not. skipped: why there is no `ours`.
    """

    task: str
    unit: str
    target: float | None
    ours: Series | None = None
    peers: dict[str, Series | str] = field(default_factory=dict)
    checked: str = ""
    skipped: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    @property
    def is_missed(self) -> bool:
        """Whether ours was measured and is worse than the target."""
        if self.ours is None or self.target is None:
            return False
        ours = self.ours.median
        return ours < self.target if self.is_rate else ours > self.target

    def faster_than(self, peer: Series) -> float:
        """How many times ours does what the peer does."""
        ours = self.ours.median if self.ours else float("nan")
        return ours / peer.median if self.is_rate else peer.median / ours

    def markdown(self) -> str:
        """Write the row: task, ours, target, whether met, best peer, ratio, other peers."""
        ran = {name: series for name, series in self.peers.items() if isinstance(series, Series)}
        best = min(ran, key=lambda name: self.faster_than(ran[name]), default=None)
        others = [f"{name}: {found}" for name, found in self.peers.items() if name != best]
        bound = f"{'>=' if self.is_rate else '<='} {_short(self.target)}" if self.target else "-"
        verdict = ("**missed**" if self.is_missed else "met") if self.target and self.ours else "-"
        cells = [
            f"{self.task}, {self.unit}",
            str(self.ours or f"skipped: {self.skipped}"),
            bound,
            verdict,
            f"{best}: {ran[best]}" if best else "-",
            f"{_short(self.faster_than(ran[best]))} x" if best and self.ours else "-",
            "; ".join(others) or "-",
        ]
        return f"| {' | '.join(cells)} |"


Task: TypeAlias = Callable[[bool], Sequence[Row]]
"""Measures its rows; told whether it must be quick."""


def table(rows: Sequence[Row]) -> str:
    """Write rows as a Markdown table, and below it what was checked."""
    head = "| task | ours | target | | best peer | ours / best peer | other peers |"
    lines = [head, "|---|---|---|---|---|---|---|", *(row.markdown() for row in rows)]
    tasks: dict[str, list[str]] = {}
    for row in rows:
        tasks.setdefault(row.checked, []).append(row.task)
    checks = [f"- {'; '.join(of)}: {checked}." for checked, of in tasks.items() if checked]
    return "\n".join([*lines, "", "Checked in the same run:", "", *checks])


def main(introduction: str, tasks: Sequence[Task]) -> None:
    """Run the tasks of one table and print it as JSON: markdown, missed targets, skipped rows."""
    rows = [row for task in tasks for row in task(is_quick())]
    print_section(f"{introduction}\n\n{table(rows)}", rows)


def print_section(markdown: str, rows: Sequence[Row]) -> None:
    """Print a section for `run.py`."""
    section = {
        "markdown": markdown,
        "missed": [f"{row.task}, {row.unit}" for row in rows if row.is_missed],
        "skipped": [f"{row.task}: {row.skipped}" for row in rows if row.ours is None],
    }
    print(json.dumps(section))


def is_quick() -> bool:
    """Tell whether the command line asks for a quick try."""
    parser = ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    return bool(parser.parse_args().quick)


def seconds(action: Callable[[], object], repetitions: int) -> list[float]:
    """Time the repetitions of `action` by the processor's clock, after one that is not counted."""
    action()
    return [_seconds_once(action) for _ in range(repetitions)]


def seconds_in_turns(
    actions: Sequence[Callable[[], object]], repetitions: int
) -> list[list[float]]:
    """Time actions as `seconds` does, one after the other in every repetition.

    So what else runs on the machine, and takes caches away, falls on all of them.
    """
    for action in actions:
        action()
    turns = [[_seconds_once(action) for action in actions] for _ in range(repetitions)]
    return [list(each) for each in zip(*turns, strict=True)]


def rates(n_people: int, spent: Sequence[float]) -> Series:
    """Turn seconds into people a second."""
    return Series([n_people / one for one in spent])


def milliseconds(spent: Sequence[float]) -> Series:
    """Turn seconds into milliseconds."""
    return Series([1000 * one for one in spent])


def run_json(python: str | Path, script: str, *arguments: str) -> Any:
    """Run a script of this folder in a process of its own and read the JSON it prints."""
    command = [str(python), str(HERE / script), *arguments]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(found.stdout.splitlines()[-1])


def peak_megabytes() -> float:
    """Return the largest resident memory of this process so far; of its parent nothing counts."""
    status = Path("/proc/self/status").read_text()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    return int(kilobytes) / 1000


def data_folder() -> Path | None:
    """Return the folder of real data, where HUSHRANK_DATA names one."""
    return Path(os.environ["HUSHRANK_DATA"]) if "HUSHRANK_DATA" in os.environ else None


def _seconds_once(action: Callable[[], object]) -> float:
    begin = _processor_seconds()
    action()
    return _processor_seconds() - begin


def _processor_seconds() -> float:
    """Return user and system time of this process and its ended children: others do not count."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _short(number: float | None) -> str:
    """Write three digits: 0.0123, 4.56, 789, 12,300, 45.6 million."""
    if number is None:
        return "-"
    if abs(number) >= 1e6:
        return f"{number / 1e6:.3g} million" if abs(number) < 999.5e6 else f"{number:.3g}"
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"

"""Show an aggregation: table, JSON, report, and what may be published."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from rich.console import Console

from hushrank.aggregators.registry import method_named
from hushrank.cli.console import in_flags, plain, result_table
from hushrank.errors import require
from hushrank.files.disk import FilePath, outputs, replace_file
from hushrank.rankings.files import Form, read_rankings
from hushrank.workflows.aggregate import aggregate
from hushrank.workflows.results.consensus import (
    OF_RAW_BALLOTS,
    OPEN_PAIRS,
    Consensus,
    ConsensusComparison,
)

PLACES = {"method": 0, "epsilon": 1, "people *": 2, "items": 3, "seconds *": 4}
"""Where rows stand in the table: these first, the least sure pair last."""
BETWEEN, LAST = 5, {"least sure pair": 6}
MANY_OPEN = 0.5


@dataclass(frozen=True)
class AggregatePaths:
    """The file to read, and those to write."""

    source: Path
    release: Path | None = None
    json: Path | None = None
    report: Path | None = None

    def written(self) -> list[FilePath]:
        """Return the files to write, after it is certain that they can be."""
        return outputs((self.release, self.json, self.report), beside=[self.source])


def aggregate_and_show(paths: AggregatePaths, form: Form | None, options: dict[str, Any]) -> None:
    """Aggregate, print a table, and write what was asked for."""
    _require_usable(paths, options)
    ballots = read_rankings(paths.source, form=form)
    with in_flags("time_limit"), Console(stderr=True).status("aggregating") as status:
        start = perf_counter()
        consensus = aggregate(ballots, **options, progress=status.update)
        seconds = perf_counter() - start
        comparison = consensus.compared_with(
            ballots, time_limit=options["time_limit"], progress=status.update
        )
    title = f"Aggregated from {paths.source.name}"
    rows = _rows(consensus, comparison, seconds)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(result_table(title, rows, consensus.items))
    console.print(OF_RAW_BALLOTS)
    console.print(consensus.privacy)
    _write(paths, consensus, comparison, seconds)
    if paths.report is not None:
        comparison.report(paths.report, title=title, figures=rows)
    for path in paths.written():
        console.print(f"wrote {plain(str(path))}")


def _require_usable(paths: AggregatePaths, options: Mapping[str, Any]) -> None:
    """Raise HushrankError, before a file is read, where options or paths do not go together."""
    chosen = method_named(options["method"], epsilon=options["epsilon"], delta=options["delta"])
    if paths.release is not None:
        nothing = f"{chosen.name} is not private: there is nothing to release"
        require(chosen.is_private, nothing)
        is_secret = options["seed"] is None
        require(is_secret, "a seed repeats the noise: there is nothing to release with --seed")
    paths.written()


def _rows(consensus: Consensus, comparison: ConsensusComparison, seconds: float) -> dict[str, str]:
    """Return the rows of the table in the order in which people read them."""
    rows = {**consensus.summary, **comparison.summary, "seconds *": f"{seconds:.3f}"}
    if comparison.undecided > MANY_OPEN:
        rows[OPEN_PAIRS] += " (see --unranked)"
    places = PLACES | LAST
    return {label: rows[label] for label in sorted(rows, key=lambda row: places.get(row, BETWEEN))}


def _write(
    paths: AggregatePaths, consensus: Consensus, comparison: ConsensusComparison, seconds: float
) -> None:
    released = consensus.to_dict()
    if paths.json is not None:
        publishable = list(released) if consensus.spend else []
        raw = {**comparison.to_dict(), "seconds": seconds, "publishable": publishable}
        _write_json({**released, **raw}, paths.json, secret=True)
    if paths.release is not None:
        _write_json(released, paths.release, secret=False)


def _write_json(document: dict[str, Any], path: Path, *, secret: bool) -> None:
    content = msgspec.json.format(msgspec.json.encode(document)) + b"\n"
    replace_file(path, content, secret=secret)

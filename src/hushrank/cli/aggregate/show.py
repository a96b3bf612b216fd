"""Show an aggregation: table, JSON, report, and what may be published."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from hushrank.accounting.words import epsilon_in_words
from hushrank.aggregators.registry import method_named
from hushrank.cli.console import (
    console_beside,
    in_flags,
    result_table,
    say_written,
    write_json,
)
from hushrank.cli.reading import ReadingOptions, reading_of, say_reading
from hushrank.cli.talk import working
from hushrank.errors import require
from hushrank.files.disk import FilePath, is_standard_output, outputs, replace_file
from hushrank.workflows.aggregate import aggregate
from hushrank.workflows.ledger import Ledger
from hushrank.workflows.results.consensus import (
    IN_POPULATION,
    OF_RAW_BALLOTS,
    OPEN_PAIRS,
    Consensus,
    ConsensusComparison,
)
from hushrank.workflows.results.pictures import require_picture
from hushrank.workflows.results.released_order import released_order
from hushrank.workflows.results.tidy import consensus_csv

PLACES = {"method": 0, "epsilon": 1, "people *": 2, "items": 3, "seconds *": 4}
"""Where rows stand in the table: these first, the least sure pair last."""
BETWEEN, LAST = 5, {"tied": 6, "least sure pair": 7, IN_POPULATION: 8}
MANY_OPEN = 0.5


@dataclass(frozen=True)
class AggregatePaths:
    """The file to read, and those to write."""

    source: Path
    release: Path | None = None
    json: Path | None = None
    csv: Path | None = None
    figure: Path | None = None
    report: Path | None = None

    def written(self) -> list[FilePath]:
        """Return the files to write, after it is certain that they can be."""
        if self.figure is not None:
            require_picture(self.figure)
        files = (self.release, self.json, self.csv, self.figure, self.report)
        return outputs(files, beside=[self.source])


@dataclass(frozen=True)
class ReleaseTerms:
    """How a release is called, and whether it may take the place of an earlier one."""

    title: str | None = None
    force: bool = False


def aggregate_and_show(
    paths: AggregatePaths,
    reading: ReadingOptions,
    options: dict[str, Any],
    terms: ReleaseTerms,
) -> None:
    """Aggregate, print a table, and write what was asked for."""
    _require_usable(paths, options)
    written = paths.written()
    console = console_beside(written)
    ballots = reading.read(paths.source, unranked=options["unranked"])
    say_reading(console, ballots.reading)
    ledger = None if paths.release is None else Ledger.beside(paths.source, ballots)
    if ledger is not None and paths.release is not None and not terms.force:
        _require_new(paths.release, ledger)
    with in_flags("time_limit"), working("aggregating") as progress:
        start = perf_counter()
        consensus = aggregate(ballots, **options, progress=progress)
        seconds = perf_counter() - start
        comparison = consensus.compared_with(
            ballots, time_limit=options["time_limit"], progress=progress
        )
    title = f"Aggregated from {paths.source.name}"
    rows = _rows(consensus, comparison, seconds)
    console.print(result_table(title, rows, [consensus.in_words]))
    console.print(OF_RAW_BALLOTS)
    console.print(consensus.how_sure)
    console.print(consensus.privacy)
    for spend in consensus.spend if consensus.is_private else ():
        console.print(epsilon_in_words(spend.epsilon, spend.delta))
    if ledger is not None and paths.release is not None:
        ledger = ledger.with_release(paths.release, consensus.spend[0], today())
        document = released_order(consensus, title=terms.title or "Consensus", today=today())
        write_json(paths.release, document, secret=False)
    _write(paths, consensus, comparison, {"seconds": seconds, **reading_of(ballots)})
    if paths.report is not None:
        comparison.report(paths.report, title=terms.title or title, figures=rows)
    say_written(console, written)
    if ledger is not None:
        console.print(f"{ledger.in_words()} ({ledger.path.name})")


def _require_new(release: Path, ledger: Ledger) -> None:
    """Raise HushrankError where a release is there already: another one spends epsilon again."""
    is_there = release.is_file() and not is_standard_output(release)
    again = f"--force puts another in its place, which spends epsilon again ({ledger.in_words()})"
    require(not is_there, f"{release}: there is a release already; {again}")


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
    paths: AggregatePaths,
    consensus: Consensus,
    comparison: ConsensusComparison,
    of_run: Mapping[str, Any],
) -> None:
    released = consensus.to_dict()
    if paths.json is not None:
        publishable = list(released) if consensus.spend else []
        raw = {**comparison.to_dict(), **of_run, "publishable": publishable}
        write_json(paths.json, {**released, **raw}, secret=True)
    is_secret = not consensus.is_private
    if paths.csv is not None:
        replace_file(paths.csv, consensus_csv(consensus), secret=is_secret)
    if paths.figure is not None:
        replace_file(paths.figure, consensus.picture(paths.figure.suffix), secret=is_secret)


def today() -> date:
    """Return the date of a release."""
    return datetime.now(UTC).date()

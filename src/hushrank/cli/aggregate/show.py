"""Show an aggregation: table, JSON, report, and what may be published."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from hushrank.accounting.words import epsilon_in_words
from hushrank.aggregators.registry import method_named
from hushrank.cli.input.reading import ReadingOptions, reading_of, say_reading
from hushrank.cli.output.console import (
    console_beside,
    in_flags,
    marked,
    result_table,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import working
from hushrank.errors import require
from hushrank.files.disk import LEDGER, FilePath, is_standard_output, outputs, replace_file
from hushrank.rankings.profile import Rankings
from hushrank.workflows.aggregate import aggregate
from hushrank.workflows.ledger import Ledger
from hushrank.workflows.results.consensus.comparison import ConsensusComparison
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.consensus.released_order import released_order
from hushrank.workflows.results.consensus.words import IN_POPULATION, OF_RAW_BALLOTS, OPEN_PAIRS
from hushrank.workflows.results.pictures import require_picture
from hushrank.workflows.results.tidy import consensus_csv

PLACES = {"method": 0, "epsilon": 1, "people *": 2, "items": 3, "seconds *": 4}
"""Where rows stand in the table: these first, the least sure pair last."""
BETWEEN, LAST = 5, {"tied": 6, "least sure pair": 7, IN_POPULATION: 8}
MANY_OPEN = 0.5
NOT_RECORDED = (
    "Not written down (--no-ledger): its epsilon adds to that of every other result of these people"
)

TERMS = ("time_limit", "epsilon", "delta", "drop", "method")
"""What errors of `aggregate` may name."""


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
    """How a release is called, whether it may replace an earlier one, and is not recorded."""

    title: str | None = None
    force: bool = False
    no_ledger: bool = False


@dataclass(frozen=True)
class Aggregated:
    """What was found, how near it is, and how many seconds the method took."""

    consensus: Consensus
    comparison: ConsensusComparison
    seconds: float

    @property
    def rows(self) -> dict[str, str]:
        """The rows of the table in the order in which people read them."""
        rows = {**self.consensus.summary, **self.comparison.summary}
        rows["seconds *"] = f"{self.seconds:.3f}"
        if self.comparison.undecided > MANY_OPEN:
            rows[OPEN_PAIRS] += " (see --unranked)"
        places = PLACES | LAST
        labels = sorted(rows, key=lambda row: places.get(row, BETWEEN))
        return {label: rows[label] for label in labels}


def aggregate_and_show(
    paths: AggregatePaths,
    reading: ReadingOptions,
    options: dict[str, Any],
    terms: ReleaseTerms,
) -> None:
    """Aggregate, write down what it cost, print a table, and write what was asked for."""
    require_usable(paths, options, terms)
    written = paths.written()
    console = console_beside(written)
    ballots = reading.read(paths.source, unranked=options["unranked"])
    say_reading(console, ballots.reading)
    ledger = open_ledger(paths, lambda: Ledger.beside(paths.source, ballots), options, terms)
    found = _aggregated(ballots, options)
    if ledger is not None:
        ledger = ledger.with_result(paths.release, found.consensus.spend[0], today())
    title = f"Aggregated from {paths.source.name}"
    say_consensus(console, title, found.rows, found.consensus)
    raw = {**found.comparison.to_dict(), "seconds": found.seconds, **reading_of(ballots)}
    write_consensus(paths, found.consensus, terms, beside=raw)
    if paths.report is not None:
        found.comparison.report(paths.report, title=terms.title or title, figures=found.rows)
    say_end(console, written, found.consensus, ledger)


def _aggregated(ballots: Rankings, options: Mapping[str, Any]) -> Aggregated:
    """Aggregate and compare, and say on the way what is being done."""
    time_limit = options["time_limit"]
    with in_flags(*TERMS), working("aggregating") as progress:
        start = perf_counter()
        consensus = aggregate(ballots, **options, progress=progress)
        seconds = perf_counter() - start
        near = consensus.compared_with(ballots, time_limit=time_limit, progress=progress)
        progress("finding out how sure the order is")
        _ = consensus.confidence, consensus.rank_intervals  # computed when first asked for
    return Aggregated(consensus, near, seconds)


def say_consensus(
    console: Console, title: str, rows: Mapping[str, str], consensus: Consensus
) -> None:
    """Print the table, what its stars mean, how sure the order is, and what it costs."""
    console.print(result_table(title, rows, [consensus.in_words]))
    for line in (OF_RAW_BALLOTS, consensus.how_sure, consensus.privacy):
        console.print(line)
    for spend in consensus.spend if consensus.is_private else ():
        console.print(epsilon_in_words(spend.epsilon, spend.delta))


def open_ledger(
    paths: AggregatePaths,
    opened: Callable[[], Ledger],
    options: Mapping[str, Any],
    terms: ReleaseTerms,
) -> Ledger | None:
    """Open the ledger beside the ballots, where the result will be private.

    Raises HushrankError where it cannot be written, or a release is there already: another one
    spends epsilon again.
    """
    is_private = options["epsilon"] is not None and options["seed"] is None
    if not is_private or terms.no_ledger:
        return None
    with in_flags("no_ledger"):
        ledger = opened()
    require_new(paths.release, terms, f" ({ledger.in_words()})")
    return ledger


def require_new(release: Path | None, terms: ReleaseTerms, spent: str = "") -> None:
    """Raise HushrankError, which says what was spent, where a release is there already."""
    is_file = release is not None and release.is_file() and not is_standard_output(release)
    again = f"--force puts another in its place, which spends epsilon again{spent}"
    require(terms.force or not is_file, f"{release}: there is a release already; {again}")


def require_usable(paths: AggregatePaths, options: Mapping[str, Any], terms: ReleaseTerms) -> None:
    """Raise HushrankError, before a file is read, where options or paths do not go together."""
    with in_flags(*TERMS):
        chosen = method_named(options["method"], epsilon=options["epsilon"], delta=options["delta"])
    if paths.release is not None:
        nothing = f"{chosen.name} is not private: there is nothing to release"
        require(chosen.is_private, nothing)
        is_secret = options["seed"] is None
        require(is_secret, "a seed repeats the noise: there is nothing to release with --seed")
        require(not terms.no_ledger, "a release is written down: expected no --no-ledger with it")
    paths.written()


def write_consensus(
    paths: AggregatePaths,
    consensus: Consensus,
    terms: ReleaseTerms,
    *,
    beside: Mapping[str, Any] | None = None,
) -> None:
    """Write the release for all, and what is for the holder of the ballots; not the page.

    beside: of the raw ballots, for the JSON.
    """
    is_secret = not consensus.is_private
    if paths.json is not None:
        document = marked(consensus.to_dict(), beside, is_private=consensus.is_private)
        write_json(paths.json, document, secret=True)
    if paths.csv is not None:
        replace_file(paths.csv, consensus_csv(consensus), secret=is_secret)
    if paths.figure is not None:
        replace_file(paths.figure, consensus.picture(paths.figure.suffix), secret=is_secret)
    if paths.release is not None:
        title = terms.title or "Consensus"
        write_json(
            paths.release, released_order(consensus, title=title, today=today()), secret=False
        )


def say_end(
    console: Console, written: Sequence[FilePath], consensus: Consensus, ledger: Ledger | None
) -> None:
    """Print what was written, and what all results of these people cost together."""
    say_written(console, written)
    if consensus.is_private:
        console.print(NOT_RECORDED if ledger is None else f"{ledger.in_words()} ({LEDGER})")


def today() -> date:
    """Return the date of a release."""
    return datetime.now(UTC).date()

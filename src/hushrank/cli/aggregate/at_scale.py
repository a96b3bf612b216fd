"""Show an aggregation of ballots that were counted piece by piece: what is released, and no more.

How near the order is to the optimum is not shown: that needs the ballots one by one.
"""

from pathlib import Path
from typing import Any

from hushrank.accounting.words import epsilon_in_words
from hushrank.aggregators.registry import method_named
from hushrank.cli.aggregate.show import (
    NOT_RECORDED,
    AggregatePaths,
    ReleaseTerms,
    open_ledger,
    require_usable,
    today,
)
from hushrank.cli.input.reading import ReadingOptions
from hushrank.cli.output.console import (
    console_beside,
    in_flags,
    result_table,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import working
from hushrank.engines.tasks import Workers
from hushrank.errors import require
from hushrank.files.disk import replace_file
from hushrank.rankings.ballot_sums import BallotTerms
from hushrank.workflows.at_scale import aggregate_counts, count_ballots
from hushrank.workflows.ledger import NAME, Ledger
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.consensus.released_order import released_order
from hushrank.workflows.results.consensus.words import OF_RAW_BALLOTS
from hushrank.workflows.results.tidy import consensus_csv


def aggregate_files_and_show(
    source: str,
    paths: AggregatePaths,
    reading: ReadingOptions,
    options: dict[str, Any],
    terms: ReleaseTerms,
    workers: Workers,
) -> None:
    """Count, release once, print a table, and write what was asked for."""
    _require_usable(source, paths, options, terms)
    console = console_beside(paths.written())
    plain = {name: each for name, each in options.items() if name != "unranked"}
    with in_flags("id", "drop", "time_limit"), working("counting") as progress:
        how = BallotTerms(reading.asked(), options["unranked"])
        sums = count_ballots(source, how, workers=workers, progress=progress)
        ledger = open_ledger(paths, lambda: Ledger.of(Path(source), sums.told), options, terms)
        consensus = aggregate_counts(sums, **plain)
    if ledger is not None:
        ledger = ledger.with_result(paths.release, consensus.spend[0], today())
    rows = {**consensus.summary, "people *": f"{sums.n_people:,}"}
    console.print(result_table(f"Aggregated from {source}", rows, [consensus.in_words]))
    console.print("\n".join([OF_RAW_BALLOTS, consensus.how_sure, consensus.privacy]))
    for spend in consensus.spend if consensus.is_private else ():
        console.print(epsilon_in_words(spend.epsilon, spend.delta))
    _write(consensus, paths, terms)
    say_written(console, paths.written())
    if consensus.is_private:
        console.print(NOT_RECORDED if ledger is None else f"{ledger.in_words()} ({NAME})")


def _require_usable(
    source: str, paths: AggregatePaths, options: dict[str, Any], terms: ReleaseTerms
) -> None:
    """Raise HushrankError, before a file is read, where options or paths do not go together."""
    require_usable(paths, options, terms)
    chosen = method_named(options["method"], epsilon=options["epsilon"], delta=options["delta"])
    require(chosen.from_counts, f"{chosen.name} needs ballots one by one: use --engine local")
    near = "://" not in source or terms.no_ledger or options["seed"] is not None
    far = "the ledger of private results lies beside ballots on this machine"
    require(near, f"{far}: add the epsilons up yourself with --no-ledger")


def _write(consensus: Consensus, paths: AggregatePaths, terms: ReleaseTerms) -> None:
    is_secret = not consensus.is_private
    if paths.release is not None:
        released = released_order(consensus, title=terms.title or "Consensus", today=today())
        write_json(paths.release, released, secret=False)
    if paths.json is not None:
        learnt = consensus.to_dict()
        publishable = list(learnt) if consensus.is_private else []
        write_json(paths.json, {**learnt, "publishable": publishable}, secret=True)
    if paths.csv is not None:
        replace_file(paths.csv, consensus_csv(consensus), secret=is_secret)
    if paths.figure is not None:
        replace_file(paths.figure, consensus.picture(paths.figure.suffix), secret=is_secret)
    if paths.report is not None:
        consensus.report(paths.report, title=terms.title or "Consensus")

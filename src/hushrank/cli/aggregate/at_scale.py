"""Show an aggregation of ballots that were counted piece by piece: what is released, and no more.

How near the order is to the optimum is not shown: that needs the ballots one by one.
"""

from glob import has_magic
from pathlib import Path
from typing import Any

from hushrank.cli.aggregate.show import (
    AggregatePaths,
    ReleaseTerms,
    open_ledger,
    require_new,
    require_usable,
    say_consensus,
    say_end,
    today,
    write_consensus,
)
from hushrank.cli.input.reading import ReadingOptions
from hushrank.cli.output.console import (
    console_beside,
    in_flags,
)
from hushrank.cli.output.talk import working
from hushrank.engines.tasks import Workers
from hushrank.errors import require
from hushrank.files.elsewhere.addresses import shown
from hushrank.rankings.ballot_sums import BallotTerms
from hushrank.workflows.at_scale import aggregate_counts, count_ballots, method_from_counts
from hushrank.workflows.ledger import Ledger


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
    written = paths.written()
    console = console_beside(written)
    plain = {name: each for name, each in options.items() if name != "unranked"}
    with in_flags("id", "drop", "time_limit"), working("counting") as progress:
        how = BallotTerms(reading.asked(), options["unranked"])
        sums = count_ballots(source, how, workers=workers, progress=progress)
        ledger = open_ledger(paths, lambda: Ledger.of(Path(source), sums.told), options, terms)
        consensus = aggregate_counts(sums, **plain)
    if ledger is not None:
        ledger = ledger.with_result(paths.release, consensus.spend[0], today())
    rows = {**consensus.summary, "people *": f"{sums.n_people:,}"}
    say_consensus(console, f"Aggregated from {shown(source)}", rows, consensus)
    write_consensus(paths, consensus, terms)
    if paths.report is not None:
        consensus.report(paths.report, title=terms.title or "Consensus")
    say_end(console, written, consensus, ledger)


def _require_usable(
    source: str, paths: AggregatePaths, options: dict[str, Any], terms: ReleaseTerms
) -> None:
    """Raise HushrankError, before a file is read, where options or paths do not go together."""
    require_usable(paths, options, terms)
    require_new(paths.release, terms)
    method_from_counts(options["method"], epsilon=options["epsilon"], delta=options["delta"])
    beside = "://" not in source and (Path(source).exists() or _is_in_one_folder(Path(source)))
    is_booked = not terms.no_ledger and options["seed"] is None
    far = "the ledger of private results lies beside ballots, in one folder on this machine"
    instead = "" if paths.release is None else ", and take --json in place of --release"
    told = f"{shown(source)}: {far}: add the epsilons up yourself with --no-ledger{instead}"
    require(beside or not is_booked, told)


def _is_in_one_folder(pattern: Path) -> bool:
    """Tell whether a pattern's folder is named by itself: by another pattern several may be."""
    return pattern.parent.is_dir() and not has_magic(str(pattern.parent))

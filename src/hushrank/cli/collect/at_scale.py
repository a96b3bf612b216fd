"""Show a simulated collection of people who are read piece by piece: what the reports taught."""

from typing import Any

from hushrank.accounting.words import epsilon_in_words
from hushrank.cli.collect.show import Paths, write_collection
from hushrank.cli.output.console import (
    console_beside,
    in_flags,
    marked,
    result_table,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import working
from hushrank.engines.tasks import Workers
from hushrank.files.elsewhere.addresses import shown
from hushrank.protocols.registry import EVERY_OPTION
from hushrank.rankings.ballot_sums import BallotTerms
from hushrank.workflows.at_scale import collect_files


def collect_files_and_show(
    source: str,
    epsilon: float,
    paths: Paths,
    *,
    terms: BallotTerms,
    workers: Workers,
    options: dict[str, Any],
    **asked: Any,
) -> None:
    """Collect, print a table, and write what was asked for."""
    written = paths.written()
    console = console_beside(written)
    with in_flags(*EVERY_OPTION, "id", "drop"), working("collecting") as progress:
        learnt = collect_files(
            source, epsilon, terms, workers=workers, progress=progress, **asked, **options
        )
    console.print(result_table(f"Collected from {shown(source)}", learnt.summary, learnt.items))
    console.print(learnt.privacy)
    if learnt.is_private:
        console.print(epsilon_in_words(learnt.outcome.epsilon))
    write_collection(learnt, paths)
    if paths.json is not None:
        document = marked(learnt.to_dict(), is_private=learnt.is_private)
        write_json(paths.json, document, secret=not learnt.is_private)
    if paths.report is not None:
        learnt.report(paths.report)
    say_written(console, written)

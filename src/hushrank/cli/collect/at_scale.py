"""Show a simulated collection of people who are read piece by piece: what the reports taught."""

from typing import Any

from hushrank.accounting.words import epsilon_in_words
from hushrank.cli.collect.show import Paths
from hushrank.cli.output.console import (
    console_beside,
    in_flags,
    result_table,
    say_written,
    write_json,
)
from hushrank.cli.output.talk import working
from hushrank.engines.tasks import Workers
from hushrank.files.disk import replace_file
from hushrank.protocols.registry import EVERY_OPTION
from hushrank.rankings.ballot_sums import BallotTerms
from hushrank.rankings.files import write_rankings
from hushrank.workflows.at_scale import collect_files
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.tidy import collection_csv


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
    console = console_beside(paths.written())
    with in_flags(*EVERY_OPTION, "id", "drop"), working("collecting") as progress:
        learnt = collect_files(
            source, epsilon, terms, workers=workers, progress=progress, **asked, **options
        )
    console.print(result_table(f"Collected from {source}", learnt.summary, learnt.items))
    console.print(learnt.privacy)
    if learnt.is_private:
        console.print(epsilon_in_words(learnt.epsilon))
    _write(learnt, paths)
    say_written(console, paths.written())


def _write(learnt: Collection, paths: Paths) -> None:
    is_secret = not learnt.is_private
    if paths.synthetic is not None:
        write_rankings(learnt.synthetic, paths.synthetic)
    if paths.json is not None:
        write_json(paths.json, learnt.to_dict(), secret=is_secret)
    if paths.csv is not None:
        replace_file(paths.csv, collection_csv(learnt), secret=is_secret)
    if paths.figure is not None:
        replace_file(paths.figure, learnt.picture(paths.figure.suffix), secret=is_secret)
    if paths.report is not None:
        learnt.report(paths.report)

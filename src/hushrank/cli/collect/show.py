"""Show a simulated collection: table, JSON, report and synthetic rankings."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from hushrank.accounting.words import epsilon_in_words
from hushrank.cli.input.extras import needs_collector
from hushrank.cli.input.reading import say_reading
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
from hushrank.files.disk import FilePath, outputs, replace_file
from hushrank.protocols.registry import EVERY_OPTION, make_protocol
from hushrank.rankings.files import require_writable, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Reading
from hushrank.workflows.collect import collect
from hushrank.workflows.progress import Progress, within
from hushrank.workflows.results.collection import (
    OF_RAW_RANKINGS,
    Collection,
    CollectionComparison,
)
from hushrank.workflows.results.pictures import require_picture
from hushrank.workflows.results.tidy import collection_csv
from hushrank.workflows.shuffled import Trust

MUCH_EPSILON = 10
LOSSES = ("epsilon", "shuffled", "central_epsilon", "delta")
WHAT_HELPS = {"safari": "--split people --shrink", "max-entropy": None}
"""What to try where synthetic rankings are no better than uniform ones."""


@dataclass(frozen=True)
class Paths:
    """The file that was read, and those to write."""

    source: Path | None = None
    synthetic: Path | None = None
    json: Path | None = None
    csv: Path | None = None
    figure: Path | None = None
    report: Path | None = None

    def written(self) -> list[FilePath]:
        """Return the files to write, after it is certain that they can be."""
        if self.synthetic is not None:
            require_writable(self.synthetic)
        if self.figure is not None:
            require_picture(self.figure)
        files = (self.synthetic, self.json, self.csv, self.figure, self.report)
        return outputs(files, beside=[self.source])


@dataclass(frozen=True)
class ShownCollection:
    """A collection, the truth beside it, and how long it took."""

    collection: Collection
    compared: CollectionComparison
    seconds: float

    @property
    def rows(self) -> dict[str, str]:
        """The table: what was learnt, the comparison with the truth, and how sure the order is."""
        rows = self.collection.summary
        last = {label: rows.pop(label) for label in ("least sure pair",) if label in rows}
        heads = ("protocol", "people", "items", "epsilon", "epsilon if shuffled")
        first = {label: rows.pop(label) for label in heads if label in rows}
        seconds = {"seconds *": f"{self.seconds:.2f}"}
        return {**first, **seconds, **rows, **self.compared.summary, **last}

    @property
    def document(self) -> dict[str, Any]:
        """The result for machines; `publishable`: the keys that come from the reports alone."""
        measured = {"seconds": self.seconds, "evaluation": self.compared.to_dict()}
        learnt = self.collection
        return marked(learnt.to_dict(), measured, is_private=learnt.is_private)


def collect_and_show(
    people: Rankings,
    epsilon: float | None,
    paths: Paths,
    *,
    title: str,
    reading: Reading | None = None,
    trust: Trust | None = None,
    protocol: str = "max-entropy",
    options: dict[str, Any] | None = None,
    seed: int | None = None,
    short_cut: bool = False,
) -> None:
    """Collect, print a table, and write what was asked for."""
    with in_flags(*EVERY_OPTION):
        named = make_protocol(protocol, options)
    has_rows = named.has_model or paths.synthetic is None
    require(has_rows, f"{protocol} learns one order: it has nothing for --synthetic")
    say_reading(console_beside(paths.written()), reading)
    asked = {"protocol": protocol, "seed": seed, "short_cut": short_cut, **(options or {})}
    asked |= {} if trust is None else asdict(trust)

    def collected(progress: Progress) -> Collection:
        return collect(people, epsilon, progress=progress, **asked)

    _show(_timed(people, collected), paths, title, reading)


def rehearse_and_show(people: Rankings, epsilon: float, paths: Paths, *, title: str) -> None:
    """Run a survey of these people on a collector of its own, and show what was learnt."""
    with needs_collector():
        from hushrank.collector.rehearsal import rehearsal_of, rehearse

    paths.written()
    draft = rehearsal_of(people, epsilon)
    _show(_timed(people, lambda progress: rehearse(draft, people, progress=progress)), paths, title)


def _show(shown: ShownCollection, paths: Paths, title: str, reading: Reading | None = None) -> None:
    written = paths.written()
    console = console_beside(written)
    heading, order = f"Collected from {title}", shown.collection.items
    console.print(result_table(heading, shown.rows, order))
    console.print("\n".join(_notes(shown)))
    write_collection(shown.collection, paths)
    if paths.json is not None:
        read = {} if reading is None else {"reading": reading.to_dict()}
        write_json(paths.json, {**shown.document, **read}, secret=True)
    if paths.report is not None:
        shown.compared.report(paths.report, title=heading)
    say_written(console, written)


def _timed(people: Rankings, collected: Callable[[Progress], Collection]) -> ShownCollection:
    with in_flags(*EVERY_OPTION, *LOSSES), working("collecting") as progress:
        start = perf_counter()
        collection = collected(lambda step: progress(within("1 of 4: ", step)))
        progress("2 of 4: finding out how sure the order is")
        _ = collection.confidence  # what is drawn or computed when first asked for takes time
        progress("3 of 4: drawing synthetic rankings")
        _ = collection.synthetic if collection.protocol.has_model else None
        seconds = perf_counter() - start
        progress("4 of 4: comparing with the people in the file")
        return ShownCollection(collection, collection.compared_with(people), seconds)


def write_collection(collection: Collection, paths: Paths) -> None:
    """Write rankings, table and picture, which are of the collection alone; not JSON and page."""
    is_secret = not collection.is_private
    if paths.synthetic is not None:
        write_rankings(collection.synthetic, paths.synthetic, secret=is_secret)
    if paths.csv is not None:
        replace_file(paths.csv, collection_csv(collection), secret=is_secret)
    if paths.figure is not None:
        replace_file(paths.figure, collection.picture(paths.figure.suffix), secret=is_secret)


def _notes(shown: ShownCollection) -> Iterator[str]:
    """Yield what the table alone does not say."""
    collection, compared = shown.collection, shown.compared
    yield OF_RAW_RANKINGS
    yield collection.privacy
    if collection.is_private:
        yield epsilon_in_words(collection.outcome.epsilon)
        if (shuffled := collection.outcome.central_loss) is not None:
            yield f"To whoever sees shuffled reports alone. {epsilon_in_words(*shuffled)}"
    if collection.protocol.has_model and compared.q2_distance is None:
        yield "* No Q2 distance: it is not defined where rankings are incomplete."
    elif compared.is_no_better_than_uniform:
        helps = WHAT_HELPS.get(collection.protocol.name, "--protocol max-entropy")
        tried = f", or try {helps}" if helps else ""
        yield f"* No better than uniform rankings: ask more people, spend more epsilon{tried}."
    if collection.epsilon > MUCH_EPSILON:
        yield f"An epsilon above {MUCH_EPSILON} promises little: reports are mostly true."

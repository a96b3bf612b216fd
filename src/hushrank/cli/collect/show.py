"""Show a simulated collection: table, JSON, report and synthetic rankings."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from rich.console import Console

from hushrank.cli.console import in_flags, plain, result_table
from hushrank.errors import require
from hushrank.files.disk import FilePath, outputs, replace_file
from hushrank.protocols.registry import EVERY_OPTION, make_protocol
from hushrank.rankings.files import require_writable, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.collect import collect
from hushrank.workflows.results.collection import (
    OF_RAW_RANKINGS,
    Collection,
    CollectionComparison,
)

MUCH_EPSILON = 10
WHAT_HELPS = {"safari": "--split people --shrink", "max-entropy": None}
"""What to try where synthetic rankings are no better than uniform ones."""


@dataclass(frozen=True)
class Paths:
    """The file that was read, and those to write."""

    source: Path | None = None
    synthetic: Path | None = None
    json: Path | None = None
    report: Path | None = None

    def written(self) -> list[FilePath]:
        """Return the files to write, after it is certain that they can be."""
        if self.synthetic is not None:
            require_writable(self.synthetic)
        return outputs((self.synthetic, self.json, self.report), beside=[self.source])


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
        first = {label: rows.pop(label) for label in ("protocol", "people", "items", "epsilon")}
        seconds = {"seconds": f"{self.seconds:.2f}"}
        return {**first, **seconds, **rows, **self.compared.summary, **last}

    @property
    def document(self) -> dict[str, Any]:
        """The result for machines."""
        measured = {"seconds": self.seconds, "evaluation": self.compared.to_dict()}
        return self.collection.to_dict() | measured


def collect_and_show(
    people: Rankings,
    epsilon: float,
    paths: Paths,
    *,
    title: str,
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
    paths.written()
    asked = {"protocol": protocol, "seed": seed, "short_cut": short_cut, **(options or {})}
    shown = _collected(people, epsilon, asked)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    heading, order = f"Collected from {title}", shown.collection.items
    console.print(result_table(heading, shown.rows, order))
    console.print("\n".join(_notes(shown)))
    _write(shown, paths, heading)
    for path in paths.written():
        console.print(f"wrote {plain(str(path))}")


def _collected(people: Rankings, epsilon: float, asked: dict[str, Any]) -> ShownCollection:
    with in_flags("unranked"), Console(stderr=True).status("collecting") as status:
        start = perf_counter()
        collection = collect(people, epsilon, progress=status.update, **asked)
        _ = collection.confidence  # what is drawn or computed when first asked for takes time
        _ = collection.synthetic if collection.protocol.has_model else None
        seconds = perf_counter() - start
        return ShownCollection(collection, collection.compared_with(people), seconds)


def _write(shown: ShownCollection, paths: Paths, title: str) -> None:
    if paths.synthetic is not None:
        write_rankings(shown.collection.synthetic, paths.synthetic)
    if paths.json is not None:
        result = msgspec.json.encode(shown.document)
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
    if paths.report is not None:
        shown.compared.report(paths.report, title=title)


def _notes(shown: ShownCollection) -> Iterator[str]:
    """Yield what the table alone does not say."""
    collection, compared = shown.collection, shown.compared
    yield OF_RAW_RANKINGS
    yield collection.privacy
    if collection.protocol.has_model and compared.q2_distance is None:
        yield "No Q2 distance: it is not defined where rankings are incomplete."
    elif compared.is_no_better_than_uniform:
        helps = WHAT_HELPS.get(collection.protocol.name, "--protocol max-entropy")
        tried = f", or try {helps}" if helps else ""
        yield f"No better than uniform rankings: ask more people, spend more epsilon{tried}."
    if collection.epsilon > MUCH_EPSILON:
        yield f"An epsilon above {MUCH_EPSILON} promises little: reports are mostly true."

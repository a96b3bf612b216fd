"""The files of a closed survey, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

from hushrank.collector.draft import Draft
from hushrank.collector.refusals import Refusal
from hushrank.collector.results.document import public_document
from hushrank.collector.results.tables import Table, order_table, pair_table, rank_table
from hushrank.rankings.files import write_rankings
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.shares import pair_shares, rank_shares

Make: TypeAlias = Callable[[Collection, str, Draft], bytes | None]
"""From what was learnt, the id of the survey and its draft; None where it was not learnt."""

ALL = "results.zip"
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".html": "text/html; charset=utf-8",
    ".zip": "application/zip",
}


@dataclass(frozen=True, repr=False)
class ResultFile:
    """A file to hand on."""

    name: str
    content: bytes

    @property
    def media_type(self) -> str:
        """What it is, for HTTP."""
        return TYPES[Path(self.name).suffix]


def file_names(collection: Collection) -> tuple[str, ...]:
    """Return which files there are: a protocol that learns one order has fewer."""
    has_ranks, has_pairs = rank_shares(collection) is not None, pair_shares(collection) is not None
    missing = {
        "synthetic.csv": not collection.protocol.has_model,
        **{f"rank-shares.{form}": not has_ranks for form in ("csv", "png", "svg")},
        **{f"pairs.{form}": not has_pairs for form in ("csv", "png", "svg")},
        **{f"order.{form}": collection.posterior is None for form in ("png", "svg")},
    }
    return (*(name for name in FILES if not missing.get(name, False)), ALL)


def make_file(collection: Collection, id: str, draft: Draft, name: str) -> ResultFile:
    """Return a file by its name.

    Privacy: from the reports alone.   Raises Refusal where there is none of this name.
    """
    if name == ALL:
        return ResultFile(name, _zipped(collection, id, draft))
    made = FILES[name](collection, id, draft) if name in FILES else None
    if made is None:
        raise Refusal("not-found", "the results have no such file")
    return ResultFile(name, made)


def _csv(table: Callable[[Collection], Table | None]) -> Make:
    def make(collection: Collection, id: str, draft: Draft) -> bytes | None:
        found = table(collection)
        return None if found is None else found.as_csv()

    return make


def _picture(named: str, form: str) -> Make:
    def make(collection: Collection, id: str, draft: Draft) -> bytes | None:
        from hushrank.collector.results.pictures import PICTURES  # matplotlib is slow to import
        from hushrank.reports.plots import png, svg

        drawn = PICTURES[named](collection)
        if drawn is None:
            return None
        return png(drawn) if form == "png" else svg(drawn)

    return make


def _order_svg(collection: Collection, id: str, draft: Draft) -> bytes | None:
    return None if collection.intervals is None else collection.picture(".svg")


def _synthetic(collection: Collection, id: str, draft: Draft) -> bytes | None:
    if not collection.protocol.has_model:
        return None
    return _written("synthetic.csv", lambda path: write_rankings(collection.synthetic, path))


def _page(collection: Collection, id: str, draft: Draft) -> bytes:
    return _written("report.html", lambda path: collection.report(path, title=draft.title))


def _written(name: str, write: Callable[[Path], None]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()


def _zipped(collection: Collection, id: str, draft: Draft) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name in file_names(collection)[:-1]:
            archive.writestr(name, make_file(collection, id, draft, name).content)
    return packed.getvalue()


FILES: Mapping[str, Make] = {
    "order.csv": _csv(order_table),
    "rank-shares.csv": _csv(rank_table),
    "pairs.csv": _csv(pair_table),
    "synthetic.csv": _synthetic,
    "results.json": public_document,
    "report.html": _page,
    **{
        f"{named}.{form}": _picture(named, form)
        for named in ("order", "rank-shares", "pairs")
        for form in ("png", "svg")
    },
    "order.svg": _order_svg,
}
"""How each file is made."""

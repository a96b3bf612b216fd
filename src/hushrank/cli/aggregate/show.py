"""Show an aggregation: table, JSON, report, and what may be published."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from hushrank.cli.console import plain, result_table
from hushrank.errors import require
from hushrank.files.disk import replace_file, require_apart, require_folder
from hushrank.rankings.profile import Rankings
from hushrank.workflows.aggregate import Aggregated, AggregateOptions, aggregate_rankings
from hushrank.workflows.words import least_sure

PUBLISHABLE = (
    "method",
    "chosen",
    "epsilon",
    "delta",
    "neighbours",
    "guarantee",
    "private",
    "items",
    "order",
    "confidence",
)
"""What of the JSON comes from the released order alone."""
OWNERS = "* from the raw ballots: for you, protected by nothing"


@dataclass(frozen=True)
class AggregatePaths:
    """The file that was read, and those to write."""

    source: Path
    release: Path | None = None
    json: Path | None = None
    report: Path | None = None

    def require_usable(self) -> None:
        """Raise HushrankError, before anything is done, where writing would fail or destroy."""
        require_apart([self.source, *self.written])
        for path in self.written:
            require_folder(path)

    @property
    def written(self) -> list[Path]:
        """The files to write."""
        return [path for path in (self.release, self.json, self.report) if path is not None]


def aggregate_and_show(
    rankings: Rankings, options: AggregateOptions, paths: AggregatePaths, *, title: str
) -> None:
    """Aggregate, print a table, and write what was asked for."""
    if paths.release is not None:
        _require_publishable(options)
    paths.require_usable()
    with Console(stderr=True).status("aggregating"):
        result = aggregate_rankings(rankings, options)
    document = _as_json(rankings, result, options)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    table = _summary(document, result)
    console.print(result_table(f"Aggregated from {title}", table, document["order"]))
    console.print(OWNERS)
    console.print(result.guarantee)
    if paths.json is not None:
        _write_json(document, paths.json, secret=True)
    if paths.release is not None:
        _write_json({key: document[key] for key in PUBLISHABLE}, paths.release, secret=False)
    if paths.report is not None:
        from hushrank.cli.aggregate.page import write_page  # matplotlib is slow to import

        write_page(paths.report, rankings, result, table, title=f"Aggregated from {title}")
    for path in paths.written:
        console.print(f"wrote {plain(str(path))}")


def _require_publishable(options: AggregateOptions) -> None:
    is_private = options.is_private_method
    require(is_private, f"{options.method} is not private: there is nothing to release")
    is_secret = options.seed is None
    require(is_secret, "a seed repeats the noise: there is nothing to release with --seed")


def _as_json(rankings: Rankings, result: Aggregated, options: AggregateOptions) -> dict[str, Any]:
    private, is_proven = result.private, result.best.is_optimal
    return {
        "method": options.method,
        "chosen": options.method if private is None else private.method,
        "epsilon": None if private is None else private.spend.epsilon,
        "delta": None if private is None else private.spend.delta,
        "neighbours": None if private is None else private.spend.neighbours,
        "guarantee": "none" if private is None else private.statement,
        "people": rankings.n_people,
        "items": rankings.n_items,
        "private": private is not None and private.is_private,
        "order": [rankings.names[item] for item in result.order],
        "confidence": result.confidence,
        "average_kendall_tau": result.tau,
        "kemeny_optimum": result.best_tau if is_proven else None,
        "excess": result.tau - result.best_tau if is_proven else None,
        "optimal_proven": is_proven,
        "gap": result.gap,
        "seconds": result.seconds,
        "publishable": [] if private is None else list(PUBLISHABLE),
    }


def _summary(document: dict[str, Any], result: Aggregated) -> dict[str, str]:
    proven = document["optimal_proven"]
    optimum = f"{document['kemeny_optimum']:.5f}" if proven else "not proven in time"
    return {
        "method": document["chosen"],
        **_price(result),
        "people *": f"{document['people']:,}",
        "items": str(document["items"]),
        "seconds *": f"{document['seconds']:.3f}",
        "average Kendall tau *": f"{document['average_kendall_tau']:.5f}",
        "of the exact optimum *": optimum,
        "excess *": f"{document['excess']:.5f}" if proven else f"gap {document['gap']:.5f} at most",
        **_undecided(document, result),
        **least_sure(result.confidence),
    }


def _undecided(document: dict[str, Any], result: Aggregated) -> dict[str, str]:
    """Say how many pairs ballots leave open, if any: ties, and items that are not ranked."""
    n_items = document["items"]
    n_pairs = document["people"] * n_items * (n_items - 1) / 2
    share = 1 - result.counts.sum() / n_pairs
    hint = " (see --unranked)" if share > 0.5 else ""
    return {"pairs that ballots leave open *": f"{share:.0%}{hint}"} if share > 0 else {}


def _price(result: Aggregated) -> dict[str, str]:
    if result.private is None:
        return {}
    spend = result.private.spend
    with_delta = f", delta {spend.delta:g}" if spend.delta else ""
    return {"epsilon": f"{spend.epsilon:g} nats per ballot{with_delta}"}


def _write_json(document: dict[str, Any], path: Path, *, secret: bool) -> None:
    content = msgspec.json.format(msgspec.json.encode(document)) + b"\n"
    replace_file(path, content, secret=secret)

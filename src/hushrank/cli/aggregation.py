"""One aggregation, from options to table and JSON."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import msgspec
from rich.console import Console

from hushrank.aggregators.borda import borda
from hushrank.aggregators.kemeny import KemenyOrder, kemeny
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.arrays import Counts, Order
from hushrank.cli.seeds import stream
from hushrank.cli.tables import plain, result_table
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.rankings.disk import replace_file, require_apart, require_folder
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings


@dataclass(frozen=True)
class AggregateOptions:
    """What the command line asked for."""

    method: Literal["borda", "kwiksort", "kemeny"]
    unranked: Literal["unknown", "last"]
    time_limit: float
    seed: int | None


def aggregate_and_show(
    rankings: Rankings, options: AggregateOptions, *, title: str, source: Path, json: Path | None
) -> None:
    """Aggregate, print a table, and write what was asked for."""
    if json is not None:
        require_apart([source, json])
        require_folder(json)
    with Console(stderr=True).status("aggregating"):
        result = aggregate_rankings(rankings, options)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    console.print(result_table(f"Aggregated from {title}", _summary(result), result["order"]))
    console.print("Not private: the order is computed from the raw ballots.")
    if json is not None:
        replace_file(json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")
        console.print(f"wrote {plain(str(json))}")


def aggregate_rankings(rankings: Rankings, options: AggregateOptions) -> dict[str, Any]:
    """Return the consensus order and how near it is to the exact optimum, as JSON has it."""
    counts = majority(rankings, unranked=options.unranked)
    start = perf_counter()
    order, best = _orders(counts, options)
    seconds = perf_counter() - start
    best = best or kemeny(counts, time_limit=options.time_limit)
    tau = average_kendall_tau(counts, order, rankings.n_people)
    optimum = average_kendall_tau(counts, best.order, rankings.n_people)
    return {
        "method": options.method,
        "epsilon": None,
        "delta": None,
        "guarantee": "none",
        "people": rankings.n_people,
        "items": rankings.n_items,
        "private": False,
        "order": [rankings.names[item] for item in order],
        "average_kendall_tau": tau,
        "kemeny_optimum": optimum if best.is_optimal else None,
        "excess": tau - optimum if best.is_optimal else None,
        "optimal_proven": best.is_optimal,
        "gap": best.gap * optimum / best.cost if best.cost else 0.0,
        "seconds": seconds,
    }


def _orders(counts: Counts, options: AggregateOptions) -> tuple[Order, KemenyOrder | None]:
    """Return the order of the method, and the Kemeny order where that is the method."""
    if options.method == "kemeny":
        best = kemeny(counts, time_limit=options.time_limit)
        return best.order, best
    if options.method == "borda":
        return borda(counts), None
    return kwiksort(counts, rng=stream(options.seed, "pivots")), None


def _summary(result: dict[str, Any]) -> dict[str, str]:
    proven = result["optimal_proven"]
    optimum = f"{result['kemeny_optimum']:.5f}" if proven else "not proven in time"
    return {
        "method": result["method"],
        "people": f"{result['people']:,}",
        "items": str(result["items"]),
        "seconds": f"{result['seconds']:.3f}",
        "average Kendall tau": f"{result['average_kendall_tau']:.5f}",
        "of the exact optimum": optimum,
        "excess": f"{result['excess']:.5f}" if proven else f"gap {result['gap']:.5f} at most",
    }

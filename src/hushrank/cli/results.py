"""Show a simulated collection: table, JSON, report and synthetic rankings."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from hushrank.cli.collection import Collected, CollectOptions, collect_rankings
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.models.riffle import RiffleModel
from hushrank.rankings.files import write_rankings
from hushrank.rankings.profile import Rankings


def collect_and_show(
    rankings: Rankings,
    options: CollectOptions,
    *,
    title: str,
    synthetic: Path | None,
    json: Path | None,
    report: Path | None,
) -> None:
    """Collect, print a table, and write what was asked for."""
    console = Console()
    with Console(stderr=True).status("collecting"):
        collected = collect_rankings(rankings, options)
    console.print(_table(collected, options, title))
    console.print(collected.outcome.privacy_statement)
    if synthetic is not None:
        write_rankings(collected.synthetic, synthetic)
    if json is not None:
        json.write_bytes(msgspec.json.format(msgspec.json.encode(_as_json(collected, options))))
    if report is not None:
        _write_report(report, collected, options, rankings, title)
    for path in filter(None, (synthetic, json, report)):
        console.print(f"wrote {path}", soft_wrap=True)


def _order(collected: Collected) -> list[str]:
    names = collected.synthetic.names
    return [names[item] for item in mean_rank_order(collected.synthetic)]


def _as_json(collected: Collected, options: CollectOptions) -> dict[str, Any]:
    return {
        "protocol": options.protocol,
        "epsilon": collected.outcome.epsilon,
        "people": collected.outcome.n_people,
        "items": collected.synthetic.n_items,
        "private": collected.outcome.is_private,
        "order": _order(collected),
        "spend": [asdict(spend) for spend in collected.outcome.spends],
        "seconds": collected.seconds,
        "evaluation": collected.evaluation,
        "options": asdict(options),
        "privacy_statement": collected.outcome.privacy_statement,
    }


def _summary(collected: Collected, options: CollectOptions) -> dict[str, str]:
    evaluation = collected.evaluation
    return {
        "protocol": f"{options.protocol} ({options.post_process})",
        "people": f"{collected.outcome.n_people:,}",
        "items": str(collected.synthetic.n_items),
        "epsilon": f"{collected.outcome.epsilon:g} nats per person",
        "Q2 distance": f"{evaluation['q2_distance']:.3f}",
        "Q2 distance of uniform rankings": f"{evaluation['q2_distance_uniform']:.3f}",
        "Q2 distance without noise": f"{evaluation['q2_distance_nopriv']:.3f}",
        "seconds": f"{collected.seconds:.2f}",
    }


def _table(collected: Collected, options: CollectOptions, title: str) -> Table:
    table = Table(title=f"Collected from {title}", title_justify="left", show_header=False)
    for label, value in _summary(collected, options).items():
        table.add_row(label, value)
    table.add_row("order, best first", " > ".join(_order(collected)))
    return table


def _write_report(
    path: Path, collected: Collected, options: CollectOptions, true: Rankings, title: str
) -> None:
    from hushrank.evaluation.report import write_collection_report  # matplotlib is slow to import

    model = collected.outcome.result
    write_collection_report(
        path,
        collected=collected.synthetic,
        true=true,
        chain=model.chain if isinstance(model, RiffleModel) else None,
        title=f"Collected from {title}",
        privacy_statement=collected.outcome.privacy_statement,
        figures=_summary(collected, options),
    )

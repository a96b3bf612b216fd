"""Show a simulated collection: table, JSON, report and synthetic rankings."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from hushrank.cli.collection import Collected, CollectOptions, collect_rankings
from hushrank.cli.tables import plain, result_table
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.models.riffle import RiffleModel
from hushrank.rankings.disk import replace_file, require_apart, require_folder
from hushrank.rankings.files import require_writable, write_rankings
from hushrank.rankings.profile import Rankings

MUCH_EPSILON = 10


@dataclass(frozen=True)
class Paths:
    """The file that was read, and those to write."""

    source: Path | None = None
    synthetic: Path | None = None
    json: Path | None = None
    report: Path | None = None

    def require_usable(self) -> None:
        """Raise HushrankError, before anything is done, where writing would fail or destroy."""
        written = [path for path in (self.synthetic, self.json, self.report) if path is not None]
        require_apart([*written, *([] if self.source is None else [self.source])])
        if self.synthetic is not None:
            require_writable(self.synthetic)
        for path in written:
            require_folder(path)


def collect_and_show(
    rankings: Rankings, options: CollectOptions, paths: Paths, *, title: str
) -> None:
    """Collect, print a table, and write what was asked for."""
    paths.require_usable()
    with Console(stderr=True).status("collecting"):
        collected = collect_rankings(rankings, options)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    _print(console, collected, options, title)
    if paths.synthetic is not None:
        write_rankings(collected.synthetic, paths.synthetic)
    if paths.json is not None:
        result = msgspec.json.encode(_as_json(collected, options))
        replace_file(paths.json, msgspec.json.format(result) + b"\n")
    if paths.report is not None:
        _write_report(paths.report, collected, options, rankings, title)
    for path in filter(None, (paths.synthetic, paths.json, paths.report)):
        console.print(f"wrote {plain(str(path))}")


def _print(console: Console, collected: Collected, options: CollectOptions, title: str) -> None:
    summary, order = _summary(collected, options), _order(collected)
    console.print(result_table(f"Collected from {title}", summary, order))
    console.print("* from the raw rankings, at hand in a simulation: protected by nothing")
    console.print(collected.outcome.privacy_statement)
    if collected.evaluation["q2_distance"] >= collected.evaluation["q2_distance_uniform"]:
        console.print(
            "No better than uniform rankings: ask more people, spend more epsilon, or try"
            " --split people --shrink."
        )
    if collected.outcome.epsilon > MUCH_EPSILON:
        console.print(f"An epsilon above {MUCH_EPSILON} promises little: reports are mostly true.")


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
        "seconds": f"{collected.seconds:.2f}",
        "Q2 distance *": f"{evaluation['q2_distance']:.3f}",
        "Q2 distance of uniform rankings *": f"{evaluation['q2_distance_uniform']:.3f}",
        "Q2 distance without noise *": f"{evaluation['q2_distance_nopriv']:.3f}",
        "Kendall tau above the optimum *": _number(evaluation["kendall_excess"]),
    }


def _number(value: float | None) -> str:
    return "not proven in time" if value is None else f"{value:.4f}"


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
        figures={
            label.replace(" *", " (from the raw rankings)"): value
            for label, value in _summary(collected, options).items()
        },
    )

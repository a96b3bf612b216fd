"""Show a simulated collection: table, JSON, report and synthetic rankings."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.cli.collection import Collected, collect_rankings
from hushrank.cli.console import plain, result_table
from hushrank.cli.popular import Fitted, popular_as_json, popular_summary
from hushrank.cli.protocols import CollectOptions
from hushrank.errors import require
from hushrank.files.disk import replace_file, require_apart, require_folder
from hushrank.protocols.max_entropy import MaxEntropyOutcome
from hushrank.protocols.pairs import PairOutcome
from hushrank.protocols.question_mix import describe_mix
from hushrank.rankings.files import require_writable, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.words import least_sure

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
    has_model = not options.is_about_order or paths.synthetic is None
    require(has_model, f"{options.protocol} learns one order: it has nothing for --synthetic")
    paths.require_usable()
    with Console(stderr=True).status("collecting"):
        collected = collect_rankings(rankings, options)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    table = _summary(collected, options)
    console.print(result_table(f"Collected from {title}", table, _named(collected, rankings.names)))
    console.print("\n".join(_notes(collected, options)))
    if paths.synthetic is not None and collected.synthetic is not None:
        write_rankings(collected.synthetic, paths.synthetic)
    if paths.json is not None:
        result = msgspec.json.encode(_as_json(collected, options, rankings.names))
        replace_file(paths.json, msgspec.json.format(result) + b"\n", secret=True)
    if paths.report is not None:
        from hushrank.cli.collection_page import write_page  # matplotlib is slow to import

        title, unranked = f"Collected from {title}", options.unranked or "unknown"
        write_page(paths.report, collected, rankings, table, title=title, unranked=unranked)
    for path in filter(None, (paths.synthetic, paths.json, paths.report)):
        console.print(f"wrote {plain(str(path))}")


def _notes(collected: Collected, options: CollectOptions) -> list[str]:
    """Say what the table alone does not."""
    outcome = collected.outcome
    notes = [
        "* from the raw rankings, at hand in a simulation: protected by nothing",
        outcome.privacy_statement,
    ]
    if collected.synthetic is not None and collected.evaluation["q2_distance"] is None:
        notes.append("No Q2 distance: it is not defined where rankings are incomplete.")
    elif collected.synthetic is not None and _is_no_better_than_uniform(collected):
        helps = WHAT_HELPS.get(options.protocol, "--protocol max-entropy")
        tried = f", or try {helps}" if helps else ""
        notes.append(
            f"No better than uniform rankings: ask more people, spend more epsilon{tried}."
        )
    if outcome.epsilon > MUCH_EPSILON:
        notes.append(f"An epsilon above {MUCH_EPSILON} promises little: reports are mostly true.")
    return notes


def _is_no_better_than_uniform(collected: Collected) -> bool:
    evaluation = collected.evaluation
    return bool(evaluation["q2_distance"] >= evaluation["q2_distance_uniform"])


def _named(collected: Collected, names: Sequence[str]) -> list[str]:
    return [names[item] for item in collected.order]


def _as_json(collected: Collected, options: CollectOptions, names: Sequence[str]) -> dict[str, Any]:
    posterior = collected.posterior
    return {
        "protocol": options.protocol,
        "epsilon": collected.outcome.epsilon,
        "people": collected.outcome.n_people,
        "items": len(names),
        "private": collected.outcome.is_private,
        "order": _named(collected, names),
        "confidence": collected.confidence,
        "rank_intervals": None if posterior is None else _intervals(posterior, names),
        "popular_orders": popular_as_json(collected.outcome.result, names),
        "spend": [asdict(spend) for spend in collected.outcome.spends],
        "seconds": collected.seconds,
        "evaluation": collected.evaluation,
        "options": asdict(options) | _chosen(collected, options),
        "privacy_statement": collected.outcome.privacy_statement,
    }


def _intervals(posterior: Posterior, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each item, 1 = best."""
    bounds = zip(names, posterior.rank_intervals(), strict=True)
    return {name: (best + 1, worst + 1) for name, (best, worst) in bounds}


def _chosen(collected: Collected, options: CollectOptions) -> dict[str, Any]:
    """Say what the protocol chose where it was not told."""
    learnt = collected.outcome.result
    if isinstance(learnt, PairOutcome):
        return {"post_process": learnt.post_process, "queries": learnt.n_queries[0]}
    if isinstance(learnt, Fitted):
        return {
            "mix": [asdict(part) for part in learnt.mix],
            "stated_shares": _stated(learnt),
            "prior": learnt.prior,
            "prior_scale": float(learnt.scale),
            "rows": options.drawing,
        }
    return {"post_process": options.processing}


def _stated(learnt: Fitted) -> list[float] | None:
    """Return which shares of the people rank how much, as `MaxEntropyOutcome.stated_shares`."""
    shares = learnt.stated_shares if isinstance(learnt, MaxEntropyOutcome) else None
    return None if shares is None else [float(share) for share in shares]


def _summary(collected: Collected, options: CollectOptions) -> dict[str, str]:
    learnt, chosen = collected.outcome.result, _chosen(collected, options)
    asked = f", {chosen['queries']} a person" if "queries" in chosen else ""
    processed = f" ({chosen['post_process']}{asked})" if chosen.get("post_process") else ""
    return {
        "protocol": f"{options.protocol}{processed}",
        "people": f"{collected.outcome.n_people:,}",
        "items": str(len(collected.order)),
        "epsilon": f"{collected.outcome.epsilon:.4g} nats per person{_nominal(collected, options)}",
        "seconds": f"{collected.seconds:.2f}",
        **(_asked(learnt) if isinstance(learnt, Fitted) else {}),
        **popular_summary(learnt),
        **_distances(collected),
        "Kendall tau above the optimum *": _number(collected.evaluation["kendall_excess"]),
        **least_sure(collected.confidence),
    }


def _asked(learnt: Fitted) -> dict[str, str]:
    """Say what people were asked, and how far from uniform they were taken to be."""
    return {
        "questions": describe_mix(learnt.mix),
        "prior": f"{learnt.prior}, scale {learnt.scale:.2g}",
    }


def _distances(collected: Collected) -> dict[str, str]:
    if collected.evaluation["q2_distance"] is None:
        return {}
    evaluation = collected.evaluation
    exact = evaluation["q2_distance_nopriv"]
    return {
        "Q2 distance *": f"{evaluation['q2_distance']:.3f}",
        "Q2 distance of uniform rankings *": f"{evaluation['q2_distance_uniform']:.3f}",
        "Q2 distance without noise *": "not computed" if exact is None else f"{exact:.3f}",
    }


def _nominal(collected: Collected, options: CollectOptions) -> str:
    """Say what was asked for where the true loss is less."""
    is_less = collected.outcome.epsilon < 0.999 * options.epsilon
    return f" (asked for {options.epsilon:g})" if is_less else ""


def _number(value: float | None) -> str:
    return "not proven in time" if value is None else f"{value:.4f}"

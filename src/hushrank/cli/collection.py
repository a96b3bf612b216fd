"""One simulated collection, from options to table, JSON, report and synthetic rankings."""

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from hushrank.engines.local import Outcome, run, run_without_noise, simulate
from hushrank.errors import require
from hushrank.estimators.shares import PostProcess
from hushrank.evaluation.metrics import (
    marginal_distance,
    mean_rank_order,
    uniform_second_order_marginals,
)
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.succinct_histogram import SuccinctHistogram
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.models.ranking_model import RankingModel
from hushrank.models.riffle import RiffleModel
from hushrank.protocols.safari import Split, safari
from hushrank.protocols.whole_ranking import whole_ranking
from hushrank.randomness import Randomness
from hushrank.rankings.files import write_rankings
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies

MECHANISMS: dict[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}

MakeProtocol = Callable[[], Generator[Survey, Tallies, RankingModel]]


@dataclass(frozen=True)
class CollectOptions:
    """What the command line asked for; None where it did not say."""

    protocol: str
    epsilon: float
    leaf_size: int | None = None
    post_process: PostProcess = "simplex"
    split: Split | None = None
    shrink: bool = False
    short_cut: bool = False
    seed: int | None = None


@dataclass(frozen=True)
class Collected:
    """A collection beside the truth that it was simulated from."""

    outcome: Outcome[RankingModel]
    synthetic: Rankings
    evaluation: dict[str, float | None]
    seconds: float


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


def collect_rankings(rankings: Rankings, options: CollectOptions) -> Collected:
    """Run the protocol on everybody's device, synthesise as many rankings, and compare."""
    make_protocol = _protocol(rankings.n_items, options)
    drawing = np.random.default_rng(None if options.seed is None else [options.seed, 1])
    start = perf_counter()
    if options.short_cut:
        noise = np.random.default_rng(None if options.seed is None else [options.seed, 2])
        outcome = simulate(make_protocol(), rankings, rng=noise)
    else:
        secret = Randomness.secure() if options.seed is None else Randomness.seeded(options.seed)
        outcome = run(make_protocol(), rankings, rng=secret)
    synthetic = _synthesise(outcome.result, rankings, drawing)
    seconds = perf_counter() - start
    without_noise = _synthesise(run_without_noise(make_protocol(), rankings), rankings, drawing)
    evaluation = _evaluation(synthetic, without_noise, rankings)
    return Collected(outcome, synthetic, evaluation, seconds)


def ties_broken(rankings: Rankings, seed: int | None) -> Rankings:
    """Put tied items in random order: what a person does who must give a strict ranking."""
    return break_ties(rankings, rng=np.random.default_rng(None if seed is None else [seed, 0]))


def _protocol(n_items: int, options: CollectOptions) -> MakeProtocol:
    if options.protocol == "safari":
        return partial(
            safari,
            n_items,
            epsilon=options.epsilon,
            max_leaf=1 if options.leaf_size is None else options.leaf_size,
            post_process=options.post_process,
            split=options.split or "budget",
            shrink=options.shrink,
        )
    only_safari = options.leaf_size is None and options.split is None and not options.shrink
    require(only_safari, "--leaf-size, --split and --shrink go with --protocol safari")
    return partial(
        whole_ranking,
        n_items,
        epsilon=options.epsilon,
        make_mechanism=MECHANISMS[options.protocol],
        post_process=options.post_process,
    )


def _synthesise(model: RankingModel, like: Rankings, rng: np.random.Generator) -> Rankings:
    return Rankings(model.sample(like.n_people, rng=rng), like.names)


def _evaluation(synthetic: Rankings, without_noise: Rankings, true: Rankings) -> dict[str, Any]:
    truth = second_order_marginals(true)
    learnt = [second_order_marginals(rankings) for rankings in (synthetic, without_noise)]
    return {
        "q2_distance": marginal_distance(learnt[0], truth),
        "q2_distance_uniform": marginal_distance(
            uniform_second_order_marginals(true.n_items), truth
        ),
        "q2_distance_nopriv": marginal_distance(learnt[1], truth),
        "kendall_excess": None,
    }


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

"""The protocols of `collect`, by name, and which options belong to each."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, get_args

from hushrank.aggregators.pair_orders import PairPostProcess
from hushrank.errors import require
from hushrank.estimators.shares import PostProcess as ShareProcess
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.succinct_histogram import SuccinctHistogram
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.pairs import pairs
from hushrank.protocols.safari import Split, safari
from hushrank.protocols.subset_order import subset_order
from hushrank.protocols.whole_ranking import whole_ranking
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies

WHOLE_RANKING: dict[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}
PAIRS = ("ldp-kwiksort-rr", "ldp-kwiksort-lap", "pairs")
DEFAULT_PROCESS = {"pairs": "auto", "ldp-kwiksort-rr": "kwiksort", "ldp-kwiksort-lap": "kwiksort"}

AnyProtocol: TypeAlias = Generator[Survey, Tallies, Any]


@dataclass(frozen=True)
class CollectOptions:
    """What the command line asked for; None where it did not say."""

    protocol: str
    epsilon: float
    leaf_size: int | None = None
    post_process: str | None = None
    split: Split | None = None
    shrink: bool = False
    queries: int | None = None
    short_cut: bool = False
    seed: int | None = None

    @property
    def is_about_order(self) -> bool:
        """Whether the protocol learns one order, and no model to synthesise rankings from."""
        return self.protocol in (*PAIRS, "subset-order")

    @property
    def processing(self) -> str:
        """How reports become a result: the chosen way, or that of the protocol."""
        return self.post_process or DEFAULT_PROCESS.get(self.protocol, "simplex")

    def require_usable(self) -> None:
        """Raise HushrankError unless every option belongs to the protocol."""
        only_safari = self.leaf_size is None and self.split is None and not self.shrink
        is_safari = self.protocol == "safari"
        require(
            is_safari or only_safari, "--leaf-size, --split and --shrink go with --protocol safari"
        )
        asks_pairs = self.protocol in PAIRS
        require(asks_pairs or self.queries is None, f"--queries goes with {', '.join(PAIRS)}")
        if self.protocol == "subset-order":
            require(self.post_process is None, "subset-order takes no --post-process")
            return
        fitting = get_args(PairPostProcess if asks_pairs else ShareProcess)
        known = f"{self.protocol} takes --post-process {', '.join(fitting)}"
        require(self.processing in fitting, f"{known}, got {self.processing}")


def make_protocol(n_items: int, options: CollectOptions, *, pivot_seed: int) -> AnyProtocol:
    """Return the protocol that the options describe; `pivot_seed` decides public coins."""
    options.require_usable()
    name, epsilon = options.protocol, options.epsilon
    if name == "subset-order":
        return subset_order(n_items, epsilon=epsilon)
    if name in PAIRS:
        return _pair_protocol(n_items, options, pivot_seed)
    post_process = cast(ShareProcess, options.processing)
    if name == "safari":
        return safari(
            n_items,
            epsilon=epsilon,
            max_leaf=1 if options.leaf_size is None else options.leaf_size,
            post_process=post_process,
            split=options.split or "budget",
            shrink=options.shrink,
        )
    mechanism = WHOLE_RANKING[name]
    return whole_ranking(
        n_items, epsilon=epsilon, make_mechanism=mechanism, post_process=post_process
    )


def _pair_protocol(n_items: int, options: CollectOptions, seed: int) -> AnyProtocol:
    post_process = cast(PairPostProcess, options.processing)
    if options.protocol == "pairs":
        return pairs(
            n_items,
            epsilon=options.epsilon,
            seed=seed,
            n_queries=options.queries,
            post_process=post_process,
        )
    return ldp_kwiksort(
        n_items,
        epsilon=options.epsilon,
        pivot_seed=seed,
        solution="lap" if options.protocol.endswith("lap") else "rr",
        n_queries=options.queries,
        post_process=post_process,
    )

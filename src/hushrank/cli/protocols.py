"""The protocols of `collect`, by name, and which options belong to each."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.errors import require
from hushrank.estimators.prior_scale import Prior
from hushrank.estimators.shares import PostProcess as ShareProcess
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.max_entropy import MOST_ITEMS, max_entropy
from hushrank.protocols.pairs import pairs
from hushrank.protocols.popular_orders import popular_orders
from hushrank.protocols.safari import Split, safari
from hushrank.protocols.subset_order import subset_order
from hushrank.protocols.whole_ranking import whole_ranking
from hushrank.questions.stated import Unranked
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies

WHOLE_RANKING: dict[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}
PAIRS = ("ldp-kwiksort-rr", "ldp-kwiksort-lap", "pairs")
DEFAULT_PROCESS = {"pairs": "auto", "ldp-kwiksort-rr": "kwiksort", "ldp-kwiksort-lap": "kwiksort"}

WITHOUT_PROCESS = ("max-entropy", "subset-order")
"""Protocols that take no --post-process."""

Rows: TypeAlias = Literal["herded", "independent"]
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
    prior: Prior | None = None
    rows: Rows | None = None
    unranked: Unranked | None = None
    popular_orders: bool = False
    short_cut: bool = False
    seed: int | None = None

    @property
    def is_about_order(self) -> bool:
        """Whether the protocol learns one order, and no model to synthesise rankings from."""
        return self.protocol in (*PAIRS, "subset-order")

    @property
    def processing(self) -> str | None:
        """How reports become a result: the chosen way, or that of the protocol; None: no choice."""
        if self.protocol in WITHOUT_PROCESS:
            return None
        return self.post_process or DEFAULT_PROCESS.get(self.protocol, "simplex")

    @property
    def drawing(self) -> Rows:
        """How synthetic rankings are drawn from the model."""
        return self.rows or ("herded" if self.protocol == "max-entropy" else "independent")

    def __post_init__(self) -> None:
        """Check that every option belongs to the protocol."""
        for_safari = self.leaf_size is not None or self.split is not None or self.shrink
        self._require_own(for_safari, "--leaf-size, --split and --shrink", ("safari",))
        self._require_own(self.queries is not None, "--queries", PAIRS)
        for_entropy = self.prior is not None or self.rows is not None or self.popular_orders
        named = "--prior, --rows and --popular-orders"
        self._require_own(for_entropy, named, ("max-entropy",))
        self._require_own(self.unranked is not None, "--unranked", ("max-entropy",))
        whole = self.unranked is None or not self.popular_orders
        require(whole, "--popular-orders asks for whole orders: it takes no --unranked")
        if self.protocol in WITHOUT_PROCESS:
            require(self.post_process is None, f"{self.protocol} takes no --post-process")
            return
        fitting = get_args(PairPostProcess if self.protocol in PAIRS else ShareProcess)
        known = f"{self.protocol} takes --post-process {', '.join(fitting)}"
        require(self.processing in fitting, f"{known}, got {self.processing}")

    def _require_own(self, is_used: bool, named: str, owners: tuple[str, ...]) -> None:
        fits = not is_used or self.protocol in owners
        require(fits, f"{named}: only with --protocol {' or '.join(owners)}")


def make_protocol(
    n_items: int, options: CollectOptions, *, n_people: int, pivot_seed: int
) -> AnyProtocol:
    """Return the protocol that the options describe; `pivot_seed` decides public coins."""
    name, epsilon = options.protocol, options.epsilon
    if name == "max-entropy":
        return _max_entropy(n_items, options, n_people, pivot_seed)
    if name == "subset-order":
        return subset_order(n_items, epsilon=epsilon)
    if name in PAIRS:
        return _pair_protocol(n_items, options, pivot_seed)
    if name == "safari":
        return _safari(n_items, options)
    return whole_ranking(
        n_items,
        epsilon=epsilon,
        make_mechanism=WHOLE_RANKING[name],
        post_process=cast(ShareProcess, options.processing),
    )


def _max_entropy(n_items: int, options: CollectOptions, n_people: int, seed: int) -> AnyProtocol:
    others = "--protocol pairs learns one order of more, --protocol safari a model"
    too_many = f"max-entropy takes at most {MOST_ITEMS} items, got {n_items}: {others}"
    require(n_items <= MOST_ITEMS, too_many)
    epsilon, prior = options.epsilon, options.prior or "safe"
    if not options.popular_orders:
        meaning = options.unranked or "refused"
        return max_entropy(
            n_items, epsilon=epsilon, n_people=n_people, prior=prior, unranked=meaning
        )
    return popular_orders(
        n_items, epsilon=epsilon, n_people=n_people, function_seed=seed, prior=prior
    )


def _safari(n_items: int, options: CollectOptions) -> AnyProtocol:
    return safari(
        n_items,
        epsilon=options.epsilon,
        max_leaf=1 if options.leaf_size is None else options.leaf_size,
        post_process=cast(ShareProcess, options.processing),
        split=options.split or "budget",
        shrink=options.shrink,
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

"""Every protocol of `collect` by name: what it learns, what it takes, how it begins.

This is the only list of them. A plug-in enters it through the entry points `hushrank.protocols`
and `hushrank.mechanisms`: see docs/plug-ins.md.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from importlib.metadata import entry_points
from numbers import Integral
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_args,
    runtime_checkable,
)

from hushrank.aggregators.from_reports.pair_orders import (
    PairPostProcess,
    require_pair_post_process,
)
from hushrank.errors import HushrankError, require
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.estimators.shares import PostProcess, require_post_process
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.distributions.max_entropy import MOST_ITEMS_OF_CHAINS, max_entropy
from hushrank.protocols.distributions.popular_orders import mix_of_rest, popular_orders
from hushrank.protocols.distributions.question_kinds import Incomplete, require_incomplete
from hushrank.protocols.distributions.question_mix import Mix, choose_mix
from hushrank.protocols.distributions.safari import Split, safari
from hushrank.protocols.distributions.whole_ranking import whole_ranking
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.learnt.models import LearntFit, LearntModel, Rows
from hushrank.protocols.learnt.orders import LearntMargins, LearntOrder, LearntPairs
from hushrank.protocols.orders.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.orders.one_order import one_order
from hushrank.protocols.orders.order_design import OrderDesign, choose_order_design
from hushrank.protocols.orders.pairs import pairs
from hushrank.protocols.orders.query_counts import Solution
from hushrank.protocols.orders.subset_order import subset_order
from hushrank.surveys.survey import MakeMechanism, Round, RoundTallies

T = TypeVar("T")
Rounds: TypeAlias = Generator[Round, RoundTallies, T]
"""Yields rounds of surveys, receives their tallies, returns what was learnt."""

TRUTHFUL_EPSILON = 10.0
"""Of a maximum-entropy collection whose reports are all but true and ask for the most detail."""
MOST_ITEMS_WITHOUT_NOISE = 14
"""Ten seconds: exact answers take several times as long to fit as noisy ones."""


@runtime_checkable
class NamedProtocol(Protocol):
    """A protocol with its options settled: what a plug-in's class makes.

    `name`: as users call it. `has_model`: whether it learns a distribution to synthesise rankings
    from, or one order only. `unranked`: what items mean that a person leaves out.
    """

    @property
    def name(self) -> str:
        """What users call it."""

    @property
    def has_model(self) -> bool:
        """Whether it learns a model of all rankings."""

    @property
    def unranked(self) -> Incomplete:
        """What items mean that a person leaves out; `refused` asks for complete rankings."""

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin a collection that costs each person at most epsilon nats, over all rounds.

        `n_people` = how many are expected; `seed` decides public coins, such as pivots.
        Raises HushrankError, before anybody is asked, for what does not fit.
        """

    def truthful(self, n_items: int, epsilon: float) -> "tuple[NamedProtocol, float] | None":
        """Return the protocol, and the epsilon, that shows what it learns from exact answers.

        None where it cannot be shown, in time or at all.
        """


@dataclass(frozen=True)
class MaxEntropy:
    """Our own protocol, the default: one round, one tiny question a person; see `max_entropy`.

    `prior`: how far from uniform people are taken to be before they have answered. `rows`: how
    synthetic rankings are drawn. `popular_orders`: also ask for orders that many hold. `chosen`:
    the mix to ask, where an earlier survey of a series settled it.
    """

    prior: Prior = "safe"
    rows: Rows = "herded"
    unranked: Incomplete = "refused"
    popular_orders: bool = False
    chosen: Mix | None = None
    name = "max-entropy"
    has_model = True

    def __post_init__(self) -> None:
        """Check that the options are known and go together."""
        require_prior(self.prior)
        require_incomplete(self.unranked)
        _require_type(self.popular_orders, bool, "popular_orders", "True or False")
        known = self.rows in get_args(Rows)
        require(known, f"expected rows {' or '.join(get_args(Rows))}, got {self.rows}")
        whole = self.unranked == "refused" or not self.popular_orders
        require(whole, "popular_orders asks for whole orders: it takes no unranked items")
        fits = self.chosen is None or isinstance(self.chosen, tuple)
        require(fits, "chosen: expected a mix of questions")

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of one question a person."""
        others = "protocol pairs learns one order of more, protocol safari a model"
        few = f"max-entropy takes at most {MOST_ITEMS_OF_CHAINS} items, got {n_items}: {others}"
        require(n_items <= MOST_ITEMS_OF_CHAINS, few)
        asked = {"epsilon": epsilon, "n_people": n_people, "prior": self.prior, "mix": self.chosen}
        if self.popular_orders:
            found = yield from popular_orders(n_items, function_seed=seed, **asked)  # type: ignore[arg-type]
            return LearntFit(found, self.rows)
        fitted = yield from max_entropy(n_items, unranked=self.unranked, **asked)  # type: ignore[arg-type]
        return LearntFit(fitted, self.rows)

    def choose(self, n_items: int, *, epsilon: float, n_people: int) -> Mix:
        """Return the mix that this release asks."""
        if self.popular_orders:
            return mix_of_rest(n_items, epsilon=epsilon, n_people=n_people)
        unranked = self.unranked
        return choose_mix(n_items, epsilon=epsilon, n_people=n_people, unranked=unranked)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return the protocol at an epsilon whose reports are all but true, for few items."""
        return None if n_items > MOST_ITEMS_WITHOUT_NOISE else (self, TRUTHFUL_EPSILON)


@dataclass(frozen=True)
class Safari:
    """SAFARI: which items belong together, then a riffle-independent model; see `safari`.

    `leaf_size`: most items of one leaf of the hierarchy. `split`: what its two rounds share.
    `shrink`: pull noisy shares to uniform. `mechanism`: what hides the answers.
    """

    leaf_size: int = 1
    post_process: PostProcess = "simplex"
    split: Split = "budget"
    shrink: bool = False
    mechanism: str | MakeMechanism = "grr"
    name = "safari"
    has_model = True
    unranked: ClassVar[Incomplete] = "refused"

    def __post_init__(self) -> None:
        """Check the options that a collection would only find out about later."""
        require_post_process(self.post_process)
        known = self.split in get_args(Split)
        require(known, f"expected split {' or '.join(get_args(Split))}, got {self.split}")
        _require_type(self.leaf_size, Integral, "leaf_size", "a whole number")
        _require_type(self.shrink, bool, "shrink", "True or False")
        mechanism_named(self.mechanism)

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin two rounds: Rule I for the structure, Rule II for the parameters."""
        model = yield from safari(
            n_items,
            epsilon=epsilon,
            max_leaf=self.leaf_size,
            post_process=self.post_process,
            split=self.split,
            shrink=self.shrink,
            make_mechanism=mechanism_named(self.mechanism),
        )
        return LearntModel(model, {"post_process": self.post_process}, model.chain)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return the protocol that does nothing about noise."""
        return replace(self, shrink=False), epsilon


@dataclass(frozen=True)
class WholeRanking:
    """The plain way: everybody's whole ranking through one local mechanism; see `whole_ranking`."""

    name: str
    mechanism: MakeMechanism
    post_process: PostProcess = "simplex"
    has_model = True
    unranked: ClassVar[Incomplete] = "refused"

    def __post_init__(self) -> None:
        """Check the option."""
        require_post_process(self.post_process)

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round in which each of all orders is a category."""
        model = yield from whole_ranking(
            n_items,
            epsilon=epsilon,
            make_mechanism=self.mechanism,
            post_process=self.post_process,
        )
        return LearntModel(model, {"post_process": self.post_process})

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return the protocol as it is."""
        return self, epsilon


@dataclass(frozen=True)
class ConsensusOrder:
    """Ours for one order: small blocks and whole orders, and all reports together; `one_order`.

    `chosen`: the design to ask, where an earlier survey of a series settled it.
    """

    chosen: OrderDesign | None = None
    name = "order"
    has_model = False
    unranked: ClassVar[Incomplete] = "refused"

    def __post_init__(self) -> None:
        """Check that what was chosen is of this protocol."""
        fits = self.chosen is None or isinstance(self.chosen, OrderDesign)
        require(fits, "chosen: expected a design of blocks")

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of blocks and whole orders, of different people."""
        asked = {"epsilon": epsilon, "n_people": n_people, "design": self.chosen}
        return LearntMargins((yield from one_order(n_items, **asked)))  # type: ignore[arg-type]

    def choose(self, n_items: int, *, epsilon: float, n_people: int) -> OrderDesign:
        """Return the design that this release asks."""
        return choose_order_design(n_items, epsilon=epsilon, n_people=n_people)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return None: there are no synthetic rankings to be compared."""
        return None


@dataclass(frozen=True)
class Pairs:
    """A few pairs a person, and all reports together, for one order of many items; see `pairs`.

    `queries`: pairs that a person answers, by epsilon where None. `post_process`: how reports
    become an order.
    """

    queries: int | None = None
    post_process: PairPostProcess = "auto"
    name = "pairs"
    has_model = False
    unranked: ClassVar[Incomplete] = "refused"

    def __post_init__(self) -> None:
        """Check the options."""
        _require_pair_options(self.post_process, self.queries)

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of pairs."""
        found = yield from pairs(
            n_items,
            epsilon=epsilon,
            seed=seed,
            n_queries=self.queries,
            post_process=self.post_process,
        )
        return LearntPairs(found)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return None: there are no synthetic rankings to be compared."""
        return None


@dataclass(frozen=True)
class LdpKwikSort:
    """LDP-KwikSort as published, by randomised response or by Laplace noise; see `ldp_kwiksort`."""

    solution: Solution
    queries: int | None = None
    post_process: PairPostProcess = "kwiksort"
    has_model = False
    unranked: ClassVar[Incomplete] = "refused"

    def __post_init__(self) -> None:
        """Check the options."""
        _require_pair_options(self.post_process, self.queries)

    @property
    def name(self) -> str:
        """The protocol and its solution."""
        return f"ldp-kwiksort-{self.solution}"

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of pairs."""
        found = yield from ldp_kwiksort(
            n_items,
            epsilon=epsilon,
            pivot_seed=seed,
            solution=self.solution,
            n_queries=self.queries,
            post_process=self.post_process,
        )
        return LearntPairs(found)

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return None: there are no synthetic rankings to be compared."""
        return None


@dataclass(frozen=True)
class SubsetOrders:
    """Everybody's whole order through one mechanism, for the mean ranks; see `subset_order`."""

    name = "subset-order"
    has_model = False
    unranked: ClassVar[Incomplete] = "refused"

    def begin(self, n_items: int, *, epsilon: float, n_people: int, seed: int) -> Rounds[Learnt]:
        """Begin one round of whole orders."""
        return LearntOrder.of_mean_ranks((yield from subset_order(n_items, epsilon=epsilon)))

    def truthful(self, n_items: int, epsilon: float) -> tuple[NamedProtocol, float] | None:
        """Return None: there are no synthetic rankings to be compared."""
        return None


@dataclass(frozen=True)
class Entry:
    """One line of the registry: how a protocol is made, from which options, and what it learns."""

    make: Callable[..., NamedProtocol]
    options: tuple[str, ...]
    has_model: bool


MECHANISMS: Mapping[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}
"""Local mechanisms by name; as a protocol, each hides whole rankings."""


def _entry(kind: Any, **settled: Any) -> Entry:
    """Return the entry of a dataclass: its fields are options, but for those that are settled."""
    options = tuple(each.name for each in fields(kind) if each.name not in settled)
    return Entry(partial(kind, **settled), options, kind.has_model)


PROTOCOLS: Mapping[str, Entry] = {
    "max-entropy": _entry(MaxEntropy, chosen=None),
    "safari": _entry(Safari),
    **{name: _entry(WholeRanking, name=name, mechanism=MECHANISMS[name]) for name in MECHANISMS},
    "order": _entry(ConsensusOrder, chosen=None),
    "pairs": _entry(Pairs),
    "ldp-kwiksort-rr": _entry(LdpKwikSort, solution="rr"),
    "ldp-kwiksort-lap": _entry(LdpKwikSort, solution="lap"),
    "subset-order": _entry(SubsetOrders),
}
DEFAULT = "max-entropy"
Kind: TypeAlias = Literal["protocols", "mechanisms"]
"""Of plug-ins."""


class ProtocolOptions(TypedDict, total=False):
    """The options of all protocols of this package, each for those that have it as a field."""

    prior: Prior
    rows: Rows
    unranked: Incomplete
    popular_orders: bool
    leaf_size: int
    post_process: PostProcess | PairPostProcess
    split: Split
    shrink: bool
    mechanism: str | MakeMechanism
    queries: int


EVERY_OPTION: Mapping[str, Any] = {
    name: False if kind is bool else None for name, kind in ProtocolOptions.__annotations__.items()
}
"""What JSON says of options that were not asked for."""


def make_protocol(
    name: str, options: Mapping[str, Any] | ProtocolOptions | None = None
) -> NamedProtocol:
    """Return the protocol of a name, ours or a plug-in's, with these options.

    Raises HushrankError for an unknown name, naming those that are known, and for an option that
    belongs to other protocols, naming them.
    """
    entry, given = _entry_of(name), options or {}
    foreign = [option for option in given if option not in entry.options]
    if foreign:
        owners = [other for other, each in PROTOCOLS.items() if foreign[0] in each.options]
        whose = f": it belongs to {', '.join(owners)}" if owners else ""
        takes = ", ".join(entry.options) or "no options"
        require(False, f"{name} takes no {foreign[0]}{whose} ({name} takes {takes})")
    return entry.make(**given)


def protocol_names() -> tuple[str, ...]:
    """Return the names of all protocols, our own first, then those of plug-ins."""
    added = (*_plug_ins("protocols"), *_plug_ins("mechanisms"))
    return tuple(dict.fromkeys((*PROTOCOLS, *added)))


def mechanism_named(mechanism: str | MakeMechanism) -> MakeMechanism:
    """Return the mechanism of a name, ours or a plug-in's; what is none already, as it is.

    Raises HushrankError for an unknown name.
    """
    if not isinstance(mechanism, str):
        _require_type(mechanism, Callable, "mechanism", "a name or what makes a mechanism")
        return mechanism
    if mechanism in MECHANISMS:
        return MECHANISMS[mechanism]
    added = _plug_ins("mechanisms")  # reads what all installed packages say of themselves
    known = ", ".join((*MECHANISMS, *added))
    require(mechanism in added, f"mechanism: expected one of {known}, got {mechanism}")
    made: MakeMechanism = _loaded("mechanisms", mechanism)
    return made


def _entry_of(name: str) -> Entry:
    """Return the entry of a protocol; that of a plug-in is made when it is first named."""
    if name in PROTOCOLS:
        return PROTOCOLS[name]
    require(name in protocol_names(), _unknown(name))
    if name not in _plug_ins("protocols"):
        return _entry(WholeRanking, name=name, mechanism=mechanism_named(name))
    kind = _loaded("protocols", name)
    is_one = isinstance(kind, type) and is_dataclass(kind) and hasattr(kind, "has_model")
    require(is_one, f"expected the plug-in {name} to be a dataclass, as NamedProtocol says")
    return _entry(kind)


def _unknown(name: str) -> str:
    return f"expected one of the protocols {', '.join(protocol_names())}, got {name}"


def _loaded(kind: Kind, name: str) -> Any:
    """Import what an entry point names; raise HushrankError where that fails, or two have it."""
    each = {plug_in.value: plug_in for plug_in in entry_points(group=_group(kind), name=name)}
    require(len(each) == 1, f"several installed packages have a plug-in called {name}: keep one")
    try:
        return each.popitem()[1].load()
    except Exception as error:
        raise HushrankError(f"the plug-in {name} cannot be loaded: {error}") from error


def _plug_ins(kind: Kind) -> tuple[str, ...]:
    """Return the names of the plug-ins of a kind."""
    return tuple(dict.fromkeys(each.name for each in entry_points(group=_group(kind))))


def _group(kind: Kind) -> str:
    return f"hushrank.{kind}"


def _require_pair_options(post_process: PairPostProcess, queries: int | None) -> None:
    require_pair_post_process(post_process)
    if queries is not None:
        _require_type(queries, Integral, "queries", "a whole number")


def _require_type(value: Any, kind: Any, named: str, expected: str) -> None:
    """Raise TypeError with the option's name: "no" would count as True, and 2.0 as a number."""
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise TypeError(f"{named}: expected {expected}, got {type(value).__name__}")

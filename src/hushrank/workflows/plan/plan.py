"""Say what to expect of every protocol, before anybody is asked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any, Literal, cast, overload

from hushrank.accounting.rounding import DIGITS, at_most, two_digits_above, within
from hushrank.accounting.words import loss_in_words
from hushrank.errors import require
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.planning.asking import MODELS
from hushrank.planning.goals import Goal
from hushrank.planning.grid import EPSILONS, PEOPLE
from hushrank.planning.plan import (
    WANTED_DISTANCE,
    WANTED_EXCESS,
    Plan,
    ProtocolPlan,
    Situation,
    make_plan,
)
from hushrank.planning.populations import REFERENCES, typical_dispersion
from hushrank.planning.recommendation import Recommendation, recommend
from hushrank.protocols.registry import DEFAULT
from hushrank.workflows.arguments import expect_number, expect_whole
from hushrank.workflows.plan.advise import Advice, advise
from hushrank.workflows.plan.advise_publishing import PublishingAdvice, advise_publishing
from hushrank.workflows.shuffled import DELTA, Trust, local_epsilons


@overload
def plan(
    *, items: int, people: int, epsilon: float, error: float = ..., excess: float = ...
) -> "CollectionPlan": ...


@overload
def plan(
    *,
    items: int,
    people: int,
    shuffled: Literal[True],
    central_epsilon: float,
    delta: float | None = None,
) -> "CollectionPlan": ...


@overload
def plan(*, items: int, people: int, goal: Goal, epsilon: float | None = None) -> Advice: ...


@overload
def plan(
    *, items: int, people: int, goal: Literal["publish"], records: int
) -> PublishingAdvice: ...


def plan(
    *,
    items: int,
    people: int,
    epsilon: float | None = None,
    goal: Goal | Literal["publish"] | None = None,
    records: int | None = None,
    shuffled: bool = False,
    central_epsilon: float | None = None,
    delta: float | None = None,
    error: float = WANTED_DISTANCE,
    excess: float = WANTED_EXCESS,
) -> "CollectionPlan | Advice | PublishingAdvice":
    """Say what so many people can tell, before anybody is asked; no data is read.

    items: how many items people rank.   people: how many people answer.
    epsilon: privacy loss of a person, in nats; with a goal, None tries several usual ones.
    goal: `winner` (which item is first), `order` (all of it) or `shares` (how many people put one
    before another) are answered by formulas, for 2 to 64 items and 20 to a billion people, on
    devices and by a curator. `publish` takes how many `records` there are of users and items, and
    suggests budgets. None: the errors of every protocol of `collect` on six reference populations,
    from a table of simulations of 2 to 50 items and 200 to a million people.
    shuffled: another trust model, see `collect`: at which local epsilon each protocol may ask, so
        that shuffled reports are (central_epsilon, delta)-DP, and what that tells. Without epsilon.
    error: the wanted Q2 distance of synthetic rankings: how many people does it take?
    excess: the wanted excess of protocols that learn one order only. Both without a goal only.

    docs/planning.md says how well predictions agree with collections.
    Raises HushrankError for numbers out of range, and for ones that a goal does not take.

    Example:
        >>> import hushrank
        >>> planned = hushrank.plan(items=8, people=5000, epsilon=4)
        >>> [each.protocol for each in planned.recommendations]
        ['max-entropy', 'max-entropy']
        >>> print(hushrank.plan(goal="winner", items=8, people=300))  # doctest: +ELLIPSIS
        collect at epsilon ...
    """
    items, people = expect_whole(items, "items"), expect_whole(people, "people")
    trust = Trust.of(shuffled, central_epsilon, delta)
    if trust.shuffled:
        return _shuffled_plan(items, people, trust, others=(epsilon, goal, records))
    if goal == "publish":
        require(epsilon is None, "publish has no epsilon: it is no differential privacy")
        require(records is not None, "goal publish: expected records, how many there are")
        return advise_publishing(users=people, items=items, records=cast(int, records))
    require(records is None, "records: of the goal publish only")
    if goal is not None:
        return advise(goal=goal, items=items, people=people, epsilon=epsilon)
    require(epsilon is not None, "expected an epsilon, or a goal: winner, order, shares or publish")
    given = {"epsilon": epsilon, "error": error, "excess": excess}
    numbers = (expect_number(number, name) for name, number in given.items())
    situation = Situation(items, people, *numbers)
    foretold = make_plan(situation)
    return CollectionPlan(foretold, recommend(foretold))


@dataclass(frozen=True, repr=False)
class CollectionPlan:
    """What to expect of every protocol, and which to take for which purpose."""

    foretold: Plan
    recommendations: tuple[Recommendation, Recommendation]
    shuffled: "ShuffledPlan | None" = None

    def __repr__(self) -> str:
        """Say what was planned."""
        said = self.foretold.situation
        return (
            f"CollectionPlan({said.n_items} items, {said.n_people:,} people,"
            f" epsilon {loss_in_words(within(said.epsilon))})"
        )

    def __str__(self) -> str:
        """Say which protocol to take, and why, for `print`."""
        return self.advice

    @property
    def advice(self) -> str:
        """Which protocol to take, and why: a sentence for a model and one for an order."""
        return "\n".join(each.reason for each in self.recommendations)

    @property
    def liars(self) -> str:
        """How much one person in 100 who forges reports can move at most, and where least.

        Where a model is learnt, a report may speak for many answers: least is of one order.
        """
        protocols = self.foretold.protocols
        names = dict.fromkeys(each.protocol for each in self.recommendations)
        each = (_liars_in_words(protocols[name]) for name in names)
        of_one_order = (one for name, one in protocols.items() if name not in MODELS)
        hardest = min(of_one_order, key=lambda one: (_dealt(one), one.by_picking or 0.0))
        least = min(_dealt(protocols[name]) for name in names)
        harder = f" Hardest to bend: {_liars_in_words(hardest)}." if _dealt(hardest) < least else ""
        return (
            "If 1 person in 100 lies, an estimated share or mean rank moves, in points of 100, by"
            f" at most {'; '.join(each)}.{harder} Fake people who follow the protocol move it by 1."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the plan for JSON.

        People needed are null beyond `most_people`; `fewest_people`: or fewer.
        """
        foretold = self.foretold
        return {
            **asdict(foretold.situation),
            "epsilon": at_most(within(foretold.situation.epsilon)),
            "private_model": "local" if self.shuffled is None else "shuffled",
            "shuffled": None if self.shuffled is None else self.shuffled.to_dict(),
            "fewest_people": PEOPLE[0],
            "most_people": PEOPLE[-1],
            "populations": {each.name: each.title for each in REFERENCES},
            "mallows_dispersion": typical_dispersion(foretold.situation.n_items),
            "of_nobody": {name: asdict(each) for name, each in foretold.of_nobody.items()},
            "protocols": {name: _as_json(each) for name, each in foretold.protocols.items()},
            "recommendations": [asdict(each) for each in self.recommendations],
        }

    def to_frame(self) -> Any:
        """Return a row for each protocol and population: a pandas DataFrame, or a `pyarrow.Table`.

        Columns: protocol, population, q2_distance, excess, half_width (of a 95 % interval) and
        people_needed; missing where there is no such number.
        """
        return to_frame(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        return arrow_stream(self._columns(), requested_schema)

    def _columns(self) -> Values:
        rows = [
            (name, population, errors, protocol.people_needed.get(population))
            for name, protocol in self.foretold.protocols.items()
            for population, errors in protocol.errors.items()
        ]
        return {
            "protocol": [row[0] for row in rows],
            "population": [row[1] for row in rows],
            "q2_distance": [row[2].distance for row in rows],
            "excess": [row[2].excess for row in rows],
            "half_width": [row[2].half_width for row in rows],
            "people_needed": [None if row[3] == inf else row[3] for row in rows],
        }

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html

        said = self.foretold.situation
        rows = {f"for {each.purpose}": each.protocol for each in self.recommendations}
        epsilon = loss_in_words(within(said.epsilon))
        title = f"{said.n_people:,} people, {said.n_items} items, epsilon {epsilon}"
        return notebook_html(title, rows, notes=[self.advice])


@dataclass(frozen=True)
class ShuffledPlan:
    """What holds if a shuffler forwards all reports and nothing else, and what without it.

    local_epsilons: of each protocol by name, certified, in nats, over all rounds.
    """

    central_epsilon: float
    delta: float
    local_epsilons: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON, whose numerals are not below what is promised."""
        return {
            "central_epsilon": at_most(self.central_epsilon),
            "delta": at_most(self.delta),
            "local_epsilons": {name: at_most(each) for name, each in self.local_epsilons.items()},
        }

    @property
    def words(self) -> str:
        """What is promised to whom, in two sentences."""
        central = f"({loss_in_words(self.central_epsilon)}, {loss_in_words(self.delta)})-DP"
        each = (f"{name} {loss_in_words(e, DIGITS)}" for name, e in self.local_epsilons.items())
        return (
            f"Shuffled: {central} for each person against whoever sees only all reports in random"
            " order, by trust in a shuffler that forwards nothing else, keeps nothing and sides"
            " with nobody. Against everybody, the shuffler included, local epsilons:"
            f" {', '.join(each)}."
        )


def _shuffled_plan(
    items: int, people: int, trust: Trust, *, others: tuple[object, ...]
) -> CollectionPlan:
    """Plan each protocol at its own local epsilon, as far as the table of simulations goes."""
    alone = all(each is None for each in others)
    require(alone, "shuffled: epsilon, goal and records go without; expected a central_epsilon")
    require(trust.central_epsilon is not None, "shuffled: expected a central_epsilon")
    central = trust.central_epsilon or 0.0
    delta = DELTA if trust.delta is None else trust.delta
    size = {"n_items": items, "n_people": people}
    own = local_epsilons(central_epsilon=central, delta=delta, **size)
    local = f"{loss_in_words(own[DEFAULT], DIGITS)} ({DEFAULT}): expected a larger central_epsilon"
    known = f"predictions are made for local epsilons of {EPSILONS[0]} and more, not {local}"
    require(own[DEFAULT] >= EPSILONS[0], known)
    foretold = make_plan(Situation(items, people, min(own[DEFAULT], EPSILONS[-1])), epsilons=own)
    kept = {name: replace(each, people_needed={}) for name, each in foretold.protocols.items()}
    foretold = replace(foretold, protocols=kept)
    return CollectionPlan(foretold, recommend(foretold), ShuffledPlan(central, delta, own))


def _liars_in_words(protocol: ProtocolPlan) -> str:
    dealt, picked = _dealt(protocol), protocol.by_picking or 0.0
    picks = f", or {_points(picked)} if all of them pick one question" if picked > dealt else ""
    return f"{_points(dealt)} in {protocol.protocol}{picks}"


def _dealt(protocol: ProtocolPlan) -> float:
    """Return how far liars move an estimate who answer what they are dealt; inf: not known."""
    return inf if protocol.by_liars is None else protocol.by_liars


def _points(share: float) -> str:
    return "100" if share > 0.99 else two_digits_above(100 * share)


def _as_json(protocol: ProtocolPlan) -> dict[str, Any]:
    needed = protocol.people_needed.items()
    return {
        **asdict(protocol),
        "people_needed": {name: None if each == inf else int(each) for name, each in needed},
    }

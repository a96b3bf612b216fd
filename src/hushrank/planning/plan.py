"""What to expect of every protocol of `hushrank collect`, before anybody is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, log10

import numpy as np

from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters
from hushrank.planning.asking import askings
from hushrank.planning.grid import EPSILONS, ITEMS, PEOPLE
from hushrank.planning.interpolation import PredictionTable
from hushrank.planning.populations import REFERENCES
from hushrank.planning.predictions import Errors, Place
from hushrank.protocols.distributions.safari import MOST_ITEMS as MOST_ITEMS_OF_SAFARI
from hushrank.protocols.distributions.whole_ranking import MOST_ITEMS as MOST_ITEMS_OF_WHOLE_RANKING
from hushrank.protocols.registry import MECHANISMS, PROTOCOLS

FEWEST_ITEMS, MOST_ITEMS = 2, 50
WANTED_DISTANCE, WANTED_EXCESS = 0.1, 0.005
"""Synthetic rankings in which pairs of ranks are a tenth off; an order that only one pair in 200
of a person's finds worse than the best order.
"""
LYING = 0.01
"""The part of the people who lie, in what a plan says of liars."""
NOT_BEYOND = ("safari", *MECHANISMS)
"""Protocols that are not foretold for more items than they were simulated with."""
CANDIDATES = tuple(np.rint(np.geomspace(PEOPLE[-1], PEOPLE[0], 60)).astype(int).tolist())
"""Numbers of people that may be needed, descending in steps of 15 %."""


@dataclass(frozen=True)
class Situation:
    """What is decided before: how many items, people and nats, and which errors are wanted."""

    n_items: int
    n_people: int
    epsilon: float
    wanted_distance: float = WANTED_DISTANCE
    wanted_excess: float = WANTED_EXCESS

    def __post_init__(self) -> None:
        """Check that predictions can be made for it."""
        _require_between(self.n_items, FEWEST_ITEMS, MOST_ITEMS, "items")
        _require_between(self.n_people, PEOPLE[0], PEOPLE[-1], "people")
        require_parameters(2, self.epsilon)
        _require_between(self.epsilon, EPSILONS[0], EPSILONS[-1], "nats of epsilon")
        wishes = {"error": self.wanted_distance, "excess": self.wanted_excess}
        for name, wanted in wishes.items():
            require(0 < wanted < 1, f"{name}: expected a number between 0 and 1, got {wanted}")


@dataclass(frozen=True)
class ProtocolPlan:
    """What to expect of one protocol, for each reference population by name.

    `people_needed` for the wanted Q2 distance, or excess where there is no model; 200: or fewer;
    inf: more than a million. influence = by how much one crafted report can move an estimate:
    `Asking.influence`. by_liars, by_picking = by how much one person in 100 who lies can: see
    `Asking.moved`. Bits are sent by, and to, a person on average. `note` says why there are no
    errors, or that they are extrapolated.
    """

    protocol: str
    errors: Mapping[str, Errors]
    people_needed: Mapping[str, float]
    influence: float | None
    by_liars: float | None
    by_picking: float | None
    report_bits: float | None
    question_bits: float | None
    rounds: int
    note: str | None = None


@dataclass(frozen=True)
class Plan:
    """The plans of all protocols, and the errors of asking nobody, by population.

    Protocols stand in the order of PROTOCOLS.
    """

    situation: Situation
    of_nobody: Mapping[str, Errors]
    protocols: Mapping[str, ProtocolPlan]


def make_plan(situation: Situation, *, epsilons: Mapping[str, float] | None = None) -> Plan:
    """Return what to expect, from simulated reference populations alone. Deterministic.

    epsilons: of protocols by name, where they have one of their own; beyond the largest that was
    simulated they are foretold at that one, and below the least nothing is but what lies can do.
    Raises HushrankError for parameters that do not fit. Privacy: nobody is asked.
    """
    table = PredictionTable()
    planner = _Planner(table, situation)
    names = [population.name for population in REFERENCES]
    nobody = {name: planner.place(name, situation.n_people).of_nobody() for name in names}
    own = {name: min(each, EPSILONS[-1]) for name, each in (epsilons or {}).items()}
    planners = {name: _planner(table, situation, own.get(name)) for name in PROTOCOLS}
    return Plan(situation, nobody, {name: each.plan(name) for name, each in planners.items()})


def _planner(table: PredictionTable, situation: Situation, epsilon: float | None) -> "_Planner":
    if epsilon is None or epsilon < EPSILONS[0]:
        return _Planner(table, situation, epsilon)
    return _Planner(table, replace(situation, epsilon=epsilon))


@dataclass(frozen=True)
class _Planner:
    """What plans one situation; too_small: the epsilon, where none like it was simulated."""

    table: PredictionTable
    situation: Situation
    too_small: float | None = None

    def place(self, population: str, n_people: int) -> Place:
        return Place(self.table, population, self.situation.n_items, n_people)

    def expect(self, protocol: str, population: str, n_people: int) -> Errors:
        return self.place(population, n_people).expect(protocol, self.situation.epsilon)

    def plan(self, protocol: str) -> ProtocolPlan:
        said = self.situation
        rounds = 2 if protocol == "safari" else 1
        refusal = _refusal(protocol, said.n_items)
        if refusal is not None:
            return ProtocolPlan(protocol, {}, {}, *(None,) * 5, rounds=rounds, note=refusal)
        asked = askings(protocol, said.n_items, said.n_people, self.too_small or said.epsilon)
        names = [population.name for population in REFERENCES] if self.foretells(protocol) else []
        return ProtocolPlan(
            protocol,
            errors={name: self.expect(protocol, name, said.n_people) for name in names},
            people_needed={name: self.people_needed(protocol, name) for name in names},
            influence=max(each.influence(said.n_people) for each in asked),
            by_liars=max(each.moved(LYING, n_people=said.n_people) for each in asked),
            by_picking=max(each.moved(LYING, n_people=said.n_people, picks=True) for each in asked),
            report_bits=sum(each.share * each.report_bits for each in asked),
            question_bits=sum(each.share * each.question_bits for each in asked),
            rounds=rounds,
            note=self.note(protocol),
        )

    def foretells(self, protocol: str) -> bool:
        """Whether anything like it was simulated."""
        is_known = protocol not in NOT_BEYOND or self.situation.n_items <= _most_simulated(protocol)
        return is_known and self.too_small is None

    def note(self, protocol: str) -> str | None:
        """Say what predictions are worth, or why there are none, if there is anything to say."""
        if self.too_small is not None:
            return f"no prediction below epsilon {EPSILONS[0]}"
        return _beyond_simulations(protocol, self.situation.n_items)

    def people_needed(self, protocol: str, population: str) -> float:
        """Return from how many people on the error is as wanted, rounded up to two digits."""
        enough = inf
        for n_people in CANDIDATES:
            if not self._suffices(self.expect(protocol, population, n_people)):
                break
            enough = n_people
        return _rounded_up(enough)

    def _suffices(self, errors: Errors) -> bool:
        if errors.distance is not None:
            return errors.distance <= self.situation.wanted_distance
        return errors.excess is not None and errors.excess <= self.situation.wanted_excess


def _rounded_up(number: float) -> float:
    if number == inf:
        return inf
    unit = 10.0 ** (int(log10(number)) - 1)
    return ceil(number / unit) * unit


def _refusal(protocol: str, n_items: int) -> str | None:
    """Say why the protocol does not take so many items, if it does not."""
    if protocol == "safari" and n_items < 3:
        return f"takes 3 to {MOST_ITEMS_OF_SAFARI} items"
    if protocol in MECHANISMS and n_items > MOST_ITEMS_OF_WHOLE_RANKING:
        return f"takes at most {MOST_ITEMS_OF_WHOLE_RANKING} items"
    return None


def _beyond_simulations(protocol: str, n_items: int) -> str | None:
    """Say what predictions are worth beyond the simulated numbers of items, if it is there."""
    most = _most_simulated(protocol)
    if n_items <= most:
        return None
    if protocol in NOT_BEYOND:
        return f"no prediction beyond {most} items, up to which it was simulated"
    return f"simulated up to {most} items: errors at {n_items} are extrapolated, and rough"


def _most_simulated(protocol: str) -> int:
    return ITEMS["kwiksort" if protocol.startswith("ldp-kwiksort") else protocol][-1]


def _require_between(number: float, low: float, high: float, named: str) -> None:
    in_range = low <= number <= high
    range_ = f"{low:,} to {high:,} {named}"
    beyond = "beyond, `hushrank plan --goal` answers by formulas"
    require(in_range, f"predictions are made for {range_}, got {number:,}: {beyond}")

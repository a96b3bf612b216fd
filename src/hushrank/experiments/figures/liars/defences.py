"""What each way to estimate costs honest people, and what it takes from liars."""

from collections.abc import Mapping, Sequence
from typing import Any

from hushrank.experiments.experiment import Experiment, Group, Measurement, Quantity, View
from hushrank.experiments.on_rankings.liars import DEALT, PICKED, Electors, LiarsSpot
from hushrank.experiments.populations import Populations, mallows_population
from hushrank.protocols.registry import make_protocol

PEOPLE = mallows_population(3000, 5, 0.7)
EPSILON = 1.0
SHARES = (0.0, 0.05, 0.1)
ATTACKS = ("most gain", PICKED)
WAYS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "max-entropy": {"safe": {}, "typical": {"prior": "typical"}},
    "safari": {"simplex": {}, "clip": {"post_process": "clip"}, "shrink": {"shrink": True}},
    "olh": {"simplex": {}, "clip": {"post_process": "clip"}},
    "pairs": {name: {"post_process": name} for name in ("scores", "borda", "kemeny", "kwiksort")},
}
"""Protocols, each with ways to estimate; the first is tried with capped counts, too."""
GROUP: tuple[Group, ...] = ("ours",)
ROWS: Mapping[Quantity, str] = {
    "climb": "places that the item climbed",
    "q2": "Q2 distance of rows",
    "excess": "Kendall tau above the optimum",
}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return every way under both attacks."""
    electors = Electors(people[PEOPLE.name])
    return [
        Measurement("ours", curve, 100 * share, spot.measured, population=attack)
        for attack in ATTACKS
        for share in (SHARES[:2] if quick else SHARES)
        for curve, spot in _spots(electors, attack, share)
    ]


def _spots(electors: Electors, attack: str, share: float) -> Sequence[tuple[str, LiarsSpot]]:
    spots = []
    for name, ways in WAYS.items():
        for way, options in ways.items():
            protocol = make_protocol(name, options)
            spots.append((f"{name}, {way}", LiarsSpot(electors, protocol, EPSILON, attack, share)))
        protocol = make_protocol(name, next(iter(ways.values())))
        capped = LiarsSpot(electors, protocol, EPSILON, attack, share, caps=True)
        spots.append((f"{name}, capped", capped))
    if attack != PICKED:
        dealt = LiarsSpot(electors, make_protocol("olh"), EPSILON, DEALT, share)
        spots.append(("olh, dealt functions", dealt))
    return spots


def _view(attack: str, quantity: Quantity) -> View:
    return View(attack, GROUP, quantity, ROWS[quantity], "linear", attack, whiskers="none")


LIARS_DEFENCES = Experiment(
    name="liars-defences",
    title="Ways to estimate, against two attacks; without liars, what they cost",
    shows="what ways to estimate cost honest people, and what they take from liars",
    x_label="liars, % of the people",
    views=tuple(tuple(_view(attack, row) for attack in ATTACKS) for row in ROWS),
    plan=plan,
    populations=(PEOPLE,),
    repetitions=100,
)

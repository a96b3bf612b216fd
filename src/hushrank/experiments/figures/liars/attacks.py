"""Four attacks on every protocol, beside frequency oracles that nobody defends."""

from collections.abc import Mapping, Sequence
from functools import partial

from hushrank.experiments.experiment import Experiment, Group, Measurement, Quantity, View
from hushrank.experiments.on_rankings.forging import ATTACKS
from hushrank.experiments.on_rankings.liars import (
    PICKED,
    Electors,
    LiarsSpot,
    UndefendedSpot,
)
from hushrank.experiments.populations import Populations, mallows_population
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding
from hushrank.protocols.registry import make_protocol
from hushrank.surveys.survey import MakeMechanism

PEOPLE = mallows_population(3000, 5, 0.7)
SHARES = (0.0, 0.01, 0.05, 0.1)
NAMES = (*ATTACKS, PICKED)
PROTOCOLS: Mapping[str, Group] = {
    **dict.fromkeys(("max-entropy", "order", "pairs", "subset-order"), "ours"),
    **dict.fromkeys(("safari", "ldp-kwiksort-rr"), "proposed"),
    **dict.fromkeys(("grr", "rappor", "olh", "sh"), "compared"),
}
UNDEFENDED: Mapping[str, MakeMechanism] = {
    "GRR, unbiased": GeneralizedRandomizedResponse,
    "OUE, unbiased": OptimisedUnaryEncoding,
    "OLH, unbiased": OptimisedLocalHashing,
}
GROUPS: tuple[Group, ...] = ("ours", "proposed", "compared")
ROWS: Mapping[Quantity, str] = {
    "climb": "places that the item climbed",
    "firsts": "share of rows with the item first",
    "q2": "Q2 distance of rows",
    "excess": "Kendall tau above the optimum",
    "found": "collections that are suspicious",
}


def plan(epsilon: float, people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return every protocol under every attack, and the peers under those that suit them."""
    electors = Electors(people[PEOPLE.name])
    shares = SHARES[::3] if quick else SHARES
    return [
        each
        for attack in NAMES
        for share in shares
        for each in _measurements(electors, epsilon, attack, share)
    ]


def _measurements(
    electors: Electors, epsilon: float, attack: str, share: float
) -> Sequence[Measurement]:
    where = epsilon, attack, share
    spots: list[tuple[Group, str, LiarsSpot | UndefendedSpot]] = [
        (group, name, LiarsSpot(electors, make_protocol(name), *where))
        for name, group in PROTOCOLS.items()
    ]
    if attack != PICKED:
        spots += [
            ("compared", name, UndefendedSpot(electors, make, *where))
            for name, make in UNDEFENDED.items()
        ]
    return [
        Measurement(group, name, 100 * share, spot.measured, population=attack)
        for group, name, spot in spots
    ]


def _view(attack: str, quantity: Quantity) -> View:
    return View(attack, GROUPS, quantity, ROWS[quantity], "linear", attack, whiskers="none")


def _experiment(epsilon: float) -> Experiment:
    return Experiment(
        name=f"liars-{epsilon:g}",
        title=f"Four attacks for the last of five items, 3,000 honest people, ε = {epsilon:g}",
        shows=f"what liars move in every protocol, and which are found, at epsilon {epsilon:g}",
        x_label="liars, % of the people",
        views=tuple(tuple(_view(attack, row) for attack in NAMES) for row in ROWS),
        plan=partial(plan, epsilon),
        populations=(PEOPLE,),
        repetitions=40,
    )


LIARS_1, LIARS_4 = _experiment(1.0), _experiment(4.0)

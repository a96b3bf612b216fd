"""The frontier against the number of people: what every protocol learns as more are asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from hushrank.experiments.experiment import Experiment, Measurement, Quantity, View
from hushrank.experiments.figures.frontier.epsilon import ITEMS, WITH_SHORT_CUT
from hushrank.experiments.on_rankings.frontier import GROUPS, Asked, PolledCrowd, Spot, added_at
from hushrank.experiments.on_rankings.frontier_methods import SAFE
from hushrank.experiments.pictures.views import Y_LABELS
from hushrank.experiments.populations import (
    SUSHI,
    FilePopulation,
    Population,
    Populations,
    mallows_population,
    mixture_population,
)

SIZES = (200, 1000, 5000, 20_000, 100_000, 1_000_000)
MALLOWS = mallows_population(SIZES[-1], ITEMS, 0.8)
MIXTURE = mixture_population(SIZES[-1], ITEMS, 3)
MANY_PEOPLE, REPETITIONS_OF_MANY, DEAR_REPETITIONS = 100_000, 4, 2
"""From so many people on there are fewer repetitions; 10! cells and exact answers are dear."""


@dataclass(frozen=True)
class PanelColumn:
    """A column of panels: whom to ask, at which epsilon."""

    population: Population
    epsilon: float

    @property
    def panel(self) -> str:
        """What the table calls it."""
        return f"{self.population.name}, epsilon {self.epsilon:g}"

    def view(self, quantity: Quantity) -> View:
        """Return a panel of one quantity."""
        title, label = f"{self.population.title}, ε = {self.epsilon:g}", Y_LABELS[quantity]
        if quantity == "excess":
            return View(title, GROUPS, quantity, label, "symlog", self.panel, whiskers="none")
        return View(title, GROUPS, quantity, label, "log", self.panel)


COLUMNS = (
    *(PanelColumn(SUSHI, epsilon) for epsilon in (0.2, 1.0, 4.0)),
    *(PanelColumn(each, 1.0) for each in (MALLOWS, MIXTURE)),
)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of people drawn anew in every repetition, at several numbers."""
    return [each for spot in spots(people, quick) for each in _measurements(spot)]


def spots(people: Populations, quick: bool) -> Sequence[Spot]:
    """Return so many people of each column, drawn anew in every repetition."""
    everybody = {name: Asked(rankings) for name, rankings in people.items()}
    return [
        _spot(column, everybody[column.population.name], n_people)
        for column in COLUMNS
        for n_people in _sizes(everybody[column.population.name], column, quick)
    ]


def _spot(column: PanelColumn, everybody: Asked, n_people: int) -> Spot:
    crowd = PolledCrowd(everybody, n_people, isinstance(column.population, FilePopulation))
    return Spot(crowd, column.panel, column.epsilon, n_people)


def _sizes(everybody: Asked, column: PanelColumn, quick: bool) -> Sequence[int]:
    """Return the numbers of people to draw: of a model, no more than were drawn from it."""
    is_endless = isinstance(column.population, FilePopulation)
    most = SIZES[-1] if is_endless and not quick else everybody.rankings.n_rows
    return [size for size in SIZES if size <= most] or [most]


def _measurements(spot: Spot) -> Sequence[Measurement]:
    most = REPETITIONS_OF_MANY if spot.x >= MANY_PEOPLE else None
    return [
        *spot.references(DEAR_REPETITIONS),
        *(spot.ours() if most is None else [spot.of(SAFE, most)]),  # the priors agree on many
        *spot.safari(most),
        *spot.whole_rankings(WITH_SHORT_CUT, DEAR_REPETITIONS),
        *spot.orders(most),
    ]


FRONTIER_PEOPLE = Experiment(
    name="frontier-people",
    title="Every protocol against the number of people: rows (above), consensus order (below)",
    shows="Q2 distance and excess of every protocol against the number of people",
    x_label="people n",
    views=(
        tuple(column.view("q2") for column in COLUMNS),
        tuple(column.view("excess") for column in COLUMNS),
    ),
    plan=plan,
    plan_further=added_at(spots),
    populations=tuple({column.population.name: column.population for column in COLUMNS}.values()),
    repetitions=10,
    has_log_x=True,
)

"""What an experiment is: points, each measured several times from independent seeds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.rankings.profile import Rankings

Group: TypeAlias = Literal["proposed", "compared", "repair", "reference"]
"""The paper's own method, what it is compared with, our repairs of it, and lines to compare with.
"""

Treatment: TypeAlias = Literal["simplex", "clip", "raw", "any"]
"""The post-processing of the estimated shares; `any` where there is nothing to process."""

QUICK_PEOPLE, QUICK_ITEMS, QUICK_REPETITIONS = 500, 5, 2


@dataclass(frozen=True)
class Draws:
    """Independent sources of randomness for one repetition."""

    noise: np.random.Generator
    synthesis: np.random.Generator


@dataclass(frozen=True)
class Measurement:
    """One x of one curve: `measure` returns a distance for each treatment.

    `most_repetitions` is 1 where nothing is drawn, and small where a repetition is expensive.
    """

    group: Group
    curve: str
    x: float
    measure: Callable[[Draws], Mapping[Treatment, float]]
    most_repetitions: int | None = None


@dataclass(frozen=True)
class Point:
    """A row of the table: mean and standard deviation (of a repetition) of a distance."""

    figure: str
    group: Group
    curve: str
    post_process: Treatment
    x: float
    mean: float
    sd: float
    repetitions: int


@dataclass(frozen=True)
class Experiment:
    """A figure: what it shows, and what has to be measured for it.

    `plan` maps the rankings and whether to be quick to the measurements. `rows` names the rows of
    panels, with the groups that each draws; every treatment of `columns` is a column.
    """

    name: str
    title: str
    shows: str
    x_label: str
    y_label: str
    has_log_x: bool
    rows: Mapping[str, tuple[Group, ...]]
    columns: tuple[Treatment, ...]
    plan: Callable[[Rankings, bool], Sequence[Measurement]]


@dataclass(frozen=True)
class Settings:
    """How to run an experiment."""

    repetitions: int = 10
    seed: int = 0
    quick: bool = False

    def __post_init__(self) -> None:
        """Check the numbers."""
        require(self.repetitions >= 1, f"expected 1+ repetitions, got {self.repetitions}")
        require(self.seed >= 0, f"expected a seed of at least 0, got {self.seed}")


@dataclass(frozen=True)
class Result:
    """The table of a figure, and the size of the population that it is about."""

    experiment: Experiment
    settings: Settings
    n_people: int
    n_items: int
    points: tuple[Point, ...]


def run_experiment(
    experiment: Experiment,
    rankings: Rankings,
    settings: Settings,
    *,
    on_progress: Callable[[float], None] = lambda done: None,
) -> Result:
    """Measure every point of the figure. Deterministic in the settings; protects nobody.

    `on_progress` receives the finished part, 0 to 1.
    Raises HushrankError when the rankings are not complete and strict, or of fewer than 3 items.
    """
    rankings.require_complete_strict("an experiment")
    require(rankings.n_items >= 3, f"expected at least 3 items, got {rankings.n_items}")
    subset_seed, points_seed = np.random.SeedSequence(settings.seed).spawn(2)
    people = rankings.expanded()
    if settings.quick:
        people = _some(people, rng=np.random.default_rng(subset_seed))
    measurements = tuple(experiment.plan(people, settings.quick))
    points: list[Point] = []
    for done, (measurement, seed) in enumerate(
        zip(measurements, points_seed.spawn(len(measurements)), strict=True), start=1
    ):
        points += _measured(experiment.name, measurement, settings, seed)
        on_progress(done / len(measurements))
    return Result(experiment, settings, people.n_people, people.n_items, tuple(points))


def _some(people: Rankings, *, rng: np.random.Generator) -> Rankings:
    """Draw a few people without repetition, and keep the first few items."""
    n_kept = min(QUICK_PEOPLE, people.n_rows)
    rows = rng.choice(people.n_rows, size=n_kept, replace=False)
    return people.select(rows).restrict(range(min(QUICK_ITEMS, people.n_items)))


def _measured(
    figure: str, measurement: Measurement, settings: Settings, seed: np.random.SeedSequence
) -> Iterator[Point]:
    repetitions = min(settings.repetitions, measurement.most_repetitions or settings.repetitions)
    if settings.quick:
        repetitions = min(repetitions, QUICK_REPETITIONS)
    repeated = [measurement.measure(_draws(each)) for each in seed.spawn(repetitions)]
    for treatment in repeated[0]:
        distances = np.array([distance[treatment] for distance in repeated])
        mean = float(distances.mean())
        sd = float(distances.std(ddof=1)) if repetitions > 1 else 0.0
        curve, group = measurement.curve, measurement.group
        yield Point(figure, group, curve, treatment, measurement.x, mean, sd, repetitions)


def _draws(seed: np.random.SeedSequence) -> Draws:
    return Draws(*(np.random.default_rng(source) for source in seed.spawn(2)))

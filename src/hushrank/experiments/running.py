"""Run an experiment: draw, plan, repeat, sum up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import require
from hushrank.experiments.experiment import (
    Draws,
    Experiment,
    Measurement,
    Point,
    Quantity,
    Result,
    Settings,
    Size,
)
from hushrank.experiments.populations import DrawnPopulation, Population, Populations

QUICK_REPETITIONS = 2


def run_experiment(
    experiment: Experiment,
    given: Populations,
    settings: Settings,
    *,
    measured: Sequence[Sequence[Point]] = (),
    on_progress: Callable[[float], None] = lambda done: None,
    on_points: Callable[[Sequence[Point]], None] = lambda points: None,
    workers: Workers = HERE,
) -> Result:
    """Measure every point of the figure. Deterministic in the settings; protects nobody.

    `given` holds the populations that stand in files; `on_progress` receives the finished part.
    `measured`: the first measurements of the same experiment, which are not repeated; `on_points`
    receives each new one, in order, wherever `workers` measure it.
    Raises HushrankError when one is missing or does not fit.
    """
    quick_seed, points_seed, people_seed = np.random.SeedSequence(settings.seed).spawn(3)
    quick = np.random.default_rng(quick_seed) if settings.quick else None
    people = {
        population.name: population.prepare(each, quick)
        for population, each in _populations(experiment, given, people_seed)
    }
    sizes = {name: Size.of(each) for name, each in people.items() if hasattr(each, "n_items")}
    measurements = tuple(experiment.plan(people, settings.quick))
    points = [point for each in measured for point in each]

    def passed_on(number: int, new: Sequence[Point]) -> None:
        on_points(new)
        points.extend(new)
        on_progress((len(measured) + number + 1) / len(measurements))

    figure = _Figure(experiment.name, settings, measurements, _seeds(measurements, points_seed))
    on_progress(len(measured) / max(len(measurements), 1))
    workers.each(_measured, figure, range(len(measured), len(measurements)), passed_on)
    return Result(experiment, settings, sizes, tuple(points))


def _seeds(
    measurements: Sequence[Measurement], seed: np.random.SeedSequence
) -> tuple[np.random.SeedSequence, ...]:
    """Return a seed for each measurement: its own, or that of the one before."""
    seeds: list[np.random.SeedSequence] = []
    for measurement, own in zip(measurements, seed.spawn(len(measurements)), strict=True):
        seeds.append(_again(seeds[-1]) if measurement.same_draws else own)
    return tuple(seeds)


def _again(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed as it was before anything was spawned from it."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)


def _populations(
    experiment: Experiment, given: Populations, seed: np.random.SeedSequence
) -> Iterator[tuple[Population, Any]]:
    """Yield what is known of each population; draw those that no file holds."""
    seeds = seed.spawn(len(experiment.populations))
    for population, each in zip(experiment.populations, seeds, strict=True):
        if isinstance(population, DrawnPopulation):
            yield population, population.draw(np.random.default_rng(each))
        else:
            require(population.name in given, f"expected the population {population.name}")
            yield population, given[population.name]


@dataclass(frozen=True, eq=False, repr=False)
class _Figure:
    """All that a task needs to measure any of the points."""

    name: str
    settings: Settings
    measurements: Sequence[Measurement]
    seeds: Sequence[np.random.SeedSequence]


def _measured(figure: _Figure, number: int) -> tuple[Point, ...]:
    """Repeat one measurement, from seeds that are the same wherever and how often it is done."""
    measurement, settings = figure.measurements[number], figure.settings
    repetitions = min(settings.repetitions, measurement.most_repetitions or settings.repetitions)
    if settings.quick:
        repetitions = min(repetitions, QUICK_REPETITIONS)
    seed = _again(figure.seeds[number])
    repeated = [measurement.measure(_draws(each)) for each in seed.spawn(repetitions)]
    numbers = {
        quantity: np.array([measured[quantity] for measured in repeated])
        for quantity in repeated[0]
    }
    return tuple(_point(figure.name, measurement, *each) for each in numbers.items())


def _point(
    figure: str, measurement: Measurement, quantity: Quantity, numbers: NDArray[np.float64]
) -> Point:
    return Point(
        figure=figure,
        population=measurement.population,
        group=measurement.group,
        curve=measurement.curve,
        quantity=quantity,
        x=measurement.x,
        mean=float(numbers.mean()),
        sd=float(numbers.std(ddof=1)) if numbers.size > 1 else 0.0,
        smallest=float(numbers.min()),
        largest=float(numbers.max()),
        repetitions=numbers.size,
    )


def _draws(seed: np.random.SeedSequence) -> Draws:
    return Draws(*(np.random.default_rng(source) for source in seed.spawn(2)))

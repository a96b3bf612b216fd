"""Run an experiment: draw, plan, repeat, sum up."""

from collections.abc import Callable, Iterator

import numpy as np

from hushrank.errors import require
from hushrank.evaluation.experiments.experiment import (
    Draws,
    Experiment,
    Measurement,
    Point,
    Result,
    Settings,
    Size,
)
from hushrank.evaluation.experiments.populations import DrawnPopulation, Populations
from hushrank.rankings.profile import Rankings

QUICK_PEOPLE, QUICK_ITEMS, QUICK_REPETITIONS = 500, 5, 2
FEWEST_ITEMS = 3


def run_experiment(
    experiment: Experiment,
    given: Populations,
    settings: Settings,
    *,
    on_progress: Callable[[float], None] = lambda done: None,
) -> Result:
    """Measure every point of the figure. Deterministic in the settings; protects nobody.

    `given` holds the populations that stand in files; `on_progress` receives the finished part.
    Raises HushrankError when one is missing, not complete and strict, or of fewer than 3 items.
    """
    quick_seed, points_seed, people_seed = np.random.SeedSequence(settings.seed).spawn(3)
    people = _populations(experiment, given, people_seed)
    if settings.quick:
        rng = np.random.default_rng(quick_seed)
        people = {name: _some(rankings, rng=rng) for name, rankings in people.items()}
    sizes = {name: Size(each.n_people, each.n_items) for name, each in people.items()}
    measurements = tuple(experiment.plan(people, settings.quick))
    points: list[Point] = []
    own = points_seed.spawn(len(measurements))
    seeds: list[np.random.SeedSequence] = []
    for measurement, seed in zip(measurements, own, strict=True):
        seeds.append(_again(seeds[-1]) if measurement.same_draws else seed)
    for done, (measurement, seed) in enumerate(zip(measurements, seeds, strict=True), start=1):
        points += _measured(experiment.name, measurement, settings, seed)
        on_progress(done / len(measurements))
    return Result(experiment, settings, sizes, tuple(points))


def _again(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed as it was before anything was spawned from it."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)


def _populations(
    experiment: Experiment, given: Populations, seed: np.random.SeedSequence
) -> dict[str, Rankings]:
    """Return the people of each population, one row a person; draw those that no file holds."""
    people = {}
    seeds = seed.spawn(len(experiment.populations))
    for population, each in zip(experiment.populations, seeds, strict=True):
        if isinstance(population, DrawnPopulation):
            rankings = population.draw(np.random.default_rng(each))
        else:
            require(population.name in given, f"expected the population {population.name}")
            rankings = given[population.name]
        rankings.require_complete_strict("an experiment")
        n_items = rankings.n_items
        require(n_items >= FEWEST_ITEMS, f"expected at least {FEWEST_ITEMS} items, got {n_items}")
        people[population.name] = rankings.expanded()
    return people


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
    for quantity in repeated[0]:
        numbers = np.array([measured[quantity] for measured in repeated])
        yield Point(
            figure=figure,
            population=measurement.population,
            group=measurement.group,
            curve=measurement.curve,
            quantity=quantity,
            x=measurement.x,
            mean=float(numbers.mean()),
            sd=float(numbers.std(ddof=1)) if repetitions > 1 else 0.0,
            smallest=float(numbers.min()),
            largest=float(numbers.max()),
            repetitions=repetitions,
        )


def _draws(seed: np.random.SeedSequence) -> Draws:
    return Draws(*(np.random.default_rng(source) for source in seed.spawn(2)))

"""With the default prior a collection is not worse than asking nobody, however few are asked."""

from typing import NamedTuple
from zlib import crc32

import numpy as np
import pytest

from hushrank.engines.local import simulate
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.experiments.figures.frontier.elections import ELECTIONS
from hushrank.models.mallows import Mallows
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from tests.experiments.election_files import election_file
from tests.statistics import random_seed

MOST_WORSE = 0.006
"""How much of Q2 distance a mean may exceed uniform rankings by, beside two standard errors."""
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
SIZES = (200, 1000, 5000)
REPETITIONS = {4: 10, 5: 10, 6: 10, 7: 10, 8: 10, 9: 10, 10: 6, 12: 4, 14: 3}
"""By the number of items: a fit of many takes seconds."""
FEW_EPSILONS, FEW_SIZES = (0.05, 0.1, 0.2, 0.5, 1.0, 4.0), (200, 5000)
FEWEST_EPSILONS, MANY_ITEMS = (0.05, 0.2, 1.0, 4.0), 12
"""On files some of the cells are measured, and fewer from so many items on."""


class Excess(NamedTuple):
    """By how much the mean Q2 distance exceeds that of uniform rankings, and its standard error."""

    mean: float
    error: float

    @property
    def is_worse(self):
        return self.mean > MOST_WORSE + 2 * self.error


def excess(draw, n_people, epsilon, repetitions, *, label="", **options):
    """Collect from people drawn anew; compare the model with uniform rankings on the same people.

    `draw` takes the number of people and rng; each `label` has seeds of its own.
    """
    found = []
    own = crc32(label.encode())
    seeds = np.random.SeedSequence((random_seed(), own, n_people, int(1000 * epsilon)))
    for seed in seeds.spawn(repetitions):
        rng = np.random.default_rng(seed)
        people = draw(n_people, rng)
        truth, n_items = second_order_marginals(people), people.n_items
        protocol = max_entropy(n_items, epsilon=epsilon, n_people=n_people, **options)
        model = simulate(protocol, people, rng=rng).result.model
        uniform = marginal_distance(uniform_second_order_marginals(n_items), truth)
        found.append(marginal_distance(model.second_order_marginals, truth) - uniform)
    return Excess(float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(repetitions)))


def mallows(n_items, dispersion):
    """Draw people around a random order; dispersion 1 is uniform."""

    def draw(n_people, rng):
        model = Mallows(tuple(rng.permutation(n_items).tolist()), dispersion)
        return Rankings(model.sample(n_people, rng=rng), tuple(map(str, range(n_items))))

    return draw


def some_of(rankings):
    """Draw people of a file without repetition."""
    people = rankings.expanded()
    return lambda n, rng: people.select(rng.choice(people.n_rows, size=n, replace=False))


def worse_cells(label, draw, n_items, epsilons=EPSILONS, sizes=SIZES):
    """Measure all cells; print the worst, and return those that are worse than uniform."""
    cells = {
        (n_people, epsilon): excess(draw, n_people, epsilon, REPETITIONS[n_items], label=label)
        for n_people in sizes
        for epsilon in epsilons
    }
    worst = max(cells, key=lambda cell: cells[cell].mean)
    print(f"{label}, worst of {len(cells)} cells: (people, epsilon) = {worst}, {cells[worst]}")
    return {cell: found for cell, found in cells.items() if found.is_worse}


def worse_cells_of_file(label, rankings):
    epsilons = FEWEST_EPSILONS if rankings.n_items >= MANY_ITEMS else FEW_EPSILONS
    sizes = sorted({min(n, rankings.n_people) for n in FEW_SIZES})
    return worse_cells(label, some_of(rankings), rankings.n_items, epsilons, sizes)


@pytest.mark.statistical
@pytest.mark.parametrize("n_items", [4, 7])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_uniform_people_are_not_taken_for_others(n_items, epsilon):
    """Where noise is all there is to learn."""
    assert not excess(mallows(n_items, 1.0), 1000, epsilon, 20).is_worse


@pytest.mark.statistical
def test_people_near_uniform_are_not_taken_for_others():
    assert not excess(mallows(5, 0.95), 1000, 0.5, 20).is_worse


@pytest.mark.statistical
def test_the_typical_prior_makes_no_such_promise():
    """What these tests must catch: a prior that expects something."""
    assert excess(mallows(4, 1.0), 1000, 0.1, 20, prior="typical").is_worse


@pytest.mark.slow
@pytest.mark.parametrize("dispersion", [1.0, 0.95, 0.9])
@pytest.mark.parametrize("n_items", [4, 5, 6, 7, 10])
def test_models_near_uniform(n_items, dispersion):
    label = f"Mallows {dispersion:g}, {n_items} items"
    assert not worse_cells(label, mallows(n_items, dispersion), n_items)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize(("folder", "data_set"), [("turkdots", 24), ("turkpuzzle", 25)])
def test_crowd_workers(data_folder, folder, data_set, number):
    people = read_rankings(data_folder / folder / f"000{data_set}-0000000{number}.soc")
    assert not worse_cells_of_file(f"{folder} {number}", people)


@pytest.mark.slow
def test_sushi(data_folder):
    people = read_rankings(data_folder / "sushi" / "sushi.soc")
    assert not worse_cells_of_file("Sushi", people)


@pytest.mark.slow
@pytest.mark.parametrize("election", ELECTIONS, ids=[each.name for each in ELECTIONS])
def test_elections(data_folder, election):
    people = election.read(election_file(data_folder, election))
    assert not worse_cells_of_file(election.name, people)

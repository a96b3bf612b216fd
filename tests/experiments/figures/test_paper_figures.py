"""The figures of SAFARI on the Sushi rankings, beside those of independent prototypes."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from hushrank.experiments.experiment import Draws
from hushrank.experiments.figures.safari.figure_2 import RuleOne, true_shares
from hushrank.experiments.on_rankings.collection import FAITHFUL, CollectionTrial, Variant
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.rankings.files import read_rankings

REPETITIONS = 10
TOLERANCE = 0.05  # two means of ten whose single runs deviate by up to .05
FIGURES = Path(__file__).parents[3] / "docs" / "experiments"

PROTOTYPES = {
    (10, 0.4): (0.714, 0.571),
    (10, 1.0): (0.424, 0.402),
    (10, 2.0): (0.256, 0.241),
    (10, 4.0): (0.161, 0.167),
    (3, 1.0): (0.101, 0.091),
    (5, 1.0): (0.221, 0.213),
    (7, 1.0): (0.289, 0.292),
}
"""Q2 distance of faithful SAFARI by (items, epsilon): simplex, clip."""


@pytest.fixture
def sushi(data_folder):
    return read_rankings(data_folder / "sushi" / "sushi.soc").expanded()


def mean_distances(measure):
    """Return the mean distance of each treatment over independent repetitions."""
    seeds = np.random.SeedSequence(2026).spawn(REPETITIONS)
    draws = [Draws(*map(np.random.default_rng, seed.spawn(2))) for seed in seeds]
    measured = [measure(each) for each in draws]
    return {key: float(np.mean([each[key] for each in measured])) for key in measured[0]}


@pytest.mark.slow
@pytest.mark.parametrize(("size", "expected"), PROTOTYPES.items())
def test_safari_is_as_good_as_its_prototype(sushi, size, expected):
    n_items, epsilon = size
    here = CollectionTrial(sushi.restrict(range(n_items)), epsilon)
    measured = mean_distances(partial(here.by_safari, FAITHFUL))
    assert (measured["simplex"], measured["clip"]) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.slow
def test_reference_lines_are_those_of_the_prototype(sushi):
    here = CollectionTrial(sushi, 1.0)
    assert mean_distances(here.without_noise)["any"] == pytest.approx(0.133, abs=0.003)
    assert mean_distances(here.of_uniform)["any"] == pytest.approx(0.309, abs=0.0005)
    assert mean_distances(here.by_bootstrap)["any"] == pytest.approx(0.049, abs=0.002)


@pytest.mark.slow
def test_splitting_people_repairs_safari(sushi):
    here = CollectionTrial(sushi, 1.0)
    measured = mean_distances(partial(here.by_safari, Variant(split="people")))
    assert measured["simplex"] == pytest.approx(0.31, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_harmony_beats_safa_on_rule_one_where_the_repaired_theorem_says_so(sushi, epsilon):
    """20 cells: SAFA has the smaller variance from epsilon 1.3 on."""
    here = RuleOne(sushi, true_shares(sushi), epsilon)
    safa, harmony = (
        mean_distances(partial(here.collected, mechanism))["raw"]
        for mechanism in (GeneralizedRandomizedResponse, Harmony)
    )
    assert (safa < harmony) == (epsilon > 1.3)


@pytest.mark.parametrize(("n_items", "epsilon"), PROTOTYPES)
def test_published_figures_agree_with_the_prototype(n_items, epsilon):
    """Ten items stand in figure 1(b) for every epsilon, fewer in figure 1(a)."""
    name, x = ("safari-1b", epsilon) if n_items == 10 else ("safari-1a", n_items)
    with (FIGURES / f"{name}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["curve"] == "SAFARI"]
    found = {row["post_process"]: float(row["mean"]) for row in rows if float(row["x"]) == x}
    expected = PROTOTYPES[n_items, epsilon]
    assert (found["simplex"], found["clip"]) == pytest.approx(expected, abs=TOLERANCE)

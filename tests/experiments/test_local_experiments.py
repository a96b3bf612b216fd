"""The figures about orders from local reports: the right people, queries, epsilons and errors."""

import numpy as np
import pytest

from hushrank.experiments.experiment import Draws, Settings
from hushrank.experiments.figures.kwiksort import figure_6
from hushrank.experiments.figures.kwiksort.figures_3_and_4 import EPSILONS, queries
from hushrank.experiments.figures.kwiksort.table_3 import SOLUTIONS
from hushrank.experiments.on_rankings.electorate import Electorate
from hushrank.experiments.on_rankings.local import (
    LAPLACE,
    OURS,
    PAPER,
    RESPONSE,
    Devices,
    PairMethod,
)
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.registry import EXPERIMENTS
from hushrank.experiments.running import run_experiment
from tests.experiments.populations import plackett_luce

QUICK = Settings(repetitions=1, seed=5, quick=True)
FILES = {name: plackett_luce(60, 4, seed=n) for n, name in enumerate(("turkdots", "turkpuzzle"))}
FILES["sushi"] = plackett_luce(80, 5)
MEASURED = ("kwiksort-3", "kwiksort-5", "kwiksort-6", "kwiksort-table3")


def draws(seed=0):
    noise, synthesis = np.random.SeedSequence(seed).spawn(2)
    return Draws(np.random.default_rng(noise), np.random.default_rng(synthesis))


@pytest.fixture(scope="module")
def crowd():
    return Electorate(plackett_luce(4000, 4, strength=4.0))


@pytest.fixture(scope="module")
def results():
    return {name: run_experiment(EXPERIMENTS[name], FILES, QUICK) for name in MEASURED}


@pytest.mark.parametrize("make", [*PAPER.values(), *OURS.values()], ids=[*PAPER, *OURS])
def test_protocols_reach_the_optimum_without_much_noise(crowd, make):
    """Items numbered the wrong way back are off by .3 on average."""
    judged = [Devices(crowd).collected(make, 40.0, draws(seed)) for seed in range(8)]
    assert max(each["excess"] for each in judged) < 1e-9
    assert {each.get("error rate", 0.0) for each in judged} == {0.0}


def test_pure_noise_turns_half_of_the_pairs(crowd):
    """48 pairs: 6 standard errors to each side."""
    judged = [Devices(crowd).collected(PairMethod("rr"), 1e-6, draws(seed)) for seed in range(8)]
    assert np.mean([each["error rate"] for each in judged]) == pytest.approx(0.5, abs=0.43)
    assert len({each["error rate"] for each in judged}) > 1


def test_queries_and_solutions_reach_the_protocol():
    """A person's reports are as many as K, and Lap's true epsilon is below the nominal one."""
    for make, n_queries, least in ((PairMethod("rr", 3), 3, 2.0), (PairMethod("lap", 2), 2, 1.0)):
        (survey,) = next(make(4, epsilon=2.0, seed=0))
        assert survey.answers_per_person == n_queries
        assert survey.epsilon >= least
    assert next(PAPER[LAPLACE](4, epsilon=2.0, seed=0))[0].epsilon < 1.7
    assert next(PAPER[RESPONSE](4, epsilon=2.0, seed=0))[0].epsilon == 2.0


def test_some_people_are_asked_and_judged(crowd):
    asked = [Devices(crowd, 30)._asked(draws(seed)) for seed in range(2)]
    assert [each.rankings.n_people for each in asked] == [30, 30]
    assert (asked[0].counts != asked[1].counts).any()
    assert Devices(crowd, 4000)._asked(draws()) is crowd


def test_numbers_of_queries_are_those_of_the_paper():
    assert queries(4) == [1, 2, 3, 4, 5, 6]
    assert queries(10) == [1, 2, 3, 4, 11, 45]
    assert queries(3) == [1, 2, 3]


def test_sizes_end_with_all_people():
    assert figure_6.sizes(795, "turkdots") == [10, 25, 50, 100, 250, 500, 795]
    assert figure_6.sizes(500, figure_6.MODELS[0][0].name) == [100, 250, 500]


@pytest.mark.parametrize("name", MEASURED)
def test_every_point_is_possible(results, name):
    for point in results[name].points:
        assert point.smallest >= -1e-12
        assert point.largest <= (np.inf if point.quantity == "seconds" else 1)


@pytest.mark.parametrize(("number", "solution"), [(3, "rr"), (4, "lap")])
def test_there_is_a_curve_for_every_epsilon(number, solution):
    measurements = EXPERIMENTS[f"kwiksort-{number}"].plan({"sushi": FILES["sushi"]}, False)
    points = {(each.curve, each.x) for each in measurements if each.group == "proposed"}
    assert points == {(f"ε = {each:g}", k) for each in EPSILONS for k in (1, 2, 3, 4, 6, 10)}
    asked = {each.measure.args[0] for each in measurements if each.group == "proposed"}
    assert asked == {PairMethod(solution, k) for k in (1, 2, 3, 4, 6, 10)}


def test_figure_five_has_the_curves_of_the_paper_and_ours(results):
    expected = {*PAPER, *OURS, "KwikSort (no privacy)", "DP-KwikSort (central)"}
    for population in results["kwiksort-5"].sizes:
        points = [each for each in results["kwiksort-5"].points if each.population == population]
        assert {point.curve for point in points} == expected
    errors = {each.curve for each in results["kwiksort-5"].points if each.quantity == "error rate"}
    assert errors == {*PAPER, *OURS, "KwikSort (no privacy)"} - {"subset order"}


def test_table_three_times_every_solution_on_every_data_set(results):
    points = results["kwiksort-table3"].points
    assert len(points) == len(SOLUTIONS) * 8
    assert all(point.smallest > 0 for point in points)


@pytest.mark.parametrize("name", ["kwiksort-3", "kwiksort-5", "kwiksort-6"])
def test_every_panel_has_curves(results, name):
    for axes in experiment_figure(results[name]).axes:
        assert axes.get_legend_handles_labels()[1]

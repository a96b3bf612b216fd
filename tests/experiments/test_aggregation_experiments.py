"""The figures about one consensus order: judged by the exact optimum, under random item numbers."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.aggregators.private.order import PrivateOrder
from hushrank.experiments.experiment import Draws, Settings
from hushrank.experiments.figures.hay.figure_2 import HAY_2
from hushrank.experiments.figures.hay.figure_3 import HAY_3
from hushrank.experiments.on_rankings.central import OURS, PAPER, Curator
from hushrank.experiments.on_rankings.electorate import Electorate, ItemLabels
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.running import run_experiment
from hushrank.rankings.distances import kendall_distances
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.experiments.populations import plackett_luce

RELEASES = {**PAPER, **OURS}

QUICK = Settings(repetitions=2, seed=5, quick=True)


def draws(seed=0):
    noise, synthesis = np.random.SeedSequence(seed).spawn(2)
    return Draws(np.random.default_rng(noise), np.random.default_rng(synthesis))


@pytest.fixture(scope="module")
def people():
    return Electorate(plackett_luce(300, 5))


def test_orders_are_judged_by_the_best_of_all_orders(people):
    taus = {
        order: kendall_distances(people.rankings.ranks, order).sum() / (300 * 10)
        for order in permutations(range(5))
    }
    best = min(taus.values())
    for order, tau in taus.items():
        judged = people.judged(order)
        assert judged["tau"] == pytest.approx(tau, abs=1e-12)
        assert judged["excess"] == pytest.approx(tau - best, abs=1e-12)


def test_first_and_some_people_are_people_of_the_population(people):
    np.testing.assert_array_equal(
        people.first(7).counts, majority(people.rankings.select(np.arange(7)))
    )
    some = people.some(120, rng=np.random.default_rng(1))
    others = people.some(120, rng=np.random.default_rng(2))
    assert some.rankings.n_people == 120
    assert (some.counts != others.counts).any()
    everybody = people.some(300, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(everybody.counts, people.counts)


def test_labels_number_items_anew_and_back(people):
    labels = ItemLabels((3, 0, 4, 1, 2))
    counts = labels.counts(people.counts)
    assert counts[0, 2] == people.counts[3, 4]
    np.testing.assert_array_equal(majority(labels.rankings(people.rankings)), counts)
    assert labels.order((0, 1, 2, 3, 4)) == (3, 0, 4, 1, 2)


def test_a_method_that_goes_by_item_number_gains_nothing():
    """Everybody says 0, 1, 2: who copies the numbers is right once in six."""
    agreed = Curator(Electorate(Rankings.from_orders(np.repeat([[0, 1, 2]], 9, axis=0))))

    def by_number(counts, *, epsilon, rng):
        return PrivateOrder((0, 1, 2), "by number", None, False)

    taus = [agreed.released(by_number, 1.0, draws(seed))["tau"] for seed in range(120)]
    assert np.mean(taus) == pytest.approx(0.5, abs=0.15)  # 5 standard errors


@pytest.mark.parametrize(("name", "release"), RELEASES.items(), ids=RELEASES)
def test_releases_reach_the_optimum_without_much_noise(name, release):
    """Items numbered the wrong way back are off by .3, best last by .6.

    Sorting by the natural logarithm pays for 4 of up to 6 comparisons: it keeps a floor.
    """
    curator = Curator(Electorate(plackett_luce(4000, 4, strength=4.0)))
    excess = np.mean([curator.released(release, 50.0, draws(seed))["excess"] for seed in range(20)])
    assert excess < (0.15 if name in ("P-SORT (ln)", "DP-KwikSort") else 1e-9)


def test_histograms_reach_borda_without_much_noise():
    curator = Curator(Electorate(plackett_luce(4000, 4, strength=4.0)))
    assert curator.by_histogram(50.0, draws()) == curator.by_borda(draws())


def test_references_are_what_they_are_called(people):
    curator = Curator(people)
    assert curator.by_kemeny(draws())["excess"] == 0
    assert 0 <= curator.by_borda(draws())["excess"] < 0.02
    assert 0 <= curator.by_kwiksort(draws())["excess"] < 0.1


@pytest.fixture(scope="module")
def results():
    files = {"sushi": plackett_luce(60, 4), "jester": plackett_luce(80, 6)}
    return {each.name: run_experiment(each, files, QUICK) for each in (HAY_2, HAY_3)}


@pytest.mark.parametrize("name", ["hay-2", "hay-3"])
def test_every_point_is_possible(results, name):
    for point in results[name].points:
        assert point.smallest <= point.mean + 1e-12
        assert point.mean <= point.largest + 1e-12
        assert point.smallest >= -1e-12
        assert point.largest <= 1


def test_hay_2_measures_all_methods_on_both_populations(results):
    points = results["hay-2"].points
    expected = {*PAPER, *OURS, "P-BORDA-HIST", "Borda", "Kemeny (optimum)", "quicksort"}
    for name in ("sushi", "jester"):
        assert {point.curve for point in points if point.population == name} == expected
    assert results["hay-2"].sizes == {"sushi": (60, 4), "jester": (80, 5)}


def test_hay_3_needs_no_file_and_measures_all_populations(results):
    result = run_experiment(HAY_3, {}, QUICK)
    assert result.points == results["hay-3"].points
    assert len({point.population for point in result.points}) == 6


def test_dots_stand_in_the_line_of_their_method(results):
    figure = experiment_figure(results["hay-2"])
    axes = figure.axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        (dot,) = [
            point.mean
            for point in results["hay-2"].points
            if (point.population, point.curve, point.quantity, point.x)
            == ("sushi", label, "excess", 0.01)
        ]
        assert handle.lines[0].get_xdata() == pytest.approx([dot])
        assert handle.lines[0].get_ydata() == pytest.approx([names.index(label)])


def test_panels_name_population_and_size(results):
    titles = [axes.get_title() for axes in experiment_figure(results["hay-2"]).axes]
    assert titles[0] == "Sushi (n = 60, m = 4), ε = 0.01"
    assert titles[3:] == [f"Jester (n = 80, m = 5), ε = {each}" for each in ("0.01", "0.1", "1")]

from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.models.mallows import Mallows
from hushrank.planning.populations import (
    MEAN_DISTANCE,
    REFERENCES,
    normal_scores,
    typical_dispersion,
)
from hushrank.planning.simulation.people import People, all_ranks
from hushrank.planning.simulation.trials import run_subset_order
from hushrank.planning.table import read_records
from hushrank.rankings.coding import lexicographic_index
from hushrank.rankings.distances import kendall_distances


@pytest.mark.parametrize("n_items", [2, 3, 7, 16])
def test_the_mallows_population_turns_round_a_quarter_of_all_pairs(n_items):
    model = Mallows(tuple(range(n_items)), typical_dispersion(n_items))
    n_pairs = n_items * (n_items - 1) / 2
    assert model.expected_distance == pytest.approx(MEAN_DISTANCE * n_pairs, rel=1e-9)


def test_normal_scores_are_symmetric_and_descend():
    scores = normal_scores(7)
    assert (np.diff(scores) < 0).all()
    assert scores == pytest.approx(-scores[::-1])
    assert scores[0] == pytest.approx(1.465, abs=1e-3)  # the quantile at 13/14


@pytest.mark.parametrize("population", REFERENCES, ids=lambda one: one.name)
def test_people_have_their_items_in_random_order(population):
    """Else a protocol that knows nothing, and orders by item number, would be right."""
    drawn = [population.draw(400, 5, rng=np.random.default_rng(seed)) for seed in range(12)]
    best = {int(each.ranks.mean(axis=0).argmin()) for each in drawn}
    assert len(best) >= 3


def test_the_excess_of_an_order_by_chance_is_the_mean_over_all_orders():
    rng = np.random.default_rng(1)
    people = People(REFERENCES[3].draw(300, 4, rng=rng))
    orders = np.argsort(all_ranks(4), axis=1)
    excesses = [people.excess(tuple(order.tolist())) for order in orders]
    assert np.mean(excesses) == pytest.approx(people.random_excess)
    assert min(excesses) == pytest.approx(0, abs=1e-12)
    order = tuple(orders[5].tolist())
    mean = kendall_distances(people.rankings.ranks, order).mean() / 6
    assert people.excess(order) == pytest.approx(mean - people.best_tau)


def test_all_ranks_are_in_the_order_of_their_index():
    orders = np.argsort(all_ranks(5), axis=1)
    assert lexicographic_index(orders).tolist() == list(range(120))


def test_the_table_s_numbers_are_of_these_populations():
    """Measured anew: how far uniform rankings are from each population."""
    for record in read_records():
        if record.track == "uniform" and record.items == 5:
            population = next(each for each in REFERENCES if each.name == record.population)
            people = People(population.draw(20_000, 5, rng=np.random.default_rng(5)))
            at = [n_people for _, n_people in record.points].index(25_000)
            assert record.distance[at] == pytest.approx(people.uniform_distance, abs=0.01)
            assert record.excess[at] == pytest.approx(people.random_excess, abs=0.01)


@pytest.mark.parametrize("population", REFERENCES, ids=lambda one: one.name)
def test_people_of_every_population_order_all_of_many_items(population):
    assert population.model(30).n_items == 30
    drawn = population.draw(50, 30, rng=np.random.default_rng(1))
    assert (np.sort(drawn.ranks, axis=1) == np.arange(30)).all()
    assert (np.diff(normal_scores(30)) < 0).all()


def test_noise_of_mean_ranks_orders_all_of_many_items():
    """Where there is next to none, as the people do."""
    order = (*range(28), 29, 28)
    counts = 9 * (np.argsort(order)[:, None] < np.argsort(order))
    people = SimpleNamespace(n_items=30, n_people=9, majority=counts, relative_excess=tuple)
    assert run_subset_order(people, 1e9, np.random.default_rng(1)).excess == order

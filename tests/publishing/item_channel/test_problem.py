import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.problem import (
    ActivityPopulation,
    ItemChannelProblem,
    lower_bound,
)
from tests.publishing.item_channel.problems import (
    distortion,
    dual_bound,
    leakage,
    population,
    problem,
)
from tests.statistics import random_seed


@pytest.mark.parametrize("n_values", [2, 3, 5])
@pytest.mark.parametrize("ties", ["half", "ignored"])
def test_the_bound_is_its_formula(n_values, ties):
    posed = problem(25, n_values, ties=ties)
    potentials = np.random.default_rng(random_seed()).normal(size=(25, n_values))
    price = 3 / posed.cost.largest
    expected = dual_bound(posed, potentials, price)
    assert lower_bound(posed, potentials, price) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n_values", [2, 4])
def test_no_channel_within_the_budget_leaks_less_than_the_bound(n_values):
    rng = np.random.default_rng(random_seed())
    posed = problem(8, n_values)
    for _ in range(200):
        matrix = rng.dirichlet(np.full(8, 0.3), size=8)
        kept = min(1.0, posed.budget / distortion(posed, matrix))
        within = kept * matrix + (1 - kept) * np.eye(8)
        potentials = rng.normal(size=(8, n_values)) * rng.exponential()
        bound = lower_bound(posed, potentials, rng.exponential() / posed.cost.largest)
        assert bound <= leakage(posed.population.joint, within) + 1e-12


def test_the_leakage_unchanged_is_the_mutual_information():
    items = population(12, 3)
    assert items.leakage == pytest.approx(leakage(items.joint, np.eye(12)), rel=1e-12)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (np.array([[0.5, 0.5]]), "2 or more items"),
        (np.array([[0.5], [0.5]]), "2 or more values"),
        (np.array([[0.5, 0.0], [0.5, 0.0]]), "positive probability"),
        (np.array([[0.5, 0.6], [0.5, 0.0]]), "sum 1"),
        (np.array([[1.5, 0.5], [-1.0, 0.0]]), "at least 0"),
        (np.array([[np.nan, 0.5], [0.5, 0.0]]), "at least 0"),
        (np.array([*np.full((23, 2), 1 / 48), [3 / 48, -1 / 48]]), "at least 0"),
        (np.array([[1 / 46] * 23 + [0]] * 2), "positive probability"),
    ],
)
def test_other_probabilities_are_refused(joint, message):
    with pytest.raises(HushrankError, match=message):
        ActivityPopulation(joint)


def test_the_last_probability_without_a_group_is_checked():
    without = np.full((2, 6, 2), 0.25)
    without[-1, -1, -1] = -0.25
    with pytest.raises(HushrankError, match="at least 0"):
        ActivityPopulation(np.full((2, 2), 0.25), without)


@pytest.mark.parametrize("budget", [-0.1, 1.1, np.nan])
def test_a_budget_outside_is_refused(budget):
    with pytest.raises(HushrankError, match="expected a budget in"):
        ItemChannelProblem(population(3), activity_cost(np.array([0, 1, 2])), budget)


def test_counts_of_other_items_are_refused():
    with pytest.raises(HushrankError, match="expected counts of 3 items"):
        ItemChannelProblem(population(3), activity_cost(np.array([0, 1])), 0.1)


def test_a_negative_price_certifies_nothing():
    with pytest.raises(HushrankError, match="price"):
        lower_bound(problem(5), np.zeros((5, 2)), -1.0)

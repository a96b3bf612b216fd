import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.learning_error import (
    MARGIN,
    learning_error,
    learnt_population,
)
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solution import leakages
from hushrank.publishing.item_channel.solve import solve_item_channel
from tests.publishing.item_channel.problems import population, problem
from tests.statistics import random_seed


def made_up_users(
    n_users, n_items, n_values=2, *, alike=20.0, n_activities=50, n_rare=None, seed=None
):
    """Draw habits around those of the user's value; return the truth, the counts and the values."""
    rng = np.random.default_rng(random_seed() if seed is None else seed)
    truth = population(n_items, n_values, seed=3, spread=0.8).joint
    truth = truth / truth.sum(axis=0)
    codes = np.arange(n_users) % n_values
    if n_rare is not None:
        codes = (np.arange(n_users) < n_rare).astype(int)
    habits = [rng.dirichlet(alike * truth[:, code] + 1e-9) for code in codes]
    counts = np.stack([rng.multinomial(n_activities, habit) for habit in habits])
    return truth, csr_array(counts.astype(float)), codes


def test_what_is_learnt_are_the_shares_of_all_and_of_all_but_one_group():
    _, scores, codes = made_up_users(40, 12, 3)
    learnt = learnt_population(scores, codes, 3)
    table = scores.toarray()
    assert learnt.joint == pytest.approx(table.T @ np.eye(3)[codes] / table.sum())
    assert learnt.without.shape == (12, 13, 3)  # the rarest value has 13 users
    for group in range(13):
        others = (np.arange(40) // 3) % 13 != group
        joint = table[others].T @ np.eye(3)[codes[others]]
        assert learnt.without[:, group] == pytest.approx(joint / joint.sum(axis=0))


def test_the_error_is_that_of_the_definition():
    _, scores, codes = made_up_users(60, 10, 3)
    learnt = learnt_population(scores, codes, 3)
    channel = solve_item_channel(ItemChannelProblem(learnt, problem(10, 3).cost, 0.02)).channel
    matrix, prior, n_groups = channel.matrix(), learnt.prior, learnt.without.shape[1]
    expected = np.zeros(3)
    for item in range(10):
        released = matrix[:, item] @ learnt.without.swapaxes(0, 1)  # (groups, values)
        squares = (released - released.mean(axis=0)) ** 2
        variances = (n_groups - 1) / n_groups * squares.sum(axis=0)
        for value in range(3):
            # of P(item | value) - P(item): independent samples of users of each value
            levers = (np.arange(3) == value) - prior
            expected[value] += levers**2 @ variances / (2 * matrix[:, item] @ learnt.weights)
    error = learning_error(learnt, channel)
    assert error == pytest.approx((prior @ expected, MARGIN * expected.max()), rel=1e-9)


@pytest.mark.parametrize(
    ("n_users", "n_rare", "alike"),
    [(60, None, 20.0), (400, None, 20.0), (400, None, 1e6), (220, 20, 20.0), (216, 16, 20.0)],
)
def test_what_is_stated_is_about_what_everybody_is_told(n_users, n_rare, alike):
    """The estimate is about right in the mean of 12 samples; with the margin, for each of them."""
    stated, leaked = [], []
    for seed in range(12):
        truth, scores, codes = made_up_users(n_users, 150, alike=alike, n_rare=n_rare, seed=seed)
        learnt = learnt_population(scores, codes, 2)
        cost = activity_cost(np.random.default_rng(seed).integers(0, 4, 150))
        everything = ItemChannelProblem(learnt, cost, 0.0).constant_cost_bound
        solution = solve_item_channel(ItemChannelProblem(learnt, cost, 0.6 * everything))
        assert solution.leakage < 1e-9  # of the sample
        stated.append(solution.worst_leakage + learning_error(learnt, solution.channel).worst)
        leaked.append(leakages(solution.channel.pushforward(truth * learnt.prior))[1])
    ratios = np.array(stated) / leaked
    assert ratios.min() > 1
    assert 0.85 * MARGIN < ratios.mean() < 2.5 * MARGIN


def test_nothing_is_added_where_nothing_was_learnt():
    posed = problem(20)
    assert learning_error(posed.population, solve_item_channel(posed).channel) == (0, 0)


@pytest.mark.parametrize("idle", [False, True])
def test_a_value_of_one_active_user_is_refused(idle):
    counts = np.ones((4, 5))
    counts[3] = 0 if idle else 1
    codes = np.array([0, 0, 1, 1 if idle else 0])
    with pytest.raises(HushrankError, match="2 or more users of each private value"):
        learnt_population(csr_array(counts), codes, 2)


@pytest.mark.parametrize("shape", [(4, 1, 2), (3, 4, 2), (4, 4, 3)])
def test_other_replicates_are_refused(shape):
    with pytest.raises(HushrankError, match="without each"):
        ActivityPopulation(np.full((4, 2), 1 / 8), np.full(shape, 1 / 4))

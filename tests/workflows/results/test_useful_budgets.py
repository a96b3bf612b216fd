import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.evaluation.recommendation.foretelling import Precision
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.workflows.judge import EvaluationResult
from hushrank.workflows.results.useful_budgets import (
    largest_useful_online,
    online_in_words,
    useful_budgets,
    useful_in_words,
    useful_online,
)


def activity(n_users, n_items, n_records):
    scores = np.zeros(n_users * n_items)
    scores[:n_records] = 1
    names = [tuple(map(str, range(n))) for n in (n_users, n_items)]
    return Activity(csr_array(scores.reshape(n_users, n_items)), *names)


def test_budgets_depend_on_sizes_alone():
    few = useful_budgets("privrank", "kendall", activity(10, 20, 20))
    assert few == pytest.approx((0.01, 0.05))
    assert useful_budgets("rand", "kendall", activity(10, 20, 20)) == (0.1, 0.5)
    assert useful_budgets("privrank", "cosine", activity(10, 20, 20)) is None
    assert useful_in_words("frapp", "kendall", activity(10, 20, 20)) == ""


@pytest.mark.parametrize("n_items", [2, 8, 1682])
def test_a_new_user_s_activity_costs_what_is_said_at_most(n_items):
    cost = activity_cost(np.zeros(n_items, dtype=np.int64))
    assert cost.largest == pytest.approx(largest_useful_online(n_items))


def test_the_small_budget_of_one_activity_comes_first():
    assert useful_online(50) == pytest.approx((0.1 * 2 / 50, 0.5 * 2 / 50))


def test_a_budget_that_makes_all_items_one_is_warned_of():
    assert "one and the same item" in online_in_words(0.1, 1682)
    assert online_in_words(0.0005, 1682) == ""
    assert "one and the same item" in online_in_words(largest_useful_online(50), 50)
    assert online_in_words(np.nextafter(largest_useful_online(50), 0), 50) == ""


@pytest.mark.parametrize(("after", "n_warnings"), [(0.3, 0), (0.15, 1)])
def test_popularity_that_does_better_is_mentioned(after, n_warnings):
    before, best, known = (Precision(each, None) for each in (0.3, after, 0.2))
    assert len(EvaluationResult(before, best, known, known, before, 9, 3).warnings) == n_warnings

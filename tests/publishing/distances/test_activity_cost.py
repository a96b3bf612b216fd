import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost

COUNTS = st.lists(st.integers(0, 5), min_size=2, max_size=8)


def kendall(first, second, tie_cost):
    """Count the pairs that two vectors order differently, pair by pair, by the definition."""
    cost, n_items = 0.0, len(first)
    for a in range(n_items):
        for b in range(a):
            left, right = np.sign(first[a] - first[b]), np.sign(second[a] - second[b])
            cost += 1.0 if left * right < 0 else tie_cost * (left != right)
    return cost / (n_items * (n_items - 1) / 2)


def with_one_more(counts, item):
    return np.array([count + (number == item) for number, count in enumerate(counts)])


@pytest.mark.parametrize(("ties", "tie_cost"), [("half", 0.5), ("ignored", 0.0)])
@given(counts=COUNTS)
def test_costs_are_the_kendall_distances_of_the_two_vectors(ties, tie_cost, counts):
    costs = activity_cost(np.array(counts), ties=ties).matrix()
    for true in range(len(counts)):
        for released in range(len(counts)):
            vectors = with_one_more(counts, true), with_one_more(counts, released)
            expected = kendall(*vectors, tie_cost)
            assert costs[true, released] == pytest.approx(expected, abs=1e-12)


@given(counts=COUNTS)
def test_no_cost_exceeds_the_largest(counts):
    cost = activity_cost(np.array(counts))
    assert cost.matrix().max() <= cost.largest <= 1


@pytest.mark.parametrize("counts", [[1], [[1, 2]], [1.0, 2.0], [1, -1]])
def test_other_counts_are_refused(counts):
    with pytest.raises(HushrankError, match="expected counts"):
        activity_cost(np.array(counts))


def test_other_ties_are_refused():
    with pytest.raises(HushrankError, match="expected ties half or ignored, got none"):
        activity_cost(np.array([1, 2]), ties="none")


def test_the_representation_shows_no_count():
    assert repr(activity_cost(np.array([7, 8, 9]))) == "ActivityCost(3 items)"

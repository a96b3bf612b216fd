"""What all local mechanisms share: tallies, and how many people are counted."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally, checked_categories, checked_counts


def test_as_many_people_as_sums_have_room_for_are_taken_and_no_more():
    most = np.array([2**61, 2**61])
    assert checked_counts(most, 2).tolist() == most.tolist()
    with pytest.raises(HushrankError, match=r"at most 2\^62 people"):
        checked_counts(most + 2**10, 2)


@pytest.mark.parametrize("categories", [[0, 77], [-77, 1], [1, -77], [77, 0], [0, -77, 2]])
def test_an_answer_that_is_refused_is_not_told(categories):
    with pytest.raises(HushrankError, match=r"^expected categories 0\.\.2, some lie outside$"):
        checked_categories(np.array(categories), 3)


def test_an_empty_tally_adds_nothing():
    empty = Tally.empty(3)
    assert (empty.support.tolist(), empty.n_reports) == ([0, 0, 0], 0)


def test_a_tally_equals_itself_only():
    tally, same = Tally(np.arange(3), 3), Tally(np.arange(3), 3)
    assert tally == tally
    assert tally != same

"""How much two variables tell of each other."""

import numpy as np
import pytest

from hushrank.publishing.leakage.information import worst_ratio

PRIOR = np.array([0.5, 0.5])


@pytest.mark.parametrize("rare", [0.1, 1e-9, 1e-300])
def test_a_group_that_one_value_alone_has_tells_it_however_rare_it_is(rare):
    joint = np.array([[0.5 - rare, 0.5], [rare, 0.0]])
    assert worst_ratio(joint, PRIOR) == np.inf
    alike = np.array([[0.5, 0.5], [0.0, 0.0]])  # a group that nobody has tells nothing
    assert worst_ratio(alike, PRIOR) == 1


def test_the_largest_ratio_of_any_group_is_the_worst():
    joint = np.array([[0.3, 0.2], [0.1, 0.2], [0.1, 0.1]])
    assert worst_ratio(joint, PRIOR) == pytest.approx(2)

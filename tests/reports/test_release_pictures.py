"""What the page of a release says of how well values are guessed."""

import numpy as np
import pytest

from hushrank.reports.release_pictures import guesses


def test_values_are_guessed_of_the_cluster_that_was_released():
    """All of the first cluster are released as the second, which then tells less."""
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    transitions = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert guesses(joint, transitions) == pytest.approx((50, 80, 50))
    assert guesses(joint, np.eye(2)) == pytest.approx((50, 80, 80))

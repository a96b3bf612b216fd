"""What the page of a release says of how well values are guessed."""

import numpy as np
import pytest

import hushrank
from hushrank.activities.planted import draw_planted
from hushrank.publishing.leakage.measures import leakage_bits
from hushrank.reports.release_pictures import group_pictures, guesses


def test_values_are_guessed_of_the_cluster_that_was_released():
    """All of the first cluster are released as the second, which then tells less."""
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    transitions = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert guesses(joint, transitions) == pytest.approx((50, 80, 50))
    assert guesses(joint, np.eye(2)) == pytest.approx((50, 80, 80))


def test_what_a_group_tells_before_is_of_its_clusters_and_after_of_what_is_released():
    log, people = draw_planted(300, 30, tilt=0.7, rng=np.random.default_rng(1))
    visits = log.activity()
    release = hushrank.publish(visits, people, private=["group"], budget=0.05, seed=1)
    owners = release.compared_with(visits, people)
    [plan], [group] = owners.drawn.plans, group_pictures(owners.users, owners.drawn.plans)
    assert group.before == plan.leaked.untouched_bits == leakage_bits(plan.joint)
    assert group.after == leakage_bits(plan.joint, plan.transitions) < group.before - 0.01
    assert group.held_out == plan.leaked.leakage_bits_heldout != group.after
    assert (group.protects, group.n_users) == ("group", 300)

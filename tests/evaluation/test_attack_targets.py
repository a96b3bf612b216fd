"""Attackers see all that was released, and guess values that users protect and tell."""

import numpy as np
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.profiles import Profiles
from hushrank.evaluation.attack_targets import attacked_users

USERS = ("a", "b", "c", "d", "e")
GENDER = Attribute("gender", ("f", "m"), np.array([0, 1, -1, 0, 1]))
TOWN = Attribute("town", ("x", "y"), np.array([0, 1, 0, 1, 0]))
PROTECTED = {
    "gender": np.array([True, True, True, False, False]),
    "town": np.array([False, False, False, False, True]),
}
PEOPLE = Profiles(USERS, (GENDER, TOWN), PROTECTED)


def test_copies_are_counted_among_all_that_was_released():
    """Also of users who protect nothing, or whose values nobody knows."""
    scores = csr_array(np.array([[1.0, 0], [0, 1], [1, 0], [1, 0], [0, 2]]))
    seen = attacked_users(PEOPLE, ["gender"]).release(Activity(scores, USERS, ("i", "j")))
    assert seen.n_copies.tolist() == [3, 1]
    assert (seen.values.tolist(), seen.open_values.tolist()) == ([0, 1], [0, 1])


def test_who_protects_one_of_several_attributes_is_attacked():
    found = attacked_users(PEOPLE, ["gender", "town"])
    assert found.protected.tolist() == [0, 1, 4]
    assert found.open_users.tolist() == [3]

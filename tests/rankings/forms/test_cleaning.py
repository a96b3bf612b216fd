"""What a file holds becomes ballots: empty ones and items that nobody wants are left out."""

import numpy as np
import pytest

from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.cleaning import ballots_of
from hushrank.rankings.forms.found import Found
from hushrank.rankings.profile import Rankings

NAMES = ("tea", "milk", "cola", "water")
PEOPLE = np.array([6, 1, 2, 1])
KEYS = np.array([[1, 2, np.nan, np.nan], [np.nan, 1, 2, np.nan], [1, 2, 3, np.nan], [np.nan] * 4])
"""Of ten people six say nothing of cola; it is in half of the rows."""
FLAGS = {"skipped": np.array([False, True, True, False])}


def cleaned(keys=KEYS, people=PEOPLE, *, n_empty=0, **asked):
    ranked = Rankings.from_keys(keys, NAMES, people)
    return ballots_of(
        Found(ranked, "made up", flags=FLAGS), "b.csv", Asked(**asked), n_empty=n_empty
    )


@pytest.mark.parametrize(
    ("share", "kept"),
    [("30%", NAMES[:3]), ("31%", NAMES[:2]), ("80%", NAMES[:2]), ("81%", NAMES[1:2])],
)
def test_a_share_below_which_an_item_is_dropped_is_of_people_not_of_rows(share, kept):
    assert cleaned(drop=(share,)).names == kept


def test_one_share_is_enough_for_ballots_to_choose_the_items():
    asked = ((), ("tea",), ("30%",), ("tea", "30%"), ("30%", "tea"))
    assert [cleaned(drop=drop).by_share for drop in asked] == [False, False, True, True, True]


def test_all_that_is_to_be_dropped_is():
    assert cleaned(drop=("tea", "cola")).names == ("milk", "water")


def test_ballots_that_are_left_out_are_counted_by_people_and_so_are_odd_ones():
    found = cleaned().reading
    assert (found.people, found.irregular.empty, found.irregular.skipped) == (9, 1, 3)
    assert found.incomplete == 9


def test_ballots_that_become_empty_are_told_with_those_that_were():
    assert cleaned(drop=("milk", "tea"), n_empty=5).reading.irregular.empty == 5 + 6 + 1


def test_empty_ballots_are_told_where_all_others_are_complete():
    whole = np.tile(np.arange(4.0), (4, 1))
    assert cleaned(whole, n_empty=5).reading.irregular.empty == 5


def test_of_ballots_behind_an_empty_one_it_is_told_which_are_odd():
    flags = {"skipped": np.array([False, False, False, True])}
    ranked = Rankings.from_keys(KEYS[::-1], NAMES, PEOPLE[::-1])
    found = ballots_of(Found(ranked, "made up", flags=flags), "b.csv", Asked()).reading
    assert found.irregular.skipped == 6

"""What it means that a ballot leaves an item out."""

from pathlib import Path

import numpy as np
import pytest

from hushrank.rankings.files import read_rankings
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import rankings_from_scores
from hushrank.workflows.aggregate import aggregate

BALLOTS = [["Ann", "Bob"]] * 6 + [["Bob", "Ann"]] * 5 + [["Zoe", "Ann"]]
"""One of twelve ranks Zoe, and nobody who does puts another before her."""


def test_what_a_ballot_leaves_out_comes_last_unless_told():
    ballots = read_rankings(BALLOTS)
    assert ballots.unranked == "last"
    assert aggregate(ballots).items == ("Ann", "Bob", "Zoe")
    assert aggregate(ballots).unranked == "last"
    assert aggregate(ballots, unranked="unknown").items == ("Zoe", "Ann", "Bob")


def test_what_is_not_rated_is_unknown_unless_told():
    scores = rankings_from_scores([[5, np.nan], [1, np.nan], [np.nan, 2], [3, 4]], ["a", "b"])
    assert scores.unranked == "unknown"
    assert aggregate(scores).items == ("b", "a")
    assert aggregate(scores).unranked == "unknown"
    assert scores.select(np.array([0, 3])).restrict([1, 0]).expanded().counted().unranked == (
        "unknown"
    )


@pytest.mark.parametrize("epsilon", [None, 1.0])
def test_an_order_is_compared_with_ballots_as_it_was_counted(epsilon):
    """By ballots of two items each: one pair of each says something."""
    ballots = read_rankings(BALLOTS)
    found = aggregate(ballots, epsilon=epsilon, unranked="unknown", seed=1)
    assert found.unranked == "unknown"
    assert found.compared_with(ballots).counts.sum() == len(BALLOTS)


def test_the_leader_of_the_other_reading_is_said_to_the_holder_alone():
    ballots = read_rankings(BALLOTS)
    compared = aggregate(ballots).compared_with(ballots)
    assert compared.summary["first with unranked unknown *"] == "Zoe, not Ann"
    assert compared.to_dict()["other_reading"] == {"unranked": "unknown", "first": "Zoe"}
    assert "Zoe" not in repr(compared)
    released = aggregate(ballots, epsilon=1.0, seed=1)
    assert "other_reading" not in released.to_dict()
    assert not any(label.startswith("first") for label in released.summary)


def test_nothing_is_said_where_both_readings_agree():
    for ballots in (read_rankings(BALLOTS[:11]), Rankings.from_orders(np.array([[0, 1], [1, 0]]))):
        compared = aggregate(ballots).compared_with(ballots)
        assert compared.to_dict()["other_reading"] is None
        assert not any(label.startswith("first") for label in compared.summary)


@pytest.mark.parametrize(
    ("name", "leader"),
    [
        ("sanfrancisco/00021-00000001.toi", "Eric Mar"),
        ("sanfrancisco/00021-00000004.toi", "Carmen Chu"),
        ("sanfrancisco/00021-00000006.toi", "Malia Cohen"),
        ("sanfrancisco/00021-00000011.toi", "Ed Lee"),
        ("aspen2009/00016-00000001.toi", "Derek Johnson"),
        ("aspen2009/00016-00000002.toi", "Mick Ireland"),
        ("burlington/00005-00000001.toi", "Bob Kiss"),
        ("burlington/00005-00000002.toi", "Andy Montroll"),
    ],
)
def test_the_winners_of_elections_lead(name, leader, data_folder):
    """As reported; at Burlington in 2009 Kiss was elected, whom Montroll beat head to head."""
    assert aggregate(read_rankings(Path(data_folder, "elections", name))).items[0] == leader

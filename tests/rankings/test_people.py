"""Rankings are a sequence of people, whatever rows hold them."""

import numpy as np
import polars
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.profile import Rankings

BALLOTS = [("tea", "milk"), ("milk",), (frozenset({"tea", "juice"}), "milk"), ("juice", "tea")]


def everybody(multiplicities):
    people = read_rankings(BALLOTS)
    return Rankings(people.ranks, people.names, np.array(multiplicities))


@pytest.fixture
def people():
    return everybody([2, 1, 3, 1])


def test_going_through_people_gives_the_ballots_back(people):
    assert list(read_rankings(BALLOTS)) == BALLOTS
    expected = [ballot for ballot, n in zip(BALLOTS, [2, 1, 3, 1], strict=True) for _ in range(n)]
    assert list(people) == expected
    assert len(people) == 7
    assert read_rankings(list(people)) == people.expanded()


@given(
    st.lists(st.integers(1, 4), min_size=4, max_size=4),
    st.slices(20),
    st.integers(-20, 20),
)
def test_a_slice_or_a_number_means_what_it_means_in_a_list(multiplicities, wanted, number):
    people = everybody(multiplicities)
    ballots = list(people)
    if ballots[wanted]:
        assert list(people[wanted]) == ballots[wanted]
        assert list(people.expanded()[wanted]) == ballots[wanted]
    else:
        with pytest.raises(HushrankError, match="at least 1 person"):
            people[wanted]
    if -len(ballots) <= number < len(ballots):
        assert people[number] == ballots[number]
    else:
        with pytest.raises(IndexError, match=r"expected a person 0\.\."):
            people[number]


def test_more_people_than_memory_holds_are_sliced():
    people = everybody([2**40, 1, 1, 1])
    assert len(people) == 2**40 + 3
    assert people[-1] == BALLOTS[3]
    assert people[2**40 - 1 : 2**40 + 2].n_people == 3
    assert len(people[::3]) == len(range(0, 2**40 + 3, 3))


def test_head_is_the_first_people_and_shows_none(people):
    assert list(people.head(3)) == list(people)[:3]
    assert people.head(100) == people
    assert repr(people.head()) == "Rankings(5 people, 3 items, with ties, incomplete)"
    with pytest.raises(HushrankError, match="people: expected at least 1, got 0"):
        people.head(0)


def test_frames_of_every_library_are_read_back(people):
    for frame in (people.to_frame(), polars.DataFrame(people), pa.table(people)):
        assert read_rankings(frame) == people


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (
            np.array([[1, 2, 3]], dtype=np.uint8),
            r"0 = best \(they begin at 1\); Rankings\.from_keys",
        ),
        (np.array([[0, 1, 2]]), "type uint8, got int64; Rankings.from_keys takes ranks from 1"),
    ],
)
def test_ranks_as_people_have_them_are_refused_with_what_takes_them(ranks, said):
    names = ("tea", "milk", "juice")
    with pytest.raises(HushrankError, match=said):
        Rankings(ranks, names)
    assert list(Rankings.from_keys(ranks, names)) == [names]


@pytest.mark.parametrize("n_tied", [1, 30])
def test_a_person_has_all_of_many_places_and_all_of_many_that_tie(n_tied):
    names = [f"item {n}" for n in range(90)]
    tied = frozenset(names[: n_tied + 1])
    ballots = [(tied, *names[n_tied + 1 :]), *(tuple(names[n:]) for n in range(30))]
    assert list(read_rankings(ballots)) == ballots

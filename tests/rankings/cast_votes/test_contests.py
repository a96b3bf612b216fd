"""Marks become columns, whatever machine counted them."""

from functools import partial

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.cast_votes import contests
from hushrank.rankings.cast_votes.contests import (
    OVERVOTE,
    Marked,
    RankedContest,
    require_several_ranking,
    table_of_marks,
    told_apart,
)

MANY = [RankedContest.of(n, f"Contest {n}", 2) for n in range(30)]


def test_all_of_many_contests_have_their_columns():
    marks = [Marked(0, n, place, f"{n} at {place}") for n in range(30) for place in (1, 2)]
    found = table_of_marks(MANY, 1, marks, "made up", n_bytes=100)
    assert found.header == tuple(title for each in MANY for title in each.titles)
    told = [column.texts[column.codes[0]] for column in found.columns]
    assert told == [f"{n} at {place}" for n in range(30) for place in (1, 2)]


@pytest.mark.parametrize("alone", range(0, 30, 5))
def test_a_contest_of_many_that_one_ballot_alone_ranks_is_refused(alone):
    """And none is refused that two rank."""
    ranking = [(contest, row) for contest in range(30) for row in (7, 8)]
    require_several_ranking(ranking, 9)
    ranking.remove((alone, 7))
    with pytest.raises(HushrankError, match="as one ballot alone does"):
        require_several_ranking(ranking, 9)
    with pytest.raises(HushrankError, match="as one ballot alone does"):
        require_several_ranking([*ranking, (alone, 8)], 9)  # marks it once more


def in_one_place(*names):
    """Return what stands in a place where a ballot marks all of these."""
    marks = [Marked(0, 7, 1, name) for name in names]
    mayor = [RankedContest.of(7, "Mayor", 1)]
    (column,) = table_of_marks(mayor, 1, marks, "made up", n_bytes=100).columns
    return column.texts[column.codes[0]]


def test_a_place_with_several_names_is_of_none_of_them():
    for names in (("Ann", "Bo"), ("Ann", "Bo", "Cy"), ("Ann", "Bo", "Ann")):
        assert in_one_place(*names) == OVERVOTE
    assert in_one_place("Ann", "Ann") == "Ann"


def test_names_alike_are_told_apart_within_their_contest_alone():
    names = {1: (7, "Lee"), 2: (7, "Lee"), 3: (8, "Lee"), 4: (7, "Ma")}
    assert told_apart(names) == {1: "Lee (1)", 2: "Lee (2)", 3: "Lee", 4: "Ma"}


def test_very_many_places_are_refused_where_there_are_many_ballots(monkeypatch):
    """Of 360 kB, 6 GB would be made."""
    with pytest.raises(HushrankError, match="expected a contest of at most 1000 places"):
        RankedContest.of(7, "Mayor", 1001)
    monkeypatch.setattr(contests, "MOST_COLUMNS", 20)
    monkeypatch.setattr(contests, "FEW_CELLS", 1000)
    three = [RankedContest.of(n, f"Contest {n}", 10) for n in range(3)]
    made = partial(table_of_marks, marks=[], format="made up")
    with pytest.raises(HushrankError, match="at most 20 places together, got 30"):
        made(three, 100, n_bytes=10_000)
    assert made(three, 33, n_bytes=33).n_rows == 33
    assert made(three[1:], 100, n_bytes=10_000).n_rows == 100


def test_ballots_of_few_bytes_have_few_places(monkeypatch):
    """Of 600 kB of ballots with no mark and 2,000 places 900 MB would be made."""
    monkeypatch.setattr(contests, "FEW_CELLS", 1000)
    two = [RankedContest.of(n, f"Contest {n}", 10) for n in range(2)]
    made = partial(table_of_marks, two, 100, [], "made up")
    assert made(n_bytes=200).n_rows == 100
    with pytest.raises(HushrankError, match="at most 19 places together, got 20"):
        made(n_bytes=199)

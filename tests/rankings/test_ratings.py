from math import factorial, inf, nan

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.files.columns import Column, Table
from hushrank.files.csv_tables import parse_csv
from hushrank.rankings.forms.long import Long, ballots_of_rows
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties, rankings_from_scores

NAMES = ["apple", "pear", "plum"]

LONG = Long("person", "item", "score", "high")


def rated(text):
    return ballots_of_rows(parse_csv(text.encode()), LONG)


def test_the_highest_score_is_best_equal_scores_tie_and_nan_is_unranked():
    rankings = rankings_from_scores([[1, 5, 5], [0.5, nan, -2]], NAMES)
    assert rankings.ranks.tolist() == [[2, 0, 0], [0, 255, 1]]


def test_breaking_ties_keeps_what_was_decided_and_decides_the_rest():
    rankings = Rankings.from_keys([[2, 1, 1], [1, nan, nan], [1, 1, nan]], NAMES)
    strict = break_ties(rankings, rng=np.random.default_rng(1))
    assert strict.is_strict
    assert np.array_equal(strict.is_ranked, rankings.is_ranked)
    assert strict.names == rankings.names
    for a in range(3):
        for b in range(3):
            decided = rankings.ranks[:, a] < rankings.ranks[:, b]
            assert (strict.ranks[decided, a] < strict.ranks[decided, b]).all()


def test_broken_ties_are_uniform_and_independent_between_people():
    """Six orders, 6,000 people: a count differs from 1,000 by 8 deviations in 1 of 10^14 runs."""
    tied = Rankings.from_keys([[1, 1, 1]], NAMES, np.array([6000]))
    people = break_ties(tied, rng=np.random.default_rng(2)).counted().people_of_rows
    assert len(people) == factorial(3)
    assert abs(people - 1000).max() < 8 * np.sqrt(6000 * 5 / 36)


def test_breaking_ties_repeats_with_its_generator():
    tied = Rankings.from_keys(np.ones((20, 3)), NAMES)
    first, again, other = (break_ties(tied, rng=np.random.default_rng(s)) for s in (3, 3, 4))
    assert first == again
    assert first != other


def test_rows_of_one_score_become_one_row_a_person():
    rankings = rated(
        "score,item,person\n4,pear,zoe\n1.5,10,adam\n4,9,zoe\n-2,pear,adam\n5,10,zoe\n"
    )
    assert rankings.names == ("9", "10", "pear")
    assert rankings.ranks.tolist() == [[1, 0, 1], [255, 0, 1]]


def test_people_are_in_the_order_of_their_first_rows_however_the_column_is_coded():
    person = Column(np.array([1, 0, 1]), ("zoe", "adam"))
    item = Column(np.array([1, 0, 0]), ("plum", "fig"))
    score = Column(np.array([0, 1, 1]), ("1", "2"))
    table = Table(("person", "item", "score"), (person, item, score), str)
    rankings = ballots_of_rows(table, LONG)
    assert rankings.names == ("fig", "plum")
    assert rankings.ranks.tolist() == [[1, 0], [255, 0]]


def test_three_people_are_in_the_order_of_their_first_rows():
    person = Column(np.array([1, 2, 0]), ("ann", "bob", "cy"))
    item = Column(np.array([0, 1, 2]), ("fig", "pear", "plum"))
    score = Column(np.zeros(3, dtype=np.int64), ("1",))
    table = Table(("person", "item", "score"), (person, item, score), str)
    assert [list(each) for each in ballots_of_rows(table, LONG)] == [["fig"], ["pear"], ["plum"]]


def test_an_item_without_a_score_is_unknown_and_one_without_a_rank_is_last():
    for value, unranked in (("score", "unknown"), ("rank", "last")):
        long = LONG._replace(value=value)
        table = parse_csv(f"person,item,{value}\nzoe,fig,1\nadam,pear,1\n".encode())
        assert ballots_of_rows(table, long).unranked == unranked


def test_equal_texts_after_trimming_are_one_person_and_one_item():
    rankings = rated("person,item,score\nzoe, pear,1\n zoe,plum,2\nzoe ,fig,3\n")
    assert rankings.n_people == 1
    assert rankings.names == ("fig", "pear", "plum")


@pytest.mark.parametrize(
    ("row", "expectation"),
    [
        ("zoe,pear,3", "one score at most for each person and item"),
        (" zoe,pear ,3", "one score at most for each person and item"),
        (",pear,3", "a value in the column 'person'"),
        ("adam, ,3", "a value in the column 'item'"),
        ("adam,pear,", "a score that is a finite number"),
        ("adam,pear,good", "a score that is a finite number"),
        ("adam,pear,nan", "a score that is a finite number"),
        (f"adam,pear,{inf}", "a score that is a finite number"),
        ("adam,pear", "3 cells parted by commas in every row, as the header has, got 2"),
    ],
)
def test_a_bad_rating_is_named_by_its_line_only(row, expectation):
    with pytest.raises(HushrankError) as caught:
        rated(f"person,item,score\nzoe,pear,1\nzoe,plum,2\n{row}\n")
    assert str(caught.value) == f"line 4: expected {expectation}"


def test_a_missing_column_is_named():
    with pytest.raises(HushrankError, match=r"^line 1: expected one column named 'score'$"):
        rated("person,item,stars\nzoe,pear,1\n")

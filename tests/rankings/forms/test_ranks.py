import numpy as np

from hushrank.files.columns import Column
from hushrank.rankings.forms.ranks import (
    _distinct_places,
    _place,
    even_rows,
    kind_of,
    look_like_places,
)

TEXTS = (
    "1",
    "2.0",
    "3.",
    "1.5",
    "-2",
    "1e2",
    "-",
    "",
    "n/a",
    "4th",
    "1,5",
    "2,0",
    "x",
    "0",
    "1e400",
)


def test_a_number_that_is_not_whole_is_no_place_without_being_read_as_one():
    for texts in (TEXTS, TEXTS[:3], tuple(text for text in TEXTS if "." not in text)):
        column = Column(np.arange(len(texts)), texts)
        expected = np.array([*map(_place, texts), np.nan])
        np.testing.assert_array_equal(_distinct_places(column), expected)


def test_a_column_is_told_by_all_its_cells():
    kind = kind_of(Column(np.array([0, 0, 1, 2, 3, 4, -1]), ("1", "2.5", "", "-", "third")))
    assert (kind.filled, kind.places, kind.numbers, kind.largest) == (4, 0.75, 0.75, 3)
    assert kind.in_words


def test_rows_of_many_places_are_told_by_their_last():
    even = np.arange(1.0, 41)
    skipping, repeating = even.copy(), even.copy()
    skipping[-1], repeating[-2:] = 41, 40
    tied = np.minimum(even, 39)
    assert (
        even_rows(np.array([even, tied, skipping, repeating])).tolist() == [True] * 2 + [False] * 2
    )
    assert look_like_places(np.array([even] * 6 + [skipping] * 4))
    assert not look_like_places(np.array([even] * 6 + [repeating] * 4))

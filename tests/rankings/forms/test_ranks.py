import numpy as np

from hushrank.files.columns import Column
from hushrank.rankings.forms.ranks import _distinct_places, _place, kind_of

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

"""A row more, or less, is a row of one part; nothing else moves."""

from collections import Counter
from random import Random

import pytest

from hushrank.files.columns import text_columns
from hushrank.files.dealing import dealt, dealt_by_text

N_PARTS = 3


def parts_of(rows):
    """Return how often each part has which row."""
    parts = dealt(text_columns(rows, len(rows[0])), N_PARTS)
    return Counter(zip(parts.tolist(), rows, strict=True))


@pytest.mark.parametrize("n_texts", [1, 2, 4, 1000])
@pytest.mark.parametrize("n_columns", [1, 3, 30])
def test_a_row_more_or_less_is_a_row_of_one_part(n_texts, n_columns):
    random = Random(f"{n_texts} {n_columns}")
    texts = [str(number) for number in range(n_texts - 1)] + [""]
    rows = [tuple(random.choices(texts, k=n_columns)) for _ in range(200)]
    whole = parts_of(rows)
    for _ in range(50):
        at = random.randrange(200)
        less = parts_of(rows[:at] + rows[at + 1 :])
        assert (whole - less).total() == 1
        assert not less - whole
        assert next(iter(whole - less))[1] == rows[at]


def test_rows_that_say_the_same_are_dealt_in_turn():
    (again,) = text_columns([("tea",)] * 300, 1)
    assert dealt([again], N_PARTS)[:4].tolist() in ([0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2])


def test_rows_that_differ_in_the_first_of_many_columns_are_told_apart():
    """15 texts and none in each of 17 columns: 16^17 kinds are more than 64 bits tell apart."""
    rows = [(f"{n}",) * 17 for n in range(15)] + [(f"{n}", *["0"] * 16) for n in range(1, 15)]
    whole = parts_of(rows)
    for at in range(29):
        assert (whole - parts_of(rows[:at] + rows[at + 1 :])).total() == 1


def test_rows_that_differ_in_the_last_of_many_columns_are_told_apart():
    same = ["0"] * 59
    rows = [(*same, f"{n}") for n in range(60)]
    whole = parts_of(rows)
    for at in range(60):
        assert (whole - parts_of(rows[:at] + rows[at + 1 :])).total() == 1
    assert len({part for part, _ in whole}) == N_PARTS


@pytest.mark.parametrize("shift", [0, 1000])
def test_different_rows_are_dealt_about_evenly(shift):
    rows = [(f"{n}", f"{n % 7}") for n in range(shift, shift + 900)]
    sizes = Counter(dealt(text_columns(rows, 2), N_PARTS).tolist())
    assert all(250 <= size <= 350 for size in sizes.values())


def test_rows_with_the_same_text_stay_together_whatever_else_there_is():
    people = [f"person {n % 40}" for n in range(400)]
    whole = by_text(people)
    assert len({*whole}) == 40
    assert whole == {*by_text(people[::-2]), *by_text(people[::2])}
    assert len({part for _, part in whole}) == N_PARTS


def by_text(texts):
    (column,) = text_columns([(text,) for text in texts], 1)
    return {*zip(texts, dealt_by_text(column, N_PARTS).tolist(), strict=True)}

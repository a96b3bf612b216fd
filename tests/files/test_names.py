from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.files.names import (
    distinct_names,
    is_nobody,
    is_rounded,
    look_alike,
    natural_order,
    require_plain_names,
)


def test_repeated_names_become_distinct():
    assert distinct_names(["a", "b", "a", "a (2)", "a"]) == ("a", "b", "a (3)", "a (2)", "a (4)")


@given(st.lists(st.sampled_from(["a", "b", "a (2)", "a (2) (2)", "a (3)"]), max_size=9))
def test_every_first_name_stays_and_no_two_are_equal(names):
    distinct = distinct_names(names)
    assert len(set(distinct)) == len(names)
    for at, name in enumerate(names):
        assert distinct[at].startswith(name)
        assert (distinct[at] == name) == (name not in names[:at])


def test_a_name_that_is_repeated_late_or_often_becomes_distinct():
    names = [f"item {n}" for n in range(60)]
    assert distinct_names([*names, "item 47"]) == (*names, "item 47 (2)")
    assert distinct_names(["a"] * 60) == ("a", *(f"a ({n})" for n in range(2, 61)))
    taken = [f"a ({n})" for n in range(2, 60)]
    assert distinct_names(["a", *taken, "a"]) == ("a", *taken, "a (60)")


def test_names_that_are_numbers_sort_by_size_before_the_others():
    assert natural_order(["b", "10", "9", "a", "9"]) == ("9", "10", "a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "1.23457E+17",
        "1,23457E+17",
        "1e+16",
        "1E+11",
        "1234567890123456.0",
        "1.2345678901234567E17",
        "1.0E7",
    ],
)
def test_a_large_number_is_rounded_whatever_its_signs(text):
    assert is_rounded(text)
    assert is_rounded(f"-{text}")
    assert not is_rounded(f"a{text}")


@pytest.mark.parametrize(
    "text", ["1e+05", "-1e+10", "1,5", "-12345678901234567890", "1.5e-17", "1.5e6", "1e17"]
)
def test_a_number_whose_digits_are_all_there_is_not_rounded(text):
    assert not is_rounded(text)


ALIKE = [
    ["7", "7.0"],
    ["a\u200b", "a"],
    ["a\u00ad", "a"],
    ["\u00e9", "e\u0301"],
    ["Ann  Lee", "Ann Lee"],
    ["Ann\tLee", "Ann Lee"],
    ["Ann\u00a0Lee", "Ann Lee"],
    ["Ann@example.org", "ann@example.org"],
]
APART = [["7", "07"], ["7.0", "7.1"], ["Ab3", "aB3"], ["e", "\u00e9"], ["a.0", "a"], ["", "a"]]


@pytest.mark.parametrize(
    "text", ["NULL", "n/a", "NA", "<NA>", "NaN", "None", "-", "####", "?", "#N/A", "#REF!"]
)
def test_what_programs_write_for_nobody_names_nobody(text):
    assert is_nobody(text)


@pytest.mark.parametrize(
    "text", ["Nan", "Na", "Null", "nana", "0", "-1", "a-b", "#7", "Null, Ann", ""]
)
def test_people_are_somebody(text):
    assert not is_nobody(text)


@pytest.mark.parametrize("texts", ALIKE)
def test_texts_that_nobody_can_tell_apart_look_alike(texts):
    assert look_alike(["b", *texts, "c", texts[0] + "c"]) == (1, 2)


@pytest.mark.parametrize("texts", ALIKE)
def test_texts_look_alike_beyond_many_others(texts):
    others = [f"item {n}" for n in range(60)]
    assert look_alike([*others, *texts]) == (60, 61)


def test_long_texts_look_alike_or_not_by_all_their_letters():
    begin = "\u00e9" * 60
    assert look_alike([f"{begin}a", f"{begin}b"]) is None
    assert look_alike([f"{begin}a", f"{begin}\u200ba"]) == (0, 1)


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0344", "\u0300\u200b"])
def test_more_marks_on_a_letter_than_any_language_has_are_refused(marks):
    """To put them in order takes the square of their number."""
    few = marks * (30 // sum(map(bool, map(combining, marks))))
    assert look_alike(["a", f"o{few}", f"o{few}a"]) is None
    with pytest.raises(HushrankError, match="at most 30 marks on a letter"):
        look_alike(["a", "b" * 60, f"{'b' * 60}o{few}{marks}a"])


@pytest.mark.parametrize("texts", APART)
def test_texts_that_differ_where_it_is_seen_do_not_look_alike(texts):
    assert look_alike(["b", *texts]) is None


@pytest.mark.parametrize("name", ["", " pear", "pear\t", "pe\nar", "pe\rar", "pear\0", "\ud800"])
def test_a_name_that_a_line_cannot_hold_is_refused(name):
    require_plain_names(["pear", "green pear"])
    with pytest.raises(HushrankError, match=r"for item 2$"):
        require_plain_names(["pear", name])
    with pytest.raises(HushrankError, match=r"for item 61$"):
        require_plain_names([*["pear"] * 60, name])

"""A sign parts a table by what all of its first lines say, wherever one says something else."""

import pytest

from hushrank.errors import HushrankError
from hushrank.files.delimiters import delimiter_of, titles_above, titles_above_names

MANY = 49
NAMES = [f"item {n}" for n in range(MANY)]


def text_of(lines):
    return "\n".join(lines).encode()


def with_others(lines, others):
    """Return the lines with others in their places."""
    return [others.get(n, line) for n, line in enumerate(lines)]


@pytest.mark.parametrize("place", [1, 25, 47])
def test_a_sign_is_kept_that_parts_all_lines_but_one_wherever_that_is(place):
    lines = with_others(["1,5;2,5"] * MANY, {place: "1,5;2"})
    assert delimiter_of(text_of(lines)) == ","


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_sign_that_parts_no_later_lines_parts_no_first_ones(quote):
    """A quote that is not closed makes one record of all lines: then these tell."""
    later = dict.fromkeys(range(25, MANY), "1;2")
    lines = with_others(["a,b;c", quote + "1,5;2", *["1,5;2"] * MANY], later)
    assert delimiter_of(text_of(lines)) == ";"


@pytest.mark.parametrize("row", [47, 3])
@pytest.mark.parametrize("column", [47, 3])
def test_lines_of_which_one_names_what_the_first_does_have_no_header(row, column):
    """A sign that parts most is kept where there is one."""
    short = {5: "1;2", 7: "1;2"}
    lines = with_others([";".join(NAMES), *[";".join(["1"] * MANY)] * 48], short)
    assert delimiter_of(text_of(lines)) == ";"
    cells = with_others(["1"] * MANY, {column: NAMES[column]})
    assert delimiter_of(text_of(with_others(lines, {row: ";".join(cells)}))) == ","


@pytest.mark.parametrize("rows", [(3, 4), (46, 47)])
@pytest.mark.parametrize("column", [47, 3])
def test_a_line_is_no_title_where_rows_name_what_the_one_below_it_does(rows, column):
    lines = ["A title", ",".join(NAMES), *[",".join(["1"] * MANY)] * 46]
    assert titles_above(text_of(lines)) == 1
    row = ",".join(with_others(["1"] * MANY, {column: NAMES[column]}))
    assert titles_above(text_of(with_others(lines, dict.fromkeys(rows, row)))) == 0


@pytest.mark.parametrize("odd", ["a;b;d", "a;b;a"])
@pytest.mark.parametrize("place", [47, 3])
def test_lines_are_no_lists_where_one_holds_other_cells_or_one_twice(odd, place):
    lines = ["A title", "x;y;z", *["b;a;"] * 46]
    with pytest.raises(HushrankError, match="cannot tell whether it is a title or names a column"):
        titles_above(text_of(lines))
    assert titles_above(text_of(with_others(lines, {place: odd}))) == 1


def test_titles_above_names_are_counted_however_many():
    lines = [*["A title"] * 30, ",".join(NAMES), *[",".join(["1"] * MANY)] * 18]
    assert titles_above_names(text_of(lines), 31) == (30, 30)

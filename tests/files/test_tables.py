import csv
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.files import arrow_tables, csv_tables, json_tables
from hushrank.files.columns import Column
from hushrank.files.json_tables import parse_json

NUMBERS = st.floats().map(repr) | st.integers().map(str)
ODD = st.sampled_from(
    ["", "+1", ".5", "5.", ".", "1e5", "1E+05", "1e9999", "1_0", "٣", "0x1", "1\n", "1\n2"]
)
CELLS = st.text('ab "\n,1é', max_size=4)


@given(st.lists(NUMBERS | ODD | st.text(max_size=4), unique=True), st.data())
def test_a_number_is_that_of_its_text_whatever_the_others_are(texts, data):
    codes = data.draw(st.lists(st.integers(-1, len(texts) - 1), max_size=10))
    first = np.zeros(1, dtype=np.int32)
    alone = [*(Column(first, (text,)).numbers()[0] for text in texts), np.nan]
    column = Column(np.array(codes, dtype=np.int32), tuple(texts))
    np.testing.assert_array_equal(column.numbers(), [alone[code] for code in codes])


def cells_of(columns):
    return [[(*each.texts, "")[code] for code in each.codes] for each in columns]


@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[CELLS] * n), min_size=1)))
def test_python_and_pyarrow_read_the_same_cells(rows):
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    content, width = text.getvalue().encode(), len(rows[0])
    ours = csv_tables.csv_columns(content, width, ",")
    assert cells_of(ours) == cells_of(arrow_tables.csv_columns_by_arrow(content, width, ","))


@pytest.mark.parametrize("is_for_arrow", [False, True])
def test_a_cell_is_the_same_wherever_the_text_falls_apart(is_for_arrow, monkeypatch):
    """Between CR and LF, too, where a block of pyarrow ends: rows before it tell where that is."""
    monkeypatch.setattr(csv_tables, "_is_for_arrow", lambda _: is_for_arrow)
    row, end = b'"tea\r\nmilk"\r\n', 2**22
    at = row.index(b"\n")
    before = b"x" * ((end - at - 1) % len(row)) + b"\n"
    body = before + row * (end // len(row) + 1)
    assert body[end - 1 : end + 1] == b"\r\n"
    (column,) = csv_tables.parse_csv(b"ballot\n" + body).columns
    assert column.texts[1:] == ("tea\nmilk",)


@given(st.text('ab ",\n', min_size=1), st.integers(1, 3))
def test_raw(text, width):
    content = text.encode() + b"\n" + b",".join([b'""'] * width) + b"\n"
    ours = csv_tables.csv_columns(content, width, ",")
    theirs = arrow_tables.csv_columns_by_arrow(content, width, ",")
    assert (ours is None) == (theirs is None), content
    if ours is not None:
        assert cells_of(ours) == cells_of(theirs)


def test_records_whose_table_would_fill_the_memory_are_refused_before_it_is_made(monkeypatch):
    """Each record has a key that no other has: of a hundred kilobytes it would take gigabytes."""
    lines = [b'{"k%d":1}' % key for key in range(9000)]
    with pytest.raises(HushrankError, match="at most 67,108,864 cells, got one of 9,000 records"):
        parse_json(b"\n".join(lines))
    monkeypatch.setattr(json_tables, "MOST_CELLS", 100)
    assert len(parse_json(b"\n".join(lines[:10])).header) == 10
    with pytest.raises(HushrankError, match="11 records and 11 keys: write an answer a record"):
        parse_json(b"\n".join(lines[:11]))

import csv
import gzip
import json
from datetime import date
from io import BytesIO, StringIO

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from hushrank.errors import HushrankError
from hushrank.files import arrow_tables, csv_tables, encodings, json_tables
from hushrank.files.columns import Column, Table, text_column_of, text_columns
from hushrank.files.encodings import unpacked
from hushrank.files.json_tables import parse_json
from hushrank.files.tables import (
    codes_in,
    column_named,
    decimal_numbers,
    distinct_texts,
    has_column,
    held_texts,
    identifiers,
    people,
    read_table,
    whole_where_all_are,
    write_table,
)

NUMBERS = st.floats().map(repr) | st.integers().map(str)
ODD = st.sampled_from(
    ["", "+1", ".5", "5.", ".", "1e5", "1E+05", "1e9999", "1_0", "٣", "0x1", "1\n", "1\n2"]
)
CELLS = st.text('ab "\n,1é', max_size=4)
MANY, FAULTY = 60, 47
NAMES = tuple(f"item {n:02}" for n in range(MANY))
ROWS = [[f"{row} of {column}" for column in range(MANY)] for row in range(MANY)]


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
    with pytest.raises(HushrankError, match="at most 4,194,304 cells, got one of 9,000 records"):
        parse_json(b"\n".join(lines))
    monkeypatch.setattr(json_tables, "MOST_CELLS", 100)
    assert len(parse_json(b"\n".join(lines[:10])).header) == 10
    with pytest.raises(HushrankError, match="11 records and 11 keys: write an answer a record"):
        parse_json(b"\n".join(lines[:11]))


def test_records_of_few_bytes_have_few_cells(monkeypatch):
    """Of 110 kB with 8,000 keys 64 million cells would be made."""
    monkeypatch.setattr(json_tables, "_FEW_CELLS", 100)
    lines = [b'{"%d":1}' % number for number in range(300)]
    assert parse_json(b"\n".join(lines[:200])).n_rows == 200
    with pytest.raises(HushrankError, match="300 records and 300 keys: write an answer a record"):
        parse_json(b"\n".join(lines))


def delimited(names, rows, sign=","):
    return "\n".join(map(sign.join, (names, *rows))).encode()


def records(names, rows):
    return [dict(zip(names, row, strict=True)) for row in rows]


def packed(names, rows):
    sink = BytesIO()
    columns = zip(*rows, strict=True)
    parquet.write_table(pa.table(dict(zip(names, columns, strict=True))), sink)
    return sink.getvalue()


WRITTEN = {
    "commas": delimited(NAMES, ROWS),
    "tabs": delimited(NAMES, ROWS, "\t"),
    "double colons": delimited(NAMES, ROWS, "::"),
    "JSON": json.dumps(records(NAMES, ROWS)).encode(),
    "lines of JSON": "\n".join(map(json.dumps, records(NAMES, ROWS))).encode(),
    "JSON in an object": json.dumps(
        {f"note {n}": n for n in range(MANY)} | {"answers": records(NAMES, ROWS)}
    ).encode(),
    "Parquet": packed(NAMES, ROWS),
}


def rows_of(table):
    return [list(table.cells(row)) for row in range(table.n_rows)]


@pytest.mark.parametrize("is_for_arrow", [False, True])
@pytest.mark.parametrize("form", WRITTEN)
def test_a_long_and_wide_table_is_read_whole(tmp_path, monkeypatch, form, is_for_arrow):
    monkeypatch.setattr(csv_tables, "_is_for_arrow", lambda _: is_for_arrow)
    path = tmp_path / "table"
    path.write_bytes(WRITTEN[form])
    table = read_table(path)
    assert table.header == NAMES
    assert rows_of(table) == ROWS
    assert len({table.where(row) for row in range(MANY)}) == MANY


def test_the_keys_of_an_object_within_a_record_are_columns_however_many():
    nested = [{"q": record} for record in records(NAMES, ROWS)]
    table = parse_json(json.dumps(nested).encode())
    assert table.header == tuple(f"q [{name}]" for name in NAMES)
    assert rows_of(table) == ROWS


def test_records_that_are_lists_are_cells_of_one_column_however_many():
    (column,) = parse_json(json.dumps(ROWS).encode()).columns
    assert [json.loads(column.texts[code]) for code in column.codes] == ROWS


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.parquet"])
def test_a_long_and_wide_table_is_written_whole(tmp_path, name):
    numbers = np.arange(MANY * MANY).reshape(MANY, MANY)
    texts = dict(zip(NAMES, text_columns(ROWS, MANY), strict=True))
    columns = texts | dict(zip(("n" + name for name in NAMES), numbers, strict=True))
    write_table(columns, tmp_path / name, secret=False)
    table = read_table(tmp_path / name)
    assert table.header == (*NAMES, *("n" + name for name in NAMES))
    beside = numbers.T.astype(str).tolist()
    assert rows_of(table) == [[*row, *more] for row, more in zip(ROWS, beside, strict=True)]


def test_texts_by_code_are_held_however_many():
    column = held_texts(np.arange(MANY)[::-1], NAMES)
    assert [column.texts[code] for code in column.codes] == [*NAMES[::-1]]


def with_a_fault(cells, fault):
    """Return them with another at place 47."""
    return [*cells[:FAULTY], fault, *cells[FAULTY + 1 :]]


@pytest.mark.parametrize("is_for_arrow", [False, True])
@pytest.mark.parametrize("row", [["1"], ["1", "2", "3"]])
def test_one_row_that_is_longer_or_shorter_is_refused_by_its_line(monkeypatch, row, is_for_arrow):
    monkeypatch.setattr(csv_tables, "_is_for_arrow", lambda _: is_for_arrow)
    rows = with_a_fault([["1", "2"]] * MANY, row)
    with pytest.raises(HushrankError, match=f"line 49: expected 2 cells .*got {len(row)}$"):
        csv_tables.parse_csv(delimited(("a", "b"), rows))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (with_a_fault([{"a": 1}] * MANY, [1]), "record 48: expected an object as in the others"),
        (with_a_fault([[1]] * MANY, {"a": 1}), "record 1: expected an object as in the others"),
        (with_a_fault([{"a": 1}] * MANY, {"b": 1, " b": 1}), "record 48: expected each key once"),
        (with_a_fault([{"a": 1}] * MANY, 1), "expected a list of records"),
        ([dict.fromkeys([*NAMES, " a", "a "], 1)], "record 1: expected each key once"),
        ([dict.fromkeys([*NAMES, "item  59"], 1)], "expected each key in one spelling"),
    ],
)
def test_one_record_that_is_unlike_the_others_is_refused(records, said):
    with pytest.raises(HushrankError, match=said):
        parse_json(json.dumps(records).encode())


@pytest.mark.parametrize("fault", ["7", '{"a": '])
def test_one_line_that_is_no_record_is_refused_by_its_number(fault):
    lines = with_a_fault(['{"a": 1}'] * MANY, fault)
    with pytest.raises(HushrankError, match="line 48: expected a JSON object or list"):
        parse_json("\n".join(lines).encode())


def test_several_lists_of_records_in_an_object_are_refused_wherever_they_stand():
    document = dict.fromkeys(NAMES, 1) | {"a": [[1]], "b": [[2]]}
    with pytest.raises(HushrankError, match="one list of records in the object, got 2"):
        parse_json(json.dumps(document).encode())


def test_a_quote_that_is_opened_in_the_last_of_many_cells_is_refused():
    rows = [["1"] * MANY, [""] * (MANY - 1) + ['"1']]
    with pytest.raises(HushrankError, match="line 3: expected a closing quote"):
        csv_tables.parse_csv(delimited(NAMES, rows))


@pytest.mark.parametrize(
    "header",
    [
        ["a", '"b' + "\nof many lines" * 30 + '\n1,2,3\n"', "c"],
        with_a_fault(NAMES, '"item\n47,"'),
    ],
)
def test_a_quote_in_a_header_that_swallows_a_row_is_refused_wherever_that_is(header):
    with pytest.raises(HushrankError, match="line 1: expected a closing quote in the header"):
        csv_tables.parse_csv(delimited(header, [["1"] * len(header)]))


def test_one_name_makes_a_header_wherever_it_stands():
    for header in (with_a_fault([""] * MANY, "tea"), ["tea", ""], ["", "tea"]):
        assert csv_tables.parse_csv(delimited(header, [["1"] * len(header)])).header == (*header,)


@pytest.mark.parametrize("place", [None, 1, 4, 8])
def test_lines_of_json_are_none_where_one_of_the_last_is_not(place):
    lines = ["tea", *["[1]"] * 8]
    if place is None:
        with pytest.raises(HushrankError, match="expected JSON, as on the lines below"):
            json_tables.require_no_json_below("\n".join(lines).encode())
    else:
        lines[place] = "milk"
        json_tables.require_no_json_below("\n".join(lines).encode())


def test_one_column_of_text_behind_many_of_another_kind_is_read():
    cells = [date(2026, 1, 1)] * MANY + ["tea"]
    table = arrow_tables.parse_parquet(packed((*NAMES, "tea"), [cells]))
    assert [each.is_read for each in table.columns] == [False] * MANY + [True]


def table_of(columns, header=NAMES):
    return Table(header, tuple(columns), lambda row: f"row {row + 1}")


def test_a_part_of_a_long_and_wide_table_has_all_cells_of_its_rows():
    table = table_of(text_columns(ROWS, MANY))
    assert rows_of(table.below(FAULTY, NAMES)) == ROWS[FAULTY:]
    assert rows_of(table.above(FAULTY)) == ROWS[:FAULTY]
    assert rows_of(table.of_rows(np.arange(MANY) >= FAULTY)) == ROWS[FAULTY:]
    assert rows_of(table.with_header_as_row()) == [[*NAMES], *ROWS]


@pytest.mark.parametrize("cell", [(FAULTY, 0), (0, FAULTY), (FAULTY, FAULTY)])
def test_a_name_is_found_in_its_row_wherever_it_stands(cell):
    rows = [[*row] for row in ROWS]
    rows[cell[0]][cell[1]] = "tea"
    found = table_of(text_columns(rows, MANY)).rows_naming(["tea"])
    assert np.flatnonzero(found).tolist() == [cell[0]]


@pytest.mark.parametrize("odd", ["1", "none"])
def test_numbers_of_many_texts_are_those_of_each(odd):
    texts = [*map(str, range(MANY)), odd]
    column = Column(np.arange(MANY), tuple(texts))
    assert column.numbers().tolist() == [*range(MANY)]


def test_codes_of_many_texts_are_those_of_each():
    column = Column(np.arange(MANY)[::-1], NAMES)
    assert column.codes_in(NAMES[::-1]).tolist() == [*range(MANY)]
    assert codes_in(column, NAMES[::-1]).tolist() == [*range(MANY)]
    assert distinct_texts(column) == NAMES
    found = identifiers(table_of([column], ("person",)), "person", tuple)
    assert [found.texts[code] for code in found.codes] == [*NAMES[::-1]]


def test_one_row_or_cell_of_many_that_does_not_fit_is_named():
    table = table_of(text_columns(ROWS, MANY))
    fits = np.arange(MANY) != FAULTY
    with pytest.raises(HushrankError, match=r"^row 48: expected it"):
        table.require_rows(fits, "it")
    one = fits[:, None] | fits
    for cells, row, column in ((fits[:, None], 48, 1), (fits[None], 1, 48), (one, 48, 48)):
        place = f"row {row}, column {column}"
        with pytest.raises(HushrankError, match=f"^{place}: expected it"):
            table.require_cells(cells, range(MANY), "it")


def test_a_column_is_found_by_its_name_wherever_it_stands():
    table = table_of(text_columns(ROWS, MANY), (*NAMES[:-1], NAMES[FAULTY]))
    assert has_column(table, NAMES[58])
    assert column_named(table, NAMES[58]) is table.columns[58]
    with pytest.raises(HushrankError, match="expected one column named"):
        column_named(table, NAMES[FAULTY])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NULL", "has values like NULL .* see row 48$"),
        ("item  59", "has values that look alike.* see row 48 and row 60$"),
    ],
)
def test_one_of_many_people_who_may_be_several_is_refused(text, said):
    column = text_column_of(with_a_fault(NAMES, text))
    with pytest.raises(HushrankError, match=said):
        people(table_of([column], ("person",)), "person", tuple)


@pytest.mark.parametrize("place", [0, FAULTY, MANY - 1])
def test_one_of_many_users_whose_number_is_rounded_is_refused(place):
    texts = [*NAMES[:place], "1.23E+17", *NAMES[place + 1 :]]
    with pytest.raises(HushrankError, match="'user' has large numbers that are rounded"):
        identifiers(table_of([text_column_of(texts)], ("user",)), "user", tuple)


@pytest.mark.parametrize("digits", ["125", "25"])
@pytest.mark.parametrize("fault", ["1,250", "1,5", "1.5", "1"])
def test_the_decimal_signs_of_a_column_are_told_by_all_its_texts(digits, fault):
    """A comma before three digits may part thousands, unless one text has it elsewhere."""
    texts = with_a_fault([f"{n},{digits}" for n in range(1, MANY + 1)], fault)
    numbers = decimal_numbers(text_column_of(texts))
    are_decimal = fault != "1.5" and (digits == "25" or fault == "1,5")
    assert np.isfinite(numbers).sum() == (MANY if are_decimal else int("," not in fault))


@pytest.mark.parametrize(("odd", "kind"), [(1.0, np.int64), (0.5, float), (2.0**53, float)])
def test_numbers_are_whole_where_all_of_many_are(odd, kind):
    assert whole_where_all_are(np.array(with_a_fault([1.0] * MANY, odd))).dtype == kind
    assert whole_where_all_are(np.array([*[1.0] * MANY, odd])).dtype == kind


def test_what_is_packed_too_small_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**16)
    plain = np.random.default_rng(1).integers(0, 256, 2**17, dtype=np.uint8).tobytes()
    for small in (b"user,item", bytes(2**16), plain):
        assert unpacked(gzip.compress(small)) == small
    assert unpacked(gzip.compress(plain) * 2) == plain * 2  # of two parts
    for bomb in (bytes(2**22), plain[:100] + bytes(2**22)):
        packed = gzip.compress(bomb)
        assert len(packed) * encodings.MOST_TIMES < len(bomb)
        with pytest.raises(HushrankError, match="100 times its size at most: unpack it yourself"):
            unpacked(packed)


def test_a_long_text_of_many_rows_of_parquet_is_held_once(monkeypatch):
    """Of 500 bytes, 200 MB would be made, and of more rows as much more."""
    content, long, sizes = BytesIO(), pa.array(["x" * 2**20]), []
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(200, dtype=np.int32)), long)
    parquet.write_table(pa.table({"a": texts}), content, compression="zstd", store_schema=False)
    read = parquet.read_table

    def measured(*given, **more):
        table = read(*given, **more)
        sizes.append(table.nbytes)
        return table

    monkeypatch.setattr(parquet, "read_table", measured)
    table = arrow_tables.parse_parquet(content.getvalue())
    assert table.n_rows == 200
    assert table.columns[0].texts == ("x" * 2**20,)
    assert [2**20 < size < 2**21 for size in sizes] == [True]


def test_a_small_parquet_file_of_very_many_rows_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**16)

    def packed(n_rows):
        content = BytesIO()
        parquet.write_table(
            pa.table({name: np.zeros(n_rows, dtype=np.int8) for name in "ab"}), content
        )
        return content.getvalue()

    assert arrow_tables.parse_parquet(packed(2**15)).n_rows == 2**15
    many = packed(2**21)
    assert len(many) * encodings.MOST_TIMES < 2**22
    with pytest.raises(HushrankError, match="expected 100 cells for each byte of a Parquet file"):
        arrow_tables.parse_parquet(many)


def test_a_small_parquet_file_of_long_texts_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**16)

    def packed(n_letters):
        content, texts = BytesIO(), ["a" * n_letters, "b" * n_letters]
        table = pa.table({"text": texts, "number": [1, 2]})
        parquet.write_table(table, content, compression="zstd", row_group_size=1)
        return content.getvalue()

    assert arrow_tables.parse_parquet(packed(2**14)).columns[0].texts[1] == "b" * 2**14
    large = packed(2**16)
    assert 2**16 < len(large) * encodings.MOST_TIMES < 2**17  # each row alone would be read
    with pytest.raises(HushrankError, match="expected a Parquet file of 100 times its size"):
        arrow_tables.parse_parquet(large)

"""Excel and OpenDocument files of one sheet, as small as they can be."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from hushrank.errors import HushrankError
from hushrank.files import encodings
from hushrank.files.spreadsheets import parts
from hushrank.files.spreadsheets.sheets import is_spreadsheet, parse_spreadsheet
from hushrank.rankings.files import read_rankings

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OPEN = "urn:oasis:names:tc:opendocument:xmlns"
ROWS = [["fruit", "rank"], ["pear", 2], [], ["fig", 1.5]]
MANY = 60
WIDE = [[f"{row} of {column}" for column in range(MANY)] for row in range(MANY)]


def zipped(**files):
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def excel(*sheets):
    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    def sheet(rows):
        lines = (
            f'<row r="{n}">{"".join(map(cell, row))}</row>' for n, row in enumerate(rows, start=1)
        )
        return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'

    numbers = range(1, len(sheets) + 1)
    named = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    related = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}</sheets></workbook>'
    files = {f"xl/worksheets/sheet{n}.xml": sheet(rows) for n, rows in enumerate(sheets, start=1)}
    relations = f'<Relationships xmlns="{PACKAGE}">{related}</Relationships>'
    root = f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    files["_rels/.rels"] = f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>'
    return zipped(**{"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, **files})


def open_document(rows):
    def cell(value):
        if isinstance(value, str):
            text = f"<text:p>{value}</text:p>"
            return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
        return element("table:table-cell", "", float=value)

    lines = [element("table:table-row", "".join(map(cell, row or [""]))) for row in rows]
    names = " ".join(f'xmlns:{name}="{OPEN}:{name}:1.0"' for name in ("office", "table", "text"))
    table = f'<table:table table:name="s">{"".join(lines)}</table:table>'
    sheet = element("office:body", element("office:spreadsheet", table))
    content = f"<office:document-content {names}>{sheet}</office:document-content>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<m:manifest xmlns:m="{OPEN}:manifest:1.0"/>'
    files = {"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content}
    return zipped(**files)


def element(name, inner, **value):
    """Return an element of OpenDocument, with a value of this type."""
    typed = "".join(f' office:value-type="{k}" office:value="{v}"' for k, v in value.items())
    return f"<{name}{typed}>{inner}</{name}>"


@pytest.mark.parametrize("content", [excel(ROWS), excel([], ROWS), open_document(ROWS)])
def test_the_one_sheet_with_rows_is_a_table(content):
    assert is_spreadsheet(content)
    table = parse_spreadsheet(content)
    assert table.header == ("fruit", "rank")
    assert [table.cells(row) for row in range(table.n_rows)] == [("pear", "2"), ("fig", "1.5")]
    assert (table.where(-1), table.where(0), table.where(1)) == ("row 1", "row 2", "row 4")


def test_packed_bytes_make_no_spreadsheet_of_an_archive():
    """By chance three letters are in any large one: one ballot more, and it would be refused."""
    assert not is_spreadsheet(zipped(**{"picture.png": b"..xl/..", "notes on xl/.txt": ""}))


def test_of_several_sheets_none_is_guessed():
    with pytest.raises(HushrankError, match=r"one sheet with rows, got .*: say which with sheet="):
        parse_spreadsheet(excel(ROWS, ROWS))
    with pytest.raises(HushrankError, match="expected a sheet with a header and at least 1 row"):
        parse_spreadsheet(excel(ROWS[:1]))
    with pytest.raises(HushrankError, match="one sheet with rows, got"):  # one ballot, on its own
        parse_spreadsheet(excel(ROWS, ROWS[1:2]))
    assert parse_spreadsheet(excel(ROWS, [["made in March"]])).n_rows == 2


@pytest.mark.parametrize(
    "content",
    [
        excel(ROWS)[:300],
        excel(ROWS).replace(b"</row>", b"</rox>"),
        zipped(**{"xl/workbook.xml": '<?xml version="1.0" encoding="none"?><workbook/>'}),
        open_document(ROWS).replace(b"table-row>", b"table-rox>", 1),
    ],
)
def test_a_damaged_spreadsheet_is_refused(content):
    with pytest.raises(HushrankError, match="expected a whole spreadsheet"):
        parse_spreadsheet(content)


def test_a_sheet_is_chosen_by_its_name():
    content = excel(ROWS, [["fig", "date"], ["1", "2"]])
    with pytest.raises(HushrankError, match="expected one of the sheets with rows") as caught:
        parse_spreadsheet(content, "no such sheet")
    names = str(caught.value).split("rows, ")[1].removesuffix(", for sheet=").split(", ")
    assert [parse_spreadsheet(content, name).header for name in names][1] == ("fig", "date")


def test_a_text_has_no_sheets(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_text("a,b\n1,2\n2,1\n")
    with pytest.raises(HushrankError, match=r"ballots.csv: expected Excel or OpenDocument"):
        read_rankings(path, sheet="first")


@pytest.mark.parametrize("write", [excel, open_document])
def test_a_long_and_wide_sheet_is_read_whole(write):
    gaps = range(3, MANY, 3)
    table = parse_spreadsheet(write([[] if n in gaps else row for n, row in enumerate(WIDE)]))
    kept = [n for n in range(MANY) if n not in gaps]
    assert table.header == (*WIDE[0],)
    assert [[*table.cells(row)] for row in range(table.n_rows)] == [WIDE[n] for n in kept[1:]]
    assert [table.where(row) for row in range(-1, table.n_rows)] == [f"row {n + 1}" for n in kept]
    assert table.passed_over == {n + 1 for n in gaps}


def test_a_row_whose_first_cells_are_empty_is_no_empty_one():
    row = [""] * 47 + ["fig", "2"]
    assert parse_spreadsheet(excel([["fruit"], row])).cells(0) == (*row,)
    with pytest.raises(HushrankError, match="one sheet with rows, got"):  # one ballot, on its own
        parse_spreadsheet(excel(ROWS, [row]))


def test_the_one_sheet_with_rows_is_found_among_many():
    assert parse_spreadsheet(excel(*[[]] * 47, ROWS)).n_rows == 2
    with pytest.raises(HushrankError, match="one sheet with rows, got"):
        parse_spreadsheet(excel(ROWS, *[[]] * 47, ROWS))


@pytest.mark.block_sizes
@pytest.mark.parametrize("place", ["XFD1048576", "AAA100000"])
def test_a_cell_far_from_the_table_is_refused_before_all_between_are_made(place):
    """A kilobyte would take half a terabyte."""
    row = place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    far = f'<row s="1" r="{row}"><c s="2" r="{place}"><v>1</v></c></row>'
    with pytest.raises(HushrankError, match=r"at most 4,194,304 cells, .* columns"):
        parse_spreadsheet(with_more(far))


def test_a_far_cell_is_refused_in_the_last_of_many_rows_and_sheets(monkeypatch):
    monkeypatch.setattr(parts, "MOST_CELLS", 10_000)
    far = '<row r="100"><c r="ZZ100"><v>1</v></c></row>'
    near = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c></row>' for n in range(9, MANY))
    for content in (with_more(near + far), with_more(far, n_before=25)):
        with pytest.raises(HushrankError, match="one of 100 rows and 702 columns"):
            parse_spreadsheet(content)
    assert parse_spreadsheet(with_more(near)).n_rows == MANY - 7


@pytest.mark.parametrize("within", ["", '<c r="XFD1048576" s="1"/>'])
def test_a_last_row_without_a_value_is_none(within):
    """As office programs write it, below a table whose rows are formatted."""
    table = parse_spreadsheet(with_more(f'<row r="1048576" ht="15">{within}</row>'))
    assert table.n_rows == 2


def test_a_cell_that_is_not_far_or_writes_as_one_is_read():
    last = '<row r="9"><c r="A9" t="inlineStr"><is><t>c r="XFD1048576"</t></is></c></row>'
    table = parse_spreadsheet(with_more(last))
    assert table.columns[0].texts[-1] == 'c r="XFD1048576"'


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="900"/><row><c/><c r="B901"/>' + "<c/>" * 97 + "<c><v>1</v></c></row>",
        "<row/>" * 896 + "<row>" + "<c><v>1</v></c>" * 100 + "</row>",
        '<row r="&#57;01"><c r="cV901"><is><t>x</t></is></c></row>',
        f'<row r="901" spans="{300 * "1"}" xmlns:x="{MAIN}"><x:c r="CV901"><x:v/></x:c></row>',
    ],
)
def test_how_far_a_cell_is_may_be_said_in_many_ways(rows, monkeypatch):
    monkeypatch.setattr(parts, "MOST_CELLS", 90_099)
    with pytest.raises(HushrankError, match="one of 901 rows and 100 columns"):
        parse_spreadsheet(with_more(rows))


CELL = '<table:table-cell{} office:value-type="string"><text:p>fig</text:p></table:table-cell>'


def repeated(n, what):
    return f' table:number-{what}-repeated="{n}"'


def of_open_document(rows):
    files = ZipFile(BytesIO(open_document([["fruit", "rank"]])))
    kept = {name: files.read(name).decode() for name in files.namelist()}
    whole = kept["content.xml"].replace("</table:table>", f"{rows}</table:table>")
    return zipped(**{**kept, "content.xml": whole})


def test_a_cell_that_is_repeated_too_often_is_refused_before_its_copies_are_made():
    """A kilobyte would take 12 GB."""
    for rows in (
        f"<table:table-row>{CELL.format(repeated(2**27, 'columns'))}</table:table-row>",
        f"<table:table-row{repeated(2**27, 'rows')}>{CELL.format('')}</table:table-row>",
        f"<table:table-row{repeated(2**14, 'rows')}>"
        f"<table:table-cell{repeated(2**14, 'columns')}/>{CELL.format('')}</table:table-row>",
    ):
        with pytest.raises(HushrankError, match="expected sheets of at most 4,194,304 cells"):
            parse_spreadsheet(of_open_document(rows))


def test_sheets_that_are_held_beside_each_other_count_together():
    row = f"<table:table-row{repeated(2**20, 'rows')}>{CELL.format('')}</table:table-row>"
    another = '</table:table><table:table table:name="{}">'
    sheets = "".join(f"{row}{another.format(n)}" for n in range(5))
    with pytest.raises(HushrankError, match="4,194,304 cells, got one of 1,048,577 rows"):
        parse_spreadsheet(of_open_document(sheets))


@pytest.mark.parametrize(
    ("path", "again"),
    [
        ("xl/workbook.xml", '<sheet name="more" sheetId="9" r:id="r1"/></sheets>'),
        (
            "xl/_rels/workbook.xml.rels",
            f'<Relationship Id="r2" Type="{OFFICE}/worksheet" Target="/xl/Worksheets/sheet1.xml"/>'
            "</Relationships>",
        ),
    ],
)
def test_a_part_that_stands_for_several_sheets_is_refused(path, again):
    """Each would be held by itself: of 80 kB, for minutes."""
    packed = ZipFile(BytesIO(excel(ROWS)))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    whole = files[path].replace(again[again.rindex("<") :], again)
    with pytest.raises(HushrankError, match="expected a whole spreadsheet"):
        parse_spreadsheet(zipped(**{**files, path: whole}))


def test_empty_cells_to_the_ends_of_a_sheet_are_no_copies():
    """As LibreOffice writes them behind and below each table."""
    ahead = f"<table:table-cell{repeated(2**14 - 1, 'columns')}/>"
    ends = f"<table:table-row{repeated(2**20, 'rows')}>{ahead}</table:table-row>"
    row = f"<table:table-row{repeated(3, 'rows')}>{CELL.format('')}{ahead}</table:table-row>"
    table = parse_spreadsheet(of_open_document(f"{row}{ends}"))
    assert [table.cells(row) for row in range(table.n_rows)] == [("fig", "")] * 3


def test_a_spreadsheet_that_is_packed_too_small_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**14)
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in (plain := ZipFile(BytesIO(excel(ROWS)))).namelist():
            archive.writestr(name, plain.read(name))
        archive.writestr("xl/sharedStrings.xml", f"<sst>{'<si/>' * 2**20}</sst>")
    with pytest.raises(HushrankError, match="100 times its size at most: save it as CSV"):
        parse_spreadsheet(buffer.getvalue())


LONG = 2**16


def with_shared(cells):
    """Return a sheet whose cells stand below one another, and three texts for all of them."""
    packed = ZipFile(BytesIO(excel(ROWS)))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    rows = "".join(f"<row>{cell}<c><v>1</v></c></row>" for cell in cells)
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    texts = f"<si><t>fig</t></si><si><r><t>{'x' * LONG}</t></r></si><si><t>y</t></si>"
    files["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{texts}</sst>'
    path = "xl/_rels/workbook.xml.rels"
    strings = f'<Relationship Id="t" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    files[path] = files[path].replace("</Relationships>", f"{strings}</Relationships>")
    return zipped(**{**files, "xl/worksheets/sheet1.xml": sheet})


def test_a_long_text_that_many_cells_share_is_refused_before_each_has_its_own(monkeypatch):
    """Of 14 kB, 6 GB would be made."""
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 20 * LONG)
    monkeypatch.setattr(encodings, "MOST_TIMES", 1)
    long, short, number = (f'<c t="{t}"><v>{n}</v></c>' for t, n in (("s", 1), ("s", 2), ("n", 1)))
    table = parse_spreadsheet(with_shared([short, *[long] * 19, *[number] * 9]))
    assert [len(text) for text in table.columns[0].texts] == [LONG, 1]
    with pytest.raises(HushrankError, match="100 times its size at most: save it as CSV"):
        parse_spreadsheet(with_shared([short, *[long] * 21]))


@pytest.mark.parametrize(
    ("row", "is_refused"),
    [
        (f"<table:table-row>{CELL.format('')}</table:table-row>", False),
        (f"<table:table-row{repeated(400, 'rows')}>{CELL.format('')}</table:table-row>", True),
        (f"<table:table-row>{CELL.format(repeated(400, 'columns'))}</table:table-row>", True),
        (
            f"<table:table-row{repeated(20, 'rows')}>{CELL.format(repeated(20, 'columns'))}"
            "</table:table-row>",
            True,
        ),
    ],
)
@pytest.mark.parametrize("text", ["x" * 1000, 'x<text:s text:c="999"/>'])
def test_a_long_text_of_cells_that_are_repeated_is_refused(row, is_refused, text, monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**14)
    monkeypatch.setattr(encodings, "MOST_TIMES", 1)
    content = of_open_document(row.replace("fig", text))
    if is_refused:
        with pytest.raises(HushrankError, match="100 times its size at most: save it as CSV"):
            parse_spreadsheet(content)
    else:
        assert len(parse_spreadsheet(content).cells(0)[0]) == (1 if "/" in text else 1000)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("worksheets/sheet1.dat", "xl/worksheets/sheet1.dat"),
        ("/custom/sheet1.xml", "custom/sheet1.xml"),
        ("../worksheets/sheet1.xml", "worksheets/sheet1.xml"),
    ],
)
def test_a_sheet_is_read_of_no_part_whose_cells_were_not_counted(target, path):
    """Of 1,300 bytes, 500 GB would be asked for, which ends the process."""
    packed = ZipFile(BytesIO(excel(ROWS)))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    related = "xl/_rels/workbook.xml.rels"
    files[related] = files[related].replace("worksheets/sheet1.xml", target)
    files[path] = files.pop("xl/worksheets/sheet1.xml")
    with pytest.raises(HushrankError, match="expected a whole spreadsheet"):
        parse_spreadsheet(zipped(**files))


def test_a_part_is_counted_however_its_path_is_written():
    packed = ZipFile(BytesIO(with_more(f'<row r="{2**20}"><c r="XFD{2**20}"><v>1</v></c></row>')))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    for before, after in (("/", "\\"), ("xl/", "/xl/"), (".xml", ".XML"), ("xl/", "XL/")):
        last = "xl/worksheets/sheet1.xml"
        moved = {
            last.replace(before, after) if name == last else name: files[name] for name in files
        }
        with pytest.raises(HushrankError, match="expected sheets of at most"):
            parse_spreadsheet(zipped(**moved))


@pytest.mark.parametrize("name", ["_rels/.rels", "META-INF/manifest.xml"])
def test_parts_beside_the_sheets_may_not_be_packed_too_small_either(name, monkeypatch):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**14)
    whole = open_document(ROWS) if name.startswith("META") else excel(ROWS)
    packed, buffer = ZipFile(BytesIO(whole)), BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for each in packed.namelist():
            archive.writestr(each, packed.read(each).decode() + " " * 2**20 * (each == name))
    with pytest.raises(HushrankError, match="100 times its size at most: save it as CSV"):
        parse_spreadsheet(buffer.getvalue())


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("write", [excel, open_document])
def test_of_two_parts_of_one_name_none_is_read(write):
    packed, buffer = ZipFile(BytesIO(write(ROWS))), BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name in packed.namelist():
            for _ in range(1 + name.endswith(("content.xml", "sheet1.xml"))):
                archive.writestr(name, packed.read(name))
    with pytest.raises(HushrankError, match="expected a whole spreadsheet"):
        parse_spreadsheet(buffer.getvalue())


def test_of_a_file_of_both_kinds_only_the_parts_of_excel_are_read():
    """Cells that OpenDocument repeats would be counted as Excel counts them."""
    rows = f"<table:table-row{repeated(2**20, 'rows')}>{CELL.format('')}</table:table-row>"
    packed = ZipFile(BytesIO(of_open_document(rows)))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    with pytest.raises(HushrankError, match="expected a whole spreadsheet"):
        parse_spreadsheet(zipped(**files, **{"xl/a.xml": "<a/>"}))


def test_of_excel_s_files_those_of_xml_are_read():
    with pytest.raises(HushrankError, match=r"got \.xlsb: save it as \.xlsx"):
        parse_spreadsheet(zipped(**{"xl/workbook.bin": "", "xl/worksheets/sheet1.bin": ""}))


def with_more(row, n_before=0):
    """Return a small table with a row more, behind so many empty sheets."""
    packed = ZipFile(BytesIO(excel(*[[]] * n_before, ROWS)))
    files = {name: packed.read(name).decode() for name in packed.namelist()}
    last = f"xl/worksheets/sheet{n_before + 1}.xml"
    whole = files[last].replace("</sheetData>", f"{row}</sheetData>")
    return zipped(**{**files, last: whole})

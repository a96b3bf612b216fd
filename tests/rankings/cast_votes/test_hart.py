"""Archives made up after the public form of Hart's cast vote records."""

from io import BytesIO
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.cast_votes import contests
from hushrank.rankings.cast_votes.hart import is_hart
from hushrank.rankings.cast_votes.xml_parts import parse_xml
from hushrank.rankings.files import read_rankings

SPACE = "http://tempuri.org/CVRDesign.xsd"
PLAIN = ("School Board", [("Dora", "1"), ("Emil", "1")])


def option(name, value):
    written_in = "<WriteInData><Text /></WriteInData>" if name is None else ""
    named = "" if name is None else f"<Name>{name}</Name>"
    return f"<Option>{named}<Id>id of {name}</Id><Value>{value}</Value>{written_in}</Option>"


def contest(name, options):
    marked = "".join(option(*each) for each in options)
    id = f"<Id>id of {name}</Id>"
    return f"<Contest><Name>{name}</Name>{id}<Options>{marked}</Options></Contest>"


def sheet(*contests):
    listed = "".join(contest(*each) for each in contests)
    return f'<?xml version="1.0"?><Cvr xmlns="{SPACE}"><Contests>{listed}</Contests></Cvr>'


def archive(tmp_path, sheets):
    path = tmp_path / "CVRArchive_6_5_1.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as opened:
        for number, text in enumerate(sheets):
            prefix = ("1_", "", "e_", "p_")[number % 4]
            opened.writestr(f"cvr/{prefix}{UUID(int=number)}.xml", text)
        opened.writestr(f"cvr/1_{UUID(int=0)}.xml.sig.xml", "<Signature/>")
        opened.writestr("Write In Images/image.png", b"x")
    return path


RANKED = [
    [("Ann", "100"), ("Bo", "010"), ("Cy", "001")],
    [("Bo", "110"), ("Ann", "001")],  # the same candidate twice
    [("Bo", "100"), ("Ann", "010"), ("Cy", "010")],  # two in one place
    [("Cy", "010")],  # a place is skipped
    [(None, "100"), ("Ann", "010")],
    [],
]
FOUND = [["Ann", "Bo", "Cy"], ["Bo", "Ann"], ["Bo"], ["Cy"], ["Write-in", "Ann"]]


def test_the_digit_of_a_mark_is_its_place(tmp_path):
    sheets = [sheet(PLAIN, ("Mayor", options)) for options in RANKED]
    rankings = read_rankings(archive(tmp_path, sheets))
    assert sorted(list(person) for person in rankings) == sorted(FOUND)
    said = str(rankings.reading)
    assert "cast vote records by Hart" in said
    assert "1 empty left out" in said
    assert "1 ended by two items in one place" in said


def test_what_somebody_wrote_in_is_shown_nowhere(tmp_path):
    """Also where the export read it."""
    typed = option(None, "100").replace("<Text />", "<Text>Joe</Text>")
    sheets = [sheet(("Mayor", options)) for options in RANKED]
    named = sheets[4].replace(option(None, "100"), f"<Option><Name>Joe</Name>{typed[8:]}")
    rankings = read_rankings(archive(tmp_path, [*sheets[:4], named, *sheets[5:]]))
    assert sorted(list(person) for person in rankings) == sorted(FOUND)


@pytest.mark.parametrize("place", [0, 30, 60])
def test_one_sheet_tells_an_archive_wherever_it_stands_among_other_files(place):
    names, content = [f"images/{n}.png" for n in range(60)], BytesIO()
    names.insert(place, f"cvr/{UUID(int=1)}.xml")
    for own, is_it in ((names, True), (names[:place] + names[place + 1 :], False)):
        with ZipFile(content, "w") as opened:
            for name in own:
                opened.writestr(name, b"x")
        assert is_hart(content.getvalue()) == is_it


def test_an_archive_whose_packed_bytes_are_damaged_is_refused_in_a_line(tmp_path):
    path = archive(tmp_path, [sheet(PLAIN, ("Mayor", options)) for options in RANKED])
    with ZipFile(path) as whole:
        begin = 30 + len(whole.infolist()[0].filename)  # after the first file's own header
    content = path.read_bytes()
    path.write_bytes(content[:begin] + b"\xff" * 20 + content[begin + 20 :])
    with pytest.raises(HushrankError, match="expected a whole ZIP file without a password"):
        read_rankings(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_sheets_of_one_name_are_refused(tmp_path):
    """The last one would be read for each of them."""
    path = archive(tmp_path, [sheet(PLAIN, ("Mayor", options)) for options in RANKED])
    with ZipFile(path, "a") as opened:
        opened.writestr(f"cvr/1_{UUID(int=0)}.xml", sheet(PLAIN, ("Mayor", RANKED[1])))
    with pytest.raises(HushrankError, match="a ZIP file with one file of each name"):
        read_rankings(path)


def test_the_bytes_of_all_sheets_say_how_many_places_they_may_have(tmp_path, monkeypatch):
    monkeypatch.setattr(contests, "FEW_CELLS", 0)
    sheets = [sheet(PLAIN, ("Mayor", RANKED[n % 2])) for n in range(20)]
    per_ballot = sum(map(len, sheets)) // 20
    for per_byte, is_taken in ((4 / per_ballot, True), (1 / per_ballot, False)):
        monkeypatch.setattr(contests, "MOST_PER_BYTE", per_byte)
        if is_taken:
            assert read_rankings(archive(tmp_path, sheets)).n_people == 20
        else:
            with pytest.raises(HushrankError, match="places together, got 3"):
                read_rankings(archive(tmp_path, sheets))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_sheet_that_defines_entities_is_refused(tmp_path, encoding):
    text = sheet(("Mayor", RANKED[0])).replace('"1.0"?>', f'"1.0" encoding="{encoding}"?>', 1)
    bad = text.replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>', 1).encode(encoding)
    with pytest.raises(HushrankError, match="expected XML without a document type"):
        read_rankings(archive(tmp_path, [bad]))


def test_places_may_be_contests_of_their_own(tmp_path):
    """In any order, some of them if any."""
    ballots = [("Bo", "Ann", "Cy"), ("Cy", None, None), ("Ann", "Cy", None)]
    titles = ("Council\nWard 1\n1st choice", "Council\nWard 1\n2nd choice (if any)")
    titles += ("Council\nWard 1\n3rd choice (if any)",)
    sheets = []
    for names in ballots:
        parts = [
            (title, [(name, "1")] if name else [])
            for title, name in zip(titles, names, strict=True)
        ]
        sheets.append(sheet(parts[2], PLAIN, parts[0], parts[1]))
    rankings = read_rankings(archive(tmp_path, sheets))
    expected = [[name for name in names if name] for names in ballots]
    assert sorted(list(person) for person in rankings) == sorted(expected)


def test_a_contest_is_chosen_where_there_are_several(tmp_path):
    clerk = ("Clerk", [("Dora", "10"), ("Emil", "01")])
    path = archive(tmp_path, [sheet(clerk, ("Mayor", options)) for options in RANKED])
    with pytest.raises(HushrankError, match=r"2 questions: .*choose one with columns="):
        read_rankings(path)
    assert read_rankings(path, columns=["Clerk*"]).names == ("Dora", "Emil")


def test_one_sheet_is_not_read_as_the_election(tmp_path):
    path = tmp_path / "sheet.xml"
    path.write_text(sheet(("Mayor", RANKED[0])))
    with pytest.raises(HushrankError, match="expected the whole archive, a ZIP file"):
        read_rankings(path)


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        (sheet(PLAIN), "expected a contest in which candidates are ranked"),
        (sheet(("Mayor", [("Ann", "2")])), "file 1 of the archive: expected marks of 0 and 1"),
        ("<Other/>", "file 1 of the archive: expected a sheet with contests"),
        ("<Cvr><Contests>", "expected whole XML"),
    ],
)
def test_what_does_not_fit_is_said(text, expectation, tmp_path):
    with pytest.raises(HushrankError, match=expectation):
        read_rankings(archive(tmp_path, [text]))


def test_what_a_parser_says_of_a_sheet_is_not_passed_on():
    with pytest.raises(HushrankError) as caught:
        parse_xml(b"<Cvr>&Ann;</Cvr>")
    assert caught.value.__suppress_context__


def test_a_choice_that_sheets_name_otherwise_is_refused(tmp_path):
    """Nobody knows which of the names is right, or whether it is one choice."""
    one = sheet(("Mayor", RANKED[0]))
    path = archive(tmp_path, [one, one.replace("<Name>Ann</Name>", "<Name>Anna</Name>")])
    with pytest.raises(HushrankError, match="one name for each choice"):
        read_rankings(path)


def test_one_sheet_gives_no_name_to_what_others_wrote_in(tmp_path):
    sheets = [sheet(("Mayor", options)) for options in RANKED]
    own = sheet(("Mayor", [("Zed", "100")])).replace("id of Zed", "id of None")
    rankings = read_rankings(archive(tmp_path, [*sheets, own]))
    assert sorted(list(person) for person in rankings) == sorted([*FOUND, ["Zed"]])


def test_a_number_that_others_wrote_in_at_renames_no_choice_either(tmp_path):
    sheets = [sheet(("Mayor", options)) for options in RANKED]
    own = sheet(("Mayor", [("Cy", "100")])).replace("id of Cy", "id of None")
    with pytest.raises(HushrankError, match="one number for each choice"):
        read_rankings(archive(tmp_path, [*sheets, own]))


def test_a_contest_that_a_sheet_names_otherwise_is_refused(tmp_path):
    """It would be another place of all other sheets."""
    one = sheet(("Mayor 1st choice", [("Ann", "1")]), ("Mayor 2nd choice", [("Bo", "1")]))
    other = one.replace("<Name>Mayor 2nd choice</Name>", "<Name>Mayor</Name>")
    assert read_rankings(archive(tmp_path, [one] * 4)).n_people == 4
    with pytest.raises(HushrankError, match="one name for each contest"):
        read_rankings(archive(tmp_path, [one] * 3 + [other]))


def test_a_contest_that_one_sheet_alone_ranks_is_asked_about(tmp_path):
    """What all others marked there would come behind their ranked contest."""
    sheets = [sheet(PLAIN, ("Mayor", options)) for options in RANKED[:4]]
    own = sheet(("School Board", [("Dora", "01")]), ("Mayor", RANKED[0]))
    assert read_rankings(archive(tmp_path, sheets), form="places").n_items == 3
    with pytest.raises(HushrankError, match="one ballot alone does"):
        read_rankings(archive(tmp_path, [*sheets, own]), form="places")
    with pytest.raises(HushrankError, match="2 questions"):
        read_rankings(archive(tmp_path, [*sheets, own, own]))


def test_a_number_that_one_sheet_alone_has_renames_no_choice(tmp_path):
    sheets = [sheet(("Mayor", options)) for options in RANKED[:4]]
    own = sheets[0].replace("id of Ann", "id of another")
    with pytest.raises(HushrankError, match="one number for each choice"):
        read_rankings(archive(tmp_path, [*sheets, own]))
    several = read_rankings(archive(tmp_path, [*sheets, own, own]))
    assert several.names == ("Ann (id of Ann)", "Ann (id of another)", "Bo", "Cy")


MANY = [f"person {n:02}" for n in range(30)]
WHOLE = [(name, f"{1 << (29 - n):030b}") for n, name in enumerate(MANY)]


def test_all_of_many_sheets_contests_choices_and_places_are_read(tmp_path):
    others = [(f"Board {n}", [("Dora", "1")]) for n in range(30)]
    sheets = [sheet(*others, ("Mayor", WHOLE[n:])) for n in range(29)]
    found = read_rankings(archive(tmp_path, sheets * 2))
    assert found.names == tuple(MANY)
    assert sorted(found) == sorted(tuple(MANY[n:]) for n in [*range(29)] * 2)


@pytest.mark.parametrize("n_others", [0, 30])
def test_what_one_late_sheet_calls_otherwise_is_refused(tmp_path, n_others):
    others = [(f"Board {n}", [("Dora", "1")]) for n in range(n_others)]
    one = sheet(*others, ("Mayor", WHOLE))
    for old, new, expectation in (
        ("<Name>person 29</Name>", "<Name>Zed</Name>", "one name for each choice"),
        ("<Name>Mayor</Name>", "<Name>Mayoress</Name>", "one name for each contest"),
        ("id of person 29", "id of another", "one number for each choice"),
    ):
        with pytest.raises(HushrankError, match=expectation):
            read_rankings(archive(tmp_path, [*[one] * 27, one.replace(old, new)]))


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_contests_ranks_its_choices(tmp_path, at):
    plain = [(f"Board {n}", [("Dora", "1")]) for n in range(29)]
    sheets = [sheet(*plain[:at], ("Mayor", options), *plain[at:]) for options in RANKED]
    rankings = read_rankings(archive(tmp_path, sheets))
    assert sorted(list(person) for person in rankings) == sorted(FOUND)


@pytest.mark.parametrize("n_files", [0, 30])
def test_sheets_stand_among_many_other_files(tmp_path, n_files):
    path = archive(tmp_path, [])
    with ZipFile(path, "a") as opened:
        for number in range(n_files):
            opened.writestr(f"a/{number}.png", b"x")
        for number, options in enumerate(RANKED):
            opened.writestr(f"cvr/{UUID(int=number + 9)}.xml", sheet(("Mayor", options)))
    assert read_rankings(path).n_people == len(FOUND)


@pytest.mark.parametrize("person", MANY)
def test_a_number_of_one_of_many_choices_that_one_sheet_alone_has_is_refused(tmp_path, person):
    one = sheet(("Mayor", WHOLE))
    with pytest.raises(HushrankError, match="one number for each choice"):
        read_rankings(
            archive(tmp_path, [one, one, one.replace(f"id of {person}", "id of another")])
        )


@pytest.mark.parametrize("n_others", [0, 30])
def test_a_contest_that_the_last_of_many_sheets_alone_ranks_is_asked_about(tmp_path, n_others):
    """Also where it stands behind many others, and ranks the last of many choices."""
    others = [(f"Board {n}", [("Dora", "1")]) for n in range(n_others)]
    options = [(f"person {n}", "1") for n in range(n_others)]
    sheets = [sheet(("Mayor", RANKED[0]))] * 27
    own = sheet(("Mayor", RANKED[0]), *others, ("School Board", [*options, ("Emil", "01")]))
    with pytest.raises(HushrankError, match="one ballot alone does"):
        read_rankings(archive(tmp_path, [*sheets, own]))


def test_a_choice_that_is_marked_at_many_places_is_beside_another_at_a_late_one(tmp_path):
    options = [("Ann", "1" * 30), ("Bo", f"{1 << 4:030b}"), ("Cy", f"{1:030b}")]
    found = read_rankings(archive(tmp_path, [sheet(("Mayor", options))] * 2))
    assert list(found) == [("Ann",)] * 2


def test_parts_of_a_sheet_that_stand_behind_many_others_are_read(tmp_path):
    text = sheet(("Mayor", RANKED[0]))
    for part in ("<Contests>", "<Options>"):
        text = text.replace(part, "<Other />" * 30 + part)
    assert list(read_rankings(archive(tmp_path, [text] * 2))) == [tuple(FOUND[0])] * 2

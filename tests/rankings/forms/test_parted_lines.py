"""No one ballot tells how the lines of all others are parted, or which are titles above them."""

from itertools import islice, permutations
from json import dumps

import pytest

from hushrank.errors import HushrankError
from hushrank.files.delimiters import delimiter_of
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms import lists

LISTS = ["A>B>C", "B>A>C", "C>A>B", "A>C>B"] * 10
COMMAS = ["Doe, J;Roe, A;Poe, E", "Roe, A;Doe, J;Poe, E", "Poe, E;Roe, A;Doe, J"] * 10
PLACES = ["A;B;C", "B;A;n/a", "C;A;B", "A;C;n/a"] * 10


def read(tmp_path, lines, **asked):
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_rankings(path, **asked)


@pytest.mark.parametrize("asked", [{}, {"form": "lists"}, {"header": 1}, {"columns": ["ballot"]}])
@pytest.mark.parametrize("own", ["ballot;A;B", "ballot", "x;ballot;A>B"])
@pytest.mark.parametrize("at", [1, 7, 41])
def test_a_line_that_names_a_column_does_not_join_those_of_all_others(tmp_path, asked, own, at):
    lines = ["id;ballot", *(f"{n};{ballot}" for n, ballot in enumerate(LISTS))]
    assert read(tmp_path, lines, **asked).names == ("A", "B", "C")
    with pytest.raises(HushrankError, match=r"line \d+: expected 2 cells parted by semicolons"):
        read(tmp_path, [*lines[:at], own, *lines[at:]], **asked)


@pytest.mark.parametrize("asked", [{}, {"form": "lists"}])
@pytest.mark.parametrize("own", ["A>B", "9;A>B;C", "x;ballot;A>B", "ballot;A>B"])
def test_one_ballot_makes_no_column_of_a_title_and_lines_below_it(tmp_path, asked, own):
    lines = ["My poll", "id;ballot", *(f"{n};{ballot}" for n, ballot in enumerate(LISTS))]
    assert read(tmp_path, lines, **asked).names == ("A", "B", "C")
    with pytest.raises(HushrankError, match=r"cells parted by semicolons|whether it is a title"):
        read(tmp_path, [*lines, own], **asked)


@pytest.mark.parametrize("own", ["Doe, J;Roe, A;", "Doe;Roe, A;Poe, E"])
@pytest.mark.parametrize("at", [0, 1, 30])
def test_a_ballot_without_a_comma_does_not_rename_what_all_others_name(tmp_path, own, at):
    asked = {"form": "places", "header": 0}
    assert read(tmp_path, COMMAS, **asked).n_items == 10  # by commas: nothing tells otherwise
    with pytest.raises(HushrankError, match=r"expected \d cells parted by"):
        read(tmp_path, [*COMMAS[:at], own, *COMMAS[at:]], **asked)


@pytest.mark.parametrize("own", ["A;B", "A"])
@pytest.mark.parametrize("at", [0, 1, 40])
@pytest.mark.parametrize("asked", [{"header": 0}, {}])
def test_a_shorter_line_without_a_header_makes_no_items_of_whole_lines(tmp_path, own, at, asked):
    asked = {"form": "places", **asked}
    assert read(tmp_path, PLACES, **asked).names == ("A", "B", "C")
    with pytest.raises(
        HushrankError, match=r"cells? parted by semicolons|one item a cell|as many cells as"
    ):
        read(tmp_path, [*PLACES[:at], own, *PLACES[at:]], **asked)


def test_lists_of_several_lengths_are_parted_as_before(tmp_path):
    lines = ["ballot", "A>B;C", "B;C>A", "A", "C>B>A"]
    assert read(tmp_path, lines, form="lists").n_items > 2
    few = read(tmp_path, ["Rank; the best first", "A > B", "B > A"])
    assert few.names == ("A", "B")
    assert read(tmp_path, ["ballot", "A;B;C", "C;A;B", "A;B"], columns=["ballot"]).n_items == 3


def test_only_where_places_are_parted_by_arrows_may_items_share_one(tmp_path):
    tied = read(tmp_path, ["ballot", "A > B = C", "C=A > B"])
    assert tied.ranks.tolist() == [[0, 1, 1], [0, 2, 0]]
    whole = read(tmp_path, ["ballot", "A;B=C;D", "D;B=C;A", "B=C;D;A"])
    assert whole.names == ("A", "B=C", "D")
    assert whole.is_strict


@pytest.mark.parametrize("sign", [";", "|"])
@pytest.mark.parametrize(
    ("items", "own"),
    [("123", ("tea", "milk", "cola")), (("11", "12", "13"), ("3rd", "2nd", "1st"))],
)
def test_a_first_list_of_other_names_makes_no_columns_of_all_lists(tmp_path, sign, items, own):
    lists = [sign.join(turn) for turn in permutations(items)] * 6
    assert read(tmp_path, ["ballot", *lists]).n_items == 3
    with pytest.raises(HushrankError, match="line 1: cannot tell whether it is a title or names"):
        read(tmp_path, ["ballot", sign.join(own), *lists])
    assert read(tmp_path, ["My poll", sign.join(own), *lists], header=2).n_people == len(lists)


def test_a_very_long_first_ballot_does_not_tell_by_what_sign_all_others_are_parted(tmp_path):
    asked, blanks = {"form": "places", "header": 0}, "\N{IDEOGRAPHIC SPACE}"
    assert read(tmp_path, COMMAS, **asked).n_items == 10  # by commas
    for n_blanks in (9, 87_370, 2**17 - 99):
        own = f"Doe;Roe;Poe{n_blanks * blanks}"
        with pytest.raises(HushrankError, match=r"expected \d cells? parted by commas"):
            read(tmp_path, [own, *COMMAS], **asked)


def test_a_cell_that_is_too_long_for_a_reader_by_one_sign_tells_no_other_sign():
    lines, own = ["tea;milk,cola", *["1;2,3"] * 9], f"{'1' * 70_000};{'2' * 70_000},3"
    for each in (lines, [*lines, own]):
        assert delimiter_of("\n".join(each).encode()) == ","


@pytest.mark.parametrize("own", ["1st,2nd,3rd", "My poll", "tea,milk,cola"])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_first_line_that_is_no_json_does_not_part_lists_by_their_commas(tmp_path, own, n):
    lists = [f"[{','.join(turn)}]" for turn in permutations("123")] * 7
    assert read(tmp_path, lists[: n + 1]).n_items == 3
    with pytest.raises(HushrankError, match="line 1: expected JSON, as on the lines"):
        read(tmp_path, [own, *lists[:n]])


TURNS_OF_THREE = [*permutations(("tea", "milk", "cola"))] * 7
WHOLE_LINES = r"expected one item a cell|are parted otherwise, and read otherwise"


@pytest.mark.parametrize("own", ["1st", "1", "1st choice"])
@pytest.mark.parametrize(
    ("sign", "form"), [("\t", None), ("\t", "places"), (";", "places"), ("|", "places")]
)
def test_a_first_line_that_says_a_place_makes_no_items_of_whole_lines(tmp_path, own, sign, form):
    lines = [sign.join(turn) for turn in TURNS_OF_THREE]
    assert read(tmp_path, lines, form=form).names == ("cola", "milk", "tea")
    with pytest.raises(HushrankError, match=WHOLE_LINES):
        read(tmp_path, [own, *lines], form=form)


@pytest.mark.parametrize("sign", [";", "|", "::"])
@pytest.mark.parametrize("asked", [{"columns": ["1"]}, {"form": "places"}, {}])
@pytest.mark.parametrize("at", [0, 1, 40])
def test_a_quote_that_nobody_closes_does_not_part_all_lines_by_commas(tmp_path, sign, asked, at):
    header, lines = sign.join(("1st", "2nd", "3rd")), [sign.join(turn) for turn in TURNS_OF_THREE]
    assert read(tmp_path, [header, *lines], **asked).names == ("cola", "milk", "tea")
    for own in (f'tea{sign}"cola{sign}milk', f'tea{sign}"cola'):
        with pytest.raises(HushrankError, match=r"a quote that closes|cells parted by"):
            read(tmp_path, [header, *lines[:at], own, *lines[at:]], **asked)


@pytest.mark.parametrize("sign", ";|")
def test_lists_below_a_title_are_read_as_they_are_parted_without_it(tmp_path, sign):
    lines = [sign.join(turn) for turn in TURNS_OF_THREE]
    places, lists = read(tmp_path, lines), read(tmp_path, ["1st", *lines])
    assert (places.names, places.ranks.tolist()) == (lists.names, lists.ranks.tolist())


def test_a_place_whose_items_hold_signs_is_said_to_be_one(tmp_path):
    lines = ["1st", *["rock|pop", "jazz|soul", "folk|pop"] * 4]
    with pytest.raises(HushrankError, match="one item a cell"):
        read(tmp_path, lines, form="places")
    found = read(tmp_path, lines, form="places", header=1)
    assert found.names == ("folk|pop", "jazz|soul", "rock|pop")


@pytest.mark.parametrize("own", ["1", "ballot", "1st", "tea"])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_first_line_that_is_no_json_makes_no_lists_of_objects_of_one_key(tmp_path, own, n):
    objects = [f'{{"ballot": "{">".join(turn)}"}}' for turn in permutations("123")] * 7
    assert read(tmp_path, objects[: n + 1]).names == ("1", "2", "3")
    with pytest.raises(HushrankError, match="line 1: expected JSON, as on the lines"):
        read(tmp_path, [own, *objects[:n]])


@pytest.mark.parametrize("form", [None, "places"])
def test_a_first_text_that_is_no_list_makes_no_texts_of_lists_of_one(tmp_path, form):
    lists = [f'["{item}"]' for item in ("tea", "milk", "cola")] * 4
    assert read(tmp_path, lists).names == ("cola", "milk", "tea")
    with pytest.raises(HushrankError, match="line 1: expected JSON, as on the lines"):
        read(tmp_path, ['"tea"', *lists], form=form)


@pytest.mark.parametrize("own", ["A > B|x > y", "A > B|x > y|z|w"])
def test_a_first_ballot_of_another_length_does_not_part_all_others(tmp_path, own):
    path, lines = tmp_path / "ballots.txt", ["x > y|z|w", "z|w|x > y", "w|x > y|z"] * 12
    path.write_text("\n".join(lines) + "\n")
    assert read_rankings(path).names == ("w", "x > y", "z")
    path.write_text("\n".join([own, *lines]) + "\n")
    with pytest.raises(HushrankError, match="line 1: expected as many cells as all lines below"):
        read_rankings(path)


@pytest.mark.parametrize("place", [0, 15, 30])
@pytest.mark.parametrize(("count", "of_one"), [("2: ", ""), ("", "2: ")])
def test_one_line_with_a_count_or_without_is_refused_wherever_it_stands(
    tmp_path, count, of_one, place
):
    lines = [count + " > ".join(order) for order in islice(permutations("ABCDE"), 30)]
    lines.insert(place, f"{of_one}B > C")
    with pytest.raises(HushrankError, match="on all lines or on none"):
        read(tmp_path, lines, header=0)


def test_one_of_many_items_tells_whether_numbers_are_points_and_what_json_is_a_ballot():
    points = [f"{name} ({n})" for n, name in enumerate("ABC" * 10)]
    with pytest.raises(HushrankError, match="items with numbers behind them"):
        lists._require_no_points(points)
    for place in (0, 15, 29):
        lists._require_no_points([*points[:place], "D", *points[place + 1 :]])
        for empty in ([], [""], ["A", ""], [True]):
            tiers = [[name] for name in points]
            tiers[place] = empty
            assert lists._from_json(dumps(tiers)) is None
        tie = [*points[:place], "", *points[place:]]
        assert lists._from_json(dumps([tie, "x"])) is None
    assert lists._from_json(dumps([points])) == (tuple(points),)

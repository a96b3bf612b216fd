"""Where nobody says how many lines are the header, no ballot decides it for all others."""

from collections import Counter
from itertools import cycle, islice, permutations
from random import Random

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from tests.files.test_spreadsheets import excel

DRINKS = ("tea", "milk", "cola")
TURNS = [*islice(cycle(permutations(DRINKS)), 42)]
PLACES = [",".join(turn) for turn in TURNS]
RANKS = [",".join(str(turn.index(drink) + 1) for drink in DRINKS) for turn in TURNS]
STARS = [ranks.replace("1", "★").replace("2", "★★").replace("3", "★★★") for ranks in RANKS]
LISTS = [" > ".join(turn) for turn in TURNS]
OTHERS = [f"1: {';'.join(turn[: 1 + n % 3])}" for n, turn in enumerate(TURNS)]
WEIGHED = [f"{2 + n % 3},{each}" for n, each in enumerate(LISTS)]
ABOVE = [
    *("1st,2nd,3rd", "2nd,1st,x", "x,y,z", "id,milk,tea", "x,id,y", "tea,milk,cola", "Q1,,", ",,"),
    *("rank of tea,rank of milk,x", "CvrNumber,TabulatorNum,x", "weight,ballot,", "1,2,3"),
    *("tea(1),tea(2),milk(1)", "person,item,score", "First choice,Second choice,Third choice"),
    *("★,tea,milk", "tea > milk,,", "Total,,", "1: tea > milk,,", "2nd,3rd,id", "drink,,"),
]
"""What may stand in a header, and what may not."""

FORMS = {
    "places": ([], PLACES),
    "lists": ([], LISTS),
    "lists beside numbers": ([], WEIGHED),
    "stars": ([], STARS),
    "numbers": ([], RANKS),
    "a header of places": (["1st,2nd,3rd"], PLACES),
    "another header of places": (["best,then,last"], PLACES),
    "a header of items": (["tea,milk,cola"], RANKS),
    "a header of lists": (["drink"], LISTS),
    "a title": (["Drinks,,", "1st,2nd,3rd"], PLACES),
    "two lines": (["Drinks,,", "First choice,Second choice,Third choice"], PLACES),
    "two lines of items": (["Drinks,,", "tea,milk,cola"], RANKS),
    "counted": ([], [f"1: {each}" for each in LISTS]),
    "counts among others": ([], OTHERS),
}


def read(tmp_path, lines, **said):
    """Return how often each ranking is there; None where the file is refused."""
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(lines) + "\n")
    try:
        found = read_rankings(path, **said)
    except HushrankError:
        return None
    return Counter((found.unranked, repr(ranking)) for ranking in found)


SAID = [
    {},
    {"form": "places"},
    {"form": "ranks"},
    {"form": "lists"},
    {"form": "scores", "best": "high"},
    {"columns": ["1-3"]},
]


@pytest.mark.parametrize("n_ballots", [9, 36])
@pytest.mark.parametrize("said", SAID, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_a_ballot_that_looks_like_a_header_moves_no_others(tmp_path, form, said, n_ballots):
    (above, ballots), random = FORMS[form], Random(form)
    ballots, width = ballots[:n_ballots], ballots[0].count(",") + 1
    before, n_read = read(tmp_path, [*above, *ballots], **said), 0
    if before is None:
        return
    for own in ABOVE:
        own = ",".join((own.split(",") + [""] * width)[:width])
        at, n_gone = random.choice((0, 0, 1, n_ballots - 1)), random.randrange(2)
        after = read(tmp_path, [*above, *ballots[:at], own, *ballots[at + n_gone :]], **said)
        if after is not None:
            n_read += 1
            assert (before - after).total() <= n_gone, own
            assert (after - before).total() <= 1, own
    assert n_read >= 1


@pytest.mark.parametrize("form", FORMS)
def test_two_that_look_like_headers_move_no_others_when_one_takes_the_place_of_another(
    tmp_path, form
):
    above, ballots = FORMS[form]
    width = ballots[0].count(",") + 1
    lines = {",".join((own.split(",") + [""] * width)[:width]) for own in ABOVE}
    found = [read(tmp_path, [*above, own, *ballots]) for own in sorted(lines)]
    found = [each for each in found if each is not None]
    for one in found if above else ():
        for other in found:
            assert (one - other).total() <= 1


@pytest.mark.parametrize("n_times", [1, 12])
def test_a_first_ballot_with_empty_places_takes_the_second_one_into_no_header(tmp_path, n_times):
    rows = ["water,tea,cola,milk", "milk,water,tea,cola", "tea,cola,milk,water"] * n_times
    before = read(tmp_path, ["water,cola,tea,milk", "cola,milk,tea,", *rows], form="places")
    assert before.total() == 2 + 3 * n_times
    assert read(tmp_path, ["cola,,,water", "cola,milk,tea,", *rows], form="places") is None


def test_one_ballot_that_says_a_place_makes_no_ballot_of_a_line_of_the_header(tmp_path):
    head = ["Who,Drinks,Drinks,Drinks", ",First choice,Second choice,Third choice"]
    lines = [*head, *(f"9,{each}" for each in PLACES)]
    assert read(tmp_path, lines).total() == 42
    lines = [*lines, "9,tea,2nd choice,milk"]
    with pytest.raises(HushrankError, match="say header=2 if it is, or header=1"):
        read_rankings(write(tmp_path, lines))
    assert read(tmp_path, lines, header=2).total() == 43


@pytest.mark.parametrize(
    ("lines", "form", "best"),
    [
        (["1,x,3", *RANKS], "ranks", None),
        (["★,★★,★★★", *STARS], None, "high"),
        (["4,tea,tea", *["2,tea,tea", "3,milk,tea"] * 18], "places", None),
    ],
)
def test_a_first_line_that_may_be_a_ballot_is_asked_about(tmp_path, lines, form, best):
    with pytest.raises(HushrankError, match="line 1: cannot tell whether it names columns or is"):
        read_rankings(write(tmp_path, lines), form=form, best=best)
    assert read(tmp_path, lines, form=form, best=best, header=1).total() == len(lines) - 1


def test_two_lines_above_names_are_no_titles_where_lists_below_need_no_names(tmp_path):
    """Both may be ballots, and by the second one the first would be lost."""
    lists = [f"{n},{'>'.join(turn)}" for n, turn in enumerate([*permutations("ABC")] * 6)]
    names = "id,ballot"
    assert read(tmp_path, ["My poll,", names, *lists]).total() == 36
    titled = ["My poll,", "July,", names, *lists]
    assert read(tmp_path, titled) is None
    assert read(tmp_path, titled, header=3).total() == 36


@pytest.mark.parametrize("own", [[], [["tea", "milk"]]])
@pytest.mark.parametrize("n", [7, 40])
def test_a_line_above_lists_that_names_one_column_is_neither_a_ballot_nor_a_title(tmp_path, own, n):
    """A first ballot in two cells would make titles of all above it, without it one is a ballot."""
    path = tmp_path / "ballots.xlsx"
    lines = [["Drinks"], ["1 November"], ["", "ballot"], *own, *(["", each] for each in LISTS[:n])]
    path.write_bytes(excel(lines))
    with pytest.raises(HushrankError, match="how many lines stand above the ballots"):
        read_rankings(path)
    assert read_rankings(path, header=3).n_people == len(own) + n


def test_numbers_beside_lists_without_a_header_are_asked_about(tmp_path):
    with pytest.raises(HushrankError, match=r"column 1 may say how many people .*weight=\"1\""):
        read_rankings(write(tmp_path, WEIGHED))
    assert read(tmp_path, WEIGHED, ignore=["1"]).total() == 42
    assert read_rankings(write(tmp_path, WEIGHED), weight="1").n_people == 42 * 3
    assert read(tmp_path, ["weight,ballot", *WEIGHED]).total() == 42 * 3


def test_one_line_with_another_sign_is_no_count_of_people_for_all(tmp_path):
    assert read(tmp_path, OTHERS, form="lists", header=0).total() == 42
    with pytest.raises(HushrankError, match="expected > between the items of all lines"):
        read_rankings(write(tmp_path, [*OTHERS, "1: tea > milk"]), form="lists", header=0)


def write(tmp_path, lines):
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(lines) + "\n")
    return path

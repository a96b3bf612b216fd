"""Whatever one ballot says, all others are read as before, or nothing is.

Else one person's ballot would move everybody's, and no sensitivity were true.
"""

from collections import Counter
from functools import partial
from itertools import cycle, islice, permutations
from json import dumps
from random import Random

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.layouts import marks, of_items

ITEMS = ("tea", "milk", "cola", "water")
PLACES = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def order(random):
    return random.sample(ITEMS, 4)


def places(random):
    return random.sample(list("1234"), 4)


FORMS = {
    "no header": ("", order),
    "no header, of lists": ("", lambda random: [">".join(order(random))]),
    "places of items": (",".join(ITEMS), places),
    "places of some items": (
        ",".join(ITEMS),
        lambda random: [place if place <= "2" else "" for place in places(random)],
    ),
    "places beside who it is": (
        "id,age," + ",".join(ITEMS),
        lambda random: [str(random.randrange(10**6)), "40", *places(random)],
    ),
    "places of items, one of which nobody ranks": (
        "tea,milk,city,cola",
        lambda random: "{},{},,{}".format(*random.sample("123", 3)).split(","),
    ),
    "places in a question": (",".join(f"Drinks [{item}]" for item in ITEMS), places),
    "places in words": (
        ",".join(f"Drinks [{item}]" for item in ITEMS),
        lambda random: [PLACES[int(place)] for place in places(random)],
    ),
    "ranks": (",".join(f"rank of {item}" for item in ITEMS), places),
    "stars": (",".join(ITEMS), lambda random: ["★" * random.randint(1, 5) for _ in ITEMS]),
    "stars in words": (
        ",".join(ITEMS),
        lambda random: [random.choice(("1 star", "4 stars", "5 stars")) for _ in ITEMS],
    ),
    "items at places": (",".join(PLACES.values()), order),
    "items at some places": (
        ",".join(PLACES.values()),
        lambda random: [*order(random)[: random.randint(1, 4)], "", "", ""][:4],
    ),
    "items at places of a question": (
        "Drinks [1st choice],Drinks [2nd choice],Drinks [3rd choice]",
        lambda random: order(random)[:3],
    ),
    "marks": (
        "tea(1),tea(2),milk(1),milk(2)",
        lambda random: random.choice((["1", "0", "0", "1"], ["0", "1", "1", "0"])),
    ),
    "lists": ("ballot", lambda random: [">".join(order(random))]),
    "lists with a time": ("time,ballot", lambda random: ["2026-01-02", ";".join(order(random))]),
}
ODD = (
    *("", "x", "0", "1", "2", "4", "5", "-1", "1.5", "10", "1e3", "1/2", "25%", "★★", "3 stars"),
    *("1st", "2nd", "first", "NaN", "n/a", "skipped", "overvote", "write-in", "TRUE", "2026-01-01"),
    *("tea>milk", "tea;milk", "tea=milk", "[]", "Tea", "total", "Sum", "count", "id", "rank"),
    *("CvrNumber", '"{""ImportId"":1}"', *ITEMS),
)


RULES = (
    (of_items, "_require_no_lone_cells"),
    (of_items, "_has_one_other_row"),
    (marks, "_n_rows_of_others"),
)
"""What else of `layouts` looks at what one row alone says: of fewer rows than can be parted."""


@pytest.mark.parametrize("n_ballots", [12, 40])
@pytest.mark.parametrize("by_parts_alone", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_one_ballot_leaves_all_others_as_they_are_or_the_file_is_refused(
    tmp_path, monkeypatch, form, by_parts_alone, n_ballots
):
    header, ballot = FORMS[form]
    random, path, n_read = Random(form), tmp_path / "ballots.csv", 0
    for form_of, rule in RULES if by_parts_alone else ():
        monkeypatch.setattr(form_of, rule, lambda *_: 0)
    ballots = [ballot(random) for _ in range(n_ballots)]
    before = read(path, header, ballots)
    assert before is not None
    for _ in range(20):
        at, n_gone = random.choice((0, 1, n_ballots - 1)), random.randrange(2)
        own = [odd(random, ballots)] if not n_gone or random.randrange(2) else []
        after = read(path, header, [*ballots[:at], *own, *ballots[at + n_gone :]])
        if after is not None:
            n_read += 1
            assert (before - after).total() <= n_gone
            assert (after - before).total() <= len(own)
    assert n_read >= 3


@pytest.mark.parametrize("cell", ["x", "9", "tea"])
@pytest.mark.parametrize("header", ["tea,milk,cola,water", "tea,milk,city,water"])
@pytest.mark.parametrize("columns", [(), ("1-4",)])
def test_the_only_cell_of_an_item_does_not_take_it_from_all_ballots(
    tmp_path, header, cell, columns
):
    path, ballots = tmp_path / "ballots.csv", ["1,2,,3", "2,1,,3"] * 20
    for own, is_read in (("1,2,,3", True), ("1,2,4,3", True), (f"1,2,{cell},3", False)):
        path.write_text("\n".join([header, *ballots, own]) + "\n")
        if is_read:
            assert read_rankings(path, columns=columns).names == tuple(header.split(","))
        else:
            with pytest.raises(HushrankError, match=r"column 3"):
                read_rankings(path, columns=columns)


def test_one_of_two_cells_of_an_item_does_not_take_it_from_all_ballots(tmp_path):
    path, ballots = tmp_path / "ballots.csv", ["1,2,,3", "2,1,,3"] * 20
    path.write_text("\n".join(["tea,milk,city,water", *ballots, "1,2,4,3", "1,2,40,3"]) + "\n")
    with pytest.raises(HushrankError, match="column 3: by name and cells both an item and what"):
        read_rankings(path)


def odd(random, ballots):
    """Return a ballot with one odd cell, of odd cells, of names, or a mixed one."""
    own = list(random.choice(ballots))
    match random.randrange(4):
        case 0:
            own[random.randrange(len(own))] = random.choice(ODD)
        case 1:
            own = random.choices((*ODD, *own), k=len(own))
        case 2:
            own = (order(random) * 2)[: len(own)]
        case 3:
            random.shuffle(own)
    return own


def read(path, header, ballots):
    """Return how often each ranking is there; None where the file is refused."""
    lines = [header] if header else []
    path.write_text("\n".join([*lines, *map(",".join, ballots)]) + "\n")
    try:
        found = read_rankings(path)
    except HushrankError:
        return None
    assert found.multiplicities is None
    return Counter((found.unranked, repr(ranking)) for ranking in found)


TURNS = list(islice(cycle(permutations(ITEMS)), 30))
RANKS = [["1234"[turn.index(item)] for item in ITEMS] for turn in TURNS]
PLAIN = ",".join(ITEMS)


def csv_of(header, ballots, sign=","):
    return "\n".join([header, *map(sign.join, ballots)]) + "\n"


def lines_of(ballots):
    return "\n".join(ballots) + "\n"


def with_total(header, ballots):
    return csv_of(header, [*ballots, ["Total", "30", "30", "30"]])


def blt_of(ballots):
    return lines_of(["4 1", *ballots, "0", *(f'"{item}"' for item in ITEMS), '"Drinks"'])


COUNTED = [f"{n}: {' > '.join(turn)}" for n, turn in enumerate(TURNS, start=1)]
NUMBERED_PLACES = [" > ".join(f"{n}: {item}" for n, item in enumerate(turn, 1)) for turn in TURNS]
LISTS = [{"ballot": list(turn)} for turn in TURNS]
DECIMALS = [[f"{rank},5" for rank in ranks] for ranks in RANKS]
PLACED = [dict(zip(ITEMS, map(int, ranks), strict=True)) for ranks in RANKS]
ASKED_HIGH, ASKED_LISTS, ASKED_PLACES = {"best": "high"}, {"form": "lists"}, {"form": "places"}
IN_TURN = [[*turn[:3]] for turn in TURNS]
NUMBERED = [["Rome", "12"[n % 2], "21"[n % 2]] for n in range(24)]
BLT = [f"1 {' '.join(ranks)} 0" for ranks in RANKS]
TOOK_ALL = {
    "a cell in a column of text that nobody else fills": (
        partial(csv_of, f"{PLAIN},other"),
        [[*ranks, ""] for ranks in RANKS],
        [[*RANKS[7], "coffee"], [*RANKS[7], "5"]],
        {},
    ),
    "a place in such a column behind text": (
        partial(csv_of, f"city,{PLAIN},note"),
        [["Rome", *ranks, ""] for ranks in RANKS],
        [["Rome", *RANKS[7], "5"], ["Rome", *RANKS[7], "good"]],
        {},
    ),
    "another question that nobody else answers": (
        partial(csv_of, f"{PLAIN},Other [a],Other [b]"),
        [[*ranks, "", ""] for ranks in RANKS],
        [[*RANKS[7], "1", "2"]],
        {},
    ),
    "a point among commas": (
        partial(csv_of, ";".join(ITEMS), sign=";"),
        DECIMALS,
        [["1.5", *DECIMALS[7][1:]], ["1.5"] * 4],
        ASKED_HIGH,
    ),
    "the one comma that cannot part thousands": (
        partial(csv_of, ";".join(ITEMS), sign=";"),
        [["1,250", "2,125", "3,125", "4,125"], DECIMALS[7], *([["1,500"] * 4] * 4)],
        [["1,500", *DECIMALS[7][1:]]],
        ASKED_HIGH,
    ),
    "a score out of ten among those out of five": (
        partial(csv_of, PLAIN),
        [[f"{rank} out of 5" for rank in ranks] for ranks in RANKS],
        [["3 out of 10", "1 out of 5", "2 out of 5", "4 out of 5"]],
        ASKED_HIGH,
    ),
    "a score among places that nobody else gives": (
        partial(csv_of, PLAIN),
        [[*"123", ""] if n % 2 else [*"321", ""] for n in range(30)],
        [[*"123", "1.5"]],
        {"best": "low"},
    ),
    "a name where items have numbers": (
        partial(csv_of, "city,1st,2nd"),
        NUMBERED,
        [["Rome", "tea", "1"]],
        {},
    ),
    "a line without a count": (lines_of, COUNTED, ["5:", "5: ", "tea > milk", "1.5: tea"], {}),
    "keys of its own": (
        dumps,
        PLACED,
        [{"1st": "tea", "2nd": "milk"}, {"tea": {"a": 1, "b": 2}}, {"x (1)": 1, "x (2)": 0}],
        {},
    ),
    "places beside lists": (dumps, LISTS, [{"tea": 1, "milk": 2}], {}),
    "no list among lists": (
        dumps,
        LISTS,
        [{"ballot": [1.5]}, {"ballot": [True, "tea"]}, {"ballot": "tea>milk"}],
        ASKED_LISTS,
    ),
    "the word of a row of sums": (
        partial(with_total, "1st,2nd,3rd,4th"),
        [list(turn) for turn in TURNS],
        [["Total", "tea", "milk", "cola"]],
        {},
    ),
    "the names of a header": (
        partial(csv_of, "best,then,last"),
        IN_TURN,
        [["last", "then", "best"], ["then", "tea", "milk"]],
        ASKED_PLACES,
    ),
    "a place, below a title": (
        partial(csv_of, "Drinks,,,"),
        [["1st", "2nd", "3rd", "4th"], *map(list, TURNS)],
        [["tea", "1st", "milk", "cola"]],
        ASKED_PLACES,
    ),
    "a quote that another ballot closes": (
        partial(csv_of, "1st,2nd,3rd"),
        [*IN_TURN[:20], ["tea", '5" pizza', "milk"], *IN_TURN[21:]],
        [['"tea', "cola", "milk"], ["tea", '"milk', "cola"]],
        {},
    ),
    "a quote that a quoted cell of another ballot closes": (
        partial(csv_of, "ballot,comment"),
        [*([">".join(turn), "no"] for turn in TURNS), ["milk>tea", '"\nWell, yes"']],
        [["tea>milk", '"no'], ["tea>milk", '"']],
        {},
    ),
    "what a first ballot named": (
        lines_of,
        ["tea,cola", "cola,tea", "tea,milk"],
        ["milk,tea", "tea,x"],
        ASKED_PLACES,
    ),
    "a number among names without a header": (
        lines_of,
        [",".join(turn) for turn in IN_TURN],
        ["cola,4,tea", "1e3,tea,milk"],
        ASKED_PLACES,
    ),
    "no list, where few lists have no header": (
        lines_of,
        [">".join(turn) for turn in TURNS[:5]],
        ["Tea", "3rd", "x"],
        ASKED_LISTS,
    ),
    "the end of ballots": (blt_of, BLT, ["0"], {}),
    "no marks at any later place": (
        partial(csv_of, "tea(1),tea(2),milk(1),milk(2)"),
        [["1", "0", "0", "1"] if n % 2 else ["0", "1", "1", "0"] for n in range(30)],
        [["0", "-", "1", "-"], ["1", "2", "3", "4"]],
        ASKED_HIGH,
    ),
    "no number of a row": (
        partial(csv_of, f",{PLAIN}"),
        [[str(n), *ranks] for n, ranks in enumerate(RANKS)],
        [["x", *RANKS[7]], ["77", *RANKS[7]]],
        ASKED_PLACES | {"header": 1},
    ),
    "the title of a column of lists": (
        partial(csv_of, "city,drink"),
        [["Rome", ">".join(turn)] for turn in TURNS],
        [["Rome", "drink>tea"], ["Rome", "drink"]],
        {},
    ),
    "the titles of all columns": (
        partial(csv_of, "city,ballot"),
        [["Rome", ">".join(turn)] for turn in TURNS],
        [["ballot", "city"]],
        {},
    ),
    "the titles of all columns, of which one names items": (
        partial(csv_of, "favourite,ballot"),
        [[turn[0], ">".join(turn[: 1 + n % 4])] for n, turn in enumerate(TURNS)],
        [["ballot", "favourite"]],
        {},
    ),
    "one list fewer than tell that the first line is one": (
        partial(csv_of, "cola>tea"),
        [[list_] for list_ in ("tea>milk", "milk>tea", "tea>cola", "cola>tea", "tea") * 6],
        [["milk"]],
        ASKED_LISTS,
    ),
    "no numbers of places": (lines_of, NUMBERED_PLACES, ["tea > milk", "tea"], {}),
    "another number of cells": (
        partial(csv_of, "1st;2nd;3rd", sign=";"),
        IN_TURN,
        [["tea", "milk"], ["tea", "milk", "cola", ""]],
        ASKED_PLACES,
    ),
    "another number of cells, of which the first are asked for": (
        partial(csv_of, "1st;2nd;3rd;4th", sign=";"),
        [list(turn) for turn in TURNS],
        [["tea", "milk", "cola", "water", ""]],
        {"columns": ["1"]},
    ),
    "another number of cells below no header": (
        partial(csv_of, "tea;milk;cola", sign=";"),
        IN_TURN,
        [["tea", "milk"]],
        ASKED_PLACES,
    ),
    "a name of a header below a title": (
        partial(csv_of, "Drinks,,\n1st,2nd,3rd"),
        IN_TURN,
        [["1st", "tea", "milk"], ["Drinks", "tea", "milk"]],
        ASKED_PLACES,
    ),
    "a key with a blank": (dumps, PLACED, [{"tea": 1, " tea": 2}, {" tea": 1}], {}),
    "another sign where ballots are few": (
        partial(csv_of, "time,ballot"),
        [["9", ";".join(turn)] for turn in TURNS[:3]],
        [["9", "tea>milk"], ["9", "tea|milk"], ["tea\nmilk", ""]],
        {"columns": ["1-2"]},
    ),
}


@pytest.mark.parametrize("by_parts_alone", [False, True])
@pytest.mark.parametrize("form", TOOK_ALL)
def test_what_once_took_all_other_ballots_along_is_refused_or_takes_none(
    tmp_path, monkeypatch, form, by_parts_alone
):
    written, ballots, odd_ones, asked = TOOK_ALL[form]
    has_parts = len(ballots) >= 30 and written is not dumps  # which has columns of all records
    for form_of, rule in RULES if by_parts_alone and has_parts else ():
        monkeypatch.setattr(form_of, rule, lambda *_: 0)
    path = tmp_path / ("ballots.json" if written is dumps else "ballots.txt")
    at = 7 if len(ballots) > 7 else 1
    before, items = names_in(path, written(ballots), asked)
    assert before is not None or form.endswith("numbers")
    for other in odd_ones:
        after, others = names_in(path, written([*ballots[:at], other, *ballots[at + 1 :]]), asked)
        if before is not None and after is not None:
            assert (before - after).total() <= (8 if form.endswith("count") else 1)
            assert (after - before).total() <= 1
            assert items == others or written in (dumps, lines_of)


def names_in(path, text, asked):
    """Return how many people have each ranking, and the items; twice None where it is refused."""
    path.write_text(text)
    try:
        found = read_rankings(path, **asked)
    except HushrankError:
        return None, None
    return Counter((found.unranked, repr(ranking)) for ranking in found), found.names


ABOVE = [
    ["x", "1st", "2nd"],
    ["2nd", "1st", "x"],
    ["second", "cola", "1"],
    ["2nd", "CvrNumber", "4"],
    ["id", "tea", "milk"],
]


@pytest.mark.parametrize("own", ABOVE)
@pytest.mark.parametrize("asked", [{}, ASKED_PLACES, {"columns": ["1-3"]}])
def test_a_first_ballot_that_looks_like_a_header_moves_no_others(tmp_path, own, asked):
    path = tmp_path / "ballots.txt"
    before, _ = names_in(path, csv_of("tea,milk,cola", IN_TURN), asked)
    after, _ = names_in(path, csv_of(",".join(own), IN_TURN), asked)
    assert before is not None
    assert after is None or (before - after).total() <= 1


@pytest.mark.parametrize("own", ["x,id,y", "x,email,y", "x,,y"])
@pytest.mark.parametrize("second", ["tea,milk,cola", "cocoa,milk,tea"])
def test_a_first_ballot_sets_no_column_aside_where_another_names_what_none_does(
    tmp_path, own, second
):
    path = tmp_path / "ballots.csv"
    before, _ = names_in(path, csv_of("tea,milk,cola", [[second], *IN_TURN]), ASKED_PLACES)
    after, _ = names_in(path, csv_of(own, [[second], *IN_TURN]), ASKED_PLACES)
    assert before is not None
    assert after is None or (before - after).total() <= 1


def test_columns_below_a_header_that_may_be_a_ballot_are_asked_for(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_text(csv_of("hates,1st,2nd", IN_TURN))
    with pytest.raises(HushrankError, match="cannot tell how many lines are the header"):
        read_rankings(path)
    for said in ({"columns": ["2-3"]}, {"header": 1}):
        found = read_rankings(path, **said)
        assert found.n_people == 30
        assert found.reading.ignored == ("hates",)


def test_cities_beside_ballots_are_no_items_with_a_header_or_without(tmp_path):
    path, rows = tmp_path / "ballots.csv", [["Rome", *turn] for turn in IN_TURN]
    path.write_text(csv_of("city,1st,2nd,3rd", rows))
    assert read_rankings(path).names == tuple(sorted(ITEMS))
    for first in ("Rome", "cola"):
        path.write_text(csv_of(f"{first},milk,tea,cola", rows))
        with pytest.raises(HushrankError, match="column 1: expected names of items that stand in"):
            read_rankings(path)
    assert read_rankings(path, columns=["2-4"]).n_people == 31


@pytest.mark.parametrize(
    ("header", "first", "own"),
    [
        ("1st,2nd,3rd", "tea,milk,cola", "CvrNumber,TabulatorNum,x"),
        ("Drinks,,", "cocoa,,", "x,y,z"),
    ],
)
def test_a_second_ballot_does_not_take_the_first_into_the_header(tmp_path, header, first, own):
    path, ballots = tmp_path / "ballots.csv", [*IN_TURN, *IN_TURN]
    for second, n_people in (("milk,tea,cola", 62), (own, None)):
        path.write_text(lines_of([header, first, second, *map(",".join, ballots)]))
        if n_people:
            assert read_rankings(path, form="places").n_people == n_people
        else:
            with pytest.raises(HushrankError, match="cannot tell how many lines are the header"):
                read_rankings(path, form="places")


def test_one_cell_in_another_encoding_does_not_rename_what_all_others_name(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_bytes("1st,2nd\nthé,café\ncafé,thé\n".encode() + b"th\xe9,tea\n")
    with pytest.raises(HushrankError, match="line 4: expected text in UTF-8, got other bytes"):
        read_rankings(path)


def test_several_rows_of_one_person_take_no_others_along_either(tmp_path):
    path, header = tmp_path / "ballots.csv", f"who,{PLAIN},other"
    once = [[str(n), *ranks, ""] for n, ranks in enumerate(RANKS)]
    twice = [*once[:7], ["7", *RANKS[3], "coffee"], ["7", *RANKS[7], "coffee"], *once[8:]]
    back = [*once[:7], ["7", *RANKS[3], "coffee"], once[7], *once[8:]]
    before, items = names_in(path, csv_of(header, once), {"id": "who"})
    assert names_in(path, csv_of(header, twice), {"id": "who"}) == (None, None)
    assert names_in(path, csv_of(header, back), {"id": "who"}) == (before, items)


def test_what_only_a_later_ballot_took_back_is_no_item(tmp_path):
    path = tmp_path / "ballots.csv"
    rows = [["ann", "fanta", "tea"], ["bob", "milk", "tea"], ["ann", "tea", "milk"]]
    _, items = names_in(path, csv_of("who,1st,2nd", rows), {"id": "who"})
    assert items == ("milk", "tea")


WORDS = [(), ("average",), ("average", "mean"), ("average", "average")]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("n_same", [0, 3])
def test_the_last_ballot_makes_no_sums_of_those_above_it(tmp_path, words, n_same):
    path, header = tmp_path / "ballots.csv", f"{PLAIN},note"
    ballots = [*([*RANKS[0], "average"] for _ in range(n_same)), *([*row, "good"] for row in RANKS)]
    above = [*ballots, *([*RANKS[1], word] for word in words)]
    before, _ = names_in(path, csv_of(header, above), {})
    after, _ = names_in(path, csv_of(header, [*above, [*RANKS[2], "bad"]]), {})
    assert before is None or after is None or (after - before).total() == 1
    assert after is not None or (words and (n_same == 0 or "mean" in words))


def test_a_sum_is_left_out_below_ballots_of_which_none_says_its_word(tmp_path):
    path = tmp_path / "ballots.csv"
    before, _ = names_in(path, csv_of(PLAIN, RANKS), {})
    assert names_in(path, with_total(PLAIN, RANKS), {})[0] == before


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_several_rows_of_one_person_make_no_ballot_of_a_sum(tmp_path, n_rows):
    path, asked = tmp_path / "ballots.csv", {"id": "who", "ignore": ["note"]}
    header, end = f"who,{PLAIN},note", ["mean", *RANKS[0], ""]
    rows = [[f"p{n}", *row, "good"] for n, row in enumerate(RANKS)]
    before, _ = names_in(path, csv_of(header, [*rows, end]), asked)
    assert before is not None
    assert before.total() == len(RANKS)
    own = [["77", *RANKS[n], "mean"] for n in range(n_rows)]
    assert names_in(path, csv_of(header, [*rows, *own, end]), asked) == (None, None)


@pytest.mark.parametrize("number", ["5.", "1e1"])
def test_how_a_sum_is_written_is_no_matter_of_other_cells(tmp_path, number):
    path, asked = tmp_path / "ballots.csv", {"best": "high"}
    rows = [[f"p{n}", *row] for n, row in enumerate(RANKS)]
    below = ["Total", number, *("4" for _ in RANKS[0][1:])]
    before, _ = names_in(path, csv_of(f"name,{PLAIN}", [*rows, below]), asked)
    own = ["px", "n/a", *RANKS[0][1:]]
    after, _ = names_in(path, csv_of(f"name,{PLAIN}", [own, *rows, below]), asked)
    assert before is not None
    assert after is not None
    assert (before - after).total() == 0
    assert (after - before).total() == 1


@pytest.mark.parametrize("at", [0, 12, 29])
def test_a_ballot_at_another_row_makes_no_item_of_the_numbers_of_rows(tmp_path, at):
    path, header = tmp_path / "ballots.csv", ",1st,2nd,3rd"
    rows = [[str(n), *turn] for n, turn in enumerate(IN_TURN)]
    before, _ = names_in(path, csv_of(header, rows), ASKED_PLACES)
    moved = [*rows[:20], *rows[21:]]
    moved.insert(at, ["x", *IN_TURN[20]])
    after, _ = names_in(path, csv_of(header, moved), ASKED_PLACES)
    assert before is not None
    assert after is None or (before - after).total() <= 1


@pytest.mark.parametrize("n_rows", [2, 3, 5, 6])
def test_of_few_rows_none_makes_a_place_of_the_numbers_of_rows(tmp_path, n_rows):
    path, header = tmp_path / "ballots.csv", "1st,2nd,3rd,"
    rows = [[*turn, str(n)] for n, turn in enumerate(IN_TURN[:n_rows])]
    before, _ = names_in(path, csv_of(header, rows), ASKED_PLACES)
    assert before.total() == n_rows
    own = [*IN_TURN[9], "x"]
    others = [[*rows[:at], own, *rows[at:]] for at in (0, 1, n_rows)]
    for some in (*others, *([*rows[:at], *rows[at + 1 :]] for at in range(n_rows))):
        after, _ = names_in(path, csv_of(header, some), ASKED_PLACES)
        assert after is None or (after - before).total() == 0


def test_numbers_of_places_are_no_counts_of_ballots(tmp_path):
    path = tmp_path / "ballots.txt"
    before, items = names_in(path, lines_of(NUMBERED_PLACES), {})
    assert before.total() == len(TURNS)
    assert items == tuple(sorted(ITEMS))

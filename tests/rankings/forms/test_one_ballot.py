"""Whatever one ballot says, all others are read as before, or nothing is.

Else one person's ballot would move everybody's, and no sensitivity were true.
"""

from collections import Counter
from random import Random

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings

ITEMS = ("tea", "milk", "cola", "water")
PLACES = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}


def order(random):
    return random.sample(ITEMS, 4)


def places(random):
    return random.sample(list("1234"), 4)


FORMS = {
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


@pytest.mark.parametrize("form", FORMS)
def test_one_ballot_leaves_all_others_as_they_are_or_the_file_is_refused(tmp_path, form):
    header, ballot = FORMS[form]
    random, path, n_read = Random(form), tmp_path / "ballots.csv", 0
    ballots = [ballot(random) for _ in range(40)]
    before = read(path, header, ballots)
    assert before is not None
    for _ in range(60):
        at = random.choice((0, 1, 39))
        after = read(path, header, [*ballots[:at], odd(random, ballots), *ballots[at + 1 :]])
        if after is not None:
            n_read += 1
            assert (before - after).total() <= 1
            assert (after - before).total() <= 1
    assert n_read >= 5


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
    path.write_text("\n".join([header, *map(",".join, ballots)]) + "\n")
    try:
        found = read_rankings(path)
    except HushrankError:
        return None
    assert found.multiplicities is None
    return Counter((found.unranked, repr(ranking)) for ranking in found)

"""What few rows say is not how all are read: thirds of them, or all but one, tell the same."""

from collections import Counter
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from hushrank import Rankings
from hushrank.errors import HushrankError
from hushrank.files.columns import Table, text_columns
from hushrank.files.dealing import dealt
from hushrank.rankings.agreement import (
    FEWEST_ROWS,
    N_PARTS,
    require_alike,
    require_not_otherwise,
    require_parted_alike,
)
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.layouts import of_items

FEW_DECIDE = "few ballots would decide how all are read"
HEADER = "id,tea,milk,cola,other"
RANKS = ["a,1,2,3,", "b,2,1,3,", "c,3,1,2,"] * 20
BOTH = ["d,1,2,3,4", "e,2,1,3,4"]


def read(tmp_path, lines, **asked):
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_rankings(path, **asked)


def test_an_item_that_two_people_rank_is_asked_about(tmp_path):
    lines = [HEADER, *RANKS, *BOTH]
    with pytest.raises(HushrankError, match=FEW_DECIDE):
        read(tmp_path, lines)
    assert read(tmp_path, lines, columns=["2-5"]).names == ("tea", "milk", "cola", "other")
    assert read(tmp_path, lines, columns=["2-4"]).names == ("tea", "milk", "cola")


def test_an_item_that_many_rank_is_none_that_few_decide(tmp_path):
    assert read(tmp_path, [HEADER, *RANKS, *BOTH * 5]).names == ("tea", "milk", "cola", "other")


def test_a_name_that_one_person_writes_is_read(tmp_path):
    lines = ["1st,2nd", *["tea,milk", "milk,tea"] * 20, "cola,tea"]
    found = read(tmp_path, lines)
    assert found.names == ("cola", "milk", "tea")
    assert list(found[40]) == ["cola", "tea"]


@pytest.mark.parametrize("n_rows", [12, FEWEST_ROWS - 1, FEWEST_ROWS])
def test_of_few_rows_each_is_left_out_once(tmp_path, monkeypatch, n_rows):
    """One of them ranks what no other does; that it is not read by a rule of its own, too."""
    lines = [HEADER, *RANKS[: n_rows - 1], BOTH[0]]
    monkeypatch.setattr(of_items, "_require_no_lone_cells", lambda *_: None)
    with pytest.raises(HushrankError, match=FEW_DECIDE):
        read(tmp_path, lines)
    assert read(tmp_path, lines, columns=["2-5"]).n_items == 4


@pytest.mark.parametrize("own", ["juice;rum", "juice|rum"])
def test_of_few_rows_none_decides_in_place_of_another(tmp_path, own):
    """All others are parted by either sign; those that are not are as many."""
    items = ("tea", "milk", "cola", "rum", "juice")
    both = [f"{a};{b}|{c};tonic" for a, b, c in (items[:3], items[1:4], items[2:])]
    both += [f"{b};{a}|{c};tonic" for a, b, c in (items[:3], items[1:4])]
    others = ["tea;milk;rum", "milk;tea;rum", "rum|cola|tea", "cola|rum|tea"]
    with pytest.raises(HushrankError, match=FEW_DECIDE):
        read(tmp_path, ["ballot", *both, *others, own], form="lists", header=1)


def test_two_ballots_are_read_though_none_alone_would_be(tmp_path):
    assert read(tmp_path, ["tea,milk", "1,1", "1,2"]).n_people == 2


def test_how_numbers_are_written_is_no_matter_of_few_people(tmp_path):
    """Behind a point there may be thousands, unless somebody's digits are no three."""
    rows = [(f"p{n}", item) for n in range(40) for item in ("tea", "milk")]
    lines = [f'{person},{item},"1,{100 + n}"' for n, (person, item) in enumerate(rows)]
    header = "person,item,score"
    with pytest.raises(HushrankError):
        read(tmp_path, [header, *lines])
    with pytest.raises(HushrankError):
        read(tmp_path, [header, *lines, 'p40,tea,"1,5"', 'p40,milk,"2,5"'])


def test_scores_by_row_are_read_in_the_order_of_people_whichever_part_they_are_of(tmp_path):
    ballots = {f"p{n * 7 % 60}": ("tea", "milk", "cola")[: 1 + n % 3] for n in range(60)}
    rows = [f"{person},{item},{n}" for person, own in ballots.items() for n, item in enumerate(own)]
    found = read(tmp_path, ["person,item,rank", *sorted(rows, key=lambda row: row[-1])])
    assert [tuple(ranking) for ranking in found] == [*ballots.values()]


def test_one_ballot_in_place_of_another_leaves_a_part_as_it_was():
    random = Random(7)
    rows = [tuple(random.choices("123", k=4)) for _ in range(60)]
    before, n_changed = parts_of(rows), set()
    for _ in range(60):
        at, own = random.randrange(60), tuple(random.choices("123", k=4))
        after = parts_of([*rows[:at], own, *rows[at + 1 :]])
        n_changed.add(sum(before[part] != after[part] for part in range(N_PARTS)))
    assert n_changed == {0, 1, 2}
    assert max(n_changed) < N_PARTS


def parts_of(rows):
    """Return how often each part has which row."""
    parts = dealt(text_columns(rows, 4), N_PARTS).tolist()
    dealt_rows = [*zip(parts, rows, strict=True)]
    return [Counter(row for its, row in dealt_rows if its == part) for part in range(N_PARTS)]


@dataclass
class Told:
    """What a reader found."""

    rankings: Rankings
    form: str = "places"
    ignored: tuple[str, ...] = ()


def of_no_form(_orders):
    raise HushrankError("expected ballots")


@pytest.mark.parametrize(
    ("of_a_part", "is_read"),
    [
        (lambda orders: Told(Rankings.from_orders(orders, "abc")), True),
        (lambda orders: Told(Rankings.from_orders(orders[:, ::-1], "abc")), False),
        (lambda orders: Told(Rankings.from_orders(orders, "bac")), False),
        (lambda orders: Told(Rankings.from_orders(orders, "abc"), "ranks"), False),
        (of_no_form, False),
        (lambda orders: Told(Rankings.from_orders(orders, "abc"), ignored=("d",)), False),
    ],
)
def test_each_third_has_the_ballots_and_the_form_of_all(of_a_part, is_read):
    """The last one is read otherwise."""
    require(of_a_part, lambda rows: rows[0] == N_PARTS - 1, n_rows=60, is_read=is_read)


@pytest.mark.parametrize(("n_rows", "is_asked"), [(2, True), (29, True), (30, True), (31, False)])
@pytest.mark.parametrize("missing", [0, 1, -1])
def test_of_few_rows_all_but_one_have_the_form_of_all(n_rows, is_asked, missing):
    """One without which all others are read otherwise; without any other they are not read."""
    row = missing % n_rows

    def of_others(orders):
        return Told(Rankings.from_orders(orders, "abc"), "ranks")

    require(
        of_others,
        lambda rows: len(rows) == n_rows - 1 and row not in rows,
        n_rows=n_rows,
        is_read=not is_asked,
    )


def require(of_some, are_those, *, n_rows, is_read):
    """Read some rows in a way of their own, and say whether all are then read."""
    table = numbered(n_rows)
    orders = np.resize([[0, 1, 2], [1, 2, 0]], (n_rows, 3))

    def read(part):
        rows = numbers_in(part)
        as_all = Told(Rankings.from_orders(orders[rows], "abc"))
        return of_some(orders[rows]) if are_those(rows) else as_all

    found, rows = Told(Rankings.from_orders(orders, "abc")), np.arange(n_rows)
    if is_read:
        require_alike(found, read, table, rows, rows % N_PARTS)
    else:
        with pytest.raises(HushrankError, match=FEW_DECIDE):
            require_alike(found, read, table, rows, rows % N_PARTS)


def of_all(orders, people=None):
    return Told(Rankings(Rankings.from_orders(orders, "abc").ranks, "abc", people))


def of_two(orders):
    """Take the last of three items for none."""
    return Told(Rankings.from_orders(orders, "abc").of_items("ab"))


@pytest.mark.parametrize(
    ("otherwise", "may_be_alike", "is_read"),
    [
        (of_no_form, False, True),
        (of_all, True, True),
        (of_all, False, False),
        (of_two, True, False),
        (lambda orders: of_all(orders[:, ::-1]), True, False),
        (lambda orders: of_all(orders, np.full(len(orders), 2)), True, False),
        (lambda orders: Told(Rankings.from_orders(orders, "abc"), "ranks"), True, False),
    ],
)
@pytest.mark.parametrize(
    ("n_rows", "which"),
    [
        (60, lambda rows: [row % N_PARTS for row in rows] == [2] * 20),
        (29, lambda rows: len(rows) == 28 and 7 not in rows),
        (29, lambda rows: len(rows) == 29),
        (1, lambda rows: rows == [0]),
    ],
)
def test_no_third_is_read_otherwise_by_fewer_lines_of_a_header(
    otherwise, may_be_alike, is_read, n_rows, which
):
    """All other rows are not read by them."""
    orders = np.resize([[0, 1, 2], [1, 2, 0]], (n_rows, 3))

    def read(part):
        rows = numbers_in(part)
        return otherwise(orders[rows]) if which(rows) else of_no_form(orders)

    found, parts = of_all(orders), np.arange(n_rows) % N_PARTS
    if is_read:
        require_not_otherwise(found, read, numbered(n_rows), parts, may_be_alike=may_be_alike)
    else:
        with pytest.raises(HushrankError, match="cannot tell how many lines are the header"):
            require_not_otherwise(found, read, numbered(n_rows), parts, may_be_alike=may_be_alike)


@pytest.mark.parametrize("n_items", [3, 40])
def test_a_ballot_that_differs_at_its_last_item_is_read_otherwise(n_items):
    keys, names = np.tile(np.arange(n_items), (30, 1)), [f"item {n}" for n in range(n_items)]
    found = Told(Rankings.from_keys(keys, names))
    require_parted_alike(found, found)
    keys[-1, -1] -= 1
    with pytest.raises(HushrankError, match="parted otherwise"):
        require_parted_alike(found, Told(Rankings.from_keys(keys, names)))


def numbered(n_rows):
    return Table(("of",), text_columns([(str(n),) for n in range(n_rows)], 1), str)


def numbers_in(part):
    return [int(text) for (text,) in map(part.cells, range(part.n_rows))]


def test_lists_of_which_many_name_one_item_are_lists(tmp_path):
    random = Random(1)
    ballots = [
        random.sample(["tea", "milk", "cola"], random.choice((1, 1, 2, 3))) for _ in range(60)
    ]
    found = read(tmp_path, ["ballot", *(" > ".join(own) for own in ballots)])
    assert [list(ranking) for ranking in found] == ballots

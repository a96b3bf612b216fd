import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.rankings.formats import preflib, preflib_body
from hushrank.rankings.formats.preflib import format_preflib, parse_preflib
from hushrank.rankings.formats.preflib_body import any_body, strict_body
from hushrank.rankings.formats.preflib_header import KINDS, split_header
from hushrank.rankings.profile import Rankings

HEADER = """\
# FILE NAME: fruit.{kind}
# TITLE: Made-up fruit
# DATA TYPE: {kind}
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: {n_voters}
# NUMBER UNIQUE ORDERS: {n_orders}
# ALTERNATIVE NAME 1: apple
# ALTERNATIVE NAME 2: pear
# ALTERNATIVE NAME 3: plum
"""
FIRST_BALLOT = HEADER.count("\n") + 1
OLD = "3\n1,apple\n2,pear\n3,plum\n5,5,2\n3,2,1,3\n2,3,{1,2}\n"


def file_of(*ballots, kind="toi", n_voters=None, n_orders=None):
    people = [int(ballot.split(":")[0]) for ballot in ballots] if n_voters is None else []
    header = HEADER.format(
        kind=kind,
        n_voters=sum(people) if n_voters is None else n_voters,
        n_orders=len(ballots) if n_orders is None else n_orders,
    )
    return (header + "\n".join(ballots) + "\n").encode()


@st.composite
def rankings_of(draw, strict=False, complete=False, speaking=True):
    n_items = draw(st.integers(1, 6))
    n_rows = draw(st.integers(1, 6))
    levels = st.floats(0, 1) if strict else st.integers(0, 2)
    cell = levels if complete else st.one_of(levels, st.just(float("nan")))
    row = st.lists(cell, min_size=n_items, max_size=n_items)
    if strict:
        row = row.filter(lambda keys: len({k for k in keys if k == k}) == sum(k == k for k in keys))
    if speaking:
        row = row.filter(lambda keys: any(k == k for k in keys))
    keys = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    names = draw(st.permutations([f"item {n}" for n in range(n_items)]))
    people = draw(st.none() | st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    return Rankings.from_keys(keys, names, None if people is None else np.array(people))


def people_by_row(rankings):
    counted = rankings.counted()
    return dict(zip(map(bytes, counted.ranks), counted.people_of_rows.tolist(), strict=True))


def test_items_are_numbered_from_one_in_the_file_and_from_zero_in_the_code():
    rankings = parse_preflib(file_of("2: 3,1,2", "1: 1,2,3", kind="soc"))
    assert rankings.orders().tolist() == [[2, 0, 1], [0, 1, 2]]
    assert rankings.names == ("apple", "pear", "plum")
    assert rankings.people_of_rows.tolist() == [2, 1]


def test_ties_share_the_best_rank_and_unlisted_items_are_unranked():
    rankings = parse_preflib(file_of("4: {1,3},2", "1: 2", "2: 3, {2, 1}"))
    assert rankings.ranks.tolist() == [[0, 2, 0], [255, 0, 255], [1, 1, 0]]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n"])
def test_newlines_of_any_kind_and_a_missing_last_one_are_read_alike(newline):
    text = file_of("2: 3,1,2", "1: 1,2", kind="soi")
    other = text.decode().rstrip().replace("\n", newline).encode()
    assert parse_preflib(other) == parse_preflib(text)


def test_the_old_format_reads_like_the_modern_one():
    assert parse_preflib(OLD.encode()) == parse_preflib(file_of("3: 2,1,3", "2: 3,{1,2}"))


def test_a_line_of_ballots_repeated_keeps_its_row():
    assert parse_preflib(file_of("2: 1,2,3", "1: 1,2,3")).people_of_rows.tolist() == [2, 1]


def test_the_type_is_what_the_header_says_and_otherwise_what_the_ballots_are():
    text = file_of("2: 3", "1: {1,2}", kind="toi").replace(b"# DATA TYPE: toi\n", b"")
    assert not parse_preflib(text).is_strict


def test_more_than_two_digits_are_read_at_once():
    n_items = 300
    order = np.random.default_rng(1).permutation(n_items)
    rankings = Rankings.from_orders(order[None, :], multiplicities=np.array([123456]))
    text = format_preflib(rankings, "soc")
    header, body = split_header(text)
    assert strict_body(body, header) is not None
    assert parse_preflib(text) == rankings


@given(rankings_of(strict=True))
def test_the_fast_reader_and_the_line_reader_agree(rankings):
    text = format_preflib(rankings, "soi")
    header, body = split_header(text)
    fast, slow = strict_body(body, header), any_body(body, header)
    assert fast is not None
    assert np.array_equal(fast.ranks, slow.ranks)
    assert np.array_equal(fast.people, slow.people)
    assert np.array_equal(fast.lines, slow.lines)


@pytest.mark.parametrize("size", [1, 16, 40])
def test_blocks_of_any_size_are_read_alike(size, monkeypatch):
    """Lines of 12, 9 and 8 bytes: a block holds less than a line, one line, or several."""
    text = file_of("1000: 3,1,2", "200: 2,1", "30: 3,2", kind="soi")
    header, body = split_header(text)
    whole = strict_body(body, header)
    monkeypatch.setattr(preflib_body, "BYTES_OF_A_BLOCK", size)
    assert sum(1 for _ in preflib_body._blocks(body)) == {1: 3, 16: 3, 40: 1}[size]
    again = strict_body(body, header)
    assert again.ranks.tolist() == whole.ranks.tolist() == any_body(body, header).ranks.tolist()
    assert again.people.tolist() == whole.people.tolist() == [1000, 200, 30]
    assert again.lines.tolist() == whole.lines.tolist() == [FIRST_BALLOT + n for n in range(3)]


def test_a_line_of_the_last_block_that_is_not_plain_is_still_read(monkeypatch):
    monkeypatch.setattr(preflib_body, "BYTES_OF_A_BLOCK", 16)
    rankings = parse_preflib(file_of("2: 3,1,2", "1: 1,2,3", "4: {1,3},2"))
    assert rankings.ranks.tolist() == [[1, 2, 0], [0, 1, 2], [0, 2, 0]]


@pytest.mark.parametrize("line", ["5", "5:1 1,2,3", "3, 1:2,1"])
def test_the_last_line_of_many_is_checked(line):
    ballots = [*["1: 3,1,2"] * 24, line]
    text = file_of(*ballots, kind="soc", n_voters=29, n_orders=25)
    with pytest.raises(HushrankError, match=f"line {FIRST_BALLOT + 24}: expected"):
        parse_preflib(text)


@given(rankings_of(), st.sampled_from([1, 7, 2**18]))
def test_blocks_of_any_size_are_written_alike(rankings, size):
    whole = format_preflib(rankings, "toi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preflib, "CELLS_OF_A_BLOCK", size)
        assert format_preflib(rankings, "toi") == whole


def test_what_is_written_is_what_the_format_says():
    keys = [[2, 1, 1], [np.nan, 1, np.nan], [1, 2, 3], [5, 5, 5], [1, np.nan, 1], [1, 1, 2]]
    people = np.array([120, 7, 10**12, 1, 2, 30])
    text = format_preflib(Rankings.from_keys(keys, ["a", "b", "c"], people), "toi").decode()
    assert text.splitlines()[-6:] == [
        *("120: {2,3},1", "7: 2", "1000000000000: 1,2,3"),
        *("1: {1,2,3}", "2: {1,3}", "30: {1,2},3"),
    ]


def test_items_and_counts_of_several_digits_are_written_in_full():
    order = np.roll(np.arange(1234), 500)
    rankings = Rankings.from_orders(order[None, :], multiplicities=np.array([90210]))
    last = format_preflib(rankings, "soc").decode().splitlines()[-1]
    assert last == "90210: " + ",".join(str(item + 1) for item in order)


@given(rankings_of())
def test_rankings_with_ties_and_gaps_round_trip(rankings):
    again = parse_preflib(format_preflib(rankings, "toi"))
    assert again.names == rankings.names
    assert people_by_row(again) == people_by_row(rankings)


@given(rankings_of(strict=True, complete=True), st.sampled_from(KINDS))
def test_strict_complete_rankings_round_trip_in_every_kind(rankings, kind):
    again = parse_preflib(format_preflib(rankings, kind))
    assert people_by_row(again) == people_by_row(rankings)


def test_rows_that_do_not_repeat_keep_their_order():
    rankings = Rankings.from_orders(np.array([[2, 1, 0], [0, 1, 2], [1, 0, 2]]))
    assert parse_preflib(format_preflib(rankings, "soc")).ranks.tolist() == rankings.ranks.tolist()


def test_rows_that_repeat_are_counted_when_written():
    rankings = Rankings.from_orders(np.array([[1, 0], [0, 1], [1, 0]]))
    text = format_preflib(rankings, "soc").decode()
    assert "# NUMBER UNIQUE ORDERS: 2\n" in text
    assert "\n2: 2,1\n" in text


@pytest.mark.parametrize(
    ("kind", "keys", "expectation"),
    [
        ("soc", [[1, 1, 2]], "holds no ties"),
        ("soi", [[1, 1, 2]], "holds no ties"),
        ("soc", [[1, 2, np.nan]], "holds no unranked items"),
        ("toc", [[1, 1, np.nan]], "holds no unranked items"),
        ("toi", [[1, 1, 2], [np.nan] * 3], "holds no empty order"),
    ],
)
def test_a_kind_refuses_what_it_cannot_hold(kind, keys, expectation):
    rankings = Rankings.from_keys(keys, ["apple", "pear", "plum"])
    with pytest.raises(HushrankError, match=expectation):
        format_preflib(rankings, kind)


@pytest.mark.parametrize(
    "name", ["", " pear", "pe\nar", "pe\rar", "pear\0", "\ud800", "\ufeffpear"]
)
def test_a_name_that_a_line_cannot_hold_is_refused(name):
    rankings = Rankings.from_keys([[1, 2]], ["apple", name])
    with pytest.raises(HushrankError, match=r"for item 2$"):
        format_preflib(rankings, "soc")


def test_names_that_are_repeated_or_missing_become_distinct():
    text = file_of("1: 1,2,3").replace(b"plum", b"apple").replace(b": pear", b":")
    assert parse_preflib(text).names == ("apple", "2", "apple (2)")


BAD_BALLOTS = [
    ("1: 1,2,2", "each item at most once"),
    ("1: {1,2},2", "each item at most once"),
    ("1: 1,4", "items of 1..3"),
    ("1: 0,1", "items of 1..3"),
    ("1: 1,,2", "'count: order', ties in braces"),
    ("1: 1,2,", "'count: order', ties in braces"),
    ("1: {1,2", "'count: order', ties in braces"),
    ("1: {}", "'count: order', ties in braces"),
    ("1: 1 2", "'count: order', ties in braces"),
    ("1: pear", "'count: order', ties in braces"),
    ("1:", "'count: order', ties in braces"),
    ("1,2,3", "'count: order', ties in braces"),
    ("1;;2,3", "'count: order', ties in braces"),
    ("1:2 1,3", "'count: order', ties in braces"),
    ("-1: 1,2", "'count: order', ties in braces"),
    ("1.5: 1,2", "'count: order', ties in braces"),
    ("# 1: 1,2", "'count: order', ties in braces"),
    ("0: 1,2", "a count of 1..1000000000000"),
    ("9999999999999: 1,2", "a count of 1..1000000000000"),
]


@pytest.mark.parametrize(("ballot", "expectation"), BAD_BALLOTS)
def test_a_bad_ballot_is_named_by_its_line_only(ballot, expectation):
    text = file_of("2: 3,1,2", ballot, "1: 1,2,3", n_voters=4)
    with pytest.raises(HushrankError) as caught:
        parse_preflib(text)
    assert str(caught.value) == f"line {FIRST_BALLOT + 1}: expected {expectation}"


def test_an_item_that_there_is_not_is_ranked_on_no_other_ballot():
    text = file_of("1: 1,4", "1: 2,3", n_voters=2)
    with pytest.raises(HushrankError, match=rf"^line {FIRST_BALLOT}: expected items of 1\.\.3$"):
        parse_preflib(text)


@pytest.mark.parametrize("blank", ["\x0b", "\f", "\r", " \v"])
def test_no_ballot_is_lost_behind_an_odd_blank(blank):
    text = file_of(f"{blank}1: 1,2,3", "1: 3,2,1", n_voters=1, n_orders=1)
    with pytest.raises(HushrankError, match=f"^line {FIRST_BALLOT}: expected 'count: order'"):
        parse_preflib(text)


def test_no_ballot_is_lost_behind_a_comment_that_ends_in_a_lone_carriage_return():
    text = file_of("# so said\r1: 1,2,3", "1: 3,2,1", n_voters=1, n_orders=1)
    expectation = f"^line {FIRST_BALLOT}: expected lines that end in LF or CR LF$"
    with pytest.raises(HushrankError, match=expectation):
        parse_preflib(text)


def test_long_blanks_in_a_header_are_passed_over():
    """Patterns that may share blanks between two repeats would take hours here."""
    comment = b"# A" + b" " * 500_000 + b"x\n"
    text = file_of("1: 1,2,3")
    assert parse_preflib(comment + text) == parse_preflib(text)


@pytest.mark.parametrize(
    ("kind", "expectation"),
    [
        ("soc", "all 3 items, the type is soc"),
        ("toc", "all 3 items, the type is toc"),
    ],
)
def test_an_unranked_item_is_refused_where_the_type_says_complete(kind, expectation):
    with pytest.raises(HushrankError, match=f"^line {FIRST_BALLOT + 1}: expected {expectation}$"):
        parse_preflib(file_of("1: 1,2,3", "2: 3,1", "1: 2,1,3", kind=kind))


@pytest.mark.parametrize(
    ("kind", "last", "expectation"),
    [("soc", ",29", "all 30 items"), ("soi", ",{29,30}", "no ties")],
)
def test_what_does_not_fit_at_the_end_of_a_long_ballot_is_named_by_its_line(
    kind, last, expectation
):
    names = "".join(f"# ALTERNATIVE NAME {n}: item {n}\n" for n in range(1, 31))
    whole = ",".join(map(str, range(1, 31)))
    odd = ",".join(map(str, range(1, 29))) + last
    text = f"# DATA TYPE: {kind}\n# NUMBER ALTERNATIVES: 30\n{names}1: {whole}\n1: {odd}\n"
    with pytest.raises(HushrankError, match=f"^line 34: expected {expectation}"):
        parse_preflib(text.encode())


def test_a_tie_is_refused_where_the_type_says_strict():
    with pytest.raises(HushrankError, match=f"^line {FIRST_BALLOT + 1}: expected no ties"):
        parse_preflib(file_of("1: 1,2", "1: 3,{1,2}", "1: 1", kind="soi"))


@pytest.mark.parametrize(
    ("old", "new", "expectation"),
    [
        ("VOTERS: 3", "VOTERS: 4", "line 5: expected 4 voters as declared, got 3"),
        ("ORDERS: 2", "ORDERS: 1", "line 6: expected 1 unique orders as declared, got 2"),
        ("VOTERS: 3", "VOTERS: many", "line 5: expected a whole number"),
        ("VES: 3", "VES: 4", "line 4: expected 4 names, for items 1..4"),
        ("VES: 3", "VES: 2", "line 4: expected 2 names, for items 1..2"),
        ("VES: 3", "VES: 0", "line 4: expected at least 1 item"),
        ("NAME 3: plum", "NAME 2: plum", "line 9: expected a new item number"),
        ("NAME 3: plum", "NAME 7: plum", "line 4: expected 3 names, for items 1..3"),
        ("NAME 3: plum", "NAME: plum", "line 9: expected a new item number"),
        ("TYPE: toi", "TYPE: wmd", "line 3: expected a type of soc, soi, toc, toi"),
        ("NUMBER ALTER", "ALTER", "line 1: expected a header with '# NUMBER ALTERNATIVES: n'"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(old, new, expectation):
    text = file_of("2: 3,1,2", "1: 1,2").decode()
    assert text.count(old) == 1
    with pytest.raises(HushrankError) as caught:
        parse_preflib(text.replace(old, new).encode())
    assert str(caught.value) == expectation


def test_a_header_without_ballots_is_refused():
    with pytest.raises(HushrankError, match=f"^line {FIRST_BALLOT}: expected at least 1 ballot$"):
        parse_preflib(file_of("0:").replace(b"0:\n", b""))


@pytest.mark.parametrize(
    ("old", "new", "expectation"),
    [
        ("2,pear", "4,pear", "line 3: expected '2,' and a name"),
        ("5,5,2", "5,5", "line 5: expected 'voters,sum of counts,unique orders'"),
        ("5,5,2", "5,6,2", "line 5: expected 6 voters as declared, got 5"),
        ("5,5,2", "5,5,3", "line 5: expected 3 unique orders as declared, got 2"),
        ("3,2,1,3", "3:2,1,3", "line 6: expected 'count, order', ties in braces"),
        (
            "3,2,1,3\n2,3,{1,2}",
            "3: 2,1,3\n2: 3,1,2",
            "line 6: expected 'count, order', ties in braces",
        ),
        ("3\n1,", "9\n1,", "line 1: expected 9 names, a line of totals and ballots to follow"),
    ],
)
def test_an_old_file_that_does_not_fit_is_refused(old, new, expectation):
    with pytest.raises(HushrankError) as caught:
        parse_preflib(OLD.replace(old, new, 1).encode())
    assert str(caught.value) == expectation


def test_reading_a_long_file_asks_no_more_of_a_line_than_a_short_one(monkeypatch):
    """Each ballot is matched once, so the work grows with the lines, not with their square."""
    matched = []
    row_ranks = preflib_body._row_ranks
    monkeypatch.setattr(
        preflib_body, "_row_ranks", lambda *given: matched.append(0) or row_ranks(*given)
    )
    parse_preflib(file_of(*["1: 3,{1,2}"] * 500))
    assert len(matched) == 500


MANY = [f"item {n}" for n in range(1, 31)]


@pytest.mark.parametrize("last", ["30", "{29,30}"])
def test_all_of_many_names_and_places_are_read_in_both_formats(last):
    names = "".join(f"{n},{name}\n" for n, name in enumerate(MANY, start=1))
    order = ",".join([*map(str, range(1, 29)), last])
    old = parse_preflib(f"30\n{names}1,1,1\n1,{order}\n".encode())
    header = "".join(f"# ALTERNATIVE NAME {n}: {name}\n" for n, name in enumerate(MANY, start=1))
    new = parse_preflib(f"# NUMBER ALTERNATIVES: 30\n{header}1: {order}\n".encode())
    assert old == new
    assert old.names == tuple(MANY)
    assert old.ranks[0, :28].tolist() == list(range(28))
    assert old.ranks[0, 28:].tolist() == ([255, 28] if last == "30" else [28, 28])
    assert parse_preflib(format_preflib(old, "toi")) == old


@pytest.mark.parametrize("row", [0, 29])
def test_one_empty_order_of_many_cannot_be_written(row):
    keys = np.ones((30, 2))
    keys[row] = np.nan
    with pytest.raises(HushrankError, match="holds no empty order"):
        format_preflib(Rankings.from_keys(keys, ["apple", "pear"]), "toi")


@pytest.mark.parametrize("number", [1, 29])
def test_one_odd_line_of_many_names_is_refused(number):
    names = "".join(f"{99 if n == number else n},{name}\n" for n, name in enumerate(MANY, start=1))
    with pytest.raises(HushrankError, match=f"^line {number + 1}: expected '{number},' and a name"):
        parse_preflib(f"30\n{names}1,1,1\n1,1\n".encode())


def test_ties_below_many_places_are_written():
    keys = np.minimum(np.arange(30), 28)[None]
    written = format_preflib(Rankings.from_keys(keys, MANY), "toc").decode()
    assert written.endswith(",28,{29,30}\n")


@pytest.mark.parametrize("at", [0, 29])
def test_ballots_below_many_others_are_read(at):
    """Line by line, because of one that ties."""
    ballots = [f"{n}: 1,2,3" for n in range(1, 31)]
    ballots[at] = f"{at + 1}: {{1,2}}"
    found = parse_preflib(file_of(*ballots))
    assert found.people_of_rows.tolist() == list(range(1, 31))
    assert found.ranks[at].tolist() == [0, 0, 255]


def test_many_blocks_are_read_as_one(monkeypatch):
    monkeypatch.setattr(preflib_body, "BYTES_OF_A_BLOCK", 1)
    found = parse_preflib(file_of(*[f"{n}: 1,2,3" for n in range(1, 31)], kind="soc"))
    assert found.people_of_rows.tolist() == list(range(1, 31))


def test_a_tie_of_many_items_and_a_row_that_ranks_a_late_one_round_trip():
    keys = np.full((2, 30), np.nan)
    keys[0], keys[1, 29] = 1, 1
    rankings = Rankings.from_keys(keys, MANY)
    again = parse_preflib(format_preflib(rankings, "toi"))
    assert people_by_row(again) == people_by_row(rankings)


@pytest.mark.parametrize("at", [0, 24])
def test_one_tie_of_many_is_refused_where_the_type_says_strict(at):
    ballots = ["1: 1,2"] * 25
    ballots[at] = "1: 3,{1,2}"
    with pytest.raises(HushrankError, match=f"^line {FIRST_BALLOT + at}: expected no ties"):
        parse_preflib(file_of(*ballots, kind="soi"))

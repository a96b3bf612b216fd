import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.formats.order_files import is_order_file, parse_order_file

ORDERS = b"4 1\n0 3 2 0 3\n0 4 3 2 1 0\n\n0 1 1\n"


def test_items_count_from_zero_and_unlisted_ones_are_unranked():
    rankings = parse_order_file(ORDERS)
    assert rankings.ranks.tolist() == [[1, 255, 0, 2], [3, 2, 1, 0], [255, 0, 255, 255]]
    assert rankings.names == ("0", "1", "2", "3")
    assert rankings.multiplicities is None


def test_carriage_returns_change_nothing():
    assert parse_order_file(ORDERS.replace(b"\n", b"\r\n")) == parse_order_file(ORDERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"4 1\n0 1 2", True), (b"4\n1,pear\n", False), (b"4 2\n", False), (b"pear 1\n", False)],
)
def test_an_order_file_is_told_by_its_first_line(text, expected):
    assert is_order_file(text) is expected


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        (b"4\n0 1 2\n", "line 1: expected '<number of items> 1'"),
        (b"0 1\n0 1 0\n", "line 1: expected at least 1 item"),
        (b"4 1\n\n", "line 2: expected at least 1 order"),
        (b"4 1\n0 2 1 3\n0 2 1 4\n", "line 3: expected items of 0..3"),
        (b"4 1\n0 2 1 3\n0 2 1 1\n", "line 3: expected each item at most once"),
        (b"4 1\n0 2 1 3\n0 2 1\n", "line 3: expected as many items as the line says"),
        (b"4 1\n0 2 1 3\n1 2 1 3\n", "line 3: expected '0 <length> <item> ... <item>'"),
        (b"4 1\n0 2 1 3\n0 2 1 -3\n", "line 3: expected '0 <length> <item> ... <item>'"),
        (b"4 1\n0 2 1 3\n0 0\n", "line 3: expected '0 <length> <item> ... <item>'"),
        (b"70000 1\n0 1 1\n", "expected fewer than 65,535 items, got 70000"),
    ],
)
def test_a_bad_order_file_is_refused(text, expectation):
    with pytest.raises(HushrankError) as caught:
        parse_order_file(text)
    assert str(caught.value) == expectation


MANY = [f"0 30 {' '.join(str((n + at) % 30) for at in range(30))}" for n in range(30)]


def of_lines(*lines):
    return parse_order_file("\n".join(["30 1", *lines]).encode())


def test_all_of_many_orders_are_read():
    assert of_lines(*MANY).orders().tolist() == [np.roll(range(30), -n).tolist() for n in range(30)]


@pytest.mark.parametrize("at", [0, 29])
def test_one_bad_order_of_many_is_refused(at):
    with pytest.raises(HushrankError, match=f"^line {at + 2}: expected as many items"):
        of_lines(*MANY[:at], "0 3 1 2", *MANY[at:])

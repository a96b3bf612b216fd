import json

import numpy as np
import pytest

from hushrank.activities.activity_lines import LineReader

USERS, ITEMS = ("3", "tea lover"), ("5", "café", "7")


@pytest.mark.parametrize("wrong", [b"[" * 10**5, b'{"time":' * 10**5, b"\xff", b"{}", b"7", b""])
def test_what_is_no_activity_is_said_and_what_came_before_it_counts(wrong):
    told = LineReader(USERS, ITEMS).read([b'{"user":3,"item":5}', wrong, b'{"user":3,"item":7}'])
    assert told.problem == 'expected a JSON object with "user" and "item"'
    assert (told.users.tolist(), told.items.tolist()) == ([0], [0])


@pytest.mark.parametrize("time", ['{"item": 5}', "[5]"])
def test_a_time_that_has_room_for_an_item_is_none(time):
    """It is released as it is."""
    told = LineReader(USERS, ITEMS).read([f'{{"user":3,"item":5,"time":{time}}}'.encode()])
    assert told.problem == "expected a time that is a number or a text"
    assert not told.records


@pytest.mark.parametrize("said", ['"5"', "5", '"caf\\u00e9"', '"café"', "7"])
@pytest.mark.parametrize(("number", "released"), [(0, "5"), (1, "café"), (2, "7"), (-1, None)])
def test_a_released_item_is_written_in_one_way_however_the_true_one_was(said, number, released):
    """Else its form would tell of the true one."""
    reader = LineReader(USERS, ITEMS)
    told = reader.read([f'{{"user": 3, "item": {said}, "time": 9}}\n'.encode()])
    assert told.problem is None
    written = reader.write(told, np.array([number]))
    assert json.loads(written) == {"user": 3, "item": released, "time": 9}
    as_text = reader.read([b'{"user": 3, "item": "7", "time": 9}\n'])
    assert written == reader.write(as_text, np.array([number]))


MANY = tuple(f"name {n}" for n in range(30))


def lines_of(numbers):
    return [f'{{"user":"name {n}","item":"name {n}"}}'.encode() for n in numbers]


def test_all_of_many_lines_users_and_items_are_read_and_written():
    reader = LineReader(MANY, MANY)
    told = reader.read(lines_of(range(30)))
    assert told.users.tolist() == told.items.tolist() == list(range(30))
    written = reader.write(told, np.arange(30)[::-1]).splitlines()
    assert [json.loads(line)["item"] for line in written] == [*MANY[::-1]]


def test_the_last_of_many_names_may_come_as_a_number():
    names = tuple(map(str, range(30)))
    told = LineReader(names, names).read([b'{"user":29,"item":28}'])
    assert (told.users.tolist(), told.items.tolist()) == ([29], [28])


@pytest.mark.parametrize("at", [0, 29])
def test_what_is_wrong_with_one_of_many_lines_is_said(at):
    lines = lines_of(range(30))
    lines[at] = b'{"user":"nobody","item":"name 1"}'
    told = LineReader(MANY, MANY).read(lines)
    assert (len(told.records), told.problem) == (at, "expected a known user")

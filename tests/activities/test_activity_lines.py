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

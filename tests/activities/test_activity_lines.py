import json

import numpy as np
import pytest

from hushrank.activities.activity_lines import LineReader

USERS, ITEMS = ("3", "tea lover"), ("5", "café", "7")


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

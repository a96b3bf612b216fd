from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.workflows.results.release_warnings import is_judged


@pytest.mark.parametrize(
    ("counts", "judged"),
    [((40, 10), True), ((39, 10), False), ((900, 9), False), ((30, 30, 0), False), ((25,), False)],
)
def test_a_leakage_is_judged_where_enough_users_tell_each_value(counts, judged):
    """Of a value that nine users have, any release seems to tell nothing."""
    users = SimpleNamespace(values=lambda names, rows: SimpleNamespace(counts=np.array(counts)))
    plan = SimpleNamespace(names=("gender",), users=range(sum(counts)))
    assert is_judged(users, plan) is judged

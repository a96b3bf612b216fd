from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.workflows.results.release_warnings import _is_all_hidden, is_judged


@pytest.mark.parametrize(
    ("counts", "judged"),
    [((40, 10), True), ((39, 10), False), ((900, 9), False), ((30, 30, 0), False), ((25,), False)],
)
def test_a_leakage_is_judged_where_enough_users_tell_each_value(counts, judged):
    """Of a value that nine users have, any release seems to tell nothing."""
    users = SimpleNamespace(values=lambda names, rows: SimpleNamespace(counts=np.array(counts)))
    plan = SimpleNamespace(names=("gender",), users=range(sum(counts)))
    assert is_judged(users, plan) is judged


@pytest.mark.parametrize(
    ("leaked", "used", "hidden"),
    [(0.0, 0.1, True), (9e-7, 0.1, True), (1e-5, 0.1, False), (0.5, 0.1, False), (0.0, 0.3, False)],
)
def test_a_budget_is_too_large_where_less_of_it_hides_all(leaked, used, hidden):
    plan = SimpleNamespace(expected_distortion=used, leaked=SimpleNamespace(leakage_bits=leaked))
    assert _is_all_hidden(plan, 0.3) is hidden

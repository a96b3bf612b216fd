import re
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.workflows.results.release_warnings import (
    _is_all_hidden,
    is_judged,
    warnings_of,
    who_pays,
)


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


ALL_WITHHELD, SHOWN, NONE_CHANGED = (2, 2), (3, 1), (0, 0)


@pytest.mark.parametrize(
    ("paid", "with_what"),
    [
        (((3, 3), (2, 2), (0, 0)), "nothing"),
        (((0, 0), (0, 0), (2, 2)), "nothing"),
        ((*[NONE_CHANGED] * 29, ALL_WITHHELD), "nothing"),
        (((3, 3), (2, 2), (2, 1)), "another's record or none"),
        (((3, 1), (2, 2), (0, 0)), "another's record or none"),
        ((*[ALL_WITHHELD] * 29, SHOWN), "another's record or none"),
        (((0, 0), (0, 0), (0, 0)), "another's record or none"),
    ],
)
def test_records_are_said_to_be_withheld_alone_where_those_of_every_value_are(paid, with_what):
    plan = SimpleNamespace(names=("gender", "town"), is_pooled=False)
    changed = [
        SimpleNamespace(value=f"v{place}", users=4, changed=n, withheld=none)
        for place, (n, none) in enumerate(paid)
    ]
    said = who_pays(plan, changed)
    assert said.startswith(f"Released with {with_what}, by gender, town: v0 ")
    assert all(f"{each.value} {25 * each.changed} %" in said for each in changed)
    withheld = [f"(none: {25 * each.withheld} %)" for each in changed if each.withheld]
    assert re.findall(r"\(none: .*?\)", said) == (withheld if with_what != "nothing" else [])


@pytest.mark.parametrize("n_groups", [3, 30])
@pytest.mark.parametrize("told", [set(), {0}, {1}, {-1}, {0, 1, -1}])
def test_a_budget_is_more_than_can_be_used_where_nothing_is_told_of_any_group(told, n_groups):
    plans = [
        SimpleNamespace(
            names=("gender",),
            users=range(100),
            expected_distortion=used,
            leaked=SimpleNamespace(leakage_bits=float(not told.isdisjoint({n, n - n_groups}))),
        )
        for n, used in enumerate((*[0.01] * (n_groups - 1), 0.0304))
    ]
    counts = SimpleNamespace(counts=np.array([50, 50]))
    users = SimpleNamespace(values=lambda names, rows: counts, activity=range(9))
    terms = SimpleNamespace(method="privrank", distance="none", settled_budget=0.3000004)
    said = [each.partition(" nothing")[0] for each in warnings_of(terms, users, plans)]
    enough = "A budget of 0.3000004 is more than can be used: at 0.031 already"
    assert said == ([] if told else [enough])


@pytest.mark.parametrize(("few", "n_groups"), [(0, 3), (1, 3), (2, 3), (0, 30), (29, 30)])
def test_what_too_few_users_tell_is_said_of_each_group(few, n_groups):
    counts = [SimpleNamespace(counts=np.array([25, 25 - 20 * (n == few)])) for n in range(n_groups)]
    users = SimpleNamespace(values=lambda names, rows: counts[int(names[0])])
    plans = [SimpleNamespace(names=(str(n),), users=range(50)) for n in range(n_groups)]
    terms = SimpleNamespace(method="rand", settled_budget=0.3)
    (said,) = warnings_of(terms, users, plans)
    assert f"tell their {few}:" in said

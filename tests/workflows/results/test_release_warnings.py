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


@pytest.mark.parametrize(
    ("paid", "with_what"),
    [
        (((3, 3), (2, 2), (0, 0)), "nothing"),
        (((0, 0), (0, 0), (2, 2)), "nothing"),
        (((3, 3), (2, 2), (2, 1)), "another's record or none"),
        (((3, 1), (2, 2), (0, 0)), "another's record or none"),
        (((0, 0), (0, 0), (0, 0)), "another's record or none"),
    ],
)
def test_records_are_said_to_be_withheld_alone_where_those_of_every_value_are(paid, with_what):
    plan = SimpleNamespace(names=("gender", "town"), is_pooled=False)
    changed = [
        SimpleNamespace(value=value, users=4, changed=n, withheld=none)
        for value, (n, none) in zip("abc", paid, strict=True)
    ]
    said = who_pays(plan, changed)
    assert said.startswith(f"Released with {with_what}, by gender, town: a ")
    assert all(f"{each.value} {25 * each.changed} %" in said for each in changed)


@pytest.mark.parametrize("told", [set(), {0}, {1}, {2}, {0, 1, 2}])
def test_a_budget_is_more_than_can_be_used_where_nothing_is_told_of_any_group(told):
    plans = [
        SimpleNamespace(
            names=("gender",),
            users=range(100),
            expected_distortion=used,
            leaked=SimpleNamespace(leakage_bits=float(n in told)),
        )
        for n, used in enumerate((0.01, 0.02, 0.0304))
    ]
    counts = SimpleNamespace(counts=np.array([50, 50]))
    users = SimpleNamespace(values=lambda names, rows: counts, activity=range(9))
    terms = SimpleNamespace(method="privrank", distance="none", settled_budget=0.3000004)
    said = [each.partition(" nothing")[0] for each in warnings_of(terms, users, plans)]
    enough = "A budget of 0.3000004 is more than can be used: at 0.031 already"
    assert said == ([] if told else [enough])


@pytest.mark.parametrize("few", [0, 1, 2])
def test_what_too_few_users_tell_is_said_of_each_group(few):
    counts = [SimpleNamespace(counts=np.array([25, 5 if n == few else 25])) for n in range(3)]
    users = SimpleNamespace(values=lambda names, rows: counts[int(names[0])])
    plans = [SimpleNamespace(names=(str(n),), users=range(50)) for n in range(3)]
    terms = SimpleNamespace(method="rand", settled_budget=0.3)
    (said,) = warnings_of(terms, users, plans)
    assert f"tell their {few}:" in said

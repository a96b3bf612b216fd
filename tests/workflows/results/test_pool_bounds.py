from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.workflows.results import pool_bounds
from hushrank.workflows.results.pool_bounds import bound_of_pools
from tests.publishing.historical.test_historical import users


def drawn(*groups):
    plans = [SimpleNamespace(names=names, is_pooled=True) for names in groups]
    return SimpleNamespace(plans=plans)


@pytest.mark.parametrize(
    "groups",
    [[(f"a{n}", f"b{n}") for n in range(30)], [tuple(f"a{n}" for n in range(30))]],
    ids=["many groups", "many attributes"],
)
def test_the_bound_is_the_least_of_each_group_and_each_attribute(groups, monkeypatch):
    wanted = {*groups, *((name,) for names in groups for name in names)}
    for worst in wanted:
        monkeypatch.setattr(
            pool_bounds,
            "_bound",
            lambda _, __, names, ___, worst=worst: 0.5 - 0.1 * (names == worst),
        )
        assert bound_of_pools(None, drawn(*groups)) == 0.4


def test_one_value_cannot_be_guessed_wrong_and_two_are_as_records_tell(monkeypatch):
    """Of those who tell their value, of all groups that protect it."""
    found, seen = users(), []
    plans = [
        SimpleNamespace(names=names, users=members, is_pooled=True)
        for names, members in found.groups.items()
    ]
    released = found.activity.with_scores(found.activity.scores.sign() * 7)
    release = SimpleNamespace(plans=plans, activity=released)

    def bound(records, codes, n_values):
        assert set(records.data) <= {7}
        seen.append(codes)
        return 0.25

    monkeypatch.setattr(pool_bounds, "bound_on_attacks", bound)
    assert bound_of_pools(found, release) == 0.25
    asked = [found.private.select(found.rows[each.users]) for each in plans if "age" in each.names]
    told = np.concatenate([each.attribute("age").codes for each in asked])
    assert any(sorted(codes) == sorted(told[told >= 0]) for codes in seen)
    of_one = [plan for plan in plans if plan.names == ("group",)]
    young = of_one[0].users[found.values(("group",), of_one[0].users).codes == 0]
    of_one[0].users = young
    seen.clear()
    release.plans = of_one
    assert (bound_of_pools(found, release), seen) == (0.5, [])

from types import SimpleNamespace

import pytest

from hushrank.workflows.results import pool_bounds
from hushrank.workflows.results.pool_bounds import bound_of_pools


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

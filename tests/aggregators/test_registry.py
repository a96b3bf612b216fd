"""The one list of methods: what each needs, and that it does what its name says."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.private.order import PrivateOrder
from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import (
    METHODS,
    AggregationTerms,
    MethodName,
    RawOrder,
    method_named,
)
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

ORDER = (3, 1, 4, 0, 2)
RANKINGS = Rankings(Mallows(ORDER, 0.5).sample(500, rng=np.random.default_rng(1)), tuple("abcde"))
BALLOTS = Ballots(RANKINGS, majority(RANKINGS))


def terms(method):
    epsilon = 500.0 if method.is_private else None
    delta = 1e-6 if method.delta == "needed" else None
    return AggregationTerms(epsilon, delta, 60.0, Randomness.seeded(1), np.random.default_rng(1))


def test_every_name_has_its_method():
    assert {*METHODS} == {*get_args(MethodName)}
    assert all(name == method.name for name, method in METHODS.items())


@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_the_order_that_nearly_all_hold(name):
    """At an epsilon of 500 there is no noise to speak of; the price is the one that was asked."""
    method = METHODS[name]
    found = method.run(BALLOTS, terms(method))
    assert found.order == ORDER
    assert isinstance(found, PrivateOrder if method.is_private else RawOrder)
    if isinstance(found, PrivateOrder):
        assert found.method.startswith(name)
        assert found.spend.epsilon == 500
        assert found.spend.delta == (1e-6 if method.delta == "needed" else 0)
    else:
        assert found.method == name


SLOW = {"gaussian-kemeny"}  # half a million noisy margins take most of a minute
FEW = {"p-borda-hist"}


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW | FEW])
def test_a_thousand_items_are_no_special_case(name, epsilon):
    """Whole numbers of the exact draws then have thousands of digits."""
    method, n_items = METHODS[name], 1000
    orders = np.tile(np.arange(n_items), (40, 1))
    alike = Rankings.from_orders(orders, tuple(map(str, range(n_items))))
    given = replace(terms(method), epsilon=epsilon if method.is_private else None)
    found = method.run(Ballots(alike, majority(alike)), given)
    assert sorted(found.order) == list(range(n_items))
    confidence = getattr(getattr(found, "evidence", None), "confidence", None)
    assert confidence is None or len(confidence) == n_items - 1


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.is_private])
def test_every_private_method_spends_the_very_epsilon_and_delta_that_were_given(name):
    """Rounded to three digits, 0.0016 nats are a quarter more."""
    method, delta = METHODS[name], 1.0000001e-6
    asked = replace(terms(method), epsilon=0.0016, delta=delta)
    spend = method.run(BALLOTS, asked).spend
    assert (spend.epsilon, spend.delta) == (0.0016, 0 if method.delta == "refused" else delta)


def test_only_the_exact_method_knows_the_optimum():
    proven = {
        name
        for name, method in METHODS.items()
        if not method.is_private and METHODS[name].run(BALLOTS, terms(method)).best is not None
    }
    assert proven == {"kemeny"}
    found = METHODS["kemeny"].run(BALLOTS, terms(METHODS["kemeny"]))
    assert found.best == kemeny(BALLOTS.counts)
    assert found.ballots is BALLOTS


def test_without_a_name_the_budget_decides():
    assert method_named(None).name == "kemeny"
    assert method_named(None, epsilon=1.0).name == "auto"
    assert method_named(None, epsilon=1.0, delta=1e-6).name == "auto"


def takes(name, epsilon, delta):
    try:
        return method_named(name, epsilon=epsilon, delta=delta).name == name
    except HushrankError:
        return False


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_the_budget_that_it_needs_and_no_other(name):
    method = METHODS[name]
    budgets = {(None, None), (1.0, None), (1.0, 1e-6), (None, 1e-6)}
    taken = {budget for budget in budgets if takes(name, *budget)}
    if not method.is_private:
        assert taken == {(None, None)}
    else:
        by_delta = {"needed": {(1.0, 1e-6)}, "refused": {(1.0, None)}}
        assert taken == by_delta.get(method.delta, {(1.0, None), (1.0, 1e-6)})


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "message"),
    [
        ("p-borda", None, None, "p-borda needs an epsilon"),
        ("borda", 1.0, None, "borda is not private: epsilon and delta need another method"),
        ("kemeny", None, 0.1, "a delta needs an epsilon"),
        ("gaussian-borda", 1.0, None, "gaussian-borda needs a delta, such as 1e-6"),
        ("p-sort", 1.0, 1e-6, "p-sort is pure: a delta goes with gaussian-\\* and auto"),
    ],
)
def test_a_budget_that_does_not_fit_is_said(name, epsilon, delta, message):
    with pytest.raises(HushrankError, match=message):
        method_named(name, epsilon=epsilon, delta=delta)


def test_an_unknown_name_is_refused():
    with pytest.raises(HushrankError, match="expected a method of auto, p-borda"):
        method_named("best")


MANY = (*range(30), *range(39, 29, -1))
"""Of forty items the last ten are the other way round."""


@pytest.mark.parametrize("name", [name for name, each in METHODS.items() if not each.is_private])
def test_the_last_of_many_items_are_ordered_as_all_hold(name):
    names = tuple(map(str, range(40)))
    alike = Rankings.from_orders(np.tile(MANY, (30, 1)), names)
    method = METHODS[name]
    assert method.run(Ballots(alike, majority(alike)), terms(method)).order == MANY

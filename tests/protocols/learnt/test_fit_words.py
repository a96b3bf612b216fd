from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.estimators.goodness_of_fit import GoodnessOfFit, chance_in_words
from hushrank.estimators.popular.in_ordinary_reports import FoundOrders
from hushrank.estimators.popular.unseen import UnseenOrder
from hushrank.models.popular_orders import PopularOrders
from hushrank.protocols.learnt.fit_words import (
    MATTERS,
    goodness_json,
    goodness_words,
    popular_json,
    popular_words,
    unseen_json,
    unseen_words,
)


def test_every_popular_order_is_told_to_its_last_item():
    popular = PopularOrders(np.array([[2, 0, 1], [0, 1, 2], [1, 2, 0]]), np.array([0.3, 0.2, 0.1]))
    found = SimpleNamespace(popular=popular, share_errors=np.full(3, 0.01), share_error=0.02)
    told = popular_json(found, "abc")["popular_orders"]["orders"]
    assert [(each["order"], each["share"], each["share_error"]) for each in told] == [
        (["c", "a", "b"], 0.3, 0.01),
        (["a", "b", "c"], 0.2, 0.01),
        (["b", "c", "a"], 0.1, 0.01),
    ]


def test_of_many_orders_of_many_items_each_is_told_whole():
    rng, shares = np.random.default_rng(1), np.arange(1, 31) / 1000
    orders = rng.permuted(np.tile(np.arange(50), (30, 1)), axis=1)
    exact = np.arange(30) / 100
    found = FoundOrders(
        PopularOrders(orders, shares), shares / 10, 0.02, None, None, None, None, exact
    )
    told = popular_json(found, [f"item {n}" for n in range(50)])["popular_orders"]["orders"]
    assert [each["order"] for each in told] == [[f"item {n}" for n in row] for row in orders]
    assert [each["share"] for each in told] == shares.tolist()
    assert [each["exact"] for each in told] == exact.tolist()
    said = popular_words(found)["popular orders"]
    assert said.endswith(f"with probability {', '.join(f'{each:.2f}' for each in exact)})")


@pytest.mark.parametrize("exact", [None, np.array([0.999, 0.516])])
def test_how_likely_people_hold_just_these_orders_is_told_where_it_is_known(exact):
    popular = PopularOrders(np.array([[2, 0, 1], [0, 1, 2]]), np.array([0.3, 0.2]))
    found = FoundOrders(popular, np.full(2, 0.01), 0.02, None, None, None, None, exact)
    told = [each["exact"] for each in popular_json(found, "abc")["popular_orders"]["orders"]]
    assert told == ([None, None] if exact is None else [0.999, 0.516])
    words = popular_words(found)["popular orders"]
    assert words.startswith("2 found: 50.0 % ± 2.0 % of people hold them, or orders near them")
    assert words.endswith(
        "near them" if exact is None else " (just these with probability 0.99, 0.52)"
    )


def test_the_share_of_all_popular_orders_together_has_an_error_of_its_own():
    popular = PopularOrders(np.array([[2, 0, 1], [0, 1, 2]]), np.array([0.25, 0.125]))
    found = SimpleNamespace(popular=popular, share_errors=np.array([0.01, 0.02]), share_error=0.03)
    told = popular_json(found, "abc")["popular_orders"]
    assert (told["share"], told["share_error"]) == (0.375, 0.03)


@pytest.mark.parametrize(("statistic", "widened"), [(90.0, 1.5), (41.0, 1.0)])
def test_how_much_errors_were_widened_is_told_where_reports_do_not_fit(statistic, widened):
    goodness = GoodnessOfFit(statistic, expected=40.0, variance=80.0)
    told = goodness_json(goodness)["goodness_of_fit"]
    assert (told["statistic"], told["expected"]) == (statistic, 40.0)
    assert told["errors_widened"] == pytest.approx(widened)
    assert told["fits"] == (widened == 1) == (told["p_value"] >= 0.01)
    said = goodness_words(goodness)
    assert not said if told["fits"] else "errors are widened 1.50 times" in said["fit"]
    assert told["fits"] or f"(chance {chance_in_words(told['p_value'])} if" in said["fit"]


def test_an_order_that_goes_unseen_is_told_in_words_where_it_makes_errors_larger():
    for share, errors in ((0.5, 1.2), (0.001, 1.3)):
        unseen = UnseenOrder(share, errors)
        told = unseen_json(unseen)["unseen_orders"]
        assert told == {"share": share, "errors_if_there_is_one": errors}
        assert bool(unseen_words(unseen)) == (errors > MATTERS)


def test_no_order_is_told_to_go_unseen_less_than_it_can():
    said = unseen_words(UnseenOrder(share=0.0421, errors=1.34))["unseen orders"]
    assert "5 % of people hold goes unseen in half" in said
    assert "errors 1.4 times as wide" in said

from math import factorial

import pytest

import hushrank
from hushrank.accounting.words import best_guess
from hushrank.workflows.results.consensus.ties import order_in_words, ties_in_words
from hushrank.workflows.results.consensus.words import caption, plain

BALLOTS = hushrank.simulate("mallows", people=200, items=4, seed=1)


@pytest.mark.parametrize(("method", "delta"), [("p-borda", None), ("gaussian-borda", 0.1)])
def test_a_lay_reader_is_told_of_all_that_an_order_may_give_away(method, delta):
    found = hushrank.aggregate(BALLOTS, epsilon=1, delta=delta, method=method)
    (spend,) = found.spend
    guess = best_guess(spend.epsilon, spend.delta)
    assert f"guesses right at most {guess} times in 100" in plain(found)
    assert (float(guess) > float(best_guess(1.0))) == (delta is not None)


@pytest.mark.parametrize(
    ("method", "delta", "said"),
    [("p-borda", None, "(epsilon 1, "), ("gaussian-borda", 0.1, "(epsilon 1, delta 0.1, ")],
)
def test_under_a_picture_stands_the_delta_of_an_order_that_has_one(method, delta, said):
    found = hushrank.aggregate(BALLOTS, epsilon=1, delta=delta, method=method)
    assert f"{said}differential privacy)" in caption(found)
    assert f" per ballot{', delta 0.1' if delta else ''}" in found.summary["epsilon"]


@pytest.mark.parametrize("n_items", [3, 30, 300])
def test_items_that_may_all_stand_in_any_order_are_all_joined(n_items):
    names, n_orders = [f"i{n}" for n in range(n_items)], factorial(n_items)
    assert order_in_words(names, [names], n_orders) == " = ".join(names)
    assert f"{n_orders:,} orders are as good" in ties_in_words([names], n_orders)["tied"]


@pytest.mark.parametrize("n_orders", [2, 5, None])
def test_items_of_which_not_every_order_is_as_good_are_not_joined(n_orders):
    assert order_in_words(["a", "b", "c", "d"], ["abc"], n_orders) == "a > b > c > d"
    assert order_in_words(["a", "b", "c", "d"], ["abc"], 6) == "a = b = c > d"
    said = ties_in_words(["abc"], n_orders)["tied"]
    assert ("in which these stand otherwise" if n_orders else "other orders are as good") in said

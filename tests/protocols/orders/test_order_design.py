from itertools import combinations, permutations, product
from math import comb, factorial

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.protocols.orders.order_design import (
    LARGEST_WHOLE_EPSILON,
    MOST_BLOCKS,
    REST_SPREADS,
    WHOLE_SHARES,
    OrderDesign,
    block_response,
    choose_order_design,
    known_of_scores,
    noise_of_blocks,
    noise_of_whole,
    order_designs,
    predicted_loss,
    whole_survey,
)
from hushrank.protocols.orders.query_counts import best_queries


def covariance_of_margins(n_items, block_size, gap):
    """Return the covariance of a person's estimate of all margins, of uniform reported orders.

    By listing every block and every order that may be reported of it.
    """
    pairs = list(combinations(range(n_items), 2))
    chance = comb(block_size, 2) / len(pairs)
    total = np.zeros((len(pairs), len(pairs)))
    blocks = list(combinations(range(n_items), block_size))
    for block in blocks:
        for order in permutations(block):
            signs = np.zeros(len(pairs))
            for nth, (a, b) in enumerate(pairs):
                if a in block and b in block:
                    signs[nth] = 1 if order.index(a) < order.index(b) else -1
            total += np.outer(signs, signs) / (chance * gap) ** 2
    return total / len(blocks) / factorial(block_size)


@pytest.mark.parametrize(("n_items", "block_size"), [(4, 2), (5, 3), (6, 4), (5, 5)])
def test_the_noise_of_blocks_is_that_of_uniform_reports(n_items, block_size):
    noise = noise_of_blocks(n_items, 2.0, block_size, 1)
    covariance = covariance_of_margins(
        n_items, block_size, block_response(block_size, 2.0, 1).rates.reach
    )
    first, second = np.array(list(combinations(range(n_items), 2))).T
    of_scores = np.eye(n_items)[first] - np.eye(n_items)[second]
    scores = of_scores @ np.arange(n_items)
    circle = np.zeros(len(first))
    for a, b, sign in ((0, 1, 1), (1, 2, 1), (0, 2, -1)):
        circle[(first == a) & (second == b)] = sign
    for direction, variance in ((scores, noise.of_scores), (circle, noise.of_rest)):
        assert covariance @ direction == pytest.approx(variance * direction)


def test_the_noise_of_whole_orders_is_that_of_mean_ranks():
    """Of margins that are differences of scores: m (s_a - s_b) is the difference of their sums."""
    signal, n_items = SubsetOrder(6, 2.0).signal, 6
    of_rank = (n_items + 1) / 12 * n_items * (signal**-2 - 1)  # but for what ranks have in common
    assert noise_of_whole(n_items, 2.0).of_scores == pytest.approx(4 * of_rank / n_items)
    assert noise_of_whole(n_items, 2.0).of_rest == np.inf


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2, 8, 30])
@pytest.mark.parametrize("n_items", [2, 3, 7, 16, 100])
def test_every_design_costs_at_most_epsilon_and_asks_about_every_pair(n_items, epsilon):
    for n_people in (50, 5000, 10**12):
        design = choose_order_design(n_items, epsilon=epsilon, n_people=n_people)
        assert design.whole_share < 1
        assert 2 <= design.block_size <= n_items
        assert design.block_size == 2 or comb(n_items, design.block_size) <= MOST_BLOCKS
        assert design.block_size == 2 or design.n_answers == 1
        if design.whole_share:
            survey = whole_survey(n_items, epsilon, design)
            assert survey.epsilon == min(epsilon, LARGEST_WHOLE_EPSILON)


def test_blocks_of_every_size_may_be_asked_of_every_share_of_the_people():
    designs = [(each.block_size, each.whole_share) for each in order_designs(4, 2.0)]
    assert designs == list(product((2, 3, 4), WHOLE_SHARES))


@pytest.mark.parametrize("epsilon", [0.3, 2, 5])
@pytest.mark.parametrize("n_items", [4, 9, 14])
def test_the_design_that_is_chosen_regrets_least_but_for_whole_orders(n_items, epsilon):
    designs = list(order_designs(n_items, epsilon))
    losses = np.array(
        [
            [predicted_loss(each, n_items, epsilon, 3000, rest_spread=w) for w in REST_SPREADS]
            for each in designs
        ]
    )
    regrets = (losses / losses.min(axis=0)).max(axis=1)
    chosen = choose_order_design(n_items, epsilon=epsilon, n_people=3000)
    assert regrets[designs.index(chosen)] <= 1.02 * regrets.min()
    assert regrets[designs.index(chosen)] < 1.45


def test_pairs_are_asked_where_reports_are_weak_and_larger_blocks_where_they_are_clear():
    sizes = [choose_order_design(10, epsilon=e, n_people=5000).block_size for e in (0.5, 2, 5)]
    assert sizes == [2, 3, 4]
    assert choose_order_design(10, epsilon=0.5, n_people=5000).whole_share == 0


def test_more_people_and_more_epsilon_lose_less():
    design = OrderDesign(3, 1, 0.5)
    losses = [
        predicted_loss(design, 8, epsilon, n_people, rest_spread=0.05)
        for epsilon, n_people in ((1, 100), (1, 10_000), (3, 10_000), (3, 10**9))
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 1e-6
    whole = OrderDesign(3, 1, 0.0), OrderDesign(3, 1, 0.75)
    assert predicted_loss(whole[0], 8, 3, 10**9, rest_spread=0.05) < 1e-6
    assert known_of_scores(whole[1], 12, 3.0) > known_of_scores(whole[0], 12, 3.0)


@pytest.mark.parametrize(
    "wrong", [{"n_people": 0}, {"epsilon": 0.0}, {"epsilon": np.inf}, {"n_items": 1}]
)
def test_impossible_numbers_are_refused(wrong):
    numbers = {"n_items": 5, "epsilon": 1.0, "n_people": 100} | wrong
    with pytest.raises(HushrankError):
        choose_order_design(numbers.pop("n_items"), **numbers)


@pytest.mark.parametrize("rest_spread", [0.02, 0.1])
@pytest.mark.parametrize("design", [OrderDesign(2, 2), OrderDesign(3, 1, 0.25)])
def test_the_predicted_loss_is_that_of_normal_margins(design, rest_spread):
    """Of a margin T with estimate E: what |T| is larger than |E|, half of it, on average."""
    n_items, epsilon, n_people = 5, 2.0, 700
    first, second = np.array(list(combinations(range(n_items), 2))).T
    of_items = np.eye(n_items)[first] - np.eye(n_items)[second]
    scores = of_items @ np.linalg.pinv(of_items)
    rest = np.eye(len(first)) - scores
    prior = n_items * 0.3**2 * scores + rest_spread**2 * rest
    blocks = noise_of_blocks(n_items, epsilon, design.block_size, design.n_answers)
    known = (1 - design.whole_share) * (scores / blocks.of_scores + rest / blocks.of_rest)
    if design.whole_share:
        known += design.whole_share * scores / noise_of_whole(n_items, epsilon).of_scores
    left = np.linalg.inv(np.linalg.inv(prior) + n_people * known)
    spread, told = (np.trace(each) / len(first) for each in (prior, prior - left))
    expected = (np.sqrt(spread) - np.sqrt(told)) * np.sqrt(2 / np.pi) / 2
    found = predicted_loss(design, n_items, epsilon, n_people, rest_spread=rest_spread)
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_person_answers_as_many_pairs_as_are_best_and_one_larger_block():
    for design in order_designs(6, 7.0):
        best = best_queries(7.0, comb(6, 2)) if design.block_size == 2 else 1
        assert design.n_answers == best
    assert best_queries(7.0, comb(6, 2)) > 1

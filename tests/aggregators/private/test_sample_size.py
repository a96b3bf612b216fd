from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from math import ceil, comb, exp, factorial, inf, log

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from hushrank.aggregators.private.quicksort import noisy_comparisons, p_sort
from hushrank.aggregators.private.sample_size import (
    _agreement,
    chance_of_sorting,
    orders_at_distances,
    voters_by_theorem,
    voters_for_error,
    voters_for_zero_error,
    voters_of_mallows_theorem,
)
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.statistics import random_seed

NAN = float("nan")


def chance_of_error(counts: np.ndarray, n_people: int, alpha: float, epsilon: float) -> float:
    """P(excess above alpha) of P-SAMPLE, exactly, by all orders."""
    orders = permutations(range(len(counts)))
    n_pairs = comb(len(counts), 2)
    costs = np.array([kendall_cost(counts, order) for order in orders])
    weights = np.exp(-epsilon * (costs - costs.min()) / n_pairs)
    excess = (costs - costs.min()) / (n_people * n_pairs)
    return float(weights[excess > alpha].sum() / weights.sum())


def test_orders_are_counted_by_their_distance():
    assert orders_at_distances(4) == [1, 3, 5, 6, 5, 3, 1]
    assert sum(orders_at_distances(12)) == factorial(12)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("dispersion", [0.0, 0.5, 0.95])
def test_so_many_voters_keep_the_error_as_stated(alpha, dispersion):
    n_people = voters_for_error(5, alpha=alpha, delta=0.05, epsilon=0.5)
    ranks = Mallows((2, 0, 3, 1, 4), dispersion).sample(n_people, rng=np.random.default_rng(1))
    counts = majority(Rankings(ranks, tuple("abcde")))
    assert chance_of_error(counts, n_people, alpha, 0.5) <= 0.05


@pytest.mark.parametrize("n_items", [2, 3, 4, 5])
@pytest.mark.parametrize(("alpha", "delta"), [(0.01, 0.5), (0.5, 0.05), (0.65, 1e-9), (0.9, 0.3)])
def test_no_fewer_voters_reach_the_bound(n_items, alpha, delta):
    """Of all orders, one by one; half of six pairs is a distance that is just near enough."""
    n_pairs = comb(n_items, 2)
    distances = np.array(
        [sum(a > b for a, b in combinations(order, 2)) for order in permutations(range(n_items))]
    )
    is_near = distances <= alpha * n_pairs

    def chance(n_people):
        bad = (~is_near).sum() * exp(-0.5 * alpha * n_people)
        return bad / (bad + np.exp(-0.5 * n_people * distances[is_near] / n_pairs).sum())

    found = voters_for_error(n_items, alpha=alpha, delta=delta, epsilon=0.5)
    assert chance(found) <= delta
    assert found == 1 or chance(found - 1) > delta


def test_one_voter_may_be_enough():
    assert voters_for_error(2, alpha=0.9, delta=0.3, epsilon=50.0) == 1


def test_a_quarter_of_the_voters_can_be_too_few():
    """Where all agree on two items and on nothing else, the bound is nearly reached."""
    n_people = voters_for_error(2, alpha=0.5, delta=0.05, epsilon=0.5)
    unanimous = np.array([[0, 1], [0, 0]])
    assert chance_of_error(unanimous * n_people, n_people, 0.5, 0.5) <= 0.05
    fewer = n_people // 4
    assert chance_of_error(unanimous * fewer, fewer, 0.5, 0.5) > 0.05


def test_two_items_have_a_closed_form():
    """b / (1 + b) <= δ where the bad order weighs b = e^(-ε a n) and the good one at least 1."""
    for alpha in (0.1, 0.3):
        n_people = voters_for_error(2, alpha=alpha, delta=0.05, epsilon=0.5)
        bad = [exp(-0.5 * alpha * n) for n in (n_people, n_people - 1)]
        assert bad[0] / (1 + bad[0]) <= 0.05 < bad[1] / (1 + bad[1])


def test_the_printed_bound_is_that_of_its_theorem():
    """2 / (0.1 * 0.5) (ln 24 + ln 20) = 246.9..."""
    assert voters_by_theorem(4, alpha=0.1, delta=0.05, epsilon=0.5) == 247


@pytest.mark.parametrize("n_items", [2, 5, 10, 45])
def test_the_printed_bound_asks_for_more(n_items):
    goal = {"alpha": 0.01, "delta": 0.05, "epsilon": 0.1}
    refined, printed = voters_for_error(n_items, **goal), voters_by_theorem(n_items, **goal)
    assert 0.3 * printed < refined <= printed / 2 + 1


def test_the_chance_of_sorting_is_that_of_quicksort():
    """Three items: the middle pivot, one in three, needs two comparisons, others three."""
    assert chance_of_sorting(2, 1) == pytest.approx(1)
    assert chance_of_sorting(3, 3) == pytest.approx(1)
    assert chance_of_sorting(3, 2) == pytest.approx(1 / 3 + 2 / 3 / 2)
    assert chance_of_sorting(3, 0) == pytest.approx(1 / 3 / 4 + 2 / 3 / 8)


def law_of_comparisons(n_items: int) -> Counter[int]:
    """How likely quicksort needs so many comparisons, exactly, pivot by pivot."""
    if n_items <= 1:
        return Counter({0: Fraction(1)})
    law = Counter()
    for left in range(n_items):
        sides = (law_of_comparisons(left), law_of_comparisons(n_items - 1 - left))
        for (a, first), (b, second) in product(*(side.items() for side in sides)):
            law[n_items - 1 + a + b] += first * second / n_items
    return law


@pytest.mark.parametrize("n_items", [2, 5, 7])
@pytest.mark.parametrize("n_comparisons", [0, 1, 6, 9, 30])
def test_the_chance_of_sorting_is_that_of_all_pivots(n_items, n_comparisons):
    chance = sum(
        share * Fraction(1, 2 ** max(0, needed - n_comparisons))
        for needed, share in law_of_comparisons(n_items).items()
    )
    assert chance_of_sorting(n_items, n_comparisons) == pytest.approx(float(chance), rel=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("logarithm", ["natural", "binary"])
def test_the_chance_of_sorting_is_reached_without_noise(logarithm):
    """1,000 orders of 8 items from exact margins: 5 standard errors."""
    counts = np.triu(np.full((8, 8), 100_000), k=1)
    rng = Randomness.seeded(random_seed())
    right = np.mean(
        [
            p_sort(counts, epsilon=1000.0, rng=rng, logarithm=logarithm).order == tuple(range(8))
            for _ in range(1000)
        ]
    )
    chance = chance_of_sorting(8, noisy_comparisons(8, logarithm))
    assert abs(right - chance) < 5 * np.sqrt(chance * (1 - chance) / 1000)
    assert 0.2 < chance < 0.95


def test_voters_agree_on_items_apart_as_the_mallows_model_says():
    orders = np.array(list(permutations(range(4))))
    law = np.exp(Mallows((0, 1, 2, 3), 0.6).log_probability(orders))
    ranks = orders.argsort(axis=1)
    for apart in (1, 2, 3):
        share = law[ranks[:, 0] < ranks[:, apart]].sum()
        assert _agreement(np.array([apart]), 0.6)[0] == pytest.approx(share)
    assert _agreement(np.array([1]), 0.6)[0] == pytest.approx(1 / 1.6)


def failures(n_people: int, epsilon: float, n_trials: int) -> int:
    """How often P-SORT misses the centre of fresh samples from a Mallows model of 4 items."""
    model, rng = Mallows((0, 1, 2, 3), 0.8), np.random.default_rng(random_seed())
    noise = Randomness.seeded(random_seed())
    missed = 0
    for _ in range(n_trials):
        counts = majority(Rankings(model.sample(n_people, rng=rng), tuple("abcd")))
        missed += p_sort(counts, epsilon=epsilon, rng=noise).order != (0, 1, 2, 3)
    return missed


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", [0.1, 5.0])
def test_so_many_voters_let_the_sort_find_the_centre(epsilon):
    """0.1 is decided by noise, 5 by sampling. 400 trials at 5 %: above 45 happen once in 1e6."""
    n_people = voters_for_zero_error(4, dispersion=0.8, delta=0.05, epsilon=epsilon)
    assert failures(n_people, epsilon, 400) <= 45
    assert failures(n_people // 10, epsilon, 400) > 45


@pytest.mark.parametrize("epsilon", [0.1, 5.0])
@pytest.mark.parametrize(
    ("n_items", "delta", "logarithm", "coins"),
    [(2, 1e-3, "binary", 0), (3, 0.4, "natural", 1 / 3), (4, 1e-3, "binary", 0)],
)
def test_the_voters_are_those_of_chernoff_s_bounds(n_items, delta, logarithm, coins, epsilon):
    """By an optimiser in place of steps, pair by pair."""
    dispersion = 0.9
    goal = {"dispersion": dispersion, "delta": delta, "epsilon": epsilon, "logarithm": logarithm}
    decay = np.exp(-epsilon / noisy_comparisons(n_items, logarithm))

    def chance(n_voters, apart):
        right = float(_agreement(np.array([apart]), dispersion)[0])

        def log_bound(t):
            of_noise = 2 * np.log1p(-decay)
            of_noise -= np.log1p(-decay * np.exp(t)) + np.log1p(-decay * np.exp(-t))
            return n_voters * np.log(right * np.exp(-t) + (1 - right) * np.exp(t)) + of_noise

        end = min(-np.log(decay), np.log(right / (1 - right)))
        return np.exp(minimize_scalar(log_bound, bounds=(0, end), method="bounded").fun)

    def error(n_voters):
        """Items so far apart are compared with probability 2 / (apart + 1)."""
        pairs = ((apart, n_items - apart) for apart in range(1, n_items))
        return sum(n * 2 / (apart + 1) * chance(n_voters, apart) for apart, n in pairs) + coins

    found = voters_for_zero_error(n_items, **goal)
    assert error(found) <= delta < error(0.99 * found)


@pytest.mark.parametrize(
    ("epsilon", "n_people"),
    [(0.1, ceil(log(6 / 0.2) * 60 / (1 / 3))), (40.0, ceil(log(6 / 0.2) * 72))],
)
def test_the_closed_form_is_that_of_its_proof(epsilon, n_people):
    """Three items, three comparisons, mu = 1/3; 40 is decided by sampling, 8 / mu^2."""
    goal = {"dispersion": 0.5, "delta": 0.2, "epsilon": epsilon}
    assert abs(voters_of_mallows_theorem(3, **goal) - n_people) <= 1


def test_what_coins_may_spoil_is_not_left_for_noise():
    """Of ten items coins spoil one order in ten; mu = 1/3, and noise decides."""
    n_noisy = noisy_comparisons(10, "binary")
    left = 0.2 - (1 - chance_of_sorting(10, n_noisy))
    assert 0.08 < left < 0.12
    exact = np.log(2 * n_noisy / left) * 2 * n_noisy / (0.5 / 3)
    stated = voters_of_mallows_theorem(10, dispersion=0.5, delta=0.2, epsilon=0.5)
    assert 0 <= stated - exact < 1


def test_the_closed_form_asks_for_more():
    for n_items, epsilon in ((3, 0.1), (4, 10.0), (10, 0.5)):
        goal = {"dispersion": 0.7, "delta": 0.2, "epsilon": epsilon}
        found, bound = (
            voters_for_zero_error(n_items, **goal),
            voters_of_mallows_theorem(n_items, **goal),
        )
        assert bound / 10 < found <= bound


def test_comparisons_that_run_out_cannot_be_made_up_by_voters():
    with pytest.raises(HushrankError, match="however many voters"):
        voters_for_zero_error(10, dispersion=0.5, delta=0.05, epsilon=1.0)
    with pytest.raises(HushrankError, match="however many voters"):
        voters_of_mallows_theorem(4, dispersion=0.5, delta=0.3, epsilon=1.0, logarithm="natural")
    options = {"dispersion": 0.5, "delta": 0.75, "epsilon": 1.0, "logarithm": "natural"}
    with pytest.raises(HushrankError, match=r"oftener \(0.76\) than delta 0.75"):  # .7518
        voters_for_zero_error(10, **options)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"n_items": 1}, {"n_items": 0}, {"delta": 0.0}, {"delta": 1.0}),
        *({"epsilon": 0.0}, {"epsilon": inf}, {"epsilon": NAN}),
    ],
    ids=str,
)
def test_impossible_goals_are_refused(wrong):
    goal = {"n_items": 4, "delta": 0.1, "epsilon": 1.0} | wrong
    n_items = goal.pop("n_items")
    (name,) = wrong
    message = "at least 2 items" if name == "n_items" else f"{name}, got|{name} above 0"
    for count in (voters_for_error, voters_by_theorem):
        with pytest.raises(HushrankError, match=message):
            count(n_items, alpha=0.1, **goal)
    for count in (voters_for_zero_error, voters_of_mallows_theorem):
        with pytest.raises(HushrankError, match=message):
            count(n_items, dispersion=0.5, **goal)


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, NAN])
def test_impossible_errors_and_dispersions_are_refused(share):
    for count in (voters_for_error, voters_by_theorem):
        with pytest.raises(HushrankError, match="expected an alpha above 0 and below 1"):
            count(4, alpha=share, delta=0.1, epsilon=1.0)
    for count in (voters_for_zero_error, voters_of_mallows_theorem):
        with pytest.raises(HushrankError, match="expected a dispersion above 0 and below 1"):
            count(4, dispersion=share, delta=0.1, epsilon=1.0)


def test_a_goal_that_no_number_of_voters_reaches_is_refused():
    with pytest.raises(HushrankError, match="2\\^60 voters"):
        voters_for_error(2, alpha=0.1, delta=0.05, epsilon=1e-30)

from fractions import Fraction
from itertools import permutations, product
from math import exp, inf

import numpy as np
import pytest

from hushrank.aggregators.private import quicksort as private_sort
from hushrank.aggregators.private.quicksort import dp_kwiksort, noisy_comparisons, p_sort
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed, random_seed

NAN = float("nan")
CENTRE = (2, 0, 3, 1)
COUNTS = majority(
    Rankings(Mallows(CENTRE, 0.6).sample(400, rng=np.random.default_rng(3)), tuple("abcd"))
)
THREE = list(permutations(range(3)))


def law_of_order(margins: np.ndarray, n_noisy: int, epsilon: float) -> np.ndarray:
    """The law of the order of three items: pivot, two comparisons, and a third one if it is due."""

    def wins(a: int, b: int, rate: float) -> float:
        margin = margins[a, b]
        tail = exp(-rate * abs(margin)) / 2  # P(noise beyond) + P(noise equal) / 2
        return 1 - tail if margin > 0 else tail

    rate, law = epsilon / n_noisy, np.zeros(6)
    for order in THREE:
        for pivot in range(3):
            first, second = (item for item in range(3) if item != pivot)
            chance = 1 / 3
            for other in (first, second):
                is_left = order.index(other) < order.index(pivot)
                won = wins(other, pivot, rate)
                chance *= won if is_left else 1 - won
            if order[1] != pivot:  # both on one side
                better = min(first, second, key=order.index)
                chance *= wins(better, first + second - better, rate) if n_noisy > 2 else 0.5
            law[THREE.index(order)] += chance
    return law


def matrix(ab: int, ac: int, bc: int) -> np.ndarray:
    upper = np.array([[0, ab, ac], [0, 0, bc], [0, 0, 0]])
    return upper - upper.T


@pytest.mark.parametrize("n_noisy", [2, 3])
def test_the_order_tells_neighbours_apart_by_at_most_epsilon(n_noisy):
    """Every margin may move by 1: more neighbours than ballots can make. One share more fails."""
    epsilon, worst, overspent = 0.8, 0.0, 0.0
    for base in product((-2, 0, 1), repeat=3):
        law = law_of_order(matrix(*base), n_noisy, epsilon)
        assert law.sum() == pytest.approx(1)
        wrong = law_of_order(matrix(*base), n_noisy, epsilon * n_noisy)
        for step in product((-1, 0, 1), repeat=3):
            near = matrix(*np.add(base, step))
            losses = np.log(law_of_order(near, n_noisy, epsilon) / law)
            worst = max(worst, np.abs(losses).max())
            losses = np.log(law_of_order(near, n_noisy, epsilon * n_noisy) / wrong)
            overspent = max(overspent, np.abs(losses).max())
    assert 0.3 < worst <= epsilon * (1 + 1e-12) < overspent


@pytest.mark.parametrize(("logarithm", "n_noisy"), [("natural", 2), ("binary", 3)])
def test_the_order_follows_its_law(logarithm, n_noisy):
    """By who comes last; it must catch noise of four times the epsilon."""
    counts = np.array([[0, 5, 6], [4, 0, 5], [3, 3, 0]])
    margins = counts - counts.T
    last = np.array([order[-1] for order in THREE])
    stated, wrong = (
        np.bincount(last, law_of_order(margins, n_noisy, epsilon)) for epsilon in (0.5, 2.0)
    )
    rng = Randomness.seeded(random_seed())
    drawn = [
        p_sort(counts, epsilon=0.5, rng=rng, logarithm=logarithm).order[-1]
        for _ in range(draws_needed(stated, wrong))
    ]
    assert_follows(np.array(drawn), stated)


def test_the_number_of_paid_comparisons_is_whole_and_at_least_one():
    assert [noisy_comparisons(m, "natural") for m in (2, 3, 10, 45)] == [1, 2, 20, 167]
    assert [noisy_comparisons(m, "binary") for m in (2, 3, 8, 10)] == [1, 3, 21, 29]
    with pytest.raises(HushrankError, match="natural or binary"):
        noisy_comparisons(3, "decimal")  # type: ignore[arg-type]
    with pytest.raises(HushrankError, match="at least 2 items, got 1"):
        noisy_comparisons(1, "binary")


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 0.7, 1.0])
@pytest.mark.parametrize("n_items", [3, 4, 10, 23])
def test_all_comparisons_together_cost_at_most_epsilon(n_items, epsilon, monkeypatch):
    made = []
    laplace = private_sort.DiscreteLaplace

    def record(sensitivity, price):
        made.append((sensitivity, price))
        return laplace(sensitivity, price)

    monkeypatch.setattr(private_sort, "DiscreteLaplace", record)
    found = p_sort(np.zeros((n_items, n_items), int), epsilon=epsilon, rng=Randomness.seeded(1))
    ((sensitivity, price),) = made
    n_noisy = noisy_comparisons(n_items, "binary")
    assert sensitivity == 1
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) < Fraction(price) * n_noisy
    assert Fraction(price) * n_noisy <= Fraction(epsilon)
    asked = np.isfinite(found.evidence.margins).sum() // 2
    assert asked <= n_noisy


@pytest.mark.parametrize("seed", range(10))
def test_a_huge_epsilon_gives_the_order_of_the_margins(seed):
    """Four items never need more than the six comparisons of the binary logarithm."""
    found = p_sort(COUNTS, epsilon=1000.0, rng=Randomness.seeded(seed))
    assert found.order == CENTRE
    assert min(found.confidence) > 0.999
    seen = np.isfinite(found.evidence.margins)
    assert (found.evidence.margins[seen] == (COUNTS - COUNTS.T)[seen]).all()


def test_comparisons_that_were_not_paid_for_see_nothing():
    """With M = 2 and three items, a third comparison falls either way, whatever the margins."""
    counts = np.triu(np.full((3, 3), 1000), k=1)
    rng = Randomness.seeded(random_seed())
    found = [dp_kwiksort(counts, epsilon=1000.0, rng=rng) for _ in range(300)]
    orders = {each.order for each in found}
    assert orders == {(0, 1, 2), (1, 0, 2), (0, 2, 1)}
    for each in found:
        assert np.isfinite(each.evidence.margins).sum() == 4
        unsure = [
            confidence == 0.5
            for confidence, pair in zip(
                each.confidence, zip(each.order, each.order[1:], strict=False), strict=True
            )
            if np.isnan(each.evidence.margins[pair])
        ]
        assert all(unsure)


@pytest.mark.parametrize("seed", range(10))
def test_the_end_of_the_order_is_left_to_coins_and_not_its_beginning(seed):
    """Behind the first pivot one comparison is left: of two that are better, if there are two."""
    places = np.arange(6)
    margins, noise = np.subtract.outer(-places, -places), np.zeros(6, dtype=np.int64)
    _, seen = private_sort._quicksort(margins, noise, rng=Randomness.seeded(seed))
    pivot = np.isfinite(seen).sum(axis=0).argmax()
    others = np.delete(np.delete(np.isfinite(seen), pivot, axis=0), pivot, axis=1)
    compared = np.flatnonzero(others.any(axis=0))
    assert len(compared) == 2
    assert (compared < pivot).all() or pivot < 2


def test_a_tiny_epsilon_gives_any_order_equally_often():
    """It must catch that one of two orders has 0.58."""
    rng = Randomness.seeded(random_seed())
    counts = np.array([[0, 30], [10, 0]])
    orders = [
        p_sort(counts, epsilon=1e-6, rng=rng).order[0]
        for _ in range(draws_needed([0.5, 0.5], [0.58, 0.42]))
    ]
    assert_follows(np.array(orders), [0.5, 0.5])


@pytest.mark.parametrize("n_items", [2, 3, 10])
def test_the_noise_that_is_said_is_that_of_one_of_all_comparisons(n_items):
    counts = np.triu(np.full((n_items, n_items), 9), 1)
    found = p_sort(counts, epsilon=0.5, rng=Randomness.seeded(1))
    scale = noisy_comparisons(n_items, "binary") / 0.5
    assert found.evidence.noise_scale == pytest.approx(scale, rel=1e-12)


def test_confidence_counts_how_much_noise_exceeds_a_margin():
    z = np.arange(-400, 401)
    law = np.exp(-0.3 * np.abs(z))
    law /= law.sum()
    for margin in (0, 1, 5, 20):
        expected = law[z < margin].sum() + law[z == margin].sum() / 2
        assert private_sort._confidence(margin, 0.3) == pytest.approx(expected, abs=1e-12)
    assert private_sort._confidence(NAN, 0.3) == 0.5


def test_coins_decide_ties_and_what_was_not_seen_and_are_drawn_for_all():
    margins = np.array([0.0, NAN, 1.0, -1.0])
    heads, tails = ((np.array([word] * 4, dtype=np.uint64)).tobytes() for word in (0, 2**63))
    last = (np.array([2**63 - 1] * 4, dtype=np.uint64)).tobytes()
    sides = [
        private_sort._sides(margins, rng=Randomness.replayed(words)).tolist()
        for words in (heads, last, tails)
    ]
    assert sides == [[True, True, True, False]] * 2 + [[False, False, True, False]]
    with pytest.raises(EOFError):
        private_sort._sides(margins, rng=Randomness.replayed(heads[:-8]))


def test_dp_kwiksort_is_p_sort_by_the_natural_logarithm_under_its_own_name():
    named, plain = (
        method(COUNTS, epsilon=0.5, rng=Randomness.seeded(5), **options)
        for method, options in ((dp_kwiksort, {}), (p_sort, {"logarithm": "natural"}))
    )
    assert named.order == plain.order
    assert named.method == named.spend.release == "dp-kwiksort"


def test_relabelled_items_relabel_the_order():
    labels = [3, 1, 0, 2]
    found = p_sort(COUNTS[np.ix_(labels, labels)], epsilon=1000.0, rng=Randomness.seeded(4))
    assert tuple(labels[item] for item in found.order) == CENTRE


@pytest.mark.parametrize("method", [p_sort, dp_kwiksort])
def test_impossible_input_is_refused_before_anything_is_drawn(method):
    silence = Randomness.replayed(b"")
    for epsilon in (0.0, -1.0, NAN, inf):
        with pytest.raises(HushrankError):
            method(COUNTS, epsilon=epsilon, rng=silence)
    for counts in (np.zeros((1, 1)), np.zeros((2, 3)), np.array([[0, NAN], [1, 0]])):
        with pytest.raises(HushrankError):
            method(counts, epsilon=1.0, rng=silence)

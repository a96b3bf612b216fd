from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.errors import HushrankError
from hushrank.publishing.baselines import (
    ROWS_AT_ONCE,
    RecordExponential,
    draw_from_rows,
    frapp,
    item_exponential,
    rand,
)
from hushrank.randomness import Randomness
from tests.statistics import assert_follows, draws_needed, random_seed

N = 5
OWN = 2


def rows(probability):
    stated = np.full(N, probability / (N - 1))
    stated[OWN] = 1 - probability
    return stated


@pytest.mark.parametrize("probability", [0.3, 0.9])
def test_rand_replaces_with_its_probability_by_each_other_thing(probability):
    replacement = rand(N, probability)
    stated, wrong = rows(replacement.probability), rows(probability * 0.95)
    n_draws = draws_needed(stated, wrong)
    drawn = replacement.draw(np.full(n_draws, OWN), rng=Randomness.seeded(random_seed()))
    assert_follows(drawn, stated)


def test_rand_at_its_ends_keeps_all_and_nothing():
    things = np.arange(N).repeat(200)
    rng = Randomness.seeded(1)
    np.testing.assert_array_equal(rand(N, 0.0).draw(things, rng=rng), things)
    assert (rand(N, 1.0).draw(things, rng=rng) != things).all()
    assert rand(N, 1.0).words == 2**64


def test_each_of_many_things_is_replaced_by_words_of_its_own():
    n_draws, n_things = 3000, 2**20
    words = np.random.default_rng(random_seed()).integers(2**64, size=2 * n_draws, dtype=np.uint64)
    coins, others = words[:n_draws], words[n_draws:] % np.uint64(n_things - 1)
    rng = Randomness.replayed(words.astype("<u8").tobytes())
    things = np.arange(n_draws)
    drawn = rand(n_things, 0.5).draw(things, rng=rng)
    replaced = others + (others >= things.astype(np.uint64))
    assert drawn.tolist() == np.where(coins < 2.0**63, replaced, things).tolist()


@pytest.mark.parametrize("ratio", [1.0, 3.0, 1e6])
def test_frapp_s_own_thing_is_likelier_by_its_ratio(ratio):
    kept = 1 - frapp(N, ratio).probability
    other = frapp(N, ratio).probability / (N - 1)
    assert kept / other == pytest.approx(ratio, rel=1e-9)


def test_frapp_s_own_thing_is_never_likelier_than_by_its_ratio():
    rng = np.random.default_rng(random_seed())
    for n, ratio in zip(
        rng.integers(2, 10**6, 200).tolist(), 1 + rng.exponential(9, 200), strict=True
    ):
        words = frapp(n, ratio).words
        exact = [Fraction((2**64 - each) * (n - 1), each) for each in (words, words - 1)]
        assert exact[0] <= Fraction(ratio) < exact[1]


def test_transitions_of_classes_are_sums_over_their_members():
    sizes, labels = np.array([3, 1, 2]), np.array([0, 0, 0, 1, 2, 2])
    replacement = rand(6, 0.4)
    of_things = np.full((6, 6), replacement.probability / 5)
    np.fill_diagonal(of_things, 1 - replacement.probability)
    expected = of_things @ np.eye(3)[labels]
    np.testing.assert_allclose(replacement.transitions(sizes)[labels], expected, atol=1e-15)


def records():
    table = np.random.default_rng(3).poisson(0.8, (6, 7)).astype(float)
    return csr_array(table), table


def tau(one, other):
    """Kendall's distance, a tie in one of them 1/2, pair by pair."""
    cost, n = 0.0, len(one)
    for i in range(n):
        for j in range(i):
            signs = np.sign(one[i] - one[j]), np.sign(other[i] - other[j])
            cost += abs(signs[0] - signs[1]) / 2
    return cost / (n * (n - 1) / 2)


def test_diff_s_channel_is_the_exponential_of_tie_aware_distances():
    scores, table = records()
    ((users, chances, _),) = RecordExponential.of(scores, 7.0).rows()
    weights = np.array([[np.exp(-7 * tau(one, other)) for other in table] for one in table])
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(users, np.arange(6))
    np.testing.assert_allclose(chances, expected, rtol=1e-12)


def test_diff_draws_from_its_channel():
    scores, _ = records()
    exponential = RecordExponential.of(scores, 4.0)
    ((_, chances, _),) = exponential.rows()
    ((_, wrong, _),) = RecordExponential.of(scores, 4.2).rows()
    n_draws = draws_needed(chances[3], wrong[3])
    drawn = draw_from_rows(np.tile(chances[3], (1000, 1)), Randomness.seeded(1).words(1000))
    assert set(drawn) <= set(range(6))
    outcomes = []
    rng = Randomness.seeded(random_seed())
    while len(outcomes) * 50_000 < n_draws:
        outcomes.append(exponential.draw(np.full(50_000, 3), rng=rng))
    assert_follows(np.concatenate(outcomes), chances[3])


@pytest.mark.parametrize("at_once", [ROWS_AT_ONCE, 7])
def test_diff_draws_for_each_of_many_users_by_a_word_of_their_own(monkeypatch, at_once):
    monkeypatch.setattr("hushrank.publishing.baselines.ROWS_AT_ONCE", at_once)
    n_users = ROWS_AT_ONCE + 44
    exponential = RecordExponential.of(csr_array(np.eye(n_users, 3) + 1), 0.0)
    words = Randomness.seeded(5).words(n_users)
    drawn = exponential.draw(np.arange(n_users), rng=Randomness.replayed(words.tobytes()))
    evenly = np.full((n_users, n_users), 1 / n_users)
    np.testing.assert_array_equal(drawn, draw_from_rows(evenly, words))


def test_a_word_draws_what_its_place_in_the_row_says():
    chances = np.array([[0.25, 0.5, 0.25]] * 4)
    quarter = 2**62
    words = np.array([0, quarter - 1, quarter, 2**64 - 1], dtype=np.uint64)
    # the largest, outcome 1, comes last: [0, 1/4) is 0, [1/4, 1/2) is 2
    np.testing.assert_array_equal(draw_from_rows(chances, words), [0, 0, 2, 1])
    certain = np.array([[0.0, 1.0, 0.0]] * 4)
    np.testing.assert_array_equal(draw_from_rows(certain, words), [1, 1, 1, 1])


def test_item_exponential_prefers_items_of_near_counts():
    counts = np.array([0, 0, 3, 9])
    channel = item_exponential(counts, 5.0).probabilities
    for item in range(4):
        for other in range(4):
            moved = np.eye(4)[item] + counts, np.eye(4)[other] + counts
            ratio = channel[item, other] / channel[item, item]
            assert ratio == pytest.approx(np.exp(-5 * tau(*moved)), rel=1e-12)


def test_at_steepness_0_every_record_is_as_likely():
    scores, _ = records()
    ((_, chances, _),) = RecordExponential.of(scores, 0.0).rows()
    np.testing.assert_array_equal(chances, np.full((6, 6), 1 / 6))


def test_budgets_out_of_range_are_refused():
    scores, _ = records()
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(HushrankError, match="probability from 0 to 1"):
            rand(N, wrong)
    for wrong in (0.5, float("inf"), float("nan")):
        with pytest.raises(HushrankError, match="ratio of at least 1"):
            frapp(N, wrong)
    for wrong in (-1.0, float("inf"), float("nan")):
        with pytest.raises(HushrankError, match="steepness of at least 0"):
            RecordExponential.of(scores, wrong)
        with pytest.raises(HushrankError, match="steepness of at least 0"):
            item_exponential(np.array([1, 2]), wrong)

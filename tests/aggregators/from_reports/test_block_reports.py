from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest

from hushrank.aggregators.from_reports.block_reports import reports_of_blocks, shared_noise
from hushrank.aggregators.from_reports.pair_estimates import PairReports, estimate_pairs
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

N_ITEMS = 5


def population(n_people=200, seed=3):
    rng = np.random.default_rng(seed)
    ranks = plackett_luce_mixture(N_ITEMS, 2, spread=1.0, rng=rng).sample(n_people, rng=rng)
    return Rankings(ranks, tuple("abcde"))


def expected(people, block_size, epsilon):
    """Return blocks, what hides their orders, and the mean tallies if everybody answers all."""
    blocks = tuple(RelativeOrder(each) for each in combinations(range(N_ITEMS), block_size))
    mechanism = GeneralizedRandomizedResponse(factorial(block_size), epsilon)
    p, q, n = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate, people.n_people
    counts = [np.bincount(b.answer(people.ranks), minlength=b.n_categories) for b in blocks]
    return blocks, mechanism, tuple(Tally(each * (p - q) + q * n, n) for each in counts)


@pytest.mark.parametrize("block_size", [2, 3, 4, 5])
def test_margins_of_mean_reports_are_those_of_the_people(block_size):
    people = population()
    reports = reports_of_blocks(N_ITEMS, *expected(people, block_size, 1.5), 200)
    counts = majority(people)
    margins = (counts - counts.T) / people.n_people
    assert estimate_pairs(reports).margins == pytest.approx(margins)


def test_blocks_of_two_are_pairs():
    blocks, mechanism, tallies = expected(population(), 2, 1.0)
    plain = PairReports.from_tallies(N_ITEMS, mechanism, tallies, 10)
    found = reports_of_blocks(N_ITEMS, blocks, mechanism, tallies, 200)
    assert found.wins == pytest.approx(plain.wins)
    assert found.gaps == pytest.approx(plain.gaps)
    assert found.n_people == pytest.approx(plain.n_people)
    assert shared_noise(N_ITEMS, blocks, found, 2000) == 0.0


@pytest.mark.parametrize("is_unanimous", [True, False])
@pytest.mark.parametrize("block_size", [3, 4])
def test_shared_noise_is_the_mean_covariance_of_margins_of_an_item(block_size, is_unanimous):
    """Exactly, by listing what each person may report, where all agree or all orders are held."""
    orders = [tuple(range(N_ITEMS))] if is_unanimous else list(permutations(range(N_ITEMS)))
    people = Rankings.from_orders(np.array(orders * 240))
    blocks, mechanism, tallies = expected(people, block_size, 2.0)
    gap, n_answered = mechanism.rates.reach, people.n_people * len(blocks)
    reports = reports_of_blocks(N_ITEMS, blocks, mechanism, tallies, 10**9)
    found = shared_noise(N_ITEMS, blocks, reports, n_answered)
    signs = np.sign(np.arange(N_ITEMS) - np.arange(N_ITEMS)[:, None]) * is_unanimous
    covariances = []
    for a, b, c in permutations(range(N_ITEMS), 3):
        both = gap * signs[a, b] * signs[a, c] + (1 - gap) / 3
        if not is_unanimous:
            both = 1 / 3
        covariances.append(both - gap**2 * signs[a, b] * signs[a, c])
    counts = reports.counts[0]
    n_pair = counts[0, 1]
    n_three = n_answered * block_size * (block_size - 1) * (block_size - 2) / 60
    mean = np.mean(covariances) * n_three / (gap * n_pair) ** 2
    assert counts[np.triu_indices(N_ITEMS, 1)] == pytest.approx(n_pair)
    assert found == pytest.approx(mean, rel=0.01)


def test_margins_no_larger_than_their_noise_are_taken_for_none():
    """Of few people who answer by chance some pairs seem to be preferred."""
    blocks = tuple(RelativeOrder(each) for each in combinations(range(N_ITEMS), 3))
    first, second = np.triu_indices(N_ITEMS, 1)

    def noise_where(apart):
        wins = np.zeros((1, N_ITEMS, N_ITEMS))
        wins[0, first, second], wins[0, second, first] = 50 + apart, 50 - apart
        reports = PairReports(wins, np.array([0.8]), np.array([1000.0]))
        return shared_noise(N_ITEMS, blocks, reports, 300)

    assert noise_where(4) == noise_where(0)
    assert noise_where(20) < noise_where(0)
    assert noise_where(50) == noise_where(47)  # no margin is larger than that of all people


def test_other_numbers_of_tallies_and_mixed_blocks_are_refused():
    blocks, mechanism, tallies = expected(population(), 3, 1.0)
    with pytest.raises(HushrankError, match="expected 10 tallies, got 9"):
        reports_of_blocks(N_ITEMS, blocks, mechanism, tallies[:-1], 200)
    with pytest.raises(HushrankError, match="one size"):
        reports_of_blocks(N_ITEMS, (*blocks, RelativeOrder((0, 1))), mechanism, tallies, 200)


def test_one_of_many_blocks_must_not_be_larger():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    blocks = [*map(RelativeOrder, combinations(range(9), 2)), RelativeOrder((0, 1, 2))]
    tallies = [Tally(np.ones(2), 2)] * len(blocks)
    with pytest.raises(HushrankError, match="one size"):
        reports_of_blocks(9, blocks, mechanism, tallies, 200)


def test_the_last_of_many_margins_tells_whether_noise_is_shared():
    """Of all pairs but the last nobody answered anything."""
    blocks = [RelativeOrder(each) for each in combinations(range(8), 3)]

    def noise(n_first):
        wins = np.zeros((1, 8, 8))
        wins[0, 6, 7], wins[0, 7, 6] = n_first, 1000 - n_first
        reports = PairReports(wins, np.array([0.5]), np.array([1000.0]))
        return shared_noise(8, blocks, reports, 1000)

    assert noise(500) > noise(750)


@pytest.mark.parametrize("size", [2, 3])
def test_all_of_many_blocks_have_their_reports(size):
    """Everybody who is asked says that the items are in their order, most of the last block."""
    blocks = [RelativeOrder(each) for each in combinations(range(8), size)]
    mechanism = GeneralizedRandomizedResponse(factorial(size), 1.0)
    tallies = [
        Tally(np.where(np.arange(factorial(size)) == 0, n, 0), n) for n in range(1, len(blocks) + 1)
    ]
    wins = reports_of_blocks(8, blocks, mechanism, tallies, 10**4).wins[0]
    assert wins[6, 7] == sum(n for n, block in enumerate(blocks, 1) if {6, 7} <= {*block.items})
    assert np.triu(wins, 1).sum() == wins.sum() == comb(size, 2) * sum(range(1, len(blocks) + 1))
    if size == 2:
        reports = PairReports.from_tallies(8, mechanism, tallies, 1)
        assert np.array_equal(reports.wins[0], wins)
        assert reports.n_people.tolist() == [wins.sum()]

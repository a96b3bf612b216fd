from functools import cache
from math import comb, exp, inf

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.private import kemeny as private_kemeny
from hushrank.aggregators.private.kemeny import gaussian_kemeny, p_sample
from hushrank.aggregators.private.order import DrawnByCost
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed, random_seed

NAN = float("nan")
CENTRE = (2, 0, 3, 1, 4)
COUNTS = majority(
    Rankings(Mallows(CENTRE, 0.7).sample(400, rng=np.random.default_rng(3)), tuple("abcde"))
)


def test_noise_is_made_for_all_pairs_moving_by_one(monkeypatch):
    made = []
    gaussian = private_kemeny.DiscreteGaussian

    def record(*parameters):
        made.append(parameters)
        return gaussian(*parameters)

    monkeypatch.setattr(private_kemeny, "DiscreteGaussian", record)
    for counts in (COUNTS, 0 * COUNTS):  # also where nobody decides a pair
        gaussian_kemeny(counts, epsilon=0.5, delta=1e-5, rng=Randomness.seeded(1))
    assert made == 2 * [(comb(5, 2), 0.5, 1e-5)]


def test_the_order_is_the_optimum_of_the_noisy_margins_that_are_released():
    for seed in range(20):
        found = gaussian_kemeny(COUNTS, epsilon=0.1, delta=1e-5, rng=Randomness.seeded(seed))
        noisy = found.evidence.margins
        assert (noisy == -noisy.T).all()
        best = kemeny(noisy)
        assert kendall_cost(noisy, found.order) == best.cost
        assert (found.spend.epsilon, found.spend.delta) == (0.1, 1e-5)
        assert min(found.confidence) >= 0.5


@pytest.mark.parametrize("seed", range(20))
def test_so_it_is_of_small_margins(seed, monkeypatch):
    """Where one pair that is lost weighs as much as two others."""
    noisy = np.triu(np.random.default_rng(seed).integers(-4, 5, size=(7, 7)), k=1)
    monkeypatch.setattr(private_kemeny, "_noisy_margins", lambda *_, rng: noisy - noisy.T)
    counts = np.zeros((7, 7), dtype=np.int64)
    found = gaussian_kemeny(counts, epsilon=0.1, delta=1e-5, rng=Randomness.seeded(seed))
    margins = found.evidence.margins
    assert (margins == noisy - noisy.T).all()
    assert kendall_cost(margins, found.order) == kemeny(margins).cost


def test_a_time_limit_may_be_below_a_second():
    rng = Randomness.seeded(1)
    found = gaussian_kemeny(COUNTS, epsilon=1000.0, delta=1e-5, rng=rng, time_limit=0.5)
    assert found.order == CENTRE


def test_a_tie_that_noise_leaves_is_not_decided_by_the_exact_margin(monkeypatch):
    monkeypatch.setattr(private_kemeny, "_noisy_margins", lambda margins, *_, rng: 0 * margins)
    one, other = (
        gaussian_kemeny(counts, epsilon=0.1, delta=1e-5, rng=Randomness.seeded(1))
        for counts in (COUNTS, COUNTS.T)
    )
    assert one.order == other.order
    assert not one.evidence.margins.any()


def test_a_huge_epsilon_gives_the_kemeny_order():
    found = gaussian_kemeny(COUNTS, epsilon=1000.0, delta=1e-5, rng=Randomness.seeded(1))
    assert found.order == kemeny(COUNTS).order == CENTRE
    assert (found.evidence.margins == COUNTS - COUNTS.T).all()
    sampled = p_sample(COUNTS, epsilon=1000.0, rng=Randomness.seeded(1))
    assert sampled.order == CENTRE


@pytest.mark.parametrize("rate", [0.001, 0.07, 1.0, 30.0])
def test_a_lead_is_the_least_by_which_neighbours_are_so_likely_right(rate):
    """Of two orders in which these two alone change places one is e^(rate lead) times likelier."""
    for probability in (0.6, 0.75, 0.95):
        lead = DrawnByCost(rate).lead_for(probability)
        right, less = (1 / (1 + exp(-rate * ballots)) for ballots in (lead, lead - 1))
        assert less < probability <= right


def test_p_sample_releases_an_order_and_nothing_that_tells():
    found = p_sample(COUNTS, epsilon=0.5, rng=Randomness.secure())
    assert sorted(found.order) == list(range(5))
    assert found.confidence is None
    assert found.evidence.rate == pytest.approx(0.5 / comb(5, 2))  # public, and all there is
    assert found.is_private
    assert "0.5-DP" in found.statement


@pytest.mark.parametrize("method", [p_sample, gaussian_kemeny])
def test_without_a_signal_no_item_is_favoured(method, monkeypatch):
    """Two items of which as many people prefer either; it must catch 0.58."""
    cached = cache(private_kemeny.DiscreteGaussian)  # sigma takes milliseconds
    monkeypatch.setattr(private_kemeny, "DiscreteGaussian", cached)
    rng = Randomness.seeded(random_seed())
    options = {"delta": 1e-5} if method is gaussian_kemeny else {}
    counts = np.array([[0, 9], [9, 0]])
    orders = [
        method(counts, epsilon=1000.0, rng=rng, **options).order[0]
        for _ in range(draws_needed([0.5, 0.5], [0.58, 0.42]))
    ]
    assert_follows(np.array(orders), [0.5, 0.5])


@pytest.mark.parametrize("sigma", [0.3, 2.0, 15.9, 16.1, 50.0])
def test_confidence_counts_how_much_noise_exceeds_a_margin(sigma):
    z = np.arange(-3000, 3001)
    law = np.exp(-((z / sigma) ** 2) / 2)
    law /= law.sum()
    margins = np.array([-2, 0, 1, 7, 40, 2999])
    expected = [law[z < margin].sum() + law[z == margin].sum() / 2 for margin in margins]
    below = private_kemeny._probability_below(margins, sigma)
    assert below == pytest.approx(expected, abs=1e-4)


def test_relabelled_items_relabel_the_order():
    labels = [3, 1, 4, 0, 2]
    relabelled = COUNTS[np.ix_(labels, labels)]
    found = gaussian_kemeny(relabelled, epsilon=1000.0, delta=1e-5, rng=Randomness.seeded(4))
    assert tuple(labels[item] for item in found.order) == CENTRE


def test_impossible_input_is_refused_before_anything_is_drawn():
    silence = Randomness.replayed(b"")
    for epsilon in (0.0, -1.0, NAN, inf):
        with pytest.raises(HushrankError):
            p_sample(COUNTS, epsilon=epsilon, rng=silence)
        with pytest.raises(HushrankError):
            gaussian_kemeny(COUNTS, epsilon=epsilon, delta=1e-5, rng=silence)
    for delta in (0.0, 1.0, NAN):
        with pytest.raises(HushrankError):
            gaussian_kemeny(COUNTS, epsilon=1.0, delta=delta, rng=silence)
    for limit in (0.0, -1.0, NAN):
        with pytest.raises(HushrankError, match="positive time limit"):
            gaussian_kemeny(COUNTS, epsilon=1.0, delta=1e-5, rng=silence, time_limit=limit)
    wrong = (np.zeros((1, 1)), np.zeros((2, 3)), np.array([[0, 0.5], [1, 0]]), np.eye(3, dtype=int))
    for counts in wrong:
        with pytest.raises(HushrankError):
            p_sample(counts, epsilon=1.0, rng=silence)
        with pytest.raises(HushrankError):
            gaussian_kemeny(counts, epsilon=1.0, delta=1e-5, rng=silence)

import os
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb, inf, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import logistic, norm

from hushrank.accounting.composition import rest_of, share_of
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.private import auto as private_auto
from hushrank.aggregators.private.auto import auto
from hushrank.aggregators.private.order import (
    DrawnByCost,
    NoisyMargins,
    NoisyScores,
    PrivateOrder,
    central_spend,
)
from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

NAN = float("nan")
CENTRE = (2, 0, 3, 1, 4)


def counts_of(n_people: int, centre: tuple[int, ...] = CENTRE) -> np.ndarray:
    ranks = Mallows(centre, 0.7).sample(n_people, rng=np.random.default_rng(3))
    return majority(Rankings(ranks, tuple(map(str, range(len(centre))))))


COUNTS_OF_ALL_BUT_ONE = np.triu(np.ones((3, 3), dtype=np.int64), k=1)
MANY, FEW = counts_of(5000), counts_of(50)


def test_clear_scores_let_the_order_be_sampled_and_unclear_ones_do_not():
    clear = auto(MANY, epsilon=1.0, rng=Randomness.seeded(1))
    assert clear.method == "auto: p-sample"
    assert clear.order == kemeny(MANY).order
    unclear = auto(FEW, epsilon=0.01, rng=Randomness.seeded(1))
    assert unclear.method == "auto: borda"
    by_margins = auto(MANY, epsilon=1.0, delta=1e-6, rng=Randomness.seeded(1))
    assert by_margins.method == "auto: gaussian-kemeny"


def test_more_items_than_the_sets_allow_are_never_sampled():
    """Sampling them may take for ever."""
    many = counts_of(20_000, tuple(range(23)))
    assert auto(many, epsilon=10.0, rng=Randomness.seeded(1)).method == "auto: borda"


@pytest.mark.parametrize("epsilon", [1 / 3, 0.7, 1.0, 1.1])  # 1.1 - 1.1 / 20 rounds up
@pytest.mark.parametrize("counts", [MANY, FEW], ids=["many", "few"])
def test_both_releases_together_cost_at_most_epsilon(counts, epsilon, monkeypatch):
    spent = []
    release, sample = private_auto._release, private_auto.p_sample

    def record_release(mechanism, scores, *, rng):
        spent.append(mechanism.epsilon)
        return release(mechanism, scores, rng=rng)

    def record_sample(majority, *, epsilon, rng):
        spent.append(epsilon)
        return sample(majority, epsilon=epsilon, rng=rng)

    monkeypatch.setattr(private_auto, "_release", record_release)
    monkeypatch.setattr(private_auto, "p_sample", record_sample)
    found = auto(counts, epsilon=epsilon, rng=Randomness.seeded(1))
    total = sum(map(Fraction, spent))
    assert len(spent) == 2
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) < total <= Fraction(epsilon)
    assert (found.spend.epsilon, found.spend.delta) == (epsilon, 0.0)


def test_the_choice_depends_on_the_first_release_alone(monkeypatch):
    release = private_auto._release
    for shown in (MANY, FEW):
        first = (shown - shown.T).sum(axis=1).astype(float)
        methods = set()
        for hidden in (MANY, FEW):
            waiting = [first]

            def replay(mechanism, scores, *, rng, waiting=waiting):
                return waiting.pop() if waiting else release(mechanism, scores, rng=rng)

            monkeypatch.setattr(private_auto, "_release", replay)
            methods.add(auto(hidden, epsilon=0.5, rng=Randomness.seeded(1)).method)
        assert len(methods) == 1


def test_both_releases_are_weighed_by_their_precision():
    """Equal weights would give 100 times the variance, the second release alone 1.05 of it."""
    rng, counts = Randomness.seeded(4), np.zeros((5, 5), dtype=np.int64)
    found = [auto(counts, epsilon=0.1, rng=rng) for _ in range(100)]
    by_both = np.array([each.evidence.scores for each in found if each.method == "auto: borda"])
    expected = private_auto._variance(PermutohedronMechanism(5, 0.1)) / (0.05**2 + 0.95**2)
    assert len(by_both) >= 80
    assert 0.5 * expected < np.diff(by_both, axis=1).var() < 2 * expected


def expected_excess(seen, look, more, delta):
    """The excess that each method is expected to have, pair by pair."""
    n_items, n_pairs = len(seen), comb(len(seen), 2)
    first, second = (private_auto._variance(mechanism) for mechanism in (look, more))
    of_noise = (n_items - 1) * first / 2
    shrunk = max(0.0, 1 - 4 * of_noise / max(sum(score**2 for score in seen), of_noise))
    gaps = [shrunk * abs(a - b) for a, b in combinations(seen, 2)]
    both = sqrt(1 / (1 / first + 1 / second))
    turned = {"borda": lambda gap: norm.sf(gap / both) + 0.002}
    if n_items <= 22:
        turned["p-sample"] = lambda gap: logistic.sf(more.epsilon / n_pairs * gap / n_items)
    if delta is not None:
        sigma = DiscreteGaussian(n_pairs, more.epsilon, delta).sigma
        turned["gaussian-kemeny"] = lambda gap: norm.sf(gap / n_items / sigma)
    return {name: sum(gap * law(gap) for gap in gaps) / n_items for name, law in turned.items()}


@pytest.mark.parametrize(
    ("n_items", "delta"),
    [*product((2, 3, 5, 12, 22), (None, 1e-6)), (23, 1e-6)],
)
def test_what_promises_the_least_excess_is_chosen(n_items, delta):
    """Where nothing at all is expected, more scores are."""
    rng, chosen = np.random.default_rng(n_items), set()
    pairs = [
        tuple(PermutohedronMechanism(n_items, epsilon) for epsilon in shares)
        for shares in ((0.05, 0.95), (0.5, 0.5), (2.0, 0.1))
    ]
    for size, (look, more) in product(np.geomspace(10, 1e6, 30), pairs):
        seen = size * rng.normal(size=n_items)
        seen -= seen.mean()
        expected = expected_excess(seen, look, more, delta)
        found = private_auto._expected_excess(seen, look, more, delta)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)
        method = private_auto._promising(seen, look, more, delta)
        assert found[method] == min(found.values())
        chosen.add(method)
    assert len(chosen) >= 2


def test_where_nothing_shows_more_scores_are_released():
    look, more = PermutohedronMechanism(4, 0.05), PermutohedronMechanism(4, 0.95)
    assert private_auto._promising(np.array([1.0, 0, 0, -1]), look, more, 1e-6) == "borda"


@pytest.mark.parametrize("delta", [None, 1e-3])
def test_noise_and_confidence_are_those_of_both_releases_together(delta):
    """By noise that is drawn here, 400,000 differences: within .005, six standard errors."""
    n_items, rng = 4, np.random.default_rng(5)
    look = PermutohedronMechanism(n_items, 0.4)
    more = private_auto._least_noisy(n_items, 0.6, None)
    if delta is not None:
        more = DiscreteGaussian(n_items * (n_items**2 - 1) // 3, 3.0, delta)
    parts = []
    for mechanism in (look, more):
        if isinstance(mechanism, DiscreteGaussian):
            noise = rng.normal(0, mechanism.sigma, size=(400_000, n_items))
        else:
            noise = mechanism.simulate_noise(400_000, rng=rng) / mechanism.resolution
        parts.append(noise[:, 0] - noise[:, 1])
    weight = parts[1].var() / (parts[0].var() + parts[1].var())
    apart = weight * parts[0] + (1 - weight) * parts[1]
    first = np.array([3.0, -1.0, 1.0, -3.0]) * apart.std() / 4
    second = np.array([2.0, 1.0, -1.0, -2.0]) * apart.std() / 4
    spend = central_spend("auto", "two", 1.0)
    found = private_auto._by_both(first, second, look, more, spend, rng=Randomness.seeded(1))
    together = weight * first + (1 - weight) * second
    assert found.order == tuple(np.argsort(-together))
    assert found.evidence.scores == pytest.approx(together, rel=0.02, abs=0.02 * apart.std())
    assert found.evidence.noise_sd == pytest.approx(apart.std() / sqrt(2), rel=0.02)
    gaps = -np.diff(together[list(found.order)])
    assert found.confidence == pytest.approx([(apart < gap).mean() for gap in gaps], abs=0.01)


def test_the_order_is_by_both_releases_together_and_by_neither_alone():
    mechanism = PermutohedronMechanism(3, 0.5)
    first, second = np.array([20.0, -30, 10]), np.array([-10.0, 20, -10])
    spend = central_spend("auto", "two", 1.0)
    given = first, second, mechanism, mechanism, spend
    found = private_auto._by_both(*given, rng=Randomness.seeded(1))
    assert found.evidence.scores.tolist() == [5.0, -5.0, 0.0]
    assert found.order == (0, 2, 1)


def test_a_delta_buys_gaussian_noise_where_that_is_smaller():
    assert isinstance(private_auto._least_noisy(60, 1.0, 1e-3), DiscreteGaussian)
    assert isinstance(private_auto._least_noisy(5, 0.1, 1e-9), PermutohedronMechanism)
    assert isinstance(private_auto._least_noisy(60, 1.0, None), PermutohedronMechanism)
    found = auto(FEW, epsilon=0.1, delta=1e-5, rng=Randomness.seeded(1))
    assert found.spend.delta == 1e-5


def test_gaussian_noise_is_made_for_a_whole_strict_ballot():
    mechanism = private_auto._least_noisy(60, 1.0, 1e-3)
    ballot = 2 * np.arange(60) - 59
    assert mechanism == DiscreteGaussian(int(ballot @ ballot), 1.0, 1e-3)


def test_noisy_margins_cost_what_the_first_release_left(monkeypatch):
    kemeny_by_noise, spent = private_auto.gaussian_kemeny, []

    def record(majority, *, epsilon, delta, rng, time_limit):
        spent.append((epsilon, delta))
        return kemeny_by_noise(majority, epsilon=epsilon, delta=delta, rng=rng)

    monkeypatch.setattr(private_auto, "gaussian_kemeny", record)
    monkeypatch.setattr(private_auto, "_promising", lambda *_: "gaussian-kemeny")
    found = auto(FEW, epsilon=0.7, delta=1e-5, rng=Randomness.seeded(1))
    look = share_of(0.7, private_auto.PARTS)
    assert spent == [(rest_of(0.7, look), 1e-5)]
    assert (found.spend.epsilon, found.spend.delta) == (0.7, 1e-5)


@pytest.mark.parametrize("method", ["borda", "p-sample", "gaussian-kemeny"])
@pytest.mark.parametrize("n_items", [2, 5, 20, 22, 64, 1000])
def test_whatever_is_chosen_costs_what_the_first_release_left(monkeypatch, n_items, method):
    """Of however many items, at whatever epsilon."""
    spent, counts = spent_by(monkeypatch, method), np.zeros((n_items, n_items), dtype=np.int64)
    for epsilon in (1e-3, 1 / 3, 1.1, 8.0, 20.5, 64.0, 1000.0):
        found = auto(counts, epsilon=epsilon, delta=1e-5, rng=Randomness.replayed(b""))
        look = share_of(epsilon, private_auto.PARTS)
        assert spent == [(look, None), (rest_of(epsilon, look), DELTAS[method])]
        assert (found.spend.epsilon, found.spend.delta) == (epsilon, 1e-5)
        spent.clear()


DELTAS = {"borda": None, "p-sample": None, "gaussian-kemeny": 1e-5}


def spent_by(monkeypatch, method):
    """Let the method be chosen; return what each release will be given, of which none is made."""
    spent, found = [], PrivateOrder((0, 1), "", None, is_private=False)

    def record(given, *, epsilon=None, delta=None, **_):
        spent.append((epsilon or given.epsilon, delta))
        return found

    for name in ("_release", "p_sample", "gaussian_kemeny"):
        monkeypatch.setattr(private_auto, name, lambda given, *_, **more: record(given, **more))
    for name, does in (
        ("_least_noisy", lambda _, epsilon, __: SimpleNamespace(epsilon=epsilon)),
        ("_require_room", lambda *_: None),
        ("_promising", lambda *_: method),
        ("_by_both", lambda *given, **_: replace(found, spend=given[-1])),
    ):
        monkeypatch.setattr(private_auto, name, does)
    return spent


@pytest.mark.parametrize("method", ["borda", "p-sample", "gaussian-kemeny"])
def test_what_was_chosen_is_released(method, monkeypatch):
    monkeypatch.setattr(private_auto, "_promising", lambda *_: method)
    found = auto(FEW, epsilon=0.7, delta=1e-5, rng=Randomness.seeded(1))
    kinds = {"borda": NoisyScores, "p-sample": DrawnByCost, "gaussian-kemeny": NoisyMargins}
    assert isinstance(found.evidence, kinds[method])
    assert found.method == f"auto: {method}"


def test_two_items_and_undecided_pairs_are_welcome():
    partial = np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]])
    for counts in (np.array([[0, 3], [2, 0]]), partial):
        found = auto(counts, epsilon=0.5, rng=Randomness.secure())
        assert sorted(found.order) == list(range(len(counts)))
        assert (found.confidence is None) == (found.method == "auto: p-sample")
        assert found.confidence is None or len(found.confidence) == len(counts) - 1
        assert found.is_private


def test_relabelled_items_relabel_the_order():
    labels = [3, 1, 4, 0, 2]
    found = auto(MANY[np.ix_(labels, labels)], epsilon=50.0, rng=Randomness.seeded(4))
    assert tuple(labels[item] for item in found.order) == CENTRE


def test_a_simulation_draws_from_its_own_words_only(monkeypatch):
    def forbidden(_):
        raise AssertionError

    monkeypatch.setattr(os, "urandom", forbidden)
    for counts in (MANY, FEW):
        first, again = (auto(counts, epsilon=0.5, rng=Randomness.seeded(1)) for _ in range(2))
        assert first.order == again.order
    scored = [auto(FEW, epsilon=0.01, rng=Randomness.seeded(seed)) for seed in (1, 1, 2)]
    first, again, other = (found.evidence.scores.tolist() for found in scored)
    assert first == again
    assert first != other


def test_an_order_by_sampling_says_nothing_of_its_scores():
    """It may turn a pair that scores have the other way round: they tell nothing of it."""
    found = auto(MANY, epsilon=0.5, rng=Randomness.seeded(1))
    assert found.method == "auto: p-sample"
    assert found.confidence is None
    assert isinstance(found.evidence, DrawnByCost)


def test_impossible_input_is_refused_before_anything_is_drawn():
    silence = Randomness.replayed(b"")
    for epsilon, delta in product((0.0, -1.0, NAN, inf), (None, 1e-3)):
        with pytest.raises(HushrankError, match="epsilon"):
            auto(MANY, epsilon=epsilon, delta=delta, rng=silence)
    for delta in (0.0, 1.0, NAN):
        with pytest.raises(HushrankError):
            auto(MANY, epsilon=1.0, delta=delta, rng=silence)
    for counts in (np.zeros((1, 1)), np.zeros((2, 3)), np.array([[0, NAN], [1, 0]])):
        with pytest.raises(HushrankError):
            auto(counts, epsilon=1.0, rng=silence)


@pytest.mark.parametrize("epsilon", [1.0, 1000.0])
def test_what_one_of_the_methods_would_refuse_is_refused_before_the_first_release(epsilon):
    """Sampling refuses costs that floats cannot guide: 2^36 nats of all pairs together."""
    many = COUNTS_OF_ALL_BUT_ONE * (2**37 // int(epsilon))
    with pytest.raises(HushrankError, match="smaller pair counts"):
        auto(many, epsilon=epsilon, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("delta", [None, 0.5])
def test_so_it_is_of_as_many_items_as_can_be_sampled(delta):
    """Whichever noise further scores would have."""
    many = np.triu(np.full((22, 22), 2**37), k=1)
    is_gaussian = isinstance(private_auto._least_noisy(22, 0.95, delta), DiscreteGaussian)
    assert is_gaussian == (delta is not None)
    with pytest.raises(HushrankError, match="smaller pair counts"):
        auto(many, epsilon=1.0, delta=delta, rng=Randomness.replayed(b""))


def test_so_are_scores_that_overflow_in_the_units_of_the_first_release_alone():
    """The further ones have Gaussian noise, in whole ballots."""
    many = np.triu(np.full((400, 400), 2**40), k=1)
    assert isinstance(private_auto._least_noisy(400, 133.0, 0.5), DiscreteGaussian)
    with pytest.raises(HushrankError, match="expected scores of at most"):
        auto(many, epsilon=140.0, delta=0.5, rng=Randomness.replayed(b""))


def test_so_are_scores_that_overflow_in_the_units_of_the_second_release_alone():
    many = np.triu(np.full((100, 100), 2**40), k=1)
    PermutohedronMechanism(100, 50.0).checked((many - many.T).sum(axis=1))
    with pytest.raises(HushrankError, match="expected scores of at most"):
        auto(many, epsilon=1000.0, rng=Randomness.replayed(b""))


def test_scores_are_released_in_whole_ballots():
    """With hardly any noise, whatever its units."""
    scores = np.array([30, -10, 0, -20])
    for mechanism in (DiscreteGaussian(20, 1000.0, 1e-3), PermutohedronMechanism(4, 1000.0)):
        released = private_auto._release(mechanism, scores, rng=Randomness.seeded(1))
        assert released == pytest.approx(scores, abs=2)


def test_differences_of_noise_are_spread_as_the_mechanism_spreads_them():
    normal = DiscreteGaussian(20, 0.5, 1e-6)
    found = private_auto._differences(normal)
    assert found.std() == pytest.approx(sqrt(2) * normal.sigma, rel=1e-3)
    assert (np.diff(found) >= 0).all()
    by_norm = PermutohedronMechanism(5, 0.5)
    drawn = by_norm.simulate_noise(100_000, rng=np.random.default_rng(7)) / by_norm.resolution
    assert private_auto._variance(by_norm) == pytest.approx(np.diff(drawn).var(), rel=0.05)

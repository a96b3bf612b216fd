import os
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import comb, exp, factorial, inf, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.aggregators.borda import borda
from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.private import borda as private_borda
from hushrank.aggregators.private import histogram as private_histogram
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    knorm_differences,
    knorm_noise,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
    share_below,
)
from hushrank.aggregators.private.histogram import p_borda_hist
from hushrank.aggregators.private.order import ballot_margins, order_by_scores
from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.bounds import exponential_below
from tests.statistics import assert_follows, draws_needed, random_seed

NAN = float("nan")
WITH_DELTA = partial(gaussian_borda, delta=1e-6)
BY_SCORES = [p_borda, p_borda_centred, p_borda_knorm, WITH_DELTA]
NAMES = ["p-borda", "p-borda-centred", "p-borda-knorm", "gaussian-borda"]
CENTRE = (2, 0, 3, 1, 4)
PEOPLE = Rankings(Mallows(CENTRE, 0.7).sample(400, rng=np.random.default_rng(3)), tuple("abcde"))
COUNTS = majority(PEOPLE)
THREE = list(permutations(range(3)))


def all_ballots(n_items: int) -> np.ndarray:
    """The pair counts (ballots, items, items) of every ballot, with ties and unranked items."""
    keys = product([NAN, *range(n_items)], repeat=n_items)
    names = tuple(map(str, range(n_items)))
    each = [Rankings.from_keys([key], names) for key in keys]
    modes = ("unknown", "last")
    return np.array([majority(ballot, unranked=mode) for ballot in each for mode in modes])


@pytest.mark.parametrize("n_items", [2, 3, 4])
def test_no_ballot_moves_the_scores_by_more_than_the_sensitivities(n_items, monkeypatch):
    """Each bound is reached, and each mechanism is made for just its bound."""
    made = {}
    for kind in (DiscreteLaplace, DiscreteGaussian):

        def record(sensitivity, *prices, kind=kind):
            made[kind] = sensitivity
            return kind(sensitivity, *prices)

        monkeypatch.setattr(private_borda, kind.__name__, record)
    ballots = all_ballots(n_items)
    scores = (ballots - ballots.transpose(0, 2, 1)).sum(axis=2)
    counts, rng = np.zeros((n_items, n_items), dtype=np.int64), Randomness.seeded(1)
    p_borda_centred(counts, epsilon=1.0, rng=rng)
    assert made[DiscreteLaplace] == np.abs(scores).sum(axis=1).max()
    WITH_DELTA(counts, epsilon=1.0, rng=rng)
    assert made[DiscreteGaussian] == (scores**2).sum(axis=1).max()
    p_borda(counts, epsilon=1.0, rng=rng)
    strict = ballots[
        (ballots + ballots.transpose(0, 2, 1)).sum(axis=(1, 2)) == 2 * comb(n_items, 2)
    ]
    assert made[DiscreteLaplace] == strict.sum(axis=(1, 2)).max() == strict.sum(axis=(1, 2)).min()


@pytest.mark.parametrize("n_items", [2, 3, 4])
def test_every_ballot_adds_scores_of_the_permutohedron(n_items):
    """The k best of any ballot score no more than the k best of a strict one."""
    ballots = all_ballots(n_items)
    scores = np.sort((ballots - ballots.transpose(0, 2, 1)).sum(axis=2), axis=1)[:, ::-1]
    strict = np.arange(n_items - 1, -n_items, -2).cumsum()
    assert (scores.cumsum(axis=1) <= strict).all()
    assert (scores.sum(axis=1) == 0).all()


@pytest.mark.parametrize("method", BY_SCORES, ids=NAMES)
def test_a_huge_epsilon_gives_the_exact_order(method):
    found = method(COUNTS, epsilon=1000.0, rng=Randomness.seeded(2))
    assert found.order == borda(COUNTS) == CENTRE
    assert min(found.confidence) > 0.999


def test_a_huge_epsilon_gives_the_exact_order_of_a_histogram():
    found = p_borda_hist(PEOPLE, epsilon=1000.0, rng=Randomness.seeded(2))
    assert found.order == CENTRE
    assert found.evidence.scores.tolist() == pair_margins(COUNTS).sum(axis=1).tolist()


@pytest.mark.parametrize("method", BY_SCORES, ids=NAMES)
def test_noisy_scores_lie_around_the_exact_ones(method):
    """200 releases: their mean errs by less than 6 of its standard errors, which noise decides."""
    rng = Randomness.seeded(random_seed())
    exact = -COUNTS.sum(axis=0) if method is p_borda else pair_margins(COUNTS).sum(axis=1)
    drawn = np.array([method(COUNTS, epsilon=0.3, rng=rng).evidence.scores for _ in range(200)])
    errors = drawn.std(axis=0) / np.sqrt(200)
    assert errors.max() < 10  # so that scores upside down, or of other units, would be noticed
    assert (np.abs(drawn.mean(axis=0) - exact) < 6 * errors).all()


@pytest.mark.parametrize(
    ("margin", "epsilon"), [(7, 1e-6), (0, 1000.0)], ids=["tiny epsilon", "equal scores"]
)
def test_without_a_signal_both_orders_are_equally_likely(margin, epsilon):
    """It must catch that one of them has 0.58; where scores are equal, the noise is 0."""
    rng = Randomness.seeded(random_seed())
    counts = np.array([[0, 20 + margin], [20, 0]])
    orders = [
        p_borda_centred(counts, epsilon=epsilon, rng=rng).order[0]
        for _ in range(draws_needed([0.5, 0.5], [0.58, 0.42]))
    ]
    assert_follows(np.array(orders), [0.5, 0.5])


@pytest.mark.block_sizes
@pytest.mark.parametrize("epsilon", [1e-9, 2e-4, 0.5, 40.0])
def test_counts_of_a_histogram_are_hidden_at_the_epsilon_that_is_stated(monkeypatch, epsilon):
    drawn, draw = [], private_histogram.two_sided_geometric

    def recorded(scale, size, *, rng):
        drawn.append((scale, size))
        return draw(scale, size, rng=rng)

    monkeypatch.setattr(private_histogram, "two_sided_geometric", recorded)
    found = p_borda_hist(PEOPLE, epsilon=epsilon, rng=Randomness.seeded(1))
    assert found.spend.epsilon == epsilon
    assert drawn == [(epsilon, factorial(PEOPLE.n_items))]


@pytest.mark.parametrize("n_people", [1, 1000, 1001, 2**16 + 1, 10**9, 2**40 - 1])
@pytest.mark.parametrize("cell", [0, 3, 5])
def test_of_however_many_equal_ballots_each_counts_once_in_a_histogram(monkeypatch, cell, n_people):
    """What one changes is what the noise hides."""
    monkeypatch.setattr(
        private_histogram, "two_sided_geometric", lambda _, size, *, rng: np.zeros(size, np.int64)
    )
    monkeypatch.setattr(private_histogram, "_below_of_cells", lambda gaps, *_: gaps)  # slow
    people = Rankings.from_orders(np.array([THREE[cell], THREE[1]]), multiplicities=[n_people, 1])
    scores = p_borda_hist(people, epsilon=1.0, rng=Randomness.seeded(1)).evidence.scores
    expected = [0, 0, 0]
    for order, n_equal in ((THREE[cell], n_people), (THREE[1], 1)):
        expected[order[0]] += 2 * n_equal
        expected[order[2]] -= 2 * n_equal
    assert scores.tolist() == expected


def law_of_histogram(cells: np.ndarray, epsilon: float) -> np.ndarray:
    """The law of the order of three items, from the law of both differences of their scores.

    Each count's noise moves the differences by a multiple of its order's: a product of Fourier
    transforms on a torus of 256 x 256, far wider than the noise.
    """
    size, ranks = 256, np.argsort(THREE, axis=1)
    steps = np.stack([ranks[:, 1] - ranks[:, 0], ranks[:, 2] - ranks[:, 1]], axis=1)
    angles = 2 * np.pi * np.arange(size) / size
    q, transform = exp(-epsilon), np.ones((size, size))
    for first, second in steps:
        angle = np.add.outer(first * angles, second * angles)
        transform = transform * (1 - q) ** 2 / (1 - 2 * q * np.cos(angle) + q * q)
    noise = np.fft.fftshift(np.fft.ifft2(transform).real)
    around = np.arange(size) - size // 2
    a_b, b_c = np.meshgrid(*(around + exact for exact in cells @ steps), indexing="ij")
    scores = np.stack([a_b + b_c, b_c, np.zeros_like(b_c)], axis=-1)  # c scores 0
    law = np.zeros(6)
    for number, (x, y, z) in enumerate(THREE):
        upper = np.sign(scores[..., x] - scores[..., y])
        lower = np.sign(scores[..., y] - scores[..., z])
        share = np.where((upper > 0) & (lower > 0), 1.0, 0.0)
        share += np.where((upper == 0) ^ (lower == 0), (upper + lower == 1) / 2, 0.0)
        share += np.where((upper == 0) & (lower == 0), 1 / 6, 0.0)
        law[number] = (noise * share).sum()
    return law


CELLS = np.array([4, 2, 3, 1, 0, 3])


def test_the_order_of_a_histogram_tells_neighbours_apart_by_at_most_epsilon():
    base = law_of_histogram(CELLS, 0.7)
    assert base.sum() == pytest.approx(1, abs=1e-9)
    losses = [
        np.abs(np.log(law_of_histogram(CELLS + ballot, 0.7) / base)).max()
        for ballot in np.eye(6, dtype=int)
    ]
    assert 0.05 < max(losses) <= 0.7


def test_the_order_of_a_histogram_follows_its_law(monkeypatch):
    """It must catch noise of three times the epsilon, by who comes first."""
    monkeypatch.setattr(private_histogram, "_below_of_cells", lambda gaps, *_: gaps)  # slow
    people = Rankings.from_orders(np.array(THREE)[CELLS > 0], multiplicities=2 * CELLS[CELLS > 0])
    stated, wrong = (law_of_histogram(2 * CELLS, e).reshape(3, 2).sum(axis=1) for e in (0.5, 1.5))
    rng = Randomness.seeded(random_seed())
    first = [
        p_borda_hist(people, epsilon=0.5, rng=rng).order[0]
        for _ in range(draws_needed(stated, wrong))
    ]
    assert_follows(np.array(first), stated)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0, 1000.0])
def test_confidence_in_a_histogram_of_two_items_is_that_of_two_laplace_noises(epsilon):
    gaps = np.array([0.0, 1.0, 2.0, 17.0, 400.0])
    below = private_histogram._below_of_cells(2 * gaps, 2, epsilon)
    assert below == pytest.approx(DiscreteLaplace(1, epsilon).probability_below(gaps), abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 100.0])
@pytest.mark.parametrize("n_items", [2, 5, 10])
def test_confidence_in_a_histogram_grows_with_the_gap_up_to_certainty(n_items, epsilon):
    """Of many people, too: scores of a million are further apart than any noise."""
    gaps = 2 * np.concatenate([np.arange(0, 4000, 70), 2.0 ** np.arange(12, 45)])
    below = private_histogram._below_of_cells(gaps, n_items, epsilon)
    assert (np.diff(below) > -1e-6).all()
    assert below[0] == pytest.approx(0.5)
    assert below[-10:] == pytest.approx(np.ones(10))
    assert 0.5 - 1e-12 <= below.min() < below.max() <= 1
    above = private_histogram._below_of_cells(-gaps, n_items, epsilon)
    assert below + above == pytest.approx(np.ones(len(gaps)))
    assert above.min() >= 0


def test_confidence_in_a_histogram_of_ten_items_is_normal():
    """The variance of a difference is 4 * 10! * (10 * 11 / 6) of one count's noise."""
    spread = 2 * exp(-1) / (1 - exp(-1)) ** 2
    deviation = np.sqrt(4 * 3628800 * 110 / 6 * spread)
    below = private_histogram._below_of_cells(deviation * np.array([0.0, 1.0, 2.0]), 10, 1.0)
    assert below == pytest.approx([0.5, 0.8413, 0.97725], abs=1e-4)


@pytest.mark.parametrize("method", BY_SCORES[:3], ids=NAMES[:3])
def test_confidence_is_how_often_the_noise_would_leave_the_order(method):
    """Two items, exact gap g: they stay in order as often as confidence says of a seen gap g.

    Noise half or twice as wide would move the frequency from .86 to above .97 or below .72.
    """
    rng = Randomness.seeded(random_seed())
    noisy = [method(np.array([[0, 70], [50, 0]]), epsilon=0.1, rng=rng) for _ in range(500)]
    gap = 20.0 if method is p_borda else 40.0
    right = np.mean([found.order == (0, 1) for found in noisy])
    seen = np.array([found.evidence.scores[0] - found.evidence.scores[1] for found in noisy])
    nearest = noisy[int(np.abs(seen - gap).argmin())]
    assert nearest.confidence[0] == pytest.approx(right, abs=0.09)  # 5 standard errors, and a step
    assert all(found.confidence[0] >= 0.49 for found in noisy)


def test_confidence_is_of_each_two_neighbours_in_turn():
    """Of five items, by the law of two noises of their own."""
    found = p_borda(COUNTS, epsilon=0.2, rng=Randomness.seeded(2))
    gaps = -np.diff(found.evidence.scores[list(found.order)])
    expected = DiscreteLaplace(10, 0.2).probability_below(gaps)
    assert len(set(gaps)) == len(found.confidence) == 4
    assert found.confidence == pytest.approx(expected.tolist(), abs=1e-12)


def test_confidence_by_simulated_noise_favours_no_side():
    simulated = knorm_differences(PermutohedronMechanism(5, 0.3))
    assert (simulated == -simulated[::-1]).all()
    gaps = np.array([0.0, simulated[-1] + 1, simulated[0] - 1])
    assert share_below(simulated, gaps).tolist() == [0.5, 1.0, 0.0]
    assert share_below(np.array([-1.0, 0, 0, 1]), np.array([-1.0, 0])).tolist() == [0.125, 0.5]


@pytest.mark.statistical
@pytest.mark.parametrize("n_items", [2, 3, 5])
def test_the_noise_that_is_said_of_a_histogram_is_that_of_its_scores(n_items, monkeypatch):
    """Of independent noises whose differences vary as much; 2,000 releases, 5 standard errors."""
    monkeypatch.setattr(private_histogram, "_below_of_cells", lambda gaps, *_: gaps)  # slow
    ballot = Rankings.from_orders(np.arange(n_items)[None])
    rng = Randomness.seeded(random_seed())
    found = [p_borda_hist(ballot, epsilon=0.5, rng=rng) for _ in range(2000)]
    added = [each.evidence.scores[0] - each.evidence.scores[1] - 2 for each in found]
    stated = 2 * found[0].evidence.noise_sd ** 2
    assert np.mean(np.square(added)) == pytest.approx(stated, rel=5 * np.sqrt(5 / 2000))


def test_relabelled_items_relabel_the_order():
    labels = [3, 1, 4, 0, 2]
    relabelled = COUNTS[np.ix_(labels, labels)]
    for method in BY_SCORES:
        found = method(relabelled, epsilon=1000.0, rng=Randomness.seeded(4)).order
        assert tuple(labels[item] for item in found) == CENTRE


def test_partial_and_tied_ballots_are_welcome_where_the_sensitivity_allows_them():
    partial_ballots = majority(
        Rankings.from_keys([[1, 2, NAN], [1, 2, 2], [3, 2, 1]], tuple("abc"))
    )
    for method in (p_borda_centred, p_borda_knorm, WITH_DELTA):
        assert len(method(partial_ballots, epsilon=1.0, rng=Randomness.seeded(1)).order) == 3
    last_tied = majority(Rankings.from_keys([[1, 2, 2], [1, 2, 3]], tuple("abc")))
    of_many = majority(Rankings.from_keys([[*range(6), 6, 6], [*range(8)]], tuple("abcdefgh")))
    for counts in (partial_ballots, last_tied, of_many):
        with pytest.raises(HushrankError, match=r"strict ballots, some pairs are undecided$"):
            p_borda(counts, epsilon=1.0, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("method", BY_SCORES, ids=NAMES)
@pytest.mark.parametrize("epsilon", [0.0, -1.0, NAN, inf])
def test_an_impossible_epsilon_is_refused_before_anything_is_drawn(method, epsilon):
    with pytest.raises(HushrankError):
        method(COUNTS, epsilon=epsilon, rng=Randomness.replayed(b""))
    with pytest.raises(HushrankError):
        p_borda_hist(PEOPLE, epsilon=epsilon, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("method", BY_SCORES, ids=NAMES)
@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((1, 1), dtype=int),
        np.zeros((2, 3), dtype=int),
        np.array([[0, 0.5], [1, 0]]),
        np.array([[0, NAN], [1, 0]]),
        np.array([[0, -1], [1, 0]]),
        np.array([[1, 0], [0, 1]]),
        np.array([[0, 1], [0, 1]]),
        np.array([[0, 2**60], [1, 0]]),
    ],
    ids=[
        "one item",
        "not square",
        "half",
        "nan",
        "negative",
        "before itself",
        "last before itself",
        "too many",
    ],
)
def test_what_is_no_pair_counts_is_refused_before_anything_is_drawn(method, counts):
    with pytest.raises(HushrankError):
        method(counts, epsilon=1.0, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, NAN])
def test_an_impossible_delta_is_refused_before_anything_is_drawn(delta):
    with pytest.raises(HushrankError):
        gaussian_borda(COUNTS, epsilon=1.0, delta=delta, rng=Randomness.replayed(b""))


def test_a_histogram_needs_complete_strict_rankings_of_at_most_ten_items():
    silence = Randomness.replayed(b"")
    unranked = Rankings.from_keys([[1, 2, NAN]], tuple("abc"))
    tied = Rankings.from_keys([[1, 1, 2]], tuple("abc"))
    eleven = Rankings.from_orders(np.arange(11)[None])
    alone = Rankings.from_orders(np.zeros((1, 1), dtype=int))
    with pytest.raises(EOFError):  # ten are drawn for
        p_borda_hist(Rankings.from_orders(np.arange(10)[None]), epsilon=1.0, rng=silence)
    wrong = {"unranked": unranked, "strict": tied, "at most 10": eleven, "at least 2": alone}
    for message, people in wrong.items():
        with pytest.raises(HushrankError, match=message):
            p_borda_hist(people, epsilon=1.0, rng=silence)


@pytest.mark.parametrize("method", [*BY_SCORES, None], ids=[*NAMES, "p-borda-hist"])
def test_a_simulation_draws_from_its_own_words_only(method, monkeypatch):
    def forbidden(_):
        raise AssertionError

    monkeypatch.setattr(os, "urandom", forbidden)
    drawn = []

    def counting(seed):
        read = np.random.default_rng(seed).bytes
        return Randomness(lambda n: drawn.append(n) or read(n), is_private=False)

    release = partial(p_borda_hist, PEOPLE) if method is None else partial(method, COUNTS)
    first, again, other = (release(epsilon=0.1, rng=counting(seed)) for seed in (1, 1, 2))
    assert sum(drawn) > 0
    assert first.evidence.scores.tolist() == again.evidence.scores.tolist()
    assert first.order == again.order
    assert first.evidence.scores.tolist() != other.evidence.scores.tolist()
    assert not first.is_private


def test_the_statement_says_what_was_protected_for_whom_at_what_cost():
    found = WITH_DELTA(COUNTS, epsilon=0.5, rng=Randomness.secure())
    assert "(0.5, 1e-06)-DP" in found.statement
    assert "add or remove one ballot" in found.statement
    assert "number of people is not treated as public" in found.statement
    public = replace(found, publishes_n_people=True).statement
    assert "number of people is treated as public" in public
    assert "epsilon 1 and delta 2.64873e-06" in public  # (1 + e^.5) delta
    assert "0.5-DP" in p_borda(COUNTS, epsilon=0.5, rng=Randomness.secure()).statement
    simulated = p_borda(COUNTS, epsilon=0.5, rng=Randomness.seeded(1))
    assert simulated.statement.startswith("Not private")


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.5, "1"),
        (nextafter(0.5, 1), "1.00001"),
        (nextafter(0.5, 0), "1"),
        (0.1, "0.200001"),  # the float is above a tenth
        (0.3, "0.6"),  # and this one below
        (0.1234565, "0.246913"),
        (nextafter(8, 9), "16.0001"),
    ],
)
def test_to_replace_a_ballot_costs_twice_as_much_to_the_last_digit(epsilon, said):
    found = p_borda(COUNTS, epsilon=epsilon, rng=Randomness.secure())
    public = replace(found, publishes_n_people=True).statement
    assert public.endswith(f"against replacing one ballot it is epsilon {said}.")


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.9, 5.0, 8.0, 15.0, 20.0])
def test_to_replace_a_ballot_has_the_delta_of_both_ballots(epsilon):
    """That of one of them is found by whoever knows all others, at odds of up to e^epsilon."""
    delta = 2.0**-32
    found = p_borda(COUNTS, epsilon=epsilon, rng=Randomness.secure())
    spend = replace(found.spend, delta=delta)
    public = replace(found, spend=spend, publishes_n_people=True).statement
    said = Fraction(public.removesuffix(".").rpartition("and delta ")[2])
    exact = (1 + exponential_below(epsilon)) * Fraction(delta)
    assert exact < said <= exact * (1 + Fraction(1, 10**5))


def test_a_private_order_shows_nothing_of_its_content():
    found = p_borda(COUNTS, epsilon=0.5, rng=Randomness.seeded(1))
    assert repr(found) == "PrivateOrder(5 items, p-borda, 0.5-DP, not private)"
    assert found.spend.model == "central"
    assert found.spend.epsilon == 0.5


@st.composite
def any_ballot(draw):
    """The margins (items, items) of a ballot that may tie items and leave some out."""
    n_items = draw(st.integers(2, 24))
    places = draw(st.lists(st.integers(0, n_items), min_size=n_items, max_size=n_items))
    keys = [NAN if place == n_items else place for place in places]
    ballot = Rankings.from_keys([keys], tuple(map(str, range(n_items))))
    before = majority(ballot, unranked=draw(st.sampled_from(["unknown", "last"])))
    return before - before.T


@settings(max_examples=50)
@given(any_ballot())
def test_no_ballot_of_many_items_moves_more_than_the_theory_says(margins):
    """Each bound is that of a strict ballot: exactly, in whole numbers."""
    m, scores = len(margins), margins.sum(axis=1)
    strict = np.arange(m - 1, -m, -2)
    assert np.abs(margins).max() <= 1
    assert np.abs(scores).sum() <= 2 * (m**2 // 4) == np.abs(strict).sum()
    assert (scores**2).sum() <= m * (m**2 - 1) // 3 == (strict**2).sum()
    assert (np.sort(scores)[::-1].cumsum() <= strict.cumsum()).all()


@settings(max_examples=30)
@given(n_items=st.integers(2, 30), data=st.data())
def test_no_tournament_moves_more_than_a_strict_ballot(n_items, data):
    """What the proof compares with is not transitive: any pair may go any way, or none."""
    pairs = np.triu_indices(n_items, k=1)
    one_way = data.draw(
        st.lists(st.integers(-1, 1), min_size=len(pairs[0]), max_size=len(pairs[0]))
    )
    margins = np.zeros((n_items, n_items), dtype=np.int64)
    margins[pairs] = one_way
    scores = np.sort((margins - margins.T).sum(axis=1))[::-1]
    assert (scores.cumsum() <= np.arange(n_items - 1, -n_items, -2).cumsum()).all()


@pytest.mark.parametrize("n_items", [5, 9, 16, 40])
def test_noise_is_made_for_the_bounds_of_the_theory(n_items, monkeypatch):
    made = {}
    for kind in (DiscreteLaplace, DiscreteGaussian):

        def record(sensitivity, *prices, kind=kind):
            made[kind] = sensitivity
            return kind(sensitivity, *prices)

        monkeypatch.setattr(private_borda, kind.__name__, record)
    counts, rng = np.zeros((n_items, n_items), dtype=np.int64), Randomness.seeded(1)
    p_borda(counts, epsilon=1.0, rng=rng)
    assert made[DiscreteLaplace] == sum(range(n_items))
    p_borda_centred(counts, epsilon=1.0, rng=rng)
    assert made[DiscreteLaplace] == 2 * (n_items**2 // 4)
    WITH_DELTA(counts, epsilon=1.0, rng=rng)
    assert made[DiscreteGaussian] == n_items * (n_items**2 - 1) // 3


@pytest.mark.parametrize("epsilon", [1.0, 20.0, 100.0])
@pytest.mark.parametrize("method", [p_borda, p_borda_centred], ids=NAMES[:2])
def test_the_noise_that_is_said_of_scores_is_the_deviation_of_their_own(
    method, epsilon, monkeypatch
):
    made = []
    exact = DiscreteLaplace.__post_init__
    monkeypatch.setattr(DiscreteLaplace, "__post_init__", lambda it: (made.append(it), exact(it)))
    found = method(COUNTS, epsilon=epsilon, rng=Randomness.seeded(1))
    (mechanism,) = made
    places = np.arange(-4000, 4001)
    law = np.exp(-np.abs(places) / mechanism.scale)
    assert found.evidence.noise_sd**2 == pytest.approx(law @ places**2 / law.sum(), rel=1e-9)


def test_the_noise_that_is_said_makes_differences_that_vary_as_those_of_k_norm():
    """Of two scores whose noises are independent, the difference varies twice as much."""
    mechanism = PermutohedronMechanism(5, 1.0)
    drawn = mechanism.simulate_noise(40_000, rng=np.random.default_rng(1)) / mechanism.resolution
    differences = np.concatenate([drawn[:, 0] - drawn[:, 1], drawn[:, 2] - drawn[:, 4]])
    assert 2 * knorm_noise(mechanism) ** 2 == pytest.approx(differences.var(), rel=0.05)


@pytest.mark.parametrize("method", BY_SCORES, ids=NAMES)
def test_scores_of_billions_of_ballots_do_not_wrap(method):
    counts = majority(Rankings.from_orders(np.array([[0, 1, 2]]))) * 3 * 2**31
    found = method(counts, epsilon=1.0, rng=Randomness.seeded(1))
    assert found.order == (0, 1, 2)


def test_there_may_be_2_to_the_40_ballots_and_no_more():
    most = np.array([[0, 2**40], [0, 0]])
    assert (ballot_margins(most) == most - most.T).all()
    with pytest.raises(HushrankError, match=r"of 0 to 1,099,511,627,776 ballots$"):
        ballot_margins(most + np.array([[0, 1], [0, 0]]))
    for fewer in ([[0, -1], [0, 0]], [[0, 0], [-1, 0]]):
        with pytest.raises(HushrankError, match=r"of 0 to 1,099,511,627,776 ballots$"):
            ballot_margins(np.array(fewer))


def test_pairs_that_are_left_open_are_found_where_each_item_is_in_as_many():
    counts = 5 * np.triu(np.ones((4, 4), dtype=np.int64), 1)
    counts[[0, 2], [1, 3]] = 4
    with pytest.raises(HushrankError, match="some pairs are undecided"):
        p_borda(counts, epsilon=1.0, rng=Randomness.replayed(b""))


def test_halves_of_ballots_that_add_up_to_whole_ones_are_none():
    counts = 5.0 * np.triu(np.ones((3, 3)), 1)
    counts[[0, 1], [1, 2]] -= 0.5
    with pytest.raises(HushrankError, match="whole pair counts of ballots"):
        ballot_margins(counts)


@pytest.mark.parametrize("unit", [1.0, 2.0**-10, 2.0**-40])
def test_scores_that_differ_by_however_little_are_no_tie(unit):
    scores = unit * np.array([1.0, 3.0, 0.0, 2.0])
    for seed in range(8):
        assert order_by_scores(scores, rng=Randomness.seeded(seed)) == (1, 3, 0, 2)


def test_half_a_ballot_for_the_last_pair_is_none():
    with pytest.raises(HushrankError, match="expected whole pair counts of ballots"):
        ballot_margins(np.eye(8, k=-7) / 2)
    with pytest.raises(HushrankError, match="expected whole pair counts of ballots"):
        ballot_margins(np.diag([0] * 7 + [0.5]))

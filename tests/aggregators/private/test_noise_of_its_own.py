"""Each released number is its exact value plus noise of its own, and nothing finer or more."""

from functools import partial
from itertools import combinations, pairwise, permutations
from math import comb, factorial

import numpy as np
import pytest

from hushrank.accounting.composition import rest_of, share_of
from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.private import auto as private_auto
from hushrank.aggregators.private import borda as private_borda
from hushrank.aggregators.private import histogram as private_histogram
from hushrank.aggregators.private import kemeny as private_kemeny
from hushrank.aggregators.private import quicksort as private_quicksort
from hushrank.aggregators.private.auto import auto
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.histogram import p_borda_hist
from hushrank.aggregators.private.kemeny import gaussian_kemeny, p_sample
from hushrank.aggregators.private.quicksort import dp_kwiksort, p_sort
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.models.mallows import Mallows
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.statistics import assert_follows, draws_needed, random_seed

MECHANISMS = (DiscreteLaplace, DiscreteGaussian, PermutohedronMechanism)
PEOPLE = Rankings(
    Mallows((2, 0, 3, 1, 4), 0.7).sample(400, rng=np.random.default_rng(3)), tuple("abcde")
)
COUNTS = majority(PEOPLE)
MARGINS, SCORES = pair_margins(COUNTS), pair_margins(COUNTS).sum(axis=1)
DELTA = {"delta": 1e-5}
PAID = {p_sort: 9, dp_kwiksort: 6}
"""How many comparisons of 5 items are paid for."""


class Noise:
    """In place of all noise: 1, 2, 4, ..., so that any sum of them shows which were added."""

    def __init__(self) -> None:
        self.drawn = 0

    def next(self, size: int) -> np.ndarray:
        numbers = 2 ** np.arange(self.drawn, self.drawn + size, dtype=np.int64)
        self.drawn += size
        return numbers


OF_COUNTS = (
    *(p_borda, p_borda_centred, p_borda_knorm, p_sort, dp_kwiksort, p_sample),
    *(partial(gaussian_borda, **DELTA), partial(gaussian_kemeny, **DELTA)),
)


@pytest.mark.parametrize("n_people", [1, 400])
def test_noise_comes_from_the_given_source_however_many_ballots_there_are(n_people):
    people = Rankings(PEOPLE.ranks[:n_people], PEOPLE.names)
    of_counts = [partial(method, majority(people)) for method in OF_COUNTS]
    for method in (partial(p_borda_hist, people), *of_counts):
        with pytest.raises(EOFError):
            method(epsilon=1.0, rng=Randomness.replayed(b""))


@pytest.fixture
def noise(monkeypatch):
    """Replace the draws of all mechanisms of a curator."""
    noise = Noise()

    def release(mechanism, values, *, rng):
        unit = getattr(mechanism, "resolution", 1)
        return values * unit + noise.next(values.size).reshape(values.shape)

    for mechanism in MECHANISMS:
        monkeypatch.setattr(mechanism, "release", release)
    monkeypatch.setattr(
        private_histogram, "two_sided_geometric", lambda _, size, *, rng: noise.next(size)
    )
    return noise


def each_once(added: np.ndarray, noise: Noise) -> None:
    """Assert that no noise was added twice, and none was drawn for nothing."""
    assert sorted(added.tolist()) == [2**number for number in range(noise.drawn)]


def check_scores(method, exact, noise):
    found = method(COUNTS, epsilon=0.3, rng=Randomness.seeded(1))
    each_once(found.evidence.scores - exact, noise)
    assert list(found.order) == list(np.argsort(-found.evidence.scores))


@pytest.mark.parametrize(
    ("method", "exact"),
    [
        (p_borda, -COUNTS.sum(axis=0)),
        (p_borda_centred, SCORES),
        (partial(gaussian_borda, **DELTA), SCORES),
    ],
    ids=["p-borda", "p-borda-centred", "gaussian-borda"],
)
def test_each_score_has_noise_of_its_own(method, exact, noise):
    check_scores(method, exact, noise)


def check_knorm(noise):
    found = p_borda_knorm(COUNTS, epsilon=0.3, rng=Randomness.seeded(1))
    unit = PermutohedronMechanism(5, 0.3).resolution
    each_once(found.evidence.scores * unit - SCORES * unit, noise)


def test_each_score_on_the_lattice_has_the_noise_of_its_place(noise):
    check_knorm(noise)


def check_kemeny(noise):
    found = gaussian_kemeny(COUNTS, epsilon=0.3, rng=Randomness.seeded(1), **DELTA)
    added = found.evidence.margins - MARGINS
    assert (added == -added.T).all()
    each_once(added[np.triu_indices(5, k=1)], noise)


def test_each_margin_has_noise_of_its_own(noise):
    check_kemeny(noise)


def check_sort(method, seed, noise):
    found = method(COUNTS, epsilon=0.3, rng=Randomness.seeded(seed))
    assert noise.drawn == PAID[method]
    seen = found.evidence.margins
    added = [abs(seen[a, b] - MARGINS[a, b]) for a, b in combinations(range(5), 2)]
    used = sorted(number for number in added if not np.isnan(number))
    assert used == [2**number for number in range(len(used))]
    assert (np.nan_to_num(seen) == -np.nan_to_num(seen).T).all()
    assert len(used) <= noise.drawn
    for before, after in pairwise(found.order):  # a comparison that was paid for is obeyed
        assert np.isnan(seen[before, after]) or seen[before, after] >= 0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", [p_sort, dp_kwiksort])
def test_each_comparison_has_noise_of_its_own(method, seed, noise):
    check_sort(method, seed, noise)


@pytest.mark.parametrize("cells_at_once", [6, 4, 1])
def test_each_count_of_a_histogram_has_noise_of_its_own(monkeypatch, cells_at_once):
    """Noise of 1000 in one cell and 0 in the others moves the scores by this cell's order alone."""
    people = Rankings.from_orders(np.array([(0, 1, 2)]), multiplicities=np.array([4]))
    exact = pair_margins(majority(people)).sum(axis=1)
    moved, left = set(), []

    def draw(epsilon, size, *, rng):
        assert epsilon == 0.5
        drawn, left[:size] = left[:size], []
        return np.array(drawn)

    monkeypatch.setattr(private_histogram, "two_sided_geometric", draw)
    monkeypatch.setattr(private_histogram, "CELLS_AT_ONCE", cells_at_once)
    for cell in range(6):
        left[:] = 1000 * (np.arange(6) == cell)
        found = p_borda_hist(people, epsilon=0.5, rng=Randomness.seeded(1))
        assert not left
        moved.add(tuple((found.evidence.scores - exact) / 1000))
    assert moved == {(2, 0, -2), (2, -2, 0), (0, 2, -2), (-2, 2, 0), (0, -2, 2), (-2, 0, 2)}


@pytest.mark.block_sizes
def test_no_two_counts_of_many_blocks_have_one_noise(monkeypatch):
    """Of nine items there are two blocks: each number that is drawn moves the scores of one order.

    Where the second half of a block had the noise of the first, half of the counts would tell more.
    """
    people, drawn = Rankings.from_orders(np.array([range(9)])), []

    def draw(epsilon, size, *, rng):
        drawn.append((rng.words(size) % np.uint64(2001)).astype(np.int64) - 1000)
        return drawn[-1]

    monkeypatch.setattr(private_histogram, "two_sided_geometric", draw)
    found = p_borda_hist(people, epsilon=0.5, rng=Randomness.seeded(1))
    noise = np.concatenate(drawn)
    assert (len(drawn), noise.size) == (2, factorial(9))
    expected = np.arange(8, -9, -2)
    for order, of_cell in zip(permutations(range(9)), noise.tolist(), strict=True):
        expected[list(order)] += of_cell * np.arange(8, -9, -2)
    assert found.evidence.scores.tolist() == expected.tolist()


@pytest.mark.block_sizes
@pytest.mark.parametrize("n_items", [8, 10])
@pytest.mark.parametrize("cells_at_once", [None, 30_011])
def test_of_so_many_blocks_each_count_has_the_noise_of_its_place(
    monkeypatch, n_items, cells_at_once
):
    """As of a single one; the largest histogram has 3,628,800 counts."""
    people = Rankings.from_orders(np.array([range(n_items)]))
    noise = np.random.default_rng(5).integers(-1000, 1001, factorial(n_items))
    found = []
    for size in (cells_at_once or private_histogram.CELLS_AT_ONCE, noise.size):
        left = iter(np.split(noise, range(size, noise.size, size)))
        draw = partial(lambda _, n, *, rng, left: next(left), left=left)
        monkeypatch.setattr(private_histogram, "two_sided_geometric", draw)
        monkeypatch.setattr(private_histogram, "CELLS_AT_ONCE", size)
        found.append(p_borda_hist(people, epsilon=0.5, rng=Randomness.seeded(1)))
        assert next(left, None) is None
    assert found[0].evidence.scores.tolist() == found[1].evidence.scores.tolist()


def test_what_auto_shows_is_both_releases_each_with_noise_of_its_own(monkeypatch):
    """The weights are the mechanisms': public. The exact scores enter with weights of sum 1."""
    added = []

    def release(mechanism, scores, *, rng):
        added.append(np.arange(5.0) * 10 ** len(added))
        return scores + added[-1]

    monkeypatch.setattr(private_auto, "_release", release)
    found = auto(COUNTS, epsilon=0.01, rng=Randomness.seeded(1))
    assert found.method == "auto: borda"
    look, more = (PermutohedronMechanism(5, part) for part in (0.01 / 20, 0.01 * 19 / 20))
    variances = [private_auto._variance(each) for each in (look, more)]
    weight = variances[1] / sum(variances)
    expected = SCORES + weight * added[0] + (1 - weight) * added[1]
    assert found.evidence.scores == pytest.approx(expected, rel=1e-12)


@pytest.fixture
def prices(monkeypatch):
    """Remember at which epsilon and delta noise or an order is drawn, and draw none."""
    prices = []

    def release(mechanism, values, *, rng):
        prices.append((mechanism.epsilon, getattr(mechanism, "delta", 0.0)))
        return values * getattr(mechanism, "resolution", 1)

    def geometric(epsilon, size, *, rng):
        prices.append((epsilon, 0.0))
        return np.zeros(size, dtype=np.int64)

    def drawn(majority, *, epsilon, rng):
        prices.append((epsilon, 0.0))
        return tuple(range(len(majority)))

    for mechanism in MECHANISMS:
        monkeypatch.setattr(mechanism, "release", release)
    monkeypatch.setattr(private_histogram, "two_sided_geometric", geometric)
    monkeypatch.setattr(private_kemeny.private_sample, "p_sample", drawn)
    return prices


@pytest.mark.parametrize("epsilon", [1 / 3, 0.0123456789, 0.0016])
@pytest.mark.parametrize(
    "method", [pytest.param(p_borda_hist, marks=pytest.mark.block_sizes), *OF_COUNTS]
)
def test_what_is_drawn_costs_the_very_epsilon_that_was_given(method, epsilon, prices):
    """One with fewer digits is as often above: of 0.0016 it may be a quarter more."""
    ballots = PEOPLE if method is p_borda_hist else COUNTS
    found = method(ballots, epsilon=epsilon, rng=Randomness.seeded(1))
    drawn_at = share_of(epsilon, PAID.get(method, 1))
    assert prices == [(drawn_at, getattr(method, "keywords", {}).get("delta", 0.0))]
    assert found.spend.epsilon == epsilon


@pytest.mark.parametrize("delta", [None, 1e-5])
@pytest.mark.parametrize("epsilon", [1 / 3, 0.0123456789, 0.0016])
def test_what_auto_draws_costs_its_parts_of_the_very_epsilon_that_was_given(epsilon, delta, prices):
    found = auto(COUNTS, epsilon=epsilon, delta=delta, rng=Randomness.seeded(1))
    look = share_of(epsilon, 20)
    assert [each for each, _ in prices] == [look, rest_of(epsilon, look)]
    assert found.spend.epsilon == epsilon


def reused_for_every_pivot(margins, noise, *, rng, sort=private_quicksort._quicksort):
    return sort(margins, np.resize(noise[:4], len(noise)), rng=rng)


def one_for_all_pairs(margins, mechanism, *, rng):
    one = mechanism.release(np.zeros(1, dtype=np.int64), rng=rng)[0]
    return margins + one * np.sign(np.subtract.outer(np.arange(5), np.arange(5))).T


def betraying(noisy, below, sd, spend, *, rng, ordered=private_borda._ordered):
    return ordered(noisy + 1e-9 * SCORES, below, sd, spend, rng=rng)


def lifting(noisy, below, sd, spend, *, rng, ordered=private_borda._ordered):
    return ordered(noisy + 0.4 * (SCORES > 0), below, sd, spend, rng=rng)


@pytest.mark.parametrize(
    ("place", "name", "wrong", "check"),
    [
        (private_quicksort, "_quicksort", reused_for_every_pivot, partial(check_sort, p_sort, 1)),
        (private_kemeny, "_noisy_margins", one_for_all_pairs, check_kemeny),
        (private_borda, "_ordered", betraying, partial(check_scores, p_borda_centred, SCORES)),
        (private_borda, "_ordered", lifting, partial(check_scores, p_borda_centred, SCORES)),
        (private_borda, "_ordered", betraying, check_knorm),
    ],
    ids=["a noise used twice", "one noise for all", "a little of the truth", "a lift", "lattice"],
)
def test_wrong_methods_are_found(place, name, wrong, check, noise, monkeypatch):
    monkeypatch.setattr(place, name, wrong)
    with pytest.raises(AssertionError):
        check(noise=noise)


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize(
    ("method", "exact", "unit"),
    [
        (p_borda, -COUNTS.sum(axis=0), 1),
        (p_borda_centred, SCORES, 1),
        (p_borda_knorm, SCORES, PermutohedronMechanism(5, 0.3).resolution),
        (partial(gaussian_borda, **DELTA), SCORES, 1),
    ],
    ids=["p-borda", "p-borda-centred", "p-borda-knorm", "gaussian-borda"],
)
def test_no_score_is_finer_than_the_grid_of_its_noise(method, exact, unit, seed):
    found = method(COUNTS, epsilon=0.3, rng=Randomness.seeded(seed))
    on_grid = found.evidence.scores * unit
    assert (on_grid == np.round(on_grid)).all()
    assert (found.evidence.scores != exact).sum() >= 4  # a noise of 0 has a chance below .02


def halves(found, exact):
    """How many of two numbers of one release lie above their exact values: 0 to 3."""
    return (found[0] > exact[0]) + 2 * (found[1] > exact[1])


@pytest.mark.parametrize("method", ["scores", "margins"])
def test_the_noises_of_two_numbers_are_independent(method):
    """By their signs; it must catch that they agree with .58: both from one noise agree always."""
    rng, counts = Randomness.seeded(random_seed()), np.zeros((3, 3), dtype=np.int64)
    sigma = DiscreteGaussian(comb(3, 2), 1e-3, 1e-5)
    laplace = DiscreteLaplace(4, 1e-3)
    stated, wrong = [0.25] * 4, [0.29, 0.21, 0.21, 0.29]
    drawn = []
    for _ in range(draws_needed(stated, wrong)):
        if method == "scores":
            seen = laplace.release(np.zeros(3, dtype=np.int64), rng=rng)
        else:
            noisy = private_kemeny._noisy_margins(counts, sigma, rng=rng)
            seen = noisy[np.triu_indices(3, k=1)]
        drawn.append(halves(seen[:2], (-0.5, -0.5)))
    assert_follows(np.array(drawn), stated)

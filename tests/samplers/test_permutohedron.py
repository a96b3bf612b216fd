"""Codes, radii and steps number the lattice points of shifted permutohedra, each once."""

from itertools import product

import numpy as np
import pytest

from hushrank.samplers import permutohedron
from hushrank.samplers.permutohedron import lattice_points
from tests.statistics import assert_follows, draws_needed, random_seed

FINE = 1000
"""v is (1, ..., 1, 1 - m) / FINE: small enough, as no sum of it reaches 1."""


def subsets(n_items):
    """Return all proper subsets of the items (subsets, items)."""
    return np.array(list(product((0, 1), repeat=n_items)))[1:-1]


def levels(points):
    """Return the least j with z in jB + v, from the inequalities of B and not from its tiles.

    z is in jB when, for all subsets of s items, the sum of z over them is at most j s (m - s).
    """
    n_items = points.shape[1]
    sets = subsets(n_items)
    shift = np.append(np.ones(n_items - 1, dtype=int), 1 - n_items)
    sizes = sets.sum(axis=1)
    sums = (FINE * points - shift) @ sets.T
    return (-(-sums // (FINE * sizes * (n_items - sizes)))).max(axis=1)


def whole_vectors(n_items, largest):
    """Return all vectors of whole numbers up to `largest`, of sum 0."""
    box = np.array(list(product(range(-largest, largest + 1), repeat=n_items - 1)))
    points = np.column_stack([box, -box.sum(axis=1)])
    return points[np.abs(points[:, -1]) <= largest]


def points_by_trees(n_items, radius):
    codes = list(product(range(n_items), repeat=n_items - 2))
    steps = list(product(range(1, 2 * radius + 1), repeat=n_items - 1))
    all_codes = np.repeat(np.array(codes, dtype=np.uint64).reshape(len(codes), -1), len(steps), 0)
    radii = np.full(len(all_codes), radius)
    return lattice_points(all_codes, radii, np.tile(np.array(steps), (len(codes), 1)))


def random_points(n_items, radius, n_draws):
    rng = np.random.default_rng(random_seed())
    codes = rng.integers(n_items, size=(n_draws, n_items - 2), dtype=np.uint64)
    steps = rng.integers(1, 2 * radius + 1, size=(n_draws, n_items - 1))
    return lattice_points(codes, np.full(n_draws, radius), steps)


SMALL = [(2, j) for j in (1, 2, 7)] + [(3, j) for j in (1, 2, 3, 5)]
SMALL += [(4, 1), (4, 2), (4, 3), (5, 1), (5, 2)]


@pytest.mark.parametrize(("n_items", "radius"), SMALL)
def test_each_point_inside_is_numbered_once(n_items, radius):
    box = whole_vectors(n_items, radius * (n_items - 1))
    inside = box[levels(box) <= radius]
    numbered = points_by_trees(n_items, radius)
    assert len(inside) == (2 * radius) ** (n_items - 1) * n_items ** (n_items - 2)
    assert sorted(numbered.tolist()) == sorted(inside.tolist())


def ballot_scores(n_items):
    """Return what one ballot may add to the scores: ties, and items left out, included."""
    places = [*range(n_items), None]
    scores = set()
    for ranks in product(places, repeat=n_items):
        ranked = [item for item in range(n_items) if ranks[item] is not None]
        score = [0] * n_items
        for a, b in product(ranked, repeat=2):
            score[a] += int(np.sign(ranks[a] - ranks[b]))
        scores.add(tuple(score))
    return np.array(sorted(scores))


@pytest.mark.parametrize("resolution", [1, 2, 5])
@pytest.mark.parametrize(("n_items", "largest"), [(2, 30), (3, 16), (4, 8)])
def test_a_ballot_moves_the_level_by_the_resolution_at_most(n_items, largest, resolution):
    """The privacy of the K-norm mechanism, for each ballot at each point; some lose all of it."""
    points = whole_vectors(n_items, largest)
    start = levels(points)
    moves = [levels(points + resolution * score) - start for score in ballot_scores(n_items)]
    assert np.max(moves) == resolution
    assert np.min(moves) >= -resolution


@pytest.mark.parametrize("n_items", [3, 4])
def test_the_ballots_fill_the_body(n_items):
    """A move of twice a ballot's scores may cost more than the resolution: B is not too large."""
    points = whole_vectors(n_items, 6)
    moves = [levels(points + 2 * score) - levels(points) for score in ballot_scores(n_items)]
    assert np.max(moves) == 2


@pytest.mark.parametrize("n_items", [3, 6, 10])
def test_random_points_are_spread_evenly(n_items):
    """(i / j)^(m-1) of the points have level i at most; an exponent of m would fail."""
    radius, shells = 100, np.array([0.25, 0.5, 0.75, 1])
    bounds = np.ceil(radius * shells ** (1 / (n_items - 1))).astype(int)
    law = np.diff((bounds / radius) ** (n_items - 1), prepend=0)
    wrong = np.diff((bounds / radius) ** n_items, prepend=0)
    points = random_points(n_items, radius, draws_needed(law, wrong))
    assert_follows(np.searchsorted(bounds, levels(points)), law)


@pytest.mark.parametrize("n_items", [45, 100, 300])
def test_points_of_many_items_lie_inside_and_reach_far(n_items):
    points = random_points(n_items, 1000, 200)
    places = np.arange(1, n_items)
    largest_sums = np.sort(points, axis=1)[:, :0:-1].cumsum(axis=1)
    norms = (largest_sums / (places * (n_items - places))).max(axis=1)
    assert (points.sum(axis=1) == 0).all()
    assert norms.max() <= 1000
    assert norms.min() > 1000 * 1e-9 ** (1 / (n_items - 1)) - 1  # a part of 1e-9 lies further in


def test_pairs_are_numbered_from_1_and_no_two_alike():
    numbers = [permutohedron._height(a, b) for b in range(100) for a in range(b)]
    assert numbers == list(range(1, 4951))
    assert permutohedron._height(7, 3) == permutohedron._height(3, 7)


def test_the_ways_of_a_tree_are_read_within_the_tree():
    """As they are written, and not compiled, which does not ask for bounds: a star, and a line."""
    for taken, parents in (([0, 1, 2, 3], [3, 3, 3, 3]), ([0, 1, 2, 3], [1, 2, 3, 3])):
        as_written, compiled = np.zeros((4, 4), dtype=np.int64), np.zeros((4, 4), dtype=np.int64)
        tree = np.array(taken), np.array(parents)
        permutohedron._find_highest_edges.py_func(*tree, as_written)
        permutohedron._find_highest_edges(*tree, compiled)
        assert (as_written == compiled).all()
        assert (as_written == -as_written.T).all()


def test_points_are_those_that_are_written():
    codes, steps = np.array([[3, 0]]), np.array([[1, 5, 12]])
    points = np.zeros((1, 4), dtype=np.int64)
    permutohedron._fill_points.py_func(codes, np.array([6]), steps, points)
    assert (points == lattice_points(codes.astype(np.uint64), np.array([6]), steps)).all()


def test_points_wrap_around_64_bits():
    """For a given tree they are linear in radius and steps together."""
    codes, factor = np.array([[3, 0, 3], [1, 2, 4]], dtype=np.uint64), np.int64(2**61 + 12345)
    radii, steps = np.array([6, 7]), np.array([[1, 5, 12, 7], [14, 2, 8, 9]])
    expected = factor * lattice_points(codes, radii, steps)
    assert (lattice_points(codes, factor * radii, factor * steps) == expected).all()

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.models.max_entropy.pair_features import cells_of, projected, swapped
from hushrank.models.max_entropy.rank_features import (
    RankFeatures,
    rank_features,
    rank_polynomials,
    wide_features,
)
from hushrank.models.max_entropy.swap_moves import order_logs
from hushrank.rankings.coding import inverse
from tests.models.max_entropy.test_rank_potentials import all_ranks, indicators

SIZES = range(2, 7)


def values_of(features: RankFeatures) -> np.ndarray:
    """Each feature (orders, features) of `all_ranks`."""
    at, preceded = indicators(features.n_items)
    on_own = np.tensordot(at, features.own, axes=([1, 2], [1, 2]))
    return on_own + np.tensordot(preceded, features.before, axes=([1, 2, 3], [1, 2, 3]))


def raw_kinds(n_items: int) -> list[np.ndarray]:
    """First order, precedence, interactions of degree 1 and 2: values (orders, features) each."""
    ranks, polynomials = all_ranks(n_items).astype(int), rank_polynomials(n_items)
    items = range(n_items)
    first = [row[ranks[:, a]] for a in items for row in polynomials]
    pairs = [(a, b) for a in items for b in items if a != b]
    is_before = {pair: (ranks[:, pair[0]] < ranks[:, pair[1]]) for pair in pairs}
    kinds = [first, [2.0 * is_before[a, b] - 1 for a, b in pairs if a < b]]
    for row in polynomials[:2]:
        kinds.append([row[ranks[:, a]] * is_before[b, a] for a, b in pairs])
    return [np.stack(kind, axis=1) for kind in kinds]


@pytest.mark.linear_algebra
@pytest.mark.parametrize("n_items", SIZES)
def test_features_equal_the_regression_on_all_orders(n_items):
    """Project each kind on everything before it, of all items, by least squares."""
    kinds = raw_kinds(n_items)
    known = np.ones((len(kinds[0]), 1))
    found = []
    for kind in kinds:
        left = kind - known @ np.linalg.lstsq(known, kind, rcond=1e-9)[0] if found else kind
        spread = np.sqrt((left**2).mean(axis=0))
        if spread.min() > 1e-6:
            found.append(left / spread)
            known = np.hstack([known, found[-1]])
    assert values_of(rank_features(n_items)) == pytest.approx(np.hstack(found), abs=1e-9)


@pytest.mark.parametrize("n_items", SIZES)
def test_features_have_mean_0_and_variance_1_under_equally_likely_orders(n_items):
    values = values_of(rank_features(n_items))
    assert values.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert (values**2).mean(axis=0) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("n_items", "n_features"), [(1, 0), (2, 2), (3, 9), (4, 30), (5, 70), (10, 315), (40, 5460)]
)
def test_kinds_of_which_nothing_is_left_are_dropped(n_items, n_features):
    features = rank_features(n_items)
    assert features.spreads.shape == (n_features,)
    assert features.n_items == n_items


def test_spreads_are_those_of_the_kinds():
    spreads = rank_features(6).spreads
    by_degree = [1, 0.6, 0.39 / 3, 0.39 / 4, 0.39 / 5]
    assert spreads[:30] == pytest.approx(np.tile(by_degree, 6))
    assert spreads[30:] == pytest.approx(np.repeat([0.12, 0.25, 0.06], [15, 30, 30]))


@pytest.mark.parametrize("n_items", [1, 2, 3, 5, 10])
def test_inner_is_the_transpose_of_potentials(n_items):
    rng = np.random.default_rng(n_items)
    features = rank_features(n_items)
    coefficients = rng.normal(size=len(features.spreads))
    own, before = rng.normal(size=(n_items,) * 2), rng.normal(size=(n_items,) * 3)
    mapped = features.potentials(coefficients)
    product = np.vdot(mapped[0], own) + np.vdot(mapped[1], before)
    assert coefficients @ features.inner(own, before) == pytest.approx(product, rel=1e-10)


def test_inner_takes_many_weights_at_once():
    rng = np.random.default_rng(2)
    features = rank_features(4)
    own, before = rng.normal(size=(3, 4, 4)), rng.normal(size=(3, 4, 4, 4))
    alone = [features.inner(*each) for each in zip(own, before, strict=True)]
    assert features.inner(own, before) == pytest.approx(np.stack(alone))


def exact_polynomials(n_items: int) -> np.ndarray:
    """Monic polynomials by Stieltjes's recurrence in exact fractions, scaled at the very end."""
    points = [Fraction(2 * rank - n_items + 1) for rank in range(n_items)]
    before, now, squares_before = [Fraction(0)] * n_items, [Fraction(1)] * n_items, Fraction(1)
    rows = []
    for _ in range(n_items):
        squares = sum(value**2 for value in now)
        rows.append([_root(value**2 * n_items / squares, value > 0) for value in now])
        ratio, squares_before = squares / squares_before, squares
        following = [x * p - ratio * q for x, p, q in zip(points, now, before, strict=True)]
        before, now = now, following
    return np.array(rows[1:])


def _root(square: Fraction, is_positive: bool) -> float:
    return sqrt(square) if is_positive else -sqrt(square)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 10, 31, 64, 81])
def test_polynomials_equal_those_of_exact_fractions_in_every_digit_and_sign(n_items):
    """Also where they are tiny: at 81 items the last one is 1e-23 at either end."""
    exact, polynomials = exact_polynomials(n_items), rank_polynomials(n_items)
    assert polynomials == pytest.approx(exact, rel=1e-9, abs=0)
    assert polynomials == pytest.approx(exact, rel=0, abs=1e-13)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("n_items", [2, 5, 16, 60, 128])
def test_polynomials_are_orthogonal_of_mean_square_1_and_rising(n_items):
    polynomials = rank_polynomials(n_items)
    assert polynomials @ polynomials.T / n_items == pytest.approx(np.eye(n_items - 1), abs=1e-12)
    assert polynomials.sum(axis=1) == pytest.approx(0, abs=1e-12)
    assert polynomials[0] == pytest.approx(
        (np.arange(n_items) - (n_items - 1) / 2) * np.sqrt(12 / (n_items**2 - 1))
    )
    assert (polynomials[:, -1] > 0).all()


def test_polynomials_have_their_degree():
    """A polynomial of degree k has no k + 1st difference."""
    for degree, row in enumerate(rank_polynomials(9), start=1):
        assert np.diff(row, n=degree + 1) == pytest.approx(0, abs=1e-9)
        assert np.abs(np.diff(row, n=degree)).min() > 1e-3


def test_a_function_of_what_is_known_leaves_nothing():
    known = np.random.default_rng(1).normal(size=(4, 5))
    assert projected(known + 2 * swapped(known), [known, swapped(known)]) is None


def test_coefficients_of_other_features_are_refused():
    with pytest.raises(HushrankError, match=r"coefficients of shape \(30,\)"):
        rank_features(4).potentials(np.zeros(70))


def test_no_items_have_no_features():
    with pytest.raises(HushrankError, match="at least 1 item"):
        rank_features(0)


@pytest.mark.parametrize("n_items", [4, 7, 17])
def test_wide_features_tell_how_far_apart_two_items_are(n_items):
    """|r - t|, less what the two ranks say alone: a parabola of each; variance 1."""
    kind = wide_features(n_items).kinds[0]
    first, second = np.nonzero(~np.eye(n_items, dtype=bool))
    values = cells_of(kind.parts)[first, second]
    known = [np.ones(len(first)), first + second, first**2 + second**2, np.abs(first - second)]
    slopes, *_ = np.linalg.lstsq(np.stack(known, axis=1), values)
    assert np.stack(known, axis=1) @ slopes == pytest.approx(values, abs=1e-9)
    assert slopes[-1] > 0
    assert (values**2).mean() == pytest.approx(1)
    assert cells_of(kind.parts).sum(axis=1) == pytest.approx(np.zeros(n_items), abs=1e-9)


def test_wide_features_vary_as_the_mirrored_half_of_the_interactions():
    """Of drawn interactions of (a, b) and (b, a), the half that is the same for both."""
    whole, apart = rank_features(5).kinds[1], wide_features(5).kinds[0]
    spread = np.sqrt(whole.spread**2 * (1 + whole.mirrored) / 2)
    both = cells_of(whole.parts) + cells_of(swapped(whole.parts))
    assert spread * both == pytest.approx(apart.spread * cells_of(apart.parts), abs=1e-9)


@pytest.mark.parametrize("n_items", [4, 8])
def test_values_are_what_potentials_weigh(n_items):
    features = wide_features(n_items)
    drawn = np.random.default_rng(2).normal(size=len(features.spreads))
    own, before = features.potentials(drawn)
    orders = np.random.default_rng(3).permuted(np.tile(np.arange(n_items), (20, 1)), axis=1)
    logs = order_logs(orders, own, np.ascontiguousarray(before.transpose(2, 0, 1)))
    assert features.values(inverse(orders)) @ drawn == pytest.approx(logs, abs=1e-4)

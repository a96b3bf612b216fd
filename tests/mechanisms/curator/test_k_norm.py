"""The K-norm mechanism: its loss and its law, exactly where points can be listed."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.k_norm import (
    PermutohedronMechanism,
    _draw_radius,
    _simulate_radii,
    _wrapped,
)
from hushrank.randomness import Randomness
from tests.samplers.test_permutohedron import levels, whole_vectors
from tests.statistics import (
    assert_counts_follow,
    assert_follows,
    draws_needed,
    random_seed,
)

TOO_MUCH = 1.05
"""The wrong mechanism that every test of a listed law must catch spends this much more."""
MUCH_TOO_MUCH = 1.25
"""Where a draw is slow."""


def seeded():
    return Randomness.seeded(random_seed())


def generator():
    return np.random.default_rng(random_seed())


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.1, 1, 1.5, 3.7, 1000])
@pytest.mark.parametrize("n_items", [2, 10, 45, 100])
def test_the_loss_is_epsilon(n_items, epsilon):
    """A ballot moves the level by the resolution at most, as test_permutohedron lists."""
    mechanism = PermutohedronMechanism(n_items, epsilon)
    assert mechanism.resolution * mechanism.rate == Fraction(epsilon)
    assert mechanism.resolution >= 4 * n_items * epsilon
    assert mechanism.resolution == 1 or mechanism.resolution < 8 * n_items * Fraction(epsilon)


def groups_of(law, least):
    """Put outcomes, in their order, into groups of probability `least` at least: (outcomes,)."""
    groups, share, rest = np.zeros(len(law), dtype=int), 0.0, 1.0
    for outcome in range(1, len(law)):
        share, rest = share + law[outcome - 1], rest - law[outcome - 1]
        ends = share >= least and rest >= least
        groups[outcome] = groups[outcome - 1] + ends
        share = 0.0 if ends else share
    return groups


def radius_law(n_items, rate, largest):
    """Return P(j), j = 0, 1, ..., largest."""
    radii = np.arange(1, largest + 1)
    weights = np.exp((n_items - 1) * np.log(radii * rate / n_items) - rate * radii + n_items)
    return np.append(0, weights / weights.sum())


def radius_groups(n_items, rate, factor):
    """Return the group of each radius, the law of the groups, and that of a wrong rate."""
    largest = int(20 * (n_items + 2) / rate)
    law, wrong = (radius_law(n_items, r, largest) for r in (rate, factor * rate))
    groups = groups_of(law, 0.2)
    return groups, np.bincount(groups, law), np.bincount(groups, wrong)


SLOW = [(4, 0.125, TOO_MUCH), (2, 0.125, MUCH_TOO_MUCH), (5, 0.1, MUCH_TOO_MUCH)]


@pytest.mark.parametrize(("n_items", "rate", "factor"), SLOW)
def test_radii_have_their_law(n_items, rate, factor):
    groups, law, wrong = radius_groups(n_items, rate, factor)
    rng, n_draws = seeded(), draws_needed(law, wrong)
    radii = np.array([_draw_radius(n_items, Fraction(rate), rng=rng) for _ in range(n_draws)])
    assert radii.min() >= 1
    assert_follows(groups[radii], law)


@pytest.mark.parametrize(("n_items", "rate"), [(2, 0.125), (4, 1.5), (10, 0.02), (45, 0.004)])
def test_simulated_radii_have_their_law(n_items, rate):
    groups, law, wrong = radius_groups(n_items, rate, TOO_MUCH)
    radii = _simulate_radii(n_items, rate, draws_needed(law, wrong), rng=generator())
    assert radii.min() >= 1
    assert_follows(groups[radii], law)


def coarse(n_items, epsilon):
    """Return a mechanism whose lattice is so coarse that its points can be listed."""
    mechanism = PermutohedronMechanism(n_items, epsilon)
    mechanism.__dict__["resolution"] = 1
    return mechanism


@cache
def near_points(n_items, largest):
    """Return points (points, items), nearest first, and their levels (shifts, points).

    The shift v is any of those that an item and a sign turn it to.
    """
    points = whole_vectors(n_items, largest)
    points = points[np.lexsort((*points.T, levels(points)))]
    shifts = product(range(n_items), (1, -1))
    return points, np.array([levels(sign * np.roll(points, i, axis=1)) for i, sign in shifts])


def noise_groups(n_items, epsilon, factor, least):
    """Return the group of each point, the law of the groups, and that of a wrong epsilon.

    The mechanism is a coarse one. Points that are not listed have a probability below 1e-9.
    """
    points, shifted_levels = near_points(n_items, int(60 / epsilon))
    weights = [np.exp(-e * shifted_levels).sum(axis=0) for e in (epsilon, factor * epsilon)]
    law, wrong = (w / w.sum() for w in weights)
    groups = groups_of(law, least)
    numbers = dict(zip(map(tuple, points.tolist()), groups.tolist(), strict=True))
    return numbers, np.bincount(groups, law), np.bincount(groups, wrong)


def numbered(noise, numbers):
    farthest = max(numbers.values())
    return np.array([numbers.get(tuple(point), farthest) for point in noise.tolist()])


@pytest.mark.parametrize(("n_items", "epsilon"), [(2, 1.5), (3, 1.0)])
def test_noise_has_its_law(n_items, epsilon):
    """On few points, so that one point missing at the edge of each tile would fail too."""
    numbers, law, wrong = noise_groups(n_items, epsilon, MUCH_TOO_MUCH, 0.15)
    noise = coarse(n_items, epsilon).noise(draws_needed(law, wrong), rng=seeded())
    assert_follows(numbered(noise, numbers), law)


LISTED = [(2, 0.5), (3, 1.0), (3, 0.5), (4, 2.5)]


@pytest.mark.parametrize(("n_items", "epsilon"), LISTED)
def test_simulated_noise_has_its_law(n_items, epsilon):
    numbers, law, wrong = noise_groups(n_items, epsilon, TOO_MUCH, 0.03)
    n_draws = draws_needed(law, wrong)
    noise = coarse(n_items, epsilon).simulate_noise(n_draws, rng=generator())
    assert_follows(numbered(noise, numbers), law)


@pytest.mark.parametrize(("n_items", "epsilon"), LISTED)
def test_noise_of_too_large_an_epsilon_is_caught(n_items, epsilon):
    numbers, law, wrong = noise_groups(n_items, epsilon, TOO_MUCH, 0.03)
    mechanism, n_draws = coarse(n_items, TOO_MUCH * epsilon), 2 * draws_needed(law, wrong)
    noise = mechanism.simulate_noise(n_draws, rng=generator())
    with pytest.raises(AssertionError):
        assert_follows(numbered(noise, numbers), law)


def columns_of(noise):
    """Return single items, then differences of neighbours: (2, items, draws)."""
    return np.stack([noise.T, (noise - np.roll(noise, 1, axis=1)).T])


def three_parts(columns, bounds):
    """Return how many numbers lie below -bound, between, and above it: (2 items, 3)."""
    far = np.sign(columns) * (abs(columns) > bounds)
    return np.stack([np.sum(far == side, axis=2).ravel() for side in (-1, 0, 1)], axis=1)


def test_all_coordinates_of_ten_items_are_symmetric_and_as_simulated():
    """25 % too much would fail. The law is that of 30 times as many simulated draws or more."""
    mechanism = PermutohedronMechanism(10, 1.0)
    simulated = abs(columns_of(mechanism.simulate_noise(100_000, rng=generator())))
    bounds = np.quantile(simulated, 1 / 3, axis=(1, 2), keepdims=True)
    middles = [np.mean(simulated <= f * bounds, axis=(1, 2)) for f in (1, MUCH_TOO_MUCH)]
    law, wrong = (np.stack([(1 - m) / 2, m, (1 - m) / 2], axis=1) for m in middles)
    n_draws = max(draws_needed(*pair, n_tests=20) for pair in zip(law, wrong, strict=True))
    counts = three_parts(columns_of(mechanism.noise(n_draws, rng=seeded())), bounds)
    assert_counts_follow(counts, np.repeat(law, 10, axis=0))


def test_noise_is_two_and_a_half_times_smaller_than_laplace_noise():
    """Of P-BORDA: of scale m (m - 1) / 2 epsilon on mean ranks, that is half of our scores."""
    n_items, epsilon = 10, 0.1
    mechanism = PermutohedronMechanism(n_items, epsilon)
    noise = mechanism.simulate_noise(100_000, rng=generator()) / mechanism.resolution / 2
    laplace = np.sqrt(2) * n_items * (n_items - 1) / 2 / epsilon
    spread = np.sqrt(np.mean((noise[:, 0] - noise[:, 1]) ** 2))
    assert 2.45 < np.sqrt(2) * laplace / spread < 2.58  # 2.51, with an error of 0.01


@pytest.mark.parametrize("n_items", [2, 3, 45, 100])
def test_the_release_is_scores_plus_noise(n_items):
    mechanism, scores = PermutohedronMechanism(n_items, 1.0), np.zeros(n_items, dtype=np.int32)
    scores[:2] = 5, -5
    released = mechanism.release(scores, rng=seeded())
    noise = mechanism.noise(1, rng=seeded())[0]
    assert (released == mechanism.resolution * scores + noise).all()
    assert released.dtype == np.int64
    assert released.sum() == 0
    assert noise.any()


def test_no_draws_are_no_rows():
    mechanism = PermutohedronMechanism(3, 1.0)
    assert mechanism.noise(0, rng=Randomness.replayed(b"")).shape == (0, 3)
    assert mechanism.simulate_noise(0, rng=generator()).shape == (0, 3)


def test_numbers_beyond_64_bits_wrap():
    wrapped = _wrapped([2**64 + 3, -1, 2**63, 3 * 2**64 - 7])
    assert wrapped.tolist() == [3, -1, -(2**63), -7]


BAD_SCORES = [
    np.array([1, -1]),
    np.array([[1, -1, 0]]),
    np.array([1, 1, -1]),
    np.array([1.0, -1.0, 0.0]),
    np.array([np.nan, 0.0, 0.0]),
    np.array([2**62, -(2**62), 0]),
    np.array([0, 2**62, -(2**62)]),
    np.array([1, 2**62, -(2**62) - 1]),
    np.array([2**63 - 1, 2**63 - 1, 2]),
    np.array([True, False, False]),
]


@pytest.mark.parametrize("scores", BAD_SCORES)
def test_bad_scores_are_refused_before_anything_is_drawn(scores):
    with pytest.raises(HushrankError, match="expected"):
        PermutohedronMechanism(3, 1.0).release(scores, rng=Randomness.replayed(b""))


BAD_PARAMETERS = [
    *((1, 1.0), (3, 0.0), (3, -1.0), (3, 1000.1), (3, np.nan), (3, 1e-15), (2.0, 1.0)),
    *((3, np.float32(1)), (3, "1")),
]


@pytest.mark.parametrize(("n_items", "epsilon"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(n_items, epsilon):
    with pytest.raises(HushrankError, match=r"need|expected"):
        PermutohedronMechanism(n_items, epsilon)


@pytest.mark.parametrize("method", ["noise", "simulate_noise"])
def test_a_negative_number_of_draws_is_refused(method):
    with pytest.raises(HushrankError, match="at least 0 draws"):
        getattr(PermutohedronMechanism(3, 1.0), method)(-1, rng=generator())


class Turned(Randomness):
    """Seeded words, but for the item and the sign that turn each of three points."""

    def __init__(self, item, sign):
        super().__init__(Randomness.seeded(4)._read_bytes, is_private=False)
        self.chosen = {(5, 3): item, (2, 3): sign}

    def below(self, bound, size):
        drawn = super().below(bound, size)
        chosen = self.chosen.get((bound, size))
        return drawn if chosen is None else np.full(size, chosen, dtype=np.uint64)


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("item", range(5))
def test_noise_is_turned_by_the_item_and_the_sign_that_are_drawn(item, sign):
    """A tile that always leaves out the same item, or is never mirrored, favours something."""
    mechanism = PermutohedronMechanism(5, 1.0)
    plain, turned = (mechanism.noise(3, rng=Turned(*each)) for each in ((0, 0), (item, sign)))
    assert turned.tolist() == (np.roll(plain, -item, axis=1) * (1 - 2 * sign)).tolist()
    assert len(np.unique(np.abs(plain))) > 1


@pytest.mark.parametrize("n_items", [3, 5, 300])
def test_codes_name_any_item(n_items):
    """Where they never name the last one, trees are missing: most tiles of many items are empty."""
    bounds = []

    class Asked(Randomness):
        def below(self, bound, size):
            bounds.append((bound, size))
            return super().below(bound, size)

    rng = Asked(seeded()._read_bytes, is_private=False)
    PermutohedronMechanism(n_items, 1.0).noise(4, rng=rng)
    assert bounds == [(n_items, 4 * (n_items - 2)), (n_items, 4), (2, 4)]


@pytest.mark.parametrize(("share", "expected"), [(0, "first"), (1, "last")])
def test_steps_go_from_one_to_twice_the_radius(monkeypatch, share, expected):
    """So that each tile is a half-open one: a point more or less would be a breach."""
    seen = {}

    def remembered(codes, radii, steps):
        seen[expected] = (radii, steps)
        return np.zeros((len(radii), steps.shape[1] + 1), dtype=np.int64)

    module = "hushrank.mechanisms.curator.k_norm."
    monkeypatch.setattr(module + "_draw_radius", lambda *_, rng: 7)
    monkeypatch.setattr(module + "uniform_below", lambda bound, *, rng: share * (bound - 1))
    monkeypatch.setattr(module + "lattice_points", remembered)
    PermutohedronMechanism(4, 1.0).noise(2, rng=seeded())
    radii, steps = seen[expected]
    assert radii.tolist() == [7, 7]
    assert steps.tolist() == [[14 if share else 1] * 3] * 2


def test_every_step_of_many_items_is_drawn(monkeypatch):
    """Each from its own number below twice the radius."""
    drawn, taken = iter(range(10**6)), []

    def remembered(codes, radii, steps):
        taken.append(steps)
        return np.zeros((len(radii), steps.shape[1] + 1), dtype=np.int64)

    module = "hushrank.mechanisms.curator.k_norm."
    monkeypatch.setattr(module + "uniform_below", lambda bound, *, rng: next(drawn))
    monkeypatch.setattr(module + "_draw_radius", lambda *_, rng: 10**9)
    monkeypatch.setattr(module + "lattice_points", remembered)
    PermutohedronMechanism(1000, 1.0).noise(2, rng=seeded())
    assert taken[0].ravel().tolist() == list(range(1, 1999))


@pytest.mark.parametrize("n_items", [2, 40, 1000])
def test_a_radius_has_a_part_for_each_item(monkeypatch, n_items):
    drawn, tickets = [], []
    module = "hushrank.mechanisms.curator.k_norm."
    monkeypatch.setattr(module + "geometric", lambda *_, rng: drawn.append(1) or 10)
    monkeypatch.setattr(module + "uniform_below", lambda n, *, rng: tickets.append(n) or 0)
    assert _draw_radius(n_items, Fraction(1, 2), rng=seeded()) == 10 * n_items
    assert len(drawn) == n_items
    assert tickets == [prod(range(10 * n_items + 1, 11 * n_items))]


@pytest.mark.parametrize("n_items", [2, 3, 40, 61, 100, 1000])
def test_a_radius_is_kept_by_as_many_tickets_as_make_its_law(monkeypatch, n_items):
    """By the last of them, and not by the first that is none: that one draws anew."""
    radius, drawn = 10 * n_items, []
    tickets = iter([radius ** (n_items - 1), radius ** (n_items - 1) - 1])
    module = "hushrank.mechanisms.curator.k_norm."
    monkeypatch.setattr(module + "geometric", lambda *_, rng: drawn.append(1) or 10)
    monkeypatch.setattr(module + "uniform_below", lambda _, *, rng: next(tickets))
    assert _draw_radius(n_items, Fraction(1, 2), rng=seeded()) == radius
    assert len(drawn) == 2 * n_items


@pytest.mark.parametrize("epsilon", [0.3, 1 / 3, 1e-3, 30.0])
@pytest.mark.parametrize("n_items", [2, 5, 100])
def test_radii_are_drawn_at_the_very_rate_that_was_paid_for(monkeypatch, n_items, epsilon):
    """A shorter fraction is as often above, and costs more than epsilon."""
    drawn_at = []
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.k_norm._draw_radius",
        lambda n_items, rate, *, rng: drawn_at.append((n_items, rate)) or 1,
    )
    mechanism = PermutohedronMechanism(n_items, epsilon)
    mechanism.release(np.zeros(n_items, dtype=int), rng=seeded())
    assert drawn_at == [(n_items, Fraction(epsilon) / mechanism.resolution)]


def test_the_parts_of_a_radius_are_drawn_at_its_very_rate(monkeypatch):
    rates, rate = [], Fraction(1 / 3) / 64
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.k_norm.geometric",
        lambda *own, rng: rates.append(Fraction(*own)) or 10**9,
    )
    _draw_radius(3, rate, rng=seeded())
    assert set(rates) == {rate}


def test_scores_up_to_the_largest_are_released_and_none_beyond():
    mechanism = PermutohedronMechanism(3, 1.0)
    largest = 2**62 // mechanism.resolution
    scores = np.array([largest, -largest, 0])
    assert mechanism.release(scores, rng=seeded()).sum() == 0
    with pytest.raises(HushrankError, match=f"scores of at most {largest}$"):
        mechanism.release(scores + np.array([1, -1, 0]), rng=Randomness.replayed(b""))


def test_the_widest_noise_has_room_and_none_wider():
    assert PermutohedronMechanism(4, 2.0**-46).rate == Fraction(1, 2**46)
    with pytest.raises(HushrankError, match="a larger epsilon for 4 items"):
        PermutohedronMechanism(4, np.nextafter(2.0**-46, 0))


@pytest.mark.parametrize("place", [0, 20, 29])
def test_scores_of_any_item_are_looked_at_before_anything_is_drawn(place):
    mechanism = PermutohedronMechanism(30, 1.0)
    uneven, large = np.zeros(30, dtype=np.int64), np.zeros(30, dtype=np.int64)
    uneven[place] = 1
    large[place], large[15] = 2**62, -(2**62)
    for scores, said in ((uneven, "of sum 0"), (large, "scores of at most")):
        with pytest.raises(HushrankError, match=said):
            mechanism.release(scores, rng=Randomness.replayed(b""))

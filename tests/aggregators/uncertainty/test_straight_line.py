import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from hushrank.aggregators.uncertainty import straight_line as module
from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins
from hushrank.aggregators.uncertainty.shrinkage import SPREADS
from hushrank.aggregators.uncertainty.straight_line import straightened

FIRST, SECOND = np.triu_indices(5, 1)


def estimated(noise, spread, n_items=5, seed=5):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, spread, n_items)
    upper = np.triu(rng.normal(np.tanh(scores[:, None] - scores), noise), 1)
    return EstimatedMargins(upper - upper.T, np.full((n_items, n_items), noise**2))


def expected(function, mean, deviation):
    """Return the mean of a function of a normal number, by quadrature."""
    ends = mean - 9 * deviation, mean + 9 * deviation
    return quad(lambda x: function(x) * norm.pdf(x, mean, deviation), *ends, limit=200)[0]


@pytest.mark.linear_algebra
@pytest.mark.parametrize("spread", [0.01, 0.3, 1.0, 4.0, 8.0])
def test_who_knows_nothing_has_the_nearest_line_to_the_curve(spread):
    """Of two items that nobody answered: moments of tanh over the prior."""
    nothing = EstimatedMargins(np.zeros((2, 2)), np.full((2, 2), np.inf))
    (line,) = straightened(nothing, [spread])
    deviation = spread * 2**0.5
    slope = expected(lambda x: 1 - np.tanh(x) ** 2, 0, deviation)
    square = expected(lambda x: np.tanh(x) ** 2, 0, deviation)
    assert line.offsets == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    assert line.slopes[0, 1] == pytest.approx(slope, abs=0.01)
    assert line.bends[0, 1] == pytest.approx(square - (slope * deviation) ** 2, abs=0.01)


@pytest.mark.linear_algebra
def test_who_knows_much_has_the_tangent():
    known = estimated(noise=0.003, spread=0.5)
    (line,) = straightened(known, [0.5])
    gaps = np.arctanh(known.estimates[FIRST, SECOND])
    assert line.slopes[FIRST, SECOND] == pytest.approx(1 - np.tanh(gaps) ** 2, abs=0.02)
    there = line.offsets[FIRST, SECOND] + line.slopes[FIRST, SECOND] * gaps
    assert there == pytest.approx(np.tanh(gaps), abs=1e-3)
    assert line.bends.max() < 1e-5


@pytest.mark.linear_algebra
def test_who_expects_no_differences_finds_none_in_noise():
    """The curve is straightened where scores of so little spread are, not where noise puts them."""
    (line,) = straightened(estimated(noise=1.0, spread=0.0), [2**-10])
    assert line.slopes == pytest.approx(np.ones((5, 5)), abs=1e-4)
    assert line.offsets == pytest.approx(np.zeros((5, 5)), abs=1e-4)


@pytest.mark.linear_algebra
@pytest.mark.parametrize("noise", [0.03, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("spread", [0.0, 0.3, 1.5])
def test_no_line_expects_more_than_all_people(noise, spread):
    """The curve ends at 1: so do a line's offset and the variance of what it leaves out."""
    known = estimated(noise, spread)
    for line in straightened(known, SPREADS):
        pairs = line.offsets[FIRST, SECOND], line.slopes[FIRST, SECOND], line.bends[FIRST, SECOND]
        assert all(np.isfinite(each).all() for each in pairs)
        assert (pairs[1] > 0).all()
        assert (pairs[2] >= 0).all()
        assert (pairs[2] <= 1).all()
        assert (np.abs(pairs[0]) <= 1).all()
        assert line.offsets == pytest.approx(-line.offsets.T)
        assert (line.slopes == line.slopes.T).all()
        assert (line.bends == line.bends.T).all()


@pytest.mark.linear_algebra
def test_items_in_another_order_have_the_same_lines():
    known, turned = estimated(0.5, 0.7), np.array([3, 1, 4, 0, 2])
    again = EstimatedMargins(known.margins[np.ix_(turned, turned)], known.variances)
    lines = zip(straightened(known, SPREADS), straightened(again, SPREADS), strict=True)
    for line, other in lines:
        assert other.slopes == pytest.approx(line.slopes[np.ix_(turned, turned)], abs=1e-6)
        assert other.bends == pytest.approx(line.bends[np.ix_(turned, turned)], abs=1e-6)


@pytest.mark.linear_algebra
def test_many_parts_of_the_pairs_make_the_same_lines(monkeypatch):
    known = estimated(noise=0.3, spread=1.0, n_items=9)
    (whole,) = straightened(known, [1.0])
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 1)
    (again,) = straightened(known, [1.0])
    assert again.slopes == pytest.approx(whole.slopes)


def test_each_of_many_spreads_has_its_line():
    known = estimated(noise=0.3, spread=1.0)
    assert len(list(straightened(known, np.linspace(0.5, 1, 30)))) == 30

"""Laws of every mechanism: tallies add up, and what comes in is checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony, hadamard_transform
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.randomness import Randomness
from tests.conformance import MECHANISMS, UNARY, supports_of

every_mechanism = pytest.mark.parametrize("kind", MECHANISMS)
sizes = st.tuples(*[st.integers(0, 40)] * 3)


def drawn(mechanism, n_people, seed=5):
    categories = np.arange(n_people) % mechanism.n_categories
    return mechanism.randomise(categories, rng=Randomness.seeded(seed))


def same(left, right):
    return left.n_reports == right.n_reports and np.array_equal(left.support, right.support)


@every_mechanism
@settings(deadline=None)
@given(sizes=sizes, n_categories=st.sampled_from([2, 3, 20, 64, 65]))
def test_tallies_add_up_in_any_order(kind, sizes, n_categories):
    mechanism = kind(n_categories, 1.0)
    reports = drawn(mechanism, sum(sizes))
    parts = np.split(reports, [sizes[0], sizes[0] + sizes[1]])
    a, b, c = map(mechanism.tally, parts)
    whole = mechanism.tally(reports)
    assert same(whole, a + b + c)
    assert same(whole, c + (b + a))


@every_mechanism
@pytest.mark.parametrize("n_categories", [2, 3, 7, 8, 9, 20, 64, 65, 130])
def test_the_tally_counts_what_each_report_supports(kind, n_categories):
    mechanism = kind(n_categories, 1.0)
    reports = drawn(mechanism, 300)
    tally = mechanism.tally(reports)
    assert tally.support.shape == (n_categories,)
    assert tally.n_reports == 300
    np.testing.assert_array_equal(tally.support, supports_of(mechanism, reports).sum(axis=0))


@pytest.mark.parametrize("kind", UNARY)
def test_batches_of_people_are_neither_lost_nor_doubled(kind):
    mechanism = kind(64 * 2**14, 8.0)  # four people a batch
    categories = np.arange(9) * 1000
    reports = mechanism.randomise(categories, rng=Randomness.seeded(1))
    supports = supports_of(mechanism, reports)
    np.testing.assert_array_equal(mechanism.tally(reports).support, supports.sum(axis=0))
    rates = supports.mean(axis=1)
    assert np.abs(rates - mechanism.false_hit_rate).max() < 0.01 * mechanism.false_hit_rate + 1e-3


@every_mechanism
def test_a_tally_of_no_report_is_zero(kind):
    mechanism = kind(20, 1.0)
    tally = mechanism.tally(drawn(mechanism, 0))
    assert tally.n_reports == 0
    assert tally.support.tolist() == [0] * 20


@every_mechanism
def test_a_strided_view_of_reports_is_counted_alike(kind):
    mechanism = kind(64, 1.0)
    reports = drawn(mechanism, 100)
    assert same(mechanism.tally(reports[::3]), mechanism.tally(reports[::3].copy()))


@every_mechanism
@pytest.mark.parametrize("epsilon", [float("nan"), float("inf"), 0.0, -1.0, 1e-25])
def test_an_epsilon_that_cannot_be_kept_is_refused(kind, epsilon):
    with pytest.raises(HushrankError, match="epsilon"):
        kind(5, epsilon)


@every_mechanism
@pytest.mark.parametrize("epsilon", [45.0, 700.0])
def test_a_huge_epsilon_still_leaves_some_doubt(kind, epsilon):
    mechanism = kind(5, epsilon)
    assert mechanism.false_hit_words >= 1
    reports = mechanism.randomise(np.arange(5), rng=Randomness.seeded(0))
    assert mechanism.tally(reports).n_reports == 5


@every_mechanism
@pytest.mark.parametrize(
    "categories",
    [np.array([0, 20]), np.array([-1]), np.array([0.5]), np.array([[1]]), np.array([True])],
)
def test_wrong_categories_are_refused_before_anything_is_drawn(kind, categories):
    with pytest.raises(HushrankError):
        kind(20, 1.0).randomise(categories, rng=Randomness.replayed(b""))


@every_mechanism
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32])
def test_categories_of_any_whole_type_draw_alike(kind, dtype):
    mechanism = kind(20, 1.0)
    narrow = mechanism.randomise(np.arange(20, dtype=dtype), rng=Randomness.seeded(5))
    np.testing.assert_array_equal(narrow, drawn(mechanism, 20))


@every_mechanism
def test_reports_of_a_wrong_shape_or_type_are_refused(kind):
    mechanism = kind(20, 1.0)
    reports = drawn(mechanism, 4)
    wrong = [reports[None], reports.reshape(-1)[0], np.array([0.5]), np.array(["0"])]
    for report in wrong:
        with pytest.raises(HushrankError):
            mechanism.tally(report)


@every_mechanism
def test_simulated_tallies_are_whole_and_complete(kind):
    if not hasattr(kind, "simulate_tally"):
        return
    counts = np.array([5, 0, 1000, 2])
    tally = kind(4, 1.0).simulate_tally(counts, rng=np.random.default_rng(0))
    assert tally.n_reports == 1007
    assert tally.support.dtype == np.int64
    assert ((tally.support >= 0) & (tally.support <= 1007)).all()


@settings(deadline=None)
@given(st.integers(0, 6), st.integers(0, 2**32))
def test_the_hadamard_transform_is_its_own_inverse_but_for_its_size(log_size, seed):
    values = np.random.default_rng(seed).integers(-1000, 1000, 2**log_size)
    twice = hadamard_transform(hadamard_transform(values))
    np.testing.assert_array_equal(twice, values * 2**log_size)


@pytest.mark.parametrize(("n_categories", "n_rows"), [(2, 2), (3, 4), (4, 4), (5, 8), (1024, 1024)])
def test_harmony_takes_the_next_power_of_two(n_categories, n_rows):
    assert Harmony(n_categories, 1.0).n_rows == n_rows


def test_tallies_of_different_mechanisms_do_not_add_up():
    tallies = [Tally(np.zeros(k, dtype=np.int64), 0) for k in (2, 3)]
    with pytest.raises(HushrankError, match="one mechanism"):
        tallies[0] + tallies[1]


def test_a_tally_does_not_show_its_counts():
    mechanism = GeneralizedRandomizedResponse(3, 1.0)
    assert repr(mechanism.tally(np.array([1, 1]))) == "Tally(2 reports, 3 categories)"


def test_the_channel_of_too_many_bits_is_not_listed():
    with pytest.raises(HushrankError, match="cannot list"):
        SymmetricUnaryEncoding(20, 1.0).channel_words()

"""Laws of every mechanism: tallies add up, and what comes in is checked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony, hadamard_transform
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import NoisyBits, SymmetricUnaryEncoding
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness
from tests.conformance import (
    MECHANISMS,
    SIMULATED,
    UNARY,
    recorded,
    supports_of,
    tape_of_a_person,
    words_of_a_person,
)
from tests.statistics import assert_counts_follow

every_mechanism = pytest.mark.parametrize("kind", MECHANISMS)
sizes = st.tuples(*[st.integers(0, 40)] * 3)


def drawn(mechanism, n_people, seed=5):
    categories = np.arange(n_people) % mechanism.n_categories
    return mechanism.randomise(categories, rng=Randomness.seeded(seed))


def same(left, right):
    return left.n_reports == right.n_reports and np.array_equal(left.support, right.support)


@every_mechanism
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
    mechanism = kind(64 * 2**14, 6.0)  # four people a batch, and the ninth alone
    categories = np.arange(9) * 1000
    reports = mechanism.randomise(categories, rng=Randomness.seeded(1))
    supports = supports_of(mechanism, reports)
    np.testing.assert_array_equal(mechanism.tally(reports).support, supports.sum(axis=0))
    supports[np.arange(9), categories] = False
    set_bits, rate = supports.sum(axis=1), mechanism.rates.false_hit_rate
    counts = np.stack([set_bits, mechanism.n_categories - 1 - set_bits], axis=1)
    assert_counts_follow(counts, np.tile([rate, 1 - rate], (9, 1)))


CROWD = np.arange(2**15 + 3) % 6


@pytest.mark.parametrize(
    ("mechanism", "answers"),
    [
        (GeneralizedRandomizedResponse(7, 1.0), CROWD),
        (NamedMember(7, 1.0, 2), np.stack([CROWD, CROWD + 1], axis=1)),
    ],
)
def test_people_of_all_blocks_have_words_of_their_own(mechanism, answers):
    """Who shares a word with somebody whose answer is known is known to lie, or not to."""
    at_once, in_turn = Randomness.seeded(3), Randomness.seeded(3)
    reports = mechanism.randomise(answers, rng=at_once)
    parts = [mechanism.randomise(some, rng=in_turn) for some in np.array_split(answers, 7)]
    assert (reports == np.concatenate(parts)).all()
    assert at_once.words(1) == in_turn.words(1)


@st.composite
def sources(draw):
    """Any random bytes, or a few that recur: all 0, all 1, ..."""
    if draw(st.booleans()):
        return np.random.default_rng(draw(st.integers(0, 2**32))).bytes
    pattern = draw(st.binary(min_size=1, max_size=16))
    return lambda size: (pattern * (size // len(pattern) + 1))[:size]


@every_mechanism
@given(
    n_categories=st.sampled_from([2, 3, 20, 63, 64, 65, 130, 1024]),
    number=st.integers(0, 1023),
    epsilon=st.sampled_from([0.1, 1.0, 4.0, 10.0]),
    read_bytes=sources(),
)
def test_a_person_alone_draws_a_constant_number_of_words(
    kind, n_categories, number, epsilon, read_bytes
):
    """Whatever they hide and whatever the bytes: the number of words adds nothing to a report."""
    mechanism = kind(n_categories, epsilon)
    rng, pieces = recorded(read_bytes)
    mechanism.randomise(np.array([number % n_categories]), rng=rng)
    assert sum(map(len, pieces)) == 8 * words_of_a_person(mechanism)


@pytest.mark.parametrize("kind", UNARY)
@pytest.mark.parametrize("n_categories", [2, 20, 64, 65, 130])
def test_a_person_alone_draws_no_more_words_where_all_lanes_tie(kind, n_categories):
    """A crowd would draw all its rounds here."""
    mechanism = kind(n_categories, 1.0)
    tape = tape_of_a_person([mechanism.rates.false_hit_words] * n_categories)
    rng = Randomness.replayed(tape + bytes(8))
    report = mechanism.randomise(np.array([0]), rng=rng)
    assert supports_of(mechanism, report).tolist() == [[True] + [False] * (n_categories - 1)]


def test_a_crowd_is_not_drawn_one_by_one_for_its_many_categories():
    """A person alone takes many more words: only the last of an odd number may be drawn so."""
    bits = NoisyBits(2**26, WordRates.of_bits(2**63, 2**62))
    assert bits._batches(5) == [slice(0, 2), slice(2, 4), slice(4, 6)]


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
@pytest.mark.parametrize("epsilon", [1000.5, 1e6, 1e308])
def test_an_epsilon_beyond_the_words_is_refused(kind, epsilon):
    with pytest.raises(HushrankError, match=r"at most 1000, got .* cannot tell the difference"):
        kind(5, epsilon)


@every_mechanism
@pytest.mark.parametrize(
    ("n_categories", "epsilon"), [(np.int64(5), 1.0), (5.0, 1.0), ("5", 1.0), (5, "1"), (5, None)]
)
def test_parameters_of_a_wrong_type_are_refused(kind, n_categories, epsilon):
    """Whole numbers of numpy would overflow where Python's count words."""
    with pytest.raises(HushrankError, match="as an int"):
        kind(n_categories, epsilon)


@every_mechanism
@pytest.mark.parametrize("epsilon", [45.0, 700.0, 1000])
def test_a_huge_epsilon_still_leaves_some_doubt(kind, epsilon):
    mechanism = kind(5, epsilon)
    assert mechanism.rates.false_hit_words >= 1
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


every_whole_type = pytest.mark.parametrize("dtype", [f"{sign}{n}" for sign in "iu" for n in "1248"])


@every_mechanism
@every_whole_type
def test_categories_of_any_whole_type_draw_alike(kind, dtype):
    mechanism = kind(20, 1.0)
    narrow = mechanism.randomise(np.arange(20, dtype=dtype), rng=Randomness.seeded(5))
    expected = drawn(mechanism, 20)
    assert narrow.dtype == expected.dtype
    np.testing.assert_array_equal(narrow, expected)


@every_mechanism
@pytest.mark.parametrize("category", [20, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 20])
def test_categories_are_checked_before_they_are_converted(kind, category):
    with pytest.raises(HushrankError, match=r"expected categories 0\.\.19"):
        kind(20, 1.0).randomise(
            np.array([1, category], dtype=np.uint64), rng=Randomness.replayed(b"")
        )


@every_mechanism
@every_whole_type
def test_reports_of_another_whole_type_are_counted_alike_or_refused(kind, dtype):
    mechanism = kind(20, 1.0)
    reports = drawn(mechanism, 50)
    if reports.dtype.names:
        reports = reports["bucket"]
    try:
        tally = mechanism.tally(reports.astype(dtype))
    except HushrankError:
        assert kind is not GeneralizedRandomizedResponse
    else:
        assert same(tally, mechanism.tally(reports))


@pytest.mark.parametrize("report", [20, 2**63, 2**64 - 1])
def test_reports_are_checked_before_they_are_converted(report):
    with pytest.raises(HushrankError, match=r"expected categories 0\.\.19"):
        GeneralizedRandomizedResponse(20, 1.0).tally(np.array([1, report], dtype=np.uint64))


@every_mechanism
def test_reports_of_a_wrong_shape_or_type_are_refused(kind):
    mechanism = kind(20, 1.0)
    reports = drawn(mechanism, 4)
    wrong = [reports[None], reports.reshape(-1)[0], np.array([0.5]), np.array(["0"])]
    wrong += [np.array([1], dtype="m8[s]"), np.array([True])]
    for report in wrong:
        with pytest.raises(HushrankError):
            mechanism.tally(report)


@pytest.mark.parametrize("kind", SIMULATED)
@every_whole_type
def test_counts_of_any_whole_type_are_simulated_alike(kind, dtype):
    mechanism = kind(4, 1.0)
    counts = np.array([5, 0, 100, 2])
    narrow = mechanism.simulate_tally(counts.astype(dtype), rng=np.random.default_rng(0))
    assert narrow.support.dtype == np.int64
    assert same(narrow, mechanism.simulate_tally(counts, rng=np.random.default_rng(0)))


@pytest.mark.parametrize("kind", SIMULATED)
@pytest.mark.parametrize(
    "counts",
    [
        np.array([1, 2, 3]),
        np.array([[1, 2, 3, 4]]),
        np.array([1, 2, 3, -1]),
        np.array([1.0, 2.0, 3.0, 4.0]),
        np.array([True, True, True, False]),
        np.array([1, 2, 3, 2**64 - 1], dtype=np.uint64),
        np.full(4, 2**61),
    ],
)
def test_counts_that_are_no_people_are_refused(kind, counts):
    with pytest.raises(HushrankError, match="people"):
        kind(4, 1.0).simulate_tally(counts, rng=np.random.default_rng(0))


@pytest.mark.parametrize("kind", SIMULATED)
def test_simulated_tallies_are_whole_and_complete(kind):
    counts = np.array([5, 0, 1000, 2])
    tally = kind(4, 1.0).simulate_tally(counts, rng=np.random.default_rng(0))
    assert tally.n_reports == 1007
    assert tally.support.dtype == np.int64
    assert ((tally.support >= 0) & (tally.support <= 1007)).all()


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


@every_mechanism
@pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf")])
def test_an_epsilon_that_promises_nothing_or_all_is_refused_as_that(kind, epsilon):
    with pytest.raises(HushrankError, match="expected a positive finite epsilon"):
        kind(4, epsilon)


@every_mechanism
def test_what_is_no_epsilon_or_no_domain_is_refused(kind):
    with pytest.raises(HushrankError, match="expected an epsilon of at most 1000"):
        kind(4, 1000.1)
    with pytest.raises(HushrankError, match="need at least 2 categories, got 1"):
        kind(1, 1.0)
    with pytest.raises(HushrankError, match="expected the number of categories as an int"):
        kind(4, "1")


@pytest.mark.parametrize("n_categories", [2, 3, 2**31, 2**31 + 1, 2**40])
def test_a_lie_is_of_its_own_word_however_many_categories_there_are(n_categories):
    """By whole numbers: categories in order, without the true one, share what is no hit."""
    mechanism = GeneralizedRandomizedResponse(n_categories, 20.0)
    hit, miss = mechanism.rates.hit_words, mechanism.rates.false_hit_words
    last = n_categories - 2
    for truth in (0, n_categories // 2, n_categories - 1):
        words = [0, hit - 1, *(hit + miss * lie + miss - 1 for lie in (0, last // 2, last))]
        lies = [lie + (lie >= truth) for lie in (0, last // 2, last)]
        tape = np.array(words, dtype="<u8").tobytes()
        rng = Randomness.replayed(tape)
        reports = mechanism.randomise(np.full(5, truth), rng=rng)
        assert reports.tolist() == [truth, truth, *lies]

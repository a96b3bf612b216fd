from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.errors import HushrankError
from hushrank.mechanisms.subset_order import TRIES_AT_ONCE, SubsetOrder
from hushrank.randomness import Randomness
from hushrank.samplers.shuffles import words_of_a_shuffle
from tests.conformance import WORDS, bytes_of_words, recorded
from tests.statistics import MISS, assert_follows, critical_deviate, draws_needed, random_seed

EPSILONS = (0.1, 0.5, 1, 2, 3, 5, 8)
every_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)
NO_SWAP = WORDS - 1
SURE = 0


@cache
def orders(n_items):
    return np.array(list(permutations(range(n_items))))


def centred(ranks):
    return ranks - (ranks.shape[-1] - 1) / 2


@cache
def channel(mechanism):
    """Return P(report | r) for the identity r, by the definition, as fractions."""
    m = mechanism.n_categories
    distances = [sum((np.arange(m) - s) ** 2) // 2 for s in orders(m)]
    weights = [WORDS if d <= mechanism.radius else mechanism.far_words for d in distances]
    law = dict.fromkeys(permutations(range(m)), Fraction(0))
    for swapped in product((False, True), repeat=m // 2):
        rates = [Fraction(words, WORDS) for words in mechanism.swap_words]
        share = prod(
            p if is_swapped else 1 - p for p, is_swapped in zip(rates, swapped, strict=True)
        )
        places = np.arange(m)
        for place in np.flatnonzero(swapped):
            places[[place, m - 1 - place]] = places[[m - 1 - place, place]]
        for shuffle, weight in zip(orders(m), weights, strict=True):
            law[tuple(shuffle[places].tolist())] += share * Fraction(weight, sum(weights))
    return law


def law_of(mechanism, ranks):
    """Return P(report | ranks) for every report in lexicographic order, as fractions."""
    identity = channel(mechanism)
    return [identity[tuple(s[np.argsort(ranks)].tolist())] for s in orders(len(ranks))]


def exponential_below(epsilon):
    """Return a rational number below e^epsilon: its Taylor series cut off."""
    terms = [Fraction(epsilon) ** n / factorial(n) for n in range(80)]
    return sum(terms)


@every_epsilon
@pytest.mark.parametrize("n_items", [2, 3, 4])
def test_the_channel_loses_at_most_epsilon(n_items, epsilon):
    mechanism = SubsetOrder(n_items, epsilon)
    laws = [law_of(mechanism, ranks) for ranks in orders(n_items)]
    assert {sum(law) for law in laws} == {1}
    worst = max(max(of_report) / min(of_report) for of_report in zip(*laws, strict=True))
    assert worst <= mechanism.worst_ratio <= exponential_below(epsilon)
    assert mechanism.worst_ratio > exponential_below(epsilon) * (1 - Fraction(1, 10**6))
    if not any(mechanism.swap_words):
        assert worst == mechanism.worst_ratio


def replay(mechanism, ranks, words):
    """Return the report of `words`, and how many of them it read."""
    tape = iter(words)
    read = []

    def read_bytes(size):
        read.extend(next(tape) for _ in range(size // 8))
        return bytes_of_words(read[len(read) - size // 8 :])

    report = mechanism.randomise(np.array([ranks]), rng=Randomness(read_bytes, is_private=False))
    return tuple(report[0].tolist()), len(read)


@pytest.mark.parametrize("n_items", [2, 3, 4, 5])
def test_every_shuffle_is_that_of_equally_many_words(n_items):
    """Words 0..m!-1 are all shuffles once, and the last word ends a whole round of them."""
    mechanism = SubsetOrder(n_items, 1.0)
    ((_, last),) = words_of_a_shuffle(n_items)
    assert (last + 1) % factorial(n_items) == 0
    for start in (0, last + 1 - factorial(n_items)):
        tapes = [[start + nth, SURE] for nth in range(factorial(n_items))]
        reports = [replay(mechanism, range(n_items), [*t, *[NO_SWAP] * 9]) for t in tapes]
        assert sorted(report for report, _ in reports) == list(permutations(range(n_items)))


def test_the_words_of_a_shuffle_hold_all_its_draws():
    for n_items in (2, 3, 20, 40, 254):
        groups = words_of_a_shuffle(n_items)
        assert [bound for draws, _ in groups for bound in draws] == list(range(n_items, 1, -1))
        for draws, last in groups:
            assert (last + 1) % prod(draws) == 0
            assert WORDS - WORDS // 256 < last + 1 <= WORDS


@every_epsilon
@pytest.mark.parametrize("n_items", [3, 4, 5])
def test_a_shuffle_is_accepted_by_its_distance_or_the_coin(n_items, epsilon):
    """At the words where an error by one would show; a refused try is followed by a sure one."""
    mechanism = SubsetOrder(n_items, epsilon)
    for word, coin in product(range(factorial(n_items)), (-1, 0)):
        words = [word, mechanism.far_words + coin, 0, SURE, *[NO_SWAP] * 9]
        _, n_read = replay(mechanism, range(n_items), words)
        n_tries = (n_read - n_items // 2) / mechanism.words_of_a_try
        shuffle, _ = replay(mechanism, range(n_items), [word, SURE, *[NO_SWAP] * 9])
        is_near = sum((np.array(shuffle) - np.arange(n_items)) ** 2) // 2 <= mechanism.radius
        assert n_tries == (1 if is_near or coin == -1 else 2)


def test_a_word_of_the_surplus_spoils_the_try():
    mechanism = SubsetOrder(5, 1.0)
    ((_, last),) = words_of_a_shuffle(5)
    assert replay(mechanism, range(5), [last, SURE, *[NO_SWAP] * 9])[1] == 2 + 2
    assert replay(mechanism, range(5), [last + 1, SURE, 0, SURE, *[NO_SWAP] * 9])[1] == 4 + 2


def test_swaps_happen_below_their_words():
    mechanism = SubsetOrder(6, 5.0)
    assert mechanism.swap_words[0] == 0 < min(mechanism.swap_words[1:])
    plain, _ = replay(mechanism, range(6), [1, SURE, *[NO_SWAP] * 3])
    for place in (1, 2):
        for off, expected in ((-1, [place, 5 - place]), (0, [])):
            coins = [NO_SWAP] * 3
            coins[place] = mechanism.swap_words[place] + off
            report, _ = replay(mechanism, range(6), [1, SURE, *coins])
            moved = [item for item in range(6) if report[item] != plain[item]]
            assert moved == expected
            assert sorted(report) == list(range(6))


CHANNELS = [(3, 1.0, r) for r in range(6)] + [(4, 2.0, r) for r in (0, 7, 23)]


@pytest.mark.parametrize(("n_items", "epsilon", "number"), CHANNELS)
def test_reports_follow_the_channel(n_items, epsilon, number):
    """A mechanism that spends 5 % more would fail."""
    ranks = orders(n_items)[number]
    stated, wrong = (SubsetOrder(n_items, e) for e in (epsilon, 1.05 * epsilon))
    assert stated.radius == wrong.radius
    law, other = (np.array(law_of(m, ranks), dtype=float) for m in (stated, wrong))
    people = np.tile(ranks, (draws_needed(law, other), 1))
    rng = Randomness.seeded(random_seed() * 1000 + number)
    reports = stated.randomise(people, rng=rng)
    assert_follows(numbers_of(reports), law)


def numbers_of(reports):
    """Return the lexicographic number of each report."""
    numbers = {tuple(order): number for number, order in enumerate(orders(reports.shape[1]))}
    distinct, inverse = np.unique(reports, axis=0, return_inverse=True)
    return np.array([numbers[tuple(row)] for row in distinct])[inverse]


def test_reports_of_too_large_an_epsilon_are_caught():
    law, other = (np.array(law_of(SubsetOrder(4, e), range(4)), dtype=float) for e in (2.0, 2.1))
    people = np.tile(np.arange(4), (2 * draws_needed(law, other), 1))
    reports = SubsetOrder(4, 2.1).randomise(people, rng=Randomness.seeded(random_seed()))
    with pytest.raises(AssertionError):
        assert_follows(numbers_of(reports), law)


@every_epsilon
@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6])
def test_expected_reports_are_the_signal_times_the_ranks(n_items, epsilon):
    mechanism = SubsetOrder(n_items, epsilon)
    law = channel(mechanism)
    mean = sum(float(p) * centred(np.array(report)) for report, p in law.items())
    np.testing.assert_allclose(mean, mechanism.signal * centred(np.arange(n_items)), atol=1e-14)


@pytest.mark.parametrize(("n_items", "epsilon"), [(10, 5.0), (12, 5.0), (13, 5.0), (20, 8.0)])
def test_mean_reports_are_the_signal_times_the_ranks(n_items, epsilon):
    """Without swaps it would fail. Above 12 items slopes are near: 1 % of the range is allowed."""
    mechanism = SubsetOrder(n_items, epsilon)
    ranks = centred(np.arange(n_items))
    slack = 0.0 if n_items <= 12 else 0.01 * mechanism.signal * n_items / 2
    unswapped = mechanism.signal / (1 - 2 * mechanism.swap_rates) - mechanism.signal
    shift = np.abs(unswapped * ranks[: n_items // 2]).max() - slack
    error = np.sqrt((n_items**2 - 1) / 12)
    n_people = int(((critical_deviate(n_items) + norm.isf(MISS)) * error / shift) ** 2) + 1
    people = np.broadcast_to(np.arange(n_items), (n_people, n_items))
    reports = mechanism.randomise(people, rng=Randomness.seeded(random_seed()))
    deviation = np.abs(centred(reports).mean(axis=0) - mechanism.signal * ranks)
    assert (deviation < slack + critical_deviate(n_items) * error / np.sqrt(n_people)).all()


def test_relabelled_items_relabel_the_reports_of_one_tape():
    """So that the words read say nothing about what is hidden."""
    mechanism = SubsetOrder(7, 5.0)
    rng = np.random.default_rng(3)
    people = np.array([rng.permutation(7) for _ in range(50)])
    rng, expected = recorded(np.random.default_rng(4).bytes)
    plain = mechanism.randomise(np.tile(np.arange(7), (50, 1)), rng=rng)
    rng, pieces = recorded(np.random.default_rng(4).bytes)
    reports = mechanism.randomise(people, rng=rng)
    assert np.array_equal(reports, np.take_along_axis(plain, people, axis=1))
    assert pieces == expected


@pytest.mark.parametrize(("n_items", "words"), [(3, 2), (10, 2), (20, 3), (40, 4)])
def test_every_try_reads_the_same_number_of_words(n_items, words):
    mechanism = SubsetOrder(n_items, 3.0)
    assert mechanism.words_of_a_try == words
    for seed in range(20):
        rng, pieces = recorded(np.random.default_rng(seed).bytes)
        mechanism.randomise(np.arange(n_items)[None], rng=rng)
        *tries, swaps = pieces[: -(n_items // 2)], pieces[-(n_items // 2) :]
        assert {len(piece) for (piece,) in zip(*tries, strict=True)} == {8 * words}
        assert {len(piece) for piece in swaps} == {8}


@pytest.mark.parametrize(("n_items", "epsilon"), [(6, 2.0), (13, 2.0), (40, 3.0)])
def test_tries_are_as_many_as_stated(n_items, epsilon):
    """A tenth more or fewer would fail."""
    mechanism = SubsetOrder(n_items, epsilon)
    accepted = 1 / mechanism.n_tries
    law = [accepted, 1 - accepted]
    wrong = [accepted / 1.1, 1 - accepted / 1.1]
    n_people = draws_needed(law, wrong)
    rng, pieces = recorded(np.random.default_rng(random_seed()).bytes)
    mechanism.randomise(np.tile(np.arange(n_items), (n_people, 1)), rng=rng)
    n_words = sum(map(len, pieces)) // 8 - n_people * (n_items // 2)
    n_tries = n_words // mechanism.words_of_a_try
    assert_follows(np.repeat([0, 1], [n_people, n_tries - n_people]), law)


@every_epsilon
@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6, 7])
def test_no_other_radius_has_a_larger_signal(n_items, epsilon):
    mechanism = SubsetOrder(n_items, epsilon)
    rate, ranks = mechanism.far_words / WORDS, centred(np.arange(n_items))
    shuffles = centred(orders(n_items))
    distances = ((shuffles - ranks) ** 2).sum(axis=1) // 2
    signals = []
    for radius in range(int(distances.max())):
        weights = np.where(distances <= radius, 1, rate)
        slopes = (weights @ shuffles / weights.sum() / np.where(ranks == 0, 1, ranks))[ranks < 0]
        signals.append(slopes.min())
    assert mechanism.signal == pytest.approx(max(signals), rel=1e-9)
    assert signals[mechanism.radius] == pytest.approx(max(signals), rel=1e-9)


BAD_ROWS = {
    "ties": [0, 0, 1, 2],
    "repeated": [0, 1, 1, 3],
    "too large": [0, 1, 2, 4],
    "negative": [-1, 0, 1, 2],
    "two ties": [0, 0, 3, 3],
    "a sum of ranks": [1, 1, 1, 3],
    "partial": [0, 1, 255, 255],
    "too short": [0, 1, 2],
    "too long": [0, 1, 2, 3, 4],
    "nan": [0, 1, 2, float("nan")],
    "floats": [0.0, 1.0, 2.0, 3.0],
}


SAID = (
    "expected each rank 0..3 exactly once in every row",
    "expected whole ranks of shape (people, 4)",
)
"""The same of every row: nothing of what it holds."""


@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_what_is_no_ranking_is_refused_before_anything_is_drawn(row):
    mechanism = SubsetOrder(4, 1.0)
    rng, pieces = recorded(np.random.default_rng(1).bytes)
    for people in (np.array([row]), np.array([row, row])):
        with pytest.raises(HushrankError) as refusal:
            mechanism.randomise(people, rng=rng)
        assert str(refusal.value) in SAID
    assert pieces == []


def test_one_bad_person_refuses_all():
    people = np.array([*[[0, 1, 2, 3]] * 24, [2, 2, 1, 0]])  # sorted, off at its end alone
    with pytest.raises(HushrankError, match="exactly once"):
        SubsetOrder(4, 1.0).randomise(people, rng=Randomness.replayed(b""))


def test_one_row_without_people_is_refused():
    with pytest.raises(HushrankError, match="shape"):
        SubsetOrder(4, 1.0).randomise(np.arange(4), rng=Randomness.replayed(b""))


def test_nobody_draws_nothing():
    reports = SubsetOrder(4, 1.0).randomise(np.zeros(0, int), rng=Randomness.replayed(b""))
    assert reports.shape == (0, 4)


def test_a_tape_that_is_too_short_ends():
    with pytest.raises(EOFError):
        SubsetOrder(4, 1.0).randomise(
            np.arange(4)[None], rng=Randomness.replayed(bytes_of_words([0, SURE, NO_SWAP]))
        )


def test_the_tally_sums_the_reported_ranks():
    mechanism = SubsetOrder(3, 1.0)
    reports = np.array([[0, 1, 2], [2, 1, 0], [1, 2, 0]], dtype=np.uint8)
    tally = mechanism.tally(reports)
    assert tally.support.tolist() == [3, 4, 2]
    assert tally.n_reports == 3
    parts = mechanism.tally(reports[:1]) + mechanism.tally(reports[1:])
    assert parts.support.tolist() == tally.support.tolist()


@pytest.mark.parametrize("row", [[0, 0, 1], [1, 1, 1], [1, 2, 3], [0, 1], [0, 1, 2, 3]])
def test_impossible_reports_are_refused(row):
    with pytest.raises(HushrankError):
        SubsetOrder(3, 1.0).tally(np.array([row], dtype=np.uint8))


def test_reports_of_another_type_are_refused():
    with pytest.raises(HushrankError):
        SubsetOrder(3, 1.0).tally(np.array([[0, 1, 2]]))


BAD_PARAMETERS = [(1, 1.0), (255, 1.0), (5, 0.0), (5, -1.0), (5, float("nan")), (5, 1e-30)]


@pytest.mark.parametrize(("n_items", "epsilon"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(n_items, epsilon):
    with pytest.raises(HushrankError):
        SubsetOrder(n_items, epsilon)


@pytest.mark.parametrize(("n_items", "epsilon"), [(10, 20.0), (40, 16.0)])
def test_an_epsilon_with_too_many_tries_is_refused(n_items, epsilon):
    with pytest.raises(HushrankError, match="tries"):
        SubsetOrder(n_items, epsilon)


def test_few_items_bear_a_large_epsilon():
    mechanism = SubsetOrder(4, 30.0)
    assert mechanism.n_tries == pytest.approx(24)
    assert mechanism.signal == pytest.approx(1)


def test_ranks_of_as_many_items_as_a_byte_tells_apart_are_taken():
    assert SubsetOrder(254, 1.0).n_categories == 254


def test_as_many_tries_as_may_be_are_taken_and_no_more(monkeypatch):
    n_tries = SubsetOrder(4, 5.0).n_tries
    monkeypatch.setattr("hushrank.mechanisms.subset_order.MOST_TRIES", n_tries)
    assert SubsetOrder(4, 5.0).n_tries == n_tries
    monkeypatch.setattr("hushrank.mechanisms.subset_order.MOST_TRIES", np.nextafter(n_tries, 0))
    with pytest.raises(HushrankError, match="tries on average"):
        SubsetOrder(4, 5.0)


@pytest.mark.parametrize("n_items", [41, 42, 100, 254])
def test_of_however_many_ranks_each_is_swapped_with_its_mirror_image_by_its_own_word(
    n_items, monkeypatch
):
    mechanism, half = SubsetOrder(n_items, 2.0), n_items // 2
    assert len(mechanism.swap_words) == len(mechanism.swap_rates) == half
    own_words = property(lambda _: tuple(range(1, half + 1)))
    monkeypatch.setattr(SubsetOrder, "swap_words", own_words)
    for nth in (0, 19, half - 1):
        shuffles = np.arange(n_items, dtype=np.uint8)[None, :].copy()
        words = list(range(1, half + 1))
        words[nth] -= 1
        rng = Randomness.replayed(bytes_of_words(words))
        mechanism._swap(shuffles, rng=rng)
        expected = list(range(n_items))
        expected[nth], expected[-1 - nth] = expected[-1 - nth], expected[nth]
        assert shuffles.tolist() == [expected]
        with pytest.raises(EOFError):
            rng.words(1)


def test_no_two_of_however_many_people_have_one_shuffle():
    """Of 20! orders: by chance two people have the same one with probability below 1e-8."""
    people = np.broadcast_to(np.arange(20), (5 * TRIES_AT_ONCE + 1, 20))
    reports = SubsetOrder(20, 0.1).randomise(people, rng=Randomness.seeded(random_seed()))
    assert len(np.unique(reports, axis=0)) == len(people)

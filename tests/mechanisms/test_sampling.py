"""What is drawn follows what is stated, in every coordinate, for every hidden category."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.mechanisms.hash_family import buckets_of
from hushrank.randomness import Randomness
from tests.conformance import (
    HASHED,
    LISTED,
    MECHANISMS,
    SIMULATED,
    UNARY,
    channel_of,
    recorded,
    supports_of,
)
from tests.statistics import (
    MIN_EXPECTED,
    MISS,
    assert_counts_follow,
    assert_follows,
    correlated,
    critical_deviate,
    draws_needed,
    random_seed,
)

TOO_MUCH = 1.05
"""The wrong mechanism that every test must catch spends this much more."""
MUCH_TOO_MUCH = 1.25
"""Where a draw is slow: the joint law of tallies, and people one at a time."""
DEPENDENCE = 0.02
"""The correlation of two bits that every test of independence must catch."""
WIDE = 20


def seeded(*numbers):
    return Randomness.seeded(random_seed() * 1000 + sum(numbers))


def hidden(category, n_people):
    return np.full(n_people, category)


def wrong(mechanism, factor=TOO_MUCH):
    return type(mechanism)(mechanism.n_categories, factor * mechanism.epsilon)


def coordinate_draws(mechanism, n_tests, factor=TOO_MUCH):
    """Return how many reports show, by some coordinate, that epsilon is too large."""
    other = wrong(mechanism, factor)
    rates = [(mechanism.rates.hit_rate, other.rates.hit_rate)]
    rates += [(mechanism.rates.false_hit_rate, other.rates.false_hit_rate)]
    telling = [draws_needed((p, 1 - p), (w, 1 - w), n_tests) for p, w in rates if abs(p - w) > 1e-9]
    rarest = min(min(p, 1 - p) for p, _ in rates)
    return max(min(telling), int(MIN_EXPECTED / rarest) + 1)


def channel_draws(mechanism, category, factor=TOO_MUCH):
    stated, other = (channel_of(m).probabilities for m in (mechanism, wrong(mechanism, factor)))
    return draws_needed(stated[category], other[category])


def report_numbers(mechanism, reports):
    """Return the column of the channel of each report."""
    return reports[:, 0] if isinstance(mechanism, UNARY) else reports


LISTABLE = [
    (kind, k, epsilon, category)
    for kind, k, largest in [(kind, WIDE, 4.0) for kind in LISTED]
    + [(kind, 3, 4.0) for kind in LISTED]
    + [(kind, 3, 3.0) for kind in UNARY]  # at 4, two false hits are rarer than 1 in 5000
    for epsilon in (1.0, largest)
    for category in range(k)
]


@pytest.mark.parametrize(("kind", "n_categories", "epsilon", "category"), LISTABLE)
def test_reports_follow_the_channel(kind, n_categories, epsilon, category):
    mechanism = kind(n_categories, epsilon)
    n_people = channel_draws(mechanism, category)
    reports = mechanism.randomise(hidden(category, n_people), rng=seeded(category))
    stated = channel_of(mechanism).probabilities[category]
    assert_follows(report_numbers(mechanism, reports), stated)


@pytest.mark.parametrize(("kind", "n_categories"), [(kind, 3) for kind in UNARY + LISTED])
def test_reports_of_too_large_an_epsilon_are_caught(kind, n_categories):
    mechanism = kind(n_categories, 1.0)
    n_people = 2 * channel_draws(mechanism, 1)  # twice: a miss of 1e-3 would be a flaky suite
    reports = wrong(mechanism).randomise(hidden(1, n_people), rng=seeded())
    with pytest.raises(AssertionError):
        assert_follows(report_numbers(mechanism, reports), channel_of(mechanism).probabilities[1])


def coordinate_counts(tally):
    """Return how many reports support, or not, each category (k, 2)."""
    return np.stack([tally.support, tally.n_reports - tally.support], axis=1)


def coordinate_law(mechanism, category):
    """Return P(a report of who hides `category` supports, or not, each category), (k, 2)."""
    rates = np.full(mechanism.n_categories, mechanism.rates.false_hit_rate)
    rates[category] = mechanism.rates.hit_rate
    return np.stack([rates, 1 - rates], axis=1)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("kind", UNARY + HASHED)
def test_every_coordinate_has_its_rate(kind, epsilon):
    mechanism = kind(WIDE, epsilon)
    n_people, rng = coordinate_draws(mechanism, n_tests=WIDE**2), seeded()
    counts, law = [], []
    for category in range(WIDE):
        tally = mechanism.tally(mechanism.randomise(hidden(category, n_people), rng=rng))
        counts.append(coordinate_counts(tally))
        law.append(coordinate_law(mechanism, category))
    assert_counts_follow(np.concatenate(counts), np.concatenate(law))


@pytest.mark.parametrize("kind", UNARY + HASHED)
def test_coordinates_of_too_large_an_epsilon_are_caught(kind):
    mechanism = kind(WIDE, 1.0)
    n_people = coordinate_draws(mechanism, n_tests=WIDE)
    tally = mechanism.tally(wrong(mechanism).randomise(hidden(7, n_people), rng=seeded()))
    with pytest.raises(AssertionError):
        assert_counts_follow(coordinate_counts(tally), coordinate_law(mechanism, 7))


def drawn_one_at_a_time(mechanism, category, n_people):
    rng, person = seeded(category), hidden(category, 1)
    return np.concatenate([mechanism.randomise(person, rng=rng) for _ in range(n_people)])


@pytest.mark.parametrize("kind", UNARY)
def test_reports_of_people_alone_follow_the_channel(kind):
    """They are drawn in another way than a crowd: 25 % too much would fail."""
    mechanism = kind(3, 1.0)
    reports = drawn_one_at_a_time(mechanism, 1, channel_draws(mechanism, 1, MUCH_TOO_MUCH))
    assert_follows(report_numbers(mechanism, reports), channel_of(mechanism).probabilities[1])


@pytest.mark.parametrize("category", [63, 66])
@pytest.mark.parametrize("kind", UNARY)
def test_every_coordinate_of_people_alone_has_its_rate(kind, category):
    """Two blocks, the second of 6 lanes: 50 % too much would fail."""
    mechanism = kind(70, 1.0)
    n_people = coordinate_draws(mechanism, n_tests=70, factor=1.5)
    tally = mechanism.tally(drawn_one_at_a_time(mechanism, category, n_people))
    assert_counts_follow(coordinate_counts(tally), coordinate_law(mechanism, category))


def pair_counts(supports):
    """Return how often (neither, only w, only u, both) are supported, (pairs u < w, 4)."""
    real = supports.astype(np.float32)
    both = np.rint((real.T @ real).astype(float)).astype(int)
    single, n_people = both.diagonal(), len(supports)
    u, w = np.triu_indices(supports.shape[1], 1)
    only_u, only_w = single[u] - both[u, w], single[w] - both[u, w]
    return np.stack([n_people - only_u - single[w], only_w, only_u, both[u, w]], axis=1)


def pair_draws(law, n_tests, dependence=DEPENDENCE):
    return draws_needed(law, correlated(law, dependence), n_tests)


@pytest.mark.parametrize("category", range(WIDE))
@pytest.mark.parametrize("kind", UNARY)
def test_every_pair_of_bits_is_independent(kind, category):
    mechanism = kind(WIDE, 1.0)
    rates = coordinate_law(mechanism, category)[:, ::-1]
    u, w = np.triu_indices(WIDE, 1)
    law = (rates[u][:, :, None] * rates[w][:, None, :]).reshape(-1, 4)
    n_people = max(pair_draws(pair, len(law)) for pair in np.unique(law, axis=0))
    reports = mechanism.randomise(hidden(category, n_people), rng=seeded(category))
    assert_counts_follow(pair_counts(supports_of(mechanism, reports)), law)


@pytest.mark.parametrize("bits", [(0, 63), (63, 64), (0, 64), (959, 1023), (1000, 1001)])
@pytest.mark.parametrize("kind", UNARY)
def test_bits_of_one_and_of_two_blocks_are_independent(kind, bits):
    """A correlation of 0.05 would fail. The hidden category is a third: its bit is drawn apart."""
    mechanism = kind(1024, 1.0)
    either = [1 - mechanism.rates.false_hit_rate, mechanism.rates.false_hit_rate]
    law = np.outer(either, either).ravel()
    n_people = pair_draws(law, n_tests=1, dependence=0.05)
    reports = mechanism.randomise(hidden(500, n_people), rng=seeded(sum(bits)))
    pair = supports_of(mechanism, reports)[:, bits].astype(int)
    assert_follows(pair @ [2, 1], law)


@pytest.mark.parametrize("category", range(WIDE))
@pytest.mark.parametrize("kind", HASHED)
def test_hashed_pairs_with_the_hidden_category_have_their_law(kind, category):
    """Both are supported where both share the reported bucket, with p sum_y s_y^2.

    A further correlation of 0.03 would fail.
    """
    mechanism = kind(WIDE, 1.0)
    u, w = np.triu_indices(WIDE, 1)
    p, false = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    both = p * float(mechanism.rates.collision_rate)
    law = np.array([1 - p - false + both, p - both, false - both, both])  # w is the hidden one
    n_people = pair_draws(law, n_tests=WIDE - 1, dependence=0.03)
    reports = mechanism.randomise(hidden(category, n_people), rng=seeded(category))
    pairs = pair_counts(supports_of(mechanism, reports))
    first, second = pairs[w == category], pairs[u == category][:, [0, 2, 1, 3]]
    assert_counts_follow(np.concatenate([first, second]), np.tile(law, (WIDE - 1, 1)))


@pytest.mark.parametrize("category", [0, 1, 19])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("kind", HASHED)
def test_hashed_buckets_follow_the_channel_of_their_function(kind, epsilon, category):
    """Bucket 0 here is the true one, the others follow it cyclically."""
    mechanism = kind(WIDE, epsilon)
    n_buckets = mechanism._hashed.n_buckets
    stated = conditional_law(mechanism)
    n_people = draws_needed(stated, np.append(1 - 1.05 * (1 - stated[0]), 1.05 * stated[1:]))
    reports = mechanism.randomise(hidden(category, n_people), rng=seeded(category))
    function = reports["multiplier"], reports["offset"]
    true = buckets_of(*function, np.uint64(category), n_buckets).astype(int)
    assert_follows((reports["bucket"] - true) % n_buckets, stated)


def conditional_law(mechanism):
    false = mechanism.rates.false_hit_words / 2**64
    law = np.full(mechanism._hashed.n_buckets, false)
    law[0] = 1 - false * (len(law) - 1)
    return law


def deviates_of_distances(happened, rate, least=2**13):
    """Return for each distance how often an event happens to both of two people so far apart.

    As normal deviates from independence, of distances at which there are at least so many pairs.
    """
    unlike = (happened - rate) / np.sqrt(rate * (1 - rate))
    waves = np.fft.rfft(unlike, 2 * unlike.size)
    both = np.fft.irfft(np.abs(waves) ** 2)[1 : unlike.size - least + 1]
    return both / np.sqrt(unlike.size - np.arange(1, both.size + 1))


def check_independence_of_people(mechanism):
    """Assert that neither a true nor a false support says anything of the others' in the crowd."""
    reports = mechanism.randomise(hidden(7, 2**15 + 3), rng=seeded())
    supports, rates = supports_of(mechanism, reports), coordinate_law(mechanism, 7)[:, 0]
    deviates = [deviates_of_distances(supports[:, each], rates[each]) for each in (7, 11)]
    assert np.abs(deviates).max() < critical_deviate(2 * len(deviates[0]))


@pytest.mark.parametrize("kind", MECHANISMS)
def test_people_have_noise_of_their_own_however_far_apart(monkeypatch, kind):
    """Who shares noise with somebody whose answer is known is known to lie, or not to."""
    monkeypatch.setattr("hushrank.mechanisms.unary_encoding.BATCH_BLOCKS", 2**13)
    check_independence_of_people(kind(WIDE, 1.0))


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("distance", [1, 64, 2**13, 2**14])
def test_people_who_share_noise_are_found(monkeypatch, kind, distance):
    """One person in ten lies where the one that stands so far behind them does."""
    mechanism, draw = kind(WIDE, 1.0), kind.randomise

    def shared(mechanism, categories, *, rng):
        reports = draw(mechanism, categories, rng=rng)
        reports[distance::10] = reports[:-distance:10]
        return reports

    monkeypatch.setattr(kind, "randomise", shared)
    with pytest.raises(AssertionError):
        check_independence_of_people(mechanism)


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("n_categories", [2, 20, 1024])
def test_the_words_a_crowd_draws_do_not_depend_on_the_category(kind, n_categories):
    mechanism = kind(n_categories, 1.0)
    for seed in range(5):
        tapes = set()
        for category in range(0, n_categories, 1 + n_categories // 20):
            rng, pieces = recorded(np.random.default_rng(seed).bytes)
            mechanism.randomise(hidden(category, 3), rng=rng)
            tapes.add(tuple(map(len, pieces)))
        assert len(tapes) == 1


@cache
def tally_law(mechanism, category_counts):
    """Return the exact law of the tally's support, as a dictionary, by adding people up."""
    channel = channel_of(mechanism)
    law = {(0,) * mechanism.n_categories: 1.0}
    for category in np.repeat(np.arange(mechanism.n_categories), category_counts):
        added = {}
        outcomes = zip(channel.probabilities[category], channel.supports.tolist(), strict=True)
        for (support, so_far), (new, supported) in product(law.items(), list(outcomes)):
            key = tuple(np.add(support, supported).tolist())
            added[key] = added.get(key, 0) + so_far * new
        law = added
    return law


def merged_laws(mechanism, category_counts, least=0.1):
    """Put tallies, the likeliest first, into groups of at least `least`.

    Return the group of each tally, the law (groups,) and that of the wrong mechanism.
    """
    law = tally_law(mechanism, category_counts)
    other = tally_law(wrong(mechanism, MUCH_TOO_MUCH), category_counts)
    groups, shares = {}, []
    for support in sorted(law, key=law.__getitem__, reverse=True):
        if not shares or (shares[-1][0] >= least and 1 - sum(s for s, _ in shares) >= least):
            shares.append(np.zeros(2))
        groups[support] = len(shares) - 1
        shares[-1] += law[support], other[support]
    return groups, *np.transpose(shares)


def group_numbers(supports, groups):
    return np.array([groups[tuple(support)] for support in supports.tolist()])


TALLIED = [(kind, counts) for kind in SIMULATED for counts in [(4, 1), (2, 1, 0)]]


@pytest.mark.parametrize(("kind", "category_counts"), TALLIED)
def test_simulated_and_counted_tallies_have_one_law(kind, category_counts):
    """The joint law: 25 % too much would fail; the rates, below, are held to far less."""
    mechanism = kind(len(category_counts), 2.0)
    groups, law, other = merged_laws(mechanism, category_counts)
    n_tallies = draws_needed(law, other)
    rng = np.random.default_rng(random_seed())
    counts = np.array(category_counts)
    simulated = [mechanism.simulate_tally(counts, rng=rng).support for _ in range(n_tallies)]
    assert_follows(group_numbers(np.array(simulated), groups), law)
    people = np.tile(np.repeat(np.arange(counts.size), counts), n_tallies)
    supports = supports_of(mechanism, mechanism.randomise(people, rng=seeded()))
    counted = supports.reshape(n_tallies, counts.sum(), -1).sum(axis=1)
    assert_follows(group_numbers(counted, groups), law)


@pytest.mark.parametrize("kind", SIMULATED)
def test_simulated_tallies_of_many_have_the_stated_rates(kind):
    """One tally of 1.9 * 10^9 people, by exact mean and error; 1 % too much would fail."""
    mechanism = kind(WIDE, 1.0)
    counts = 10**7 * np.arange(WIDE)
    tally = mechanism.simulate_tally(counts, rng=np.random.default_rng(random_seed()))
    mean, error = expected_support(mechanism, counts)
    shift = np.abs(expected_support(wrong(mechanism, 1.01), counts)[0] - mean) / error
    assert shift.max() > critical_deviate(WIDE) + norm.isf(MISS)
    assert tally.n_reports == counts.sum()
    assert np.abs((tally.support - mean) / error).max() < critical_deviate(WIDE)


def expected_support(mechanism, counts):
    """Return the mean and the standard error of the support of each category."""
    p, q, others = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate, counts.sum() - counts
    return counts * p + others * q, np.sqrt(counts * p * (1 - p) + others * q * (1 - q))

"""What is drawn follows what is stated, in every coordinate, for every hidden category."""

from functools import cache
from itertools import product

import numpy as np
import pytest

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
    assert_counts_follow,
    assert_follows,
    draws_needed,
    random_seed,
)

TOO_MUCH = 1.05
"""The wrong mechanism that every test must catch spends this much more."""
WIDE = 20


def seeded(*numbers):
    return Randomness.seeded(random_seed() * 1000 + sum(numbers))


def hidden(category, n_people):
    return np.full(n_people, category)


def wrong(mechanism, factor=TOO_MUCH):
    return type(mechanism)(mechanism.n_categories, factor * mechanism.epsilon)


def coordinate_draws(mechanism, n_tests):
    """Return how many reports show, by some coordinate, that epsilon is 5 % too large."""
    other = wrong(mechanism)
    rates = [(mechanism.hit_rate, other.hit_rate)]
    rates += [(mechanism.false_hit_rate, other.false_hit_rate)]
    telling = [draws_needed((p, 1 - p), (w, 1 - w), n_tests) for p, w in rates if abs(p - w) > 1e-9]
    rarest = min(min(p, 1 - p) for p, _ in rates)
    return max(min(telling), int(MIN_EXPECTED / rarest) + 1)


def channel_draws(mechanism, category):
    stated, other = channel_of(mechanism).probabilities, channel_of(wrong(mechanism)).probabilities
    return draws_needed(stated[category], other[category])


def report_numbers(mechanism, reports):
    """Return the column of the channel of each report."""
    return reports[:, 0] if isinstance(mechanism, UNARY) else reports


LISTABLE = [(kind, WIDE, category) for kind in LISTED for category in range(WIDE)]
LISTABLE += [(kind, 3, category) for kind in UNARY + LISTED for category in range(3)]


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize(("kind", "n_categories", "category"), LISTABLE)
def test_reports_follow_the_channel(kind, n_categories, category, epsilon):
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


def coordinate_counts(mechanism, sampler, n_people, rng):
    """Return how many reports of people who hide `category` support, or not, each category."""
    counts = []
    for category in range(mechanism.n_categories):
        support = mechanism.tally(sampler.randomise(hidden(category, n_people), rng=rng)).support
        counts += [[support, n_people - support]]
    return np.array(counts).transpose(0, 2, 1).reshape(-1, 2)


def coordinate_law(mechanism):
    rates = np.full((mechanism.n_categories, mechanism.n_categories), mechanism.false_hit_rate)
    np.fill_diagonal(rates, mechanism.hit_rate)
    return np.stack([rates, 1 - rates], axis=2).reshape(-1, 2)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("kind", UNARY + HASHED)
def test_every_coordinate_has_its_rate(kind, epsilon):
    mechanism = kind(WIDE, epsilon)
    n_people = coordinate_draws(mechanism, n_tests=WIDE**2)
    counts = coordinate_counts(mechanism, mechanism, n_people, seeded())
    assert_counts_follow(counts, coordinate_law(mechanism))


@pytest.mark.parametrize("kind", UNARY + HASHED)
def test_coordinates_of_too_large_an_epsilon_are_caught(kind):
    mechanism = kind(WIDE, 1.0)
    n_people = coordinate_draws(mechanism, n_tests=WIDE**2)
    counts = coordinate_counts(mechanism, wrong(mechanism), n_people, seeded())
    with pytest.raises(AssertionError):
        assert_counts_follow(counts, coordinate_law(mechanism))


def pair_counts(supports):
    """Return how often (neither, only w, only u, both) are supported, (pairs u < w, 4)."""
    real = supports.astype(np.float32)
    both = np.rint((real.T @ real).astype(float)).astype(int)
    single, n_people = both.diagonal(), len(supports)
    u, w = np.triu_indices(supports.shape[1], 1)
    only_u, only_w = single[u] - both[u, w], single[w] - both[u, w]
    return np.stack([n_people - only_u - single[w], only_w, only_u, both[u, w]], axis=1)


@pytest.mark.parametrize("category", range(WIDE))
@pytest.mark.parametrize("kind", UNARY)
def test_every_pair_of_bits_is_independent(kind, category):
    mechanism = kind(WIDE, 1.0)
    reports = mechanism.randomise(hidden(category, 200_000), rng=seeded(category))
    rates = np.full(WIDE, mechanism.false_hit_rate)
    rates[category] = mechanism.hit_rate
    u, w = np.triu_indices(WIDE, 1)
    either = [np.stack([1 - rates[part], rates[part]], axis=1) for part in (u, w)]
    law = (either[0][:, :, None] * either[1][:, None, :]).reshape(-1, 4)
    assert_counts_follow(pair_counts(supports_of(mechanism, reports)), law)


@pytest.mark.parametrize("bits", [(0, 63), (63, 64), (0, 64), (959, 1023), (1000, 1001)])
@pytest.mark.parametrize("kind", UNARY)
def test_bits_of_one_and_of_two_blocks_are_independent(kind, bits):
    """The hidden category is a third one: its own bit is drawn apart."""
    mechanism = kind(1024, 1.0)
    reports = mechanism.randomise(hidden(500, 30_000), rng=seeded(sum(bits)))
    pair = supports_of(mechanism, reports)[:, bits].astype(int)
    either = [1 - mechanism.false_hit_rate, mechanism.false_hit_rate]
    assert_follows(pair @ [2, 1], np.outer(either, either).ravel())


@pytest.mark.parametrize("category", range(WIDE))
@pytest.mark.parametrize("kind", HASHED)
def test_hashed_pairs_with_the_hidden_category_have_their_law(kind, category):
    """Both are supported where both share the reported bucket, with p sum_y s_y^2."""
    mechanism = kind(WIDE, 1.0)
    reports = mechanism.randomise(hidden(category, 100_000), rng=seeded(category))
    pairs = pair_counts(supports_of(mechanism, reports))
    u, w = np.triu_indices(WIDE, 1)
    p, false = mechanism.hit_rate, mechanism.false_hit_rate
    both = p * float(mechanism._hashed.collision_rate)
    law = np.array([1 - p - false + both, p - both, false - both, both])  # w is the hidden one
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
    false = mechanism.false_hit_words / 2**64
    law = np.full(mechanism._hashed.n_buckets, false)
    law[0] = 1 - false * (len(law) - 1)
    return law


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("n_categories", [2, 20, 1024])
def test_the_words_drawn_do_not_depend_on_the_category(kind, n_categories):
    mechanism = kind(n_categories, 1.0)
    for seed in range(5):
        tapes = set()
        for category in range(0, n_categories, 1 + n_categories // 20):
            rng, pieces = recorded(seed)
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


def merged_laws(mechanism, category_counts, least=0.05):
    """Return the likeliest cells, the law and the wrong one's, of at least `least`; rest last."""
    law = tally_law(mechanism, category_counts)
    other = tally_law(wrong(mechanism, factor=1.25), category_counts)
    likeliest = sorted(law, key=law.__getitem__, reverse=True)
    kept = np.cumsum([law[cell] for cell in likeliest]) <= 1 - least
    cells = [c for c, keep in zip(likeliest, kept, strict=True) if keep and law[c] >= least]
    laws = [[table[cell] for cell in cells] for table in (law, other)]
    return cells, *([*shares, 1 - sum(shares)] for shares in laws)


def cell_numbers(supports, cells):
    numbers = {cell: number for number, cell in enumerate(cells)}
    return np.array([numbers.get(tuple(support), len(cells)) for support in supports.tolist()])


TALLIED = [(kind, counts) for kind in SIMULATED for counts in [(4, 1), (2, 1, 0)]]


@pytest.mark.parametrize(("kind", "category_counts"), TALLIED)
def test_simulated_and_counted_tallies_have_one_law(kind, category_counts):
    """The joint law: 25 % too much would fail; the rates, below, are held to far less."""
    mechanism = kind(len(category_counts), 2.0)
    cells, law, other = merged_laws(mechanism, category_counts)
    n_tallies = draws_needed(law, other)
    rng = np.random.default_rng(random_seed())
    counts = np.array(category_counts)
    simulated = [mechanism.simulate_tally(counts, rng=rng).support for _ in range(n_tallies)]
    assert_follows(cell_numbers(np.array(simulated), cells), law)
    people = np.tile(np.repeat(np.arange(counts.size), counts), n_tallies)
    supports = supports_of(mechanism, mechanism.randomise(people, rng=seeded()))
    counted = supports.reshape(n_tallies, counts.sum(), -1).sum(axis=1)
    assert_follows(cell_numbers(counted, cells), law)


@pytest.mark.parametrize("kind", SIMULATED)
def test_simulated_tallies_of_many_have_the_stated_rates(kind):
    """One tally of 10^7 people: the whole support, by its exact mean and variance."""
    mechanism = kind(WIDE, 1.0)
    counts = 100_000 * np.arange(WIDE)
    tally = mechanism.simulate_tally(counts, rng=np.random.default_rng(random_seed()))
    p, q, n_people = mechanism.hit_rate, mechanism.false_hit_rate, counts.sum()
    mean = counts * p + (n_people - counts) * q
    variance = counts * p * (1 - p) + (n_people - counts) * q * (1 - q)
    assert tally.n_reports == n_people
    assert np.abs((tally.support - mean) / np.sqrt(variance)).max() < 5.5  # 20 times 4e-8

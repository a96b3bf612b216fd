"""One source of words: little-endian, unbiased below any bound, and finite when replayed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.randomness import Randomness
from tests.conformance import WORDS, bytes_of_words
from tests.statistics import assert_follows, draws_needed, random_seed

BOUNDS = [1, 2, 3, 10, 2**32, 2**63 - 1, 2**63, 2**63 + 1, 3 * 2**62 + 1, WORDS - 1, WORDS]


def test_words_are_little_endian():
    assert Randomness.replayed(bytes(range(16))).words(2).tolist() == [
        0x0706050403020100,
        0x0F0E0D0C0B0A0908,
    ]


@pytest.mark.parametrize("n_bytes", [0, 7, 15])
def test_a_replayed_tape_ends(n_bytes):
    with pytest.raises(EOFError):
        Randomness.replayed(bytes(n_bytes)).words(2)


def test_a_replayed_tape_goes_on_where_it_was_left():
    rng = Randomness.replayed(bytes_of_words([5, 6, 7]))
    assert [rng.words(1).tolist(), rng.words(2).tolist()] == [[5], [6, 7]]


@pytest.mark.parametrize("bound", BOUNDS)
def test_below_accepts_a_whole_number_of_turns_and_no_word_more(bound):
    """Exactly the words below the largest multiple of the bound: each remainder equally often."""
    n_accepted = WORDS - WORDS % bound
    assert Randomness.replayed(bytes_of_words([n_accepted - 1])).below(bound, 1) == [bound - 1]
    assert Randomness.replayed(bytes_of_words([n_accepted - 1])).one_below(bound) == bound - 1
    if n_accepted < WORDS:
        for rejected in (n_accepted, WORDS - 1):
            rng = Randomness.replayed(bytes_of_words([rejected, rejected, 0]))
            assert rng.below(bound, 1) == [0]
            with pytest.raises(EOFError):
                rng.words(1)
            rng = Randomness.replayed(bytes_of_words([rejected, rejected, 0]))
            assert rng.one_below(bound) == 0
            with pytest.raises(EOFError):
                rng.words(1)


@given(st.integers(1, WORDS), st.lists(st.integers(0, WORDS - 1), max_size=20))
def test_below_replaces_what_it_rejects_in_place(bound, words):
    limit = WORDS - WORDS % bound
    kept = [word % bound if word < limit else 0 for word in words]
    rng = Randomness.replayed(bytes_of_words([*words, *[0] * sum(w >= limit for w in words)]))
    assert rng.below(bound, len(words)).tolist() == kept


@given(st.sampled_from(BOUNDS) | st.integers(1, WORDS), st.integers(0, WORDS - 1))
def test_one_number_is_the_first_of_many_and_leaves_the_same_words(bound, word):
    one, many = (Randomness.replayed(bytes_of_words([word, 0, 1, 2])) for _ in range(2))
    assert one.one_below(bound) == many.below(bound, 1)[0]
    assert one.words(2).tolist() == many.words(2).tolist()


def test_one_number_is_refused_as_many_are():
    for bound in (0, -1, WORDS + 1):
        with pytest.raises(HushrankError, match=f"expected a bound of 1 to 2\\^64, got {bound}"):
            Randomness.seeded(0).one_below(bound)
    with pytest.raises(EOFError, match="expected 8 random bytes, got 7"):
        Randomness.replayed(bytes(7)).one_below(2)


@pytest.mark.parametrize("bound", [5, 2**63 + 1, 3 * 2**62])
def test_below_is_uniform(bound):
    """Remainders without rejection would hit the lower part up to twice as often."""
    n_draws = draws_needed([0.2] * 5, [0.21, 0.1975, 0.1975, 0.1975, 0.1975])
    drawn = Randomness.seeded(random_seed()).below(bound, n_draws)
    fifths = np.minimum(drawn.astype(float) * 5 / bound, 4).astype(int)
    assert_follows(fifths, [0.2] * 5)


@pytest.mark.parametrize("bound", [0, -1, WORDS + 1])
def test_below_refuses_bounds_without_words(bound):
    with pytest.raises(HushrankError, match="bound"):
        Randomness.seeded(0).below(bound, 1)


def test_only_the_secure_source_is_private():
    assert Randomness.secure().is_private
    assert not Randomness.seeded(0).is_private
    assert not any(Randomness.replayed(bytes(8 * n)).is_private for n in range(3))


def test_a_seed_repeats_and_another_does_not():
    first, again, other = (Randomness.seeded(seed).words(4).tolist() for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_each_key_of_a_seed_has_words_of_its_own():
    keys = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 0)]
    assert len({int(Randomness.spawned(7, *key).words(1)[0]) for key in keys}) == len(keys)


def test_seeded_words_are_the_bytes_of_numpy_s_generator():
    apart = np.random.SeedSequence(3, spawn_key=(0x6E6F697365,))
    drawn, rng = np.random.default_rng(apart).bytes(8 * 6), Randomness.seeded(3)
    words = [*rng.words(3).tolist(), rng.one_below(WORDS), *rng.words(2).tolist()]
    assert bytes_of_words(words) == drawn


def test_every_secure_word_is_of_the_operating_system(monkeypatch):
    asked = []
    monkeypatch.setattr("os.urandom", lambda size: asked.append(size) or bytes(size))
    rng = Randomness.secure()
    assert not rng.words(3).any()
    assert rng.one_below(7) == 0
    assert rng.words(2**20).size == 2**20
    assert asked == [24, 8, 2**23]


def test_the_secure_source_does_not_repeat():
    assert Randomness.secure().words(4).tolist() != Randomness.secure().words(4).tolist()


@pytest.mark.parametrize("rng", [Randomness.secure(), Randomness.seeded(1)])
def test_no_word_of_many_comes_twice(rng):
    """Two of 10^5 agree by chance in one of 10^9 runs."""
    assert np.unique(rng.words(10**5)).size == 10**5
    assert np.unique(rng.below(2**64 - 59, 10**5)).size == 10**5


def test_a_negative_seed_is_refused():
    with pytest.raises(HushrankError, match="seed"):
        Randomness.seeded(-1)


def test_below_works_on_the_read_only_words_of_any_source():
    for rng in (Randomness.secure(), Randomness.seeded(1)):
        assert rng.below(2**63 + 1, 1000).max() <= 2**63

from fractions import Fraction

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.channel import WORDS, Channel
from hushrank.randomness import Randomness
from tests.statistics import assert_follows, draws_needed, random_seed

ROWS = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 1.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4], [0.25] * 4])


def test_words_are_the_probabilities_to_a_word_a_group():
    for words, row in zip(Channel(ROWS).words(), ROWS, strict=True):
        assert sum(words) == WORDS
        exact = [Fraction(share) * WORDS / sum(map(Fraction, row)) for share in row]
        off = [abs(int(word) - share) for word, share in zip(words, exact, strict=True)]
        assert max(off) <= Fraction(1, 2**51) * WORDS  # rows sum to 1 but for rounding
        assert all((word > 0) == (share > 0) for word, share in zip(words, row, strict=True))


def test_shares_that_are_whole_words_are_kept_exactly():
    shares = np.array([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5], [1, 0, 0]])
    assert (Channel(shares).words() == (shares * WORDS).astype(object)).all()


def test_every_word_releases_what_the_words_say():
    """The words at both ends of every group's stretch, for every true group."""
    channel = Channel(ROWS)
    for group, words in enumerate(channel.words()):
        ends = np.cumsum(words)
        for released in np.flatnonzero(words):
            for word in (ends[released] - words[released], ends[released] - 1):
                tape = Randomness.replayed(int(word).to_bytes(8, "little"))
                assert channel.draw([group], rng=tape).tolist() == [released]


def test_the_likeliest_group_takes_what_rounding_leaves():
    shares = [0.7, 0.2, 0.1]
    others = [int(share * WORDS) for share in shares[1:]]
    assert int(0.7 * WORDS) + sum(others) < WORDS
    (words,) = Channel(np.array([shares, *np.eye(3)[1:]])).words()[:1]
    assert words.tolist() == [WORDS - sum(others), *others]


def test_a_share_below_one_word_is_never_released():
    channel = Channel(np.array([[1.0, 2.0**-70], [0.5, 0.5]]))
    assert channel.words()[0].tolist() == [WORDS, 0]


def test_the_last_share_of_many_is_checked():
    rows = np.eye(6)
    rows[-1] = [0, 0, 0, 0, 1.5, -0.5]
    with pytest.raises(HushrankError, match="at least 0"):
        Channel(rows)


@pytest.mark.parametrize("group", [0, 2])
def test_draws_follow_the_channel(group):
    """Draws of a channel with 2 % of a group's probability moved would fail."""
    possible = np.flatnonzero(ROWS[group])
    stated = ROWS[group, possible]
    wrong = stated + np.r_[-0.02, 0.02, np.zeros(len(stated) - 2)] * stated[0]
    n_users = draws_needed(stated, wrong, n_tests=2)
    groups = np.full(n_users, group)
    drawn = Channel(ROWS).draw(groups, rng=Randomness.seeded(random_seed()))
    assert np.isin(drawn, possible).all()
    assert_follows(np.searchsorted(possible, drawn), stated)


@pytest.mark.parametrize("n_groups", [21, 200])
def test_each_of_many_groups_is_released_by_the_words_that_are_its_share(n_groups):
    """The words at both ends of every group's stretch, drawn together for all true groups."""
    rng = np.random.default_rng(random_seed())
    shares = rng.multinomial(2**20, np.full(n_groups, 1 / n_groups), n_groups) / 2**20
    words = Channel(shares).words()
    assert (words == (shares * WORDS).astype(object)).all()
    groups, released = np.divmod(np.arange(n_groups**2), n_groups)
    ends = words.cumsum(axis=1)
    for at in (ends - words, ends - 1):
        tape = Randomness.replayed(at.astype("<u8").tobytes())
        np.testing.assert_array_equal(Channel(shares).draw(groups, rng=tape), released)


def test_users_of_all_groups_are_drawn_in_their_order():
    tape = Randomness.seeded(3).words(6)
    groups = [2, 0, 3, 2, 1, 0]
    together = Channel(ROWS).draw(groups, rng=Randomness.replayed(tape.tobytes()))
    alone = [
        Channel(ROWS).draw([group], rng=Randomness.replayed(word.tobytes()))[0]
        for group, word in zip(groups, tape, strict=True)
    ]
    assert together.tolist() == alone


def test_a_draw_takes_one_word_a_user_whatever_the_group():
    for group in range(4):
        with pytest.raises(EOFError):
            Channel(ROWS).draw([group] * 3, rng=Randomness.replayed(bytes(16)))
        Channel(ROWS).draw([group] * 3, rng=Randomness.replayed(bytes(24)))
    assert Channel(ROWS).draw([], rng=Randomness.replayed(b"")).size == 0


@pytest.mark.parametrize("groups", [[4], [-1], [0.5], [[0]]])
def test_unknown_groups_are_refused_before_anything_is_drawn(groups):
    def drawn(_: int) -> bytes:
        raise AssertionError

    with pytest.raises(HushrankError):
        Channel(ROWS).draw(groups, rng=Randomness(drawn, is_private=False))


@pytest.mark.parametrize(
    "rows",
    [
        np.ones((2, 3)) / 3,
        np.array([[0.5, 0.4], [0, 1]]),
        np.array([[1.5, -0.5], [0, 1]]),
        np.array([[np.nan, 1], [0, 1]]),
        np.array([[1, 0], [np.inf, 1]]),
        np.array([[1, 0], [1.5, -0.5]]),
        np.array([[1, 0, 0], [0.5, -0.5, 1], [0, 0, 1]]),
    ],
)
def test_rows_that_are_no_probabilities_are_refused(rows):
    with pytest.raises(HushrankError):
        Channel(rows)


def test_it_serves_as_an_array_and_shows_nothing():
    assert np.array_equal(np.asarray(Channel(ROWS)), ROWS)
    assert "0.5" not in repr(Channel(ROWS))

import numpy as np
import pytest
from numpy.typing import NDArray

from hushrank.errors import HushrankError
from hushrank.publishing.record_channel.dependent_rounding import round_dependently
from hushrank.randomness import Randomness
from tests.statistics import assert_counts_follow, draws_needed, random_seed


def doubly_stochastic(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A mixture of permutations, so all sums are 1."""
    weights = rng.dirichlet(np.ones(6))
    return sum(w * np.eye(n)[rng.permutation(n)] for w in weights)  # type: ignore[return-value]


def entries(matrix: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
    rows, columns = np.nonzero(matrix)
    return rows, columns, matrix[rows, columns]


@pytest.mark.parametrize("n", [2, 3, 17, 400])
def test_rows_and_columns_keep_their_sums(n: int) -> None:
    rng = np.random.default_rng(random_seed())
    counts = rng.multinomial(n, np.full(n, 1 / n))
    matrix = doubly_stochastic(n, rng)[:, np.repeat(np.arange(n), counts)]
    merged = np.zeros((n, n))
    for column, record in enumerate(np.repeat(np.arange(n), counts)):
        merged[:, record] += matrix[:, column]
    if np.abs(merged.sum(axis=1) - 1).max() > 1e-9:  # columns were dropped: use whole ones
        merged = doubly_stochastic(n, rng)
    rows, columns, chances = entries(merged)
    taken = round_dependently(rows, columns, chances, (n, n), rng=Randomness.seeded(n))
    np.testing.assert_array_equal(np.bincount(rows[taken], minlength=n), np.ones(n))
    expected = np.round(merged.sum(axis=0))
    np.testing.assert_array_equal(np.bincount(columns[taken], minlength=n), expected)


def test_sums_that_floats_miss_by_their_last_digit_are_kept_as_well() -> None:
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    chances = np.array([0.1 + 0.2, 0.7, 0.7, 0.3])  # the first is above .3
    for seed in range(40):
        taken = round_dependently(rows, columns, chances, (2, 2), rng=Randomness.seeded(seed))
        assert taken.tolist() in ([True, False, False, True], [False, True, True, False])


def test_each_entry_is_taken_with_its_chance() -> None:
    matrix = doubly_stochastic(4, np.random.default_rng(3))
    rows, columns, chances = entries(matrix)
    wrong = np.clip(chances.min() + 0.05, 0, 1)
    n_draws = draws_needed(
        [chances.min(), 1 - chances.min()], [wrong, 1 - wrong], n_tests=len(chances)
    )
    rng = Randomness.seeded(random_seed())
    taken = sum(
        round_dependently(rows, columns, chances, (4, 4), rng=rng).astype(int)
        for _ in range(n_draws)
    )
    inside = chances < 1
    counts = np.column_stack([taken, n_draws - taken])[inside]
    assert_counts_follow(counts, np.column_stack([chances, 1 - chances])[inside])


def test_parts_that_share_no_row_and_no_column_have_coins_of_their_own() -> None:
    rows, columns, chances = entries(np.kron(np.eye(2), np.full((2, 2), 0.5)))
    drawn = set()
    for seed in range(40):
        taken = round_dependently(rows, columns, chances, (4, 4), rng=Randomness.seeded(seed))
        drawn.add((bool(taken[0]), bool(taken[4])))
    assert len(drawn) == 4


def test_no_word_decides_in_two_parts() -> None:
    """One of four circles lies around the other, of a single one."""
    rng = np.random.default_rng(5)
    matrix = np.zeros((5, 5))
    matrix[np.ix_([0, 2, 4], [0, 2, 4])] = doubly_stochastic(3, rng)
    matrix[np.ix_([1, 3], [1, 3])] = 0.5
    rows, columns, chances = entries(matrix)
    decided = set()
    for tape in rng.integers(0, 2**64, (20, len(rows)), dtype=np.uint64):
        for number in range(len(rows)):
            low, high = tape.copy(), tape.copy()
            low[number], high[number] = 0, 2**64 - 1
            one, other = (
                round_dependently(
                    rows, columns, chances, (5, 5), rng=Randomness.replayed(words.tobytes())
                )
                for words in (low, high)
            )
            parts = frozenset((rows[one != other] % 2).tolist())
            decided.add(parts)
    assert decided == {frozenset(), frozenset({0}), frozenset({1})}


def test_of_many_parts_no_two_go_the_same_way_oftener_than_by_chance() -> None:
    """Of 3,000 parts those so far apart, for any distance, agree about every second time."""
    n_parts = 3000
    firsts = np.repeat(2 * np.arange(n_parts), 4)
    rows, columns = firsts + np.tile([0, 0, 1, 1], n_parts), firsts + np.tile([0, 1, 0, 1], n_parts)
    halves, size = np.full(4 * n_parts, 0.5), 2 * n_parts
    taken = round_dependently(rows, columns, halves, (size, size), rng=Randomness.seeded(7))[::4]
    agree = [np.mean(taken[apart:] == taken[:-apart]) for apart in range(1, n_parts // 2)]
    assert 0.4 < min(agree) < max(agree) < 0.6


def test_the_number_of_words_depends_on_the_number_of_entries_alone() -> None:
    for seed in range(5):
        matrix = doubly_stochastic(9, np.random.default_rng(seed))
        rows, columns, chances = entries(matrix)
        words: list[int] = []

        def read(size: int, words: list[int] = words) -> bytes:
            words.append(size)
            return np.random.default_rng(1).bytes(size)

        rng = Randomness(read, is_private=False)
        round_dependently(rows, columns, chances, (9, 9), rng=rng)
        assert words == [8 * len(chances)]


def test_sums_that_are_not_whole_are_refused_before_anything_is_drawn() -> None:
    nothing = Randomness.replayed(b"")
    rows, columns = np.array([0, 0]), np.array([0, 1])
    with pytest.raises(HushrankError, match="whole sums"):
        round_dependently(rows, columns, np.array([0.3, 0.7]), (1, 2), rng=nothing)
    for impossible in ([-0.5, 0.5], [1.5, 0.5]):
        with pytest.raises(HushrankError, match="chances from 0 to 1"):
            round_dependently(rows, columns, np.array(impossible), (1, 2), rng=nothing)


def test_the_last_chance_of_many_is_checked() -> None:
    chances = np.array([*np.full(41, 0.5), -0.5])
    rows = np.arange(42) // 2
    with pytest.raises(HushrankError, match="chances from 0 to 1"):
        round_dependently(rows, rows, chances, (21, 21), rng=Randomness.replayed(b""))


def test_the_last_sum_of_many_is_checked() -> None:
    rows = np.arange(42) // 2
    chances = np.array([*np.full(41, 0.5), 0.4])
    with pytest.raises(HushrankError, match="whole sums"):
        round_dependently(rows, rows, chances, (21, 21), rng=Randomness.replayed(b""))

"""Two-sided geometric noise: its loss listed exactly, its digits at every edge, its law."""

from fractions import Fraction
from itertools import accumulate, pairwise
from math import nextafter

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.geometric import (
    CELLS_AT_ONCE,
    _add_digits,
    _tables,
    geometric_weights,
    neighbour_ratios,
    two_sided_geometric,
)
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import exp_below
from tests.conformance import WORDS, bytes_of_words
from tests.statistics import assert_follows, draws_needed, random_seed

EPSILONS = [0.001, 0.01, 0.1, 1, 4, 10, 1000, 2**-6, 3, 20, 40, 41, 2**-30, 1e-6, 1 / 4950]
EPSILONS += [float(epsilon) for epsilon in np.logspace(-9, 3, 100)]


def one_sided_law(weights, n_turns):
    """Return P(g), exactly, up to where the top digit has been drawn again `n_turns` - 1 times."""
    law = [Fraction(1)]
    for own in weights[:-1]:
        law = [p * Fraction(weight, WORDS) for weight in own for p in law]
    *kept, again = (Fraction(weight, WORDS) for weight in weights[-1])
    return [again**turn * weight * p for turn in range(n_turns) for weight in kept for p in law]


def two_sided_law(weights, most):
    """Return P(z), z = 0..most, exactly, of a one-digit variable: the turns make a power series."""
    period = len(weights[0]) - 1
    n_turns = most // period + 2
    law = one_sided_law(weights, n_turns)
    again = Fraction(weights[0][-1], WORDS)
    first = range(period)
    return [sum(law[g] * law[g + z] for g in first) / (1 - again**2) for z in range(most + 1)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_loss_of_a_unit_is_at_most_epsilon_and_nearly_all_of_it(epsilon):
    lowest, highest = neighbour_ratios(geometric_weights(epsilon))
    assert 1 / exp_below(epsilon) <= lowest <= highest < 1
    if epsilon < 40:
        assert highest <= 1 / exp_below(epsilon * (1 - 2**-18))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_weights_share_all_words(epsilon):
    assert {sum(own) for own in geometric_weights(epsilon)} == {WORDS}
    assert min(map(min, geometric_weights(epsilon))) > 0


@pytest.mark.parametrize("epsilon", [2**-29, 2**-20, 0.01])
@pytest.mark.block_sizes
def test_no_cells_share_their_noise_however_many_there_are(epsilon):
    """Of several blocks, which are drawn one after the other: no part comes twice.

    Noises of neighbours agree with the chance that the law gives, tanh(epsilon / 2), no oftener.
    Cells so far apart as a block, or less, that share 1 % of their noises are found.
    """
    noise = two_sided_geometric(epsilon, 3 * CELLS_AT_ONCE + 7, rng=Randomness.seeded(5))
    for apart in (1, 2, 6, 24, 120, 720, CELLS_AT_ONCE, 2 * CELLS_AT_ONCE, 2 * CELLS_AT_ONCE + 7):
        agree = np.abs(noise[apart:]) == np.abs(noise[:-apart])
        assert agree.mean() < 2 * np.tanh(epsilon / 2) + 0.01


THIRD = WORDS // 3
BY_HAND = [
    ((WORDS // 2, WORDS // 4, WORDS // 4),),
    ((WORDS // 2, WORDS // 2), (THIRD, THIRD, WORDS - 2 * THIRD)),
    ((WORDS - 5, 5), (WORDS - 2, 2)),
]


@pytest.mark.parametrize("weights", [*map(geometric_weights, [0.1, 1, 10, 0.01, 0.001]), *BY_HAND])
def test_the_neighbour_ratios_are_those_of_the_law(weights):
    law = one_sided_law(weights, 2)
    ratios = [after / before for before, after in pairwise(law)]
    assert (min(ratios), max(ratios)) == neighbour_ratios(weights)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 4, 10])
def test_the_difference_loses_no_more_than_its_parts(epsilon):
    law = two_sided_law(geometric_weights(epsilon), 100)
    ratios = [after / before for before, after in pairwise(law)]
    assert 1 / exp_below(epsilon) <= min(ratios) <= max(ratios) < 1


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_the_difference_has_the_stated_law(epsilon):
    law = np.array(two_sided_law(geometric_weights(epsilon), 10), dtype=float)
    stated = np.tanh(epsilon / 2) * np.exp(-epsilon * np.arange(11))
    np.testing.assert_allclose(law, stated, rtol=1e-4)


def drawn_from(epsilon, words):
    """Return the noise made of the words of one variable, less another that is 0."""
    zeros = [0] * len(geometric_weights(epsilon))
    rng = Randomness.replayed(bytes_of_words(words + zeros))
    noise = two_sided_geometric(epsilon, 1, rng=rng)
    with pytest.raises(EOFError):
        rng.words(1)
    return int(noise[0])


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 1, 10])
def test_each_word_shows_its_digit(epsilon):
    (own,) = geometric_weights(epsilon)
    for digit, edge in enumerate(accumulate(own[:-1])):
        assert drawn_from(epsilon, [edge - 1]) == digit
    again = len(own) - 1
    for word in (sum(own[:-1]), WORDS - 1):
        assert drawn_from(epsilon, [word, word, 0]) == 2 * again


def test_each_epsilon_is_drawn_from_tables_of_its_own():
    """However near two are: of the larger one there would be too little noise for the other."""
    firsts = []
    for epsilon in (1 / 3, nextafter(1 / 3, 0), 1 / 7, 0.12345678, 0.12345):
        (own,) = geometric_weights(epsilon)
        assert [drawn_from(epsilon, [word]) for word in (own[0] - 1, own[0])] == [0, 1]
        firsts.append(own[0])
    assert len(set(firsts)) == len(firsts)


def test_lower_digits_come_first_and_only_the_top_one_is_drawn_again():
    lower, top = geometric_weights(0.001)
    again = len(top) - 1
    assert len(lower) == 256
    for digit, edge in enumerate(accumulate(lower)):
        assert drawn_from(0.001, [edge - 1, 0]) == digit
        assert drawn_from(0.001, [edge - 1, top[0]]) == digit + 256
    assert drawn_from(0.001, [WORDS - 1, WORDS - 1, 0]) == 255 + 256 * again


def test_the_first_variables_are_drawn_before_the_second_ones():
    (own,) = geometric_weights(1)
    words = [own[0], 0, 0, own[0], own[0], 0]
    rng = Randomness.replayed(bytes_of_words(words))
    assert two_sided_geometric(1, 3, rng=rng).tolist() == [0, -1, 0]


def test_cells_that_draw_again_keep_their_places():
    (own,) = geometric_weights(1)
    again, most = len(own) - 1, WORDS - 1
    words = [0, most, most, most, 0, own[0], 0, 0, 0]
    rng = Randomness.replayed(bytes_of_words(words))
    assert two_sided_geometric(1, 3, rng=rng).tolist() == [0, 2 * again + 1, again]


def test_where_a_block_ends_the_next_one_begins(monkeypatch):
    """A cell between two blocks would get no noise: its count would come out exact."""
    monkeypatch.setattr("hushrank.mechanisms.curator.geometric.CELLS_AT_ONCE", 4)
    (own,) = geometric_weights(1)
    rng = Randomness.replayed(bytes_of_words([own[0]] * 9 + [0] * 9))
    assert two_sided_geometric(1, 9, rng=rng).tolist() == [1] * 9
    with pytest.raises(EOFError):
        rng.words(1)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 10])
def test_tables_that_would_lose_more_are_refused(monkeypatch, epsilon):
    monkeypatch.setattr("hushrank.mechanisms.curator.geometric.MARGIN", -1e-9)
    with pytest.raises(HushrankError, match="cannot hold a privacy loss of"):
        geometric_weights.__wrapped__(epsilon)


def cells_of(epsilon, edges):
    """Return the probabilities of the cells of |z| up to each of the edges, and above."""
    q = np.exp(-epsilon)
    return -np.diff([1, *(2 * q ** (np.array(edges) + 1.0) / (1 + q)), 0])


@pytest.mark.parametrize("epsilon", [4, 1, 0.1, 0.01, 1e-5, 1e-8])
def test_noise_follows_its_law(epsilon):
    """An epsilon 5 % too large is caught, and so are positive numbers a tenth too rare."""
    edges = np.unique(np.floor(np.array([0.3, 0.7, 1.2, 2]) / epsilon))
    stated, wrong = cells_of(epsilon, edges), cells_of(1.05 * epsilon, edges)
    positive = (1 - np.tanh(epsilon / 2)) / 2
    fair, unfair = ([1 - p, p] for p in (positive, 0.9 * positive))
    n_draws = max(draws_needed(stated, wrong), draws_needed(fair, unfair))
    noise = two_sided_geometric(epsilon, n_draws, rng=Randomness.seeded(random_seed()))
    assert_follows(np.searchsorted(edges, np.abs(noise)), stated)
    assert_follows((noise > 0).astype(int), fair)


@pytest.mark.parametrize("epsilon", [0.001, 1e-7])
def test_the_lowest_digit_is_as_uniform_as_the_law(epsilon):
    """Remainders of 16 that are off by a tenth in one place are caught."""
    stated = np.full(16, 1 / 16)  # but for epsilon^2
    wrong = stated * np.append(1.1, np.full(15, 1 - 0.1 / 15))
    rng = Randomness.seeded(random_seed())
    noise = two_sided_geometric(epsilon, draws_needed(stated, wrong), rng=rng)
    assert_follows(noise % 16, stated)


def test_the_finest_noise_follows_its_law():
    """Coins one by one; an epsilon of 3/4 is caught."""
    epsilon = 1e-12
    edges = np.floor(np.array([0.5, 1.2]) / epsilon)
    stated, wrong = cells_of(epsilon, edges), cells_of(0.75 * epsilon, edges)
    n_draws = draws_needed(stated, wrong)
    noise = two_sided_geometric(epsilon, n_draws, rng=Randomness.seeded(random_seed()))
    assert_follows(np.searchsorted(edges, np.abs(noise)), stated)


@pytest.mark.parametrize("epsilon", [1e-10, 1e-12 / 3, 2**-50])
def test_the_finest_noise_is_drawn_at_the_very_rate_of_its_epsilon(monkeypatch, epsilon):
    """A shorter fraction is as often above, and costs more than epsilon."""
    rates = []
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.geometric.geometric",
        lambda *rate, rng: rates.append(Fraction(*rate)) or 0,
    )
    two_sided_geometric(epsilon, 2, rng=Randomness.replayed(b""))
    assert rates == [Fraction(epsilon)] * 4


def test_cells_are_independent():
    """Neighbouring cells whose signs agree a tenth too often are caught."""
    sign = (1 - np.tanh(0.05)) / 2
    together = np.array([sign, sign, 1 - 2 * sign])
    stated = np.outer(together, together).ravel()
    wrong = stated + 0.1 * sign**2 * np.array([1, -1, 0, -1, 1, 0, 0, 0, 0])
    n_draws = draws_needed(stated, wrong)
    noise = two_sided_geometric(0.1, 2 * n_draws, rng=Randomness.seeded(random_seed()))
    signs = np.where(noise > 0, 0, np.where(noise < 0, 1, 2))
    assert_follows(3 * signs[::2] + signs[1::2], stated)


def test_no_cell_needs_no_word():
    for epsilon in (1, 1e-12):
        noise = two_sided_geometric(epsilon, 0, rng=Randomness.replayed(b""))
        assert noise.shape == (0,)
        assert noise.dtype == np.int64


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 1001, 2**-51, "1"])
def test_other_epsilons_are_refused_before_anything_is_drawn(epsilon):
    with pytest.raises(HushrankError, match="epsilon"):
        two_sided_geometric(epsilon, 3, rng=Randomness.replayed(b""))


def test_a_negative_size_is_refused():
    with pytest.raises(HushrankError, match="size of at least 0, got -1"):
        two_sided_geometric(1, -1, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("epsilon", [0.001, 1, 10])
def test_ratios_of_exactly_epsilon_are_taken_and_none_beyond(monkeypatch, epsilon):
    most, little = exp_below(epsilon), Fraction(1, 2**100)
    found = {"ratios": (1 / most, most)}
    replaced = "hushrank.mechanisms.curator.geometric.neighbour_ratios"
    monkeypatch.setattr(replaced, lambda weights: found["ratios"])
    assert geometric_weights.__wrapped__(epsilon)
    for beyond in ((1 / most - little, most), (1 / most, most + little)):
        found["ratios"] = beyond
        with pytest.raises(HushrankError, match="cannot hold a privacy loss of"):
            geometric_weights.__wrapped__(epsilon)


def test_tables_are_drawn_from_down_to_the_least_epsilon_that_they_hold(monkeypatch):
    def no_tables(epsilon):
        raise LookupError

    monkeypatch.setattr("hushrank.mechanisms.curator.geometric._tables", no_tables)
    with pytest.raises(LookupError):
        two_sided_geometric(2**-30, 1, rng=Randomness.seeded(1))
    assert two_sided_geometric(nextafter(2**-30, 0), 1, rng=Randomness.seeded(1)).size == 1


def test_one_table_is_enough_down_to_the_least_rate_of_the_top_digit():
    assert len(geometric_weights(2**-6 * 1.001)) == 1
    assert len(geometric_weights(2**-6 * 0.999)) == 2


@pytest.mark.parametrize("epsilon", [0.02, 1, 10])
def test_digits_are_found_without_reading_beyond_the_tables(epsilon):
    """By the loop that is compiled: the interpreter refuses places that are not there."""
    (table,) = _tables(epsilon)
    edges = [int(edge) for edge in table.edges]
    words = sorted({0, WORDS - 1, *edges, *(edge - 1 for edge in edges)})
    places, variables = np.arange(len(words)), np.zeros(len(words), dtype=np.int64)
    digits = [sum(edge <= word for edge in edges) for word in words]
    n_again = _add_digits.__wrapped__(np.array(words, dtype=np.uint64), table, places, variables)
    assert variables.tolist() == digits
    assert places[:n_again].tolist() == [i for i, d in enumerate(digits) if d == len(edges)]

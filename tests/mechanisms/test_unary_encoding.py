"""Bits of any number of categories, packed in any order of memory."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.randomness import Randomness


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_categories", [8, 56, 64, 80, 128])
def test_bits_are_counted_whatever_their_bytes_and_their_order_in_memory(n_categories, order):
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    reports = mechanism.randomise(np.arange(8), rng=Randomness.seeded(3))
    bits = np.unpackbits(reports, axis=1, bitorder="little")[:, :n_categories]
    counted = mechanism.tally(np.array(reports, order=order))
    assert counted.support.tolist() == bits.sum(axis=0).tolist()


@pytest.mark.parametrize("n_categories", [2, 7, 9, 63, 65])
@pytest.mark.parametrize("person", [0, 1, 24])
def test_a_bit_of_no_category_is_refused_whosever_it_is(n_categories, person):
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    reports = mechanism.randomise(np.zeros(25, dtype=int), rng=Randomness.seeded(3))
    reports[person, -1] |= 0x80
    with pytest.raises(HushrankError, match="expected padding bits of 0"):
        mechanism.tally(reports)


@pytest.mark.block_sizes
@pytest.mark.parametrize("n_people", [1, 3])
@pytest.mark.parametrize("is_hit", [True, False])
@pytest.mark.parametrize("n_categories", [5040, 2**15, 2**17 + 1, 2**22])
def test_of_however_many_categories_the_own_bit_is_what_its_own_coin_says(
    n_categories, n_people, is_hit
):
    """Whatever stood there: as of all orders of seven items, of which the last one is held."""
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    hidden = np.array([0, 2 * n_categories // 3, n_categories - 1])[-n_people:]
    for noise in (0, 2**64 - 1):  # all bits are false hits, or none is
        coins = [0 if is_hit else 2**64 - 1] * n_people
        tape = ends_with(coins, noise=noise)
        bits = np.unpackbits(mechanism.randomise(hidden, rng=tape), axis=1, bitorder="little")
        others = noise == 0
        expected = np.full((n_people, n_categories), others)
        expected[np.arange(n_people), hidden] = is_hit
        assert (bits[:, :n_categories] == expected).all()


def ends_with(coins, noise):
    """Return a source of words that are all `noise`, but for the last ones that are read."""

    class Ending(Randomness):
        def words(self, size):
            is_last = size <= len(coins)  # a batch of large reports is of two people
            return np.array(coins[:size] if is_last else [noise] * size, dtype=np.uint64)

    return Ending(lambda _: b"", is_private=False)


def test_the_reports_of_twelve_categories_are_listed_and_of_no_more():
    assert SymmetricUnaryEncoding(12, 1.0).channel_words().shape == (12, 4096)
    with pytest.raises(HushrankError, match="cannot list the 2\\^13 reports"):
        SymmetricUnaryEncoding(13, 1.0).channel_words()


@pytest.mark.parametrize("n_categories", [7, 200])
def test_of_however_many_batches_each_person_has_bits_of_their_own(monkeypatch, n_categories):
    monkeypatch.setattr("hushrank.mechanisms.unary_encoding.BATCH_BLOCKS", 1)
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    hidden = np.arange(101) % n_categories
    reports = mechanism.randomise(hidden, rng=Randomness.seeded(3))
    rng = Randomness.seeded(3)
    pairs = [mechanism.randomise(hidden[nth : nth + 2], rng=rng) for nth in range(0, 101, 2)]
    assert reports.tolist() == np.concatenate(pairs).tolist()
    bits = np.unpackbits(reports, axis=1, bitorder="little")[:, :n_categories]
    assert mechanism.tally(reports).support.tolist() == bits.sum(axis=0).tolist()

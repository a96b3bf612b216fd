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
@pytest.mark.parametrize("person", [0, 1, 2])
def test_a_bit_of_no_category_is_refused_whosever_it_is(n_categories, person):
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    reports = mechanism.randomise(np.zeros(3, dtype=int), rng=Randomness.seeded(3))
    reports[person, -1] |= 0x80
    with pytest.raises(HushrankError, match="expected padding bits of 0"):
        mechanism.tally(reports)


def test_the_reports_of_twelve_categories_are_listed_and_of_no_more():
    assert SymmetricUnaryEncoding(12, 1.0).channel_words().shape == (12, 4096)
    with pytest.raises(HushrankError, match="cannot list the 2\\^13 reports"):
        SymmetricUnaryEncoding(13, 1.0).channel_words()

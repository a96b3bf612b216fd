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


def test_the_reports_of_twelve_categories_are_listed_and_of_no_more():
    assert SymmetricUnaryEncoding(12, 1.0).channel_words().shape == (12, 4096)
    with pytest.raises(HushrankError, match="cannot list the 2\\^13 reports"):
        SymmetricUnaryEncoding(13, 1.0).channel_words()

"""Which reports Harmony knows."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.randomness import Randomness
from tests.conformance import bytes_of_words


def test_reports_beyond_the_rows_are_refused_with_what_was_expected():
    mechanism = Harmony(5, 1.0)
    assert mechanism.tally(np.array([15], dtype=np.uint32)).n_reports == 1
    with pytest.raises(HushrankError, match=r"expected reports 0\.\.15, some lie outside"):
        mechanism.tally(np.array([16], dtype=np.uint32))
    with pytest.raises(HushrankError, match=r"expected reports 0\.\.15, some lie outside"):
        mechanism.tally(np.array([3] * 24 + [31], dtype=np.uint32))


def test_of_however_many_crowded_categories_all_people_are_simulated():
    counts = np.full(200, 3000)
    tally = Harmony(200, 1.0).simulate_tally(counts, rng=np.random.default_rng(2))
    assert tally.n_reports == counts.sum()


@pytest.mark.parametrize("n_categories", [2, 5, 2**16, 2**17, 2**22 + 1, 2**31])
def test_a_row_is_of_its_own_word_whatever_is_hidden(n_categories):
    """Of all columns: where it depended on one, the row alone would tell."""
    mechanism, top = Harmony(n_categories, 1.0), n_categories - 1
    columns = [top >> shift for shift in range(32)] + [(1 << shift) & top for shift in range(32)]
    words = [0, 2**64 - 1, *(7**nth % 2**64 for nth in range(5, 67))]
    for lie in (0, 1):
        tape = bytes_of_words([*words, *[lie * (2**64 - 1)] * len(words)])
        reports = mechanism.randomise(np.array(columns), rng=Randomness.replayed(tape)).tolist()
        rows = [word % mechanism.n_rows for word in words]
        assert [report >> 1 for report in reports] == rows
        true = [(row & column).bit_count() % 2 for row, column in zip(rows, columns, strict=True)]
        assert [report % 2 for report in reports] == [sign ^ lie for sign in true]

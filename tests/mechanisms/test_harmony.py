"""Which reports Harmony knows."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony


def test_reports_beyond_the_rows_are_refused_with_what_was_expected():
    mechanism = Harmony(5, 1.0)
    assert mechanism.tally(np.array([15], dtype=np.uint32)).n_reports == 1
    with pytest.raises(HushrankError, match=r"expected reports 0\.\.15, some lie outside"):
        mechanism.tally(np.array([16], dtype=np.uint32))
    with pytest.raises(HushrankError, match=r"expected reports 0\.\.15, some lie outside"):
        mechanism.tally(np.array([3, 31], dtype=np.uint32))


def test_of_however_many_crowded_categories_all_people_are_simulated():
    counts = np.full(200, 3000)
    tally = Harmony(200, 1.0).simulate_tally(counts, rng=np.random.default_rng(2))
    assert tally.n_reports == counts.sum()

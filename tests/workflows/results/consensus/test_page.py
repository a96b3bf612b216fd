"""What the page about an order shows beside it."""

import numpy as np

import hushrank
from hushrank.workflows.results.consensus.page import released_tables


def test_noisy_leads_are_shares_of_which_the_largest_is_everybody():
    people = hushrank.simulate("mallows", people=300, items=5, seed=1)
    found = hushrank.aggregate(people, epsilon=2.0, method="gaussian-kemeny", delta=1e-6, seed=2)
    (table,) = released_tables(found)
    others = ~np.eye(5, dtype=bool)
    leads = found.found.evidence.margins[others]
    assert np.nanmax(table.shares) == 1
    np.testing.assert_allclose((table.shares + table.shares.T)[others], 1)
    np.testing.assert_array_equal(np.sign(table.shares[others] - 0.5), np.sign(leads))

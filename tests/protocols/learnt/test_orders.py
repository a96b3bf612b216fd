"""What is told of one order from reports: shares with and without their noise."""

import numpy as np
import pytest

import hushrank
from hushrank.aggregators.from_reports.pair_scores import estimate_pairs_together
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_margins

PEOPLE = hushrank.simulate("mallows", people=400, items=4, seed=1)


@pytest.mark.parametrize("protocol", ["pairs", "order"])
def test_shares_of_pairs_are_halves_of_their_margins_and_a_half(protocol):
    """Who puts a before b is half of all people and half of those by whom a leads."""
    learnt = hushrank.collect(PEOPLE, epsilon=3, protocol=protocol, seed=2).outcome.result
    shown = learnt.shown(PEOPLE.names).pair_shares
    estimates = learnt.outcome.estimates if protocol == "pairs" else learnt.outcome.known.estimates
    reported, believed = shown["reported, noise and all"], shown["most likely, given the noise"]
    margins = estimates.margins if protocol == "pairs" else estimates
    np.testing.assert_allclose(2 * reported - 1, margins, atol=1e-12)
    np.testing.assert_allclose(2 * believed - 1, learnt.posterior.margins, atol=1e-12)
    for shares in (reported, believed):
        np.testing.assert_allclose((shares + shares.T)[np.triu_indices(4, 1)], 1)


def test_what_is_believed_of_pairs_is_of_as_many_people_as_reported():
    """Few people differ by chance: of more, narrower intervals would be stated."""
    learnt = hushrank.collect(PEOPLE, epsilon=3, protocol="pairs", seed=2).outcome.result
    estimates = estimate_pairs_together(learnt.outcome.reports)
    assert estimates.n_people == 400
    expected = posterior_of_margins(estimates.margins, estimates.variances, 400)
    np.testing.assert_array_equal(learnt.posterior.variances, expected.variances)
    assert learnt.shown(PEOPLE.names).chosen["queries"] == learnt.outcome.n_queries[0]

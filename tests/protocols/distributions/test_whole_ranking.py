import numpy as np
import pytest

from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.distributions.whole_ranking import whole_ranking
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings

SHARES = np.array([0.4, 0.1, 0.05, 0.05, 0.3, 0.1])
ORDERS = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
PEOPLE = Rankings.from_orders(ORDERS, multiplicities=(20_000 * SHARES).astype(np.int64))
BASELINES = [
    GeneralizedRandomizedResponse,
    SymmetricUnaryEncoding,
    SuccinctHistogram,
    OptimisedLocalHashing,
]


@pytest.mark.parametrize("make_mechanism", BASELINES)
@pytest.mark.parametrize("post_process", ["simplex", "clip"])
def test_a_baseline_learns_the_share_of_each_order(make_mechanism, post_process):
    """At 20,000 people and epsilon 3 the standard error of a share is below .01."""
    protocol = whole_ranking(
        3, epsilon=3.0, make_mechanism=make_mechanism, post_process=post_process
    )
    outcome = run(protocol, PEOPLE, rng=Randomness.seeded(6))
    assert outcome.epsilon == 3.0
    assert outcome.result.shares == pytest.approx(SHARES, abs=0.05)


@pytest.mark.parametrize("make_mechanism", BASELINES[:2])
def test_the_short_cut_learns_the_same(make_mechanism):
    protocol = whole_ranking(3, epsilon=3.0, make_mechanism=make_mechanism)
    outcome = simulate(protocol, PEOPLE, rng=np.random.default_rng(6))
    assert outcome.result.shares == pytest.approx(SHARES, abs=0.05)


def test_without_noise_the_shares_are_exact():
    model = run_without_noise(whole_ranking(3, epsilon=1.0), PEOPLE)
    assert model.shares == pytest.approx(SHARES)


def test_too_many_items_are_refused():
    with pytest.raises(HushrankError):
        next(whole_ranking(12, epsilon=1.0))

"""One collection in a process of its own: print its seconds, its peak of memory, its error.

`python one_collection.py METHOD PEOPLE REPETITIONS`; d = 10, epsilon 1.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import check, peak_megabytes, seconds
from people import orders, orders_with_a_favourite

from hushrank.arrays import Ranks
from hushrank.engines.local import run, simulate
from hushrank.evaluation.metrics import marginal_distance
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.models.tabulated import TabulatedModel
from hushrank.protocols.distributions.safari import safari
from hushrank.protocols.distributions.whole_ranking import whole_ranking
from hushrank.randomness import Randomness
from hushrank.rankings.coding import inverse
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import MakeMechanism

N_ITEMS, EPSILON = 10, 1.0
NAMES = tuple("abcdefghij")
EPSILON_THAT_SHOWS = 16.0  # where generalised randomised response can tell 3.6 million orders apart


def collect_safari(n_people: int, repetitions: int) -> dict[str, Any]:
    """Time SAFARI from ranks in memory to as many synthetic rows; measure the rows' error."""
    ranks = inverse(orders(n_people, N_ITEMS))
    _safari(ranks[:1000])
    rows: list[Ranks] = []

    def act() -> None:
        rows[:] = [_safari(ranks)]

    spent = seconds(act, repetitions)
    megabytes = peak_megabytes()
    learnt, true = (
        second_order_marginals(Rankings(given, NAMES)) for given in (rows[0], ranks)
    )  # fails unless every row is a ranking
    return {
        "seconds": spent,
        "megabytes": megabytes,
        "distance": marginal_distance(learnt, true),
    }


def collect_whole(
    collect: Callable[[Rankings, float], TabulatedModel],
    n_people: int,
    repetitions: int,
    *,
    shows_at: float,
) -> dict[str, Any]:
    """Time a baseline over all orders; check that it finds the one that half of the people have."""
    rankings = Rankings.from_orders(orders_with_a_favourite(n_people, N_ITEMS))
    spent = seconds(lambda: collect(rankings, EPSILON), repetitions)
    shares = collect(rankings, shows_at).shares
    check(shares.argmax() == 0, "expected the favourite order to lead")
    check(abs(shares.sum() - 1) < 1e-6, f"expected shares that sum to 1, got {shares.sum()}")
    return {"seconds": spent, "megabytes": peak_megabytes()}


def _safari(ranks: Ranks) -> Ranks:
    outcome = run(safari(N_ITEMS, epsilon=EPSILON), Rankings(ranks, NAMES), rng=Randomness.secure())
    return outcome.result.sample(len(ranks), rng=np.random.default_rng(7))


def _each_person(make_mechanism: MakeMechanism) -> Callable[[Rankings, float], TabulatedModel]:
    def collect(rankings: Rankings, epsilon: float) -> TabulatedModel:
        protocol = whole_ranking(N_ITEMS, epsilon=epsilon, make_mechanism=make_mechanism)
        return run(protocol, rankings, rng=Randomness.secure()).result

    return collect


def _tally_only(make_mechanism: MakeMechanism) -> Callable[[Rankings, float], TabulatedModel]:
    def collect(rankings: Rankings, epsilon: float) -> TabulatedModel:
        protocol = whole_ranking(N_ITEMS, epsilon=epsilon, make_mechanism=make_mechanism)
        return simulate(protocol, rankings, rng=np.random.default_rng(8)).result

    return collect


BASELINES = {
    "grr": (_each_person(GeneralizedRandomizedResponse), EPSILON_THAT_SHOWS),
    "olh": (_each_person(OptimisedLocalHashing), EPSILON),
    "sh": (_each_person(SuccinctHistogram), EPSILON),
    "grr-simulated": (_tally_only(GeneralizedRandomizedResponse), EPSILON_THAT_SHOWS),
    "rappor-simulated": (_tally_only(SymmetricUnaryEncoding), EPSILON),
}


def _one(method: str, n_people: int, repetitions: int) -> dict[str, Any]:
    if method == "safari":
        return collect_safari(n_people, repetitions)
    collect, shows_at = BASELINES[method]
    return collect_whole(collect, n_people, repetitions, shows_at=shows_at)


if __name__ == "__main__":
    print(json.dumps(_one(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))

"""One max-entropy collection in a process of its own: print its seconds and its peak of memory.

`python one_fit.py ITEMS PEOPLE REPETITIONS`; epsilon 1, by the tally short cut.
"""

import json
import sys
from typing import Any

import numpy as np
from harness import check, peak_megabytes, seconds
from people import orders

from hushrank.engines.local import simulate
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome, max_entropy
from hushrank.rankings.coding import inverse
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

EPSILON = 1.0


def collect(n_items: int, n_people: int, repetitions: int) -> dict[str, Any]:
    """Time a collection from ranks in memory to the model; check that it beats uniform."""
    names = tuple(str(item) for item in range(n_items))
    people = Rankings(inverse(orders(n_people, n_items)), names)
    found: list[MaxEntropyOutcome] = []

    def act() -> None:
        protocol = max_entropy(n_items, epsilon=EPSILON, n_people=n_people)
        found[:] = [simulate(protocol, people, rng=np.random.default_rng(9)).result]

    spent, truth = seconds(act, repetitions), second_order_marginals(people)
    megabytes = peak_megabytes()
    distance = marginal_distance(found[0].model.second_order_marginals, truth)
    uniform = marginal_distance(uniform_second_order_marginals(n_items), truth)
    check(distance < uniform, f"expected a distance below {uniform:.3f}, got {distance:.3f}")
    return {"seconds": spent, "megabytes": megabytes, "distance": distance, "uniform": uniform}


if __name__ == "__main__":
    print(json.dumps(collect(*map(int, sys.argv[1:]))))

"""What max-entropy learns of 17 to 50 items: `python many_items.py ITEMS PEOPLE EPSILON SEED`.

People: three equal Plackett-Luce components, or `--uniform` ones. Prints one row of the table in
docs/experiments/many-items.md.
"""

import argparse
from time import process_time

import numpy as np

from hushrank.engines.local import simulate
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import Mixture
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_mix import describe_mix
from hushrank.rankings.marginals import first_order_marginals, majority, second_order_marginals
from hushrank.rankings.profile import Rankings

SURE = 1.96


def people_of(n_items: int, n_people: int, seed: int, *, is_uniform: bool) -> Rankings:
    """Draw people whom nothing was tuned on."""
    rng = np.random.default_rng([7, seed])
    camps = tuple(PlackettLuce(rng.normal(size=n_items)) for _ in range(3))
    model = Mixture(camps, np.full(3, 1 / 3))
    drawn = Mallows(tuple(range(n_items)), 1.0) if is_uniform else model
    return Rankings(drawn.sample(n_people, rng=rng), tuple(map(str, range(n_items))))


def row_of(people: Rankings, epsilon: float, seed: int) -> str:
    """Collect, and return the row that says what was learnt of them."""
    n_items, n_people = people.n_items, people.n_people
    begun = process_time()
    protocol = max_entropy(n_items, epsilon=epsilon, n_people=n_people)
    outcome = simulate(protocol, people, rng=np.random.default_rng([9, seed])).result
    seconds = process_time() - begun
    truth = second_order_marginals(people)
    uniform = marginal_distance(uniform_second_order_marginals(n_items), truth)
    model = marginal_distance(outcome.model.second_order_marginals, truth)
    found = outcome.estimates
    at = np.abs(found.at - first_order_marginals(people)) <= SURE * found.at_errors
    off = np.abs(found.precedences - majority(people) / n_people) - SURE * found.precedence_errors
    held = (off <= 0)[~np.eye(n_items, dtype=bool)]
    numbers = f"{uniform:.4f} | {model:.4f} | {at.mean():.3f} | {held.mean():.3f} | {seconds:.1f}"
    asked = describe_mix(outcome.mix)
    return f"| {n_items} | {n_people:,} | {epsilon:g} | {seed} | {asked} | {numbers} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=int)
    parser.add_argument("people", type=int)
    parser.add_argument("epsilon", type=float)
    parser.add_argument("seed", type=int)
    parser.add_argument("--uniform", action="store_true")
    told = parser.parse_args()
    crowd = people_of(told.items, told.people, told.seed, is_uniform=told.uniform)
    print(row_of(crowd, told.epsilon, told.seed))

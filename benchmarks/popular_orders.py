"""Popular orders in ordinary reports: the fit with and without them, on the same reports.

`python -m benchmarks.popular_orders` prints, for each number of people, of orders, and epsilon, the
mean Q2 distance of both models from the people who were asked, over numbers of items and seeds, and
the mean difference with its standard error. People and noise have seeds of their own.
"""

from itertools import product

import numpy as np

from hushrank.engines.local import simulate
from hushrank.estimators.ranks.fit import fit_ranks
from hushrank.evaluation.metrics import marginal_distance
from hushrank.experiments.populations import mixture_population
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

ITEMS, PEOPLE, EPSILONS, SEEDS = (5, 7, 8, 10), (5_000, 20_000), (1.0, 2.0, 4.0), (1, 2)
SHARES = (0.25, 0.12, 0.08, 0.06, 0.04)
"""Parts of the people who hold exactly one order each: the first 1, 3 or 5 of them."""
N_ORDERS = (1, 3, 5)


def people_with_orders(n_items: int, n_people: int, n_orders: int, seed: int) -> Rankings:
    """Return people of one Plackett-Luce component, and those who hold popular orders."""
    rng = np.random.default_rng([seed, n_items, n_people, n_orders, 4711])
    held = [round(n_people * share) for share in SHARES[:n_orders]]
    others = mixture_population(n_people - sum(held), n_items, 1).draw(rng)
    ranks = [np.argsort(rng.permutation(n_items)).astype(np.uint8) for _ in held]
    alike = np.repeat(ranks, held, axis=0)
    return Rankings(np.asfortranarray(np.concatenate([others.ranks, alike])), others.names)


def distances(people: Rankings, epsilon: float, seed: int) -> tuple[float, float]:
    """Return the Q2 distances without and with popular orders."""
    protocol = max_entropy(people.n_items, epsilon=epsilon, n_people=people.n_people)
    rng = np.random.default_rng([seed, int(1000 * epsilon), 9])
    found = simulate(protocol, people, rng=rng)
    outcome, truth = found.result, second_order_marginals(people)
    now = marginal_distance(outcome.model.second_order_marginals, truth)
    if outcome.found is None:
        return now, now
    alone = fit_ranks(outcome.found.reports, prior="safe").point.model
    return marginal_distance(alone.second_order_marginals, truth), now


def compare(n_people: int, n_orders: int, epsilon: float) -> str:
    """Return a line of the table."""
    each = []
    for n_items, seed in product(ITEMS, SEEDS):
        people = people_with_orders(n_items, n_people, n_orders, seed)
        each.append(distances(people, epsilon, seed))
    before, now = np.array(each).T
    mean, error = (now - before).mean(), (now - before).std(ddof=1) / np.sqrt(len(each))
    found = f"{before.mean():.4f} | {now.mean():.4f} | {mean:+.4f} ± {error:.4f}"
    return f"| {n_people:,} | {n_orders} | {epsilon:g} | {found} |"


if __name__ == "__main__":
    for numbers in product(PEOPLE, N_ORDERS, EPSILONS):
        print(compare(*numbers), flush=True)

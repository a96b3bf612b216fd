"""Q2 distances of the rows of max-entropy on Sushi, beside the ceilings that prototypes reached."""

import numpy as np
import pytest

from hushrank.experiments.experiment import Draws
from hushrank.experiments.on_rankings.frontier import Asked, PolledCrowd
from hushrank.experiments.on_rankings.frontier_methods import SAFE, TYPICAL
from hushrank.rankings.files import read_rankings

N_COLLECTIONS = 10
ERRORS = 2
"""Standard errors of a mean of ten that it may exceed a ceiling by: means are drawn too."""
EVERYBODY, MANY = None, 100_000
CEILINGS = {
    (EVERYBODY, SAFE): {0.1: 0.312, 0.2: 0.305, 0.4: 0.225, 1.0: 0.148, 2.0: 0.111, 4.0: 0.091},
    (EVERYBODY, TYPICAL): {0.1: 0.305, 0.2: 0.28},
    (MANY, SAFE): {0.1: 0.205, 0.2: 0.155, 0.4: 0.115, 1.0: 0.092, 2.0: 0.075, 4.0: 0.058},
}
"""By people and prior: epsilon, and the largest mean Q2 distance of n herded rows."""
CELLS = [
    (n_people, method, epsilon, ceiling)
    for (n_people, method), ceilings in CEILINGS.items()
    for epsilon, ceiling in ceilings.items()
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_people", "method", "epsilon", "ceiling"),
    CELLS,
    ids=[f"{n or 5000}-{method.name}-{epsilon}" for n, method, epsilon, _ in CELLS],
)
def test_rows_are_as_near_as_those_of_the_prototypes(
    data_folder, n_people, method, epsilon, ceiling
):
    """At epsilon 2 the mean of many collections is about the ceiling, a little above it."""
    people = Asked(read_rankings(data_folder / "sushi" / "sushi.soc").expanded())
    crowd = PolledCrowd(people, n_people)
    seeds = np.random.SeedSequence(2026).spawn(N_COLLECTIONS)
    draws = [Draws(*map(np.random.default_rng, seed.spawn(2))) for seed in seeds]
    found = [crowd.collected(method, epsilon, each)["q2"] for each in draws]
    mean, error = np.mean(found), np.std(found, ddof=1) / np.sqrt(N_COLLECTIONS)
    print(f"{people.n_items} items, epsilon {epsilon:g}: {mean:.4f} +- {error:.4f}")
    assert mean <= ceiling + ERRORS * error

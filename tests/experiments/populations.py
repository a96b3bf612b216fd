"""Made-up people."""

import numpy as np

from hushrank.rankings.profile import Rankings


def plackett_luce(n_people, n_items, *, seed=0, strength=2.0, names=None):
    """Draw people who mostly prefer later items."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0, strength, n_items)
    keys = -(worth + rng.gumbel(size=(n_people, n_items)))
    return Rankings.from_keys(keys, names or [f"item {number}" for number in range(n_items)])

"""Made-up people for the benchmarks, the same for us and for every peer."""

import numpy as np
from numpy.typing import NDArray


def categories(n_people: int, n_categories: int) -> NDArray[np.intp]:
    """Return categories (people,): every other person has 0, the rest take turns."""
    turns = np.arange(n_people) % n_categories
    turns[::2] = 0
    return turns


def popular_share(n_people: int, n_categories: int) -> float:
    """Return the share of the people who have category 0."""
    return float((categories(n_people, n_categories) == 0).mean())


def orders(n_people: int, n_items: int) -> NDArray[np.uint8]:
    """Return orders (people, items), best first: noisy utilities, Gumbel as in Plackett-Luce."""
    rng = np.random.default_rng(1)
    drawn = np.empty((n_people, n_items), dtype=np.uint8)
    for start in range(0, n_people, 100_000):  # in parts: the floats would be the peak of memory
        stop = min(start + 100_000, n_people)
        utilities = np.linspace(2, 0, n_items) + rng.gumbel(size=(stop - start, n_items))
        drawn[start:stop] = np.argsort(-utilities, axis=1)
    return drawn


def orders_with_a_favourite(n_people: int, n_items: int) -> NDArray[np.uint8]:
    """Return orders (people, items): every other person has 0, 1, 2 ..., the rest any order."""
    rng = np.random.default_rng(2)
    drawn = np.argsort(rng.random((n_people, n_items)), axis=1).astype(np.uint8)
    drawn[::2] = np.arange(n_items)
    return drawn

"""One --seed, many purposes: streams that never meet."""

from typing import Literal, TypeAlias

import numpy as np

from hushrank.randomness import Randomness

StreamPurpose: TypeAlias = Literal[
    "people",
    "ties",
    "noise",
    "synthesis",
    "without noise",
    "pivots",
    "clusters",
    "choices",
    "rehearsal",
    "hold out",
]


def stream(seed: int | None, purpose: StreamPurpose) -> np.random.Generator:
    """Return a generator for one purpose: repeatable with a seed, else from the system's entropy.

    The same seed gives unrelated streams for two purposes, also in two commands.
    """
    key = tuple(purpose.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def secret_words(seed: int | None) -> Randomness:
    """Return the words that noise is made of: secret, or repeatable and then not private."""
    return Randomness.secure() if seed is None else Randomness.seeded(seed)

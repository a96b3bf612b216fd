"""What must not depend on something at all: the same words, and the very same output."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from hushrank.audit.auditing import Finding
from hushrank.errors import require
from hushrank.randomness import Randomness

REPLAYS = 2


@dataclass(frozen=True)
class Replay:
    """A release of which something is claimed to be no part, such as a parameter of it.

    inputs: made up, by name; they differ in that alone. run: returns, for an input and a seed of
    all that is drawn, the bytes that come out.
    """

    name: str
    inputs: dict[str, Any]
    run: Callable[[Any, int], bytes]

    def __post_init__(self) -> None:
        """Check that there is something to compare."""
        require(len(self.inputs) >= 2, "expected 2 or more inputs")


def replay(
    subject: Replay,
    *,
    rng: Randomness,
    replays: int = REPLAYS,
    progress: Callable[[float], None] = lambda share: None,
) -> Finding:
    """Return whether an output differs between inputs for the same seed: then the loss is infinite.

    A finding has no error: equal bytes prove that these inputs with these seeds are not told
    apart, and other bytes that whoever knows or guesses the seed tells them apart.
    """
    first, *others = subject.inputs
    found, seeds = (first, others[0]), [int(rng.below(2**62, 1)[0]) for _ in range(replays)]
    n_differ = 0
    for number, seed in enumerate(seeds, start=1):
        expected = subject.run(subject.inputs[first], seed)
        differ = [each for each in others if subject.run(subject.inputs[each], seed) != expected]
        if differ:
            n_differ, found = n_differ + 1, (first, differ[0])
        progress(number / replays)
    bound = inf if n_differ else 0.0
    event = "other bytes, same words" if n_differ else "the same bytes"
    counts = (n_differ, 0, replays, len(others))
    return Finding(subject.name, 0.0, 0.0, 0.0, bound, found, event, *counts, 0.0)

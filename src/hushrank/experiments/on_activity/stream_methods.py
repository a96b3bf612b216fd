"""How a stream of single activities is hidden in the experiments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices, Shares
from hushrank.errors import HushrankError
from hushrank.experiments.on_activity.streams import Started
from hushrank.publishing.baselines import draw_from_rows, item_exponential, rand
from hushrank.publishing.distances.kendall import Ties
from hushrank.publishing.item_channel.problem import LEAST_SHARE
from hushrank.publishing.item_channel.solution import leakages
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.randomness import Randomness

NEVER = 2**31
"""After so many activities a user's channel is learnt again: it is learnt once, of the history."""


@dataclass(frozen=True, eq=False, repr=False)
class StreamRelease:
    """What is released for each activity of a stream, and what it tells who knows the channels.

    items (activities,); evidence (activities, values) = log P(released | value); bits (activities,)
    = I(released; value) of the channel.
    """

    items: Indices
    evidence: NDArray[np.float64]
    bits: NDArray[np.float64]


class StreamMethod(Protocol):
    """A method at a budget."""

    def __call__(self, started: Started, *, rng: Randomness) -> StreamRelease:
        """Release the stream."""


Channels: TypeAlias = Callable[[int], Shares]
"""Returns P(released item, value) (items, values) of a protected user."""


def unprotected(started: Started, *, rng: Randomness) -> StreamRelease:
    """Release the stream as it is."""
    del rng
    return _released(started, started.what, lambda user: started.population.joint)


def privrank_stream(budget: float, ties: Ties = "half") -> StreamMethod:
    """Return online PrivRank at a budget, the expected distance of an activity."""

    def release(started: Started, *, rng: Randomness) -> StreamRelease:
        (name,) = started.split.names
        rules = StreamRules(budget, ties=ties, resolve_every=NEVER)
        protects = [name] * len(started.users.rows)
        publisher = OnlinePublisher({name: started.population}, protects, rules, started.held)
        items = publisher.publish(started.who, started.what, rng=rng)

        def joint(user: int) -> Shares:
            current = publisher.user(user).current
            if current is None:
                raise HushrankError("expected a user who has released something")
            return current.channel.pushforward(started.population.joint)

        return _released(started, items, joint)

    return release


def rand_stream(probability: float) -> StreamMethod:
    """Return Rand at a probability; Frapp is Rand at (n - 1) / (ratio + n - 1), n items."""

    def release(started: Started, *, rng: Randomness) -> StreamRelease:
        joint = started.population.joint
        replacement = rand(len(joint), probability)
        moved = (started.population.prior - joint) / (len(joint) - 1)
        released = joint + replacement.probability * (moved - joint)
        return _released(started, replacement.draw(started.what, rng=rng), lambda user: released)

    return release


def diff_stream(steepness: float) -> StreamMethod:
    """Return Diff at a steepness, nats for a Kendall distance of 1."""

    def release(started: Started, *, rng: Randomness) -> StreamRelease:
        words = rng.words(len(started.what))
        items, joints = started.what.copy(), {}
        for user, places in _of_users(started):
            counts = started.held[[user]].toarray()[0].astype(np.int64)
            chances = item_exponential(counts, steepness).probabilities
            items[places] = draw_from_rows(chances[started.what[places]], words[places])
            joints[user] = chances.T @ started.population.joint
        return _released(started, items, joints.__getitem__)

    return release


def _released(started: Started, items: Indices, joint_of: Channels) -> StreamRelease:
    """Compute what the released items tell from each user's channel."""
    evidence = np.zeros((len(items), started.population.n_values))
    bits = np.zeros(len(items))
    for user, places in _of_users(started):
        joint = joint_of(user)
        likelihoods = joint[items[places]] / started.population.prior
        evidence[places] = np.log(np.maximum(likelihoods, LEAST_SHARE))
        bits[places] = leakages(joint)[0] / log(2)
    return StreamRelease(items, evidence, bits)


def _of_users(started: Started) -> Iterator[tuple[int, Indices]]:
    """Yield each protected user with the places of the activities in the stream."""
    for user in np.unique(started.who).tolist():
        yield user, np.flatnonzero(started.who == user)

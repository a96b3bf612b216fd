"""How little a history and the stream after it betray together, and how well both recommend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from hushrank.activities.log import ActivityLog
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity
from hushrank.experiments.on_activity.publishing_measurements import (
    attacked,
    channel_posterior,
    ranked_precision,
)
from hushrank.experiments.on_activity.stream_methods import StreamMethod, StreamRelease
from hushrank.experiments.on_activity.streams import LARGEST_SEED, Started, start
from hushrank.randomness import Randomness

Found = Mapping[Quantity, float]


@dataclass(frozen=True, eq=False, repr=False)
class StreamMeasurements:
    """Streams of one platform after its history, in which half of the users protect `names`.

    Methods that are measured from the same draws follow the same released history.
    """

    log: ActivityLog
    profiles: Profiles
    names: Sequence[str]
    started: dict[int, Started] = field(default_factory=dict)
    released: dict[tuple[int, str], StreamRelease] = field(default_factory=dict)
    at_first: dict[int, Found] = field(default_factory=dict)

    def measured(self, curve: str, method: StreamMethod, until: float, draws: Draws) -> Found:
        """Return what is held and leaked once `method` has released this share of each stream."""
        seed, later = draws.noise.integers(LARGEST_SEED, size=2)
        key = int(seed)
        if key not in self.started:
            secret = Randomness.seeded(key)
            self.started[key] = start(
                self.log, self.profiles, self.names, choices=draws.synthesis, secret=secret
            )
        started = self.started[key]
        if (key, curve) not in self.released:
            rng = Randomness.seeded(int(later))
            self.released[key, curve] = method(started, rng=rng)
        release = self.released[key, curve]
        if until > 0:
            return judged(started, release, until, rng=draws.noise)
        if key not in self.at_first:
            self.at_first[key] = judged(started, release, until, rng=draws.noise)
        return self.at_first[key]


def judged(
    started: Started, release: StreamRelease, until: float, *, rng: np.random.Generator
) -> Found:
    """Attack what is held of the protected users at this share of their streams, and recommend."""
    split, rows = started.so_far(until), started.users.rows
    records = started.released_so_far(release.items, until)
    attacks = attacked(split, rows, records, posterior_of(started, release, until), rng=rng)
    is_early = started.when <= until
    bits = float(release.bits[is_early].sum() / len(rows))
    precision = ranked_precision(split, rows, records, rng=rng)
    return attacks | {"stream leakage": bits, "MAP": precision}


def posterior_of(started: Started, release: StreamRelease, until: float) -> NDArray[np.float64]:
    """Return what whoever knows all channels concludes (protected, values).

    Activities count as independent given the private value, as the channels have it.
    """
    before = channel_posterior(started.users, started.release)
    if before is None:
        raise HushrankError("expected users who all protect the same")
    logs = np.log(np.maximum(before, 1e-12))
    is_early = started.when <= until
    np.add.at(logs, started.who[is_early], release.evidence[is_early])
    posterior: NDArray[np.float64] = softmax(logs, axis=1)
    return posterior


def over_time(
    streams: StreamMeasurements,
    methods: Mapping[str, tuple[Group, StreamMethod]],
    shares: Sequence[float],
    *,
    population: str,
) -> Sequence[Measurement]:
    """Return one measurement for each method and share of the streams, after equal histories."""
    return [
        Measurement(
            group,
            curve,
            share,
            partial(streams.measured, curve, method, share),
            population=population,
            same_draws=(curve, share) != (next(iter(methods)), shares[0]),
        )
        for curve, (group, method) in methods.items()
        for share in shares
    ]

"""What a release betrays of each private attribute, whatever it was meant to hide."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hushrank.experiments.experiment import Draws, Quantity
from hushrank.experiments.on_activity.platforms import PlatformSplit
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    PublishingMethod,
    attacked,
    channel_posterior,
    ranked_precision,
)
from hushrank.publishing.historical.privrank import HELD_OUT
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import HistoricalRelease, posterior_of_records
from hushrank.randomness import Randomness


def attacks_on_each(
    measure: PublishingMeasurements,
    names: Sequence[str],
    method: PublishingMethod | None,
    draws: Draws,
) -> tuple[Mapping[str, Mapping[Quantity, float]], float]:
    """Release by `method`, or untouched; return the attacks on each of `names`, and the MAP.

    An attacker who knows the channel of a release concludes from it what a record leaks of the
    attribute, learnt from the same users, also where the channel was made to hide another one.
    """
    split, users = measure.users(draws)
    release, scores = None, split.shown.scores
    if method is not None:
        secret = Randomness.seeded(int(draws.noise.integers(2**62)))
        release = method(users, rng=secret, choices=draws.noise)
        scores = release.activity.scores
    found = {name: _attacked(split, users, release, name, rng=draws.noise) for name in names}
    return found, ranked_precision(split, users.rows, scores, rng=draws.noise)


def _attacked(
    split: PlatformSplit,
    users: ProtectedUsers,
    release: HistoricalRelease | None,
    name: str,
    *,
    rng: np.random.Generator,
) -> Mapping[Quantity, float]:
    """Attack one attribute of the protected users."""
    asked = replace(split, names=(name,))
    if release is None:
        return attacked(asked, users.rows, split.shown.scores, None, rng=rng)
    (plan,) = release.plans
    counts = users.counts((name,), held_out=HELD_OUT, rng=rng)
    joint = counts.learnt / counts.learnt.sum()
    believed = posterior_of_records(users, joint, plan.transitions)
    known = replace(release, plans=(replace(plan, posterior=believed),))
    posterior = channel_posterior(users, known)
    return attacked(asked, users.rows, release.activity.scores, posterior, rng=rng)

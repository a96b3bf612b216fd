"""One release of a platform's activity: how little it betrays, how well it recommends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Indices
from hushrank.evaluation.attackers import AttackCase, Attacks, attack
from hushrank.evaluation.joint_attackers import copies
from hushrank.evaluation.recommendation.average_precision import ScoresOf, mean_average_precision
from hushrank.evaluation.recommendation.bayesian_ranking import BayesianRanking, popularity
from hushrank.experiments.experiment import Draws, Quantity
from hushrank.experiments.on_activity.platforms import Platform, PlatformSplit
from hushrank.publishing.clusters.clustering import Clustering
from hushrank.publishing.historical.protected_users import ProtectedUsers, protect
from hushrank.publishing.historical.release import NOTHING, HistoricalRelease
from hushrank.randomness import Randomness


class PublishingMethod(Protocol):
    """A method at a budget."""

    def __call__(
        self, users: ProtectedUsers, *, rng: Randomness, choices: np.random.Generator
    ) -> HistoricalRelease:
        """Publish; `rng` draws the release, `choices` what protects nobody."""


@dataclass(frozen=True, eq=False, repr=False)
class PublishingMeasurements:
    """Releases of one platform in which half of the users protect `names`.

    Methods that are measured from the same draws share their splits and clusters.
    """

    platform: Platform
    names: Sequence[str]
    clustering: Clustering = "ward"
    distance: str = "kendall"
    n_clusters: int | None = None
    kept: dict[bytes, tuple[PlatformSplit, ProtectedUsers]] = field(default_factory=dict)

    def users(self, draws: Draws) -> tuple[PlatformSplit, ProtectedUsers]:
        """Return the split of these draws, and its protected users in clusters."""
        rng = draws.synthesis
        key = rng.bit_generator.seed_seq.generate_state(4).tobytes()
        if key not in self.kept:
            split = PlatformSplit.draw(self.platform, self.names, rng=rng)
            users = protect(
                split.shown,
                split.profiles,
                self.names,
                n_clusters=self.n_clusters,
                clustering=self.clustering,
                distance=self.distance,
                rng=rng,
            )
            self.kept[key] = split, users
        return self.kept[key]

    def published(self, method: PublishingMethod, draws: Draws) -> Mapping[Quantity, float]:
        """Release by `method`, attack, recommend."""
        split, users = self.users(draws)
        secret = Randomness.seeded(int(draws.noise.integers(2**62)))
        release = method(users, rng=secret, choices=draws.noise)
        posterior = channel_posterior(users, release)
        found = _judged(split, users.rows, release.activity.scores, posterior, draws)
        return stated(release) | found

    def untouched(self, draws: Draws) -> Mapping[Quantity, float]:
        """Release everything as it is."""
        split, users = self.users(draws)
        return _judged(split, users.rows, split.shown.scores, None, draws)

    def by_popularity(self, draws: Draws) -> Mapping[Quantity, float]:
        """Recommend what is popular in the untouched data: what nobody's own record improves."""
        split, users = self.users(draws)
        popular = popularity(split.shown.scores)

        def scores(part: slice) -> NDArray[np.floating]:
            return np.broadcast_to(
                popular, (len(range(*part.indices(len(users.rows)))), len(popular))
            )

        return {"MAP": _mean_average_precision(split, users.rows, scores)}


def stated(release: HistoricalRelease) -> dict[Quantity, float]:
    """Return what a release says of itself; of users held out only where every group has some."""
    leaked = [plan.leaked for plan in release.plans]
    said: dict[Quantity, float] = {
        "distortion": release.record_distortion,
        "leakage": float(np.mean([each.leakage_bits for each in leaked])),
    }
    known = [bits for each in leaked if (bits := each.leakage_bits_heldout) is not None]
    return said | ({"held-out leakage": float(np.mean(known))} if len(known) == len(leaked) else {})


def channel_posterior(
    users: ProtectedUsers, release: HistoricalRelease
) -> NDArray[np.float64] | None:
    """Return what whoever knows the channel concludes of each released record, by its source."""
    if len(release.plans) > 1:
        return None
    (plan,) = release.plans
    place = np.empty(users.activity.n_users, dtype=np.intp)
    place[users.rows] = np.arange(len(users.rows))
    sources = release.sources[users.rows]
    return plan.posterior[np.where(sources == NOTHING, NOTHING, place[sources])]


def _judged(
    split: PlatformSplit,
    rows: Indices,
    released: csr_array,
    posterior: NDArray[np.float64] | None,
    draws: Draws,
) -> dict[Quantity, float]:
    """Attack the records of the protected users (rows), and recommend to them."""
    attacks = attacked(split, rows, released, posterior, rng=draws.noise)
    return attacks | {"MAP": ranked_precision(split, rows, released, rng=draws.noise)}


def ranked_precision(
    split: PlatformSplit, rows: Indices, released: csr_array, *, rng: np.random.Generator
) -> float:
    """Return the MAP of protected users (rows), whom a recommender knows from what is released."""
    recommender = BayesianRanking.fit(released, rng=rng)
    protected = BayesianRanking(recommender.users[rows], recommender.items)
    return _mean_average_precision(split, rows, protected.scores)


def attacked(
    split: PlatformSplit,
    rows: Indices,
    released: csr_array,
    posterior: NDArray[np.float64] | None,
    *,
    rng: np.random.Generator,
) -> dict[Quantity, float]:
    """Return 1 - AUC of the worst attacker on the protected users (rows), and of two others."""
    attacks = _attacks(split, rows, released, posterior, rng)
    return {
        "worst": attacks.worst,
        "SVM": 1 - attacks.areas["linear SVM, original"],
        "naive Bayes": 1 - attacks.areas["naive Bayes, original"],
    }


def _attacks(
    split: PlatformSplit,
    rows: Indices,
    released: csr_array,
    posterior: NDArray[np.float64] | None,
    rng: np.random.Generator,
) -> Attacks:
    value = split.profiles.joint(split.names)
    is_open = value.told
    is_open[rows] = False
    told = value.told[rows]
    return attack(
        AttackCase(
            split.shown.scores[is_open],
            value.codes[is_open],
            released[rows[told]],
            value.codes[rows[told]],
            value.n_values,
            None if posterior is None else posterior[told],
            copies(released)[rows[told]],
        ),
        rng=rng,
    )


def _mean_average_precision(split: PlatformSplit, rows: Indices, scores: ScoresOf) -> float:
    """Return the MAP of protected users; what they truly did before is not ranked."""
    return mean_average_precision(scores, split.shown.scores[rows], split.held_out.scores[rows])

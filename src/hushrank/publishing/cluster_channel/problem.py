"""What a channel between groups of users must do: leak little, within a budget of distortion."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.errors import require
from hushrank.publishing.leakage.information import mutual_information, worst_ratio

ROUNDING = 1e-9
"""How far, relatively, sums of probabilities may be from 1 and a distortion above its budget."""


@dataclass(frozen=True, eq=False, repr=False)
class ChannelProblem:
    """Release group ĝ in place of group g so that the private value y shows as little as possible.

        minimise I(Ĝ; Y) over P(ĝ | g) subject to sum of P(g) P(ĝ | g) distances[g, ĝ] <= budget

    joint (groups, values) = P(g, y); distances (groups, groups) >= 0, 0 on the diagonal, not
    necessarily symmetric; budget >= 0 in their unit. Groups without users are allowed, private
    values without users are not. Privacy: bounds inference of Y; not differential privacy.
    Raises HushrankError when a part is not so.     Source: Yang, Qu, Cudré-Mauroux (TKDE 2019).
    """

    joint: Shares
    distances: Floats
    budget: float

    def __post_init__(self) -> None:
        """Check the parts, whose contents never enter a message; divide the joint by its sum."""
        joint, distances = np.asarray(self.joint), np.asarray(self.distances)
        _require_joint(joint)
        _require_distances(distances, len(joint))
        fine = bool(np.isfinite(self.budget)) and self.budget >= 0
        require(fine, f"expected a budget of at least 0, got {self.budget}")
        object.__setattr__(self, "joint", joint.astype(np.float64) / joint.sum(dtype=np.float64))
        object.__setattr__(self, "distances", distances.astype(np.float64))

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.joint)

    @property
    def n_values(self) -> int:
        """How many private values there are."""
        return int(self.joint.shape[1])

    @cached_property
    def prior(self) -> Shares:
        """P(y), (values,)."""
        return np.asarray(self.joint.sum(axis=0))

    @cached_property
    def shares(self) -> Shares:
        """P(g), (groups,)."""
        return np.asarray(self.joint.sum(axis=1))

    @cached_property
    def identity_leakage(self) -> float:
        """I(G; Y) in nats: what the groups themselves would tell."""
        return self.leakage(np.eye(self.n_groups))

    def leakage(self, channel: Shares) -> float:
        """Return I(Ĝ; Y) of a channel (groups, groups), rows = true groups, in nats."""
        return mutual_information(channel.T @ self.joint, self.prior)

    def distortion(self, channel: Shares) -> float:
        """Return the expected distance of a channel (groups, groups), in the distances' unit."""
        return float(self.shares @ (channel * self.distances).sum(axis=1))

    def worst_ratio(self, channel: Shares) -> float:
        """Return the largest P(ĝ | y) / P(ĝ | y') of a channel (groups, groups); maybe infinite."""
        return worst_ratio(channel.T @ self.joint, self.prior)


def _require_joint(joint: Shares) -> None:
    shaped = joint.ndim == 2 and joint.shape[0] >= 1 and joint.shape[1] >= 2
    require(shaped, f"expected probabilities (groups, 2+ values), got shape {joint.shape}")
    is_number = np.issubdtype(joint.dtype, np.floating) and bool(np.isfinite(joint).all())
    require(is_number and (joint >= 0).all(), "expected finite probabilities of at least 0")
    require(abs(joint.sum() - 1) <= ROUNDING, "expected probabilities that sum to 1")
    empty = int((joint.sum(axis=0) == 0).sum())
    require(empty == 0, f"expected users with every private value, got {empty} values without")


def _require_distances(distances: Floats, n_groups: int) -> None:
    shape = (n_groups, n_groups)
    require(distances.shape == shape, f"expected distances {shape}, got {distances.shape}")
    is_number = np.issubdtype(distances.dtype, np.floating) and bool(np.isfinite(distances).all())
    require(is_number and (distances >= 0).all(), "expected finite distances of at least 0")
    require((np.diagonal(distances) == 0).all(), "expected a distance of 0 from a group to itself")

"""How much of a private value the released group tells: in bits, and at worst."""

from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hushrank.arrays import Counts, Shares, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.channel import Channel
from hushrank.publishing.leakage.information import mutual_information, worst_ratio

Transition: TypeAlias = Channel | Shares
"""P(released group | group), (groups, groups): rows sum to 1."""

NOT_TOLD = -1


def leakage_bits(joint: Shares, channel: Transition | None = None) -> float:
    """Return I(released group; value) in bits, of probabilities P(group, value) and a channel.

    Without a channel the group itself is released.
    Raises HushrankError unless joint is (groups, values) of sum 1.
    """
    released = released_joint(joint, channel)
    return mutual_information(released, released.sum(axis=0)) / log(2)


def worst_log_ratio(joint: Shares, channel: Transition | None = None) -> float:
    """Return the largest |log P(released group | y) / P(released group | y')|, in nats.

    Infinite where a group is released for some values only. It bounds what one release adds to
    anybody's log-odds of two values, if P(group, value) is right: it is no differential privacy.
    """
    released = released_joint(joint, channel)
    prior = released.sum(axis=0)
    empty = int((prior == 0).sum())
    require(empty == 0, f"expected users with every private value, got {empty} values without")
    return log(worst_ratio(released, prior))


def cross_counts(
    groups: WholeNumbers, values: WholeNumbers, n_groups: int, n_values: int
) -> Counts:
    """Count users by group and private value, (groups, values); -1 is a value not told.

    groups, values (users,). Users who do not tell are left out.
    Raises HushrankError when a group or a value is unknown.
    """
    rows, columns = np.asarray(groups), np.asarray(values)
    require(
        rows.shape == columns.shape and rows.ndim == 1, "expected a group and value of each user"
    )
    require(all(each.dtype.kind in "iu" for each in (rows, columns)), "expected whole numbers")
    known = bool(((rows >= 0) & (rows < n_groups)).all())
    require(known, f"expected groups 0..{n_groups - 1}")
    told = columns != NOT_TOLD
    fits = bool(((columns >= 0) & (columns < n_values))[told].all())
    require(fits, f"expected private values 0..{n_values - 1}, or -1")
    cells = rows[told].astype(np.int64) * n_values + columns[told]
    return np.bincount(cells, minlength=n_groups * n_values).reshape(n_groups, n_values)


def released_joint(joint: ArrayLike, channel: Transition | None = None) -> Shares:
    """Return P(released group, value) (groups, values) of P(group, value) and a channel."""
    table = np.asarray(joint, dtype=np.float64)
    shaped = table.ndim == 2 and bool(np.isfinite(table).all() and (table >= 0).all())
    require(shaped, "expected finite probabilities (groups, values) of at least 0")
    require(abs(table.sum() - 1) <= 1e-9, "expected probabilities that sum to 1")
    if channel is None:
        return table
    rows = transition(channel, len(table))
    return np.asarray(rows.T @ table)


def transition(channel: Transition, n_groups: int) -> Shares:
    """Return the rows of a channel; raise HushrankError unless it is one of so many groups."""
    checked = channel if isinstance(channel, Channel) else Channel(np.asarray(channel, dtype=float))
    got = checked.n_groups
    require(got == n_groups, f"expected a channel of {n_groups} groups, got {got}")
    return checked.probabilities

"""Leakage estimated from counts of users, and how much of it is chance."""

from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import xlogy

from hushrank.arrays import Counts, Floats, Shares
from hushrank.errors import require
from hushrank.publishing.leakage.information import mutual_information
from hushrank.publishing.leakage.measures import Transition, transition


@dataclass(frozen=True)
class LeakageEstimate:
    """I(released group; value) in bits, estimated from a sample of users, three ways.

    plug_in: of the shares in the sample, too high by chance. miller_madow: less its bias to first
    order in 1 / n_users. jackknife: less what leaving out each user once says of the bias; the
    least biased of them. The last two may fall below 0 where there is no leakage.
    """

    plug_in: float
    miller_madow: float
    jackknife: float
    n_users: int


def estimate_leakage(counts: Counts, channel: Transition | None = None) -> LeakageEstimate:
    """Estimate the leakage of a channel learnt elsewhere, from counts (groups, values) of users.

    Without a channel the group itself is released. On the users that the channel was learnt from
    all three are too low as a rule: it was chosen to leak little of just these.
    Raises HushrankError unless there are 2 or more users, in whole numbers.
    Source: Miller (1955); Efron, Stein (Annals of Statistics 1981); Paninski (Neural Comp. 2003).
    Differs from the sources: users are counted before the channel, and not again after it.
    """
    table, rows = _checked(counts, channel)
    n_users = int(table.sum())
    plug_in = _leakage(table, rows)
    bias = _first_order_bias(table / n_users, rows) / n_users
    jackknife = n_users * plug_in - _mean_without_one(table, rows)
    bit = log(2)
    return LeakageEstimate(plug_in / bit, (plug_in - bias) / bit, jackknife / bit, n_users)


def shuffled_leakage(
    counts: Counts,
    channel: Transition | None = None,
    *,
    rng: np.random.Generator,
    n_shuffles: int = 100,
) -> Floats:
    """Return plug-in leakages (shuffles,) in bits, of the same users with their values shuffled.

    What chance alone shows where the group tells nothing: compare the plug-in with them. Their
    mean, taken off, corrects small leakages well, and large ones too much.
    Source: Panzeri, Senatore, Montemurro, Petersen (Journal of Neurophysiology 2007).
    """
    table, rows = _checked(counts, channel)
    require(n_shuffles >= 1, f"expected 1 or more shuffles, got {n_shuffles}")
    n_groups, n_values = table.shape
    groups = np.repeat(np.arange(n_groups), table.sum(axis=1))
    values = np.repeat(np.arange(n_values), table.sum(axis=0))
    found = np.empty(n_shuffles)
    for shuffle in range(n_shuffles):
        cells = groups * n_values + rng.permutation(values)
        shuffled = np.bincount(cells, minlength=table.size).reshape(table.shape)
        found[shuffle] = _leakage(shuffled, rows) / log(2)
    return found


def _checked(counts: Counts, channel: Transition | None) -> tuple[Counts, Shares]:
    table = np.asarray(counts)
    whole = table.ndim == 2 and table.dtype.kind in "iu" and table.size > 0
    require(whole and bool((table >= 0).all()), "expected counts (groups, values) of at least 0")
    n_users = int(table.sum())
    require(n_users >= 2, f"expected 2 or more users who tell, got {n_users}")
    rows = np.eye(len(table)) if channel is None else transition(channel, len(table))
    return table.astype(np.int64), rows


def _leakage(counts: Counts, rows: Shares) -> float:
    joint = rows.T @ (counts / counts.sum())
    return mutual_information(joint, joint.sum(axis=0))


def _first_order_bias(joint: Shares, rows: Shares) -> float:
    """Return what the plug-in's bias times users tends to, in nats.

        (sum of E[W^2 | cell] / E[W | cell] over released cells, less over groups, - values + 1) / 2

    W: the channel from the user's group. Without noise it counts cells, groups and values.
    """
    cells = _ratio((rows**2).T @ joint, rows.T @ joint)
    shares = joint.sum(axis=1)
    groups = _ratio((rows**2).T @ shares, rows.T @ shares)
    n_values = int((joint.sum(axis=0) > 0).sum())
    return float(cells.sum() - groups.sum() - n_values + 1) / 2


def _ratio(over: Floats, under: Floats) -> Floats:
    return np.divide(over, under, out=np.zeros_like(over), where=under > 0)


def _mean_without_one(counts: Counts, rows: Shares) -> float:
    """Return the mean over users of (users - 1) times the plug-in without the user, in nats."""
    released = rows.T @ counts
    of_values, n_users = counts.sum(axis=0), counts.sum()
    all_of_them = _sum(released) - _sum(released.sum(axis=1)) - _sum(of_values)
    change = np.zeros(counts.shape)
    for value, column in enumerate(released.T):
        change[:, value] = _changes(column, rows)
    change -= _changes(released.sum(axis=1), rows)[:, None]
    change -= xlogy(of_values - 1, np.maximum(of_values - 1, 1)) - xlogy(of_values, of_values)
    mean = float((counts * change).sum() / n_users)
    return float(all_of_them + mean + xlogy(n_users - 1, n_users - 1))


def _sum(numbers: Floats | Counts) -> float:
    return float(xlogy(numbers, numbers).sum())


def _changes(column: Floats, rows: Shares) -> Floats:
    """Return by how much the sum of x log x over released groups changes without a user (groups,).

    What is below 0 are groups without a user to leave out.
    """
    without = np.maximum(column - rows, 0)
    changes: Floats = xlogy(without, without).sum(axis=1) - _sum(column)
    return changes

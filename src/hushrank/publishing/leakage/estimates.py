"""Leakage estimated from counts of users, without what is chance."""

from math import log

import numpy as np
from scipy.special import xlogy

from hushrank.arrays import Counts, Floats, Shares, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.leakage.information import mutual_information
from hushrank.publishing.leakage.measures import Transition, transition


def estimate_leakage(counts: Counts, channel: Transition | None = None) -> float:
    """Estimate I(released group; value) in bits from counts (groups, values), by the jackknife.

    That of the shares in the sample is too high by chance; what leaving out each user once says of
    this bias is taken off, which may lead below 0 where there is no leakage. Without a channel the
    group itself is released. Of the users that a channel was learnt from it is too low as a rule:
    the channel was chosen to leak little of just these.
    Raises HushrankError unless there are 2 or more users, in whole numbers.
    Source: Efron, Stein (Annals of Statistics 1981); Paninski (Neural Computation 2003).
    """
    return _jackknifed(*_checked(counts, channel))


def estimate_leakage_by_laws(laws: Shares, values: WholeNumbers) -> float:
    """Estimate I(released group; value) in bits as `estimate_leakage` does, of users' own laws.

    laws (users, groups) is P(released group | user), values (users,) from 0 on. Chance alone tells
    some (groups - 1) (values - 1) / (2 users) nats, which are taken off.
    Raises HushrankError unless there are 2 or more users.
    """
    require(len(values) >= 2, f"expected 2 or more users who tell, got {len(values)}")
    return _jackknifed(np.eye(int(values.max()) + 1, dtype=np.int64)[values], laws)


def _jackknifed(table: Counts, rows: Shares) -> float:
    plug_in = _leakage(table, rows)
    return (int(table.sum()) * plug_in - _mean_without_one(table, rows)) / log(2)


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

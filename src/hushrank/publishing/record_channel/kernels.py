"""The inner loops of the exchange of records: mirror descent, and scaling to fixed sums."""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Floats, Integers32
from hushrank.kernels import kernel

SCALINGS_OF_A_STEP = 2
STEP = 1.8
"""In steps of mirror descent that never raise the objective; from 2 on steps would circle."""
LEAST_PROBABILITY = 1e-30
"""No chance falls below: it is as good as 0, but may rise again, and costs no denormal numbers."""


class Terms(NamedTuple):
    """A problem as the kernels take it.

    members and costs, price times distance, (users, c); beliefs (users, values); shares (values,);
    counts (users,), or none at all where they are free; step: how long one of mirror descent is.
    """

    members: Integers32
    costs: Floats
    beliefs: Floats
    shares: Floats
    counts: Floats
    step: float


@kernel
def descend(probabilities: Floats, fees: Floats, terms: Terms, n_steps: int) -> None:
    """Take steps of `solve_at_price` in place; fees (users,) stay 0 where counts are free."""
    members, costs, beliefs, shares, counts, step = terms
    for _ in range(n_steps):
        pulls = log_ratios(probabilities, terms)
        for user in range(len(members)):
            for place in range(members.shape[1]):
                if probabilities[user, place] > 0:
                    cost = costs[user, place] + fees[members[user, place]]
                    for value in range(len(shares)):
                        cost += beliefs[user, value] * pulls[members[user, place], value]
                    chance = probabilities[user, place] * np.exp(-step * cost)
                    probabilities[user, place] = max(chance, LEAST_PROBABILITY)
            probabilities[user] /= probabilities[user].sum()
        if len(counts) > 0:
            fees += scale(probabilities, members, counts, SCALINGS_OF_A_STEP) / step


@kernel
def log_ratios(probabilities: Floats, terms: Terms) -> Floats:
    """Return log r_vy / (r_v p_y) (records, values); 0 where a record is never released."""
    members, beliefs, shares = terms.members, terms.beliefs, terms.shares
    joint = np.zeros(beliefs.shape)
    for user in range(len(members)):
        for place in range(members.shape[1]):
            for value in range(len(shares)):
                mass = probabilities[user, place] * beliefs[user, value]
                joint[members[user, place], value] += mass
    for record in range(len(joint)):
        total = joint[record].sum()
        for value in range(len(shares)):
            ratio = joint[record, value] / (total * shares[value]) if total > 0 else 1.0
            joint[record, value] = np.log(max(ratio, LEAST_PROBABILITY))
    return joint


@kernel
def scale(probabilities: Floats, members: Integers32, counts: Floats, times: int) -> Floats:
    """Scale columns to their counts and rows to 1, in turn; return the logs of all divisors."""
    fees = np.zeros(len(members))
    for _ in range(times):
        sums = column_sums(probabilities, members)
        for record in range(len(counts)):
            if counts[record] > 0:
                sums[record] /= counts[record]
                fees[record] += np.log(sums[record])
        for user in range(len(members)):
            for place in range(members.shape[1]):
                if probabilities[user, place] > 0:
                    probabilities[user, place] /= sums[members[user, place]]
            probabilities[user] /= probabilities[user].sum()
    return fees


@kernel
def balance(
    rows: Integers32,
    columns: Integers32,
    chances: Floats,
    counts: Floats,
    most: int,
    tolerance: float,
) -> float:
    """Scale entries (entries,) in place until columns have their counts; return what they miss.

    The rows sum to 1 in the end.
    """
    n_users, worst = len(counts), np.inf
    for _ in range(most):
        of_columns, of_rows = np.zeros(n_users), np.zeros(n_users)
        for entry in range(len(rows)):
            of_columns[columns[entry]] += chances[entry]
        worst = np.abs(of_columns - counts).max()
        if worst <= tolerance:
            break
        for entry in range(len(rows)):
            column = columns[entry]
            chances[entry] *= counts[column] / of_columns[column]
            of_rows[rows[entry]] += chances[entry]
        for entry in range(len(rows)):
            chances[entry] /= of_rows[rows[entry]]
    return worst


@kernel
def column_sums(probabilities: Floats, members: Integers32) -> Floats:
    """Return how often each record (users,) is released, on average."""
    sums = np.zeros(len(members))
    for user in range(len(members)):
        for place in range(members.shape[1]):
            sums[members[user, place]] += probabilities[user, place]
    return sums

"""How much two variables tell of each other, from their joint probabilities alone."""

import numpy as np

from hushrank.arrays import Shares


def mutual_information(joint: Shares, prior: Shares) -> float:
    """Return the mutual information, in nats, of joint (groups, values) whose P(y) is `prior`.

    A sum that rounding brings below 0 is 0.
    """
    independent = joint.sum(axis=1, keepdims=True) * prior
    positive = joint > 0
    terms = joint[positive] * np.log(joint[positive] / independent[positive])
    return max(0.0, float(terms.sum()))


def worst_ratio(joint: Shares, prior: Shares) -> float:
    """Return the largest P(g | y) / P(g | y') over the groups that occur; maybe infinite."""
    given_value = joint[joint.sum(axis=1) > 0] / prior
    least = given_value.min(axis=1)
    if (least == 0).any():
        return float("inf")
    return float((given_value.max(axis=1) / least).max())

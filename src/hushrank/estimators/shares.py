"""From tallies to shares: unbiased, then possible.

Theory: docs/theory/local-mechanisms.md.
"""

from typing import Literal, TypeAlias, get_args

import numpy as np

from hushrank.arrays import Shares
from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism, Tally

PostProcess: TypeAlias = Literal["simplex", "clip"]
"""How unbiased shares become probabilities."""


def require_post_process(post_process: PostProcess) -> None:
    """Raise HushrankError unless it is one: protocols ask before anybody has answered."""
    require(post_process in get_args(PostProcess), f"expected simplex or clip, got {post_process}")


def unbiased_shares(mechanism: LocalMechanism, tally: Tally) -> Shares:
    """Solve E[support / n] = q + share (p - q) for the shares (k,).

    Unbiased, so single shares may fall outside [0, 1]; `share_variance` has the error.
    Raises HushrankError when there is no report.
    Source: Wang, Blocki, Li, Jha (USENIX Security 2017), pure protocols.
    """
    require(tally.n_reports > 0, "cannot estimate shares from 0 reports")
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    shares: Shares = (tally.support / tally.n_reports - q) / (p - q)
    return shares


def share_variance(mechanism: LocalMechanism, shares: Shares, n_reports: int) -> Shares:
    """Return the exact variance (k,) of `unbiased_shares` where the true shares are `shares` (k,).

        (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)^2)

    The people's categories are fixed; the randomness is the mechanism's alone.
    """
    require(n_reports > 0, "no variance without reports")
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    variance: Shares = (shares * p * (1 - p) + (1 - shares) * q * (1 - q)) / (p - q) ** 2
    return variance / n_reports


def possible_shares(shares: Shares, post_process: PostProcess) -> Shares:
    """Turn unbiased shares (..., k) into probabilities (..., k): at least 0, sum 1."""
    require_post_process(post_process)
    return simplex_shares(shares) if post_process == "simplex" else clipped_shares(shares)


def simplex_shares(shares: Shares) -> Shares:
    """Return the nearest probabilities (..., k) in Euclidean distance: subtract, then cut at 0.

    Source: Duchi, Shalev-Shwartz, Singer, Chandra (ICML 2008), Fig. 1; known as norm-sub.
    """
    descending = -np.sort(-shares, axis=-1)
    places = np.arange(1, shares.shape[-1] + 1)
    surplus = (descending.cumsum(axis=-1) - 1) / places
    kept = (descending > surplus).sum(axis=-1, keepdims=True)
    possible: Shares = np.maximum(shares - np.take_along_axis(surplus, kept - 1, axis=-1), 0.0)
    return possible


def clipped_shares(shares: Shares) -> Shares:
    """Cut at 0 and divide by the sum (..., k); uniform where nothing is left."""
    positive = np.maximum(shares, 0.0)
    totals = positive.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        possible: Shares = np.where(totals > 0, positive / totals, 1 / shares.shape[-1])
    return possible


def shrunk_shares(shares: Shares, variance: Shares) -> Shares:
    """Pull unbiased shares (..., k) towards the uniform ones by their noise: James-Stein, positive.

        u + (1 - min(1, sum variance / sum (share - u)^2)) (share - u)      u = 1 / k

    Source: James, Stein (Berkeley Symposium 1961), positive part, with a known variance (..., k).
    """
    uniform = 1 / shares.shape[-1]
    distance = ((shares - uniform) ** 2).sum(axis=-1, keepdims=True)
    noise = variance.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        kept = np.where(noise < distance, 1 - noise / distance, 0.0)
    shrunk: Shares = uniform + kept * (shares - uniform)
    return shrunk

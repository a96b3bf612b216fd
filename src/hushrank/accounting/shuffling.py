"""What reports cost when a shuffler hides whose they are: certified bounds, both directions.

Each of n people sends one ε-LDP report through a shuffler, which forwards all of them in a random
order and nothing else. To whoever sees only that, replacing one person's ranking is (ε', δ)-DP,
for every ε' and the δ of `central_delta`. No number here is ever below what is proven.
Theory: docs/theory/shuffling.md.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import lru_cache
from math import ceil, floor, inf, log, nextafter, sqrt
from typing import NamedTuple

import numpy as np

from hushrank.arrays import Floats
from hushrank.errors import require

MOST_REPORTS = 10**8
"""More reports never protect less, and are counted as so many."""
LEAST_LOCAL = 1e-50
"""Below it powers of e cannot be told from 1 with the digits that are kept."""
MOST_LOCAL = 30.0
"""Above so many nats nothing is amplified: e^30 is more than the reports there can be."""
MARGIN = 8.0
"""Local epsilons are not looked for so far above ln(n)."""
TAIL = 1e-24
"""The probability that a count lies outside the window in which it is summed, at most."""
ROUNDING = 1 + 1e-9
"""More than what all roundings of the positive sums multiply a result by."""
COARSENESS = 0.001
"""By which part of the variance rare large losses may stand for many small ones."""
FINENESS = 256
"""Numbers of clones that differ by less than one part in so many are summed together."""
TOLERANCE = 1e-4
"""How near to the best one an epsilon is looked for, as a part of it."""
FAR = 20.0
"""Nats of delta: what is further off is taken to be so far."""


def central_delta(
    epsilon: float, *, local: float, n_reports: int, clone_rate: float | None = None
) -> float:
    """Return a δ such that n shuffled reports are (epsilon, δ)-DP, never below the theorem's.

        δ = E[(a A - b B - d C)+] / n      (A, B, C) multinomial of n, at rates r, r, z
        a = e^ε - e^ε', b = e^ε e^ε' - 1, d = e^ε' - 1, z = 1 - r (e^ε + 1)

    epsilon: ε', central, in nats, at least 0. local: ε, of one report, in nats, from 1e-50.
    n_reports: how many people followed the protocol. clone_rate: r, see
    `surveys.shuffled.clone_rate`; None: 1 / (e^ε + 1), which holds for every ε-LDP randomiser that
    all people share.
    Neighbours: one person's ranking is replaced; n is public.   Cost: up to a few hundred sums of
    O(sqrt(n)) terms.   Raises HushrankError for numbers out of range.
    Source: Balle, Bell, Gascon, Nissim (CRYPTO 2019), lemma 5.3, at the least likely pair of laws;
    Feldman, McMillan, Talwar (SODA 2023), theorem 3.1.
    """
    require(0 <= epsilon < inf, f"expected a central epsilon of at least 0, got {epsilon}")
    known = f"expected a finite local epsilon of at least {LEAST_LOCAL}, got {local}"
    require(LEAST_LOCAL <= local < inf, known)
    require(n_reports >= 1, f"expected at least 1 report, got {n_reports}")
    if epsilon >= local:
        return 0.0
    if local > MOST_LOCAL:
        return 1.0
    n = min(n_reports, MOST_REPORTS)
    return min(1.0, _bound(_slots(local, epsilon, clone_rate), n))


def central_epsilon(
    delta: float, *, local: float, n_reports: int, clone_rate: float | None = None
) -> float:
    """Return an ε' such that n shuffled reports are (ε', delta)-DP; at most the local epsilon.

    Certified: it is a number at which `central_delta` was found to be at most delta.
    """
    _require_delta(delta)

    def too_much(epsilon: float) -> float:
        found = central_delta(epsilon, local=local, n_reports=n_reports, clone_rate=clone_rate)
        return _too_much(found, delta)

    return 0.0 if too_much(0.0) <= 0 else _nearest(too_much, local, 0.0)


def local_epsilon(
    epsilon: float,
    delta: float,
    *,
    n_reports: int,
    clone_rate: Callable[[float], float | None] = lambda local: None,
) -> float:
    """Return the largest local ε found whose n shuffled reports are (epsilon, delta)-DP.

    clone_rate: of what people are asked at a local epsilon. At least `epsilon`, which is always
    enough. Certified, as `central_epsilon`.
    """
    _require_delta(delta)
    require(0 < epsilon < inf, f"expected a positive finite central epsilon, got {epsilon}")
    most = min(MOST_LOCAL, epsilon + log(n_reports) + MARGIN)

    def too_much(local: float) -> float:
        rate = clone_rate(local)
        found = central_delta(epsilon, local=local, n_reports=n_reports, clone_rate=rate)
        return _too_much(found, delta)

    return epsilon if epsilon >= most else _nearest(too_much, epsilon, most)


class _Slots(NamedTuple):
    """What one of n slots adds to the sum: a, -b or -d, at the rates r, r and z.

    gain: a + b, rounded up. lost, drift: b, d as parts of a + b, rounded down. odds: of a or -b
    in a slot; drift_odds: of -d in one that has neither.
    """

    gain: float
    lost: float
    drift: float
    odds: float
    drift_odds: float


def _slots(local: float, epsilon: float, clone_rate: float | None) -> _Slots:
    """Return the law of a slot; its numbers have 60 digits until they are rounded."""
    with localcontext(prec=60):
        p, e = Decimal(local).exp(), Decimal(epsilon).exp()
        most = 1 / (p + 1)
        r = most if clone_rate is None else min(most, Decimal(clone_rate))
        require(r > 0, f"expected a positive clone rate, got {clone_rate}")
        z = max(Decimal(0), 1 - r * (p + 1))
        a, b, d = p - e, e * p - 1, e - 1
        if z > 0 and d > 0:
            coarser = max(d, Decimal(COARSENESS) * r * (a * a + b * b) / (z * d))
            z, d = z * d / coarser, coarser
        gain = a + b
        odds, drift_odds = 2 * r / (1 - 2 * r), z / (1 - 2 * r - z)
        return _Slots(_up(gain), _down(b / gain), _down(d / gain), float(odds), float(drift_odds))


@lru_cache(maxsize=1024)  # protocols whose reports are alike are searched alike
def _bound(slots: _Slots, n: int) -> float:
    """Return E[(a A - b B - d C)+] / n, rounded up: first A + B is summed over, then C, then A."""
    low, chances = _binomial(n, slots.odds)
    expected = chances * np.arange(low, low + len(chances))
    first, total = max(1, low), 0.0
    while first < low + len(chances):
        last = min(first + first // FINENESS, low + len(chances) - 1)
        part = float(expected[first - low : last - low + 1].sum())
        total += part / first * _excess(slots, n, first, last)
        first = last + 1
    outside = 3 * TAIL * slots.gain
    return (slots.gain * total / n * ROUNDING + outside) * ROUNDING


def _excess(slots: _Slots, n: int, first: int, last: int) -> float:
    """Return E[(A - θ)+], of which m / first times is at least that of A + B = m, first..last.

    θ = (b first + d C first / last) / (a + b), with C as where A + B = last
    """
    low, chances = _binomial(n - last, slots.drift_odds)
    counts = np.arange(low, low + len(chances), dtype=np.float64) * (first / last)
    levels: Floats = (slots.lost * first + slots.drift * counts) * (1 - 1e-14)
    return float(chances @ _above(first, levels))


def _above(n: int, levels: Floats) -> Floats:
    """Return E[(A - level)+] for A binomial of n at 1/2: linear between whole numbers."""
    low, chances = _binomial(n, 1.0)
    tails = np.cumsum(chances[::-1])[::-1]  # P(A >= low + j)
    excess = np.append(np.cumsum(tails[:0:-1])[::-1], [0.0, 0.0])  # at low + j, then beyond
    places = np.maximum(levels - low, 0.0)
    whole = np.minimum(np.floor(places), len(chances) - 1).astype(np.intp)
    part = np.minimum(places - whole, 1.0)
    below = np.maximum(low - levels, 0.0)
    found: Floats = (1 - part) * excess[whole] + part * excess[whole + 1] + below
    return found


def _binomial(n: int, odds: float) -> tuple[int, Floats]:
    """Return the binomial law within a window that it leaves with probability TAIL at most.

    The first count and the probabilities, which sum to 1: that of each count is its product of
    ratios from the mode on, with a relative error of a few units in the last place a step.
    Source of the window: Bernstein's inequality.
    """
    if odds == 0:
        return 0, np.ones(1)
    mean, nats = n * odds / (1 + odds), log(2 / TAIL)
    reach = 1 + nats / 3 + sqrt(nats**2 / 9 + 2 * nats * mean)
    low, high = max(0, floor(mean - reach)), min(n, ceil(mean + reach))
    mode = min(high, floor(mean))
    up, down = np.arange(mode, high, dtype=float), np.arange(mode, low, -1, dtype=float)
    rising = np.cumprod((n - up) / (up + 1) * odds)
    falling = np.cumprod(down / (n - down + 1) / odds)
    weights = np.concatenate([falling[::-1], [1.0], rising])
    found: Floats = weights / weights.sum()
    return low, found


def _too_much(found: float, allowed: float) -> float:
    """Return by how many nats a delta is larger than allowed: above 0 where it is."""
    nats = log(max(found, 1e-300) / allowed)
    return max(nats, 1e-300) if found > allowed else min(nats, 0.0)


def _nearest(too_much: Callable[[float], float], good: float, bad: float) -> float:
    """Return a number that is not too much, as `good` is not, near one that is, as `bad` is.

    Source: the Illinois rule of false position (Dowell, Jarratt, BIT 1971).
    """
    of_good, of_bad, was_good = -FAR, FAR, None
    while abs(bad - good) > TOLERANCE * max(good, bad):
        tried = good + (bad - good) * min(0.98, max(0.02, of_good / (of_good - of_bad)))
        found = too_much(tried)
        is_good = found <= 0
        if is_good:
            good, of_good, of_bad = tried, max(found, -FAR), of_bad / (1 + (was_good is True))
        else:
            bad, of_bad, of_good = tried, min(found, FAR), of_good / (1 + (was_good is False))
        was_good = is_good
    return good


def _require_delta(delta: float) -> None:
    require(0 < delta < 1, f"expected a delta above 0 and below 1, got {delta}")


def _up(number: Decimal) -> float:
    with localcontext(prec=15, rounding=ROUND_CEILING):
        return nextafter(float(+number), inf)


def _down(number: Decimal) -> float:
    with localcontext(prec=15, rounding=ROUND_FLOOR):
        return max(0.0, nextafter(float(+number), -inf))

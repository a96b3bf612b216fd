"""How many voters a private aggregation needs for an error that was stated before."""

from collections.abc import Callable
from itertools import accumulate
from math import ceil, comb, expm1, factorial, inf, log, log1p, pi

import numpy as np

from hushrank.accounting.words import loss_in_words
from hushrank.aggregators.private.quicksort import Logarithm, noisy_comparisons
from hushrank.arrays import Counts, Shares
from hushrank.errors import require

MOST_VOTERS = 2**60
N_STEPS = 200  # any t gives a bound: these come close to the best


def voters_for_error(n_items: int, *, alpha: float, delta: float, epsilon: float) -> int:
    """Return how many voters make P-SAMPLE's excess at most alpha with probability 1 - delta.

        b / (b + sum_{d <= a C} N(d) e^(-ε n d / C)) <= δ      b = B e^(-ε a n), C = C(m, 2)

    alpha: excess of the normalised average Kendall tau over the optimum, whatever the ballots.
    N(d) orders lie at distance d from the optimum, B of them further than a C: nearer ones have an
    excess of d / C at most, so they are good and weigh at least their term. a = alpha.
    Raises HushrankError unless alpha and delta are in (0, 1) and epsilon is positive.
    Source: Hay, Elagina, Miklau (SDM 2017), theorem 5.2, refined; see `voters_by_theorem`.
    """
    _require_goal(n_items, delta, epsilon)
    require(0 < alpha < 1, f"expected an alpha above 0 and below 1, got {alpha}")
    n_pairs = comb(n_items, 2)
    orders = orders_at_distances(n_items)
    near = [d for d in range(n_pairs + 1) if d <= alpha * n_pairs]
    logarithms = np.array([log(orders[d]) for d in near])
    slopes = epsilon * (alpha - np.array(near) / n_pairs)
    needed = log(sum(orders[len(near) :])) + log1p(-delta) - log(delta)
    return _fewest(lambda n: np.logaddexp.reduce(logarithms + n * slopes) >= needed)


def voters_by_theorem(n_items: int, *, alpha: float, delta: float, epsilon: float) -> int:
    """Return how many voters the printed bound asks of P-SAMPLE: `voters_for_error` or more.

        n >= 2 / (a ε) (ln m! + ln(1 / δ))

    Source: Hay, Elagina, Miklau (SDM 2017), theorem 5.2.   Differs from the source: it prints
    ln(m! + ln(1 / δ)), which its proof cannot mean; without the factor 2 the bound holds, too.
    """
    _require_goal(n_items, delta, epsilon)
    require(0 < alpha < 1, f"expected an alpha above 0 and below 1, got {alpha}")
    return ceil(2 / (alpha * epsilon) * (log(factorial(n_items)) - log(delta)))


def voters_for_zero_error(
    n_items: int,
    *,
    dispersion: float,
    delta: float,
    epsilon: float,
    logarithm: Logarithm = "binary",
) -> int:
    """Return how many voters let P-SORT release the centre of a Mallows model, but for delta.

        sum_j 2 (m - j) / (j + 1) min_t E e^(-t (S_j + Z)) <= δ - P(coins go wrong)

    S_j: margin of n voters on items j apart, Z: noise. Quicksort compares them with probability
    2 / (j + 1). At most `voters_of_mallows_theorem`, often half of it.
    Raises HushrankError also when M comparisons are too few for delta, with any number of voters.
    Source: Hay, Elagina, Miklau (SDM 2017), theorem 5.3, Chernoff bounds in place of a constant.
    """
    n_noisy = noisy_comparisons(n_items, logarithm)
    left = _left_for_noise(n_items, dispersion, delta, epsilon, n_noisy)
    apart = np.arange(1, n_items)
    weights = 2 * (n_items - apart) / (apart + 1)
    per_voter, of_noise = _chernoff_terms(_agreement(apart, dispersion), epsilon / n_noisy)

    def is_enough(n_voters: int) -> bool:
        chances = np.exp((n_voters * per_voter + of_noise).min(axis=1))
        return bool(weights @ chances <= left)

    return _fewest(is_enough)


def voters_of_mallows_theorem(
    n_items: int,
    *,
    dispersion: float,
    delta: float,
    epsilon: float,
    logarithm: Logarithm = "binary",
) -> int:
    """Return a bound in closed form for `voters_for_zero_error`, whose errors it shares.

        n >= ln(2 M / δ') max(8 / μ^2, 2 M / (ε μ))      μ = (1 - φ) / (1 + φ)
                                                        δ' = δ - P(coins go wrong)

    Each of M margins, nμ on average at least, keeps half of it against sampling (Hoeffding), and
    noise stays below the other half.   Source: Hay, Elagina, Miklau (SDM 2017), theorem 5.3.
    Differs from the source: explicit; it has no term of sampling, and no coins that go wrong.
    """
    n_noisy = noisy_comparisons(n_items, logarithm)
    left = _left_for_noise(n_items, dispersion, delta, epsilon, n_noisy)
    margin = (1 - dispersion) / (1 + dispersion)
    factor = max(8 / margin**2, 2 * n_noisy / (epsilon * margin))
    return ceil(log(2 * n_noisy / left) * factor)


def chance_of_sorting(n_items: int, n_comparisons: int) -> float:
    """Return how likely quicksort by so many right comparisons, then coins, sorts: E 2^-(T - M).

    T: how many it needs around uniform pivots, by its generating function at the roots of unity.
    For M = (m - 1) log2 m the chance is 1 up to 4 items, 0.9 at 10 and falls: T is 1.39 m log2 m
    on average, so that more voters do not help.   Cost: O(items^4).
    """
    size = comb(n_items, 2) + 1
    roots = np.exp(-2j * pi * np.arange(size) / size)
    laws = np.ones((n_items + 1, size), dtype=np.complex128)  # of 0 and 1 items: T = 0
    for n in range(2, n_items + 1):
        laws[n] = roots ** (n - 1) * (laws[:n] * laws[n - 1 :: -1]).mean(axis=0)
    law = np.fft.ifft(laws[n_items]).real
    missing = np.maximum(np.arange(size) - n_comparisons, 0)
    return float(law @ 2.0**-missing)


def orders_at_distances(n_items: int) -> list[int]:
    """Return how many orders lie at Kendall tau distance 0, 1, ..., C(m, 2): Mahonian numbers."""
    orders = [1]
    for item in range(1, n_items):  # it passes 0..item of those before it
        sums = list(accumulate(orders + [0] * item))
        orders = [high - low for high, low in zip(sums, [0] * (item + 1) + sums, strict=False)]
    return orders


def _agreement(apart: Counts, dispersion: float) -> Shares:
    """Return P(a voter of a Mallows model orders items so far apart as its centre does).

    Source: Mallows (Biometrika 1957): h(j + 1) - h(j), h(j) = j / (1 - φ^j).
    """
    agreement: Shares = (apart + 1) / (1 - dispersion ** (apart + 1)) - apart / (
        1 - dispersion**apart
    )
    return agreement


def _chernoff_terms(agreement: Shares, epsilon: float) -> tuple[Shares, Shares]:
    """Return ln E e^(-t X) of one voter, below 0, and ln E e^(tZ) of the noise: (pairs, t)."""
    steps = np.arange(1, N_STEPS) / N_STEPS
    ends = np.minimum(epsilon, np.log(agreement) - np.log1p(-agreement))
    times = ends[:, None] * steps
    right = agreement[:, None]
    voter = np.log(right * np.exp(-times) + (1 - right) * np.exp(times))
    noise = 2 * log(-expm1(-epsilon))
    return voter, noise - np.log(-np.expm1(times - epsilon)) - np.log(-np.expm1(-times - epsilon))


def _left_for_noise(
    n_items: int, dispersion: float, delta: float, epsilon: float, n_noisy: int
) -> float:
    """Return what of delta the coins of an unfinished quicksort leave."""
    _require_goal(n_items, delta, epsilon)
    in_range = 0 < dispersion < 1
    require(in_range, f"expected a dispersion above 0 and below 1, got {dispersion}")
    coins = 1 - chance_of_sorting(n_items, n_noisy)
    oftener = f"fail oftener ({loss_in_words(coins, 2)}) than delta"
    too_few = f"{n_noisy} comparisons of {n_items} items {oftener}"
    require(coins < delta, f"{too_few} {delta}, however many voters there are")
    return delta - coins


def _require_goal(n_items: int, delta: float, epsilon: float) -> None:
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    require(0 < delta < 1, f"expected a delta above 0 and below 1, got {delta}")
    require(0 < epsilon < inf, f"expected a positive finite epsilon, got {epsilon}")


def _fewest(is_enough: Callable[[int], bool]) -> int:
    """Return the smallest n >= 1 that is enough; so is every larger one."""
    high = 1
    while not is_enough(high):
        high *= 2
        require(high <= MOST_VOTERS, "expected a goal that 2^60 voters can reach")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high

"""Mechanisms that break privacy, each in a way that people have got it wrong.

Each claims CLAIMED nats for its inputs 0 and 1 (of 4 categories, or of counts that one person
moves by 1), and spends more.
"""

from collections.abc import Callable

import numpy as np

from hushrank.audit.subject import Observations, Subject
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.randomness import Randomness

CLAIMED, K, DELTA = 1.0, 4, 1e-3
WRONG: dict[str, tuple[Callable[..., Observations], float]] = {}


def wrong(name: str, delta: float = 0.0) -> Callable[[Callable[..., Observations]], None]:
    def listed(draw: Callable[..., Observations]) -> None:
        WRONG[name] = draw, delta

    return listed


def subject(name: str) -> Subject:
    draw, delta = WRONG[name]
    return Subject(name, CLAIMED, {"0": 0, "1": 1}, (("0", "1"),), draw, delta=delta)


def uniform(n: int, rng: Randomness) -> np.ndarray:
    return (rng.words(n) >> np.uint64(11)) / 2.0**53


def grr(category: int, n: int, rng: Randomness, epsilon: float, k: int = K) -> np.ndarray:
    mechanism = GeneralizedRandomizedResponse(k, epsilon)
    return mechanism.randomise(np.full(n, category), rng=rng)


def laplace(n: int, rng: Randomness, scale: float = 1 / CLAIMED) -> np.ndarray:
    """Whole-numbered: the difference of two geometric numbers."""
    drawn = [np.floor(-scale * np.log1p(-uniform(n, rng))) for _ in range(2)]
    return drawn[0] - drawn[1]


def float_laplace(n: int, rng: Randomness) -> np.ndarray:
    centred = uniform(n, rng) - 0.5
    return -np.sign(centred) * np.log1p(-2 * np.abs(centred)) / CLAIMED


def bits(category: int, n: int, rng: Randomness, hit: float, miss: float) -> np.ndarray:
    chances = np.where(np.arange(K) == category, hit, miss)
    return (uniform(n * K, rng).reshape(n, K) < chances).astype(float)


@wrong("noise 10 % too small")
def _(x, n, rng):
    return grr(x, n, rng, 1.1 * CLAIMED)


@wrong("epsilon spent on each of two answers")
def _(x, n, rng):
    return np.column_stack([grr(x, n, rng, CLAIMED), grr(x, n, rng, CLAIMED)])


@wrong("the truth with probability 1 - e^-epsilon, else anything")
def _(x, n, rng):
    return np.where(uniform(n, rng) < 1 - np.exp(-CLAIMED), x, grr(x, n, rng, 1e-6))


@wrong("two numbers that tell only together")
def _(x, n, rng):
    """Squares of a board of 64 * 64, made of boards on which four queens attack none other.

    For 1 each is mirrored: numbers, sums and differences are as likely as for 0.
    """
    across, down, queen = (np.floor(k * uniform(n, rng)) for k in (16, 16, 4))
    row = np.array([1, 3, 0, 2])[queen.astype(np.intp)]
    return np.column_stack([4 * across + queen, 4 * down + (3 - row if x else row)])


@wrong("the chances of two categories for four")
def _(x, n, rng):
    p = np.e / (np.e + 1)
    lie = (x + 1 + np.floor(3 * uniform(n, rng))) % K
    return np.where(uniform(n, rng) < p, x, lie)


@wrong("a first category that is never told by others")
def _(x, n, rng):
    drawn = grr(x, n, rng, CLAIMED)
    return np.where((drawn == 0) & (uniform(n, rng) < 0.3), x, drawn)


@wrong("unary encoding with all of epsilon for each bit")
def _(x, n, rng):
    p = np.e / (np.e + 1)
    return bits(x, n, rng, p, 1 - p)


@wrong("optimised unary encoding with half the lies")
def _(x, n, rng):
    return bits(x, n, rng, 0.5, 0.5 / (np.e + 1))


@wrong("hit and miss rates swapped for one category")
def _(x, n, rng):
    hit, miss = 0.5, 1 / (np.e + 1)
    return bits(x, n, rng, hit, miss) if x else 1 - bits(x, n, rng, hit, miss)


@wrong("a modulo bias")
def _(x, n, rng):
    """Six bits modulo 11, below 8 for the truth: 48/64 of them, where 8/11 was meant."""
    place = ((rng.words(n) >> np.uint64(58)) % np.uint64(11)).astype(int)
    return np.where(place < 8, x, 1 - x)


@wrong("the length tells")
def _(x, n, rng):
    drawn = grr(x, n, rng, CLAIMED)
    return np.column_stack([drawn, 10 + (uniform(n, rng) < (0.6 if x else 0.5)) * (drawn == x)])


@wrong("a refusal tells")
def _(x, n, rng):
    drawn = grr(x, n, rng, CLAIMED).astype(float)
    drawn[(drawn == 2) & (x == 1) & (uniform(n, rng) < 0.5)] = np.nan
    return drawn


@wrong("the word of the coin is sent too")
def _(x, n, rng):
    coin = uniform(n, rng)
    truth = coin < np.e / (np.e + K - 1)
    lie = (x + 1 + np.floor(3 * uniform(n, rng))) % K
    return np.column_stack([np.where(truth, x, lie), np.floor(coin * 8)])


@wrong("a seed that can be guessed")
def _(x, n, rng):
    """Of 16 tapes: with the tape the report says what was hidden."""
    tape = (rng.words(n) % np.uint64(16)).astype(int)
    return np.column_stack([(x + tape) % K, tape])


@wrong("noise reused for two numbers")
def _(x, n, rng):
    noise = laplace(n, rng, 2 / CLAIMED)
    return np.column_stack([x + noise, -x + noise])


@wrong("noises of two numbers that cancel")
def _(x, n, rng):
    noise = laplace(n, rng, 2 / CLAIMED)
    return np.column_stack([x + noise, -noise])


@wrong("a sensitivity of half")
def _(x, n, rng):
    return 2 * x + laplace(n, rng)


@wrong("a scale that was rounded down")
def _(x, n, rng):
    return 3 * x + laplace(n, rng, np.floor(2.9))


@wrong("epsilon where its inverse was meant")
def _(x, n, rng):
    return 2 * x + laplace(n, rng, 0.5)


@wrong("floating-point Laplace with its low bits")
def _(x, n, rng):
    return x + float_laplace(n, rng)


@wrong("a billionth of the truth")
def _(x, n, rng):
    return x + laplace(n, rng) + 1e-9 * x


@wrong("a lift above the mean")
def _(x, n, rng):
    return x + laplace(n, rng) + 0.4 * (x > 0.5)


@wrong("noise that is cut off")
def _(x, n, rng):
    return x + np.clip(laplace(n, rng), -3, 3)


@wrong("no noise below zero")
def _(x, n, rng):
    return x + np.abs(laplace(n, rng))


@wrong("the truth now and then beside the noise")
def _(x, n, rng):
    noisy = x + laplace(n, rng)
    return np.column_stack([noisy, np.where(uniform(n, rng) < 0.1, x, -1)])


@wrong("the exact number of people beside the noise")
def _(x, n, rng):
    return np.column_stack([x + laplace(n, rng), np.full(n, 100 + x)])


@wrong("noise drawn once for two releases")
def _(x, n, rng):
    first = laplace(n, rng)
    again = np.where(uniform(n, rng) < 0.5, first, laplace(n, rng))
    return np.column_stack([x + first, 2 * x + again])


@wrong("noise that depends on what it hides")
def _(x, n, rng):
    return x + laplace(n, rng, (1 + x) / CLAIMED)


@wrong("Gaussian noise of too small a sigma", delta=DELTA)
def _(x, n, rng):
    sigma = DiscreteGaussian(1, CLAIMED, DELTA).sigma / 2.5
    u = uniform(2 * n, rng).reshape(2, n)
    return np.round(x + sigma * np.sqrt(-2 * np.log1p(-u[0])) * np.cos(2 * np.pi * u[1]))


@wrong("a delta that is ten times too large", delta=DELTA)
def _(x, n, rng):
    drawn = grr(x, n, rng, CLAIMED)
    return np.where(uniform(n, rng) < 10 * DELTA, 10 + x, drawn)

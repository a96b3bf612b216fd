"""A curator's releases: noise on counts, and one order of ballots by each private method."""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from hushrank.aggregators.private.order import ComparedMargins, NoisyMargins, NoisyScores
from hushrank.aggregators.raw_order import Ballots
from hushrank.aggregators.registry import METHODS, AggregationMethod, AggregationTerms
from hushrank.audit.subject import Observations, Subject
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.mechanisms.curator.noise import CentralMechanism
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

ORDERS = {"".join("abc"[item] for item in order): order for order in permutations(range(3))}
BASES = (("abc",), ("abc", "cba"), ("abc", "abc", "acb"))
DRAWS = 100_000


def central_subjects(epsilon: float, delta: float) -> Iterator[Subject]:
    """Yield noise on two counts, and each private method on ballots with one more or less."""
    noises: tuple[tuple[str, CentralMechanism], ...] = (
        ("noise laplace", DiscreteLaplace(2, epsilon)),
        ("noise gaussian", DiscreteGaussian(2, epsilon, delta)),
    )
    inputs: Mapping[str, Any] = {"counts 0, 0": (0, 0), "counts 1, -1": (1, -1)}
    for name, mechanism in noises:
        yield _subject(name, epsilon, mechanism.delta, inputs, _noisy_counts(mechanism), 400_000)
    centred = {"scores 0, 0, 0": (0, 0, 0), "scores 2, 0, -2": (2, 0, -2)}
    knorm = _noisy_scores(PermutohedronMechanism(3, epsilon))
    yield _subject("noise k-norm", epsilon, 0.0, centred, knorm, DRAWS)
    for name, method in METHODS.items():
        if method.is_private:
            own = delta if method.delta == "needed" else 0.0
            yield _of_ballots(f"aggregate {name}", method, epsilon, own)


def _subject(
    name: str,
    epsilon: float,
    delta: float,
    inputs: Mapping[str, Any],
    draw: Callable[[Any, int, Randomness], Observations],
    draws: int,
) -> Subject:
    first, second = inputs
    return Subject(name, epsilon, dict(inputs), ((first, second),), draw, delta=delta, draws=draws)


def _noisy_counts(mechanism: CentralMechanism) -> Callable[[Any, int, Randomness], Observations]:
    def draw(counts: tuple[int, int], n_draws: int, rng: Randomness) -> Observations:
        return mechanism.release(np.tile(counts, (n_draws, 1)), rng=rng)

    return draw


def _noisy_scores(
    mechanism: PermutohedronMechanism,
) -> Callable[[Any, int, Randomness], Observations]:
    def draw(scores: tuple[int, ...], n_draws: int, rng: Randomness) -> Observations:
        return np.array([mechanism.release(np.array(scores), rng=rng) for _ in range(n_draws)])

    return draw


def _of_ballots(name: str, method: AggregationMethod, epsilon: float, delta: float) -> Subject:
    """Try each of some ballots with each order added: the worst neighbours are looked for."""
    inputs, pairs = {}, []
    for base in BASES:
        inputs[_words(base)] = _ballots(base)
        for added in ORDERS:
            more = (*base, added)
            inputs[_words(more)] = _ballots(more)
            pairs.append((_words(base), _words(more)))

    def draw(ballots: Ballots, n_draws: int, rng: Randomness) -> Observations:
        terms = AggregationTerms(epsilon, delta or None, 60.0, rng, np.random.default_rng(0))
        return np.array([_shown(method.run(ballots, terms)) for _ in range(n_draws)])

    return Subject(name, epsilon, inputs, tuple(pairs), draw, delta=delta, draws=DRAWS)


def _words(ballots: tuple[str, ...]) -> str:
    return "ballots " + ", ".join(sorted(ballots))


def _ballots(orders: tuple[str, ...]) -> Ballots:
    rankings = Rankings.from_orders(np.array([ORDERS[order] for order in orders]))
    return Ballots(rankings, majority(rankings))


def _shown(found: Any) -> list[float]:
    """Return all numbers of a release: the order, what was released beside it, how sure it is."""
    evidence = found.evidence
    beside: list[float] = [float(len(found.method))]  # which method auto took
    if isinstance(evidence, NoisyScores):
        beside += evidence.scores.tolist()
    elif isinstance(evidence, NoisyMargins | ComparedMargins):
        beside += evidence.margins[np.triu_indices(len(found.order), k=1)].tolist()
    sure = found.confidence or (np.nan,) * (len(found.order) - 1)
    beside += [np.nan] * (1 + 3 - len(beside))
    return [*map(float, found.order), *beside, *sure]

"""What figures 2 and 3 of Hay et al. measure: orders that a trusted curator releases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from hushrank.aggregators.borda import borda
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.aggregators.private.auto import auto
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.histogram import p_borda_hist
from hushrank.aggregators.private.kemeny import gaussian_kemeny, p_sample
from hushrank.aggregators.private.order import PrivateOrder
from hushrank.aggregators.private.quicksort import dp_kwiksort, p_sort
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity
from hushrank.experiments.on_rankings.electorate import Electorate, ItemLabels
from hushrank.randomness import Randomness

DELTA = 1e-6

EASY_ITEMS, DEAR_REPETITIONS = 15, 20
"""Up to so many items, noisy margins always have a quick optimum; beyond, it is found seldom."""
SECONDS_OF_KEMENY = 1.0
NOISY_KEMENY = "Gaussian pairs, Kemeny (δ)"

ReleaseMaker: TypeAlias = Callable[..., PrivateOrder]
"""Takes pair counts, epsilon and rng."""

PAPER: Mapping[str, ReleaseMaker] = {
    "P-BORDA": p_borda,
    "P-SORT (ln)": partial(p_sort, logarithm="natural"),
    "P-SAMPLE": p_sample,
}
OURS: Mapping[str, ReleaseMaker] = {
    "P-SORT (log2)": partial(p_sort, logarithm="binary"),
    "DP-KwikSort": dp_kwiksort,
    "P-BORDA centred": p_borda_centred,
    "P-BORDA K-norm": p_borda_knorm,
    "Gaussian Borda (δ)": partial(gaussian_borda, delta=DELTA),
    NOISY_KEMENY: partial(gaussian_kemeny, delta=DELTA, time_limit=SECONDS_OF_KEMENY),
    "auto": auto,
}
"""What we put beside the paper's methods; δ marks those that are not ε-DP but (ε, δ)-DP."""


@dataclass(frozen=True, eq=False, repr=False)
class Curator:
    """One population whose exact pair counts a curator holds."""

    people: Electorate

    def released(
        self, release: ReleaseMaker, epsilon: float, draws: Draws
    ) -> Mapping[Quantity, float]:
        """Judge one release."""
        labels = ItemLabels.drawn(self.people.n_items, rng=draws.synthesis)
        counts = labels.counts(self.people.counts)
        order = release(counts, epsilon=epsilon, rng=_noise(draws)).order
        return self.people.judged(labels.order(order))

    def by_histogram(self, epsilon: float, draws: Draws) -> Mapping[Quantity, float]:
        """Judge P-BORDA-HIST, which counts whole rankings."""
        labels = ItemLabels.drawn(self.people.n_items, rng=draws.synthesis)
        shuffled = labels.rankings(self.people.rankings)
        order = p_borda_hist(shuffled, epsilon=epsilon, rng=_noise(draws)).order
        return self.people.judged(labels.order(order))

    def by_borda(self, draws: Draws) -> Mapping[Quantity, float]:
        """Judge exact Borda."""
        return self.people.judged(borda(self.people.counts))

    def by_kemeny(self, draws: Draws) -> Mapping[Quantity, float]:
        """Judge the exact optimum: excess 0."""
        return self.people.judged(self.people.best_order)

    def by_kwiksort(self, draws: Draws) -> Mapping[Quantity, float]:
        """Judge quicksort by exact majorities, around random pivots."""
        return self.people.judged(kwiksort(self.people.counts, rng=draws.synthesis))


def central_measurements(
    curator: Curator,
    releases: Mapping[str, ReleaseMaker],
    group: Group,
    *,
    epsilon: float,
    x: float,
    population: str,
) -> Sequence[Measurement]:
    """Return the points of private methods at x."""
    most = DEAR_REPETITIONS if curator.people.n_items > EASY_ITEMS else None
    return [
        Measurement(
            group,
            name,
            x,
            partial(curator.released, release, epsilon),
            most if name == NOISY_KEMENY else None,
            population,
        )
        for name, release in releases.items()
    ]


def exact_measurements(curator: Curator, *, x: float, population: str) -> Sequence[Measurement]:
    """Return the points of the methods without privacy at x."""
    exact = {"Borda": curator.by_borda, "Kemeny (optimum)": curator.by_kemeny}
    return [
        *(
            Measurement("reference", name, x, measure, 1, population)
            for name, measure in exact.items()
        ),
        Measurement("reference", "quicksort", x, curator.by_kwiksort, population=population),
    ]


def _noise(draws: Draws) -> Randomness:
    return Randomness(draws.noise.bytes, is_private=False)

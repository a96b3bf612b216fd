"""Noisy answers to "do you put a before b?": what was reported, and what it says of the people."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.rankings.distances import PairCounts

PairValues: TypeAlias = NDArray[np.float64]
"""(items, items), 0 on the diagonal."""


@dataclass(frozen=True, eq=False, repr=False)
class PairReports:
    """Tallied reports on all pairs, one layer for each mechanism they came through.

    wins[layer, a, b] = how many reports put a before b; gaps[layer] = p - q of its mechanism, how
    much oftener a report tells the truth than not; n_people[layer] = how many people reported.
    """

    wins: NDArray[np.float64]
    gaps: NDArray[np.float64]
    n_people: NDArray[np.float64]

    @classmethod
    def from_tallies(
        cls, n_items: int, mechanism: LocalMechanism, tallies: Sequence[Tally], n_answers: int
    ) -> "PairReports":
        """Take a tally for each pair a < b in lexicographic order, category 0 = a before b.

        `n_answers` = how many pairs each person answered.
        Raises HushrankError unless there is a tally for each pair.
        """
        pairs = tuple(combinations(range(n_items), 2))
        require(len(tallies) == len(pairs), f"expected {len(pairs)} tallies, got {len(tallies)}")
        first, second = np.array(pairs).T
        wins = np.zeros((1, n_items, n_items))
        supports = np.array([tally.support for tally in tallies], dtype=np.float64)
        wins[0, first, second], wins[0, second, first] = supports.T
        n_reports = np.array([tally.n_reports for tally in tallies], dtype=np.float64)
        n_people = max(n_reports.sum() / n_answers, n_reports.max())
        gap = mechanism.rates.reach
        return cls(wins, np.array([gap]), np.array([n_people]))

    def __add__(self, other: "PairReports") -> "PairReports":
        """Put the layers of both together: reports of different people."""
        require(self.n_items == other.n_items, "expected reports on the same items")
        parts = zip(self._arrays, other._arrays, strict=True)
        return PairReports(*(np.concatenate(both) for both in parts))

    def __repr__(self) -> str:
        """Say the size, not the counts."""
        n_reports = float(self.wins.sum())
        return f"PairReports({n_reports:g} reports, {self.n_items} items, {len(self.gaps)} layers)"

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.wins.shape[-1])

    @property
    def counts(self) -> NDArray[np.float64]:
        """How many reports each pair has, of each layer (layers, items, items); symmetric."""
        return self.wins + self.wins.transpose(0, 2, 1)

    @property
    def _arrays(self) -> tuple[NDArray[np.float64], ...]:
        return self.wins, self.gaps, self.n_people


@dataclass(frozen=True, eq=False, repr=False)
class PairEstimates:
    """How much larger the share of people is who put a before b than of those who put b before a.

    margins[a, b] in expectation is that difference, in [-1, 1], among all people asked, whatever
    pairs they were asked; single ones may lie outside. 0 on the diagonal, or where nobody answered.
    variances[a, b] is the estimated variance of the margin given how many answered the pair, inf
    where nobody did: it counts the noise of the reports and the draw of those who answered.
    n_reports[a, b] = how many answered; n_people = how many were asked.
    """

    margins: PairValues
    variances: PairValues
    n_reports: PairValues
    n_people: float

    @property
    def majority(self) -> PairCounts:
        """How many people put a before b (items, items), estimated: may be negative."""
        counts: PairValues = self.n_people * (1 + self.margins) / 2
        np.fill_diagonal(counts, 0.0)
        return counts

    def __repr__(self) -> str:
        """Say the size, not the margins."""
        return f"PairEstimates({self.n_people:g} people, {len(self.margins)} items)"


@dataclass(frozen=True, eq=False, repr=False)
class PairVariances:
    """The variance of a margin M: noise + draw (1 - M^2); both (items, items), inf without reports.

    noise = what the mechanisms add; draw = what it adds that only some people answered the pair.
    """

    noise: PairValues
    draw: PairValues

    @classmethod
    def of(cls, reports: PairReports) -> "PairVariances":
        """Compute them, given how many people answered each pair: a sample without replacement."""
        counts, gaps = reports.counts, reports.gaps[:, None, None]
        people = reports.n_people[:, None, None]
        left_out = np.clip((people - counts) / np.maximum(people - 1, 1), 0, 1)
        information = (gaps**2 * counts).sum(axis=0)
        with np.errstate(divide="ignore"):
            per_report = np.where(information > 0, information, np.nan) ** -2.0
        noise = (gaps**2 * (1 - gaps**2) * counts).sum(axis=0) * per_report
        draw = (gaps**4 * left_out * counts).sum(axis=0) * per_report
        return cls(np.nan_to_num(noise, nan=np.inf), np.nan_to_num(draw, nan=np.inf))

    def at(self, margins: PairValues) -> PairValues:
        """Return the variance (items, items) where the true margins are `margins`."""
        is_known = np.isfinite(self.draw)
        spread = np.where(is_known, 1 - margins**2, 1.0)
        return np.where(is_known, self.noise + np.where(is_known, self.draw, 0.0) * spread, np.inf)


def estimate_pairs(reports: PairReports) -> PairEstimates:
    """Estimate the margins of all pairs, each layer weighted by its gap: least variance near 0.

        margin = sum gap (wins_ab - wins_ba) / W              W = sum gap^2 reports
        variance = sum gap^2 reports (1 - gap^2 + gap^2 (1 - margin^2) left_out) / W^2

    left_out = (N - reports) / (N - 1) of a layer's N people: who answered is drawn from them.
    Unbiased, given who has which budget, if the layers agree on the margins, as where budgets
    do not depend on preferences; else for their mean under these weights.
    The margin^2 in the variance is estimated without bias, then cut to [0, 1].
    """
    gaps = reports.gaps[:, None, None]
    information = (gaps**2 * reports.counts).sum(axis=0)
    surplus = (gaps * (reports.wins - reports.wins.transpose(0, 2, 1))).sum(axis=0)
    margins = np.divide(surplus, information, out=np.zeros_like(surplus), where=information > 0)
    parts = PairVariances.of(reports)
    can_tell = parts.draw < 1
    squared = np.divide(
        margins**2 - parts.noise - parts.draw, 1 - parts.draw, out=margins * 0, where=can_tell
    )
    variances = parts.at(np.sqrt(np.clip(squared, 0, 1)))
    np.fill_diagonal(variances, 0.0)
    n_reports = reports.counts.sum(axis=0)
    return PairEstimates(margins, variances, n_reports, float(reports.n_people.sum()))


def pair_error_rate(true_majority: PairCounts, estimated: PairCounts) -> float:
    """Return the share of pairs whose winner by `estimated` is the loser by `true_majority`.

    Both are pair counts (items, items) or margins; a tie on either side is no error.
    Source: Yan, Li, Liu (arXiv 2019), eq. 4.
    """
    require(true_majority.shape == estimated.shape, "expected pair counts of the same items")
    n_items = len(true_majority)
    turned = np.sign(true_majority - true_majority.T) * np.sign(estimated - estimated.T) < 0
    return float(np.triu(turned, k=1).sum() / (n_items * (n_items - 1) / 2))

"""How likely tallied reports are under a model of the people's ranks and precedences.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.estimators.cell_weights import cell_weights
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.question import Question

NAMING = (GeneralizedRandomizedResponse, NamedMember)
"""Mechanisms whose reports each name one category: likely by p where it holds, else by q."""


@dataclass(frozen=True, eq=False, repr=False)
class ReportLikelihood:
    """How many reports name each cell, and how likely a model makes them.

        P(report c of question j) = q_j + (p_j - q_j) P(category c of j),   linear in the statistics

    A cell is one category of one question. All of these are (cells,): the counts of reports, the
    gaps p - q, the floors q, and n_reports on the cell's question. The weights (cells, statistics)
    are those of `cell_weights`. Likelihoods of different people add up. log_prior is added to each
    log-likelihood for what was judged along with the model.
    """

    n_items: int
    weights: csr_array
    counts: Floats
    n_reports: Floats
    gaps: Floats
    floors: Floats
    log_prior: float = 0.0

    @classmethod
    def of(
        cls,
        n_items: int,
        questions: Sequence[Question],
        mechanisms: Sequence[LocalMechanism],
        tallies: Sequence[Tally],
        weights: csr_array | None = None,
    ) -> "ReportLikelihood":
        """Take one mechanism and one tally for each question; weights, if not `cell_weights`.

        Raises HushrankError unless the report of each names one category.
        """
        require(len(tallies) == len(questions), f"expected {len(questions)} tallies")
        named = all(isinstance(each, NAMING) for each in mechanisms)
        require(named, "expected reports that each name one category")
        sizes = [question.n_categories for question in questions]
        fits = sizes == [len(tally.support) for tally in tallies]
        require(fits, "expected tallies with the number of categories of their questions")
        counts = np.concatenate([tally.support for tally in tallies]).astype(np.float64)
        n_reports = np.array([tally.n_reports for tally in tallies], dtype=np.float64)
        rates = [each.rates for each in mechanisms]
        hits, floors = np.array([(each.hit_rate, each.false_hit_rate) for each in rates]).T
        n_reports, gaps, floors = (np.repeat(e, sizes) for e in (n_reports, hits - floors, floors))
        if weights is None:
            weights = cell_weights(questions, n_items)
        return cls(n_items, weights, counts, n_reports, gaps, floors)

    def __add__(self, other: "ReportLikelihood") -> "ReportLikelihood":
        """Take the reports of both together: of different people, on the same items."""
        require(self.n_items == other.n_items, "expected reports on the same items")
        parts = zip(self._of_cells, other._of_cells, strict=True)
        counts, n_reports, gaps, floors = (np.concatenate(part) for part in parts)
        weights = csr_array(vstack([self.weights, other.weights]))
        log_prior = self.log_prior + other.log_prior
        return ReportLikelihood(self.n_items, weights, counts, n_reports, gaps, floors, log_prior)

    @property
    def _of_cells(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.counts, self.n_reports, self.gaps, self.floors

    def probabilities(self, statistics: Floats) -> Floats:
        """Return P(report) of each cell under a model with these statistics, as `statistics_of`."""
        shares = np.maximum(self.weights @ statistics, 0.0)  # differences may round below 0
        probabilities: Floats = self.floors + self.gaps * shares
        return probabilities

    def log_likelihood(self, statistics: Floats) -> float:
        """Return the log-probability of the reports, given who is asked what, less a constant."""
        return float(self.counts @ np.log(self.probabilities(statistics))) + self.log_prior

    def slopes(self, statistics: Floats) -> Floats:
        """Return the derivative of `log_likelihood` by each statistic."""
        by_cell = self.counts * self.gaps / self.probabilities(statistics)
        slopes: Floats = self._transposed @ by_cell
        return slopes

    def information(self, statistics: Floats, changes: Floats) -> Floats:
        """Return the expected Fisher information (parameters, parameters).

        changes (parameters, statistics) = derivatives of the statistics by each parameter.
        """
        moved = (self.weights @ changes.T) * self.roots(statistics)[:, None]
        information: Floats = moved.T @ moved
        return information

    def roots(self, statistics: Floats) -> Floats:
        """Return the root of the information of each cell's reports on its P(category): (cells,)"""
        roots: Floats = self.gaps * np.sqrt(self.n_reports / self.probabilities(statistics))
        return roots

    @property
    def n_judged_along(self) -> int | None:
        """How many parameters are fitted besides the model's: none."""
        return 0

    def stated_shares(self, statistics: Floats) -> None:
        """Return nothing: all rankings are complete."""

    def given(self, statistics: Floats) -> "ReportLikelihood":
        """Return the likelihood near a model: the same for all, as nothing is judged along."""
        return self

    @cached_property
    def _transposed(self) -> csc_array:
        return csc_array(self.weights.T)  # a view

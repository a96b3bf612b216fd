"""How likely reports are whose people ranked only some of the items.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.partial.ballot_lengths import IMAGINED, most_likely_lengths
from hushrank.estimators.partial.seen_pairs import SeenPairs
from hushrank.estimators.partial.stated_terms import StatedTerms, number_of_shares
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.questions.question import Question
from hushrank.rankings.reading import Unranked


@dataclass(frozen=True, eq=False, repr=False)
class PartialLikelihood:
    """The likelihood of a model and of how much people rank, at the latter's likely value.

    It is assumed that how much (`last`), or which items (`unknown`), a person ranks is independent
    of the order they have in mind. The stated shares of `last` are those of the people who rank at
    least 1, 2, ... items, where all but one count as all: the most likely ones are taken (profile
    likelihood). Those of `unknown` are of the people who rank both items of each pair: the mean of
    a normal posterior that draws pairs together. Noisy reports judge them, never rankings.
    """

    unranked: Unranked
    terms: StatedTerms
    reports: ReportLikelihood

    @classmethod
    def of(
        cls,
        n_items: int,
        questions: Sequence[Question],
        mechanisms: Sequence[LocalMechanism],
        tallies: Sequence[Tally],
        *,
        unranked: Unranked,
    ) -> "PartialLikelihood":
        """Take one mechanism and one tally for each question, all `Stated` and of one meaning.

        Raises HushrankError unless the report of each names one category.
        """
        terms = StatedTerms.of(questions, n_items)
        everything = terms.weights(np.ones(number_of_shares(unranked, n_items)))
        reports = ReportLikelihood.of(n_items, questions, mechanisms, tallies, everything)
        return cls(unranked, terms, reports)

    def __add__(self, other: "PartialLikelihood") -> "PartialLikelihood":
        """Take the reports of both together: of different people, who rank as much."""
        alike = self.unranked == other.unranked
        require(alike, "expected reports of one meaning of what is not ranked")
        terms, reports = self.terms + other.terms, self.reports + other.reports
        return PartialLikelihood(self.unranked, terms, reports)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return self.reports.n_items

    @property
    def n_reports(self) -> Floats:
        """How many reports there are on the question of each cell (cells,)."""
        return self.reports.n_reports

    @property
    def n_judged_along(self) -> int | None:
        """How many parameters are fitted besides the model's: shares of ballots by their length.

        None of `unknown`, whose shares of pairs are drawn together.
        """
        return None if self.unranked == "unknown" else self.n_items - 1

    def stated_shares(self, statistics: Floats) -> Floats:
        """Return the likely stated shares (shares,) under a model with these statistics."""
        if self.unranked == "unknown":
            return self._seen_pairs.shares
        return longer_than(self._lengths(statistics))

    def given(self, statistics: Floats) -> ReportLikelihood:
        """Return the likelihood of the model alone, with the shares that are likely beside it.

        Its slopes here are those of the profile: of `last` the likelihood is flat in the shares at
        the likely ones, and those of `unknown` do not depend on the model.
        """
        if self.unranked == "unknown":
            return self._with(self._seen_pairs.shares, 0.0)
        lengths = self._lengths(statistics)
        return self._with(longer_than(lengths), IMAGINED * float(np.log(lengths).sum()))

    def information(self, statistics: Floats, changes: Floats) -> Floats:
        """Return what the reports tell of parameters, less what is spent on the stated shares.

        The expected Fisher information (parameters, parameters) after the shares are integrated
        out; changes (parameters, statistics) as in `ReportLikelihood`.
        """
        held, precision = self.given(statistics), self._prior_precision(statistics)
        roots = held.roots(statistics)[:, None]
        moved = (held.weights @ changes.T) * roots
        shifted = self.terms.slopes(statistics) * roots
        both = shifted.T @ moved
        lost = both.T @ np.linalg.solve(shifted.T @ shifted + precision, both)
        information: Floats = moved.T @ moved - lost
        return information

    def _with(self, stated: Floats, log_prior: float) -> ReportLikelihood:
        return replace(self.reports, weights=self.terms.weights(stated), log_prior=log_prior)

    def _lengths(self, statistics: Floats) -> Floats:
        """Return the most likely shares of ballots of 0, 1, ... items, and of all (items,)."""
        by_length = np.tri(self.n_items, self.n_items - 1, -1)  # which shares a length counts in
        empty = self._of_nothing @ statistics
        cells = empty[:, None] + self.terms.slopes(statistics) @ by_length.T
        chances = self.reports.floors[:, None] + self.reports.gaps[:, None] * np.maximum(cells, 0.0)
        return most_likely_lengths(self.reports.counts, chances)

    @cached_property
    def _of_nothing(self) -> csr_array:
        """The weights of people who rank nothing."""
        return self.terms.weights(np.zeros(self.n_items - 1))

    def _prior_precision(self, statistics: Floats) -> Floats:
        if self.unranked == "unknown":
            return self._seen_pairs.prior_precision
        lengths = self._lengths(statistics)
        steps = np.eye(self.n_items, self.n_items - 1, -1) - np.eye(self.n_items, self.n_items - 1)
        precision: Floats = IMAGINED * steps.T @ (steps / lengths[:, None] ** 2)
        return precision

    @cached_property
    def _seen_pairs(self) -> SeenPairs:
        """Judge by the cells of what is not stated: their chances depend on nothing else."""
        cells, pairs = self.terms.unstated_cells
        held = self.reports
        of_cells = (each[cells] for each in (held.counts, held.n_reports, held.gaps, held.floors))
        return SeenPairs.of(self.n_items, pairs, *of_cells)


def longer_than(lengths: Floats) -> Floats:
    """Return the shares of ballots of more than 0, 1, ... items: of lengths (items,), one fewer."""
    shares: Floats = lengths[::-1].cumsum()[::-1][1:]
    return shares

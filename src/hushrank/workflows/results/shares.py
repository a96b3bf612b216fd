"""Shares of people, each with the interval in which it is likely to be."""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Floats
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome
from hushrank.protocols.learnt.models import LearntFit
from hushrank.protocols.learnt.orders import LearntMargins, LearntOrder, LearntPairs
from hushrank.rankings.marginals import first_order_marginals, majority
from hushrank.workflows.results.collection import Collection

SURE = 1.96
"""Standard errors on both sides of a 95 % interval."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimates:
    """Shares (items, columns) of people, and their 95 % intervals; `low` is None if unknown."""

    shares: Floats
    low: Floats | None = None
    high: Floats | None = None

    @classmethod
    def within(cls, shares: Floats, errors: Floats) -> "Estimates":
        """Take standard errors on both sides; a share of people is between 0 and 1."""
        low, high = (np.clip(shares + sign * SURE * errors, 0, 1) for sign in (-1, 1))
        return cls(np.clip(shares, 0, 1), low, high)


def rank_shares(collection: Collection) -> Estimates | None:
    """Return which share of the people puts an item at a rank: (items, ranks), by number.

    None where one order only was learnt; without intervals where the protocol states none, or asks
    for pairs alone, as where what is left out is unknown: ranks are then the prior's guess.
    """
    learnt = collection.outcome.result
    if isinstance(learnt, LearntFit):
        found = learnt.outcome.estimates
        if isinstance(learnt.outcome, MaxEntropyOutcome) and learnt.outcome.unranked == "unknown":
            return Estimates(found.at)
        return Estimates.within(found.at, found.at_errors)
    if not collection.protocol.has_model:
        return None
    return Estimates(first_order_marginals(collection.synthetic))


def pair_shares(collection: Collection) -> Estimates | None:
    """Return which share puts the row's item before the column's: (items, items), by number.

    None where scores only were learnt; without intervals where the protocol states none.
    """
    learnt = collection.outcome.result
    if isinstance(learnt, LearntFit):
        found = learnt.outcome.estimates
        return Estimates.within(found.precedences, found.precedence_errors)
    if isinstance(learnt, LearntPairs | LearntMargins):
        return _of_margins(learnt)
    if isinstance(learnt, LearntOrder) or not collection.protocol.has_model:
        return None
    synthetic = collection.synthetic
    shares = majority(synthetic) / synthetic.n_people
    np.fill_diagonal(shares, 0.5)
    return Estimates(shares)


def _of_margins(learnt: LearntPairs | LearntMargins) -> Estimates:
    """Take mean and standard deviation of what is believed of each pair's margin."""
    mean, errors = learnt.posterior.margins, np.sqrt(learnt.posterior.variances)
    return Estimates.within(0.5 + mean / 2, errors / 2)

"""One round for one order: small blocks of items and whole orders, and all reports together.

Theory: docs/theory/one-order.md.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.exact.subset_program import MOST_ITEMS_OF_SETS
from hushrank.aggregators.from_reports.block_reports import reports_of_blocks, shared_noise
from hushrank.aggregators.from_reports.pair_scores import estimate_pairs_together
from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins, EstimatedScores
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of
from hushrank.arrays import Floats, Order
from hushrank.errors import require
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.protocols.orders.order_design import (
    LARGEST_BLOCK,
    OrderDesign,
    block_survey,
    choose_order_design,
    whole_survey,
)
from hushrank.protocols.orders.subset_order import estimated_mean_ranks
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.distances import improved_order
from hushrank.surveys.survey import Round, RoundTallies, Survey, Tallies

MOST_ITEMS = 100
"""100 items have 4,950 pairs; what is known of them is weighed in seconds."""


@dataclass(frozen=True, eq=False, repr=False)
class OneOrder:
    """What was asked, which was chosen before, and all that the reports say of the margins."""

    design: OrderDesign
    known: EstimatedMargins

    def __repr__(self) -> str:
        """Say what was asked."""
        return f"OneOrder({self.design})"

    @cached_property
    def posterior(self) -> Posterior:
        """What the noise of the reports leaves open of the margins."""
        return posterior_of(self.known)

    @cached_property
    def order(self) -> Order:
        """The items, best first: the order of least expected Kendall cost.

        Exact for up to 22 items; beyond, no single item can be moved to a better place.
        """
        shares = (1 + self.posterior.margins) / 2
        np.fill_diagonal(shares, 0.0)
        if len(shares) <= MOST_ITEMS_OF_SETS:
            return kemeny(shares).order
        return improved_order(shares, borda(shares))


def one_order(
    n_items: int, *, epsilon: float, n_people: int, design: OrderDesign | None = None
) -> Generator[Round, RoundTallies, OneOrder]:
    """Ask some people for the orders of blocks, others for the whole order; return one order.

    `n_people` = how many are expected to answer; it only decides the design, if none is given.
    Deterministic in the tallies. Converges: with more people the order's expected cost comes as
    near to the least one as one likes, whatever they prefer, because every pair is asked about.
    Privacy: epsilon-LDP for each person, in nats; a person answers one of the surveys.
    Raises HushrankError, before anybody is asked, for parameters that do not fit, and when nobody
    answered.
    """
    fits = 2 <= n_items <= MOST_ITEMS
    require(fits, f"order takes 2 to {MOST_ITEMS} items, got {n_items}: protocol pairs takes more")
    if design is None:
        design = choose_order_design(n_items, epsilon=epsilon, n_people=n_people)
    whole = 2 <= design.block_size <= min(n_items, LARGEST_BLOCK)
    require(whole, f"expected blocks of 2 to {min(n_items, LARGEST_BLOCK)} items")
    surveys = [block_survey(n_items, epsilon, design)]
    if design.whole_share:
        surveys.append(whole_survey(n_items, epsilon, design))
    tallies = yield tuple(surveys)
    return OneOrder(design, known_margins(n_items, surveys, tallies))


def known_margins(
    n_items: int, surveys: Sequence[Survey], tallies: RoundTallies
) -> EstimatedMargins:
    """Return what the tallies of blocks, and of whole orders if there are any, say of margins.

    Raises HushrankError when nobody answered at all.
    """
    n_blocks = sum(tally.n_reports for tally in tallies[0])
    n_whole = tallies[-1][0].n_reports if len(surveys) > 1 else 0
    require(n_blocks + n_whole > 0, "cannot estimate margins from 0 reports")
    n_people = round(n_blocks / surveys[0].answers_per_person) + n_whole
    blocks = cast("tuple[RelativeOrder, ...]", surveys[0].questions)
    mechanism = cast(GeneralizedRandomizedResponse, surveys[0].mechanisms[0])
    reports = reports_of_blocks(n_items, blocks, mechanism, tallies[0], n_people)
    estimates = estimate_pairs_together(reports)
    shared = shared_noise(n_items, blocks, reports, n_blocks)
    scores = _scores(surveys[-1], tallies[-1], n_whole / n_people) if n_whole else None
    return EstimatedMargins(estimates.margins, estimates.variances, shared, scores, n_people)


def _scores(survey: Survey, tallies: Tallies, share: float) -> EstimatedScores:
    """Return what mean ranks say of sums of margins: minus twice the centred mean rank.

    The noise is that of uniform reports, less what is no noise where all are asked: signal^2 of the
    variance is the people's own, of which `share` were drawn.
    """
    mechanism = cast(SubsetOrder, survey.mechanisms[0])
    learnt = estimated_mean_ranks(mechanism, tallies[0])
    centred: Floats = learnt.mean_ranks - learnt.mean_ranks.mean()
    return EstimatedScores(-2 * centred, 4 * (1 - mechanism.signal**2 * share) * learnt.covariance)

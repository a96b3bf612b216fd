"""From the tallies of a survey to the shares of its answers."""

import numpy as np

from hushrank.arrays import Shares
from hushrank.estimators.shares import (
    PostProcess,
    possible_shares,
    share_variance,
    shrunk_shares,
    unbiased_shares,
)
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.surveys.survey import Survey, Tallies


def survey_shares(
    survey: Survey,
    tallies: Tallies,
    *,
    post_process: PostProcess = "simplex",
    shrink: bool = False,
) -> tuple[Shares, ...]:
    """Estimate the shares (k,) of the answers to each question, as probabilities.

    A question that nobody answered has uniform shares. `shrink` pulls the unbiased shares towards
    uniform by their noise before they are made possible.
    Differs from the source: divides by the number of people who answered this question, not by
    n / |A|; the same expectation, less variance.   Source: Yang et al. (ICDE 2019), Algorithm 1.
    """
    return tuple(
        _shares(mechanism, tally, post_process, shrink)
        for mechanism, tally in zip(survey.local_mechanisms, tallies, strict=True)
    )


def _shares(
    mechanism: LocalMechanism, tally: Tally, post_process: PostProcess, shrink: bool
) -> Shares:
    uniform = np.full(mechanism.n_categories, 1 / mechanism.n_categories)
    if tally.n_reports == 0:
        return uniform
    shares = unbiased_shares(mechanism, tally)
    if shrink:
        shares = shrunk_shares(shares, share_variance(mechanism, uniform, tally.n_reports))
    return possible_shares(shares, post_process)

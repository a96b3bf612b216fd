"""The report of an aggregation."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hushrank.aggregators.posterior import Posterior
from hushrank.aggregators.private_order import PrivateOrder
from hushrank.aggregators.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Shares
from hushrank.cli.aggregation import Aggregated
from hushrank.evaluation.order_report import OrderPage, write_order_report
from hushrank.rankings.profile import Rankings

WARNING = (
    "<strong>Do not publish this page.</strong> What is marked “raw ballots” is exact, and not"
    " protected by any privacy guarantee; only the order, its probabilities and its intervals are."
)


def write_page(
    path: Path, rankings: Rankings, result: Aggregated, figures: Mapping[str, str], *, title: str
) -> None:
    """Write the order with its intervals, and the pair majorities with and without noise."""
    private = result.private
    posterior = None if private is None else posterior_of(private)
    decided = np.maximum(result.counts + result.counts.T, 1)
    shares: dict[str, Shares] = {"raw ballots": result.counts / decided}
    if private is not None and private.noisy_margins is not None:
        shares["with noise, released"] = _shares(private.noisy_margins)
    page = OrderPage(
        title=title,
        statement=result.guarantee,
        warning=WARNING,
        figures={label.replace(" *", " (raw ballots)"): each for label, each in figures.items()},
        names=rankings.names,
        order=result.order,
        confidence=None if private is None else private.confidence,
        intervals=None if posterior is None else posterior.rank_intervals(),
        pair_shares=shares,
    )
    write_order_report(path, page)


def posterior_of(private: PrivateOrder) -> Posterior | None:
    """Return what a release leaves open: from what was released alone; None where it cannot tell.

    The noise is taken as normal, with its own standard deviation.
    """
    if private.noise_sd is None:
        return None
    if private.noisy_margins is not None:
        margins = private.noisy_margins
        if np.isnan(margins).any():
            return None
        unit = np.abs(margins).max()
        variances = np.full_like(margins, (private.noise_sd / unit) ** 2)
        return posterior_of_margins(margins / unit, variances)
    if private.noisy_scores is None:
        return None
    covariance = private.noise_sd**2 * np.eye(len(private.noisy_scores))
    return posterior_of_scores(private.noisy_scores, covariance)


def _shares(margins: Shares) -> Shares:
    """Return shares of people from noisy margins, as if the largest margin were unanimous."""
    shares: Shares = 0.5 + margins / (2 * np.nanmax(np.abs(margins)))
    return shares

"""The report of a collection."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hushrank.arrays import Shares
from hushrank.cli.collection import Collected
from hushrank.models.riffle import RiffleModel
from hushrank.protocols.max_entropy import MaxEntropyOutcome
from hushrank.protocols.pairs import PairOutcome
from hushrank.questions.stated import Unranked
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.reports.collection_page import WARNING, write_collection_report
from hushrank.reports.order_page import OrderPage, SureOrder, write_order_report


def write_page(
    path: Path,
    collected: Collected,
    true: Rankings,
    table: Mapping[str, str],
    *,
    title: str,
    unranked: Unranked = "unknown",
) -> None:
    """Write what was learnt beside the truth: marginals, an order's intervals, or both.

    Rankings that leave items out have no marginals to be compared with: the page is about pairs.
    """
    figures = {
        label.replace(" *", " (from the raw rankings)"): each for label, each in table.items()
    }
    if collected.synthetic is None or not true.is_complete:
        write_order_report(path, _order_page(collected, true, unranked, figures, title))
        return
    model, posterior = collected.outcome.result, collected.posterior
    sure = None
    if posterior is not None:
        sure = SureOrder(collected.order, collected.confidence, posterior.rank_intervals())
    write_collection_report(
        path,
        collected=collected.synthetic,
        true=true,
        chain=model.chain if isinstance(model, RiffleModel) else None,
        title=title,
        privacy_statement=collected.outcome.privacy_statement,
        figures=figures,
        sure=sure,
    )


def true_shares(true: Rankings, unranked: Unranked) -> Shares:
    """Return the share who put a before b, of those who say (items, items): nan if nobody does."""
    counts = majority(true, unranked=unranked)
    deciding = counts + counts.T
    shares: Shares = np.divide(
        counts, deciding, where=deciding > 0, out=np.full(counts.shape, np.nan)
    )
    return shares


def _order_page(
    collected: Collected,
    true: Rankings,
    unranked: Unranked,
    figures: Mapping[str, str],
    title: str,
) -> OrderPage:
    learnt, posterior = collected.outcome.result, collected.posterior
    shares: dict[str, Shares] = {"true": true_shares(true, unranked)}
    if isinstance(learnt, MaxEntropyOutcome):
        shares["of the model"] = learnt.model.precedences
    if isinstance(learnt, PairOutcome) and posterior is not None:
        shares["reported, noise and all"] = 0.5 + learnt.estimates.margins / 2
        shares["most likely, given the noise"] = 0.5 + posterior.margins / 2
    return OrderPage(
        title=title,
        statement=collected.outcome.privacy_statement,
        warning=WARNING,
        figures=figures,
        names=true.names,
        order=collected.order,
        confidence=collected.confidence,
        intervals=None if posterior is None else posterior.rank_intervals(),
        pair_shares=shares,
    )

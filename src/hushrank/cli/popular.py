"""What a collection shows of the orders that many people hold."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from hushrank.protocols.max_entropy import MaxEntropyOutcome
from hushrank.protocols.popular_orders import PopularOrdersOutcome

Fitted: TypeAlias = MaxEntropyOutcome | PopularOrdersOutcome
"""What max-entropy learns, without and with --popular-orders."""


def popular_summary(learnt: Any) -> dict[str, str]:
    """Say how many popular orders were found, and how many people hold them: standard error."""
    if not isinstance(learnt, PopularOrdersOutcome):
        return {}
    n_found, share, error = len(learnt.popular.shares), learnt.popular.share, learnt.share_error
    held = f"{n_found} found: {100 * share:.1f} % \N{PLUS-MINUS SIGN} {100 * error:.1f} % of people"
    return {"popular orders": held if n_found else "none found"}


def popular_as_json(learnt: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Return the popular orders with their shares, None where nobody was asked for them."""
    if not isinstance(learnt, PopularOrdersOutcome):
        return None
    popular = learnt.popular
    each = zip(popular.orders.tolist(), popular.shares, learnt.share_errors, strict=True)
    return {
        "share": popular.share,
        "share_error": learnt.share_error,
        "orders": [
            {
                "order": [names[item] for item in order],
                "share": float(share),
                "share_error": float(error),
            }
            for order, share, error in each
        ],
    }

"""What a maximum-entropy fit found, how near it came and how well it fits: words and JSON."""

from collections.abc import Sequence
from math import ceil
from typing import Any, cast

from hushrank.estimators.chains.fit import ChainFit
from hushrank.estimators.goodness_of_fit import GoodnessOfFit, chance_in_words
from hushrank.estimators.popular.in_ordinary_reports import FoundOrders
from hushrank.estimators.popular.unseen import UnseenOrder
from hushrank.estimators.ranks.fit import RankFit
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome
from hushrank.protocols.distributions.popular_orders import PopularOrdersOutcome
from hushrank.protocols.distributions.question_mix import mix_in_words

MATTERS = 1.25
"""How many times stated errors an unseen order must make them for people to be told in words."""
MOST_EXACT = 0.99
"""The largest chance that is said, in words, of an order's being just the one that people hold."""
MANY_ITEMS = (
    "of so many items an exact order that many people hold can go unseen, and one that is found can"
    " differ from theirs; where orders are handed out, such as how-to-vote cards, errors are larger"
)


def asked(fitted: MaxEntropyOutcome) -> dict[str, str]:
    """Say what people were asked, and how far from uniform they were taken to be."""
    return {
        "questions": mix_in_words(fitted.mix),
        "prior": f"{fitted.prior}, scale {fitted.scale:.2g}",
        **_chance_words(fitted.fit),
    }


def _chance_words(fit: RankFit | ChainFit) -> dict[str, str]:
    """Say how near the chains of many items came, what their chance adds, and what they miss."""
    if not isinstance(fit, ChainFit):
        return {}
    model = fit.point.model
    came = "settled" if fit.has_converged else "DID NOT SETTLE, do not rely on the model"
    near = f"{max(fit.off, fit.wide_off):.2f} standard errors off, R-hat {model.r_hat:.3f}"
    drawn = f"{model.effective_draws:,.0f} draws, whose chance is a Q2 of"
    said = f"{came}: {near}, {drawn} {model.second_order_error:.3f}"
    return {"chains": said, "unseen orders": MANY_ITEMS}


def chance_json(fit: RankFit | ChainFit) -> dict[str, Any]:
    """Return the same for JSON."""
    if not isinstance(fit, ChainFit):
        return {}
    model = fit.point.model
    said = {
        "settled": fit.has_converged,
        "standard_errors_off": max(fit.off, fit.wide_off),
        "r_hat": model.r_hat,
        "effective_draws": model.effective_draws,
        "q2_error": model.second_order_error,
    }
    return {"chains": said}


def popular_words(found: PopularOrdersOutcome | FoundOrders) -> dict[str, str]:
    """Say how many popular orders were found, and how many people hold them: standard error.

    Reports that did not ask for them hardly tell an order from those a few swaps away.
    """
    n_found, share, error = len(found.popular.shares), found.popular.share, found.share_error
    held = f"{n_found} found: {100 * share:.1f} % \N{PLUS-MINUS SIGN} {100 * error:.1f} % of people"
    near = " hold them, or orders near them" if isinstance(found, FoundOrders) else ""
    exact = [f"{min(each, MOST_EXACT):.2f}" for each in _exact(found) if each is not None]
    near += f" (just these with probability {', '.join(exact)})" if exact else ""
    return {"popular orders": held + near if n_found else "none found"}


def popular_json(found: PopularOrdersOutcome | FoundOrders, names: Sequence[str]) -> dict[str, Any]:
    """Return the popular orders with their shares, and how likely it is just these."""
    popular = found.popular
    shares = popular.shares, found.share_errors
    each = zip(popular.orders.tolist(), *shares, _exact(found), strict=True)
    orders = [
        {
            "order": [names[item] for item in cast("list[int]", order)],
            "share": float(share),
            "share_error": float(error),
            "exact": exact,
        }
        for order, share, error, exact in each
    ]
    together = {"share": popular.share, "share_error": found.share_error}
    return {"popular_orders": {**together, "orders": orders}}


def _exact(found: PopularOrdersOutcome | FoundOrders) -> list[float | None]:
    """Return how likely people hold just each order; None where that is not known."""
    known = found.exact if isinstance(found, FoundOrders) else None
    return [None] * len(found.popular.shares) if known is None else known.tolist()


def unseen_words(unseen: UnseenOrder | None) -> dict[str, str]:
    """Say which exact orders so few reports would not show, where that matters; else nothing."""
    if unseen is None or unseen.errors < MATTERS:
        return {}
    share, times = ceil(100 * unseen.share), ceil(10 * unseen.errors) / 10
    said = (
        f"an exact order that {share} % of people hold goes unseen in half of such surveys; where"
        " one is handed out, such as how-to-vote cards, or camps all but agree on a first choice,"
        f" read errors {times:.1f} times as wide"
    )
    return {"unseen orders": said}


def unseen_json(unseen: UnseenOrder | None) -> dict[str, Any]:
    """Return the same for JSON, whether it matters or not."""
    if unseen is None:
        return {}
    return {"unseen_orders": {"share": unseen.share, "errors_if_there_is_one": unseen.errors}}


def goodness_words(goodness: GoodnessOfFit | None) -> dict[str, str]:
    """Say that the reports do not fit the model, and what was done about it; else nothing."""
    if goodness is None or goodness.fits:
        return {}
    chance = chance_in_words(goodness.p_value)
    said = (
        f"the reports do not fit the model (chance {chance} if it were right):"
        f" read it with care; errors are widened {goodness.inflation:.2f} times"
    )
    return {"fit": said}


def goodness_json(goodness: GoodnessOfFit | None) -> dict[str, Any]:
    """Return Pearson's statistic of the reports, what is expected of it, and what follows."""
    if goodness is None:
        return {}
    return {
        "goodness_of_fit": {
            "statistic": goodness.statistic,
            "expected": goodness.expected,
            "p_value": goodness.p_value,
            "fits": goodness.fits,
            "errors_widened": goodness.inflation,
        }
    }

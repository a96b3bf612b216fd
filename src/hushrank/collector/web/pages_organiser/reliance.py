"""How far to rely on a result: whether reports fit the model, and whether its chains settled."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from hushrank.collector.web.pages_organiser.words import Words
from hushrank.estimators.goodness_of_fit import chance_in_words
from hushrank.protocols.learnt.fit_words import MATTERS


@dataclass(frozen=True)
class Reliance:
    """What speaks for a result, or against it: a name, and in the words of `hushrank collect`."""

    name: str
    said: str
    is_alarming: bool


def reliance_on(t: Words, named: Mapping[str, Any]) -> tuple[Reliance, ...]:
    """Return what is known of it; named: as `Shown`, from the reports alone."""
    unseen = _unseen(t, named.get("unseen_orders"))
    return (*_fit(t, named.get("goodness_of_fit")), *_chains(t, named.get("chains")), *unseen)


def _fit(t: Words, fit: Mapping[str, Any] | None) -> Iterator[Reliance]:
    if fit is None:
        return
    chance, times = chance_in_words(fit["p_value"]), t.number(fit["errors_widened"], 2)
    said = t("fit.is") if fit["fits"] else t("fit.not", chance=chance, times=times)
    yield Reliance(t("fit"), said, is_alarming=not fit["fits"])


def _chains(t: Words, chains: Mapping[str, Any] | None) -> Iterator[Reliance]:
    if chains is None:
        return
    said = t(
        "chains.settled" if chains["settled"] else "chains.not",
        off=t.number(chains["standard_errors_off"], 2),
        r_hat=t.number(chains["r_hat"], 3),
        draws=t.number(chains["effective_draws"]),
        error=t.number(chains["q2_error"], 3),
    )
    yield Reliance(t("chains"), said, is_alarming=not chains["settled"])
    yield Reliance(t("unseen"), t("unseen.many"), is_alarming=False)


def _unseen(t: Words, unseen: Mapping[str, Any] | None) -> Iterator[Reliance]:
    """Yield which exact orders so few reports would not show, where that matters."""
    if unseen is None or unseen["errors_if_there_is_one"] < MATTERS:
        return
    share = t.number(ceil(100 * unseen["share"]))
    times = t.number(ceil(10 * unseen["errors_if_there_is_one"]) / 10, 1)
    yield Reliance(t("unseen"), t("unseen.may", share=share, times=times), is_alarming=False)

"""What the planner foretells, in the organiser's language."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from hushrank.accounting.rounding import exp_above
from hushrank.collector.forecast import Forecast, foretell
from hushrank.collector.web.pages_organiser.words import Words

NOBODY_IS_SURE = 95
"""Of 100 people: a majority that hardly any survey has."""


@dataclass(frozen=True)
class ForecastWords:
    """A headline, and lines below; `known`: which part of the order is learnt, None if unknown."""

    headline: str
    lines: tuple[str, ...]
    known: float | None = None
    known_words: str = ""
    known_divided: float | None = None
    known_divided_words: str = ""


def forecast_words(
    t: Words, *, protocol: str, items: int, people: int, epsilon: float
) -> ForecastWords:
    """Say what to expect of a survey."""
    if items < 2 or people < 1:
        return ForecastWords(t("forecast.waiting"), ())
    found = foretell(protocol, items, people, epsilon)
    if found is None:
        return ForecastWords(t("forecast.none"), (t("forecast.none.text"),))
    return ForecastWords(
        t(f"forecast.level.{found.level}", people=people),
        tuple(_lines(t, found, people)),
        found.known,
        t.percent(found.known),
        found.known_divided,
        t.percent(found.known_divided),
    )


def _lines(t: Words, found: Forecast, people: int) -> list[str]:
    lines = []
    if found.is_of_fewer:
        lines.append(t("forecast.fewer", simulated=found.people))
    if found.majority is not None and found.majority < NOBODY_IS_SURE:
        lines.append(t("forecast.majority", n=found.majority, rest=100 - found.majority))
    elif found.majority is not None:
        lines.append(t("forecast.no_majority"))
    if found.level_divided != found.level:
        lines.append(t(f"forecast.divided.{found.level_divided}"))
    if found.enough is None:
        lines.append(t("forecast.never_enough"))
    elif found.enough > people:
        lines.append(t("forecast.enough", enough=found.enough))
    return lines


def lies_of(epsilon: float) -> int:
    """Return how many of 100 answers to a yes-or-no question are lies at least: rounded down."""
    return floor(100 / (Fraction(exp_above(epsilon)) + 1))

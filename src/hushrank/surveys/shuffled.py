"""What an accountant of shuffled reports must know of a round.

Theory: docs/theory/shuffling.md.
"""

from fractions import Fraction
from math import inf, nextafter

from hushrank.errors import require
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.samplers.word_probabilities import WORDS, exp_below
from hushrank.surveys.survey import Round, Survey, asks_everybody

GRAIN = Fraction(1, 2**53)
"""Lots are so fine: a part of the people may be as much larger than its interval."""


def local_epsilon(surveys: Round) -> float:
    """Return what one person's report of a round costs at most, in nats, whoever sees it."""
    return max(survey.epsilon for survey in surveys)


def clone_rate(surveys: Round) -> float:
    """Return how likely a report, whatever its sender thinks, is one of two given rankings' own.

        r = sum over questions of P(question) min(M q, 1 / (e^ε + 1))

    where q = P(an answer is reported that does not hold), M = how many hold, and M q is taken as
    infinite where reports are not of that kind. Exact in words of the rounded channel, then rounded
    up. The same bound holds for all pairs of rankings.
    Raises HushrankError unless everybody is asked one of the surveys, which one being decided by a
    lot that the person's own device draws and nobody else learns.
    """
    _require_everybody(surveys)
    most = 1 / (exp_below(local_epsilon(surveys)) + 1)
    rate = sum((_part(survey) * _rate(survey, most) for survey in surveys), Fraction(0))
    return _above(min(rate, most))


def _rate(survey: Survey, most: Fraction) -> Fraction:
    """Return the mean over the questions, each as likely as the others."""
    if survey.answers_per_person > 1:
        return most
    rates = {each: min(most, _rate_of(each)) for each in survey.distinct_mechanisms}
    total = sum((rates[each] for each in survey.mechanisms), Fraction(0))
    return total / len(survey.mechanisms)


def _rate_of(mechanism: Reporting) -> Fraction:
    """Return M q, if each report is one category, and M of them hold for everybody; else 1."""
    if type(mechanism) is GeneralizedRandomizedResponse:
        return Fraction(mechanism.rates.false_hit_words, WORDS)
    if type(mechanism) is NamedMember:
        return Fraction(mechanism.n_members * mechanism.rates.false_hit_words, WORDS)
    return Fraction(1)


def _part(survey: Survey) -> Fraction:
    """Return which part of the people is asked, or a grain more."""
    low, high = map(Fraction, survey.lots)
    return min(Fraction(1), high - low + GRAIN)


def _require_everybody(surveys: Round) -> None:
    own = any(survey.is_personal for survey in surveys)
    require(not own, "shuffled: people with other budgets are no crowd; account for each budget")
    apart = "shuffled: expected every round to ask everybody, this one asks a part of them"
    require(asks_everybody(surveys), apart)


def _above(number: Fraction) -> float:
    return nextafter(float(number), inf)

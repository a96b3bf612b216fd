"""What all reports of one person cost together, in every protocol: exactly, by their words."""

from fractions import Fraction
from math import prod

import pytest

from hushrank.engines.local import run
from hushrank.protocols.registry import PROTOCOLS, Safari, make_protocol
from hushrank.randomness import Randomness
from tests.bounds import exponential_below
from tests.protocols.test_registry import people

OPTIONS = {
    "max-entropy": ({}, {"popular_orders": True}, {"unranked": "last"}, {"unranked": "unknown"}),
    "safari": (
        *({"mechanism": each} for each in ("grr", "rappor", "sh", "olh")),
        {"split": "people"},
    ),
    "pairs": ({}, {"queries": 1}, {"queries": 5}),
    "ldp-kwiksort-rr": ({}, {"queries": 4}),
    "ldp-kwiksort-lap": ({}, {"queries": 4}),
}
CASES = [(name, options) for name in PROTOCOLS for options in OPTIONS.get(name, ({},))]


def surveys_of(protocol, epsilon):
    """Return the surveys of all rounds: of a protocol of one round, without what it makes of it."""
    rounds = protocol.begin(5, epsilon=epsilon, n_people=60, seed=3)
    if not isinstance(protocol, Safari):
        return next(rounds)
    kept = []
    run(_recorded(rounds, kept), people(n_items=5), rng=Randomness.seeded(7))
    return kept


def _recorded(rounds, kept):
    """Pass a protocol's rounds on, and keep their surveys."""
    asked = next(rounds)
    while True:
        kept += asked
        try:
            asked = rounds.send((yield asked))
        except StopIteration as ended:
            return ended.value


def worst_ratio(mechanism):
    """Return the largest ratio of the chances of any report, from whole numbers of words."""
    return mechanism.rates.worst_ratio if hasattr(mechanism, "rates") else mechanism.worst_ratio


def dearest(survey):
    """Return the largest ratio of all the answers that one person gives to a survey."""
    ratios = sorted((worst_ratio(mechanism) for mechanism in survey.mechanisms), reverse=True)
    return prod(ratios[: survey.answers_per_person])


def price_of_a_person(surveys):
    """Return the largest product over the surveys that hold one lot: nobody is in others, too."""
    lots = sorted({survey.lots[0] for survey in surveys})
    return max(
        prod(dearest(each) for each in surveys if each.lots[0] <= lot < each.lots[1])
        for lot in lots
    )


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1 / 3, 2.7])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_all_reports_of_a_person_cost_at_most_epsilon_and_nearly_all_of_it(name, options, epsilon):
    price = price_of_a_person(surveys_of(make_protocol(name, options), epsilon))
    assert price <= exponential_below(epsilon)
    spent = 0.7 if name == "ldp-kwiksort-lap" else 1 - 1e-9  # which states more than it costs
    assert price >= exponential_below(Fraction(epsilon) * Fraction(spent))

"""Whether reports look like what honest devices can send.

Theory: docs/theory/forged-reports.md.
"""

from hushrank.poisoning.answers import suspicion_of_answers
from hushrank.poisoning.dealing import suspicions_of_dealing
from hushrank.poisoning.findings import AnsweredQuestion, Suspicion
from hushrank.poisoning.sums import suspicion_of_sums
from hushrank.surveys.survey import Survey, Tallies

FALSE_ALARM = 1e-3
"""How often reports of honest devices alone raise suspicion, at most, whatever people think."""


def suspicion(survey: Survey, tallies: Tallies, *, false_alarm: float = FALSE_ALARM) -> Suspicion:
    """Test whether reports of honest devices, whatever people think, can have these tallies.

    Four kinds of tests: of each answer of each question (exact binomial tails); of each item, all
    answers that put it first; of what unary and hashed reports speak for in all; and of each item,
    how many reports there are on questions about it (the last three by Chernoff bounds). The first
    kind has one half of `false_alarm`, the others have the other half, evenly (Bonferroni). Where
    several surveys are tested, divide it by their number.
    """
    asked = [
        AnsweredQuestion(number, *each)
        for number, each in enumerate(
            zip(survey.questions, survey.mechanisms, tallies, strict=True)
        )
        if each[2].n_reports > 0
    ]
    of_dealing = tuple(suspicions_of_dealing(survey, tallies))
    of_sums = suspicion_of_sums(asked, of_dealing, false_alarm)
    halves = (suspicion_of_answers(asked, false_alarm), of_sums)
    found = (finding for half in halves for finding in half.findings)
    return Suspicion(
        min(half.p_value for half in halves),
        sum(half.n_tests for half in halves),
        tuple(sorted(found, key=lambda each: each.p_value)),
    )

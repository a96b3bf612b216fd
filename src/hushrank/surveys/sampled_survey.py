"""The survey in which everybody answers one question, drawn at random."""

from collections.abc import Sequence

from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.question import Question
from hushrank.surveys.survey import EVERY_BUDGET, MakeMechanism, Survey


def sampled_survey(
    name: str,
    questions: Sequence[Question],
    epsilon: float,
    *,
    make_mechanism: MakeMechanism = GeneralizedRandomizedResponse,
    lots: tuple[float, float] = (0.0, 1.0),
    budgets: tuple[float, float] = EVERY_BUDGET,
) -> Survey:
    """Return the survey in which everybody spends all of epsilon on one question drawn at random.

    Privacy: ε-LDP for each person asked. With generalised randomised response this is SAFA.
    Source: Yang et al. (ICDE 2019), Algorithm 1.
    """
    mechanisms = tuple(make_mechanism(question.n_categories, epsilon) for question in questions)
    return Survey(name, tuple(questions), mechanisms, epsilon, lots=lots, budgets=budgets)

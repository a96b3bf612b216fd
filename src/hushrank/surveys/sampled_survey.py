"""The survey in which everybody answers one question, drawn at random."""

from collections.abc import Sequence

from hushrank.mechanisms.local import LocalMechanism
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.named_set import NamedSet
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

    A question that several answers fit is hidden by naming one of them, whatever `make_mechanism`.
    Privacy: ε-LDP for each person asked. With generalised randomised response this is SAFA.
    Source: Yang et al. (ICDE 2019), Algorithm 1.
    """
    mechanisms = tuple(mechanism_for(each, epsilon, make_mechanism) for each in questions)
    return Survey(name, tuple(questions), mechanisms, epsilon, lots=lots, budgets=budgets)


def mechanism_for(
    question: Question, epsilon: float, make: MakeMechanism = GeneralizedRandomizedResponse
) -> LocalMechanism:
    """Return what hides the answers of a question: `make`, where one answer fits a ranking."""
    if isinstance(question, NamedSet):
        return NamedMember(question.n_categories, epsilon, question.n_members)
    return make(question.n_categories, epsilon)

"""Who answers which question."""

import numpy as np
from numpy.typing import NDArray

from hushrank.randomness import Randomness
from hushrank.surveys.survey import Survey


def assign_questions(survey: Survey, n_people: int, *, rng: Randomness) -> NDArray[np.uint16]:
    """Draw the questions (people, answers_per_person) of each person: uniform, distinct.

    Independent of everything that people would answer, so it needs no protection.
    Source: Floyd's sampling without replacement (Bentley, Floyd, CACM 1987).
    """
    n_questions, n_answers = len(survey.questions), survey.answers_per_person
    number = np.uint16 if n_questions <= 2**16 else np.uint32
    assigned = np.empty((n_people, n_answers), dtype=number, order="F")
    for nth, newest in enumerate(range(n_questions - n_answers, n_questions)):
        drawn = rng.below(newest + 1, n_people).astype(number)
        repeated = (assigned[:, :nth] == drawn[:, None]).any(axis=1)
        assigned[:, nth] = np.where(repeated, newest, drawn)
    return assigned

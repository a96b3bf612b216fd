"""What one forged report weighs beside honest ones.

Theory: docs/theory/forged-reports.md.
"""

from dataclasses import dataclass
from typing import cast

from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism, Reporting
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.surveys.survey import Survey


@dataclass(frozen=True)
class Forgery:
    """What one forged report can do beside honest ones.

    weight: for how many honest people's reports to its question it counts. claims: for how many
    answers it can speak at once, where an honest person has one; 1 for whole orders. pull: how far
    an estimate that consisted of such reports alone would lie from what honest people hold, at most
    in shares, or in parts of all ranks. asked: the share of the people who are asked a question.
    """

    weight: float
    claims: int
    pull: float
    asked: float = 1.0

    def shift(self, n_forged: int, n_honest: int, *, picks: bool = False) -> float:
        """Return by how much forged reports move an estimated share at most, of 0 to 1.

        They are assigned to questions as honest ones are, so each question has its part of them; or
        all `picks` one question, by a lot that suits, or by joining until it does.
        """
        require(n_forged >= 0 and n_honest >= 0, "expected numbers of reports of at least 0")
        n_reports = n_forged + n_honest * (self.asked if picks else 1.0)
        return min(1.0, self.pull * n_forged / n_reports) if n_reports else 0.0


def weight_of(*surveys: Survey) -> Forgery:
    """Return what one forged report of surveys of different people can do: the worst of each."""
    mechanisms = [each for survey in surveys for each in survey.distinct_mechanisms]
    return Forgery(
        max(map(_weight, mechanisms)),
        max(map(_claims, mechanisms)),
        max(map(pull_of, mechanisms)),
        min(map(_asked, surveys)),
    )


def _asked(survey: Survey) -> float:
    low, high = survey.lots
    return (high - low) * survey.answers_per_person / len(survey.questions)


def pull_of(mechanism: Reporting) -> float:
    """Return how far from the truth reports can lie that are all forged.

        max(1 - q, p) / (p - q)

    Where all of them speak for an answer that nobody holds, or none for one that everybody holds.
    """
    if isinstance(mechanism, SubsetOrder):
        return (1 / mechanism.signal + 1) / 2
    rates = cast(LocalMechanism, mechanism).rates
    return max(1 - rates.false_hit_rate, rates.hit_rate) / rates.reach


def _weight(mechanism: Reporting) -> float:
    if isinstance(mechanism, SubsetOrder):
        return 1 / mechanism.signal
    rates = cast(LocalMechanism, mechanism).rates
    return max(1 - rates.false_hit_rate, rates.false_hit_rate) / rates.reach


def _claims(mechanism: Reporting) -> int:
    single = isinstance(mechanism, GeneralizedRandomizedResponse | NamedMember | SubsetOrder)
    return 1 if single else mechanism.n_categories

"""Figure 2 of SAFARI: the error of the answers to Rule I, collected by SAFA and by Harmony."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import pi, sqrt

import numpy as np

from hushrank.arrays import Shares
from hushrank.estimators.shares import possible_shares, unbiased_shares
from hushrank.evaluation.metrics import marginal_distance
from hushrank.experiments.experiment import (
    Draws,
    Experiment,
    Group,
    Measurement,
    Quantity,
)
from hushrank.experiments.figures.safari.figure_1 import EPSILONS, QUICK_EPSILONS, first_items
from hushrank.experiments.on_rankings.tallies import simulated_tallies
from hushrank.experiments.pictures.treatments import TREATMENT_TABLE, treatment_views
from hushrank.experiments.populations import Populations
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.rank_and_precedence import rank_and_precedence_questions
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import MakeMechanism

ROWS: Mapping[str, tuple[Group, ...]] = {"Rule I": ("proposed", "compared", "reference")}

TRUTHFUL_EPSILON = 40.0
"""Where randomised response lies with probability below 1e-15."""


@dataclass(frozen=True, eq=False, repr=False)
class RuleOne:
    """One population that answers Rule I, each person one question, at one epsilon.

    Distances are total variations between the estimated and the true distribution of a question's
    answers (2 d cells), averaged over the questions. `true`: shares (questions, 2 d) of everybody.
    """

    rankings: Rankings
    true: Shares
    epsilon: float

    def collected(self, make_mechanism: MakeMechanism, draws: Draws) -> Mapping[Quantity, float]:
        """Collect with a mechanism; one tally is treated in every way."""
        questions = rank_and_precedence_questions(self.rankings.n_items)
        survey = sampled_survey("Rule I", questions, self.epsilon, make_mechanism=make_mechanism)
        tallies = simulated_tallies(survey, self.rankings, rng=draws.noise)
        uniform = np.full(self.true.shape[1], 1 / self.true.shape[1])
        raw = np.stack(
            [
                unbiased_shares(mechanism, tally) if tally.n_reports else uniform
                for mechanism, tally in zip(survey.local_mechanisms, tallies, strict=True)
            ]
        )
        return {
            "simplex": marginal_distance(possible_shares(raw, "simplex"), self.true),
            "clip": marginal_distance(possible_shares(raw, "clip"), self.true),
            "raw": marginal_distance(raw, self.true),
        }

    def of_uniform(self, draws: Draws) -> Mapping[Quantity, float]:
        """Ask nobody and call all answers equally likely."""
        uniform = np.full(self.true.shape, 1 / self.true.shape[1])
        return {"any": marginal_distance(uniform, self.true)}

    def without_noise(self, draws: Draws) -> Mapping[Quantity, float]:
        """Let the few people of each question answer truthfully: what sampling alone costs."""
        truthful = RuleOne(self.rankings, self.true, TRUTHFUL_EPSILON)
        return {"any": truthful.collected(GeneralizedRandomizedResponse, draws)["raw"]}

    def predicted(self, make_mechanism: MakeMechanism, draws: Draws) -> Mapping[Quantity, float]:
        """Predict the raw distance, from normal errors of m people's reports.

            E|error| = sqrt(2 / pi) sqrt(r (1 - r) / m) / (p - q)      r = q + share (p - q)

        m is binomial, and at least 1. Differs from the source: where SAFARI's theorem 4 gives
        Harmony about twice this variance, p and q of its noisy sign give what it has.
        """
        mechanism = make_mechanism(self.true.shape[1], self.epsilon)
        p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
        rates = q + self.true * (p - q)
        from scipy.stats import binom  # a second to load

        people = np.arange(1, self.rankings.n_people + 1)
        chances = binom.pmf(people, self.rankings.n_people, 1 / len(self.true))
        per_root_person = float(chances @ people**-0.5 / chances.sum())
        errors = sqrt(2 / pi) * np.sqrt(rates * (1 - rates)) * per_root_person / (p - q)
        return {"raw": float(errors.sum() / (2 * len(self.true)))}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements for all epsilons, on the first 10 items."""
    rankings = first_items(people)
    true = true_shares(rankings)
    return [
        measurement
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for measurement in _measurements(RuleOne(rankings, true, epsilon))
    ]


def true_shares(rankings: Rankings) -> Shares:
    """Return the exact shares (questions, 2 d) of the answers to Rule I; one row a person."""
    questions = rank_and_precedence_questions(rankings.n_items)
    answers = (question.answer(rankings.ranks) for question in questions)
    n_cells = 2 * rankings.n_items
    return np.stack([np.bincount(each, minlength=n_cells) for each in answers]) / rankings.n_people


def _measurements(here: RuleOne) -> Sequence[Measurement]:
    x, safa, harmony = here.epsilon, GeneralizedRandomizedResponse, Harmony
    return [
        Measurement("proposed", "SAFA", x, partial(here.collected, safa)),
        Measurement("compared", "Harmony", x, partial(here.collected, harmony)),
        Measurement("reference", "uniform answers", x, here.of_uniform, most_repetitions=1),
        Measurement("reference", "no noise, sampling only", x, here.without_noise),
        Measurement(
            "reference", "SAFA predicted", x, partial(here.predicted, safa), most_repetitions=1
        ),
        Measurement(
            "reference",
            "Harmony predicted",
            x,
            partial(here.predicted, harmony),
            most_repetitions=1,
        ),
    ]


SAFARI_2 = Experiment(
    name="safari-2",
    title="SAFARI, figure 2: error of the answers to Rule I against ε, up to 10 items",
    shows="total variation of the answers to Rule I, by SAFA and by Harmony, against epsilon",
    x_label="ε (nats a person, all of it on one survey)",
    has_log_x=True,
    views=treatment_views(ROWS, ("simplex", "clip", "raw"), y_label="mean total variation"),
    table=TREATMENT_TABLE,
    plan=plan,
)

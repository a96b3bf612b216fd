"""Simulated answers to one survey."""

from collections.abc import Generator

import numpy as np

from hushrank.engines.local import run, simulate
from hushrank.mechanisms.local import SimulatedTally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Round, RoundTallies, Survey, Tallies


def simulated_tallies(survey: Survey, rankings: Rankings, *, rng: np.random.Generator) -> Tallies:
    """Let everybody answer; by the exact short cut where all mechanisms have one.

    The same tallies can then be post-processed in several ways.
    """
    if all(isinstance(mechanism, SimulatedTally) for mechanism in survey.mechanisms):
        return simulate(_answers(survey), rankings, rng=rng).result
    return run(_answers(survey), rankings, rng=Randomness(rng.bytes, is_private=False)).result


def _answers(survey: Survey) -> Generator[Round, RoundTallies, Tallies]:
    (tallies,) = yield (survey,)
    return tallies

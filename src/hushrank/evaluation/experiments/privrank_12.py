"""Figure 12 of Yang, Qu, Cudré-Mauroux: clusters and samples, for recommending places."""

from collections.abc import Sequence

import numpy as np

from hushrank.evaluation.experiments.busy_users import busy_users, read_busy_users
from hushrank.evaluation.experiments.experiment import Experiment, Measurement
from hushrank.evaluation.experiments.learning_trials import (
    LearningTrials,
    learning_plan,
    learning_views,
)
from hushrank.evaluation.experiments.platforms import Platform
from hushrank.evaluation.experiments.populations import FilePopulation, Populations

BUDGET = 0.005
PLACES = FilePopulation(
    "foursquare-nyc",
    "Foursquare, New York",
    "foursquare-friends-nyc.csv, docs/activity-data.md; users with 10 or more places are kept",
    read_busy_users,
    busy_users,
)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Hide a place anew in each repetition."""
    activity = people[PLACES.name]

    def draw(rng: np.random.Generator) -> Platform:
        return Platform.hiding(activity, rng=rng)

    return learning_plan(LearningTrials(draw, BUDGET), PLACES.name, quick)


PRIVRANK_12 = Experiment(
    name="privrank-12",
    title="Yang, Qu, Cudré-Mauroux, figure 12: clusters and samples, places",
    shows="clusters and samples against privacy, utility and learning time, on Foursquare",
    x_label="clusters of protected users",
    views=learning_views(PLACES.name),
    plan=plan,
    populations=(PLACES,),
    repetitions=5,
    has_log_x=True,
)

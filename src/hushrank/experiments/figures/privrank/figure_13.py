"""Figure 13 of Yang, Qu, Cudré-Mauroux: clusters and samples, for activities in context."""

from collections.abc import Sequence

import numpy as np

from hushrank.activities.activity_files import read_log
from hushrank.activities.log import ActivityLog
from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.on_activity.busy_users import busy_users
from hushrank.experiments.on_activity.contexts import ContextPrecision, in_slots
from hushrank.experiments.on_activity.learning_measurements import (
    LearningMeasurements,
    learning_plan,
    learning_views,
)
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.experiments.populations import FilePopulation, Populations

BUDGET = 0.001


def busy_log(log: ActivityLog, quick: np.random.Generator | None) -> ActivityLog:
    """Return the records of users who did 10 or more activities, of 300 of them where `quick`."""
    kept = busy_users(log.activity("sum"), quick).users
    number = {user: place for place, user in enumerate(kept)}
    users = np.array([number.get(user, -1) for user in log.users], dtype=np.int32)[log.user_codes]
    rows = users >= 0
    times = None if log.times is None else log.times[rows]
    return ActivityLog(users[rows], log.item_codes[rows], log.scores[rows], kept, log.items, times)


CONTEXTS = FilePopulation(
    "foursquare-contexts",
    "Foursquare, New York, in context",
    "foursquare-contexts-nyc.csv, docs/activity-data.md; users with 10 or more kinds are kept",
    read_log,
    busy_log,
)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Hide a kind of place anew in each repetition, in all slots of the week."""
    log: ActivityLog = people[CONTEXTS.name]
    activity = log.activity("max")

    def draw(rng: np.random.Generator) -> Platform:
        hidden = Platform.hiding(activity, rng=rng)
        return Platform(in_slots(log, hidden.activity.items), hidden.profiles)

    precision = ContextPrecision(activity.n_items - 1)
    return learning_plan(LearningMeasurements(draw, BUDGET, precision), CONTEXTS.name, quick)


PRIVRANK_13 = Experiment(
    name="privrank-13",
    title="Yang, Qu, Cudré-Mauroux, figure 13: clusters and samples, activities in context",
    shows="clusters and samples against privacy, utility and learning time, in context",
    x_label="clusters of protected users",
    views=learning_views(CONTEXTS.name),
    plan=plan,
    populations=(CONTEXTS,),
    repetitions=3,
    has_log_x=True,
)

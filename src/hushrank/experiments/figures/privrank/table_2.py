"""Table 2 of Yang, Qu, Cudré-Mauroux: seconds to learn one user's channel, and to release."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from hushrank.activities.activity import Activity
from hushrank.arrays import Counts
from hushrank.experiments.experiment import Draws, Experiment, Measurement, Quantity
from hushrank.experiments.on_activity.busy_users import busy_users, read_busy_users
from hushrank.experiments.on_activity.online_learning import OnlineLearning, counts_of, warm_up
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.experiments.populations import FilePopulation, Populations

HELD = "docs/activity-data.md; users with 10 or more items are kept"
PLATFORMS = (
    ("foursquare-sessions-nyc", "NYC, places", "foursquare-sessions-NYC.csv"),
    ("foursquare-contexts", "NYC, kinds of places", "foursquare-contexts-nyc.csv"),
    ("foursquare-sessions-tky", "TKY, places", "foursquare-sessions-TKY.csv"),
)
FILES = tuple(
    FilePopulation(name, title, f"{file}, {HELD}", read_busy_users, busy_users)
    for name, title, file in PLATFORMS
)

Time: TypeAlias = Callable[[OnlineLearning, Counts, Draws], Mapping[Quantity, float]]

TASKS: Mapping[str, Time] = {
    "a user's first channel": lambda online, counts, _: online.cold(counts),
    "a user's next channel": OnlineLearning.warm,
    "releasing a million activities": OnlineLearning.release,
}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return all tasks and platforms; in each repetition another user, and another hidden item."""
    del quick  # fewer users
    warm_up()
    return [
        Measurement("ours", task, 0.0, partial(seconds, people[file.name], time), None, file.name)
        for file in FILES
        for task, time in TASKS.items()
    ]


def seconds(activity: Activity, time: Time, draws: Draws) -> Mapping[Quantity, float]:
    """Hide an item, draw a user, and time one task."""
    platform = Platform.hiding(activity, rng=draws.synthesis)
    counts = counts_of(platform, rng=draws.synthesis)
    return time(OnlineLearning(platform), counts, draws)


PRIVRANK_TABLE_2 = Experiment(
    name="privrank-table2",
    title="Yang, Qu, Cudré-Mauroux, table 2: seconds of online publishing",
    shows="seconds to learn a user's channel and to release activities, on Foursquare",
    x_label="seconds",
    views=(),
    plan=plan,
    populations=FILES,
    repetitions=20,
)

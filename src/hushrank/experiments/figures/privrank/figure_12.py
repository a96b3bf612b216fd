"""Figure 12 of Yang, Qu, Cudré-Mauroux: clusters and samples, for recommending places."""

from functools import partial

from hushrank.experiments.experiment import Experiment
from hushrank.experiments.on_activity.busy_users import busy_users, read_busy_users
from hushrank.experiments.on_activity.learning_trials import hidden_item_plan, learning_views
from hushrank.experiments.populations import FilePopulation

BUDGET = 0.005
PLACES = FilePopulation(
    "foursquare-nyc",
    "Foursquare, New York",
    "foursquare-friends-nyc.csv, docs/activity-data.md; users with 10 or more places are kept",
    read_busy_users,
    busy_users,
)


PRIVRANK_12 = Experiment(
    name="privrank-12",
    title="Yang, Qu, Cudré-Mauroux, figure 12: clusters and samples, places",
    shows="clusters and samples against privacy, utility and learning time, on Foursquare",
    x_label="clusters of protected users",
    views=learning_views(PLACES.name),
    plan=partial(hidden_item_plan, PLACES.name, BUDGET),
    populations=(PLACES,),
    repetitions=5,
    has_log_x=True,
)

"""Figures 12 and 14 of Yang, Qu, Cudré-Mauroux: clusters and samples, on two data sets."""

from functools import partial

from hushrank.activities.transactions import draw_transactions
from hushrank.experiments.experiment import Experiment
from hushrank.experiments.on_activity.busy_users import busy_users, read_busy_users
from hushrank.experiments.on_activity.learning_measurements import hidden_item_plan, learning_views
from hushrank.experiments.populations import DrawnPopulation, FilePopulation, Population

BUDGET_OF_PLACES, BUDGET_OF_TRANSACTIONS = 0.005, 0.02
PLACES = FilePopulation(
    "foursquare-nyc",
    "Foursquare, New York",
    "foursquare-friends-nyc.csv, docs/activity-data.md; users with 10 or more places are kept",
    read_busy_users,
    busy_users,
)
N_USERS, N_ITEMS, MEAN_ITEMS = 2_000, 200, 20.0
TRANSACTIONS = DrawnPopulation(
    "transactions",
    "synthetic transactions",
    lambda rng: draw_transactions(N_USERS, N_ITEMS, mean_items=MEAN_ITEMS, rng=rng),
    busy_users,
)


def _figure(number: int, what: str, where: str, people: Population, budget: float) -> Experiment:
    return Experiment(
        name=f"privrank-{number}",
        title=f"Yang, Qu, Cudré-Mauroux, figure {number}: clusters and samples, {what}",
        shows=f"clusters and samples against privacy, utility and learning time, on {where}",
        x_label="clusters of protected users",
        views=learning_views(people.name),
        plan=partial(hidden_item_plan, people.name, budget),
        populations=(people,),
        repetitions=5,
        has_log_x=True,
    )


PRIVRANK_12 = _figure(12, "places", "Foursquare", PLACES, BUDGET_OF_PLACES)
PRIVRANK_14 = _figure(
    14, "synthetic transactions", "transactions", TRANSACTIONS, BUDGET_OF_TRANSACTIONS
)

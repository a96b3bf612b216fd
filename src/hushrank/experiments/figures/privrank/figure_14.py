"""Figure 14 of Yang, Qu, Cudré-Mauroux: clusters and samples, on synthetic transactions."""

from functools import partial

from hushrank.activities.transactions import draw_transactions
from hushrank.experiments.experiment import Experiment
from hushrank.experiments.on_activity.busy_users import busy_users
from hushrank.experiments.on_activity.learning_trials import hidden_item_plan, learning_views
from hushrank.experiments.populations import DrawnPopulation

BUDGET = 0.02
N_USERS, N_ITEMS, MEAN_ITEMS = 2_000, 200, 20.0
TRANSACTIONS = DrawnPopulation(
    "transactions",
    "synthetic transactions",
    lambda rng: draw_transactions(N_USERS, N_ITEMS, mean_items=MEAN_ITEMS, rng=rng),
    busy_users,
)


PRIVRANK_14 = Experiment(
    name="privrank-14",
    title="Yang, Qu, Cudré-Mauroux, figure 14: clusters and samples, synthetic transactions",
    shows="clusters and samples against privacy, utility and learning time, on transactions",
    x_label="clusters of protected users",
    views=learning_views(TRANSACTIONS.name),
    plan=partial(hidden_item_plan, TRANSACTIONS.name, BUDGET),
    populations=(TRANSACTIONS,),
    repetitions=5,
    has_log_x=True,
)

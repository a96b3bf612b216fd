"""Figure 15 of Yang, Qu, Cudré-Mauroux: learning time against users and items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from hushrank.activities.transactions import draw_transactions
from hushrank.experiments.experiment import (
    Draws,
    Experiment,
    Measurement,
    Quantity,
    View,
)
from hushrank.experiments.on_activity.learning import STEPS, Learning, everybody, learn, warm_up
from hushrank.experiments.on_activity.online_learning import OnlineLearning
from hushrank.experiments.on_activity.online_learning import warm_up as warm_up_online
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.experiments.populations import Populations

BUDGET, N_CLUSTERS, MEAN_ITEMS = 0.02, 200, 20.0
MEAN_USES, HIDDEN_SHARE = 5.0, 0.002
USERS, USERS_OF_ITEMS = (1_000, 3_000, 10_000, 30_000, 100_000), 2_000
ITEMS, ITEMS_OF_USERS = (100, 300, 1_000, 3_000, 10_000), 1_000
QUICK_SIZES, QUICK_CLUSTERS = (100, 300), 10


@dataclass(frozen=True, eq=False, repr=False)
class Scale:
    """What it takes to learn from so many users and items; one transaction a user."""

    n_users: int
    n_items: int
    n_clusters: int
    found: dict[bytes, Mapping[str, float]] = field(default_factory=dict)

    def platform(self, draws: Draws) -> Platform:
        """Draw users, hide an item of theirs."""
        (rng,) = draws.synthesis.spawn(1)
        activity = draw_transactions(self.n_users, self.n_items, mean_items=MEAN_ITEMS, rng=rng)
        several = activity.select(activity.records_of_users >= 2)
        return Platform.hiding(several, share=HIDDEN_SHARE, rng=rng)

    def seconds(self, steps: Sequence[str], draws: Draws) -> Mapping[Quantity, float]:
        """Return the seconds of these steps; one run says those of each."""
        key = draws.synthesis.bit_generator.seed_seq.generate_state(4).tobytes()
        if key not in self.found:
            platform = self.platform(draws)
            split = everybody(platform.activity, platform.profiles)
            learnt = learn(split, Learning(self.n_clusters), BUDGET, rng=draws.noise)
            self.found[key] = learnt.seconds
        return {"seconds": sum(self.found[key][step] for step in steps)}

    def online_seconds(self, draws: Draws) -> Mapping[Quantity, float]:
        """Return the seconds of the channel of a user who did each own item five times or so."""
        platform = self.platform(draws)
        (rng,) = draws.synthesis.spawn(1)
        counts = platform.activity.scores[[0]].toarray()[0].astype("int64")
        uses = counts * rng.geometric(1 / MEAN_USES, len(counts))
        return OnlineLearning(platform).cold(uses)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return all steps, and their sum, against users and against items; and a user's channel."""
    del people
    warm_up()
    warm_up_online()
    n_clusters = QUICK_CLUSTERS if quick else N_CLUSTERS
    fixed = (QUICK_SIZES[0],) * 2 if quick else (ITEMS_OF_USERS, USERS_OF_ITEMS)
    users = {x: Scale(x, fixed[0], n_clusters) for x in (QUICK_SIZES if quick else USERS)}
    items = {x: Scale(fixed[1], x, n_clusters) for x in (QUICK_SIZES if quick else ITEMS)}
    online = [
        Measurement("repair", "online, one user", x, scale.online_seconds, population="items")
        for x, scale in items.items()
    ]
    return [*_steps("users", users), *_steps("items", items), *online]


def _steps(population: str, scales: Mapping[int, Scale]) -> Sequence[Measurement]:
    """Return one measurement of each step and size, all steps of one size from the same draws."""
    curves = {"all": STEPS} | {step: (step,) for step in STEPS}
    return [
        Measurement(
            "repair",
            curve,
            x,
            partial(scale.seconds, steps),
            population=population,
            same_draws=curve != "all",
        )
        for x, scale in scales.items()
        for curve, steps in curves.items()
    ]


def _view(population: str, title: str) -> View:
    return View(title, ("repair",), "seconds", "seconds", "log", population)


PRIVRANK_15 = Experiment(
    name="privrank-15",
    title="Yang, Qu, Cudré-Mauroux, figure 15: learning time",
    shows="learning time against users and items, on synthetic transactions",
    x_label="users (left), items (right)",
    views=((_view("users", "1,000 items"), _view("items", "2,000 users")),),
    plan=plan,
    populations=(),
    repetitions=3,
    has_log_x=True,
)

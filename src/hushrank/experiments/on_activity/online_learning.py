"""What it takes to learn the channel of one user's next activities, and to release them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from time import process_time

import numpy as np

from hushrank.activities.transactions import draw_transactions
from hushrank.arrays import Counts, Words
from hushrank.experiments.experiment import Draws, Quantity
from hushrank.experiments.on_activity.platforms import Platform
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.channel import WORDS_AN_ACTIVITY
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import solve_item_channel
from hushrank.randomness import Randomness

BUDGET = 0.1
"""Of what it costs, at most, to release one item always."""
MORE_ACTIVITIES, MILLION = 100, 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class OnlineLearning:
    """The channels of a platform's users, who protect its one attribute."""

    platform: Platform

    @cached_property
    def population(self) -> ActivityPopulation:
        """P(item, value) of all activities."""
        profiles = self.platform.profiles
        value = profiles.joint(profiles.names)
        joint = self.platform.activity.scores.T @ np.eye(value.n_values)[value.codes]
        return ActivityPopulation(np.asarray(joint / joint.sum()))

    def problem(self, counts: Counts) -> ItemChannelProblem:
        """Return the problem of a user with these counts (items,)."""
        cost = activity_cost(counts)
        budget = BUDGET * ItemChannelProblem(self.population, cost, 0.0).constant_cost_bound
        return ItemChannelProblem(self.population, cost, budget)

    def cold(self, counts: Counts) -> Mapping[Quantity, float]:
        """Time the first channel of a user."""
        problem = self.problem(counts)
        start = process_time()
        solve_item_channel(problem)
        return {"seconds": process_time() - start}

    def warm(self, counts: Counts, draws: Draws) -> Mapping[Quantity, float]:
        """Time the next channel, after 100 more activities like those before."""
        warm = solve_item_channel(self.problem(counts)).warm_start
        shares = counts / counts.sum()
        problem = self.problem(counts + draws.noise.multinomial(MORE_ACTIVITIES, shares))
        start = process_time()
        solve_item_channel(problem, warm=warm)
        return {"seconds": process_time() - start}

    def release(self, counts: Counts, draws: Draws) -> Mapping[Quantity, float]:
        """Time the release of a million activities, their random words from the system."""
        channel = solve_item_channel(self.problem(counts)).channel
        items = draws.noise.choice(len(counts), MILLION, p=counts / counts.sum())
        channel.release(items[:2], _words(2))
        start = process_time()
        channel.release(items, _words(MILLION))
        return {"seconds": process_time() - start}


def warm_up() -> None:
    """Learn and release once with few items, so that no compilation is timed."""
    seeds = np.random.SeedSequence(0).spawn(2)
    draws = Draws(*map(np.random.default_rng, seeds))
    activity = draw_transactions(60, 30, mean_items=8, rng=draws.synthesis)
    online = OnlineLearning(Platform.hiding(activity, rng=draws.synthesis))
    counts = draws.synthesis.integers(5, size=29)
    online.warm(counts, draws)
    online.release(counts, draws)


def counts_of(platform: Platform, *, rng: np.random.Generator) -> Counts:
    """Draw a user, and return how often they did each item (items,)."""
    user = int(rng.integers(platform.activity.n_users))
    counts: Counts = platform.activity.scores[[user]].toarray()[0].astype(np.int64)
    return counts


def _words(n_activities: int) -> Words:
    words = Randomness.secure().words(WORDS_AN_ACTIVITY * n_activities)
    return words.reshape(-1, WORDS_AN_ACTIVITY)

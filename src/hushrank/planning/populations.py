"""The populations that predictions are made for: no real people, the same for everybody."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushrank.arrays import Shares
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import Mixture
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.profile import Rankings

MEAN_DISTANCE = 0.25
"""Of a person to the centre of the Mallows population, in pairs: halfway to uniform."""
CAMPS = (0.5, 0.3, 0.2)
CARDS = (0.25, 0.12, 0.08)
"""Which parts of the people hold exactly one order each."""
FAVOUR = 3.0
"""What the best item of a camp has in log-utility over what it would have among the others."""
BISECTIONS = 50


@dataclass(frozen=True)
class ReferencePopulation:
    """A population of any number of items; `title` says in words what it is."""

    name: str
    title: str
    model: Callable[[int], RankingModel]

    def draw(self, n_people: int, n_items: int, *, rng: np.random.Generator) -> Rankings:
        """Draw people, with the items in random order: no item number says how good it is."""
        people = self.draw_in_order(n_people, n_items, rng=rng)
        return people.restrict(rng.permutation(n_items).tolist())

    def draw_in_order(self, n_people: int, n_items: int, *, rng: np.random.Generator) -> Rankings:
        """Draw people, with the items as the model has them."""
        names = tuple(str(item + 1) for item in range(n_items))
        return Rankings(self.model(n_items).sample(n_people, rng=rng), names)


def typical_dispersion(n_items: int) -> float:
    """Return the dispersion at which people turn round MEAN_DISTANCE of all pairs, on average."""
    low, high = 0.0, 1.0
    wanted = MEAN_DISTANCE * n_items * (n_items - 1) / 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_far = Mallows(tuple(range(n_items)), middle).expected_distance > wanted
        low, high = (low, middle) if is_far else (middle, high)
    return low


def normal_scores(n_items: int) -> Shares:
    """Return the quantiles (items,) of the standard normal distribution, best item first."""
    levels = (np.arange(n_items) + 0.5) / n_items
    return np.array([-NormalDist().inv_cdf(level) for level in levels])


def _uniform(n_items: int) -> Mallows:
    return Mallows(tuple(range(n_items)), 1.0)


def _mallows(n_items: int) -> Mallows:
    return Mallows(tuple(range(n_items)), typical_dispersion(n_items))


def _plackett_luce(n_items: int) -> PlackettLuce:
    return PlackettLuce(normal_scores(n_items))


def _mixture(n_items: int) -> Mixture:
    """Shift the items by a third of them from camp to camp: the first's best are the next's."""
    return _camps_of(normal_scores(n_items))


def _camps_of(scores: Shares) -> Mixture:
    n_items = len(scores)
    camps = [np.roll(scores, round(camp * n_items / len(CAMPS))) for camp in range(len(CAMPS))]
    return Mixture(tuple(map(PlackettLuce, camps)), np.array(CAMPS))


def _favourites(n_items: int) -> Mixture:
    """Let each camp all but agree on its first choice."""
    scores = normal_scores(n_items)
    scores[0] += FAVOUR
    return _camps_of(scores)


def _cards(n_items: int) -> Mixture:
    """Let some hold one order each: the rest's own, that shifted by a third, and its reverse."""
    own = list(range(n_items))
    third = n_items // 3
    orders = own, own[third:] + own[:third], own[::-1]
    exactly = [Mallows(tuple(order), 0.0) for order in orders]
    return Mixture((_plackett_luce(n_items), *exactly), np.array((1 - sum(CARDS), *CARDS)))


REFERENCES = (
    ReferencePopulation("uniform", "every order is equally likely", _uniform),
    ReferencePopulation(
        "mallows", "a person turns round a quarter of all pairs of one order, on average", _mallows
    ),
    ReferencePopulation(
        "plackett-luce", "utilities at the quantiles of a standard normal", _plackett_luce
    ),
    ReferencePopulation(
        "mixture", "camps of 50, 30, 20 % like that, items shifted by a third each", _mixture
    ),
    ReferencePopulation(
        "favourites", "such camps, each of which all but agrees on its first choice", _favourites
    ),
    ReferencePopulation(
        "cards", "plackett-luce, but 25, 12 and 8 % hold exactly one order each", _cards
    ),
)
TYPICAL = REFERENCES[1:]
"""Those in which there is something to learn."""
SMOOTH = REFERENCES[1:4]
"""Of these those without first choices that stand out, and without exact orders."""

"""What a channel between items must achieve, and what no channel within its budget can do better.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import rel_entr

from hushrank.arrays import Indices, Shares
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.publishing.distances.activity_cost import ActivityCost
from hushrank.publishing.item_channel.similar_items import SimilarItems, similar_items

LEAST_SHARE = 1e-300
MOST_GROUPS = 2_000  # of similar items


@dataclass(frozen=True, eq=False, repr=False)
class ActivityPopulation:
    """P(item, private value) of the next activity: joint (items, values), which sums to 1.

    Learnt from people whose activity may be used for it; without (items, groups, values): P(item |
    value) without each of 2+ groups of them, for `learning_error`, None where nothing was learnt.
    Items of probability 0 may be given and released; they count as telling nothing.
    Raises HushrankError unless 2+ items, 2+ values of positive probability, shares >= 0, sum 1.
    """

    joint: Shares
    without: Shares | None = None

    def __post_init__(self) -> None:
        """Check the probabilities."""
        shaped = self.joint.ndim == 2 and min(self.joint.shape) >= 2
        require(shaped, "expected probabilities of 2 or more items and 2 or more values")
        valid = np.isfinite(self.joint).all() and (self.joint >= 0).all()
        require(valid, "expected probabilities of at least 0")
        total = float(self.joint.sum())
        require(abs(total - 1) < 1e-9, f"expected probabilities with sum 1, got {total}")
        require((self.prior > 0).all(), "expected private values of positive probability")
        if self.without is not None:
            matches = self.without.shape[::2] == self.joint.shape and self.without.shape[1] >= 2
            require(matches, "expected shares without each of 2+ groups (items, 2+, values)")
            require((self.without >= 0).all(), "expected probabilities of at least 0")

    def __repr__(self) -> str:
        """Say the size only."""
        return f"ActivityPopulation({self.n_items} items, {self.n_values} private values)"

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.joint.shape[0])

    @property
    def n_values(self) -> int:
        """How many private values there are."""
        return int(self.joint.shape[1])

    @cached_property
    def prior(self) -> Shares:
        """P(value) (values,)."""
        prior: Shares = self.joint.sum(axis=0)
        return prior

    @cached_property
    def weights(self) -> Shares:
        """P(item) (items,)."""
        weights: Shares = self.joint.sum(axis=1)
        return weights

    @cached_property
    def posteriors(self) -> Shares:
        """P(value | item) (items, values); the prior where the item has probability 0."""
        weights = self.weights[:, None]
        known = weights > LEAST_SHARE
        return np.where(known, self.joint / np.where(known, weights, 1), self.prior)

    @cached_property
    def own_leakages(self) -> Shares:
        """What each item (items,) tells of the value when released unchanged, in nats."""
        own: Shares = rel_entr(self.posteriors, self.prior).sum(axis=1)
        return own

    @cached_property
    def similar(self) -> SimilarItems:
        """Groups of items that tell nearly the same."""
        return similar_items(self.posteriors, self.weights, self.prior, MOST_GROUPS)

    @cached_property
    def leakage(self) -> float:
        """I(item; value) of activities released unchanged, in nats."""
        return max(0.0, float(self.weights @ self.own_leakages))


@dataclass(frozen=True, eq=False, repr=False)
class ItemChannelProblem:
    """Minimise I(released item; value) over channels between items, within an expected cost.

    budget: expected cost under the population's items, in units of all pairs of items, >= 0.
    Raises HushrankError for a budget outside, and for counts of other items than the population's.
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), Algorithm 3; printed I(i^|i, Y) is I(i^; Y).
    """

    population: ActivityPopulation
    cost: ActivityCost
    budget: float

    def __post_init__(self) -> None:
        """Check that the parts belong together."""
        n_items = self.population.n_items
        require(self.cost.n_items == n_items, f"expected counts of {n_items} items")
        most = f"costs reach {self.cost.largest:.3g}"
        require(0 <= self.budget <= 1, f"expected a budget in [0, 1], got {self.budget}; {most}")

    @cached_property
    def constant_cost_bound(self) -> float:
        """The cost, at most, of the constant channel, which releases `cheapest_item` always."""
        to_any = float(self.population.weights @ self.cost.of_items + self.cost.parts.max())
        return to_any + self.cost.within * float(self._class_shares.min())

    @property
    def constant_cost(self) -> float:
        """The exact cost of the constant channel, which leaks nothing."""
        to, cost, weights = self.cheapest_item, self.cost, self.population.weights
        sent = weights @ cost.of_items + cost.of_items[to] + cost.within * self._class_shares[to]
        return float(sent - weights[to] * (2 * cost.of_items[to] + cost.within))

    @property
    def cheapest_item(self) -> int:
        """The item that is cheapest to release for all others, but for its own activities."""
        return int((self.cost.of_items + self.cost.within * self._class_shares).argmin())

    @cached_property
    def _class_shares(self) -> Shares:
        """P(class) of the class of each item (items,)."""
        shares = np.bincount(self.cost.classes, self.population.weights)
        return shares[self.cost.classes].astype(np.float64)


def lower_bound(problem: ItemChannelProblem, potentials: Shares, price: float) -> float:
    """Return what every channel within the budget leaks at least, in nats, by weak duality.

        sum_i w_i min_j (x_i . a_j + price cost_ij) - price budget

    potentials a (items, values), shifted here so that sum_y p_y exp(a_jy) = 1; price >= 0. The
    bound holds whatever they are and however they were found, and so certifies any channel.
    Cost: O(items^2 values), and O(items classes) for 2 values.
    """
    require(price >= 0, "expected a price of at least 0")
    population, cost = problem.population, problem.cost
    shift = np.log(np.exp(potentials) @ population.prior)
    feasible = potentials - shift[:, None]
    others = _extremes(feasible, cost) if population.n_values == 2 else np.arange(cost.n_items)
    least = least_values(
        population.posteriors, feasible, others, price * cost.of_items, cost.classes,
        price * cost.within,
    )  # fmt: skip
    return float(population.weights @ least - price * problem.budget)


def _extremes(potentials: Shares, cost: ActivityCost) -> Indices:
    """Return the items of each class with the least and the greatest tilt: no other is ever least.

    As a function of its tilt, a move to an item is worth a concave x . a, least at an end.
    """
    tilts = potentials[:, 1] - potentials[:, 0]
    order = np.lexsort((tilts, cost.classes))
    firsts = np.searchsorted(cost.classes[order], np.arange(len(cost.parts) + 1))
    return np.unique(order[np.concatenate((firsts[:-1], firsts[1:] - 1))])


@kernel
def least_values(
    posteriors: Shares,
    potentials: Shares,
    others: Indices,
    parts: Shares,
    classes: Indices,
    within: float,
) -> Shares:
    """Return the least of x_i . a_i and of x_i . a_j + cost_ij, j of `others` (items,)."""
    columns = np.ascontiguousarray(potentials[others].T)
    least, values = np.empty(len(posteriors)), np.empty(len(others))
    for item in range(len(posteriors)):
        own = 0.0
        values[:] = parts[others]
        for value in range(len(columns)):
            share, row = posteriors[item, value], columns[value]
            own += share * potentials[item, value]
            for nth in range(len(others)):
                values[nth] += share * row[nth]
        best = np.inf
        for nth in range(len(others)):
            same = within if classes[others[nth]] == classes[item] else 0.0
            best = min(best, values[nth] + same)
        least[item] = min(own, best + parts[item])
    return least

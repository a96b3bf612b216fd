"""Mixtures: each person belongs to one of several populations."""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.categories import sample_categories
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.coding import rank_type


@dataclass(frozen=True, eq=False, repr=False)
class Mixture:
    """P(order) = sum_c shares[c] P_c(order); shares (models,) sum to 1."""

    models: tuple[RankingModel, ...]
    shares: Shares

    def __post_init__(self) -> None:
        """Check that the models fit together, and freeze the shares."""
        shares = np.array(self.shares, dtype=np.float64)
        require(self.models, "expected at least 1 model, got 0")
        require(shares.shape == (len(self.models),), "expected one share for each model")
        is_distribution = (shares >= 0).all() and abs(shares.sum() - 1) <= 1e-9
        require(is_distribution, "expected shares of at least 0 that sum to 1")
        n_sizes = len({model.n_items for model in self.models})
        require(n_sizes == 1, f"expected models of equally many items, got {n_sizes} sizes")
        shares.setflags(write=False)
        object.__setattr__(self, "shares", shares)

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return self.models[0].n_items

    def __repr__(self) -> str:
        """Say the size."""
        return f"Mixture({len(self.models)} models, {self.n_items} items)"

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); -inf where impossible."""
        log_probability = np.full(len(orders), -np.inf)
        for share, model in zip(self.shares, self.models, strict=True):
            if share > 0:
                joint = np.log(share) + model.log_probability(orders)
                log_probability = np.logaddexp(log_probability, joint)
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items); each person's model is drawn first."""
        model_of = sample_categories(self.shares, n_people, rng=rng)
        ranks = np.empty((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        for number, model in enumerate(self.models):
            people = np.flatnonzero(model_of == number)
            ranks[people] = model.sample(people.size, rng=rng)
        return ranks


def plackett_luce_mixture(
    n_items: int, n_components: int, *, spread: float, rng: np.random.Generator
) -> Mixture:
    """Draw a population of equally large Plackett-Luce components, for simulations.

    Every utility of every component is drawn from normal(0, spread^2), independently.
    """
    require(n_items >= 1, f"expected at least 1 item, got {n_items}")
    require(n_components >= 1, f"expected at least 1 component, got {n_components}")
    require(0 <= spread < np.inf, f"expected a finite spread of at least 0, got {spread}")
    utilities = rng.normal(0, spread, size=(n_components, n_items))
    shares = np.full(n_components, 1 / n_components)
    return Mixture(tuple(map(PlackettLuce, utilities)), shares)

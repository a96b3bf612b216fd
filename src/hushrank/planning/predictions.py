"""Expected errors of a collection, from the table of simulated ones."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from hushrank.planning.asking import PAIRS, SURE, askings, own_draw_known
from hushrank.planning.grid import CROWD, EPSILONS, FEW_PEOPLE, TRUTH_PEOPLE
from hushrank.planning.interpolation import (
    PredictionTable,
    Unit,
    between,
    power_mean,
    the_same,
)
from hushrank.planning.losses import LOSSES
from hushrank.planning.table import PlannedQuantity
from hushrank.protocols.distributions.max_entropy import MOST_ITEMS as MOST_ITEMS_OF_SETS

NOTHING_KNOWN = 0.5
"""The half-width of an interval that holds every share."""
MOST_HERDED_PEOPLE = 5000
"""Herded rows of more people are as good as the model: their distances differ by .001 or less."""
NO_BETTER_THAN_CHANCE = 1.0
"""The relative excess of an order that knows nothing; what is expected of a protocol at worst."""
NOISY_FROM = 7
"""From so many items on max-entropy was simulated too seldom for single excesses to count."""


@dataclass(frozen=True)
class Errors:
    """What to expect; None where a protocol learns nothing of the kind.

    distance = Q2 distance of synthetic rows from the people; excess = by how much the average
    Kendall tau of the order exceeds the exact optimum; half_width of a typical 95 % interval of a
    precedence, in shares of people.
    """

    distance: float | None
    excess: float | None
    half_width: float | None


@dataclass(frozen=True)
class Place:
    """So many people of a reference population, who rank so many items."""

    table: PredictionTable
    population: str
    n_items: int
    n_people: int

    def expect(self, protocol: str, epsilon: float) -> Errors:
        """Return the expected errors of one protocol of `collect`, with its default options."""
        if protocol == "max-entropy":
            return self._of_max_entropy(epsilon)
        if protocol in PAIRS:
            return self._of_pairs(protocol, epsilon)
        if protocol == "order":
            return self._of_order(epsilon)
        if protocol == "subset-order":
            return self._of_subset_order(epsilon)
        return self._of_grid(protocol, epsilon)

    def of_nobody(self) -> Errors:
        """Return the errors of asking nobody: uniform rankings, and an order by chance."""
        return Errors(self._at("uniform", "distance"), self._at("uniform", "excess"), None)

    def _of_max_entropy(self, epsilon: float) -> Errors:
        """Add in quadrature what the model, the draw of the people and the rows contribute."""
        reach = self._reach("max-entropy", epsilon)
        of_track = "max-entropy", self.population, self.n_items
        of_model = self.table.at(*of_track, "distance", reach, self._spread_of_population)
        total = of_model**2 + self._herding**2 + self._unknown(epsilon)
        half_width = min(self.table.at(*of_track, "half_width", reach), NOTHING_KNOWN)
        is_noisy = NOISY_FROM <= self.n_items <= MOST_ITEMS_OF_SETS
        found = (self.table.trend if is_noisy else self.table.at)(*of_track, "excess", reach)
        relative = min(found, NO_BETTER_THAN_CHANCE)
        return Errors(sqrt(max(0.0, total)), relative * self._random_excess, half_width)

    def _reach(self, family: str, epsilon: float) -> Callable[[int], float]:
        """Return how much the people's reports tell if they rank so many items."""
        return lambda n_items: 1 / LOSSES[family](n_items, epsilon, self.n_people)

    def _unknown(self, epsilon: float) -> float:
        """Return the square of the distance that the draw of the people adds and nobody learns."""
        asked = askings("max-entropy", self.n_items, self.n_people, epsilon)
        known = 0.0 if self.population == "uniform" else own_draw_known(asked, self.n_items)
        return (1 - 2 * known) * self._sampling**2

    def _of_pairs(self, protocol: str, epsilon: float) -> Errors:
        """Return the errors of a protocol on pairs, by the variance of a typical margin.

        The intervals that are shown are a part of those of a pair's own reports.
        """
        (asked,) = askings(protocol, self.n_items, self.n_people, epsilon)
        reports = self.n_people * asked.n_answers / asked.n_questions
        left_out = (self.n_people - reports) / (self.n_people - 1)
        variance = (asked.reach**-2 - 1 + left_out * self._spread) / reports
        family = "pairs" if protocol == "pairs" else "kwiksort"
        information = reports * asked.reach**2
        excess = self._knowing(family, "excess", information) * self._random_excess
        half_width = SURE / 2 * sqrt(variance) * self._knowing(family, "half_width", information)
        return Errors(None, excess, min(half_width, NOTHING_KNOWN))

    def _of_subset_order(self, epsilon: float) -> Errors:
        (asked,) = askings("subset-order", self.n_items, self.n_people, epsilon)
        information = self.n_people / (asked.reach**-2 - 1)
        relative = self._knowing("subset-order", "excess", information)
        return Errors(None, relative * self._random_excess, None)

    def _of_order(self, epsilon: float) -> Errors:
        reach = self._reach("order", epsilon)
        of_track = "order", self.population, self.n_items
        relative = min(self.table.at(*of_track, "excess", reach), NO_BETTER_THAN_CHANCE)
        half_width = min(self.table.at(*of_track, "half_width", reach), NOTHING_KNOWN)
        return Errors(None, relative * self._random_excess, half_width)

    def _of_grid(self, protocol: str, epsilon: float) -> Errors:
        """Go between the two nearest epsilons that were simulated."""
        low, high, weight = between(epsilon, EPSILONS)

        def expected(quantity: PlannedQuantity, unit: Unit) -> float:
            values = [self._at(f"{protocol}/{each:g}", quantity, unit=unit) for each in (low, high)]
            return power_mean(values, weight)

        distance = expected("distance", self._spread_of_population)
        excess = expected("excess", self._excess_by_chance)
        return Errors(distance, excess, min(expected("half_width", the_same), NOTHING_KNOWN))

    def _knowing(self, family: str, quantity: PlannedQuantity, information: float) -> float:
        """Return a part between those of few and of many people with so much information.

        Where nobody prefers anything, the margins are nothing but the chance by which the people
        were drawn; there it depends on the information a person, not on all of it.
        """
        many = information
        _, _, weight = between(self.n_people, (FEW_PEOPLE, CROWD))
        if self.population == "uniform":
            many, weight = information * CROWD / self.n_people, 1.0
        parts = [
            self._at(f"{family}/few", quantity, information),
            self._at(f"{family}/many", quantity, many),
        ]
        return power_mean(parts, min(weight, 1.0))

    def _spread_of_population(self, n_items: int) -> float:
        """Return how far a population of so many items is from uniform; 1 where it is uniform."""
        if self.population == "uniform":
            return 1.0
        return self.table.at(
            "uniform", self.population, n_items, "distance", lambda _: float(TRUTH_PEOPLE)
        )

    def _excess_by_chance(self, n_items: int) -> float:
        """Return the excess of an order that knows nothing, of so many items."""
        n_people = float(self.n_people)
        return self.table.at("uniform", self.population, n_items, "excess", lambda _: n_people)

    def _at(
        self,
        track: str,
        quantity: PlannedQuantity,
        reach: float | None = None,
        unit: Unit = the_same,
    ) -> float:
        """Return a quantity of a track that reaches as far for every number of items."""
        known = float(self.n_people) if reach is None else reach
        return self.table.at(track, self.population, self.n_items, quantity, lambda _: known, unit)

    @property
    def _random_excess(self) -> float:
        return self._excess_by_chance(self.n_items)

    @property
    def _sampling(self) -> float:
        """How far the people are from their population in Q2 distance."""
        return self._at("truth", "distance") * sqrt(TRUTH_PEOPLE / self.n_people)

    @property
    def _spread(self) -> float:
        """1 - margin^2 of a typical pair."""
        return (self._at("truth", "half_width") * 2 / SURE) ** 2 * TRUTH_PEOPLE

    @property
    def _herding(self) -> float:
        """How far herded rows are from their model, whatever it is."""
        if self.n_people > MOST_HERDED_PEOPLE:
            return 0.0
        known = float(self.n_people)
        return self.table.at("herding", "uniform", self.n_items, "distance", lambda _: known)

"""How near an order is to what people said: for whoever holds their ballots, alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hushrank.accounting.rounding import places_above
from hushrank.aggregators.exact.kemeny import KemenyOrder
from hushrank.aggregators.private.order import DrawnByCost, NoisyMargins, PrivateOrder
from hushrank.aggregators.raw_order import Ballots, RawOrder
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks
from hushrank.arrays import Counts, Order
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.files.disk import FilePath
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.consensus.other_reading import OtherFirst
from hushrank.workflows.results.consensus.words import (
    BALLOTS,
    IN_POPULATION,
    NOT_PUBLISHABLE,
    OF_RAW_BALLOTS,
    OPEN_PAIRS,
    PARTLY_RAW,
)
from hushrank.workflows.results.words import as_text, probability_in_words


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusComparison:
    """How near an order is to the exact optimum of raw ballots: for whoever holds them, alone.

    `best` = a Kemeny order of the `ballots`, or the best one that was found in time; `other` = who
    leads in the other reading.
    Privacy: all of it is computed from raw ballots, and protected by nothing.
    """

    consensus: Consensus
    ballots: Ballots
    best: KemenyOrder
    other: OtherFirst | None = None

    def __repr__(self) -> str:
        """Say what it is, none of its figures."""
        return f"ConsensusComparison({len(self.consensus.names)} items, from raw ballots)"

    def __str__(self) -> str:
        """Say how near it is to the ballots, for `print`."""
        return as_text(self.summary)

    @property
    def counts(self) -> Counts:
        """How many people put an item before another: (items, items)."""
        return self.ballots.counts

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return self.ballots.whole.n_people

    @cached_property
    def of_other_people(self) -> DrawnRanks:
        """The ranks that items may have in the population from which the ballots come."""
        found = self.consensus.found
        if isinstance(found, RawOrder) and found.ballots.whole is self.ballots.whole:
            return found.of_other_people
        evidence = found.evidence if isinstance(found, PrivateOrder) else None
        by_pairs = isinstance(evidence, NoisyMargins | DrawnByCost)
        return self.ballots.ranks_of_other_people("pairs" if by_pairs else "scores")

    @cached_property
    def population_confidence(self) -> tuple[float, ...]:
        """How likely each adjacent pair is the right way round in the population."""
        return self.of_other_people.ahead(self.consensus.found.order)

    @cached_property
    def average_kendall_tau(self) -> float:
        """How many of all pairs of items people order the other way round, on average."""
        return self._tau(self.consensus.found.order)

    @property
    def is_proven(self) -> bool:
        """Whether the best order is proven to be the optimum."""
        return self.best.is_optimal

    @property
    def kemeny_optimum(self) -> float | None:
        """The least average Kendall tau that an order can have; None where none is proven."""
        return self._best_tau if self.is_proven else None

    @property
    def excess(self) -> float | None:
        """By how much the average Kendall tau exceeds the optimum; None where none is proven."""
        return self.average_kendall_tau - self._best_tau if self.is_proven else None

    @property
    def gap(self) -> float:
        """By how much a better order could at most undercut the best one found, normalised."""
        return self.best.gap * self._best_tau / self.best.cost if self.best.cost else 0.0

    @property
    def undecided(self) -> float:
        """The share of all pairs that ballots leave open: ties, and items that are not ranked."""
        n_items = len(self.consensus.names)
        return float(1 - self.counts.sum() / (self.n_people * n_items * (n_items - 1) / 2))

    @property
    def summary(self) -> dict[str, str]:
        """What a table for people says of it; each row bears the star of raw data."""
        proven = self.kemeny_optimum is not None
        rows = {
            "people *": f"{self.n_people:,}",
            "average Kendall tau *": f"{self.average_kendall_tau:.5f}",
            "of the exact optimum *": f"{self._best_tau:.5f}" if proven else "not proven in time",
            "excess *": f"{self.excess:.5f}"
            if proven
            else f"gap {places_above(self.gap, 5)} at most",
        }
        rows |= {OPEN_PAIRS: f"{self.undecided:.0%}"} if self.undecided > 0 else {}
        rows |= {} if self.other is None else self.other.summary
        if self.consensus.sure_of == BALLOTS and self.population_confidence:
            least = min(self.population_confidence)
            against = "; the ballots say the contrary" if least < 0.5 else ""
            said = f"right with probability {probability_in_words(least)}{against}"
            rows |= {IN_POPULATION: said}
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON says beside that of the order."""
        return {
            "people": self.n_people,
            "average_kendall_tau": self.average_kendall_tau,
            "kemeny_optimum": self.kemeny_optimum,
            "excess": self.excess,
            "optimal_proven": self.is_proven,
            "gap": self.gap,
            "other_reading": None if self.other is None else self.other.to_dict(),
            "population_confidence": list(self.population_confidence),
        }

    def report(
        self,
        path: FilePath,
        *,
        title: str = "Consensus beside the raw ballots",
        figures: Mapping[str, str] | None = None,
    ) -> None:
        """Write one HTML page with the raw pair majorities beside the released ones.

        figures: rows of its table, those of both summaries unless told; a star becomes words.
        Privacy: the page warns of what is raw, and can be read by its owner only.
        Raises HushrankError when it cannot be written.
        """
        from hushrank.reports.heat_table import pair_table
        from hushrank.workflows.results.consensus.page import released_tables, write_page

        rows = {**self.consensus.summary, **self.summary} if figures is None else figures
        named = {label.replace(" *", " (raw ballots)"): each for label, each in rows.items()}
        decided = self.counts + self.counts.T
        nobody = np.full(decided.shape, np.nan)
        shares = np.divide(self.counts, decided, where=decided > 0, out=nobody)
        raw = pair_table("Two by two, raw ballots", shares)
        tables = [*released_tables(self.consensus), raw]
        warning = PARTLY_RAW if self.consensus.is_private else NOT_PUBLISHABLE
        beside = None
        if self.consensus.sure_of == BALLOTS:
            intervals = self.of_other_people.intervals(self.consensus.found.order)
            beside = ("in the population (raw)", intervals)
        write_page(self.consensus, path, title, warning, named, tables, beside)

    def _repr_html_(self) -> str:
        """Show the figures in a notebook, with their stars."""
        from hushrank.reports.notebook import notebook_html

        return notebook_html("Beside the raw ballots", self.summary, notes=[OF_RAW_BALLOTS])

    @cached_property
    def _best_tau(self) -> float:
        return self._tau(self.best.order)

    def _tau(self, order: Order) -> float:
        return average_kendall_tau(self.counts, order, self.n_people)

"""One order of the items: what may be said of it, and how near it is to what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushrank.accounting.spend import Spend
from hushrank.accounting.words import best_guess, loss_in_words
from hushrank.aggregators.exact.kemeny import KemenyOrder, kemeny
from hushrank.aggregators.private.order import (
    ComparedMargins,
    DrawnByCost,
    NoisyMargins,
    PrivateOrder,
)
from hushrank.aggregators.private.posterior import confidence_of_release, ranks_of_release
from hushrank.aggregators.raw_order import Ballots, RawOrder
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks
from hushrank.arrays import Counts, Order
from hushrank.errors import require
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.files.disk import FilePath
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked
from hushrank.workflows.arguments import expect, expect_number
from hushrank.workflows.progress import Progress, silent
from hushrank.workflows.results.frames import order_columns
from hushrank.workflows.results.other_reading import OtherFirst, other_first
from hushrank.workflows.results.pictures import order_picture
from hushrank.workflows.results.ties import order_in_words, ties_in_words
from hushrank.workflows.results.words import as_text, least_sure, probability_in_words

if TYPE_CHECKING:
    from hushrank.reports.heat_table import HeatTable

OPEN_PAIRS = "pairs that ballots leave open *"
IN_POPULATION = "least sure pair in the population *"
BALLOTS, POPULATION = "these ballots", "the population they come from"
ABOUT_BALLOTS = (
    "How sure the order is, is about these ballots: it counts the noise alone. Other people of the"
    " same population might have voted otherwise."
)
ABOUT_POPULATION = (
    "How sure the order is, is about the population that these ballots come from, if they are a"
    " random sample of it."
)
CERTAIN_HERE = " Of these ballots alone there is nothing to be unsure of."
DRAWN = (
    "How sure the order is, was not released. Two neighbours are in the order of these ballots with"
    " probability 0.95 if {:,} ballots more say so than the contrary; a smaller lead may be lost in"
    " the noise."
)
NOT_PRIVATE = "Not private: the order is computed from the raw ballots."
OF_RAW_BALLOTS = "* from the raw ballots: for you, protected by nothing"
NOT_PUBLISHABLE = "<strong>Do not publish this page.</strong> The order is not private."
PARTLY_RAW = (
    "<strong>Do not publish this page.</strong> What is marked “raw ballots” is exact, and not"
    " protected by any privacy guarantee; only the order, its probabilities and its intervals are."
)


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """One order, with all that was released beside it, its price, and nothing else.

    What a private one says, shows or writes comes from its release alone; how near it is to what
    people said is another object, see `compared_with`. `found`: the order by number of item and its
    evidence; `method` and `unranked`: as they were asked for.
    """

    found: PrivateOrder | RawOrder
    names: tuple[str, ...]
    method: str
    unranked: Unranked

    def __repr__(self) -> str:
        """Say the size, the method and the price, nothing of the order."""
        price = self.found.price if isinstance(self.found, PrivateOrder) else "exact"
        secret = "private" if self.is_private else "not private"
        return f"Consensus({len(self.names)} items, {self.found.method}, {price}, {secret})"

    def __str__(self) -> str:
        """Say the order, and what protects whom, for `print`."""
        rows = {**self.summary, "order, best first": self.in_words}
        return as_text(rows, self.how_sure, self.privacy)

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items, best first."""
        return tuple(self.names[item] for item in self.found.order)

    @cached_property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair (items - 1,) is the right way round.

        Of a private order in the ballots themselves, by the noise alone, from the release; else in
        the population from which the ballots come. None where nothing was released that tells.
        """
        if isinstance(self.found, PrivateOrder):
            return confidence_of_release(self.found)
        return self.found.of_other_people.ahead(self.found.order)

    @property
    def rank_intervals(self) -> dict[str, tuple[int, int]] | None:
        """The best and the worst rank of each item, 1 = best, at about 95 %, as `confidence`.

        An interval holds the item's place in the order. None where nothing was released that tells.
        """
        if self._intervals is None:
            return None
        bounds = zip(self.names, self._intervals, strict=True)
        return {name: (best + 1, worst + 1) for name, (best, worst) in bounds}

    @property
    def sure_of(self) -> str:
        """What `confidence` and `rank_intervals` are about."""
        return BALLOTS if isinstance(self.found, PrivateOrder) else POPULATION

    @property
    def how_sure(self) -> str:
        """What is said of how sure the order is, and what is not, in plain words."""
        if not isinstance(self.found, PrivateOrder):
            return ABOUT_POPULATION + (CERTAIN_HERE if self.equally_good_orders == 1 else "")
        if isinstance(self.found.evidence, DrawnByCost):
            return DRAWN.format(self.found.evidence.lead_for(0.95))
        return ABOUT_BALLOTS

    @property
    def tied(self) -> tuple[tuple[str, ...], ...]:
        """Groups of items that stand otherwise in an order that is as good: of raw ballots only."""
        same = self.found.equally_good if isinstance(self.found, RawOrder) else None
        groups = () if same is None else same.tied
        return tuple(tuple(self.names[item] for item in group) for group in groups)

    @property
    def equally_good_orders(self) -> int | None:
        """How many orders of raw ballots are as good, this one included; None: not counted."""
        same = self.found.equally_good if isinstance(self.found, RawOrder) else None
        return None if same is None else same.n_orders

    @property
    def in_words(self) -> str:
        """The order, best first, with = between items of which each order is as good."""
        return order_in_words(self.items, self.tied, self.equally_good_orders)

    @property
    def is_private(self) -> bool:
        """Whether the order protects ballots: there is noise, and it is secret."""
        return isinstance(self.found, PrivateOrder) and self.found.is_private

    @property
    def privacy(self) -> str:
        """What is protected, for whom, and at what cost, in one line."""
        return self.found.statement if isinstance(self.found, PrivateOrder) else NOT_PRIVATE

    @property
    def spend(self) -> tuple[Spend, ...]:
        """What the release costs a ballot; nothing is recorded where nothing is protected."""
        return (self.found.spend,) if isinstance(self.found, PrivateOrder) else ()

    @property
    def summary(self) -> dict[str, str]:
        """What a table for people says of it."""
        rows = {"method": self.found.method}
        for spend in self.spend:
            with_delta = f", delta {loss_in_words(spend.delta)}" if spend.delta else ""
            rows["epsilon"] = f"{loss_in_words(spend.epsilon)} nats per ballot{with_delta}"
        as_good = ties_in_words(self.tied, self.equally_good_orders)
        sure = least_sure(self.confidence, f", in {self.sure_of}")
        if isinstance(self.found, PrivateOrder) and isinstance(self.found.evidence, DrawnByCost):
            lead = self.found.evidence.lead_for(0.95)
            sure = {"least sure pair": f"not told; a lead of {lead:,} ballots shows (0.95)"}
        return {**rows, "items": str(len(self.names)), **as_good, **sure}

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON of a release says: for a private one, what may be published."""
        (spend,) = self.spend or (None,)
        return {
            "method": self.method,
            "chosen": self.found.method,
            "epsilon": None if spend is None else spend.epsilon,
            "delta": None if spend is None else spend.delta,
            "neighbours": None if spend is None else spend.neighbours,
            "guarantee": "none" if spend is None else self.privacy,
            "private": self.is_private,
            "items": len(self.names),
            "order": list(self.items),
            "confidence": None if self.confidence is None else list(self.confidence),
            "rank_intervals": self.rank_intervals,
            "sure_of": self.sure_of,
            "how_sure": self.how_sure,
            "tied": [list(group) for group in self.tied],
            "equally_good_orders": self.equally_good_orders,
        }

    def to_frame(self) -> Any:
        """Return a row an item, best first: a pandas DataFrame, or an Arrow table without pandas.

        Columns: place, item, ahead_of_next (probability), best_rank and worst_rank (1 = best).
        """
        return to_frame(self._columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame` over to whatever speaks the Arrow C stream interface."""
        return arrow_stream(self._columns, requested_schema)

    def report(self, path: FilePath, *, title: str = "Consensus") -> None:
        """Write one HTML page from the release alone; it loads nothing from outside.

        What is not private can be read by its owner only.
        Raises HushrankError when it cannot be written.
        """
        warning = None if self.is_private else NOT_PUBLISHABLE
        _write_page(self, path, title, warning, self.summary, self._released_tables)

    def picture(self, form: str) -> bytes:
        """Return the picture of the order as .svg, .png or .pdf: a private one's may be shown."""
        return order_picture(self.names, self.found.order, self._intervals, form)

    def _repr_html_(self) -> str:
        """Show the order, its price and how sure it is, in a notebook."""
        from hushrank.reports.notebook import notebook_html
        from hushrank.reports.order_drawing import order_drawing

        rows = {**self.summary, "order, best first": self.in_words}
        if self._intervals is None:
            return notebook_html("Consensus", rows, notes=[self.privacy])
        drawn = order_drawing(self.names, self.found.order, self._intervals)
        caption = "how sure the rank of each item is"
        return notebook_html(
            "Consensus", rows, notes=[self.privacy], picture=drawn, caption=caption
        )

    def compared_with(
        self, ballots: Rankings, *, time_limit: float = 60.0, progress: Progress = silent
    ) -> "ConsensusComparison":
        """Say how near the order is to what people said: never part of a release.

        ballots: of the same items; raw, and so is the answer. time_limit: seconds for the exact
        optimum, after which its proven gap is said; where this is the exact order of these very
        ballots, nothing is computed again.
        Raises HushrankError for other items or a time limit that is not positive, TypeError, which
        names the argument, for a wrong type.
        """
        expect(ballots, Rankings, "ballots", "hushrank.read_rankings")
        expect_number(time_limit, "time_limit")
        same = ballots.names == self.names
        require(same, "expected ballots of the same items, in the same order of columns")
        counts = majority(ballots, unranked=self.unranked)
        progress("looking for the exact optimum")
        best = self._optimum_of(counts) or kemeny(counts, time_limit=time_limit)
        other = other_first(ballots, self.unranked, int(best.order[0]))
        ballots_of = Ballots(ballots, counts, self.unranked)
        return ConsensusComparison(self, ballots_of, best, other)

    @cached_property
    def drawn_ranks(self) -> DrawnRanks | None:
        """Orders that are as likely, by what was released or of raw ballots; None where unknown."""
        if isinstance(self.found, PrivateOrder):
            return ranks_of_release(self.found)
        return self.found.of_other_people

    @cached_property
    def _intervals(self) -> tuple[tuple[int, int], ...] | None:
        """The best and the worst rank (0 = best) by number of item."""
        drawn = self.drawn_ranks
        return None if drawn is None else drawn.intervals(self.found.order)

    @property
    def plain(self) -> str:
        """What the order may tell of a ballot, for somebody who has never heard of epsilon."""
        if not self.spend:
            return NOT_PRIVATE
        (spend,) = self.spend
        return (
            f"An order of {len(self.names)} candidates from ballots that its publisher holds, made"
            " with noise that protects each ballot. Whoever sees the order, knows all other ballots"
            " and takes it for as likely as not that one more was among them, guesses right at most"
            f" {best_guess(spend.epsilon, spend.delta)} times in 100 whether it was."
        )

    @property
    def caption(self) -> str:
        """What may be written under the picture of the order."""
        bars = ""
        if self._intervals is not None:
            bars = f" Bars: places that a candidate may have in {self.sure_of}, at about 95 %."
        if not self.spend:
            return f"The order of {len(self.names)} candidates by all ballots, exactly.{bars}"
        (spend,) = self.spend
        return (
            f"One order of {len(self.names)} candidates, with noise that protects every ballot"
            f" (epsilon {loss_in_words(spend.epsilon)}, differential privacy).{bars}"
        )

    @property
    def _released_tables(self) -> list["HeatTable"]:
        """Who leads whom by noisy margins, as if the largest of them were unanimous."""
        from hushrank.reports.heat_table import pair_table

        evidence = self.found.evidence if isinstance(self.found, PrivateOrder) else None
        if not isinstance(evidence, NoisyMargins | ComparedMargins):
            return []
        margins = evidence.margins
        shares = 0.5 + margins / (2 * max(1.0, np.nanmax(np.abs(margins))))
        return [pair_table("Two by two, as released with noise (largest lead = 100)", shares)]

    @property
    def _columns(self) -> Values:
        return order_columns(self.items, self.confidence, self.rank_intervals)

    def _optimum_of(self, counts: Counts) -> KemenyOrder | None:
        """Return the optimum that is known already, where it is that of these counts."""
        if not isinstance(self.found, RawOrder):
            return None
        return self.found.best if np.array_equal(self.found.ballots.counts, counts) else None


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
            "excess *": f"{self.excess:.5f}" if proven else f"gap {self.gap:.5f} at most",
        }
        rows |= {OPEN_PAIRS: f"{self.undecided:.0%}"} if self.undecided > 0 else {}
        rows |= {} if self.other is None else self.other.summary
        if self.consensus.sure_of == BALLOTS and self.population_confidence:
            least = probability_in_words(min(self.population_confidence))
            rows |= {IN_POPULATION: f"right with probability {least}"}
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
        rows = {**self.consensus.summary, **self.summary} if figures is None else figures
        named = {label.replace(" *", " (raw ballots)"): each for label, each in rows.items()}
        from hushrank.reports.heat_table import pair_table

        decided = self.counts + self.counts.T
        nobody = np.full(decided.shape, np.nan)
        shares = np.divide(self.counts, decided, where=decided > 0, out=nobody)
        raw = pair_table("Two by two, raw ballots", shares)
        tables = [*self.consensus._released_tables, raw]
        warning = PARTLY_RAW if self.consensus.is_private else NOT_PUBLISHABLE
        beside = None
        if self.consensus.sure_of == BALLOTS:
            intervals = self.of_other_people.intervals(self.consensus.found.order)
            beside = ("in the population (raw)", intervals)
        _write_page(self.consensus, path, title, warning, named, tables, beside)

    def _repr_html_(self) -> str:
        """Show the figures in a notebook, with their stars."""
        from hushrank.reports.notebook import notebook_html

        return notebook_html("Beside the raw ballots", self.summary, notes=[OF_RAW_BALLOTS])

    @cached_property
    def _best_tau(self) -> float:
        return self._tau(self.best.order)

    def _tau(self, order: Order) -> float:
        return average_kendall_tau(self.counts, order, self.n_people)


def _write_page(
    consensus: Consensus,
    path: FilePath,
    title: str,
    warning: str | None,
    figures: Mapping[str, str],
    tables: Sequence["HeatTable"],
    beside: tuple[str, Sequence[tuple[int, int]]] | None = None,
) -> None:
    """Write a page about an order; with a warning only its owner can read it."""
    from hushrank.reports.order_page import OrderPage, write_order_report

    tied = ties_in_words(consensus.tied, consensus.equally_good_orders)
    shown = OrderPage(
        title=title,
        plain=consensus.plain,
        statement=consensus.privacy,
        about=(*(f"Tied: {each}." for each in tied.values()), consensus.how_sure),
        caption=consensus.caption,
        warning=warning,
        figures=figures,
        names=consensus.names,
        order=consensus.found.order,
        confidence=consensus.confidence,
        intervals=consensus._intervals,
        among=consensus.sure_of,
        beside=beside,
        tables=tables,
    )
    write_order_report(Path(path), shown)

"""One order of the items: what may be said of it, and nothing that was not released."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hushrank.accounting.spend import Spend
from hushrank.aggregators.exact.kemeny import KemenyOrder, kemeny
from hushrank.aggregators.private.order import PrivateOrder
from hushrank.aggregators.private.posterior import confidence_of_release, ranks_of_release
from hushrank.aggregators.raw_order import Ballots, RawOrder
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks
from hushrank.arrays import Counts
from hushrank.errors import require
from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.files.disk import FilePath
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked
from hushrank.workflows.arguments import expect, expect_number
from hushrank.workflows.progress import AtMost, Progress, silent
from hushrank.workflows.results.consensus import words
from hushrank.workflows.results.consensus.other_reading import other_first
from hushrank.workflows.results.consensus.ties import order_in_words
from hushrank.workflows.results.consensus.words import (
    BALLOTS,
    NOT_PRIVATE,
    NOT_PUBLISHABLE,
    POPULATION,
)
from hushrank.workflows.results.frames import order_columns, ranks_of_items
from hushrank.workflows.results.pictures import order_picture
from hushrank.workflows.results.words import as_text

if TYPE_CHECKING:
    from hushrank.workflows.results.consensus.comparison import ConsensusComparison


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
        """The best and the worst rank of each item, 1 = best, at 95 % or more, as `confidence`.

        Best first: in which order a file has its items is no part of a release. An interval holds
        the item's place in the order. None where nothing was released that tells.
        """
        return ranks_of_items(self.names, self.found.order, self.intervals)

    @property
    def sure_of(self) -> str:
        """What `confidence` and `rank_intervals` are about."""
        return BALLOTS if isinstance(self.found, PrivateOrder) else POPULATION

    @property
    def how_sure(self) -> str:
        """What is said of how sure the order is, and what is not, in plain words."""
        return words.how_sure(self)

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
        return words.summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON of a release says: for a private one, what may be published."""
        (spend,) = [each.to_dict() for each in self.spend] or ({},)
        return {
            "method": self.method,
            "chosen": self.found.method,
            **{name: spend.get(name) for name in ("epsilon", "delta", "neighbours")},
            "guarantee": self.privacy if spend else "none",
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
        from hushrank.workflows.results.consensus.page import released_tables, write_page

        warning = None if self.is_private else NOT_PUBLISHABLE
        write_page(self, path, title, warning, self.summary, released_tables(self))

    def picture(self, form: str) -> bytes:
        """Return the picture of the order as .svg, .png or .pdf: a private one's may be shown."""
        return order_picture(self.names, self.found.order, self.intervals, form)

    def _repr_html_(self) -> str:
        """Show the order, its price and how sure it is, in a notebook."""
        from hushrank.reports.notebook import notebook_html
        from hushrank.reports.order_drawing import order_drawing

        rows = {**self.summary, "order, best first": self.in_words}
        if self.intervals is None:
            return notebook_html("Consensus", rows, notes=[self.privacy])
        drawn = order_drawing(self.names, self.found.order, self.intervals)
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
        from hushrank.workflows.results.consensus.comparison import ConsensusComparison

        expect(ballots, Rankings, "ballots", "hushrank.read_rankings")
        expect_number(time_limit, "time_limit")
        same = ballots.names == self.names
        require(same, "expected ballots of the same items, in the same order of columns")
        counts = self._counts_of(ballots)
        progress(AtMost.of("looking for the exact optimum", time_limit))
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
    def intervals(self) -> tuple[tuple[int, int], ...] | None:
        """The best and the worst rank (0 = best) by number of item."""
        drawn = self.drawn_ranks
        return None if drawn is None else drawn.intervals(self.found.order)

    @property
    def plain(self) -> str:
        """What the order may tell of a ballot, for somebody who has never heard of epsilon."""
        return words.plain(self)

    @property
    def caption(self) -> str:
        """What may be written under the picture of the order."""
        return words.caption(self)

    @property
    def _columns(self) -> Values:
        return order_columns(self.items, self.confidence, self.rank_intervals)

    def _counts_of(self, ballots: Rankings) -> Counts:
        """Count who puts which item before which, where that was not done for the order."""
        if isinstance(self.found, RawOrder) and self.found.ballots.rankings is ballots:
            return self.found.ballots.counts
        return majority(ballots, unranked=self.unranked)

    def _optimum_of(self, counts: Counts) -> KemenyOrder | None:
        """Return the optimum that is known already, where it is that of these counts."""
        if not isinstance(self.found, RawOrder):
            return None
        return self.found.best if np.array_equal(self.found.ballots.counts, counts) else None

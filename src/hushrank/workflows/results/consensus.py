"""One order of the items: what may be said of it, and how near it is to what people said."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hushrank.accounting.spend import Spend
from hushrank.aggregators.exact.kemeny import KemenyOrder, kemeny
from hushrank.aggregators.private.order import ComparedMargins, NoisyMargins, PrivateOrder
from hushrank.aggregators.private.posterior import posterior_of_release
from hushrank.aggregators.registry import RawOrder
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Counts, Order, Shares
from hushrank.errors import require
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.files.disk import FilePath
from hushrank.questions.stated import Unranked
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.workflows.arguments import expect, expect_number
from hushrank.workflows.progress import Progress, silent
from hushrank.workflows.results.frames import Columns, arrow_stream, to_frame
from hushrank.workflows.results.words import least_sure

OPEN_PAIRS = "pairs that ballots leave open *"
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

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items, best first."""
        return tuple(self.names[item] for item in self.found.order)

    @cached_property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair (items - 1,) is the right way round: from the release.

        None where nothing was released that tells.
        """
        if self._posterior is not None:
            return self._posterior.pair_probabilities(self.found.order)
        return self.found.confidence if isinstance(self.found, PrivateOrder) else None

    @property
    def rank_intervals(self) -> dict[str, tuple[int, int]] | None:
        """The best and the worst rank of each item by score, 1 = best, at about 95 %.

        None where nothing was released that tells.
        """
        if self._intervals is None:
            return None
        bounds = zip(self.names, self._intervals, strict=True)
        return {name: (best + 1, worst + 1) for name, (best, worst) in bounds}

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
            with_delta = f", delta {spend.delta:g}" if spend.delta else ""
            rows["epsilon"] = f"{spend.epsilon:g} nats per ballot{with_delta}"
        return {**rows, "items": str(len(self.names)), **least_sure(self.confidence)}

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
        _write_page(self, path, title, warning, self.summary, self._released_shares)

    def _repr_html_(self) -> str:
        """Show the order, its price and how sure it is, in a notebook."""
        from hushrank.reports.notebook import notebook_html  # matplotlib is slow to import
        from hushrank.reports.order_plots import rank_intervals_figure

        rows = {**self.summary, "order, best first": " > ".join(self.items)}
        if self._intervals is None:
            return notebook_html("Consensus", rows, notes=[self.privacy])
        drawn = rank_intervals_figure(self.names, self.found.order, self._intervals)
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
        return ConsensusComparison(self, counts, ballots.n_people, best)

    @cached_property
    def _posterior(self) -> Posterior | None:
        """What the release leaves open, if it tells."""
        found = self.found
        return posterior_of_release(found) if isinstance(found, PrivateOrder) else None

    @cached_property
    def _intervals(self) -> tuple[tuple[int, int], ...] | None:
        """The best and the worst rank (0 = best) by number of item."""
        return None if self._posterior is None else self._posterior.rank_intervals()

    @property
    def _released_shares(self) -> dict[str, Shares]:
        """Who leads whom by noisy margins, as if the largest of them were unanimous."""
        evidence = self.found.evidence if isinstance(self.found, PrivateOrder) else None
        if not isinstance(evidence, NoisyMargins | ComparedMargins):
            return {}
        margins = evidence.margins
        return {"with noise, released": 0.5 + margins / (2 * max(1.0, np.nanmax(np.abs(margins))))}

    @property
    def _columns(self) -> Columns:
        items, intervals = self.items, self.rank_intervals or {}
        confidence = self.confidence or (None,) * (len(items) - 1)
        return {
            "place": range(1, len(items) + 1),
            "item": items,
            "ahead_of_next": [*confidence, None],
            "best_rank": [intervals.get(item, (None, None))[0] for item in items],
            "worst_rank": [intervals.get(item, (None, None))[1] for item in items],
        }

    def _optimum_of(self, counts: Counts) -> KemenyOrder | None:
        """Return the optimum that is known already, where it is that of these counts."""
        known = self.found.optimum if isinstance(self.found, RawOrder) else None
        return known.best if known is not None and np.array_equal(known.counts, counts) else None


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusComparison:
    """How near an order is to the exact optimum of raw ballots: for whoever holds them, alone.

    counts (items, items) = how many people put an item before another; `best` = a Kemeny order, or
    the best one that was found in time.
    Privacy: all of it is computed from raw ballots, and protected by nothing.
    """

    consensus: Consensus
    counts: Counts
    n_people: int
    best: KemenyOrder

    def __repr__(self) -> str:
        """Say what it is, none of its figures."""
        return f"ConsensusComparison({len(self.consensus.names)} items, from raw ballots)"

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
        return {**rows, **({OPEN_PAIRS: f"{self.undecided:.0%}"} if self.undecided > 0 else {})}

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON says beside that of the order."""
        return {
            "people": self.n_people,
            "average_kendall_tau": self.average_kendall_tau,
            "kemeny_optimum": self.kemeny_optimum,
            "excess": self.excess,
            "optimal_proven": self.is_proven,
            "gap": self.gap,
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
        decided = np.maximum(self.counts + self.counts.T, 1)
        shares = {"raw ballots": self.counts / decided, **self.consensus._released_shares}
        _write_page(self.consensus, path, title, PARTLY_RAW, named, shares)

    def _repr_html_(self) -> str:
        """Show the figures in a notebook, with their stars."""
        from hushrank.reports.notebook import notebook_html  # matplotlib is slow to import

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
    pair_shares: Mapping[str, Shares],
) -> None:
    """Write a page about an order; with a warning only its owner can read it."""
    from hushrank.reports.order_page import OrderPage, write_order_report  # matplotlib is slow

    shown = OrderPage(
        title=title,
        statement=consensus.privacy,
        warning=warning,
        figures=figures,
        names=consensus.names,
        order=consensus.found.order,
        confidence=consensus.confidence,
        intervals=consensus._intervals,
        pair_shares=pair_shares,
    )
    write_order_report(Path(path), shown)

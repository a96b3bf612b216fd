"""The results of a survey as its page shows them, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.accounting.words import loss_in_words
from hushrank.arrays import Floats
from hushrank.collector.web.pages_organiser.forecast_words import lies_of
from hushrank.collector.web.pages_organiser.reliance import Reliance, reliance_on
from hushrank.collector.web.pages_organiser.words import Words
from hushrank.protocols.learnt.fit_words import MOST_EXACT
from hushrank.reports.order_words import CERTAIN, sure_word, whole_per_cent
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.shares import Estimates, pair_shares, rank_shares

MOST_CELLS_ITEMS = 30
"""Tables of more items are files only."""
ROWS_SHOWN = 5
LEVELS = 10


@dataclass(frozen=True)
class PlaceRow:
    """A place of the order. best, worst: ranks, 1 = best; 0 if unknown."""

    place: int
    item: str
    best: int = 0
    worst: int = 0
    ranks: str = ""
    ahead: str = ""
    sure: str = ""


@dataclass(frozen=True)
class Cell:
    """A share, its interval, and how dark its cell is: 0 to 10."""

    share: str
    between: str
    level: int


@dataclass(frozen=True)
class HeatRow:
    """A row of cells; None where there is nothing to say."""

    item: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Popular:
    """An order that many people hold, and how likely it is just this one, if that is known."""

    share: str
    order: str
    exact: str | None


@dataclass(frozen=True, repr=False)
class ResultsView:
    """All that the page says."""

    winner: str
    clear: str
    n_items: int
    n_people: int
    epsilon: str
    lies: int
    statement: str
    order: tuple[PlaceRow, ...]
    has_intervals: bool
    ranks: tuple[HeatRow, ...]
    has_rank_intervals: bool
    pairs: tuple[HeatRow, ...]
    has_pair_intervals: bool
    too_many: bool
    popular: tuple[Popular, ...] | None
    reliance: tuple[Reliance, ...]
    has_synthetic: bool
    synthetic: tuple[str, ...]


def results_view(t: Words, learnt: Collection) -> ResultsView:
    """Return what the page says of what was learnt. Takes seconds: call it beside other work."""
    few = len(learnt.names) <= MOST_CELLS_ITEMS
    ranks = rank_shares(learnt) if few else None
    pairs = pair_shares(learnt) if few else None
    return ResultsView(
        winner=_winner(t, learnt),
        clear=_clear(t, learnt.confidence),
        n_items=len(learnt.names),
        n_people=learnt.n_people,
        epsilon=t.numeral(loss_in_words(learnt.outcome.epsilon, 3)),
        lies=lies_of(learnt.outcome.epsilon),
        statement=learnt.privacy,
        order=tuple(_places(t, learnt)),
        has_intervals=learnt.rank_intervals is not None,
        ranks=_heat(t, learnt, ranks, learnt.order, range(len(learnt.names))),
        has_rank_intervals=ranks is not None and ranks.low is not None,
        pairs=_heat(t, learnt, pairs, learnt.order, learnt.order, with_self=False),
        has_pair_intervals=pairs is not None and pairs.low is not None,
        too_many=not few,
        popular=_popular(t, learnt),
        reliance=reliance_on(t, learnt.shown.named),
        has_synthetic=learnt.protocol.has_model,
        synthetic=_synthetic(learnt) if learnt.protocol.has_model else (),
    )


def _winner(t: Words, learnt: Collection) -> str:
    """Say who is first, and who else may be."""
    first, intervals = learnt.items[0], learnt.rank_intervals
    if intervals is None:
        return t("winner.unknown", item=first)
    rivals = [item for item in learnt.items[1:] if intervals[item][0] == 1]
    if not rivals:
        certain = learnt.confidence is not None and learnt.confidence[0] >= CERTAIN
        return t("winner.sure" if certain else "winner.likely", item=first)
    if len(rivals) >= (len(learnt.items) - 1) * 2 / 3 and len(rivals) > 1:
        return t("winner.open", item=first)
    return t("winner.rivals", item=first, rivals=_listed(t, rivals))


def _listed(t: Words, names: Sequence[str]) -> str:
    *others, last = [t("quoted", item=name) for name in names]
    return f"{', '.join(others)} {t('or')} {last}" if others else last


def _clear(t: Words, confidence: Sequence[float] | None) -> str:
    """Count how many neighbours are in an order that is how sure."""
    if not confidence:
        return ""
    found = Counter(map(_sure, confidence))
    return t("clear", **{level: found[level] for level in ("certain", "likely", "leaning", "open")})


def _places(t: Words, learnt: Collection) -> list[PlaceRow]:
    intervals, confidence = learnt.rank_intervals, learnt.confidence
    rows = []
    for place, item in enumerate(learnt.items, start=1):
        if intervals is None or confidence is None:
            rows.append(PlaceRow(place, item))
            continue
        best, worst = intervals[item]
        ranks = str(best) if best == worst else t("order.to", best=best, worst=worst)
        ahead = confidence[place - 1] if place <= len(confidence) else None
        sure = "" if ahead is None else _sure(ahead)
        said = "" if ahead is None else t(f"sure.{sure}", percent=_likely(t, ahead))
        rows.append(PlaceRow(place, item, best, worst, ranks, said, sure))
    return rows


def _sure(probability: float) -> str:
    return sure_word(probability).removeprefix("almost ")


def _likely(t: Words, probability: float) -> str:
    """Return a probability in per cent, rounded down: nothing is certain that noise could make."""
    shown = whole_per_cent(min(probability, 0.99)) / 100
    return f">{t.percent(shown)}" if probability > 0.99 else t.percent(shown)


def _heat(
    t: Words,
    learnt: Collection,
    found: Estimates | None,
    rows: Any,
    columns: Any,
    *,
    with_self: bool = True,
) -> tuple[HeatRow, ...]:
    if found is None:
        return ()
    largest = float(found.shares.max()) if with_self else 1.0
    return tuple(
        HeatRow(
            learnt.names[row],
            tuple(
                _cell(t, found, row, column, largest) if with_self or row != column else None
                for column in columns
            ),
        )
        for row in rows
    )


def _cell(t: Words, found: Estimates, row: int, column: int, largest: float) -> Cell:
    share = float(found.shares[row, column])
    between = ""
    if found.low is not None and found.high is not None:
        between = t.between(float(found.low[row, column]), float(found.high[row, column]))
    return Cell(t.percent(share), between, round(LEVELS * share / max(largest, 1e-9)))


def _popular(t: Words, learnt: Collection) -> tuple[Popular, ...] | None:
    told = learnt.shown.named.get("popular_orders")
    if told is None:
        return None
    return tuple(
        Popular(
            t.percent(each["share"]),
            " > ".join(each["order"]),
            None if each["exact"] is None else t.percent(min(each["exact"], MOST_EXACT)),
        )
        for each in told["orders"]
    )


def _synthetic(learnt: Collection) -> tuple[str, ...]:
    ranks: Floats = np.asarray(learnt.synthetic.ranks[:ROWS_SHOWN])
    orders = np.argsort(ranks, axis=1)
    return tuple(" > ".join(learnt.names[item] for item in order) for order in orders)

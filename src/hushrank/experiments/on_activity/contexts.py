"""Activity in context: who did what in which part of the week, and how well that is foretold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.identifiers import numbered
from hushrank.activities.log import ActivityLog
from hushrank.arrays import Indices, WholeNumbers
from hushrank.errors import require
from hushrank.evaluation.recommendation.average_precision import mean_average_precision
from hushrank.evaluation.recommendation.tensor_factorisation import TensorFactorisation
from hushrank.experiments.on_activity.platforms import PlatformSplit

WEEK_HOURS, SLOT_HOURS = 168, 4
N_SLOTS = WEEK_HOURS // SLOT_HOURS


def in_slots(log: ActivityLog, items: Sequence[str]) -> Activity:
    """Return 0/1 activity (users, slots x items) of a log whose times are hours of the week.

    Column slot * items + item: who did which of `items`, the others being left out, in which four
    hours of the week. Raises HushrankError unless all times are in [0, 168).
    """
    require(log.times is not None, "expected records with times: hours of the week")
    hours = np.asarray(log.times)
    inside = bool(((hours >= 0) & (hours < WEEK_HOURS)).all())
    require(inside, f"expected times that are hours of the week, from 0 to below {WEEK_HOURS}")
    number = {item: place for place, item in enumerate(items)}
    places = np.array([number.get(item, -1) for item in log.items])[log.item_codes]
    columns = (hours // SLOT_HOURS).astype(np.intp) * len(items) + places
    kept = places >= 0
    cells = np.unique(np.stack([log.user_codes[kept], columns[kept]]), axis=1)
    shape = (log.n_users, N_SLOTS * len(items))
    scores = csr_array((np.ones(cells.shape[1]), (cells[0], cells[1])), shape=shape)
    return Activity(scores, log.users, numbered(shape[1]))


@dataclass(frozen=True)
class ContextPrecision:
    """Recommends what to do in a slot, and judges it by what was held out in the slots."""

    n_items: int

    def __call__(
        self, split: PlatformSplit, rows: Indices, released: csr_array, *, rng: np.random.Generator
    ) -> float:
        """Return the mean over protected users (rows) and slots in which something is held out."""
        shape = (released.shape[0], N_SLOTS, self.n_items)
        model = TensorFactorisation.fit(self._observations(released), shape, rng=rng)
        held_out = self._by_slot(split.held_out.scores[rows])
        asked = np.flatnonzero(np.diff(held_out.indptr))
        seen = self._by_slot(split.shown.scores[rows])[asked]
        places, slots = np.divmod(asked, N_SLOTS)
        users = rows[places]
        return mean_average_precision(
            lambda part: model.scores(users[part], slots[part]), seen, held_out[asked]
        )

    def _by_slot(self, cells: csr_array) -> csr_array:
        """Return rows (users x slots, items) of records (users, slots x items)."""
        parts: coo_array = cells.tocoo().reshape((cells.shape[0] * N_SLOTS, self.n_items))
        return parts.tocsr()

    def _observations(self, released: csr_array) -> WholeNumbers:
        records = released.tocoo()
        slots, items = np.divmod(records.col, self.n_items)
        return np.column_stack([records.row, slots, items])

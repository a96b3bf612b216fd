"""Begin a stream of many users in shards, and learn for it from many Parquet files.

Each shard is a state of its own, for `hushrank.publish_online(state)`: see
`publishing.online.shards`. What is learnt is learnt once, from all users.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import UNNAMED, ActivityColumns
from hushrank.activities.profiles import Profiles
from hushrank.activities.shelves.places import Index, records_of_piece
from hushrank.activities.shelves.records import names_of_piece
from hushrank.arrays import Floats, Integers32, WholeNumbers
from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import HushrankError, expect, require
from hushrank.files.disk import FilePath
from hushrank.files.pieces import Piece, pieces_of
from hushrank.publishing.item_channel.learning_error import group_cells, population_of_sums
from hushrank.publishing.item_channel.problem import ActivityPopulation
from hushrank.publishing.online.setup import StreamSetup, all_users, setup_by
from hushrank.publishing.online.shards import shards_of
from hushrank.publishing.online.state import stored_setup
from hushrank.workflows.arguments import expect_attributes, expect_whole
from hushrank.workflows.progress import Progress, of_pieces, silent
from hushrank.workflows.publish.online import rules_of

ROWS_OF_A_PIECE = 2**22


def begin_shards(
    folder: FilePath,
    n_shards: int,
    source: FilePath | Sequence[FilePath],
    profiles: Profiles,
    *,
    private: Sequence[str],
    budget: float,
    limit: float | None = None,
    history: Activity | None = None,
    renew_every: int | None = None,
    columns: ActivityColumns = UNNAMED,
    workers: Workers = HERE,
    progress: Progress = silent,
) -> tuple[Path, ...]:
    """Begin one state for each shard in a folder, and return their paths, in order.

    source: Parquet of what is known of activities, learnt from piece by piece. The other options,
    and what is promised, are those of `hushrank.publish_online`, to which each path is then given
    alone. A state that is there already must have been begun with the same; it is kept. States of
    another number of shards would release for the same users once more: beside them none is begun.
    Privacy: each state is as secret as the activity of its users. Raises as `publish_online` does.
    """
    n_shards = expect_whole(n_shards, "n_shards", at_least=1)
    _require_no_others(Path(folder), n_shards)
    rules = rules_of(budget, limit, renew_every)
    names = expect_attributes(private)
    with workers.kept() as kept:
        learnt = _Learnt.of(source, profiles, columns, kept, progress)
        setup = setup_by(
            learnt.population, learnt.users, learnt.items, profiles, names, rules, history=history
        )
    Path(folder).mkdir(exist_ok=True)
    paths = [Path(folder, f"{number}-of-{n_shards}.state") for number in range(n_shards)]
    progress(f"beginning {n_shards} states")
    for path, shard in zip(paths, shards_of(setup, n_shards), strict=True):
        _begin(path, shard)
    return tuple(paths)


def _require_no_others(folder: Path, n_shards: int) -> None:
    """Refuse a folder with states of the same users, who would have two limits."""
    others = [path.name for path in folder.glob("*-of-*.state")]
    same = all(name.endswith(f"-of-{n_shards}.state") for name in others)
    require(same, f"{folder}: the users are in states of another number of shards already")


def _begin(path: Path, shard: StreamSetup) -> None:
    stored, begun = stored_setup(path), shard.to_bytes()
    if stored is None:
        shard.publisher().resume(path, begun).close()
    elif stored != begun:
        raise HushrankError(f"{path} was begun with other data or rules")


@dataclass(frozen=True, eq=False, repr=False)
class _Learnt:
    """Who and what is in some pieces, and how to learn from them. Privacy: raw."""

    index: Index
    users: tuple[str, ...]
    is_active: Floats
    pieces: tuple[Piece, ...]
    columns: ActivityColumns
    workers: Workers
    progress: Progress

    @classmethod
    def of(
        cls,
        source: FilePath | Sequence[FilePath],
        profiles: Profiles,
        columns: ActivityColumns,
        workers: Workers,
        progress: Progress,
    ) -> "_Learnt":
        """Look at all pieces; raise HushrankError as `read_activity` does."""
        expect(profiles, Profiles, "profiles", "hushrank.read_profiles")
        pieces, tell = tuple(pieces_of(source, most_rows=ROWS_OF_A_PIECE)), of_pieces(progress)
        progress("reading who and what there is")
        names = workers.add_up(names_of_piece, columns, pieces, tell).in_order
        index = Index.of(names)
        totals = workers.add_up(total_of_piece, (columns, index), pieces, tell)
        for each, what in ((totals.users, "user"), (totals.items, "item")):
            idle = int((each == 0).sum())
            require(idle == 0, f"expected activity of every {what}, got none of {idle}")
        users = all_users(names.users.to_pylist(), profiles)
        is_active = np.zeros(len(users))
        is_active[: len(totals.users)] = totals.users > 0
        return cls(index, users, is_active, pieces, columns, workers, progress)

    @property
    def items(self) -> tuple[str, ...]:
        """All items, in order."""
        return tuple(self.index.items.texts.to_pylist())

    def population(self, codes: WholeNumbers, n_values: int) -> ActivityPopulation:
        """Learn what items tell of the values of users, who are in the order of `users`."""
        taught = np.flatnonzero((codes >= 0) & (self.is_active > 0))
        cells, n_groups = group_cells(codes[taught], n_values)
        cell_of_user = np.full(len(self.users), -1, dtype=np.int32)
        cell_of_user[taught] = cells
        self.progress("learning what items tell")
        learning = Learning(self.columns, self.index, cell_of_user, n_groups * n_values)
        tell = of_pieces(self.progress)
        return population_of_sums(
            self.workers.add_up(sums_of_piece, learning, self.pieces, tell), n_values
        )


@dataclass(frozen=True, eq=False, repr=False)
class Totals:
    """Sums of scores of each user (users,) and of each item (items,): they add up."""

    users: Floats
    items: Floats

    def __add__(self, other: "Totals") -> "Totals":
        """Add both up."""
        return Totals(self.users + other.users, self.items + other.items)


@dataclass(frozen=True, eq=False, repr=False)
class Learning:
    """What a task needs to add up scores: cell_of_user (users,) of n_cells, -1 = nobody's."""

    columns: ActivityColumns
    index: Index
    cell_of_user: Integers32
    n_cells: int


def total_of_piece(told: tuple[ActivityColumns, Index], piece: Piece) -> Totals:
    """Add up a piece's scores by user and by item. Raises HushrankError, naming the file."""
    columns, index = told
    n_users, n_items = len(index.users.texts), len(index.items.texts)
    totals = Totals(np.zeros(n_users), np.zeros(n_items))
    for users, items, scores in records_of_piece(columns, index, piece):
        each = (users, n_users), (items, n_items)
        of_users, of_items = (np.bincount(n, scores, size).astype(np.float64) for n, size in each)
        totals += Totals(of_users, of_items)
    return totals


def sums_of_piece(learning: Learning, piece: Piece) -> Floats:
    """Add up a piece's scores by item and cell (items, cells). Raises as `total_of_piece`."""
    n_items = len(learning.index.items.texts)
    sums = np.zeros(n_items * learning.n_cells)
    for users, items, scores in records_of_piece(learning.columns, learning.index, piece):
        cell = learning.cell_of_user[users]
        known = cell >= 0
        place = items[known].astype(np.intp) * learning.n_cells + cell[known]
        sums += np.bincount(place, scores[known], sums.size)
    return sums.reshape(n_items, learning.n_cells)

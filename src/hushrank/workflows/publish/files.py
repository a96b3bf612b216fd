"""Publish activity of many Parquet files, piece by piece: `hushrank.publish` beyond one process.

Records are read twice and sorted into books of rows on a scratch folder; points, sums and released
rows are made book by book. Clusters, channels and whose record stands for whom are settled in the
process that calls, which alone draws: no task has noise, and one that runs twice writes the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from secrets import randbits
from typing import Any, cast
from uuid import uuid4

import numpy as np
from scipy.sparse import csr_array

from hushrank.accounting.words import bits_in_words
from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import ITEM, SCORE, UNNAMED, USER, ActivityColumns
from hushrank.activities.identifiers import require_identifiers
from hushrank.activities.profiles import PrivateValues, Profiles
from hushrank.activities.shelves.places import Places
from hushrank.activities.shelves.records import Names, Naming, name_piece, users_of_bucket
from hushrank.activities.shelves.shelf import Books, Shelf, Sorting, bind, sort_piece, sorting_of
from hushrank.arrays import Indices
from hushrank.engines.tasks import HERE, Workers
from hushrank.errors import HushrankError, expect, require
from hushrank.files.disk import FilePath
from hushrank.files.elsewhere.addresses import shown
from hushrank.files.hashes import new_salt
from hushrank.files.pieces import Piece, pieces_of
from hushrank.files.spread import (
    errors_naming_folder,
    remove_files,
    remove_folder,
    require_reached,
    scratch_folder,
)
from hushrank.publishing.clusters.clustering import Clustering
from hushrank.publishing.clusters.in_books import (
    Pointing,
    clusters_of_books,
    labels_of_points,
    members_of_books,
    points_of_all,
    points_of_book,
    space_of_users,
    sums_of_book,
)
from hushrank.publishing.distances.group_distances import group_distances
from hushrank.publishing.distances.kendall import kendall_distances_of_pairs
from hushrank.publishing.historical.protected_users import (
    ProtectedUsers,
    clusters_of,
    protected_rows,
)
from hushrank.publishing.historical.release import MOST_COMPARED, GroupPlan, by_row, draw_sources
from hushrank.workflows.arguments import expect_attributes
from hushrank.workflows.progress import Progress, of_pieces, silent
from hushrank.workflows.publish.historical import planner_of
from hushrank.workflows.results.release_comparison import NOT_JUDGED
from hushrank.workflows.results.release_terms import Distance, ReleaseTerms
from hushrank.workflows.results.release_warnings import is_judged
from hushrank.workflows.seeds import secret_words, stream

ROWS_OF_A_PIECE, NAMES_AT_ONCE = 2**22, 2**18
NOBODY = Activity(csr_array((1, 1)), ("nobody",), ("nothing",))
"""In place of an activity whose records lie on a shelf."""
METHODS = ("privrank", "rand", "frapp")
"""Those that know clusters alone: the others compare records one by one."""


@dataclass(frozen=True, repr=False)
class ReleasedFiles:
    """What may be handed over: a folder of Parquet files, and what was promised of it.

    Privacy: as of `hushrank.publish`; two releases of the same users tell more than one.
    """

    folder: Path
    terms: ReleaseTerms
    n_users: int
    n_records: int
    is_private: bool

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"ReleasedFiles({self.terms.method}, {self.n_users} users)"

    @property
    def privacy(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        return self.terms.privacy

    def to_dict(self) -> dict[str, Any]:
        """Return what was promised, and the size of the release, JSON-ready."""
        return {
            "method": self.terms.method,
            "budget": self.terms.settled_budget,
            "budget_unit": self.terms.unit,
            "users": self.n_users,
            "records": self.n_records,
            "private": self.is_private,
            "options": asdict(self.terms),
            "privacy_statement": " ".join(self.terms.notes),
        }


@dataclass(frozen=True, repr=False)
class FilesComparison:
    """What a release of files costs and tells, for the owner of the raw data alone; bits.

    leakage_bits and untouched_bits: the worst of the groups of users who protect the same; None
    where too few users tell their value to judge them.
    """

    n_protected: int
    n_clusters: int
    expected_distortion: float
    record_distortion: float
    untouched_bits: float | None
    leakage_bits: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, JSON-ready."""
        return asdict(self)

    @property
    def summary(self) -> Mapping[str, str]:
        """The figures, as rows of a table for people."""
        return {
            "protected": f"{self.n_protected:,} users, {self.n_clusters:,} clusters",
            "expected distortion": f"{self.expected_distortion:.4g}",
            "record distortion": f"{self.record_distortion:.4g}",
            "leakage": self._leakage,
        }

    @property
    def _leakage(self) -> str:
        if self.leakage_bits is None or self.untouched_bits is None:
            return NOT_JUDGED
        told, untouched = map(bits_in_words, (self.leakage_bits, self.untouched_bits))
        return f"{told} bits, untouched {untouched}"


def publish_files(
    source: FilePath | Sequence[FilePath],
    profiles: Profiles,
    output: FilePath,
    *,
    scratch: FilePath,
    private: Sequence[str],
    budget: float,
    method: str = "privrank",
    clusters: int | None = None,
    clustering: Clustering = "auto",
    distance: Distance = "kendall",
    max_ratio: float | None = None,
    keep_own: bool = False,
    columns: ActivityColumns = UNNAMED,
    seed: int | None = None,
    workers: Workers = HERE,
    progress: Progress = silent,
) -> tuple[ReleasedFiles, FilesComparison]:
    """Release each protected user under the record of another: `hushrank.publish`, by pieces.

    source: paths, patterns, folders or addresses of Parquet; scores of one user and one item add
    up. output: a folder that is not there yet, for the released files. scratch: a folder that holds
    the raw records meanwhile, about 16 bytes each, twice; both folders are such as all workers
    reach, as one user. The other options, and what is promised, are those of `hushrank.publish`,
    for `privrank`, `rand` and `frapp`. The release is that of one process, to the last bit for the
    same seed where scores are whole numbers. The second result is for the owner alone.
    Raises HushrankError as `publish` does, and for a file that is missing or damaged, which is
    named: nothing is released then.
    """
    expect(profiles, Profiles, "profiles", "hushrank.read_profiles")
    expect(workers, Workers, "workers")
    chosen = clusters, clustering, distance, max_ratio, keep_own, seed, None
    terms = ReleaseTerms(method, expect_attributes(private), budget, *chosen)
    _require_by_clusters(method, clustering)
    with (
        _new_folder(output, secret=seed is not None) as folders,
        scratch_folder(scratch) as folder,
        workers.kept() as kept,
    ):
        work = _Work(kept, progress, folder, columns)
        pieces = pieces_of(source, most_rows=ROWS_OF_A_PIECE)
        kept.add_up(require_reached, (folder, *folders), range(len(pieces)))
        sorting, books = work.shelve(pieces)
        shelf = Shelf(books.books, len(books.users_of_items))
        choices = randbits(128) if seed is None else seed
        users = work.protect(shelf, sorting, profiles, terms, rng=stream(choices, "clusters"))
        progress("settling the channels")
        rng_of_choices = stream(choices, "choices")
        plans = planner_of(terms)(users, budget=terms.settled_budget, choices=rng_of_choices)
        rng = secret_words(seed)
        among = draw_sources(users, plans, rng=rng)
        n_records = work.write(shelf, sorting, by_row(users, among), folders)
        compared = _compared(shelf, users, plans, among)
    sizes = users.private.n_users, n_records
    return ReleasedFiles(Path(output), terms, *sizes, rng.is_private), compared


def _require_by_clusters(method: str, clustering: Clustering) -> None:
    what = method if method not in METHODS else f"clustering {clustering}"
    alone = f"{what} compares records one by one: use it on one machine"
    require(method in METHODS and clustering != "average", alone)


@dataclass(frozen=True, eq=False, repr=False)
class _Work:
    """Who does it, who is told, and where raw records lie meanwhile."""

    workers: Workers
    progress: Progress
    folder: str
    columns: ActivityColumns

    def shelve(self, pieces: Sequence[Piece]) -> tuple[Sorting, Books]:
        """Read all records twice: for the names, and into books."""
        tell, add_up = of_pieces(self.progress), self.workers.add_up
        self.progress("reading who and what there is")
        names = self._names(pieces)
        for texts, what in ((names.users, "users"), (names.items, "items")):
            for start in range(0, len(texts), NAMES_AT_ONCE):  # they are distinct
                require_identifiers(texts.slice(start, NAMES_AT_ONCE).to_pylist(), what)
        sorting = sorting_of(self.folder, self.columns, names)
        self.progress(f"sorting {names.n_records:,} records")
        sorting = replace(sorting, files=add_up(sort_piece, sorting, pieces, tell))
        books = add_up(bind, sorting, range(sorting.n_books), tell)
        remove_files(sorting.files)
        idle, unused = books.n_idle, int((books.users_of_items == 0).sum())
        require(idle == 0, f"expected activity of every user, got none of {idle} users")
        require(unused == 0, f"expected activity on every item, got none on {unused} items")
        return sorting, books

    def _names(self, pieces: Sequence[Piece]) -> Names:
        """Name all users and items, in order: users by buckets, of which a task holds one."""
        tell, n_records = of_pieces(self.progress), sum(piece.n_rows for piece in pieces)
        n_buckets = max(1, -(-n_records // ROWS_OF_A_PIECE))
        naming = Naming(self.folder, self.columns, n_buckets, new_salt())
        named = self.workers.add_up(name_piece, naming, pieces, tell)
        naming = replace(naming, files=named.files)
        users = self.workers.add_up(users_of_bucket, naming, range(n_buckets), tell)
        remove_files(named.files)
        return named.names(users)

    def protect(
        self,
        shelf: Shelf,
        sorting: Sorting,
        profiles: Profiles,
        terms: ReleaseTerms,
        *,
        rng: np.random.Generator,
    ) -> ProtectedUsers:
        """Find who protects what, and cluster their records, as `protect` does."""
        self.progress("clustering users")
        private = _private_values(profiles, sorting.index.users)
        rows = protected_rows(private, terms.private)
        method, tell = cast(Clustering, terms.clustering), of_pieces(self.progress)
        space = space_of_users(shelf, rows, method, rng=rng)
        members, n_clusters = members_of_books(shelf, rows), clusters_of(len(rows), terms.clusters)
        pointing = Pointing(shelf, space, n_clusters)
        files = self.workers.add_up(points_of_book, pointing, members, tell)
        points = points_of_all(files, len(rows))
        members = labels_of_points(members, points, n_clusters, method, rng=rng)
        sums = self.workers.add_up(sums_of_book, pointing, members, tell)
        clusters = clusters_of_books(members, points, sums, space)
        distances = group_distances(clusters.centroids, terms.distance)
        return ProtectedUsers(NOBODY, private, terms.private, rows, clusters, distances)

    def write(
        self, shelf: Shelf, sorting: Sorting, sources: Indices, folders: tuple[str, str]
    ) -> int:
        """Write what is released of each book's users; return how many records that is."""
        starts, add_up = shelf.starts, self.workers.add_up
        writing = _Writing(shelf, sorting, *folders)
        each = [(n, sources[starts[n] : starts[n + 1]]) for n in range(len(shelf.books))]
        if not all(book.is_binary for book in shelf.books):
            self.progress("looking at the scores of the release")
            kind = add_up(kind_of_book, writing, each, of_pieces(self.progress))
            writing = replace(writing, kind=kind)
        self.progress("writing the release")
        return add_up(write_book, writing, each, of_pieces(self.progress))


@dataclass(frozen=True)
class ScoreKind:
    """What released scores are, all of them: a sum."""

    are_ones: bool = True
    are_whole: bool = True

    def __add__(self, other: "ScoreKind") -> "ScoreKind":
        """Say what both are."""
        ones = self.are_ones and other.are_ones
        return ScoreKind(ones, self.are_whole and other.are_whole)


@dataclass(frozen=True, eq=False, repr=False)
class _Writing:
    """What a task needs to write a part of the release.

    begun: a folder of files that may never be finished; whole: that of those that are released.
    kind: of released scores; what others are is raw.
    """

    shelf: Shelf
    sorting: Sorting
    begun: str
    whole: str
    kind: ScoreKind = ScoreKind()


def kind_of_book(writing: _Writing, given: tuple[int, Indices]) -> ScoreKind:
    """Return what the scores are that are released for a book's users; given: as `write_book`."""
    scores = writing.shelf.rows(given[1]).data
    return ScoreKind(bool((scores == 1).all()), bool((scores == np.floor(scores)).all()))


def write_book(writing: _Writing, given: tuple[int, Indices]) -> int:
    """Write the records that stand for those of a book's users; return how many there are.

    given: the book, and whose record is released for each of its users. The file appears whole, and
    is the same when it is written again.
    """
    import pyarrow as pa
    from pyarrow import parquet

    number, sources = given
    scores, index = writing.shelf.rows(sources), writing.sorting.index
    users = index.users.texts.slice(int(writing.shelf.starts[number]), len(sources))
    rows = np.repeat(np.arange(len(sources), dtype=np.int32), np.diff(scores.indptr))
    columns = {
        USER: pa.DictionaryArray.from_arrays(rows, users.cast(pa.string())),
        ITEM: pa.DictionaryArray.from_arrays(scores.indices, index.items.texts.cast(pa.string())),
    }
    if not writing.kind.are_ones:
        whole = writing.kind.are_whole
        columns[SCORE] = pa.array(scores.data.astype(np.int64) if whole else scores.data)
    unfinished = Path(writing.begun, uuid4().hex)
    with errors_naming_folder(writing.begun):
        parquet.write_table(_without_unused(pa.table(columns)), unfinished)
        unfinished.replace(Path(writing.whole, f"part-{number:05}.parquet"))
    return int(scores.nnz)


def _private_values(profiles: Profiles, users: Places) -> PrivateValues:
    """Return what users keep private, as `Profiles.aligned` does, without a list of their names."""
    import pyarrow as pa

    place_of_row = users.find(pa.array(profiles.users, pa.large_string()))
    known = np.flatnonzero(place_of_row >= 0)
    rows = np.full(len(users.texts), -1, dtype=np.intp)
    rows[place_of_row[known]] = known
    return profiles.values_of(rows)


def _without_unused(table: Any) -> Any:
    """Return dictionaries of what a part shows alone: others tell that something exists."""
    import pyarrow as pa

    plain = (each.cast(pa.string()) for each in table.columns[:2])
    coded = [each.dictionary_encode() for each in plain]
    return pa.table([*coded, *table.columns[2:]], names=table.column_names)


def _compared(
    shelf: Shelf, users: ProtectedUsers, plans: Sequence[GroupPlan], among: Indices
) -> FilesComparison:
    """Return what the release costs, of at most 10,000 records as `record_distortion` has it."""
    compared = np.arange(len(among))[:: -(-len(among) // MOST_COMPARED)]
    pairs = np.concatenate([users.rows[compared], users.rows[among[compared]]])
    first = np.arange(len(compared))
    apart = kendall_distances_of_pairs(shelf.rows(pairs), first, first + len(compared))
    expected = sum(len(plan.users) * plan.expected_distortion for plan in plans) / len(among)
    sizes = len(among), users.clusters.n_clusters
    untouched = max(plan.leaked.untouched_bits for plan in plans)
    leaked = untouched, max(plan.leaked.leakage_bits for plan in plans)
    told = leaked if all(is_judged(users, plan) for plan in plans) else (None, None)
    return FilesComparison(*sizes, float(expected), float(apart.mean()), *told)


@contextmanager
def _new_folder(output: FilePath, *, secret: bool) -> Iterator[tuple[str, str]]:
    """Yield a folder for what is begun, and one that becomes the output when nothing went wrong.

    A worker that dies leaves what it had begun, and nobody shall find that in the release.
    secret: whether only its owner may enter the output, as draws come from a seed.
    """
    wanted = Path(output)
    require(not wanted.exists(), f"{shown(output)}: expected a folder that is not there yet")
    unfinished = wanted.absolute().with_name(f".{wanted.name}-{uuid4().hex}")
    begun, whole = unfinished / "begun", unfinished / "whole"
    try:
        unfinished.mkdir(mode=0o700)
        begun.mkdir()
        whole.mkdir(mode=0o700 if secret else 0o777)
    except OSError as error:
        why = error.strerror or "cannot be written to"
        raise HushrankError(f"{shown(output)}: {why}") from None
    try:
        yield str(begun), str(whole)
        whole.rename(wanted)
    finally:
        remove_folder(unfinished)

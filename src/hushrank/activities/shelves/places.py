"""Records as numbers of users and items: each name is found by a hash, and compared whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from hushrank.activities.activity_files import ActivityColumns
from hushrank.activities.shelves.records import Names, texts_of_piece
from hushrank.arrays import Floats, Integers32, Words
from hushrank.errors import require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.elsewhere.addresses import shown
from hushrank.files.hashes import Salt, hashes_of, new_salt
from hushrank.files.pieces import Piece
from hushrank.files.spread import errors_naming_folder, mapped


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """Distinct texts (texts,), an Arrow array, of which each is found by its hash.

    hashes (texts,): with this salt, ascending, all different; order (texts,): the place of each.
    """

    texts: Any
    salt: Salt
    hashes: Words
    order: Integers32

    @classmethod
    def of(cls, texts: Any) -> Self:
        """Draw salts until all hashes differ. What is found depends on no salt."""
        while True:
            salt = new_salt()
            hashes = hashes_of(texts, salt)
            order = np.argsort(hashes).astype(np.int32)
            hashes = hashes[order]
            if (hashes[1:] != hashes[:-1]).all():
                return cls(texts, salt, hashes, order)

    def find(self, texts: Any) -> Integers32:
        """Return the place (rows,) of each text, -1 where it is not there."""
        from pyarrow import compute

        hashes = hashes_of(texts, self.salt)
        ascending = np.argsort(hashes)  # of neighbours, one after the other
        near = np.searchsorted(self.hashes, hashes[ascending])
        found = np.empty(len(hashes), dtype=np.int32)
        found[ascending] = self.order[np.minimum(near, len(self.order) - 1)]
        is_same = compute.equal(self.texts.take(pyarrow_for("a place").array(found)), texts)
        found[~np.asarray(is_same)] = -1
        return found

    def write(self, path: Path) -> None:
        """Write all of it to files whose names begin with the path."""
        pa = pyarrow_for("a place")
        table = pa.table([self.texts], names=["text"])
        with pa.OSFile(f"{path}.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as to:
            to.write_table(table)
        np.save(f"{path}-salt.npy", np.array(self.salt, dtype=np.uint64))
        np.save(f"{path}-hashes.npy", self.hashes)
        np.save(f"{path}-order.npy", self.order)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what was written there; it is read from the disk as far as it is used."""
        pa = pyarrow_for("a place")
        table = pa.ipc.open_file(pa.memory_map(f"{path}.arrow")).read_all()
        salt, hashes, order = (mapped(f"{path}-{what}.npy") for what in ("salt", "hashes", "order"))
        return cls(table["text"].combine_chunks(), (int(salt[0]), int(salt[1])), hashes, order)


@dataclass(frozen=True, eq=False, repr=False)
class Index:
    """The places of all users and of all items.   Privacy: raw, as the records are."""

    users: Places
    items: Places

    @classmethod
    def of(cls, names: Names) -> Self:
        """Return the places of names that are in order."""
        return cls(Places.of(names.users), Places.of(names.items))

    def write(self, folder: str) -> None:
        """Write it to files of a folder."""
        with errors_naming_folder(folder):
            self.users.write(Path(folder, "users"))
            self.items.write(Path(folder, "items"))

    @classmethod
    def read(cls, folder: str) -> Self:
        """Return what was written to a folder."""
        with errors_naming_folder(folder):
            return cls(Places.read(Path(folder, "users")), Places.read(Path(folder, "items")))


class Records(NamedTuple):
    """Records (records,) in the order of the piece: numbers of users and items, and scores."""

    users: Integers32
    items: Integers32
    scores: Floats

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Records({len(self.scores)} records)"


def records_of_piece(columns: ActivityColumns, index: Index, piece: Piece) -> Iterator[Records]:
    """Yield the records of a piece, by the places of their users and items.

    Raises HushrankError, which names the file, for a score that is no finite number of 0 or more,
    and for a user or an item without a place: the file was changed since they were read.
    """
    for users, items, scores in texts_of_piece(columns, piece):
        found = Records(_places_of(users, index.users), _places_of(items, index.items), scores)
        known = min(found.users.min(initial=0), found.items.min(initial=0)) >= 0
        require(known, f"{shown(piece.path)}: was changed meanwhile")
        yield found


def _places_of(texts: Any, places: Places) -> Integers32:
    """Return the place of each text (rows,): each distinct one is looked for once."""
    coded = texts.dictionary_encode()
    found: Integers32 = places.find(coded.dictionary)[np.asarray(coded.indices)]
    return found

"""Activities as NDJSON: one JSON object a line, of which only the item is replaced."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError
from hushrank.files.encodings import UNREADABLE

NOTHING = msgspec.Raw(b"null")
DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
ENCODER = msgspec.json.Encoder()
KEYS = frozenset({"user", "item", "time"})
UNKNOWN_KEY = "expected the keys user, item and time: `keep` names others that tell no item"


class ActivityLines(NamedTuple):
    """The parsed lines, and the numbers of user and item of each; problem: of the line after."""

    records: list[dict[str, msgspec.Raw]]
    users: NDArray[np.intp]
    items: NDArray[np.intp]
    problem: str | None

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"ActivityLines({len(self.records)} lines)"


class LineReader:
    """Knows users and items by the very bytes that JSON writes for them.

    A name that is a whole number may come as one; a released item is always a text, lest its form
    tell of the true one. Other keys pass through byte by byte if they are named.
    """

    def __init__(
        self, users: Sequence[str], items: Sequence[str], *, kept: Collection[str] = ()
    ) -> None:
        """Take the names, and the keys that a line may have beside KEYS."""
        self._users, self._items = _by_bytes(users), _by_bytes(items)
        self._texts = [msgspec.Raw(ENCODER.encode(item)) for item in items]
        self._keys = KEYS | set(kept)

    def read(self, lines: Sequence[bytes]) -> ActivityLines:
        """Parse lines up to the first one that is not of the form, and say what is wrong there."""
        records, users, items, problem = [], [], [], None
        for line in lines:
            try:
                record, user, item = self._record(line)
                users.append(self._users.get(bytes(user), -1))
                items.append(self._items.get(bytes(item), -1))
                if users[-1] < 0 or items[-1] < 0:
                    users[-1] = _found(self._users, user, "user")
                    items[-1] = _found(self._items, item, "item")
            except (KeyError, *UNREADABLE):
                problem = 'expected a JSON object with "user" and "item"'
                break
            except HushrankError as error:
                problem = str(error)
                break
            records.append(record)
        n_read = len(records)
        return ActivityLines(records, _numbers(users[:n_read]), _numbers(items[:n_read]), problem)

    def _record(self, line: bytes) -> tuple[dict[str, msgspec.Raw], msgspec.Raw, msgspec.Raw]:
        """Return the keys of a line with their values as they are, and user and item of them."""
        record = DECODER.decode(line)
        user, item = record["user"], record["item"]
        if not record.keys() <= self._keys:
            raise HushrankError(UNKNOWN_KEY)
        if bytes(record.get("time", NOTHING))[:1] in b"{[":
            raise HushrankError("expected a time that is a number or a text")
        return record, user, item

    def write(self, lines: ActivityLines, released: NDArray[np.intp]) -> bytes:
        """Return the lines with what is released in place of the items; null: withheld."""
        for record, number in zip(lines.records, released.tolist(), strict=True):
            record["item"] = NOTHING if number < 0 else self._texts[number]
        return ENCODER.encode_lines(lines.records)


def _numbers(found: list[int]) -> NDArray[np.intp]:
    return np.array(found, dtype=np.intp)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _by_bytes(names: Sequence[str]) -> Mapping[bytes, int]:
    """Return the number of each name by its bytes in JSON, as text or as a number."""
    texts = {ENCODER.encode(name): number for number, name in enumerate(names)}
    bare = {name.encode(): number for number, name in enumerate(names) if _is_number(name)}
    return {**texts, **bare}


def _found(known: Mapping[bytes, int], raw: msgspec.Raw, kind: str) -> int:
    """Look a name up that JSON may have written in another way."""
    value: Any = msgspec.json.decode(raw, type=str | int)
    number = known.get(ENCODER.encode(value), -1)
    if number < 0:
        raise HushrankError(f"expected a known {kind}")
    return number

"""A compact channel as bytes, version 1, and back, exactly."""

from dataclasses import fields
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Integers32, Words
from hushrank.errors import require
from hushrank.publishing.item_channel.channel import CompactChannel, rows_of

KINDS = {"starts": "<i4", "columns": "<i4", "good_starts": "<i4", "goods": "<i4"}
BOUNDS = "<u8"


class ChannelDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arrays of a channel, little-endian: 32-bit numbers, 64-bit bounds."""

    version: Literal[1]
    starts: bytes
    columns: bytes
    bounds: bytes
    good_starts: bytes
    goods: bytes
    good_bounds: bytes

    def __repr__(self) -> str:
        """Say nothing of the channel: it is made from what a user did."""
        return "ChannelDocument()"


def to_document(channel: CompactChannel) -> ChannelDocument:
    """Return the channel as a document that `from_document` turns back exactly."""
    names = [part.name for part in fields(channel)]
    parts = {name: getattr(channel, name).astype(KINDS.get(name, BOUNDS)) for name in names}
    return ChannelDocument(1, **{name: part.tobytes() for name, part in parts.items()})


def from_document(document: ChannelDocument) -> CompactChannel:
    """Return the channel; raise HushrankError when its parts do not agree."""
    names = [part.name for part in fields(CompactChannel)]
    parts = [_array(getattr(document, name), KINDS.get(name, BOUNDS)) for name in names]
    channel = CompactChannel(*parts)
    _require_rows(channel.starts, channel.columns, channel.bounds, channel.n_columns)
    _require_rows(channel.good_starts, channel.goods, channel.good_bounds, channel.n_items)
    used = np.diff(channel.good_starts)[channel.columns]
    require((used > 0).all(), "expected columns of a channel that release something")
    return channel


def _array(content: bytes, kind: str) -> NDArray[Any]:
    require(len(content) % np.dtype(kind).itemsize == 0, "expected whole numbers in a channel")
    return np.frombuffer(content, dtype=kind).astype(np.dtype(kind).newbyteorder("="))


def _require_rows(starts: Integers32, entries: Integers32, bounds: Words, n_kinds: int) -> None:
    """Raise HushrankError unless rows cover the entries, which are known, and bounds never fall."""
    covers = len(starts) >= 1 and starts[0] == 0 and (np.diff(starts) >= 0).all()
    agree = covers and starts[-1] == len(entries) == len(bounds)
    require(agree, "expected a channel whose parts agree")
    known = entries.size == 0 or (entries.min() >= 0 and entries.max() < n_kinds)
    require(known, "expected a channel of known items and columns")
    same_row = np.diff(rows_of(starts)) == 0
    require(
        (bounds[1:] >= bounds[:-1])[same_row].all(), "expected bounds of a channel that never fall"
    )

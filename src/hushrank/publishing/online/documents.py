"""What a stream keeps of one user as bytes, and back, exactly: state, version 2; channel, 1."""

from dataclasses import fields
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Integers32, Words
from hushrank.errors import HushrankError, require
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.channel import CompactChannel, rows_of
from hushrank.publishing.online.user import CurrentChannel, StreamUser
from hushrank.redacted import Redacted

# The type that each array of a channel is stored in, by its field; bounds of all kinds are words.
KINDS = {"starts": "<i4", "columns": "<i4", "good_starts": "<i4", "goods": "<i4"}
BOUNDS = "<u8"
Document = TypeVar("Document")
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
MOST_ITEMS = 2**27
"""Of a state that is read: beyond it their counts alone would take a gigabyte."""
Loss: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class ChannelDocument(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arrays of a channel, little-endian: 32-bit numbers, 64-bit bounds."""

    version: Literal[1]
    starts: bytes
    columns: bytes
    bounds: bytes
    good_starts: bytes
    goods: bytes
    good_bounds: bytes


class DualDocument(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`WarmStart` in plain numbers."""

    parts: list[float]
    lowest: list[float]
    highest: list[float]
    price: float


class CurrentDocument(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`CurrentChannel`, apart from the user: it changes seldom."""

    channel: ChannelDocument
    leakage: Loss
    worst_leakage: Loss
    distortion: float
    certified_gap: float
    warm_start: DualDocument | None = msgspec.field(name="dual")


class UserDocument(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`StreamUser` but for its channel; counts of the items that have one, little-endian."""

    version: Literal[2]
    n_items: Annotated[int, msgspec.Meta(ge=0, le=MOST_ITEMS)]
    items: bytes
    counts: bytes
    n_released: Count
    n_withheld: Count
    n_since: Count
    leaked: Loss = msgspec.field(name="told")
    worst_leaked: Loss = msgspec.field(name="worst_told")


def user_to_bytes(user: StreamUser) -> bytes:
    """Return the state, but for the channel, as MessagePack."""
    items = np.flatnonzero(user.counts)
    filled = items.astype("<i8").tobytes(), user.counts[items].astype("<i8").tobytes()
    counted = user.n_released, user.n_withheld, user.n_since
    parts = *filled, *counted, user.leaked, user.worst_leaked
    return msgspec.msgpack.encode(UserDocument(2, len(user.counts), *parts))


def current_to_bytes(current: CurrentChannel) -> bytes:
    """Return the channel in use as MessagePack."""
    stated = current.leakage, current.worst_leakage, current.distortion, current.certified_gap
    dual = current.warm_start
    start = None if dual is None else DualDocument(**dual.to_numbers())
    channel = channel_to_document(current.channel)
    return msgspec.msgpack.encode(CurrentDocument(channel, *stated, start))


def user_from_bytes(content: bytes, current: bytes | None) -> StreamUser:
    """Return the state, exactly; raise HushrankError when damaged or of another version."""
    document = _decoded(content, UserDocument)
    items, filled = (whole_numbers(part, "<i8") for part in (document.items, document.counts))
    known = items.size == 0 or (items[0] >= 0 and items[-1] < document.n_items)
    are_counts = items.shape == filled.shape and (filled > 0).all()
    require(known and are_counts and (np.diff(items) > 0).all(), "expected counts of known items")
    counts = np.zeros(document.n_items, dtype=np.int64)
    counts[items] = filled
    counted = document.n_released, document.n_withheld, document.n_since
    channel = None if current is None else _current(_decoded(current, CurrentDocument))
    fits = channel is None or channel.channel.n_items == document.n_items
    require(fits, "expected a channel of the items that are counted")
    return StreamUser(counts, *counted, document.leaked, document.worst_leaked, channel)


def _decoded(content: bytes, kind: type[Document]) -> Document:
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError):
        raise HushrankError("expected the state of a user, version 2") from None


def _current(document: CurrentDocument) -> CurrentChannel:
    stated = document.leakage, document.worst_leakage, document.distortion, document.certified_gap
    dual = document.warm_start
    start = None if dual is None else WarmStart.from_numbers(msgspec.structs.asdict(dual))
    return CurrentChannel(channel_from_document(document.channel), *stated, start)


def channel_to_document(channel: CompactChannel) -> ChannelDocument:
    """Return the channel as a document that `channel_from_document` turns back exactly."""
    names = [part.name for part in fields(channel)]
    parts = {name: getattr(channel, name).astype(KINDS.get(name, BOUNDS)) for name in names}
    return ChannelDocument(1, **{name: part.tobytes() for name, part in parts.items()})


def channel_from_document(document: ChannelDocument) -> CompactChannel:
    """Return the channel; raise HushrankError when its parts do not agree."""
    names = [part.name for part in fields(CompactChannel)]
    parts = [whole_numbers(getattr(document, name), KINDS.get(name, BOUNDS)) for name in names]
    channel = CompactChannel(*parts)
    _require_rows(channel.starts, channel.columns, channel.bounds, channel.n_columns)
    _require_rows(channel.good_starts, channel.goods, channel.good_bounds, channel.n_items)
    used = np.diff(channel.good_starts)[channel.columns]
    require((used > 0).all(), "expected columns of a channel that release something")
    return channel


def whole_numbers(content: bytes, kind: str) -> NDArray[Any]:
    """Return the numbers of a type that bytes hold; raise HushrankError where they are cut."""
    require(len(content) % np.dtype(kind).itemsize == 0, "expected whole numbers of a stream")
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

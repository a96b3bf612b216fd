"""The state of one user of a stream as bytes, version 2, and back, exactly."""

from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.publishing.item_channel.binary.warm_start import BinaryDual
from hushrank.publishing.online.channel_document import ChannelDocument, from_document, to_document
from hushrank.publishing.online.user import CurrentChannel, StreamUser

Document = TypeVar("Document")


class CurrentDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`CurrentChannel`, apart from the user: it changes seldom."""

    channel: ChannelDocument
    leakage: float
    worst_leakage: float
    distortion: float
    certified_gap: float
    dual: dict[str, Any] | None

    def __repr__(self) -> str:
        """Say nothing of the channel."""
        return "CurrentDocument()"


class UserDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`StreamUser` but for its channel; counts of the items that have one, little-endian."""

    version: Literal[2]
    n_items: int
    items: bytes
    counts: bytes
    n_released: int
    n_withheld: int
    n_since: int
    told: float
    worst_told: float

    def __repr__(self) -> str:
        """Say nothing of the user."""
        return "UserDocument()"


def user_to_bytes(user: StreamUser) -> bytes:
    """Return the state, but for the channel, as MessagePack."""
    items = np.flatnonzero(user.counts)
    filled = items.astype("<i8").tobytes(), user.counts[items].astype("<i8").tobytes()
    counted, told = (user.n_released, user.n_withheld, user.n_since), (user.told, user.worst_told)
    return msgspec.msgpack.encode(UserDocument(2, len(user.counts), *filled, *counted, *told))


def current_to_bytes(current: CurrentChannel) -> bytes:
    """Return the channel in use as MessagePack."""
    stated = current.leakage, current.worst_leakage, current.distortion, current.certified_gap
    dual = None if current.dual is None else current.dual.to_numbers()
    return msgspec.msgpack.encode(CurrentDocument(to_document(current.channel), *stated, dual))


def user_from_bytes(content: bytes, current: bytes | None) -> StreamUser:
    """Return the state, exactly; raise HushrankError when damaged or of another version."""
    document = _decoded(content, UserDocument)
    items, filled = (np.frombuffer(part, "<i8") for part in (document.items, document.counts))
    known = items.size == 0 or (items.min() >= 0 and items.max() < document.n_items)
    require(known and items.shape == filled.shape, "expected counts of known items")
    counts = np.zeros(document.n_items, dtype=np.int64)
    counts[items] = filled
    counted = document.n_released, document.n_withheld, document.n_since
    channel = None if current is None else _current(_decoded(current, CurrentDocument))
    return StreamUser(counts, *counted, document.told, document.worst_told, channel)


def _decoded(content: bytes, kind: type[Document]) -> Document:
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError):
        raise HushrankError("expected the state of a user, version 2") from None


def _current(document: CurrentDocument) -> CurrentChannel:
    stated = document.leakage, document.worst_leakage, document.distortion, document.certified_gap
    dual = None if document.dual is None else BinaryDual.from_numbers(document.dual)
    return CurrentChannel(from_document(document.channel), *stated, dual)

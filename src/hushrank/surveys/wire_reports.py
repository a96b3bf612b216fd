"""The reports of each mechanism as JSON values."""

from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from hushrank.arrays import Reports
from hushrank.errors import HushrankError, require
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.mechanisms.local import LocalMechanism
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding

Word: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
"""A 64-bit word in decimal: JSON numbers are exact up to 2^53 only."""


class HashedAnswer(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A hash function and a noisy bucket."""

    multiplier: Word
    offset: Word
    bucket: Annotated[int, Meta(ge=0, lt=2**32)]

    def __repr__(self) -> str:
        """Say nothing of the answer."""
        return "HashedAnswer()"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Say nothing to rich either."""
        return []


WireReport: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)] | str | HashedAnswer
"""A category or a row with its sign; packed bits in hexadecimal; a hashed answer."""

MECHANISMS: dict[str, type[Any]] = {
    "generalized-randomized-response": GeneralizedRandomizedResponse,
    "symmetric-unary-encoding": SymmetricUnaryEncoding,
    "optimised-unary-encoding": OptimisedUnaryEncoding,
    "optimised-local-hashing": OptimisedLocalHashing,
    "succinct-histogram": SuccinctHistogram,
    "harmony": Harmony,
}
"""The name of each mechanism on the wire."""

MOST_CATEGORIES = {kind: 2**22 if kind.endswith("unary-encoding") else 2**32 for kind in MECHANISMS}
"""What a device accepts: half a megabyte of bits, numbers that JSON and memory can hold."""

WHOLE_NUMBERS: dict[type[Any], np.dtype[np.integer[Any]]] = {
    GeneralizedRandomizedResponse: np.dtype(np.intp),
    Harmony: np.dtype(np.uint32),
}
PACKED_BITS = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)


def to_wire(mechanism: LocalMechanism, reports: Reports) -> WireReport:
    """Turn the one report (1, ...) into a JSON value."""
    if type(mechanism) in WHOLE_NUMBERS:
        return int(reports[0])
    if isinstance(mechanism, PACKED_BITS):
        return bytes(reports[0]).hex()
    multiplier, offset, bucket = (int(part) for part in reports[0].item())
    return HashedAnswer(str(multiplier), str(offset), bucket)


def from_wire(mechanism: LocalMechanism, value: WireReport) -> Reports:
    """Turn a JSON value into one report (1, ...), which `tally` then checks.

    Raises HushrankError, without the value, when it is not of the mechanism's form.
    """
    name = type(mechanism).__name__
    if type(mechanism) in WHOLE_NUMBERS and isinstance(value, int):
        number = WHOLE_NUMBERS[type(mechanism)]
        require(value <= np.iinfo(number).max, f"expected a smaller report for {name}")
        return np.array([value], dtype=number)
    if isinstance(mechanism, PACKED_BITS) and isinstance(value, str):
        return _packed_bits(value)
    is_hashed = isinstance(mechanism, OptimisedLocalHashing | SuccinctHistogram)
    if is_hashed and isinstance(value, HashedAnswer):
        is_decimal = value.multiplier.isdecimal() and value.offset.isdecimal()
        require(is_decimal, "expected words in decimal in the report")  # "$" admits a newline
        words = int(value.multiplier), int(value.offset)
        require(max(words) < 2**64, "expected words below 2^64 in the report")
        return np.array([(*words, value.bucket)], dtype=HASHED_REPORT)
    raise HushrankError(f"expected the report of {name} in its JSON form")


def _packed_bits(value: str) -> Reports:
    is_hexadecimal = len(value) % 2 == 0 and set(value) <= set("0123456789abcdef")
    require(is_hexadecimal, "expected packed bits in hexadecimal")
    return np.frombuffer(bytes.fromhex(value), dtype=np.uint8).reshape(1, -1)

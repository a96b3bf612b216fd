"""The reports of each mechanism as JSON values."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from hushrank.arrays import Reports
from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.redacted import Redacted

Word: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
"""A 64-bit word in decimal: JSON numbers are exact up to 2^53 only."""
LARGEST_WORD = str(2**64 - 1)


class HashedAnswer(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A hash function and a noisy bucket."""

    multiplier: Word
    offset: Word
    bucket: Annotated[int, Meta(ge=0, lt=2**32)]


Row: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=0, lt=255)], ...], Meta(max_length=254)]
WireReport: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)] | str | HashedAnswer | Row
"""A category or a row with its sign; packed bits in hexadecimal; a hashed answer; ranks."""

MECHANISMS: dict[str, type[Any]] = {
    "generalized-randomized-response": GeneralizedRandomizedResponse,
    "symmetric-unary-encoding": SymmetricUnaryEncoding,
    "optimised-unary-encoding": OptimisedUnaryEncoding,
    "optimised-local-hashing": OptimisedLocalHashing,
    "succinct-histogram": SuccinctHistogram,
    "harmony": Harmony,
    "subset-order": SubsetOrder,
    "named-member": NamedMember,
}
"""The name of each mechanism on the wire."""

MOST_CATEGORIES = {kind: 2**22 if kind.endswith("unary-encoding") else 2**32 for kind in MECHANISMS}
"""What a device accepts: half a megabyte of bits, numbers that JSON and memory can hold."""

PACKED_BITS = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)
HASHES = (OptimisedLocalHashing, SuccinctHistogram)


def to_wire(mechanism: Reporting, reports: Reports) -> WireReport:
    """Turn the one report (1, ...) into a JSON value."""
    if isinstance(mechanism, PACKED_BITS):
        return bytes(reports[0]).hex()
    if isinstance(mechanism, HASHES):
        multiplier, offset, bucket = (int(part) for part in reports[0].item())
        return HashedAnswer(str(multiplier), str(offset), bucket)
    if isinstance(mechanism, SubsetOrder):
        return tuple(reports[0].tolist())
    return int(reports[0])


def longest_on_wire(mechanism: Reporting) -> int:
    """Return how many bytes the longest report takes as JSON."""
    if isinstance(mechanism, PACKED_BITS):
        return 2 + 2 * -(-mechanism.n_categories // 8)
    if isinstance(mechanism, HASHES):
        largest = HashedAnswer(LARGEST_WORD, LARGEST_WORD, _n_buckets(mechanism) - 1)
        return len(msgspec.json.encode(largest))
    if isinstance(mechanism, SubsetOrder):
        return len(msgspec.json.encode(list(range(mechanism.n_categories))))
    n_reports = 2 * mechanism.n_rows if isinstance(mechanism, Harmony) else mechanism.n_categories
    return len(str(n_reports - 1))


def require_possible(mechanism: Reporting, value: WireReport) -> None:
    """Raise HushrankError, without the value, unless the mechanism can have sent it.

    Cost: of the value's length, not of the mechanism's categories.
    """
    possible = False
    if isinstance(mechanism, PACKED_BITS):
        possible = isinstance(value, str) and _are_packed_bits(value, mechanism.n_categories)
    elif isinstance(mechanism, HASHES):
        possible = isinstance(value, HashedAnswer) and _is_hashed(value, _n_buckets(mechanism))
    elif isinstance(mechanism, SubsetOrder):
        ranks = list(range(mechanism.n_categories))
        possible = isinstance(value, tuple) and sorted(value) == ranks
    elif isinstance(value, int):
        n_reports = 2 * mechanism.n_rows if isinstance(mechanism, Harmony) else None
        possible = 0 <= value < (n_reports or mechanism.n_categories)
    if not possible:
        named = type(mechanism).__name__
        raise HushrankError(f"expected what {named} can report, in its JSON form")


def from_wire(mechanism: Reporting, values: Sequence[WireReport]) -> Reports:
    """Turn JSON values, each of them `require_possible`, into reports (people, ...)."""
    if isinstance(mechanism, PACKED_BITS):
        joined = bytes.fromhex("".join(map(str, values)))
        return np.frombuffer(joined, dtype=np.uint8).reshape(len(values), -1)
    if isinstance(mechanism, HASHES):
        parts = [_parts(value) for value in values if isinstance(value, HashedAnswer)]
        return np.array(parts, dtype=HASHED_REPORT)
    if isinstance(mechanism, SubsetOrder):
        return np.array(values, dtype=np.uint8).reshape(len(values), mechanism.n_categories)
    return np.array(values, dtype=np.uint32 if isinstance(mechanism, Harmony) else np.intp)


def _are_packed_bits(value: str, n_bits: int) -> bool:
    n_spare = -n_bits % 8
    shaped = 8 * len(value) == 2 * (n_bits + n_spare)
    hexadecimal = shaped and set(value) <= set("0123456789abcdef")
    return hexadecimal and int(value[-2:], 16) < 2 ** (8 - n_spare)


def _is_hashed(value: HashedAnswer, n_buckets: int) -> bool:
    words = (value.multiplier, value.offset)
    decimal = all(word.isascii() and word.isdecimal() for word in words)  # "$" admits a newline
    return decimal and max(map(int, words)) < 2**64 and value.bucket < n_buckets


def _n_buckets(mechanism: OptimisedLocalHashing | SuccinctHistogram) -> int:
    return 2 if isinstance(mechanism, SuccinctHistogram) else mechanism.n_buckets


def _parts(value: HashedAnswer) -> tuple[int, int, int]:
    return int(value.multiplier), int(value.offset), value.bucket

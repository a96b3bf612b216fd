"""One thing that users may keep private, such as a gender or an age group."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.activities.identifiers import require_identifiers
from hushrank.arrays import is_masked
from hushrank.errors import require

MOST_VALUES = 2**15 - 1
BETWEEN = ", "  # parts of the name and of the values of several attributes together


@dataclass(frozen=True, eq=False, repr=False)
class Attribute:
    """A categorical attribute: codes (users,) into `values`, -1 where the user does not tell.

    Values may be unused. Immutable.
    Privacy: raw data of people; neither `repr` nor an error shows who has which value.
    Raises HushrankError when there is no value, when one is repeated, or a code is out of range.
    """

    name: str
    values: tuple[str, ...]
    codes: NDArray[np.int16]

    def __post_init__(self) -> None:
        """Check the codes and freeze them."""
        require_identifiers((self.name,), "attributes")
        n_values, codes = len(self.values), np.asarray(self.codes)
        fits = 1 <= n_values <= MOST_VALUES
        require(fits, f"attribute {self.name}: expected 1..{MOST_VALUES} values, got {n_values}")
        require_identifiers(self.values, f"values of the attribute {self.name}")
        is_list = codes.ndim == 1 and codes.dtype.kind in "iu" and not is_masked(self.codes)
        require(is_list, f"attribute {self.name}: expected whole codes of shape (users,)")
        in_range = codes.size == 0 or (codes.min() >= -1 and codes.max() < n_values)
        require(in_range, f"attribute {self.name}: expected codes -1..{n_values - 1}")
        frozen = codes.astype(np.int16)
        frozen.setflags(write=False)
        object.__setattr__(self, "codes", frozen)

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Attribute({self.name}, {self.n_values} values, {len(self.codes)} users)"

    def __eq__(self, other: object) -> bool:
        """Compare content, user by user."""
        return (
            isinstance(other, Attribute)
            and (self.name, self.values) == (other.name, other.values)
            and np.array_equal(self.codes, other.codes)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, too large to hash

    @property
    def n_values(self) -> int:
        """How many values there are, used or not."""
        return len(self.values)

    @property
    def told(self) -> NDArray[np.bool_]:
        """Which users (users,) tell their value."""
        told: NDArray[np.bool_] = self.codes >= 0
        return told

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many users have each value (values,)."""
        return np.bincount(self.codes[self.told], minlength=self.n_values).astype(np.int64)

    def with_codes(self, codes: NDArray[np.integer[Any]]) -> "Attribute":
        """Return other users' codes of the same values."""
        return Attribute(self.name, self.values, codes.astype(np.int16, casting="same_kind"))

    def used(self) -> "Attribute":
        """Leave out the values that nobody has.

        Raises HushrankError when fewer than 2 are left: there is nothing to infer.
        """
        used = np.flatnonzero(self.counts)
        message = f"attribute {self.name}: expected 2 or more values that users tell"
        require(len(used) >= 2, f"{message}, got {len(used)}")
        renumbered = np.full(self.n_values + 1, -1)  # the last stands for -1
        renumbered[used] = np.arange(len(used))
        values = tuple(self.values[value] for value in used)
        return Attribute(self.name, values, renumbered[self.codes].astype(np.int16))


def joint_attribute(attributes: Sequence[Attribute]) -> Attribute:
    """Return the product of attributes: the combinations that occur, -1 where a part is missing.

    Raises HushrankError when fewer than 2 combinations occur, or more than 32,767.
    """
    require(attributes, "expected at least 1 attribute")
    parts = np.stack([attribute.codes for attribute in attributes], axis=1)
    told: NDArray[np.bool_] = np.all(parts >= 0, axis=1)
    combinations, found = np.unique(parts[told], axis=0, return_inverse=True)
    name = BETWEEN.join(attribute.name for attribute in attributes)
    few = 2 <= len(combinations) <= MOST_VALUES
    message = f"attribute {name}: expected 2..{MOST_VALUES} values that users tell"
    require(few, f"{message}, got {len(combinations)}")
    codes = np.full(len(told), -1, dtype=np.int16)
    codes[told] = found
    texts = [[attributes[n].values[code] for n, code in enumerate(row)] for row in combinations]
    return Attribute(name, tuple(BETWEEN.join(text) for text in texts), codes)

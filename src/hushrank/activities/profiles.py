"""What users keep private, and which of it each of them asks to protect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hushrank.activities.activity import row_numbers
from hushrank.activities.attribute import Attribute, joint_attribute
from hushrank.activities.identifiers import require_identifiers, require_users
from hushrank.errors import require

MOST_TOGETHER = 63
"""Attributes of which it is told who protects which: a whole number has a bit for each."""


@dataclass(frozen=True, eq=False, repr=False)
class PrivateValues:
    """What numbered users keep private, and who asks to protect it: `Profiles` without any name.

    Privacy: raw data of people.
    """

    attributes: tuple[Attribute, ...]
    protected: Mapping[str, NDArray[np.bool_]]

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.attributes[0].codes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by name, all its values; raise HushrankError for another name."""
        require(name in self.names, f"expected an attribute of {', '.join(self.names)}")
        return self.attributes[self.names.index(name)]

    def joint(self, names: Sequence[str]) -> Attribute:
        """Return one attribute, or the product of several: the values that occur, at least two.

        -1 where a part is missing. Raises HushrankError when a name is unknown or repeated, or
        when fewer than 2 values occur.
        """
        require(names and len(set(names)) == len(names), "expected 1 or more distinct attributes")
        parts = [self.attribute(name) for name in names]
        return parts[0].used() if len(parts) == 1 else joint_attribute(parts)

    def protection(self, names: Sequence[str]) -> dict[tuple[str, ...], NDArray[np.intp]]:
        """Return the rows of users by which of `names` they protect, in that order; () = none."""
        require(len(set(names)) == len(names), "expected distinct attributes")
        most = f"expected at most {MOST_TOGETHER} attributes at once, got {len(names)}"
        require(len(names) <= MOST_TOGETHER, most)
        masks = [self.protected[self.attribute(name).name] for name in names]
        kinds = sum((mask.astype(np.int64) << n for n, mask in enumerate(masks)), np.int64(0))
        of_users = np.broadcast_to(kinds, (self.n_users,))
        return {
            tuple(name for n, name in enumerate(names) if kind >> n & 1): np.flatnonzero(
                of_users == kind
            )
            for kind in np.unique(of_users).tolist()
        }

    def select(self, users: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> "PrivateValues":
        """Keep these users, by number or by mask; all attributes and values stay."""
        rows = row_numbers(users, self.n_users)
        attributes = tuple(each.with_codes(each.codes[rows]) for each in self.attributes)
        return PrivateValues(
            attributes, {name: mask[rows] for name, mask in self.protected.items()}
        )

    def of_rows(self, rows: NDArray[np.integer[Any]]) -> "PrivateValues":
        """Return those of users (users,) by number, where -1 is somebody of whom nothing is known.

        Such a user tells nothing and protects everything: nobody said otherwise.
        """
        known = rows >= 0
        attributes = tuple(
            each.with_codes(np.where(known, each.codes[rows], -1)) for each in self.attributes
        )
        protected = {name: mask[rows] | ~known for name, mask in self.protected.items()}
        return PrivateValues(attributes, protected)


@dataclass(frozen=True, eq=False, repr=False)
class Profiles:
    """Private attributes of users, and protected[name] (users,): who asks to protect it.

    A user may ask to protect what they do not tell. Immutable.
    Privacy: raw data of people; neither `repr` nor an error shows who has or protects what.
    Raises HushrankError when users or attributes repeat or lengths differ, or when `protected`
    does not name exactly the attributes.
    """

    users: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    protected: Mapping[str, NDArray[np.bool_]]

    def __post_init__(self) -> None:
        """Check the form and freeze what users protect."""
        users = tuple(self.users)
        require(users, "expected at least 1 user, got 0")
        require_users(users)
        require(self.attributes, "expected at least 1 attribute, got 0")
        require_identifiers(self.names, "attributes")
        same = all(attribute.codes.shape == (len(users),) for attribute in self.attributes)
        require(same, f"expected a code of each of {len(users)} users in every attribute")
        complete = set(self.protected) == set(self.names)
        require(complete, f"expected who protects each of {', '.join(self.names)}")
        protected = {name: _frozen_mask(self.protected[name], len(users)) for name in self.names}
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "protected", MappingProxyType(protected))

    @classmethod
    def protecting_all(cls, users: Sequence[str], attributes: Sequence[Attribute]) -> "Profiles":
        """Take it that all users ask to protect every attribute, told or not."""
        everybody = np.ones(len(users), dtype=np.bool_)
        protected = {attribute.name: everybody for attribute in attributes}
        return cls(tuple(users), tuple(attributes), protected)

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Profiles({self.n_users} users, attributes {', '.join(self.names)})"

    def __eq__(self, other: object) -> bool:
        """Compare content, user by user."""
        return (
            isinstance(other, Profiles)
            and (self.users, self.attributes) == (other.users, other.attributes)
            and all(np.array_equal(self.protected[n], other.protected[n]) for n in self.names)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, too large to hash

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.users)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def values(self) -> PrivateValues:
        """The attributes and who protects them, by number of the user."""
        return PrivateValues(self.attributes, self.protected)

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by name, all its values; raise HushrankError for another name."""
        return self.values.attribute(name)

    def joint(self, names: Sequence[str]) -> Attribute:
        """Return the values of one attribute, or of several together: see `PrivateValues.joint`."""
        return self.values.joint(names)

    def protection(self, names: Sequence[str]) -> dict[tuple[str, ...], NDArray[np.intp]]:
        """Return the rows of users by which of `names` they protect, in that order; () = none."""
        return self.values.protection(names)

    def protects(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return who asks to protect one of `names` (users,), told or not."""
        asks: NDArray[np.bool_] = np.any([self.protected[name] for name in names], axis=0)
        return asks

    def with_protected(self, protected: Mapping[str, NDArray[np.bool_]]) -> "Profiles":
        """Return the same profiles where who protects the named attributes (users,) is replaced."""
        return Profiles(self.users, self.attributes, {**self.protected, **protected})

    def select(self, users: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> "Profiles":
        """Keep these users, by number or by mask; all attributes and values stay."""
        rows = row_numbers(users, self.n_users)
        kept = self.values.select(rows)
        return Profiles(tuple(self.users[row] for row in rows), kept.attributes, kept.protected)

    def aligned(
        self, users: Sequence[str], *, surplus: Literal["refused", "dropped"] = "refused"
    ) -> "Profiles":
        """Return the profiles of these users, in this order.

        A user without a profile tells nothing and protects everything: nobody said otherwise.
        Raises HushrankError when no user has a profile, or, unless `surplus` is `dropped`, when
        there are profiles of other users.
        """
        row = {user: number for number, user in enumerate(self.users)}
        rows = np.array([row.get(user, -1) for user in users], dtype=np.intp)
        found = self.values_of(rows, surplus=surplus)
        return Profiles(tuple(users), found.attributes, found.protected)

    def values_of(
        self,
        rows: NDArray[np.integer[Any]],
        *,
        surplus: Literal["refused", "dropped"] = "refused",
    ) -> PrivateValues:
        """Return what users (users,) keep private, by the row of each here, -1 = without a profile.

        Raises HushrankError as `aligned` does.
        """
        is_asked = np.zeros(self.n_users, dtype=np.bool_)
        is_asked[rows[rows >= 0]] = True
        require(is_asked.any(), f"expected profiles of the users, got none of {len(rows)}")
        n_others = int((~is_asked).sum())
        message = f"expected profiles of users with activity, got {n_others} of others"
        require(surplus == "dropped" or n_others == 0, message)
        return self.values.of_rows(rows)


def _frozen_mask(given: NDArray[np.bool_], n_users: int) -> NDArray[np.bool_]:
    mask = np.array(given)
    require(mask.dtype == np.bool_, "expected true or false for who protects an attribute")
    require(mask.shape == (n_users,), f"expected who of {n_users} users protects an attribute")
    mask.setflags(write=False)
    return mask

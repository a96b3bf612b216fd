"""Read and write private attributes: one user a row, `user,<attribute>,...[,protects]`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.activities.attribute import MOST_VALUES, Attribute
from hushrank.activities.bins import bin_codes, bin_names, require_edges
from hushrank.activities.profiles import Profiles
from hushrank.errors import require
from hushrank.files.arrow_tables import ArrowTable
from hushrank.files.columns import Table
from hushrank.files.disk import FilePath, errors_naming
from hushrank.files.names import natural_order
from hushrank.files.tables import (
    codes_in,
    column_named,
    distinct_texts,
    has_column,
    held_texts,
    opened_table,
    people,
    write_table,
)

USER, PROTECTS = "user", "protects"
NONE, ALL = "none", "all"


def read_profiles(
    source: FilePath | ArrowTable,
    *,
    attributes: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
) -> Profiles:
    """Read the `attributes` of these names, or all; numeric ones in `bins` are cut at edges.

    source: a CSV or Parquet file, plain or gzipped, or a table in memory as in `read_activity`:
    a column `user`, one an attribute, empty = the user does not tell; perhaps `protects`: `none`,
    `all` or names joined by + or |. Without that column all users protect all attributes.
    Privacy: what is read is raw. The error names file, line and expectation, never a cell.
    Raises HushrankError when the file is missing, damaged or not of the form, a user is repeated,
    a binned cell is no number, or `protects` is empty or names no attribute; TypeError for what is
    no path and no table.
    """
    with opened_table(source) as table:
        _require_user(table)
        users = people(table, USER, tuple)
        table.require_rows(~_repeated(users.codes), "each user once")
        named = _attribute_names(table)
        chosen = named if attributes is None else tuple(attributes)
        _require_known((*chosen, *(bins or {})), named)
        found = [_attribute(table, name, (bins or {}).get(name)) for name in chosen]
        profiles = Profiles.protecting_all([users.texts[code] for code in users.codes], found)
        asks = _protected(table, named) if has_column(table, PROTECTS) else {}
        return profiles.with_protected({name: asks[name] for name in chosen if asks})


def write_profiles(profiles: Profiles, path: FilePath, *, secret: bool = False) -> None:
    """Write `profiles` for `read_profiles` to a `path` that ends in .csv or .parquet, or +.gz.

    Values that nobody has are left out. secret: only its owner may read the file.

    Privacy: writes raw attributes.
    Raises HushrankError when it cannot be written, or when the name of an attribute would be
    mistaken: user, protects, none, all, or one with + or |.
    """
    with errors_naming(path):
        _require_unmistakable(profiles.names)
    everybody = np.arange(profiles.n_users, dtype=np.int32)
    columns = {USER: held_texts(everybody, profiles.users)}
    for each in profiles.attributes:
        columns[each.name] = held_texts(each.codes, each.values)
    write_table({**columns, PROTECTS: _asked(profiles)}, path, secret=secret)


def _require_user(table: Table) -> None:
    """Raise HushrankError, with what to do where there is no header, unless a column is `user`."""
    n_named = sum(title.lower() == USER for title in table.header)
    above = f"where it is a record, write the names of all {len(table.header)} columns above it"
    require(n_named == 1, f"line 1: expected one column named '{USER}'; {above}")


def _attribute_names(table: Table) -> tuple[str, ...]:
    names = tuple(name for name in table.header if name.lower() not in (USER, PROTECTS))
    require(names, "line 1: expected a column of an attribute beside the user")
    require(len(set(names)) == len(names), "line 1: expected distinct columns")
    if has_column(table, PROTECTS):
        _require_unmistakable(names)
    return names


def _require_known(names: Sequence[str], known: Sequence[str]) -> None:
    missing = [name for name in names if name not in known]
    there = f"its attributes are {', '.join(known)}"
    require(not missing, f"line 1: there is no attribute '{', '.join(missing)}'; {there}")


def _require_unmistakable(names: Sequence[str]) -> None:
    """Raise HushrankError where a file with the column `protects` could not name these."""
    words = (USER, PROTECTS, NONE, ALL)
    plain = not any(re.search("[+|]", name) or name.lower() in words for name in names)
    require(plain, f"expected attributes without + and |, and not called {', '.join(words)}")


def _repeated(codes: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    repeated = np.ones(len(codes), dtype=np.bool_)
    repeated[np.unique(codes, return_index=True)[1]] = False
    return repeated


def _attribute(table: Table, name: str, edges: Sequence[float] | None) -> Attribute:
    column = table.columns[table.header.index(name)]
    if edges is not None:
        require_edges(edges)
        cells = column.numbers()
        table.require_rows(~np.isinf(cells), f"a number or nothing in the column '{name}'")
        return Attribute(name, bin_names(edges), bin_codes(cells, edges))
    values = natural_order(distinct_texts(column))
    fits = 1 <= len(values) <= MOST_VALUES
    require(fits, f"attribute {name}: expected 1..{MOST_VALUES} values, got {len(values)}")
    return Attribute(name, values, codes_in(column, values).astype(np.int16))


def _protected(table: Table, names: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return who protects what: each distinct text is taken apart once."""
    column = column_named(table, PROTECTS)
    asked = [_names_asked(text, names) for text in column.texts] + [None]  # code -1 takes the last
    understood = np.array([each is not None for each in asked])[column.codes]
    table.require_rows(understood, "none, all or attributes of the header joined by + in protects")
    return {
        name: np.array([each is not None and name in each for each in asked])[column.codes]
        for name in names
    }


def _names_asked(text: str, names: Sequence[str]) -> frozenset[str] | None:
    """Return the attributes that a cell asks to protect, None when it is not understood."""
    if text.lower() in (NONE, ALL):
        return frozenset(names if text.lower() == ALL else ())
    parts = frozenset(part.strip() for part in re.split("[+|]", text))
    return parts if parts <= set(names) else None


def _asked(profiles: Profiles) -> Any:
    """Return the column that says what each user protects."""
    kinds = profiles.protection(profiles.names)
    asked = np.empty(profiles.n_users, dtype=np.int32)
    for kind, rows in enumerate(kinds.values()):
        asked[rows] = kind
    joined = [ALL if names == profiles.names else "+".join(names) or NONE for names in kinds]
    return held_texts(asked, joined)

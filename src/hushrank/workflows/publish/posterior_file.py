"""What the channel says about each released record, as a file: user, then a column a value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.files.disk import FilePath, errors_naming
from hushrank.files.tables import Written, held_texts, read_table, whole_where_all_are, write_table

USER = "user"
"""The column of users, beside those of values."""


@dataclass(frozen=True, eq=False, repr=False)
class UserPosterior:
    """P(value | released record) (users, values) of protected users, by whoever knows the channel.

    Privacy: raw. It says whose record stands for each user's, as far as the channel tells it.
    """

    users: tuple[str, ...]
    values: tuple[str, ...]
    chances: Floats

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Posterior({len(self.users)} users, {len(self.values)} values)"

    def chances_of(self, users: tuple[str, ...], values: tuple[str, ...]) -> Floats:
        """Return P(value | released record) (users, values) of these users and values.

        Of a value that no protected user has it is nought: those which there are make up 1.
        Raises HushrankError when one of the users is missing, or a value that one of them may have.
        """
        place = {user: row for row, user in enumerate(self.users)}
        require(all(user in place for user in users), "expected a line of each protected user")
        of_users = self.chances[[place[user] for user in users]]
        chances = np.zeros((len(users), len(values)))
        for column, value in enumerate(values):
            if value in self.values:
                chances[:, column] = of_users[:, self.values.index(value)]
        is_whole = set(values) <= set(self.values) or np.allclose(chances.sum(axis=1), 1, atol=1e-6)
        require(bool(is_whole), "expected a posterior of each value")
        return chances


def has_one_posterior(activity: Activity, profiles: Profiles, private: Sequence[str]) -> bool:
    """Tell whether all users who protect some of these attributes protect the same of them."""
    kinds = profiles.aligned(activity.users).protection(private).keys()
    return len(kinds - {()}) <= 1


def require_columns(values: Sequence[str]) -> None:
    """Raise HushrankError where a value is called as the column of users is."""
    require(USER not in values, f"a posterior needs values that are not called {USER}")


def write_posterior(posterior: UserPosterior, path: FilePath) -> None:
    """Write a column of users, and one a value; only the owner may read the file.

    Raises HushrankError as `require_columns`.
    """
    require_columns(posterior.values)
    everybody = np.arange(len(posterior.users), dtype=np.int32)
    columns: dict[str, Written] = {USER: held_texts(everybody, posterior.users)}
    for value, column in zip(posterior.values, posterior.chances.T, strict=True):
        columns[value] = whole_where_all_are(column)
    write_table(columns, path, secret=True)


def read_posterior(path: FilePath, users: tuple[str, ...], values: tuple[str, ...]) -> Floats:
    """Return P(value | released record) (users, values) of these users, whatever else there is.

    Raises HushrankError when the file lacks one of the users, or a value that one of them may have.
    """
    with errors_naming(path):
        table = read_table(path)
        require(table.header[0] == USER, "line 1: expected the column user first")
        there = tuple(value for value in table.header[1:] if value in values)
        require(bool(there), "line 1: expected a column of each value")
        known = tuple(table.columns[0].texts[code] for code in table.columns[0].codes)
        found = [table.columns[table.header.index(value)].numbers() for value in there]
        chances = UserPosterior(known, there, np.column_stack(found)).chances_of(users, values)
        fits = bool(np.isfinite(chances).all() and (chances >= 0).all())
        require(fits, "expected finite probabilities of at least 0")
        return chances

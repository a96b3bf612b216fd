"""What the channel says about each released record, as a file: user, then a column a value."""

from pathlib import Path

import numpy as np

from hushrank.activities.activity import row_numbers
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.files.disk import errors_naming
from hushrank.files.tables import number_column, numbers, read_table, text_column, write_table
from hushrank.workflows.publish import Published


def write_posterior(published: Published, path: Path) -> None:
    """Write P(value | released record) of every user whose record may be another's: one group."""
    release, users = published.release, published.users
    (plan,) = release.plans
    rows = row_numbers(users.rows[plan.users], users.activity.n_users)
    among = np.searchsorted(users.rows, release.sources[rows])
    found = plan.posterior[among]
    columns = {"user": text_column(rows.astype(np.int32), users.activity.users)}
    for value, column in zip(plan.values, found.T, strict=True):
        columns[value] = number_column(column)
    write_table(columns, path, secret=True)


def read_posterior(path: Path, users: tuple[str, ...], values: tuple[str, ...]) -> Floats:
    """Return P(value | released record) (users, values) of these users, whatever else there is.

    Raises HushrankError when the file lacks one of the users or values.
    """
    with errors_naming(path):
        table = read_table(path)
        require(table.header[0] == "user", "line 1: expected the column user first")
        require(set(values) <= set(table.header[1:]), "line 1: expected a column of each value")
        column = table.columns[0]
        place = {column.texts[code]: row for row, code in enumerate(column.codes)}
        require(all(user in place for user in users), "expected a line of each protected user")
        rows = [place[user] for user in users]
        found = [numbers(table.columns[table.header.index(value)])[rows] for value in values]
        chances: Floats = np.column_stack(found)
        fits = bool(np.isfinite(chances).all() and (chances >= 0).all())
        require(fits, "expected finite probabilities of at least 0")
        return chances

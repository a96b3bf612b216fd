"""Tables with one score or rank a row: who gave it, to which item."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hushrank.errors import require
from hushrank.files.columns import Table, n_letters, require_held
from hushrank.files.names import natural_order
from hushrank.files.tables import column_named, decimal_numbers, identifiers, people
from hushrank.rankings.forms.asked import Asked, Best
from hushrank.rankings.forms.columns import ITEMS, PEOPLE, RANKS, SCORES, chosen, the_one
from hushrank.rankings.forms.lines.headings import of_one_row
from hushrank.rankings.forms.stars import as_numbers
from hushrank.rankings.profile import Rankings

ONE_NUMBER = "got one number a row: leave form= out, or say columns= which hold ballots"


class Long(NamedTuple):
    """The names of the three columns, and which end of the third is best."""

    person: str
    item: str
    value: str
    best: Best


def long_form(header: Sequence[str], asked: Asked) -> Long | None:
    """Find one column each of people, items and scores or ranks, by name; None where there is not.

    Of scores the highest is best, of ranks the lowest, unless the caller says otherwise.
    Raises HushrankError for another form: each row would be a person's ballot of its own.
    """
    if asked.columns:
        return None
    people, items, values = _of_each_kind(header, asked)
    if not len(people) == len(items) == len(values) == 1:
        return None
    is_form = asked.form in (None, "scores")
    require(is_form, f"expected a ballot a row for the form {asked.form}, {ONE_NUMBER}")
    best: Best = asked.best or ("high" if values[0].lower() in SCORES else "low")
    return Long(people[0], items[0], values[0], best)


def require_one_of_each(header: Sequence[str], asked: Asked) -> None:
    """Refuse rows of people and items with several columns of a kind, such as two of scores.

    Each row would be read as the ballot of a person of its own; in JSON one person's rows may tell.
    """
    each = _of_each_kind(header, asked)
    again = next((found for found in each if len(found) > 1), [])
    require(
        asked.columns or not all(each) or not again,
        f"expected one column each of people, items and scores, got {' and '.join(again)}: leave"
        " out all but one with ignore=, or say columns= if each row is a ballot",
    )


def _of_each_kind(header: Sequence[str], asked: Asked) -> list[list[str]]:
    """Return the columns of people, of items, and of scores and ranks; of several, not ignored."""
    kinds = (PEOPLE, ITEMS, (*SCORES, *RANKS))
    each = [[name for name in header if name.lower() in kind] for kind in kinds]
    ignored = {name.casefold() for name in asked.ignore}
    return [[n for n in names if n.casefold() not in ignored] or names for names in each]


def require_asked_of_rows(table: Table, long: Long, asked: Asked) -> None:
    """Refuse what is asked of ballots and cannot be of a table of one number a row."""
    head = of_one_row(table)
    one = f"each row is one {long.value} of one person"
    require(asked.weight is None, f"weight: {one}, for whom no weight can be said")
    if asked.id is not None:
        is_person = table.header[the_one(head, asked.id, "id")] == long.person
        require(is_person, f"id: {one}, whom the column {long.person} names")
    ignored = {table.header[n] for n in chosen(head, asked.ignore, "ignore")}
    needed = sorted(ignored.intersection((long.person, long.item, long.value)))
    require(not needed, f"ignore: {one}, which needs the column {', '.join(needed)}")


def ballots_of_rows(table: Table, long: Long) -> Rankings:
    """Turn rows of one number each into rankings; equal numbers tie.

    People are in the order of their first row, items sorted (numbers by size).
    Raises HushrankError, with the line, when a cell is empty, a score no finite number, or a
    person scores an item twice.
    """
    persons = people(table, long.person, tuple)
    names = identifiers(table, long.item, tuple)
    numbers = decimal_numbers(as_numbers(column_named(table, long.value)))
    table.require_rows(np.isfinite(numbers), f"a {long.value} that is a finite number")
    _, first_rows, rows = np.unique(persons.codes, return_index=True, return_inverse=True)
    by_first_row = np.argsort(np.argsort(first_rows))
    in_order = natural_order(names.texts[code] for code in np.unique(names.codes))
    cells = by_first_row[rows] * len(in_order) + names.codes_in(in_order)
    is_first = np.zeros(len(cells), dtype=np.bool_)
    is_first[np.unique(cells, return_index=True)[1]] = True
    table.require_rows(is_first, f"one {long.value} at most for each person and item")
    require(len(first_rows) > 0, "expected at least 1 person")
    named = [column_named(table, name) for name in (long.person, long.item, long.value)]
    require_held(len(first_rows), len(in_order), n_letters(named))
    keys = np.full((len(first_rows), len(in_order)), np.nan)
    keys.flat[cells] = -numbers if long.best == "high" else numbers
    is_scores = long.value.lower() in SCORES
    return Rankings.from_keys(keys, in_order, unranked="unknown" if is_scores else "last")

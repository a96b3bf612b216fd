"""A column whose cells are whole ballots."""

from collections.abc import Mapping, Sequence

from hushrank.errors import HushrankError, require
from hushrank.rankings.forms.columns import listed
from hushrank.rankings.forms.layouts.layout import Layout, the_only
from hushrank.rankings.forms.layouts.turned import require_not_turned
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.lists import SEPARATORS, any_separator_of, is_of_orders, separator_of


def lists_of(headed: Headed, columns: Sequence[int], is_open: bool) -> Layout | None:
    """Find the column whose cells are whole ballots."""
    tell = separator_of if is_open else any_separator_of
    found = {n: sign for n in columns if (sign := tell(headed.table.columns[n]))}
    if is_open and found:
        sure = sure_lists(headed, list(found))
        unsure = "lists that may be ticked boxes without an order"
        orders = f"{listed(list(found))}: {unsure}; say columns= if they are orders, best first"
        require(sure, orders)
        found = sure
    return the_list(headed, found) if found else None


def sure_lists(headed: Headed, columns: Sequence[int]) -> dict[int, str]:
    """Return which columns must be of orders, each with the sign that parts them."""
    each = {n: headed.table.columns[n] for n in columns}
    signs = {n: separator_of(column) for n, column in each.items()}
    return {n: sign for n, sign in signs.items() if sign and is_of_orders(each[n], sign)}


def the_list(headed: Headed, lists: Mapping[int, str]) -> Layout:
    """Take the one column of lists, of columns and the signs that part their cells."""
    groups = {_title_of(headed.parts[n], n): [n] for n in lists}
    (column,) = the_only(groups, "columns of ballots")
    return Layout("lists", (column,), separator=lists[column])


def _title_of(part: str, column: int) -> str:
    """Return the title of a column of lists, its number where the title may be a ballot."""
    may_be_a_ballot = not part or any(sign in part for sign in SEPARATORS if sign != ",")
    return f"no. {column + 1}" if may_be_a_ballot else part


def no_lists(headed: Headed, columns: Sequence[int]) -> Layout:
    """Raise HushrankError: no sign is known that parts the cells into items."""
    require_not_turned(headed, columns)
    signs = "items parted by > or ; or | or commas, or one a line"
    raise HushrankError(f"{listed(columns)}: expected whole ballots in a column, {signs}")

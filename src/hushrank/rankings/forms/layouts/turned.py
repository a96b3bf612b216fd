"""Tables with a column for each ballot, which are not read."""

from collections.abc import Sequence

from hushrank.errors import HushrankError
from hushrank.rankings.forms.columns import listed
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.ordinals import place_within


def require_not_turned(headed: Headed, columns: Sequence[int]) -> None:
    """Refuse a table with a column a person: each holds the same texts, every one once."""
    n_rows = headed.table.n_rows
    of_people = [n for n in columns if not place_within(headed.parts[n])]
    held = {frozenset(filter(None, headed.table.columns[n].texts)) for n in of_people}
    if len(of_people) > 1 and len(held) == 1 and len(held.pop()) == n_rows > 2:
        raise HushrankError(
            f"{listed(of_people)}: expected a line for each ballot, got a column for each: all of"
            " them hold the same, in orders of their own; turn the table round"
        )

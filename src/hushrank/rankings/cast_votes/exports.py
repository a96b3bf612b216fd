"""Which election system a file is of, and its cast vote records as a table."""

from pathlib import Path

from hushrank.files.columns import Table
from hushrank.files.spreadsheets.sheets import is_spreadsheet
from hushrank.rankings.cast_votes.common_data import is_common_data, parse_common_data
from hushrank.rankings.cast_votes.dominion import is_dominion, parse_dominion
from hushrank.rankings.cast_votes.hart import is_hart, parse_hart


def parse_cast_votes(content: bytes, path: Path) -> Table | None:
    """Return a column for each place of each contest; None for a file of another kind.

    Raises HushrankError when a part is missing or damaged, or no contest ranks its candidates.
    """
    if is_spreadsheet(content):
        return None
    if is_dominion(content):
        return parse_dominion(content, path)
    if is_common_data(content):
        return parse_common_data(content)
    return parse_hart(content) if is_hart(content) else None

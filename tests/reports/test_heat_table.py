"""Numbers of a table stand beside the items that they are of, whatever the order."""

import re

import numpy as np

from hushrank.reports.heat_table import heat_table, pair_table, rank_table

NAMES, ORDER = ("tea", "milk", "cola"), (2, 0, 1)
SHARES = np.array([[0.5, 0.9, 0.2], [0.1, 0.5, 0.3], [0.8, 0.7, 0.5]])
ROW = re.compile(r'<tr><th scope="row" dir="auto">(\d)\. (\w+)</th>(.*?)</tr>')


def rows_of(table):
    """Return the cells of each row by its place and name."""
    found = ROW.findall(heat_table(table, NAMES, ORDER))
    return {
        f"{place} {name}": re.findall(r"<td[^>]*>(\d*)</td>", row) for place, name, row in found
    }


def test_a_pair_s_share_stands_in_the_row_of_the_one_and_the_column_of_the_other():
    table = pair_table("Two by two", SHARES)
    heads = re.findall(r'<abbr title="(\w+)">(\d)</abbr>', heat_table(table, NAMES, ORDER))
    assert heads == [("cola", "1"), ("tea", "2"), ("milk", "3")]
    expected = {"1 cola": ["", "80", "70"], "2 tea": ["20", "", "90"], "3 milk": ["30", "10", ""]}
    assert rows_of(table) == expected


def test_shares_at_ranks_stand_in_the_row_of_their_item_the_best_rank_first():
    expected = {
        "1 cola": ["80", "70", "50"],
        "2 tea": ["50", "90", "20"],
        "3 milk": ["10", "50", "30"],
    }
    assert rows_of(rank_table("Ranks", SHARES)) == expected

"""The picture of an order shows each item's own bar, at its place."""

import re

import pytest

from hushrank.reports.order_drawing import order_drawing

NAMES, ORDER = ("tea", "milk", "cola"), (2, 0, 1)
INTERVALS = ((0, 1), (2, 2), (0, 0))
"""By item: cola is first for sure, tea may be first, too."""


def at(rank):
    return f"{100 * (rank + 0.5) / 3:.2f}"


def test_bars_are_those_of_the_items_and_dots_their_places():
    drawn = order_drawing(NAMES, ORDER, INTERVALS)
    bars = re.findall(r'<line x1="([\d.]+)%" y1="[\d.]+" x2="([\d.]+)%"[^>]* class="bar"', drawn)
    assert bars == [(at(0), at(0)), (at(0), at(1)), (at(2), at(2))]
    assert re.findall(r'<circle cx="([\d.]+)%"', drawn) == [at(0), at(1), at(2)]
    assert "1: cola, place 1; 2: tea, places 1 to 2; 3: milk, place 3" in drawn


@pytest.mark.parametrize("n_items", [3, 12])
def test_places_below_are_counted_from_one(n_items):
    drawn = order_drawing([f"item {n}" for n in range(n_items)], range(n_items), None)
    numbers = re.findall(r'<text x="([\d.]+)%"[^>]*class="small"[^>]*>(\d+)<', drawn)
    expected = [(f"{100 * (n + 0.5) / n_items:.2f}", str(n + 1)) for n in range(n_items)]
    assert numbers == expected

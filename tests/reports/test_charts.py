import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.reports.charts import channel_drawing, steps_drawing, trade_off_drawing

DOT = re.compile(r'<circle cx="([\d.]+)%" cy="([\d.]+)" r="([\d.]+)"')
NAME = re.compile(r'<text x="([\d.]+)%" y="([\d.]+)" text-anchor="(\w+)">([^<]+)<')
PIXELS_OF_A_LETTER = 7
SHARES = st.floats(0, 1, exclude_max=True)


def boxes(drawn, width):
    """Return left, right, top and bottom of each name in pixels, in a page of this width."""
    for x, y, anchor, words in NAME.findall(drawn):
        place, size = float(x) * width / 100, PIXELS_OF_A_LETTER * len(words)
        left = place - size if anchor == "end" else place
        yield left, left + size, float(y) - 11, float(y) + 1


@pytest.mark.parametrize("width", [340, 700])
@given(st.lists(SHARES, min_size=3, max_size=9, unique=True), SHARES, st.floats(1, 8))
def test_names_of_points_cover_no_other_point_and_stay_in_the_picture(
    width, shares, place, steepness
):
    """The best channels are a curve that falls and flattens; a release lies on it or above."""
    budgets = np.array([0, *sorted(shares), 1])
    best = np.column_stack([0.4 * budgets, (1 - budgets) ** steepness])
    here = 0.4 * place, float(np.interp(place, budgets, best[:, 1])) * 1.02
    drawn = trade_off_drawing(best, here, 1.0, "kendall")
    dots = [(float(x) * width / 100, float(y), float(r)) for x, y, r in DOT.findall(drawn)]
    names = list(boxes(drawn, width))
    assert len(names) == 2
    for left, right, top, bottom in names:
        assert left >= 0
        assert right <= width
        assert top >= 0
        for x, y, radius in dots:
            assert not (left < x < right and top - radius / 2 < y < bottom + radius / 2)
    (_, right, *first), (left, _, *second) = names
    assert right <= left or first[1] <= second[0] or second[1] <= first[0]


def test_a_picture_never_says_less_of_a_leak_than_there_is():
    best = np.array([[0.0, 0.5], [0.4, 0.0]])
    assert "this release leaks 0.124 at 0.2" in trade_off_drawing(best, (0.2, 0.1231), 0.5, "")


def test_a_trade_off_names_what_was_and_what_is_released():
    best = np.array([[0.0, 0.5], [0.4, 0.0]])
    drawn = trade_off_drawing(best, (0.2, 0.25), 0.5, "")
    assert "As it was, 0.5 bits leak at no distortion; this release leaks 0.25 at 0.2" in drawn
    at = {radius: float(x) for x, _, radius in DOT.findall(drawn)}
    assert at["7"] == 12 < at["8"]


def test_falling_steps_are_told_from_the_largest_to_the_least():
    assert "3 in all, from 9 down to 2" in steps_drawing("Steps", np.array([4, 2, 9]), "a", "b")


def test_the_rows_of_a_channel_are_the_clusters_that_users_are_of():
    drawn = channel_drawing("Channel", np.array([[0.2, 0.8], [0.0, 1.0]]))
    assert "60 of 100 users stay in their own" in drawn
    shades = re.findall(r'<rect x="([\d.]+)%" y="([\d.]+)".*?fill-opacity="([\d.]+)"', drawn)
    assert [shade for *_, shade in shades] == ["0.45", "0.89", "1.00"]
    (first, above, _), (second, beside, _), (last, below, _) = shades
    assert float(first) < float(second) == float(last)
    assert float(above) == float(beside) < float(below)


def test_of_many_clusters_a_shade_is_the_mean_of_users():
    drawn = channel_drawing("Channel", np.full((80, 80), 1 / 80))
    assert set(re.findall(r'fill-opacity="([\d.]+)"', drawn)) == {"0.16"}

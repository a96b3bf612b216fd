"""What the pictures of matplotlib promise."""

from itertools import pairwise

import numpy as np
import pytest

from hushrank.reports.order_plots import pair_shares_figure, rank_intervals_figure
from hushrank.reports.plots import item_labels, png, rendered, svg

ODD_NAMES = ["$E=mc^2$", "<b>&</b>", "寿司", "a name that is much longer than any line can be"]
SHARES = np.array([[np.nan, 0.75, 0.6], [0.25, np.nan, 1.2], [0.4, -0.2, np.nan]])


def images(figure):
    """Return the images of the panels, without the colour bar."""
    return [axes.images[0] for axes in figure.axes if axes.images]


def test_pair_shares_put_the_row_before_the_column():
    (image,) = images(pair_shares_figure(["a", "b", "c"], (1, 2, 0), {"title": SHARES}))
    shares = np.ma.filled(image.get_array(), np.nan)
    nowhere = np.nan
    np.testing.assert_allclose(
        shares, [[nowhere, 1, 0.25], [0, nowhere, 0.4], [0.75, 0.6, nowhere]]
    )
    assert image.get_clim() == (0, 1)  # one half in the middle
    assert [label.get_text() for label in image.axes.get_yticklabels()] == ["2 b", "3 c", "1 a"]


def test_ranks_are_whole():
    for n_items in (2, 3, 40):
        names = [str(item) for item in range(n_items)]
        figure = rank_intervals_figure(names, range(n_items), ((0, n_items - 1),) * n_items)
        ticks = figure.axes[0].get_xticks()
        assert (ticks == ticks.round()).all()


def test_no_row_of_the_intervals_sits_on_the_frame():
    for n_items in (2, 5, 16):
        intervals = ((0, n_items - 1),) * n_items
        figure = rank_intervals_figure(list("abcdefghijklmnop"), range(n_items), intervals)
        assert figure.axes[0].get_ylim() == (n_items - 0.5, -0.5)


@pytest.mark.filterwarnings("ignore:.* in no font that is installed here")
def test_pictures_take_odd_names():
    """A formula would raise, or swallow the dollar signs."""
    figure = rank_intervals_figure(ODD_NAMES, (0, 1, 2, 3), None)
    assert png(figure).startswith(b"\x89PNG")
    assert rendered(figure, "pdf").startswith(b"%PDF")
    labels = figure.axes[0].get_yticklabels()
    assert "1. $E=mc^2$" in {label.get_text() for label in labels}
    assert not any(label.get_parse_math() for label in labels)


def test_labels_are_numbered_and_whole():
    labels = item_labels(["x", "two\n words", ODD_NAMES[3]], [2, 0, 1])
    assert labels == ["3 a name that is much longer\nthan any line can be", "1 x", "2 two words"]


def test_a_long_name_is_whole_and_stands_on_no_other():
    """Each label has as many lines as it takes, and the row below begins after them."""
    names = ["a word " * 28, "b", "unbroken" * 20, "d"]
    figure = rank_intervals_figure(names, (0, 1, 2, 3), None)
    png(figure)
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    assert "".join(labels[0].get_text().split()) == "1." + "aword" * 28
    boxes = [label.get_window_extent() for label in labels]
    assert all(above.y0 >= below.y1 for above, below in pairwise(boxes))
    assert item_labels(names, [0])[0].endswith("\u2026")


def test_letters_of_an_svg_are_text():
    assert b"sushi</text>" in svg(rank_intervals_figure(["sushi", "b"], (0, 1), None))


def test_pictures_leave_no_global_figure():
    import matplotlib._pylab_helpers as pylab

    rank_intervals_figure(["a", "b"], (0, 1), None)
    assert not pylab.Gcf.get_all_fig_managers()


def test_lines_of_ranks_are_those_of_the_items_and_count_from_one():
    """Of two items in the other order than in the file, and a third."""
    figure = rank_intervals_figure(["tea", "milk", "cola"], (2, 0, 1), ((0, 1), (2, 2), (0, 0)))
    (lines,) = figure.axes[0].collections
    assert [[x for x, _ in ends] for ends in lines.get_segments()] == [[1, 1], [1, 2], [3, 3]]

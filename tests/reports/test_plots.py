"""What the pictures promise."""

import numpy as np
import pytest

from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.profile import Rankings
from hushrank.reports.plots import (
    hierarchy_figure,
    item_labels,
    pair_majority_figure,
    png,
    rank_marginals_figure,
)
from tests.experiments.populations import plackett_luce

ODD_NAMES = ["$E=mc^2$", "<b>&</b>", "寿司", "a name that is much longer than any label can be"]


def images(figure):
    """Return the images of the panels, without the colour bar."""
    return [axes.images[0] for axes in figure.axes if axes.images]


@pytest.fixture
def people():
    """Three put 1 2 0 first to last, one puts 0 1 2."""
    return Rankings.from_orders(np.array([[1, 2, 0]] * 3 + [[0, 1, 2]]), names=["a", "b", "c"])


def test_rank_marginals_stand_in_consensus_order(people):
    (image,) = images(rank_marginals_figure(people))
    np.testing.assert_allclose(image.get_array(), [[3, 1, 0], [0, 3, 1], [1, 0, 3]] / np.array(4))
    assert [label.get_text() for label in image.axes.get_yticklabels()] == ["2 b", "3 c", "1 a"]


def test_pair_majorities_put_the_row_before_the_column(people):
    (image,) = images(pair_majority_figure(people))
    shares = np.ma.filled(image.get_array(), np.nan)
    nowhere = np.nan
    expected = [[nowhere, 4, 3], [0, nowhere, 3], [1, 1, nowhere]] / np.array(4)
    np.testing.assert_allclose(shares, expected)
    assert image.get_clim() == (0, 1)  # one half in the middle


@pytest.mark.parametrize("draw", [rank_marginals_figure, pair_majority_figure])
def test_true_and_collected_share_items_and_colours(draw):
    true = plackett_luce(200, 5, strength=4)
    collected = plackett_luce(200, 5, seed=1, strength=1)
    first, second = images(draw(collected, true))
    assert first.get_clim() == second.get_clim()
    titles = [image.axes.get_title() for image in (first, second)]
    assert titles == ["true (200 rankings)", "collected (200 rankings)"]
    assert max(first.get_array().max(), second.get_array().max()) <= first.get_clim()[1]


def test_pictures_take_odd_names_and_many_items():
    """A formula would raise, or swallow the dollar signs."""
    odd = plackett_luce(20, 4, names=ODD_NAMES)
    figure = rank_marginals_figure(odd)
    assert png(figure).startswith(b"\x89PNG")
    labels = images(figure)[0].axes.get_yticklabels()
    assert "1 $E=mc^2$" in {label.get_text() for label in labels}
    assert not any(label.get_parse_math() for label in labels)
    assert png(hierarchy_figure(ThinChain(((0,), (1, 2), (3,))), ODD_NAMES))
    assert png(pair_majority_figure(plackett_luce(20, 30), plackett_luce(20, 30, seed=1)))


def test_labels_are_short_and_numbered():
    labels = item_labels(["x", "two\n words", ODD_NAMES[3]], [2, 0, 1])
    assert labels == ["3 a name that is much longe…", "1 x", "2 two words"]


def test_hierarchy_names_the_leaves_from_the_top():
    figure = hierarchy_figure(ThinChain(((2,), (0, 3), (1,))), ["a", "b", "c", "d"])
    texts = sorted(figure.axes[0].texts, key=lambda text: -text.get_position()[1])
    assert [text.get_text() for text in texts] == ["3 c", "1 a, 4 d", "2 b"]


def test_pictures_leave_no_global_figure():
    import matplotlib._pylab_helpers as pylab

    rank_marginals_figure(plackett_luce(20, 3))
    assert not pylab.Gcf.get_all_fig_managers()

import numpy as np
import pytest

import hushrank
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.workflows.seeds import stream


@pytest.mark.parametrize("dispersion", [0.2, 0.9])
def test_people_who_agree_more_or_less_are_drawn_as_asked(dispersion):
    drawn = hushrank.simulate("mallows", people=50, items=4, dispersion=dispersion, seed=1)
    model = Mallows((0, 1, 2, 3), dispersion)
    np.testing.assert_array_equal(drawn.ranks, model.sample(50, rng=stream(1, "people")))


@pytest.mark.parametrize(
    ("asked", "groups", "spread"),
    [({}, 1, 1.0), ({"components": 3}, 3, 1.0), ({"spread": 2.0}, 1, 2.0)],
)
def test_groups_are_as_many_and_as_far_apart_as_asked(asked, groups, spread):
    drawn = hushrank.simulate("plackett-luce", people=50, items=4, seed=1, **asked)
    rng = stream(1, "people")
    model = plackett_luce_mixture(4, groups, spread=spread, rng=rng)
    np.testing.assert_array_equal(drawn.ranks, model.sample(50, rng=rng))

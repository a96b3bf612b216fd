"""What the cells of a plan's tables say."""

from math import inf
from types import SimpleNamespace

import pytest

from hushrank.cli.plan.show import FEWEST, MOST, NOTHING, _half_width, _influence, _people
from hushrank.planning.populations import TYPICAL


def plan_of(*widths):
    errors = {
        each.name: SimpleNamespace(half_width=width)
        for each, width in zip(TYPICAL, widths, strict=True)
    }
    return SimpleNamespace(errors=errors)


def test_half_of_an_interval_is_that_of_the_middle_population():
    n = len(TYPICAL)
    widths = [0.01 * (place + 1) for place in range(n)]
    assert _half_width(plan_of(*widths)) == f"{0.5 * (n + 1):.1f}"
    assert _half_width(plan_of(*reversed(widths))) == f"{0.5 * (n + 1):.1f}"
    assert _half_width(plan_of(*[None] * (n - 1), 0.2)) == "20.0"
    assert _half_width(plan_of(*[None] * n)) == NOTHING


@pytest.mark.parametrize(
    ("influence", "said"),
    [(None, NOTHING), (0.00009, "< .01"), (0.0001, "0.01"), (0.0052, "0.52"), (1.2, "≥ 100")],
)
def test_a_false_report_is_said_to_move_what_it_can(influence, said):
    assert _influence(SimpleNamespace(influence=influence)) == said


def test_people_beyond_what_was_simulated_are_told_as_beyond():
    assert (FEWEST, MOST) == (200, 1_000_000)
    assert [_people(each) for each in (None, inf)] == [NOTHING, "> 1 M"]
    assert [_people(each) for each in (1_000_000, 35_000)] == ["1 M", "35,000"]
    assert [_people(each) for each in (200, 12)] == ["≤ 200", "≤ 200"]

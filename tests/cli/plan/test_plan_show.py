"""What the cells of a plan's last table say, in per cent."""

from types import SimpleNamespace

import pytest

from hushrank.cli.plan.show import NOTHING, _half_width, _influence
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

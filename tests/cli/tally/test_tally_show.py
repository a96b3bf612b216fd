"""What `hushrank tally` prints of the round that it counted."""

from types import SimpleNamespace

import hushrank
from hushrank.cli.collect.show import Paths
from hushrank.cli.tally.show import NO_KEY, _figures, _show_learnt


def test_the_figures_are_of_the_newest_round():
    first = SimpleNamespace(refused=1, repeated=2)
    second = SimpleNamespace(refused=3, repeated=1004)
    counted = SimpleNamespace(rounds=(first, second), n_reports=(12, 3456).__getitem__)
    assert _figures(counted) == {
        "round": "2",
        "people": "3,456",
        "refused": "3",
        "repeated": "1,004",
    }


def test_the_epsilon_is_told_that_was_asked_for(capsys):
    """The float of 1.1 is above it: rounded up once more it was 1.101."""
    people = hushrank.simulate("mallows", people=100, items=3, seed=1)
    learnt = hushrank.collect(people, 1.1, protocol="pairs")
    so_far = SimpleNamespace(draft=SimpleNamespace(title="Drinks"), findings=())
    _show_learnt(so_far, learnt, Paths(), [])
    said = capsys.readouterr().out
    assert "Epsilon 1.1: an even guess" in said
    assert "1.101" not in said


def test_nothing_is_said_of_repeats_where_no_key_told_whose_a_report_is():
    counted = SimpleNamespace(
        rounds=(SimpleNamespace(refused=0, repeated=None),), n_reports=(12,).__getitem__
    )
    assert _figures(counted)["repeated"] == NO_KEY

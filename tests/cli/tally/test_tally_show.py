"""What `hushrank tally` prints of the round that it counted."""

from types import SimpleNamespace

from hushrank.cli.tally.show import NO_KEY, _figures


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


def test_nothing_is_said_of_repeats_where_no_key_told_whose_a_report_is():
    counted = SimpleNamespace(
        rounds=(SimpleNamespace(refused=0, repeated=None),), n_reports=(12,).__getitem__
    )
    assert _figures(counted)["repeated"] == NO_KEY

import pytest

from hushrank.accounting.composition import epsilon_of_collections, total_epsilon
from hushrank.accounting.spend import Spend
from hushrank.errors import HushrankError


def test_releases_about_the_same_people_add_up():
    spends = [Spend("structure", 0.5, "GRR"), Spend("parameters", 1.25, "GRR")]
    assert total_epsilon(spends) == 1.75


def test_releases_about_different_people_do_not():
    spends = [Spend("a", 1.0, "GRR", (0.0, 0.5)), Spend("b", 3.0, "GRR", (0.5, 1.0))]
    assert total_epsilon(spends) == 3.0


def test_the_person_in_the_most_costly_overlap_decides():
    spends = [
        Spend("a", 1.0, "GRR", (0.0, 0.6)),
        Spend("b", 2.0, "GRR", (0.5, 1.0)),
        Spend("c", 4.0, "GRR", (0.9, 1.0)),
    ]
    assert total_epsilon(spends[:2]) == 3.0
    assert total_epsilon(spends) == 6.0


def test_lots_of_two_collections_do_not_protect_from_each_other():
    first = [Spend("a", 1.0, "GRR", (0.0, 0.5))]
    second = [Spend("b", 1.0, "GRR", (0.5, 1.0))]
    assert total_epsilon(first + second) == 1.0
    assert epsilon_of_collections([first, second]) == 2.0


@pytest.mark.parametrize("epsilon", [0.0, -5.0, float("nan"), float("inf")])
def test_an_impossible_price_is_refused(epsilon):
    with pytest.raises(HushrankError):
        Spend("a", epsilon, "GRR")


def test_nothing_released_costs_nothing():
    assert total_epsilon([]) == 0.0


@pytest.mark.parametrize("lots", [(0.5, 0.5), (-0.1, 1.0), (0.0, 1.1), (0.7, 0.2)])
def test_impossible_lots_are_refused(lots):
    with pytest.raises(HushrankError):
        Spend("a", 1.0, "GRR", lots)

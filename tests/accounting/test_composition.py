from dataclasses import asdict, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.accounting.composition import (
    delta_of_replacing,
    epsilon_of_collections,
    exact_delta,
    exact_epsilon,
    rest_of,
    share_of,
    total_delta,
    total_epsilon,
)
from hushrank.accounting.spend import Spend
from hushrank.errors import HushrankError

NEIGHBOURS = ("", "replace one ballot")
"""As the model has them, and as somebody says."""


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


def test_of_many_groups_the_last_one_decides_where_it_pays_most():
    n_groups = 1000
    ends = [nth / n_groups for nth in range(n_groups + 1)]
    spends = [
        Spend(f"{nth}", 1 + nth / 1024, "GRR", lots) for nth, lots in enumerate(pairwise(ends))
    ]
    assert total_epsilon(spends) == 1 + 999 / 1024
    assert total_epsilon([*spends, *spends]) == 2 + 999 / 512


@pytest.mark.parametrize("n_releases", [20, 21, 64, 500])
@pytest.mark.parametrize("dear", [0, -1])
def test_of_however_many_releases_each_is_paid_for(n_releases, dear):
    """By the people at the last lots, of whom all of them know something."""
    lots = [(nth / n_releases, 1.0) for nth in range(n_releases)]
    spends = [Spend("a", 2.0**-9, "GRR", each, "shuffled", delta=2.0**-30) for each in lots]
    spends[dear] = replace(spends[dear], epsilon=7.0, delta=2.0**-5)
    assert total_epsilon(spends) == 7 + (n_releases - 1) / 512
    assert total_delta(spends) == 2.0**-5 + (n_releases - 1) * 2.0**-30
    assert epsilon_of_collections([[each] for each in spends]) == total_epsilon(spends)
    one = Spend("ballots", 1.0, "Laplace", model="central")
    with pytest.raises(HushrankError, match="hide the same change"):
        total_epsilon([*spends, one])


def test_lots_of_two_collections_do_not_protect_from_each_other():
    first = [Spend("a", 1.0, "GRR", (0.0, 0.5))]
    second = [Spend("b", 1.0, "GRR", (0.5, 1.0))]
    assert total_epsilon(first + second) == 1.0
    assert epsilon_of_collections([first, second]) == 2.0


@pytest.mark.parametrize("epsilon", [0.0, -5.0, float("nan"), float("inf")])
def test_an_impossible_price_is_refused(epsilon):
    for neighbours in NEIGHBOURS:
        with pytest.raises(HushrankError):
            Spend("a", epsilon, "GRR", neighbours=neighbours)


def test_nothing_released_costs_nothing():
    assert total_epsilon([]) == 0.0


@pytest.mark.parametrize("lots", [(0.5, 0.5), (-0.1, 1.0), (0.0, 1.1), (0.7, 0.2)])
def test_impossible_lots_are_refused(lots):
    for neighbours in NEIGHBOURS:
        with pytest.raises(HushrankError):
            Spend("a", 1.0, "GRR", lots, neighbours=neighbours)


def central(epsilon, delta=0.0, **others):
    return Spend("a", epsilon, "noise", model="central", delta=delta, **others)


def test_a_local_release_hides_a_replacement_and_a_central_one_a_ballot():
    assert asdict(Spend("a", 1.0, "GRR")) == {
        "release": "a",
        "epsilon": 1.0,
        "mechanism": "GRR",
        "lots": (0.0, 1.0),
        "model": "local",
        "delta": 0.0,
        "neighbours": "replace one person's answers",
    }
    assert central(1.0).neighbours == "add or remove one ballot"
    assert central(1.0, neighbours="replace one ballot").neighbours == "replace one ballot"


def test_deltas_add_up_over_the_same_people_and_only_over_them():
    everybody = [central(1.0, 0.25), central(0.5, 0.125), central(0.25)]
    assert (total_epsilon(everybody), total_delta(everybody)) == (1.75, 0.375)
    halves = [central(1.0, 0.25, lots=(0.0, 0.5)), central(1.0, 0.125, lots=(0.5, 1.0))]
    assert total_delta(halves) == total_delta(halves[::-1]) == 0.25
    swapped = [central(1.0, 0.125, lots=(0.0, 0.5)), central(1.0, 0.25, lots=(0.5, 1.0))]
    assert total_delta(swapped) == 0.25
    assert total_delta([]) == 0.0
    assert total_delta([central(1.0, 0.75), central(1.0, 0.75)]) == 1.0


def test_losses_against_different_changes_are_never_added():
    mixed = [Spend("a", 1.0, "GRR"), central(1.0)]
    of_one_model = [central(1.0), central(1.0, neighbours="replace one ballot")]
    for total in (total_epsilon, total_delta):
        for spends in (mixed, of_one_model):
            with pytest.raises(HushrankError, match="same change"):
                total(spends)


@pytest.mark.parametrize("delta", [-1e-9, 1.0, 2.0, float("nan")])
def test_an_impossible_delta_is_refused(delta):
    for neighbours in NEIGHBOURS:
        with pytest.raises(HushrankError, match="delta"):
            central(1.0, delta, neighbours=neighbours)


def test_an_unknown_model_is_refused():
    for neighbours in NEIGHBOURS:
        with pytest.raises(HushrankError, match="local, shuffled or central"):
            Spend("a", 1.0, "GRR", model="blind", neighbours=neighbours)  # type: ignore[arg-type]


@given(st.floats(1e-9, 1e3), st.integers(1, 2000))
def test_shares_never_cost_more_than_the_whole_and_waste_one_digit_at_most(epsilon, n_releases):
    share = Fraction(share_of(epsilon, n_releases))
    assert share * n_releases <= Fraction(epsilon)
    assert share * n_releases > Fraction(epsilon) * (1 - Fraction(1, 2**51))


@given(st.floats(1e-6, 1e3), st.floats(0.001, 0.999))
def test_the_rest_and_what_is_spent_never_exceed_the_whole(epsilon, part):
    spent = epsilon * part
    rest = rest_of(epsilon, spent)
    assert Fraction(rest) + Fraction(spent) <= Fraction(epsilon)
    assert rest == pytest.approx(epsilon - spent, rel=1e-12)
    assert rest_of(epsilon, 0.0) == epsilon


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_price_has_no_share(epsilon):
    with pytest.raises(HushrankError):
        share_of(epsilon, 3)
    with pytest.raises(HushrankError):
        rest_of(epsilon, 0.0)
    with pytest.raises(HushrankError):
        rest_of(1.0, 1.0)
    with pytest.raises(HushrankError):
        rest_of(1.0, -0.1)
    with pytest.raises(HushrankError):
        share_of(1.0, 0)


@given(st.lists(st.floats(1e-9, 50.0), min_size=1, max_size=9))
def test_no_total_is_below_the_exact_sum(prices):
    spends = [Spend("a", price, "GRR") for price in prices]
    exact = sum(map(Fraction, prices))
    for total in (total_epsilon(spends), epsilon_of_collections([[each] for each in spends])):
        assert exact <= Fraction(total) <= exact * (1 + Fraction(2, 2**53))
    assert exact_epsilon(spends) == exact


@pytest.mark.parametrize("n_releases", [10, 12, 13, 64, 1000])
def test_of_however_many_releases_the_sums_are_exact(n_releases):
    """Of prices each of which is rounded where floats are added."""
    prices = [(0.1, 0.7, 1e-17, 3.3)[nth % 4] for nth in range(n_releases)]
    exact = sum(map(Fraction, prices))
    assert Fraction(sum(prices)) != exact
    assert exact_epsilon([Spend("a", price, "GRR") for price in prices]) == exact
    assert Fraction(epsilon_of_collections([Spend("a", each, "GRR")] for each in prices)) >= exact
    deltas = [central(1.0, price * 2.0**-20) for price in prices]
    assert exact_delta(deltas) == exact / 2**20


@given(st.lists(st.floats(1e-30, 0.1), min_size=1, max_size=9))
def test_no_total_of_deltas_is_below_the_exact_sum(deltas):
    exact = sum(map(Fraction, deltas))
    total = Fraction(total_delta([central(1.0, delta) for delta in deltas]))
    assert exact <= total <= exact * (1 + Fraction(2, 2**53))


def test_a_total_that_rounds_down_is_rounded_up():
    spends = [Spend("a", price, "GRR") for price in (0.1, 0.7)]
    assert sum(map(Fraction, (0.1, 0.7))) > Fraction(0.1 + 0.7)
    assert Fraction(total_epsilon(spends)) > Fraction(0.1) + Fraction(0.7)


@given(st.floats(1e-9, 40), st.floats(1e-300, 0.9))
def test_the_delta_of_replacing_is_rounded_up(epsilon, delta):
    with localcontext(prec=1000):
        exact = (1 + Decimal(epsilon).exp()) * Decimal(delta)
        said = Decimal(delta_of_replacing(epsilon, delta))
        assert min(1, exact) <= said <= min(1, exact * (1 + Decimal("3e-16")))


def test_the_delta_of_replacing_is_rounded_up_in_its_last_digit_too(monkeypatch):
    """A product of more than 60 digits, a hair above a float."""
    odds = Decimal("1." + 70 * "0" + "1")
    monkeypatch.setattr("hushrank.accounting.composition.exp_above", lambda epsilon: odds)
    assert delta_of_replacing(1.0, 0.25) == nextafter(0.5, 1)


def test_in_json_the_numeral_of_a_price_is_not_below_it():
    told = Spend("orders", 0.1, "GRR", delta=1e-9).to_dict()
    assert (told["epsilon"], told["delta"]) == (0.100000000000001, 1.00000000000001e-09)

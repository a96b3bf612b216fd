"""What is of a wrong type is told by name, before anybody is asked; numpy's numbers are numbers."""

from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest

import hushrank
from hushrank.errors import HushrankError
from hushrank.protocols.registry import Safari
from hushrank.workflows.arguments import expect_attributes, expect_loss, expect_number

PEOPLE = hushrank.simulate("mallows", people=60, items=4, seed=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": "4"}, "epsilon: expected a number, got str"),
        ({"epsilon": True}, "epsilon: expected a number, got bool"),
        ({"seed": "x"}, "seed: expected a whole number, got str"),
        ({"seed": 1.0}, "seed: expected a whole number, got float"),
        ({"short_cut": "no"}, "short_cut: expected True or False, got str"),
        ({"progress": "print"}, "progress: expected a callable, got str"),
        ({"protocol": 3}, "protocol: expected a name or a protocol .*, got int"),
        ({"protocol": Safari}, "protocol: expected a name or a protocol .*, got Safari"),
        ({"popular_orders": "yes"}, "popular_orders: expected True or False, got str"),
        ({"protocol": "pairs", "queries": 2.0}, "queries: expected a whole number, got float"),
        ({"protocol": "pairs", "queries": True}, "queries: expected a whole number, got bool"),
        ({"protocol": "safari", "leaf_size": "a"}, "leaf_size: expected a whole number"),
        ({"protocol": "safari", "shrink": 1}, "shrink: expected True or False, got int"),
        ({"protocol": "safari", "mechanism": 3}, "mechanism: expected a name or .*, got int"),
    ],
)
def test_collect_names_what_is_of_a_wrong_type(options, said):
    with pytest.raises(TypeError, match=said):
        hushrank.collect(PEOPLE, **{"epsilon": 1.0, **options})


@pytest.mark.parametrize("loss", [0.5, 2.0, 3, 2.0**-60, Fraction(3, 4), np.float64(0.25)])
def test_a_loss_that_a_float_is_stays_what_it_is(loss):
    assert expect_loss(loss, "epsilon") == loss


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (hushrank.collect, {"people": PEOPLE, "epsilon": 1.0}),
        (hushrank.simulate, {"model": "mallows", "people": 5, "items": 3}),
        (hushrank.aggregate, {"ballots": PEOPLE, "epsilon": 1.0}),
    ],
)
def test_a_negative_seed_is_refused_by_name(verb, options):
    with pytest.raises(hushrank.HushrankError, match="seed: expected at least 0, got -1"):
        verb(**options, seed=-1)


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"people": True}, TypeError, "people: expected a whole number, got bool"),
        ({"people": 0}, hushrank.HushrankError, "people: expected at least 1"),
        ({"items": 2.5}, TypeError, "items: expected a whole number"),
        ({"dispersion": "x"}, TypeError, "dispersion: expected a number"),
        ({"components": 2}, hushrank.HushrankError, "mallows takes no components"),
    ],
)
def test_simulate_names_what_is_wrong(options, kind, said):
    with pytest.raises(kind, match=said):
        hushrank.simulate("mallows", **{"people": 5, "items": 3, **options})


def test_an_option_of_the_other_model_is_refused():
    with pytest.raises(hushrank.HushrankError, match="plackett-luce takes no dispersion"):
        hushrank.simulate("plackett-luce", people=5, items=3, dispersion=0.5)


@pytest.mark.parametrize("place", [0, 29])
def test_one_of_many_names_that_is_no_text_is_refused(place):
    names = [f"a{n}" for n in range(30)]
    assert expect_attributes(names) == tuple(names)
    names[place] = 3
    with pytest.raises(TypeError, match="private: expected a list of names of attributes"):
        expect_attributes(names)


@pytest.mark.parametrize("number", [10**400, -(10**400), Fraction(10**400, 3)])
def test_numbers_beyond_all_floats_are_refused_by_name(number):
    with pytest.raises(HushrankError, match=r"^budget: expected a number that a float can hold$"):
        expect_number(number, "budget")


def test_numbers_of_numpy_are_numbers():
    people = hushrank.simulate("mallows", people=np.int64(60), items=np.int8(4), seed=np.uint8(1))
    assert people == PEOPLE
    known = hushrank.collect(people, np.float32(0.5), protocol="pairs", queries=2, seed=np.int64(3))
    same = hushrank.collect(people, 0.5, protocol="pairs", queries=np.int64(2), seed=3)
    assert known.to_dict()["order"] == same.to_dict()["order"]
    assert type(known.asked["epsilon"]) is float
    foretold = hushrank.plan(items=np.int64(8), people=np.int64(5000), epsilon=np.float64(4))
    assert foretold.to_dict() == hushrank.plan(items=8, people=5000, epsilon=4).to_dict()


@pytest.mark.parametrize("numerator", range(1, 13))
def test_a_loss_that_is_a_fraction_is_not_exceeded(numerator):
    """Also where the float next to it is above, as that of five sevenths."""
    loss = Fraction(numerator, 7)
    kept = expect_loss(loss, "epsilon")
    assert Fraction(kept) <= loss < Fraction(nextafter(nextafter(kept, inf), inf))


@pytest.mark.parametrize("form", ["x", None])
def test_an_unknown_form_is_not_taken_for_another(form, tmp_path):
    with pytest.raises(hushrank.HushrankError, match="form: expected places or ranks"):
        hushrank.write_rankings(PEOPLE, tmp_path / "x.csv", form=form)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda path: hushrank.write_rankings("R", path), "rankings: expected Rankings"),
        (lambda path: hushrank.write_activity("A", path), "activity: expected Activity"),
        (lambda path: hushrank.Rankings([[0, 1]], ("a", "b")), "ranks: expected ndarray"),
        (lambda path: hushrank.Rankings.from_orders([["a"]]), "orders: expected ndarray"),
    ],
)
def test_what_is_written_or_made_is_of_its_type(call, said, tmp_path):
    with pytest.raises(TypeError, match=said):
        call(tmp_path / "x.csv")


def test_a_protocol_that_has_its_options_is_said_with_them():
    settled = hushrank.collect(PEOPLE, 1.0, protocol=Safari(shrink=True, split="people"), seed=1)
    named = hushrank.collect(PEOPLE, 1.0, protocol="safari", shrink=True, split="people", seed=1)
    said = settled.to_dict()["options"]
    assert (said["shrink"], said["split"], said["queries"]) == (True, "people", None)
    assert settled.items == named.items

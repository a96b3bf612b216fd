import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.activities.bins import bin_codes, bin_names, parse_bins
from hushrank.errors import HushrankError


@pytest.mark.parametrize(
    ("rule", "name", "edges"),
    [
        ("age=18,35,50", "age", (18, 35, 50)),
        (" age group = 1.5 , 2e3 ", "age group", (1.5, 2000)),
        ("x=-1,+.5", "x", (-1, 0.5)),
    ],
)
def test_a_rule_names_an_attribute_and_edges(rule, name, edges):
    assert parse_bins(rule) == (name, edges)


@pytest.mark.parametrize(
    "rule", ["age", "age=", "=1", "age=1,", "age=2,1", "age=1,1", "age=nan", "age=inf", "a=1=2", ""]
)
def test_other_rules_are_refused(rule):
    with pytest.raises(HushrankError, match=r"expected (bins|1 or more edges)"):
        parse_bins(rule)


@pytest.mark.parametrize("last", [39, 40])
def test_the_last_edge_of_many_is_above_the_one_before(last):
    edges = ",".join(map(str, [*range(41), last]))
    with pytest.raises(HushrankError, match="ascending"):
        parse_bins(f"age={edges}")


@pytest.mark.parametrize(
    ("edges", "names"),
    [
        ((18, 35, 50), ("<18", "18-34", "35-49", "50+")),
        ((1,), ("<1", "1+")),
        ((2, 3, 5), ("<2", "2", "3-4", "5+")),
        ((0.5, 1.5), ("<0.5", "0.5..<1.5", "1.5+")),
        ((1, 1.5, 3), ("<1", "1..<1.5", "1.5..<3", "3+")),
        ((-3, 0, 2), ("<-3", "-3..<0", "0-1", "2+")),
        ((1e-5, 1e300), ("<1e-05", "1e-05..<1e+300", "1e+300+")),
    ],
)
def test_bins_are_named_by_their_edges(edges, names):
    assert bin_names(edges) == names


def test_an_edge_belongs_to_the_bin_above_it():
    codes = bin_codes(np.array([17, 18, 34, 34.9, 35, 50, 90, np.nan]), (18, 35, 50))
    assert codes.tolist() == [0, 1, 1, 1, 2, 3, 3, -1]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_names_of_bins_are_distinct(edges):
    ascending = sorted(set(np.array(edges) + 0.0))
    assert len(set(bin_names(ascending))) == len(ascending) + 1


@pytest.mark.parametrize("at", [0, 29])
@pytest.mark.parametrize("wrong", ["x", ""])
def test_one_of_many_edges_that_is_no_number_is_refused(at, wrong):
    edges = [*map(str, range(30))]
    edges[at] = wrong
    with pytest.raises(HushrankError, match="expected bins as NAME=EDGE"):
        parse_bins(f"age={','.join(edges)}")


def test_the_last_of_many_edges_is_finite():
    with pytest.raises(HushrankError, match="ascending"):
        parse_bins(f"age={','.join(map(str, range(30)))},1e999")


def test_there_is_a_bin_between_all_of_many_edges():
    assert parse_bins(f"age={','.join(map(str, range(30)))}") == ("age", tuple(range(30)))
    assert bin_names(range(30)) == ("<0", *map(str, range(29)), "29+")

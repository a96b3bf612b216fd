from dataclasses import replace
from itertools import pairwise, product
from math import inf

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.shares import share_variance
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.planning.asking import MODELS, PAIRS, askings
from hushrank.planning.grid import EPSILONS as SIMULATED
from hushrank.planning.plan import LYING, Situation, _Planner, _rounded_up, make_plan
from hushrank.planning.populations import REFERENCES, TYPICAL
from hushrank.planning.predictions import Errors, Place
from hushrank.planning.recommendation import likely_range, recommend
from hushrank.protocols.registry import MECHANISMS, PROTOCOLS
from tests.planning.agreement import table

RISE = 1.12
"""What an error may rise by where more is known: noise of the table, and changing questions."""
EPSILONS = (0.05, 0.13, 0.9, 2.3, 8.0)
PEOPLE = (200, 900, 20_000, 1_000_000)


LEAST_RISE = {"distance": 0.01, "excess": 0.003, "half_width": 0.003}
LEAST_RISE_OF_UNIFORM = LEAST_RISE | {"excess": 0.006}
"""Where nobody prefers anything an excess is all but noise, and simulated too seldom to know."""


def errors_along(places, least_rise):
    """Return the errors in a row, and what they may rise to."""
    for before, after in pairwise(places):
        for quantity, least in least_rise.items():
            was, is_now = getattr(before, quantity), getattr(after, quantity)
            if was is not None:
                yield is_now, max(RISE * was, was + least)


@pytest.mark.parametrize("population", [each.name for each in REFERENCES])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_errors_fall_with_epsilon_and_with_people(protocol, population):
    least = LEAST_RISE_OF_UNIFORM if population == "uniform" else LEAST_RISE
    for n_items in (5, 11):
        if protocol in MECHANISMS and n_items > 7:
            continue
        for n_people in PEOPLE:
            place = Place(table(), population, n_items, n_people)
            along = [place.expect(protocol, epsilon) for epsilon in EPSILONS]
            for error, most in errors_along(along, least):
                assert error <= most
        for epsilon in EPSILONS:
            along = [
                Place(table(), population, n_items, n).expect(protocol, epsilon) for n in PEOPLE
            ]
            for error, most in errors_along(along, least):
                assert error <= most


@pytest.mark.parametrize("n_people", [200, 900, 20_000])
def test_of_two_items_clear_reports_tell_of_the_people_and_not_of_their_population(n_people):
    """Everybody answers the one question: who happened to be drawn is learnt as well."""
    place = Place(table(), "mallows", 2, n_people)
    assert place.expect("max-entropy", 8.0).distance < place._sampling


@pytest.mark.parametrize(
    ("population", "epsilon", "off"),
    [
        *product(["cards", "mallows"], [0.3, 1.0, 4.0], [0.02]),
        *product(["uniform"], [0.3, 1.0, 4.0], [0.1]),
        *product(["cards", "mallows", "uniform"], [0.05], [0.25]),
    ],
)
def test_an_interval_of_two_items_is_of_two_standard_errors_of_the_response(
    population, epsilon, off
):
    """Everybody answers the one question: nobody else could have been asked, and nothing else.

    Where noise is as large as what people prefer a belief about both is a little wider.
    """
    response = GeneralizedRandomizedResponse(2, epsilon)
    error = share_variance(response, np.array([0.5, 0.5]), 20_000)[0] ** 0.5
    found = Place(table(), population, 2, 20_000).expect("pairs", epsilon).half_width
    assert found == pytest.approx(1.96 * error, rel=off)


def test_who_is_asked_for_a_pair_is_chance_that_clear_reports_leave():
    (asked,) = askings("pairs", 8, 1000, 8.0)
    n_reports = 1000 * asked.n_answers / asked.n_questions
    by_noise = ((asked.reach**-2 - 1) / n_reports) ** 0.5
    found = Place(table(), "cards", 8, 1000).expect("pairs", 8.0).half_width
    assert found > 1.1 * 1.96 / 2 * by_noise


@pytest.mark.parametrize("protocol", PAIRS)
def test_intervals_of_pairs_learn_from_the_other_pairs(protocol):
    """The more items, the less the pair's own reports are all that is known of it."""
    place = Place(table(), "plackett-luce", 32, 25_000)
    (asked,) = askings(protocol, 32, 25_000, 1.0)
    own = 1.96 / 2 / (25_000 * asked.n_answers / asked.n_questions * asked.reach**2) ** 0.5
    assert 0.25 * own < place.expect(protocol, 1.0).half_width < 0.5 * own


def test_of_the_same_answers_ldp_kwiksort_makes_a_worse_order_than_all_pairs_together():
    place = Place(table(), "mallows", 7, 2000)
    sorted_by_pivots, together = (place.expect(each, 1.0) for each in ("ldp-kwiksort-rr", "pairs"))
    assert sorted_by_pivots.excess > 2 * together.excess


@pytest.mark.parametrize("protocol", PAIRS)
@pytest.mark.parametrize("n_items", [3, 8, 32])
def test_of_people_who_prefer_nothing_many_tell_no_more_of_their_order_than_few(protocol, n_items):
    """Margins shrink as fast as noise: each person's report tells as much of what chance made."""
    parts = []
    for n_people in PEOPLE:
        place = Place(table(), "uniform", n_items, n_people)
        parts.append(place.expect(protocol, 4.0).excess / place.of_nobody().excess)
    assert parts == pytest.approx([parts[0]] * len(PEOPLE))


@pytest.mark.parametrize("exact", [200.0, 201.0, 1234.0, 1299.9, 1300.0, 98_001.0])
def test_people_needed_are_rounded_up_to_two_digits(exact):
    rounded = _rounded_up(exact)
    assert exact <= rounded < 1.1 * exact
    assert len(f"{rounded:.0f}".rstrip("0")) <= 2
    assert _rounded_up(rounded) == rounded


def test_nothing_is_expected_to_be_much_worse_than_nothing_by_max_entropy():
    for population, n_items, n_people, epsilon in product(REFERENCES, (4, 9), PEOPLE, EPSILONS):
        place = Place(table(), population.name, n_items, n_people)
        expected, nothing = place.expect("max-entropy", epsilon), place.of_nobody()
        assert expected.distance <= 1.2 * nothing.distance + 0.01


def test_every_protocol_and_population_is_planned():
    plan = make_plan(Situation(7, 5000, 1.0))
    assert tuple(plan.protocols) == tuple(PROTOCOLS)
    names = {each.name for each in REFERENCES}
    assert plan.of_nobody.keys() == names
    for name, each in plan.protocols.items():
        assert each.errors.keys() == each.people_needed.keys() == names
        assert each.rounds == (2 if name == "safari" else 1)
        for errors in each.errors.values():
            assert (errors.distance is None) == (name not in MODELS)
            assert 0 <= errors.excess < 0.5
            assert errors.half_width is None or 0 < errors.half_width <= 0.5


def test_what_liars_can_do_is_said_of_the_round_in_which_they_can_do_most():
    for name, each in make_plan(Situation(7, 5000, 1.0)).protocols.items():
        asked = askings(name, 7, 5000, 1.0)
        by_liars, by_picking = (
            max(one.moved(LYING, n_people=5000, picks=picks) for one in asked)
            for picks in (False, True)
        )
        influence = max(one.influence(5000) for one in asked)
        assert (each.by_liars, each.by_picking, each.influence) == (by_liars, by_picking, influence)


def test_bits_are_those_of_what_a_person_is_asked_on_average_in_all_rounds():
    fewest = 1.0
    for name, each in make_plan(Situation(7, 5000, 1.0)).protocols.items():
        asked = askings(name, 7, 5000, 1.0)
        shares = [one.share for one in asked]
        assert sum(shares) == pytest.approx(each.rounds)
        fewest = min(fewest, *shares)
        for bits in ("report_bits", "question_bits"):
            found = np.dot(shares, [getattr(one, bits) for one in asked])
            assert getattr(each, bits) == pytest.approx(found)
    assert fewest < 1


def test_each_protocol_is_foretold_at_its_own_epsilon_or_at_the_largest_that_was_simulated():
    own = {"max-entropy": 0.5, "pairs": 4.0, "order": 1e3}
    plan = make_plan(Situation(7, 5000, 1.0), epsilons=own).protocols
    for name, each in plan.items():
        at = min(own.get(name, 1.0), SIMULATED[-1])
        assert each == make_plan(Situation(7, 5000, at)).protocols[name]


def test_of_an_epsilon_below_all_that_was_simulated_only_what_liars_can_do_is_said():
    plan = make_plan(Situation(7, 5000, 1.0), epsilons={"pairs": 0.01}).protocols["pairs"]
    (asked,) = askings("pairs", 7, 5000, 0.01)
    assert plan.by_liars == asked.moved(LYING, n_people=5000)
    assert plan.influence == asked.influence(5000)
    assert plan.errors == plan.people_needed == {}
    assert plan.note == "no prediction below epsilon 0.05"


def test_people_needed_reach_the_wanted_error_and_fewer_do_not():
    situation = Situation(7, 5000, 1.0, wanted_distance=0.15, wanted_excess=0.01)
    plan = make_plan(situation)
    for name, quantity, wanted in (("max-entropy", "distance", 0.15), ("pairs", "excess", 0.01)):
        needed = plan.protocols[name].people_needed["mallows"]
        assert 200 < needed < 1_000_000
        place = Place(table(), "mallows", 7, int(needed))
        assert getattr(place.expect(name, 1.0), quantity) <= 1.02 * wanted
        fewer = Place(table(), "mallows", 7, int(0.7 * needed))
        assert getattr(fewer.expect(name, 1.0), quantity) > wanted


def test_fewer_people_do_not_suffice_by_chance_where_more_do_not():
    class Wavy(_Planner):
        def expect(self, protocol, population, n_people):
            return Errors(0.2 if 5000 < n_people < 20_000 else 0.01, 0.0, None)

    found = Wavy(table(), Situation(7, 5000, 1.0)).people_needed("max-entropy", "mallows")
    assert 20_000 <= found < 24_000


def test_what_a_million_cannot_reach_takes_more():
    plan = make_plan(Situation(7, 5000, 0.05, wanted_distance=1e-4))
    assert plan.protocols["safari"].people_needed["mixture"] == inf


@pytest.mark.parametrize(
    ("n_items", "n_people", "epsilon"),
    [
        (1, 5000, 1.0),
        (51, 5000, 1.0),
        (7, 199, 1.0),
        (7, 1_000_001, 1.0),
        (7, 5000, 0.049),
        (7, 5000, 8.1),
        (7, 5000, float("nan")),
        (7, 5000, -1.0),
        (7, 5000, float("inf")),
    ],
)
def test_what_was_not_simulated_is_refused(n_items, n_people, epsilon):
    with pytest.raises(HushrankError, match=r"expected|predictions are made for"):
        Situation(n_items, n_people, epsilon)


@pytest.mark.parametrize("wanted", [0.0, 1.0, -1.0, float("nan")])
def test_impossible_wanted_errors_are_refused(wanted):
    with pytest.raises(HushrankError, match="expected a number between 0 and 1"):
        Situation(7, 5000, 1.0, wanted_distance=wanted)
    with pytest.raises(HushrankError, match="expected a number between 0 and 1"):
        Situation(7, 5000, 1.0, wanted_excess=wanted)


@pytest.mark.parametrize("n_items", [2, 3, 8, 13, 16, 24, 50])
def test_all_numbers_of_items_can_be_planned(n_items):
    plan = make_plan(Situation(n_items, 5000, 1.0))
    without = {name for name, each in plan.protocols.items() if not each.errors}
    expected = {"safari"} if n_items == 2 else set()
    expected |= {"grr", "rappor", "sh", "olh"} if n_items > 7 else set()
    expected |= {"safari"} if n_items > 16 else set()
    assert without == expected
    noted = {name for name, each in plan.protocols.items() if each.note}
    rough = {"max-entropy"} if n_items > 20 else set()
    rough |= {*PROTOCOLS} - {"safari", *MECHANISMS} if n_items > 32 else set()
    assert noted == expected | rough
    assert {each.purpose for each in recommend(plan)} == {"model", "order"}


def test_the_recommended_are_nearly_the_best():
    plan = make_plan(Situation(7, 20_000, 1.0))
    for_model, for_order = recommend(plan)
    assert for_model.protocol == "max-entropy"
    assert not for_model.is_hopeless

    def mean(name, quantity):
        errors = plan.protocols[name].errors
        return sum(getattr(errors[each.name], quantity) for each in TYPICAL) / len(TYPICAL)

    least = min(mean(name, "excess") for name in PROTOCOLS)
    assert mean(for_order.protocol, "excess") <= max(1.1 * least, least + 0.001)


def with_errors(quantity, found):
    """Return a plan with these errors, where there are any, and large ones of other protocols."""
    plan = make_plan(Situation(7, 20_000, 1.0))
    protocols = {}
    for name, each in plan.protocols.items():
        error = {quantity: found.get(name, 0.3)} if name in MODELS or quantity == "excess" else {}
        errors = {one: replace(known, **error) for one, known in each.errors.items()}
        protocols[name] = replace(each, errors=errors)
    return replace(plan, protocols=protocols)


@pytest.mark.parametrize(
    ("others", "taken", "why"),
    [
        (0.0030, "order", ", about that of pairs"),  # within 1 pair of 1,000
        (0.0041, "pairs", ", the least of all"),
        (0.0035, "pairs", ", the least of all"),
    ],
)
def test_of_orders_that_hardly_differ_the_preferred_protocol_s_error_is_told(others, taken, why):
    excess = {"order": others, "pairs": 0.0025}
    _, for_order = recommend(with_errors("excess", excess))
    assert for_order.protocol == taken
    assert f"expected excess {excess[taken]:.4f}{why};" in for_order.reason


def test_of_models_a_tenth_above_the_least_is_nearly_as_good_and_not_more():
    for factor, taken in ((1.09, "max-entropy"), (1.11, "safari")):
        distance = {"safari": 0.01, "max-entropy": 0.01 * factor}
        for_model, _ = recommend(with_errors("distance", distance))
        assert for_model.protocol == taken
        assert f"expected Q2 distance {distance[taken]:.3f}" in for_model.reason


def test_the_range_goes_beyond_every_population_of_the_table():
    plan = make_plan(Situation(8, 5000, 2.0))
    for_model, for_order = recommend(plan)
    errors = [plan.protocols["max-entropy"].errors[each.name].distance for each in TYPICAL]
    low, high = for_model.likely
    assert low < min(errors) < max(errors) < high
    assert f"between {low:.3f} and {high:.3f}" in for_model.reason
    assert for_order.likely is None


def test_the_range_counts_on_people_whom_no_model_follows_from_four_items_on():
    """However clear the reports: a population of three items is described as it is."""
    assert likely_range([0.01, 0.02], 3) == pytest.approx((0.007, 0.028))
    assert likely_range([0.01, 0.02], 4) == pytest.approx((0.007, np.hypot(0.028, 0.15)))


def test_it_warns_where_even_the_best_is_hopeless():
    for_model, for_order = recommend(make_plan(Situation(10, 200, 0.1)))
    assert for_model.is_hopeless
    assert for_order.is_hopeless
    assert "hardly better than asking nobody" in for_order.reason


def test_it_says_no_better_where_the_best_is_no_better():
    for_model, _ = recommend(make_plan(Situation(10, 200, 0.1)))
    assert "no better than asking nobody" in for_model.reason

"""`hushrank.plan` by goal, as the command has it."""

from dataclasses import replace
from math import ceil, inf

import pyarrow as pa
import pytest

import hushrank
from hushrank.accounting.rounding import at_most, within
from hushrank.errors import HushrankError
from hushrank.planning.asking import askings
from hushrank.workflows.plan.advise import in_points
from hushrank.workflows.plan.plan import CollectionPlan, ShuffledPlan
from hushrank.workflows.results.useful_budgets import largest_useful_online, useful_budgets


@pytest.mark.parametrize("goal", ["winner", "order", "shares"])
def test_a_goal_is_answered_in_words_and_numbers(goal):
    advice = hushrank.plan(goal=goal, items=8, people=3000, epsilon=2)
    assert advice.to_dict()["goal"] == goal
    assert {each.epsilon for each in advice.choices} == {2}
    assert len(advice.to_frame()) == len(advice.choices)
    assert "epsilon 2" in str(advice)


def test_a_goal_is_answered_for_an_epsilon_of_1e_100_to_1000():
    for epsilon in (1e-100, 1000):
        advice = hushrank.plan(goal="winner", items=8, people=3000, epsilon=epsilon)
        assert {each.epsilon for each in advice.choices} == {epsilon}
        assert "nan" not in str(advice)
    for wrong in (0, 1e-101, 1000.5):
        with pytest.raises(HushrankError, match="an epsilon of 1e-100 to 1000"):
            hushrank.plan(goal="winner", items=8, people=3000, epsilon=wrong)


@pytest.mark.parametrize("goal", ["winner", "order"])
def test_as_many_people_as_are_said_to_tell_ten_points_do(goal):
    for each in hushrank.plan(goal=goal, items=8, people=300).choices:
        enough = {"people": ceil(each.people_for_ten_points), "epsilon": each.epsilon}
        told = hushrank.plan(goal=goal, items=8, **enough).choices
        (least,) = (one.least_lead for one in told if one.command == each.command)
        assert 0.09 < least <= 0.1


@pytest.mark.parametrize("people", [20, 300, 10**6])
@pytest.mark.parametrize("goal", ["winner", "shares"])
def test_of_usual_epsilons_the_least_that_tells_ten_points_is_advised_or_the_largest(goal, people):
    advice = hushrank.plan(goal=goal, items=8, people=people)
    said = list(advice.sentences[::2])
    for command, where in (("collect", "nobody is trusted"), ("aggregate", "you hold the ballots")):
        ways = [each for each in advice.choices if each.command == command]
        assert ways == sorted(ways, key=lambda each: each.epsilon)
        assert bool(ways) == (command == "collect" or goal != "shares")
        if ways:
            best = next((each for each in ways if each.least_lead <= 0.1), ways[-1])
            assert said.pop(0).startswith(f"{command} at epsilon {best.price}, {where}: ")
    assert said == []


@pytest.mark.parametrize("epsilon", ["1.234", "0.1"])
def test_an_epsilon_is_said_as_it_was_asked_for(epsilon):
    advice = hushrank.plan(goal="winner", items=8, people=3000, epsilon=float(epsilon))
    assert {each.price for each in advice.choices} == {epsilon}
    assert f"collect at epsilon {epsilon}<" in advice._repr_html_()


def test_numerals_of_a_plan_are_not_below_what_they_stand_for():
    """What was written as a tenth is kept by a float below it, whose own numeral is below that."""
    plan = hushrank.plan(items=4, people=1000, epsilon=0.1)
    assert plan.to_dict()["epsilon"] == 0.1
    told = ShuffledPlan(within(0.1), within(1e-5), {"pairs": within(0.3)}).to_dict()
    assert told == {"central_epsilon": 0.1, "delta": 1e-5, "local_epsilons": {"pairs": 0.3}}


def test_a_frame_of_a_plan_has_what_is_foretold_of_each_protocol_and_population():
    planned = hushrank.plan(items=5, people=300, epsilon=0.5)
    rows = pa.table(planned).to_pylist()
    told = {(row.pop("protocol"), row.pop("population")): row for row in rows}
    assert len(told) == len(rows)
    for name, protocol in planned.foretold.protocols.items():
        for population, errors in protocol.errors.items():
            row, needed = told.pop((name, population)), protocol.people_needed[population]
            assert row.pop("q2_distance") == errors.distance
            assert row.pop("excess") == errors.excess
            assert row.pop("half_width") == errors.half_width
            assert row == {"people_needed": None if needed == inf else needed}
    assert told == {}
    assert None in [row["people_needed"] for row in pa.table(planned).to_pylist()]


@pytest.mark.parametrize(
    ("of_order", "said"),
    [
        (0.01, " Hardest to bend: 1 in order, or 3 if all of them pick one question."),
        (0.04, ""),  # the other that is taken moves by less
    ],
)
def test_what_liars_move_is_said_of_what_is_taken_and_of_what_moves_least(of_order, said):
    planned = hushrank.plan(items=7, people=5000, epsilon=1)
    moved = {"max-entropy": (0.05, 0.05), "order": (of_order, 0.03), "pairs": (0.03, 0.02)}
    protocols = {
        name: replace(each, by_liars=dealt, by_picking=picked)
        for name, each in planned.foretold.protocols.items()
        for dealt, picked in [moved.get(name, (0.2, 0.3))]
    }
    for_model, for_order = planned.recommendations
    taken = replace(for_model, protocol="max-entropy"), replace(for_order, protocol="pairs")
    told = CollectionPlan(replace(planned.foretold, protocols=protocols), taken).liars
    assert told == (
        "If 1 person in 100 lies, an estimated share or mean rank moves, in points of 100, by at"
        f" most 5 in max-entropy; 3 in pairs.{said} Fake people who follow the protocol move it by"
        " 1."
    )


def test_budgets_follow_the_size_alone():
    activity, _ = hushrank.simulate_activity(users=200, items=30, seed=1)
    size = {"people": activity.n_users, "items": activity.n_items, "records": activity.n_records}
    advice = hushrank.plan(goal="publish", **size)
    by_method = {each.method: (each.low, each.high) for each in advice.choices}
    assert by_method["privrank"] == useful_budgets("privrank", "kendall", activity)
    assert by_method[None][1] < largest_useful_online(activity.n_items)
    assert "no differential privacy" in str(advice)


def test_few_users_are_told_that_nothing_can_be_judged():
    advice = hushrank.plan(goal="publish", people=20, items=10, records=100)
    assert "20 users are too few to judge any release" in str(advice)


@pytest.mark.parametrize(
    ("asked", "expectation"),
    [
        ({"goal": "publish"}, "goal publish: expected records"),
        ({"goal": "publish", "records": 7}, "records: expected at most 80, and enough for 10"),
        ({"goal": "publish", "records": 81}, "records: expected at most 80"),
        ({"goal": "publish", "records": 50, "epsilon": 1}, "publish has no epsilon"),
        ({"goal": "winner", "records": 50}, "records: of the goal publish only"),
        ({}, "expected an epsilon, or a goal"),
        ({"goal": "fame"}, "expected a goal of winner, order, shares"),
    ],
)
def test_what_a_goal_does_not_take_is_refused(asked, expectation):
    with pytest.raises(HushrankError, match=expectation):
        hushrank.plan(items=8, people=10, **asked)


def test_every_way_to_choose_a_release_is_advised():
    advice = hushrank.plan(items=200, people=1000, records=20_000, goal="publish")
    budgets = {each.method: (each.low, each.high) for each in advice.choices}
    assert budgets["withhold"] == (0.5, 0.8)
    assert set(budgets) == {"privrank", "user-level", "withhold", "microaggregate", "rand", None}
    assert 'method="withhold"' in str(advice)
    assert "say with protect= in place" in str(advice)


def test_where_reports_are_clearer_than_was_simulated_the_clearest_are_foretold(monkeypatch):
    """Behind a shuffler many people may tell the truth as good as always."""
    spent = {"max-entropy": 8.01, "grr": 11.2, "pairs": 21.1, "order": 700.0}
    monkeypatch.setattr("hushrank.workflows.plan.plan.local_epsilons", lambda **_: spent)
    planned = hushrank.plan(items=4, people=10**6, shuffled=True, central_epsilon=3)
    foretold = planned.to_dict()["protocols"]
    clearest = hushrank.plan(items=4, people=10**6, epsilon=8).to_dict()["protocols"]
    for name in spent:
        assert foretold[name]["errors"] == clearest[name]["errors"]
    assert planned.shuffled.local_epsilons == spent


def test_behind_a_shuffler_each_protocol_has_its_own_local_epsilon():
    planned = hushrank.plan(items=5, people=5000, shuffled=True, central_epsilon=0.5, delta=1e-5)
    told = planned.to_dict()
    assert told["private_model"] == "shuffled"
    local = told["shuffled"]["local_epsilons"]
    own = planned.shuffled.local_epsilons
    assert set(local) == set(told["protocols"])
    assert local["max-entropy"] > local["pairs"] > 3
    assert told["shuffled"]["central_epsilon"] == 0.5
    assert told["epsilon"] == local["max-entropy"] == at_most(own["max-entropy"])
    alone = hushrank.plan(items=5, people=5000, epsilon=own["pairs"]).to_dict()
    assert alone["private_model"] == "local"
    assert alone["shuffled"] is None
    assert told["protocols"]["pairs"]["errors"] == alone["protocols"]["pairs"]["errors"]
    assert told["protocols"]["pairs"]["people_needed"] == {}


def test_nothing_is_foretold_at_a_larger_epsilon_than_the_one_that_is_spent(monkeypatch):
    """The table of simulations ends at 0.05."""
    spent = {"max-entropy": 0.2, "order": 0.02, "pairs": 0.3}
    monkeypatch.setattr("hushrank.workflows.plan.plan.local_epsilons", lambda **_: spent)
    planned = hushrank.plan(items=5, people=10**5, shuffled=True, central_epsilon=0.01)
    told = planned.to_dict()["protocols"]["order"]
    assert (told["errors"], told["note"]) == ({}, "no prediction below epsilon 0.05")
    (asked,) = askings("order", 5, 10**5, 0.02)
    assert told["influence"] == asked.influence(10**5)
    assert planned.to_dict()["protocols"]["pairs"]["errors"]


def test_a_shuffled_plan_needs_an_epsilon_of_which_something_is_known():
    with pytest.raises(HushrankError, match=r"0\.05 and more, not 0\.005806 \(max-entropy\)"):
        hushrank.plan(items=8, people=200, shuffled=True, central_epsilon=0.001)


@pytest.mark.parametrize(
    ("asked", "expectation"),
    [
        ({"shuffled": True}, "expected a central_epsilon"),
        ({"shuffled": True, "central_epsilon": 1, "epsilon": 2}, "go without"),
        ({"central_epsilon": 1, "epsilon": 2}, "central_epsilon and delta need shuffled"),
    ],
)
def test_what_a_shuffled_plan_does_not_take_is_refused(asked, expectation):
    with pytest.raises(HushrankError, match=expectation):
        hushrank.plan(items=5, people=5000, **asked)


@pytest.mark.parametrize(
    ("lead", "said"),
    [(1.0, "none"), (0.999, "100"), (0.256, "26"), (0.0123, "1.3"), (0.07, "7"), (0.1201, "13")],
)
def test_a_lead_is_said_in_points_where_one_is_told(lead, said):
    assert in_points(lead) == said

"""What formulas foretell, beside collections and releases of people who are made up."""

from math import comb, erfc, exp, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.aggregators.private.borda import p_borda_centred
from hushrank.engines.local import simulate
from hushrank.errors import HushrankError
from hushrank.estimators.shares import share_variance
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.planning.goals import (
    SURE,
    Wish,
    error_on_devices,
    people_needed,
    told_by_curator,
    told_on_devices,
)
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.workflows.plan.advise import advise

RUNS = 400
GOALS = ("winner", "order", "shares")


def test_devices_name_the_winner_as_often_as_foretold():
    """Two rivals of five items, of which the others are behind."""
    rng = np.random.default_rng(5)
    people = PlackettLuce(np.array([0.9, 0.75, -1, -1, -1.5])).sample(3000, rng=rng)
    rankings = Rankings(people, tuple("abcde"))
    counts = majority(rankings)
    scores = counts.sum(axis=1) / len(people) / 4
    lead = scores[0] - scores[1]
    protocol = make_protocol("pairs", {"queries": 1, "post_process": "borda"})
    firsts = [
        simulate(
            protocol.begin(5, epsilon=2, n_people=3000, seed=0), rankings, rng=rng
        ).result.order[0]
        for _ in range(RUNS)
    ]
    error = error_on_devices(Wish("winner", 5, 3000), 2)
    foretold = 1 - erfc(lead / error / sqrt(2)) / 2
    assert 0.6 < foretold < 0.95
    assert np.mean(np.array(firsts) == 0) == pytest.approx(foretold, abs=0.08)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
@pytest.mark.parametrize("n_items", [2, 3, 12])
def test_an_error_on_devices_is_that_of_the_response_and_of_who_was_asked(n_items, epsilon):
    """Of people who are evenly split; a lead is made of 2 (m - 2) shares, and of one twice."""
    n_pairs, n_people = comb(n_items, 2), 66 * 100
    half, reports = np.array([0.5, 0.5]), n_people // n_pairs
    response = GeneralizedRandomizedResponse(2, epsilon)
    of_share = share_variance(response, half, reports)[0] + 1 / (4 * reports)
    of_lead = (2 * (n_items - 2) + 4) * of_share / (n_items - 1) ** 2
    for goal, variance in (("shares", of_share), ("winner", of_lead), ("order", of_lead)):
        error = error_on_devices(Wish(goal, n_items, n_people), epsilon)
        assert error**2 == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("n_items", [2, 3, 12])
def test_all_comparisons_together_are_as_sure_as_is_said(n_items):
    """Of the winner with all others, of neighbours, or of one share on both sides."""
    for goal, n_errors in (("winner", n_items - 1), ("order", n_items - 1), ("shares", 2)):
        wish = Wish(goal, n_items, 10**6)
        deviates = told_on_devices(wish, 2) / error_on_devices(wish, 2)
        assert n_errors * norm.sf(deviates) == pytest.approx(1 - SURE, rel=1e-6)


def test_a_curator_is_right_about_the_least_lead_as_often_as_foretold():
    wish, epsilon = Wish("winner", 2, 1000), 0.1
    ahead = round(500 + 500 * told_by_curator(wish, epsilon))
    counts = np.array([[0, ahead], [1000 - ahead, 0]])
    rng = Randomness.seeded(3)
    right = [p_borda_centred(counts, epsilon=epsilon, rng=rng).order[0] == 0 for _ in range(2000)]
    assert np.mean(right) == pytest.approx(SURE, abs=0.03)


@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 12, 63, 64])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_a_curator_s_noise_hides_all_margins_that_a_ballot_moves(n_items, epsilon):
    """An item is before some others, and behind the rest; Laplace noise is on each item's sum."""
    moved = sum(abs(n_items - 1 - 2 * place) for place in range(n_items))
    wish = Wish("order", n_items, 10**8)
    lead = 2 * wish.n_people * (n_items - 1) * told_by_curator(wish, epsilon)
    scales = lead * epsilon / moved
    assert exp(-scales) * (2 + scales) / 4 == pytest.approx(wish.allowed, rel=1e-9)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("told", [told_on_devices, told_by_curator])
def test_more_people_and_more_epsilon_tell_more_and_more_items_less(goal, told):
    leads = [told(Wish(goal, 8, people), 1) for people in (2000, 20_000, 10**9)]
    assert leads == sorted(leads, reverse=True)
    assert told(Wish(goal, 8, 10**6), 2) < told(Wish(goal, 8, 10**6), 1)
    assert told(Wish(goal, 64, 10**7), 1) > told(Wish(goal, 8, 10**7), 1)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("on_devices", [True, False])
def test_so_many_people_tell_ten_points(goal, on_devices):
    told = told_on_devices if on_devices else told_by_curator
    enough = round(people_needed(Wish(goal, 12, 100), 1, on_devices=on_devices))
    assert told(Wish(goal, 12, enough), 1) == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(("on_devices", "times"), [(True, 4), (False, 2)])
def test_a_lead_of_twice_the_points_takes_so_many_fewer_people(on_devices, times):
    wish = Wish("order", 12, 100)
    ten, twenty = (people_needed(wish, 1, on_devices=on_devices, lead=x) for x in (0.1, 0.2))
    assert ten == pytest.approx(times * twenty)


@pytest.mark.parametrize("on_devices", [True, False])
def test_however_many_people_it_takes_they_are_said(on_devices):
    """Of randomised response a small epsilon leaves a part like it; noise is one over it."""
    needed = [
        people_needed(Wish("winner", 64, people), 1e-5, on_devices=on_devices)
        for people in (20, 1000, 10**9)
    ]
    at_ten_times = people_needed(Wish("winner", 64, 20), 1e-4, on_devices=on_devices)
    assert needed == pytest.approx([at_ten_times * (100 if on_devices else 10)] * 3, rel=1e-6)


@pytest.mark.parametrize("asked", [
    {"goal": "best"}, {"items": 1}, {"items": 65}, {"people": 19}, {"people": 10**9 + 1},
    {"epsilon": 0.0}, {"epsilon": float("nan")},
])  # fmt: skip
def test_what_the_formulas_are_not_for_is_refused(asked):
    with pytest.raises(HushrankError):
        advise(**({"goal": "winner", "items": 8, "people": 300} | asked))

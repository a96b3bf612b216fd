import gc
import weakref
from math import comb

import numpy as np
import pytest

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.from_reports.pair_orders import order_from_pairs
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.models.mallows import Mallows
from hushrank.protocols.orders.pairs import pair_survey, pairs, response_at
from hushrank.protocols.orders.query_counts import best_queries
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

CENTRE = (3, 0, 4, 1, 2)
PEOPLE = Rankings(Mallows(CENTRE, 0.5).sample(3000, rng=np.random.default_rng(1)), tuple("abcde"))
BUDGETS = np.repeat([0.1, 1.0, 3.5], [1500, 900, 600])


@pytest.mark.parametrize("post_process", ["auto", "scores", "kwiksort", "borda", "kemeny"])
def test_the_order_is_learnt_by_every_post_process(post_process):
    protocol = pairs(5, epsilon=3.0, seed=1, post_process=post_process)
    outcome = run(protocol, PEOPLE, rng=Randomness.seeded(1))
    assert outcome.result.order == CENTRE
    assert outcome.result.post_process == ("scores" if post_process == "auto" else post_process)
    assert outcome.epsilon == 3.0
    assert outcome.result.epsilons == (3.0,)


def test_the_short_cut_learns_the_same():
    outcome = simulate(pairs(5, epsilon=3.0, seed=1), PEOPLE, rng=np.random.default_rng(1))
    assert outcome.result.order == CENTRE
    assert outcome.result.n_queries == (best_queries(3.0, 10),)


def test_without_noise_the_margins_are_exact():
    result = run_without_noise(pairs(5, epsilon=1.0, seed=1, n_queries=2), PEOPLE)
    counts = majority(PEOPLE)
    assert result.estimates.margins == pytest.approx((counts - counts.T) / 3000)
    assert result.order == kemeny(counts).order == borda(counts)


@pytest.mark.parametrize("epsilon", [1.0, (0.5, 2.0)])
def test_the_price_that_is_stated_is_of_all_answers_of_a_person(epsilon):
    budgets = None if epsilon == 1.0 else np.repeat([0.5, 2.0], 1500)
    protocol = pairs(5, epsilon=epsilon, seed=1, n_queries=3)
    outcome = run(protocol, PEOPLE, rng=Randomness.seeded(1), budgets=budgets)
    assert outcome.result.epsilons == outcome.epsilons
    assert outcome.result.epsilons == ((1.0,) if budgets is None else epsilon)


def test_outcomes_let_other_ways_be_tried_on_the_same_reports():
    result = run(pairs(5, epsilon=0.5, seed=1), PEOPLE, rng=Randomness.seeded(2)).result
    order, used = order_from_pairs(result.reports, "borda", seed=1)
    assert (order, used) == (borda(result.estimates.majority), "borda")


@pytest.mark.parametrize("n_queries", [1, 3, 10])
def test_everybody_answers_so_many_distinct_pairs(n_queries):
    protocol = pairs(5, epsilon=1.0, seed=1, n_queries=n_queries)
    reports = run(protocol, PEOPLE, rng=Randomness.seeded(1)).result.reports
    assert reports.wins.sum() == 3000 * n_queries
    assert reports.n_people.tolist() == [3000]
    assert reports.counts.max() <= 3000


def test_the_answers_of_a_person_never_exceed_epsilon():
    """Seven times the float 1/7 is 1 in floats only by luck; the survey compares exactly."""
    for n_queries in range(1, 46):
        for epsilon in (0.1, 0.7, 1.0, 3.0):
            (survey,) = next(pairs(10, epsilon=epsilon, seed=1, n_queries=n_queries))
            assert survey.epsilon == epsilon
            assert survey.mechanisms[0].epsilon == pytest.approx(epsilon / n_queries, rel=1e-15)


def test_people_with_budgets_of_their_own_pay_at_most_those():
    protocol = pairs(5, epsilon=(3.0, 0.1, 1.0), seed=1)
    outcome = run(protocol, PEOPLE, rng=Randomness.secure(), budgets=BUDGETS)
    assert outcome.result.epsilons == (0.1, 1.0, 3.0)
    assert outcome.epsilons == (0.1, 1.0, 3.0)
    assert outcome.epsilon == 3.0
    assert outcome.result.reports.n_people.tolist() == [1500, 900, 600]
    assert "within their own budgets from 0.100001 to 3" in outcome.privacy_statement
    assert outcome.result.order == CENTRE


def test_people_of_many_budgets_pay_their_own_and_are_counted_apart():
    levels = tuple(np.geomspace(0.1, 9.0, 40).tolist())
    budgets = np.resize(levels, PEOPLE.n_people)
    outcome = run(
        pairs(5, epsilon=levels, seed=1), PEOPLE, rng=Randomness.seeded(1), budgets=budgets
    )
    found = outcome.result
    assert found.epsilons == outcome.epsilons == levels
    assert found.n_queries == tuple(best_queries(each, 10) for each in levels)
    assert found.reports.n_people.tolist() == [(budgets == each).sum() for each in levels]
    answers = found.reports.counts.reshape(len(levels), -1).sum(axis=1) / 2
    assert answers.tolist() == (found.reports.n_people * found.n_queries).tolist()
    assert found.order == CENTRE


def test_weighing_by_budgets_beats_holding_everybody_to_the_least():
    """The variances say by how much: 3000 tanh^2(.05) against the sum over the budgets."""
    own = pairs(5, epsilon=(0.1, 1.0, 3.0), seed=1, n_queries=1)
    least = pairs(5, epsilon=0.1, seed=1, n_queries=1)
    mixed = run(own, PEOPLE, rng=Randomness.seeded(1), budgets=BUDGETS).result.estimates
    held = run(least, PEOPLE, rng=Randomness.seeded(1)).result.estimates
    information = [1500, 900, 600] @ np.tanh([0.05, 0.5, 1.5]) ** 2
    gained = information / (3000 * np.tanh(0.05) ** 2)
    ratio = held.variances[0, 1] / mixed.variances[0, 1]
    assert ratio == pytest.approx(gained, rel=0.3)


@pytest.mark.parametrize("epsilon", [1.0, (1.0, 2.0)])
def test_nobody_s_reports_are_no_order(epsilon):
    """Of budgets that are all below the least epsilon, nobody is asked."""
    begun = pairs(3, epsilon=epsilon, seed=1)
    empty = [tuple(Tally.empty(2) for _ in survey.questions) for survey in next(begun)]
    with pytest.raises(HushrankError, match="from 0 reports"):
        begun.send(tuple(empty))


def test_nobody_of_a_budget_is_no_layer_of_reports():
    protocol = pairs(5, epsilon=(0.05, 3.0), seed=1)
    budgets = np.full(3000, 3.0)
    outcome = run(protocol, PEOPLE, rng=Randomness.seeded(1), budgets=budgets)
    assert outcome.result.reports.n_people.tolist() == [0, 3000]
    assert outcome.result.order == CENTRE


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 1},
        {"n_items": 1001},
        {"n_queries": 0},
        {"n_queries": comb(5, 2) + 1},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": ()},
        {"epsilon": (1.0, 1.0)},
        {"epsilon": (1.0, float("nan"))},
        {"post_process": "best"},
        {"time_limit": 0.0},
        {"time_limit": float("nan")},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    parameters = {"n_items": 5, "epsilon": 1.0, "seed": 1, **wrong}
    with pytest.raises(HushrankError) as refused:
        run(pairs(**parameters), PEOPLE, rng=Randomness.replayed(b""))
    assert "\n" not in str(refused.value)


def test_neither_rankings_nor_reports_are_shown():
    outcome = run(pairs(5, epsilon=1.0, seed=1), PEOPLE, rng=Randomness.seeded(1))
    assert "order=" not in repr(outcome.result)


def test_the_pairs_of_few_numbers_of_items_stay_in_memory():
    """Those of a thousand items take 80 MB, and a collector has surveys of any number."""
    sizes = range(20, 60)
    known = [weakref.ref(pair_survey(n, response_at(1.0, 1), 1.0, 1).questions[0]) for n in sizes]
    gc.collect()
    assert sum(each() is not None for each in known) <= 8
    assert known[-1]() is pair_survey(59, response_at(1.0, 2), 1.0, 2).questions[0]

from fractions import Fraction
from math import comb, exp, tanh

import numpy as np
import pytest

from hushrank.aggregators.from_reports.pair_estimates import pair_error_rate
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.protocols.orders.error_bounds import lap_error_bound, rr_error_bound
from hushrank.protocols.orders.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.orders.query_counts import best_queries, paper_queries
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.samplers.word_probabilities import exp_below

CENTRE = (3, 0, 4, 1, 2)
PEOPLE = Rankings(Mallows(CENTRE, 0.5).sample(3000, rng=np.random.default_rng(1)), tuple("abcde"))
both_solutions = pytest.mark.parametrize("solution", ["rr", "lap"])


@both_solutions
@pytest.mark.parametrize("drive", [run, simulate])
def test_the_order_is_learnt(solution, drive):
    protocol = ldp_kwiksort(5, epsilon=3.0, pivot_seed=1, solution=solution)
    rng = Randomness.seeded(1) if drive is run else np.random.default_rng(1)
    outcome = drive(protocol, PEOPLE, rng=rng)
    assert outcome.result.order == CENTRE
    assert outcome.result.post_process == "kwiksort"
    assert outcome.spends[0].epsilon == outcome.result.epsilons[0]


@both_solutions
def test_without_noise_it_is_kwiksort(solution):
    protocol = ldp_kwiksort(5, epsilon=1.0, pivot_seed=7, solution=solution)
    expected = kwiksort(majority(PEOPLE), rng=np.random.default_rng(7))
    assert run_without_noise(protocol, PEOPLE).order == expected


def test_an_item_that_more_people_put_first_goes_left():
    agreed = Rankings.from_orders(np.tile([2, 0, 1], (200, 1)))
    for seed in range(6):
        protocol = ldp_kwiksort(3, epsilon=40.0, pivot_seed=seed, n_queries=1)
        assert run(protocol, agreed, rng=Randomness.seeded(1)).result.order == (2, 0, 1)


@pytest.mark.parametrize("n_queries", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_true_budget_of_lap_is_stated_exactly_and_below_the_nominal(n_queries, epsilon):
    protocol = ldp_kwiksort(5, epsilon=epsilon, pivot_seed=1, solution="lap", n_queries=n_queries)
    (survey,) = next(protocol)
    (mechanism,) = survey.distinct_mechanisms
    assert mechanism.rates.worst_ratio**n_queries <= exp_below(survey.epsilon)
    assert survey.epsilon < epsilon
    assert Fraction(survey.epsilon) >= Fraction(mechanism.epsilon) * n_queries


def test_the_budget_of_rr_is_epsilon():
    (survey,) = next(ldp_kwiksort(5, epsilon=1.0, pivot_seed=1, n_queries=3))
    assert survey.epsilon == 1.0
    assert survey.answers_per_person == 3
    assert len(survey.questions) == 10


@both_solutions
@pytest.mark.parametrize("n_pairs", [1, 3, 45])
def test_best_queries_are_those_of_brute_force(solution, n_pairs):
    def worth(n_queries, epsilon):
        share = epsilon / 2 / n_queries
        return n_queries * (tanh(share) if solution == "rr" else 1 - exp(-share)) ** 2

    for epsilon in np.arange(0.1, 30, 0.37):
        best = best_queries(epsilon, n_pairs, solution)
        assert 1 <= best <= n_pairs
        assert worth(best, epsilon) == max(worth(n, epsilon) for n in range(1, n_pairs + 1))


def test_the_rules_differ_where_the_paper_asks_too_much():
    assert [paper_queries(epsilon, 45) for epsilon in (0.5, 1, 2, 3, 5)] == [1, 1, 1, 2, 3]
    assert [best_queries(epsilon, 45) for epsilon in (0.5, 1, 2, 3, 5)] == [1, 1, 1, 1, 2]
    assert paper_queries(10.0, 45) == 5
    assert paper_queries(1000.0, 45) == 45
    assert paper_queries(5.0, 45, "lap") == 2


@both_solutions
def test_the_rule_of_the_paper_is_next_to_half_of_epsilon(solution):
    def worth(n_queries, epsilon):
        if solution == "rr":
            return epsilon**2 * n_queries / (epsilon + 2 * n_queries) ** 2
        return n_queries * (1 - exp(-epsilon / 2 / n_queries)) ** 2

    for epsilon in np.arange(2.1, 30, 0.37):
        around = [int(epsilon // 2), int(epsilon // 2) + 1]
        best = max(around, key=lambda n: worth(n, epsilon))
        assert paper_queries(epsilon, 45, solution) == best


def test_bounds_are_those_of_the_theorems():
    given = {"epsilon": 2.0, "theta": 0.5, "n_queries": 1}
    rr, lap = rr_error_bound(5, 3000, **given), lap_error_bound(5, 3000, **given)
    agreement = 1 / 9 * 3000 / 20
    assert rr.expected_wrong_pairs == pytest.approx(20 * exp(-agreement / 4))
    assert lap.expected_wrong_pairs == pytest.approx(20 * exp(-((1 - exp(-1)) ** 2) * agreement))
    assert rr.wrong_pairs == 6 * rr.expected_wrong_pairs
    assert rr.failure_probability == pytest.approx(2**-rr.wrong_pairs)
    for bound in (rr_error_bound, lap_error_bound):
        unknown = {**given, "theta": 0.0, "n_queries": 15}
        assert bound(6, 3000, **unknown).expected_wrong_pairs == 30  # two ways of 15 pairs
        with pytest.raises(HushrankError, match="15 queries"):
            bound(6, 3000, **{**unknown, "n_queries": 16})


@pytest.mark.parametrize(("solution", "bound"), [("rr", rr_error_bound), ("lap", lap_error_bound)])
def test_wrong_pairs_stay_within_the_bound_of_their_mean(solution, bound):
    """theta = 1 - q/p = 1/2 for neighbours at dispersion 1/2; a true Mallows centre."""
    model, rng = Mallows(CENTRE, 0.5), np.random.default_rng(5)
    true = np.argsort(CENTRE)
    truth = (true[:, None] < true).astype(float)
    wrong = []
    for _ in range(60):
        people = Rankings(model.sample(400, rng=rng), tuple("abcde"))
        protocol = ldp_kwiksort(5, epsilon=1.0, pivot_seed=1, solution=solution, n_queries=1)
        margins = run(protocol, people, rng=Randomness.seeded(len(wrong))).result.estimates.margins
        wrong.append(10 * pair_error_rate(truth, margins))
    most = bound(5, 400, epsilon=1.0, theta=0.5, n_queries=1).expected_wrong_pairs
    assert 0 < np.mean(wrong) < most


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 1},
        {"n_queries": 0},
        {"n_queries": comb(5, 2) + 1},
        {"epsilon": 0.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"solution": "gauss"},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    parameters = {"n_items": 5, "epsilon": 1.0, "pivot_seed": 1, **wrong}
    with pytest.raises(HushrankError) as refused:
        run(ldp_kwiksort(**parameters), PEOPLE, rng=Randomness.replayed(b""))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong", [{"n_people": 0}, {"theta": 1.1}, {"theta": float("nan")}, {"n_queries": 11}]
)
def test_bounds_of_impossible_numbers_are_refused(wrong):
    given = {"n_people": 10, "epsilon": 1.0, "theta": 0.5, "n_queries": 1, **wrong}
    for bound in (rr_error_bound, lap_error_bound):
        with pytest.raises(HushrankError):
            bound(5, **given)

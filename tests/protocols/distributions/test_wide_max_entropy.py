"""More than 16 items: the same questions, outcome and rows, by chains."""

from dataclasses import replace

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.collector.web.pages_organiser.reliance import reliance_on
from hushrank.collector.web.pages_organiser.words import words_in
from hushrank.engines.local import run, simulate
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.models.mixture import Mixture
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.safari import safari
from hushrank.protocols.learnt.models import LearntFit
from hushrank.protocols.registry import MaxEntropy
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import first_order_marginals, majority, second_order_marginals
from hushrank.rankings.profile import Rankings


def people_of(n_items: int, n_people: int, seed: int = 0) -> Rankings:
    """Draw people of three equal Plackett-Luce components with normal utilities."""
    rng = np.random.default_rng([7, seed])
    camps = tuple(PlackettLuce(rng.normal(size=n_items)) for _ in range(3))
    ranks = Mixture(camps, np.full(3, 1 / 3)).sample(n_people, rng=rng)
    return Rankings(ranks, tuple(f"item {number}" for number in range(n_items)))


def fitted(people: Rankings, epsilon: float, seed: int = 0):
    protocol = max_entropy(people.n_items, epsilon=epsilon, n_people=people.n_people)
    return simulate(protocol, people, rng=np.random.default_rng([9, seed])).result


def distance(shares: np.ndarray, people: Rankings) -> float:
    return marginal_distance(shares, second_order_marginals(people))


def from_uniform(people: Rankings) -> float:
    return distance(uniform_second_order_marginals(people.n_items), people)


@pytest.fixture(scope="module")
def outcome():
    return fitted(people_of(17, 5000), 4.0)


@pytest.mark.statistical  # by a margin of many errors
def test_the_distribution_is_learnt(outcome):
    people = people_of(17, 5000)
    shares = outcome.model.second_order_marginals
    assert distance(shares, people) < from_uniform(people) - 0.04
    assert outcome.fit.has_converged
    assert outcome.order == kemeny(outcome.model.precedences).order


def test_intervals_hold_what_the_people_say(outcome):
    people, estimates = people_of(17, 5000), outcome.estimates
    held = np.abs(estimates.at - first_order_marginals(people)) <= 1.96 * estimates.at_errors
    assert held.mean() > 0.85
    precedences = majority(people) / people.n_people
    off = np.abs(estimates.precedences - precedences)[~np.eye(17, dtype=bool)]
    errors = estimates.precedence_errors[~np.eye(17, dtype=bool)]
    assert (off <= 1.96 * errors).mean() > 0.85
    assert errors.max() < 0.1


def test_what_chance_does_is_said(outcome):
    learnt = LearntFit(outcome)
    shown = learnt.shown(people_of(17, 10).names)
    assert shown.rows["chains"].startswith("settled: 0.")
    (fit, chains, unseen) = reliance_on(words_in("en"), shown.named)  # the organiser's page
    assert (chains.said, chains.is_alarming) == (shown.rows["chains"], False)
    assert (unseen.said, unseen.is_alarming) == (shown.rows["unseen orders"], False)
    assert "can go unseen" in unseen.said
    assert (fit.said, fit.is_alarming) == ("the reports fit the model", False)
    said = shown.named["chains"]
    assert said["settled"] is True
    assert 1 < said["r_hat"] < 1.01
    assert 0 < said["q2_error"] < 0.05
    assert learnt.sample(50, rng=np.random.default_rng(1)).shape == (50, 17)


def test_chains_that_did_not_settle_are_not_passed_off_as_a_result(outcome):
    off = replace(outcome, fit=replace(outcome.fit, wide_off=1.4))
    shown = LearntFit(off).shown(people_of(17, 10).names)
    assert shown.rows["chains"].startswith("DID NOT SETTLE, do not rely on the model: 1.40")
    assert shown.named["chains"]["settled"] is False
    chains = reliance_on(words_in("en"), shown.named)[1]
    assert (chains.said, chains.is_alarming) == (shown.rows["chains"], True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 51},
        {"n_items": 17, "unranked": "last"},
        {"n_items": 17, "unranked": "unknown"},
        {"n_items": 17, "prior": "no"},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    parameters = {"epsilon": 1.0, "n_people": 100, **wrong}
    with pytest.raises(HushrankError):
        run(max_entropy(**parameters), people_of(17, 100), rng=Randomness.replayed(b""))


def test_popular_orders_are_of_few_items():
    protocol = MaxEntropy(popular_orders=True)
    with pytest.raises(HushrankError, match="4 to 16 items"):
        next(protocol.begin(17, epsilon=1.0, n_people=100, seed=0))


@pytest.mark.slow
def test_the_same_tallies_give_the_same_model(outcome):
    again = fitted(people_of(17, 5000), 4.0)
    assert (again.fit.point.coefficients == outcome.fit.point.coefficients).all()
    assert (again.model.precedences == outcome.model.precedences).all()


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_twenty_items_are_nearer_than_uniform_and_than_safari(epsilon):
    people = people_of(20, 5000)
    model = fitted(people, epsilon).model
    off = distance(model.second_order_marginals, people)
    assert off < from_uniform(people) - 0.04
    other = simulate(safari(20, epsilon=epsilon), people, rng=np.random.default_rng(3)).result
    rows = Rankings(other.sample(50_000, rng=np.random.default_rng(4)), people.names)
    assert off < distance(second_order_marginals(rows), people) - 0.04


@pytest.mark.slow
@pytest.mark.parametrize(("n_people", "epsilon"), [(100, 0.05), (100, 4.0), (3000, 1.0)])
def test_people_who_prefer_nothing_are_no_worse_than_uniform(n_people, epsilon):
    worse = []
    for seed in range(4):
        rng = np.random.default_rng([5, seed])
        ranks = np.asfortranarray(rng.random((n_people, 20)).argsort(axis=1).astype(np.uint8))
        people = Rankings(ranks, tuple(map(str, range(20))))
        shares = fitted(people, epsilon, seed).model.second_order_marginals
        worse.append(distance(shares, people) - from_uniform(people))
    assert np.mean(worse) < 0.006 + 2 * np.std(worse, ddof=1) / 2

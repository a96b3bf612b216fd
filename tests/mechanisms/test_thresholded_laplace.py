from fractions import Fraction
from math import exp, expm1, log, log1p, nextafter

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import WORDS, exp_below
from tests.statistics import (
    assert_counts_follow,
    assert_follows,
    draws_needed,
    random_seed,
)

EPSILONS = [1e-9, 0.01, 0.1, 0.5, 0.9032834410321481, 1, 2, 4, 10, 80, 1000]
every_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)


def probabilities(mechanism):
    return (mechanism.channel_words() / WORDS).astype(float)


@every_epsilon
def test_the_exact_loss_is_at_most_the_true_budget_which_is_below_the_nominal_one(epsilon):
    mechanism = ThresholdedLaplace(epsilon)
    assert mechanism.rates.worst_ratio <= exp_below(mechanism.epsilon)
    assert mechanism.epsilon < epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.9032834410321481, 4.0])
def test_the_true_budget_is_raised_until_it_is_not_below_the_loss(epsilon, monkeypatch):
    """Floats may be too low by more than their last digit, as at the second epsilon."""
    monkeypatch.setattr(
        "hushrank.mechanisms.thresholded_laplace.log1p", lambda x: log1p(x) * (1 - 2**-50)
    )
    mechanism = ThresholdedLaplace(epsilon)
    assert exp_below(nextafter(mechanism.epsilon, 0)) < mechanism.rates.worst_ratio
    assert mechanism.rates.worst_ratio <= exp_below(mechanism.epsilon)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 2, 4, 10, 40])
def test_the_true_budget_is_tight(epsilon):
    mechanism = ThresholdedLaplace(epsilon)
    assert mechanism.epsilon == pytest.approx(log(1 + 2 * expm1(epsilon / 2)), rel=1e-12)
    assert log(mechanism.rates.worst_ratio) == pytest.approx(mechanism.epsilon, rel=1e-9)


@every_epsilon
def test_the_rate_of_lies_is_the_tail_of_the_laplace_law_rounded_up(epsilon):
    mechanism = ThresholdedLaplace(epsilon)
    lies = Fraction(mechanism.rates.false_hit_words, WORDS)
    assert lies >= 1 / (2 * exp_below(epsilon, 2))
    assert float(lies) == pytest.approx(max(exp(-epsilon / 2) / 2, 2.0**-64), rel=1e-12)


@every_epsilon
def test_rows_of_the_channel_are_laws(epsilon):
    words = ThresholdedLaplace(epsilon).channel_words()
    assert words.sum(axis=1).tolist() == [WORDS, WORDS]
    assert words[0, 0] == words[1, 1] > words[0, 1] == words[1, 0] > 0


@pytest.mark.parametrize("epsilon", [0.1, 1, 4, 10])
def test_randomised_response_at_the_nominal_epsilon_tells_the_truth_oftener(epsilon):
    response = GeneralizedRandomizedResponse(2, epsilon)
    assert ThresholdedLaplace(epsilon).rates.hit_rate < response.rates.hit_rate


@pytest.mark.parametrize("category", [0, 1])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_reports_follow_the_channel(category, epsilon):
    """A mechanism that spends 5 % more, or tells the truth as randomised response, would fail."""
    stated = probabilities(ThresholdedLaplace(epsilon))[category]
    wrong = probabilities(ThresholdedLaplace(1.05 * epsilon))[category]
    other = probabilities(GeneralizedRandomizedResponse(2, epsilon))[category]
    n_people = max(draws_needed(stated, wrong), draws_needed(stated, other))
    rng = Randomness.seeded(random_seed() + category)
    reports = ThresholdedLaplace(epsilon).randomise(np.full(n_people, category), rng=rng)
    assert_follows(reports, stated)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_simulated_tallies_follow_the_channel(epsilon):
    """The lies of either category alone, in one tally each: 5 % more would fail."""
    mechanism = ThresholdedLaplace(epsilon)
    stated, wrong = (probabilities(ThresholdedLaplace(e))[0] for e in (epsilon, 1.05 * epsilon))
    n_people = draws_needed(stated, wrong, n_tests=2)
    rng = np.random.default_rng(random_seed())
    all_no = mechanism.simulate_tally(np.array([n_people, 0]), rng=rng)
    all_yes = mechanism.simulate_tally(np.array([0, n_people]), rng=rng)
    counts = np.stack([all_no.support, all_yes.support[::-1]])
    assert_counts_follow(counts, np.stack([stated, stated]))
    assert all_no.n_reports == n_people


def test_the_words_decide_at_the_threshold():
    mechanism = ThresholdedLaplace(1.0)
    words = [0, mechanism.rates.hit_words - 1, mechanism.rates.hit_words, WORDS - 1]
    tape = b"".join(word.to_bytes(8, "little") for word in words)
    ones = np.ones(4, dtype=np.intp)
    reports = mechanism.randomise(ones, rng=Randomness.replayed(tape))
    assert reports.tolist() == [1, 1, 0, 0]
    assert mechanism.tally(reports).support.tolist() == [2, 2]
    assert mechanism.tally(0 * ones).support.tolist() == [4, 0]


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 1001, 1e-30, "1"])
def test_impossible_epsilons_are_refused(epsilon):
    with pytest.raises(HushrankError):
        ThresholdedLaplace(epsilon)


@pytest.mark.parametrize("categories", [[2], [-1], [0.5], [float("nan")], [[0]]])
def test_answers_that_are_not_are_refused_before_anything_is_drawn(categories):
    with pytest.raises(HushrankError):
        ThresholdedLaplace(1.0).randomise(np.array(categories), rng=Randomness.replayed(b""))
    with pytest.raises(HushrankError):
        ThresholdedLaplace(1.0).tally(np.array(categories))


def test_an_answer_is_no_or_yes():
    assert ThresholdedLaplace(1.0).n_categories == 2

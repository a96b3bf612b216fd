"""Maximum-entropy collections of people who leave items out."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.estimators.partial.likelihood import PartialLikelihood
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import fit_ranks
from hushrank.evaluation.metrics import marginal_distance
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_kinds import NAMED
from hushrank.protocols.distributions.question_mix import MixPart, choose_mix
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from tests.statistics import MISS, critical_deviate, random_seed

NAMES = tuple("abcd")
FEATURES = rank_features(4)
COEFFICIENTS = 0.4 * FEATURES.spreads * np.random.default_rng(1).normal(size=len(FEATURES.spreads))
COEFFICIENTS[1] = 1.0  # people put the first item first or last: those who rank few put it first
MODEL = RankPotentials.from_coefficients(FEATURES, COEFFICIENTS)
LENGTHS = np.array([0.05, 0.35, 0.2, 0.2, 0.2])  # of 0, 1, ... 4 items
STATED = np.array([0.95, 0.6, 0.4])
KNOWN = np.array([0.9, 0.5, 0.7, 0.6])
RANKS = (MixPart("ranks-and-pairs"),)
PAIRS_AND_RANKS = (MixPart("pairs", 0.8), MixPart("ranks-and-pairs", 0.2))
PAIRS = tuple(combinations(range(4), 2))


def people_who_stop(n_people: int, rng: np.random.Generator) -> Rankings:
    """Draw people of the model who rank only as many items as they like."""
    ranks = MODEL.sample(n_people, rng=rng)
    lengths = rng.choice(5, n_people, p=LENGTHS)[:, None]
    return Rankings.from_keys(np.where(ranks < lengths, ranks, np.nan), NAMES)


def people_who_know_some(n_people: int, rng: np.random.Generator) -> Rankings:
    """Draw people of the model who have seen each item with a probability of its own."""
    ranks = MODEL.sample(n_people, rng=rng)
    return Rankings.from_keys(np.where(rng.random(ranks.shape) < KNOWN, ranks, np.nan), NAMES)


def fitted(people: Rankings, seed, epsilon: float = 4.0, **options):
    protocol = max_entropy(4, epsilon=epsilon, n_people=people.n_people, **options)
    return simulate(protocol, people, rng=np.random.default_rng(seed)).result


def deviates(known: RankEstimates, model: RankPotentials = MODEL) -> np.ndarray:
    """How far the precedences are from the truth, in standard errors, and the best item's rank."""
    off = [(known.precedences - model.precedences)[pair] for pair in PAIRS]
    errors = [known.precedence_errors[pair] for pair in PAIRS]
    at = (known.at - model.first_order_marginals).ravel() / known.at_errors.ravel()
    return np.concatenate([np.array(off) / errors, at])


def errors_of_shares(likelihood: PartialLikelihood, result) -> np.ndarray:
    """Standard errors of the stated shares: the information on all parameters, inverted."""
    point = result.fit.wide.point
    held = likelihood.given(point.statistics)
    roots = held.roots(point.statistics)[:, None]
    prior = point.features.prior_precision / result.fit.wide_scale**2
    moved = (held.weights @ point.changes.T) * roots
    shifted = likelihood.terms.slopes(point.statistics) * roots
    both = np.hstack([moved, shifted])
    information = both.T @ both
    information[: len(prior), : len(prior)] += prior
    return np.sqrt(np.diag(np.linalg.inv(information)))[len(prior) :]


N_TOLD = 100_000
"""So many that the wrong code, below, is caught with MISS: the tests ask for as much."""


def test_the_model_and_the_shares_are_recovered_from_people_who_stop():
    """Precedences, rank shares and stated shares are within their errors of the truth.

    Wrong code that drops what is not stated takes the stated answers for those of everybody: it is
    off by more than chance could hide.
    """
    rng = np.random.default_rng(random_seed())
    people = people_who_stop(N_TOLD, rng)
    result = fitted(people, rng, mix=PAIRS_AND_RANKS, unranked="last")
    likelihood = result.fit.wide.likelihood
    shares = (result.stated_shares - STATED) / errors_of_shares(likelihood, result)
    allowed = critical_deviate(6 + 16 + 3)
    assert np.abs(np.concatenate([deviates(result.estimates), shares])).max() < allowed
    everywhere = likelihood.terms.weights(np.full(3, result.stated_shares.mean()))
    dropping = fit_ranks(replace(likelihood.reports, weights=everywhere), prior="safe")
    assert np.abs(deviates(RankEstimates.of(dropping))).max() > allowed + norm.isf(MISS)


def test_the_model_and_the_shares_are_recovered_from_people_who_know_some():
    """Wrong code that takes what is not stated for noise is off by more than chance could hide."""
    rng = np.random.default_rng(random_seed())
    people = people_who_know_some(N_TOLD, rng)
    result = fitted(people, rng, epsilon=1.0, unranked="unknown")
    likelihood = result.fit.wide.likelihood
    true = np.array([KNOWN[a] * KNOWN[b] for a, b in PAIRS])
    shares = (result.stated_shares - true) / errors_of_shares(likelihood, result)
    of_pairs = deviates(result.estimates)[:6]
    allowed = critical_deviate(6 + 6)
    assert np.abs(np.concatenate([of_pairs, shares])).max() < allowed
    everywhere = replace(likelihood.reports, weights=likelihood.terms.weights(np.ones(6)))
    ignoring = RankEstimates.of(fit_ranks(everywhere, prior="safe"))
    assert np.abs(deviates(ignoring)[:6]).max() > allowed + norm.isf(MISS)


def test_without_noise_the_shares_are_those_of_the_people():
    people = people_who_stop(50_000, np.random.default_rng(3))
    protocol = max_entropy(4, epsilon=4.0, n_people=50_000, mix=RANKS, unranked="last")
    result = run_without_noise(protocol, people)
    n_ranked = people.is_ranked.sum(axis=1)
    true = [(n_ranked >= least).mean() for least in (1, 2, 3)]
    assert result.stated_shares == pytest.approx(true, abs=0.005)
    joint = MODEL.second_order_marginals
    assert marginal_distance(result.model.second_order_marginals, joint) < 0.02


@pytest.mark.statistical
@pytest.mark.parametrize("unranked", ["last", "unknown"])
def test_complete_rankings_lose_little_by_a_cell_that_nobody_needs(unranked):
    ranks = MODEL.sample(N_TOLD, rng=np.random.default_rng(3))
    people = Rankings(ranks, NAMES)
    result = fitted(people, 1, unranked=unranked)
    assert result.stated_shares.min() > 0.95
    assert result.model.precedences == pytest.approx(MODEL.precedences, abs=0.03)


@pytest.mark.parametrize("unranked", ["last", "unknown"])
def test_people_who_say_nothing_leave_the_model_near_uniform(unranked):
    people = Rankings.from_keys(np.full((2000, 4), np.nan), NAMES)
    result = fitted(people, 1, unranked=unranked)
    assert result.stated_shares.max() < 0.1
    assert result.model.precedences == pytest.approx(0.5 * (1 - np.eye(4)), abs=0.1)


def test_devices_protect_what_is_left_out_as_well():
    people = people_who_stop(500, np.random.default_rng(3))
    protocol = max_entropy(4, epsilon=2.0, n_people=500, unranked="last")
    outcome = run(protocol, people, rng=Randomness.secure())
    assert outcome.is_private
    assert outcome.epsilon == 2.0
    assert outcome.result.stated_shares.shape == (3,)


def test_budgets_and_items_left_out_go_together():
    people = people_who_stop(2000, np.random.default_rng(3))
    protocol = max_entropy(4, epsilon=(0.5, 4.0), n_people=(1000, 1000), unranked="last")
    budgets = np.repeat([0.5, 4.0], 1000)
    outcome = simulate(protocol, people, rng=np.random.default_rng(1), budgets=budgets)
    assert outcome.epsilons == (0.5, 4.0)
    assert outcome.result.stated_shares == pytest.approx(STATED, abs=0.2)


def test_two_items_are_enough():
    keys = np.repeat([[0, 1], [1, 0], [0, np.nan], [np.nan, np.nan]], [500, 100, 300, 100], axis=0)
    people = Rankings.from_keys(keys, ("a", "b"))
    for unranked in ("last", "unknown"):
        protocol = max_entropy(2, epsilon=4.0, n_people=1000, unranked=unranked)
        result = simulate(protocol, people, rng=np.random.default_rng(1)).result
        assert result.order == (0, 1)
        assert result.stated_shares == pytest.approx([0.9 if unranked == "last" else 0.6], abs=0.1)


def test_where_ranks_are_unknown_only_pairs_are_asked():
    for epsilon in (0.1, 1.0, 4.0):
        mix = choose_mix(8, epsilon=epsilon, n_people=10**6, unranked="unknown")
        assert mix == (MixPart("pairs"),)
        last = choose_mix(8, epsilon=epsilon, n_people=10**6, unranked="last")
        assert not {part.kind for part in last}.intersection(NAMED)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"unranked": "first"},
        {"unranked": "unknown", "mix": RANKS},
        {"unranked": "unknown", "mix": (MixPart("pairs", 0.5), MixPart("levels", 0.5, 2))},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    people = people_who_stop(50, np.random.default_rng(3))
    parameters = {"n_items": 4, "epsilon": 1.0, "n_people": 50, **wrong}
    with pytest.raises(HushrankError) as refused:
        run(max_entropy(**parameters), people, rng=Randomness.replayed(b""))
    assert "\n" not in str(refused.value)


def test_complete_collections_know_no_stated_shares():
    people = Rankings(MODEL.sample(200, rng=np.random.default_rng(3)), NAMES)
    assert fitted(people, 1).stated_shares is None

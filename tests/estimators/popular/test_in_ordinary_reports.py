"""Orders that many people hold are found in reports about ranks and pairs, and only then."""

from dataclasses import replace
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from scipy.stats import norm

from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.in_ordinary_reports import (
    Judged,
    _alternatives,
    _likely_orders,
    find_orders,
    no_orders,
    price_of_an_order,
)
from hushrank.estimators.popular.rest_and_orders import RestAndOrders, statistics_of_orders
from hushrank.estimators.ranks.fit import fit_ranks
from hushrank.estimators.ranks.point import RankPoint
from hushrank.mechanisms.local import Tally
from hushrank.models.mallows import Mallows
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.popular_orders import PopularOrders
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.rankings.coding import inverse
from hushrank.surveys.sampled_survey import sampled_survey
from tests.estimators.enumeration import all_ranks, statistics

N_ITEMS = 5
FEATURES = rank_features(N_ITEMS)
DRAWN = 0.3 * np.random.default_rng(1).normal(size=len(FEATURES.spreads)) * FEATURES.spreads
REST = RankPoint(FEATURES, DRAWN)
ORDERS = np.array([[4, 0, 3, 1, 2], [1, 2, 3, 0, 4]])
SHARES = np.array([0.25, 0.12])
KINDS = (MixPart("ranks-and-pairs"), MixPart("two-of-first", n_levels=2))


def mixed(shares=SHARES) -> np.ndarray:
    """The statistics of the rest with these shares of popular orders."""
    return (1 - sum(shares)) * REST.statistics + np.asarray(shares) @ statistics_of_orders(ORDERS)


def likelihood_of(everybody: np.ndarray, n_people: float, epsilon: float = 2.0, rng=None):
    """Reports of people with these statistics: as many as expected, unless they are drawn."""
    questions = [question for kind in KINDS for question in kind.questions(N_ITEMS)]
    mechanisms = sampled_survey("some", questions, epsilon).local_mechanisms
    empty = [Tally(np.zeros(each.n_categories), 0) for each in questions]
    nobody = ReportLikelihood.of(N_ITEMS, questions, mechanisms, empty)
    each = n_people / len(questions)
    expected = each * nobody.probabilities(everybody)
    counts = expected if rng is None else rng.poisson(expected).astype(float)
    return replace(nobody, counts=counts, n_reports=np.full(len(counts), each))


def model_of(likelihood, shares=SHARES) -> RestAndOrders:
    return RestAndOrders(likelihood, REST, PopularOrders(ORDERS, np.asarray(shares)))


LIKELIHOOD = likelihood_of(mixed(), 20_000)


def test_an_order_has_the_statistics_of_people_who_all_hold_it():
    every = np.array(list(permutations(range(N_ITEMS))))
    of_all = statistics_of_orders(every)
    for number in (0, 17, 119):
        alone = np.eye(len(every))[number]
        assert of_all[number] == pytest.approx(statistics(alone, N_ITEMS))


def test_derivatives_are_those_of_the_statistics():
    model, step = model_of(LIKELIHOOD), 1e-6
    for number in (0, 11, len(DRAWN) - 1):
        moved = replace(REST, coefficients=DRAWN + step * np.eye(len(DRAWN))[number])
        change = (replace(model, rest=moved).statistics - model.statistics) / step
        assert model.changes[number] == pytest.approx(change, abs=1e-5)
    grown = model_of(LIKELIHOOD, [SHARES[0], SHARES[1] + step])
    change = (grown.statistics - model.statistics) / step
    assert model.changes[-1] == pytest.approx(change, abs=1e-6)


def test_a_search_finds_the_true_shares_where_reports_are_as_expected():
    start = model_of(likelihood_of(mixed(), 10**5, epsilon=6.0), SHARES / 2)
    found = start.most_likely(0.3)
    assert found.popular.shares == pytest.approx(SHARES, abs=5e-3)
    assert found.log_posterior(0.3) > start.log_posterior(0.3)


def test_a_search_ends_where_the_slopes_are_those_of_a_peak():
    found = model_of(LIKELIHOOD, SHARES / 2).most_likely(0.3)
    best = found.log_posterior(0.3)
    for sign in (-1, 1):
        shares = found.popular.shares + sign * np.array([3e-3, 0])
        other = replace(found, popular=PopularOrders(ORDERS, shares))
        assert other.log_posterior(0.3) < best


def test_the_gain_of_an_order_is_what_a_search_with_it_gains():
    """By the parabola, within a tenth; so is the share."""
    start = RestAndOrders(likelihood_of(mixed([0.03, 0]), 20_000), REST, no_orders(N_ITEMS))
    start = start.most_likely(0.2)
    gains, shares = start.gains(ORDERS[:1], 0.2)
    found = start.with_order(ORDERS[0], shares[0]).most_likely(0.2)
    gained = found.log_posterior(0.2) - start.log_posterior(0.2)
    assert gained == pytest.approx(gains[0], rel=0.1)
    assert found.popular.shares[0] == pytest.approx(shares[0], rel=0.1)


def test_the_shares_of_others_grow_where_an_order_is_left_out():
    left = model_of(LIKELIHOOD).without_order(ORDERS[0])
    assert left.popular.orders.tolist() == ORDERS[1:].tolist()
    assert left.popular.shares == pytest.approx([0.12 / 0.75])


def test_orders_that_are_popular_already_are_no_candidates(monkeypatch):
    near = ORDERS[:, [0, 1, 2, 4, 3]]
    best = "hushrank.estimators.popular.in_ordinary_reports.best_orders"
    monkeypatch.setattr(best, lambda *_: np.vstack([ORDERS, near]))
    model = model_of(LIKELIHOOD)
    assert sorted(_likely_orders(model, model).tolist()) == sorted(near.tolist())


def test_the_price_is_that_of_a_false_alarm_among_all_orders():
    for n_items in (4, 7, 10):
        deviate = norm.isf(0.01 / factorial(n_items))
        assert price_of_an_order(n_items, 0.01) == pytest.approx(deviate**2 / 2)


@pytest.mark.linear_algebra
def test_popular_orders_are_found_with_their_shares():
    fit = fit_ranks(LIKELIHOOD, prior="safe")
    found = find_orders(LIKELIHOOD, fit, prior="safe")
    assert found.popular.orders.tolist() == ORDERS.tolist()
    assert (np.abs(found.popular.shares - SHARES) < 2 * found.share_errors).all()
    assert abs(found.popular.share - SHARES.sum()) < 2 * found.share_error
    assert 0 < found.share_errors.max() < 0.05
    at = mixed()[: N_ITEMS**2].reshape(N_ITEMS, N_ITEMS)
    assert (np.abs(found.estimates.at - at) < 3 * found.estimates.at_errors).mean() > 0.95


@pytest.mark.linear_algebra
def test_the_error_of_all_shares_together_is_that_of_their_sum():
    """What the one order has more, one near it has less: they err together by less than apart."""
    near = np.array([ORDERS[0], [4, 0, 3, 2, 1]])
    everybody = 0.5 * REST.statistics + np.array([0.3, 0.2]) @ statistics_of_orders(near)
    reports = likelihood_of(everybody, 20_000)
    found = find_orders(reports, fit_ranks(reports, prior="safe"), prior="safe")
    model = RestAndOrders(reports, found.fit.point, found.popular)
    of_shares = model.covariance(found.fit.wide_scale)[-2:, -2:]
    assert found.popular.orders.tolist() == near.tolist()
    assert found.share_errors**2 == pytest.approx(np.diag(of_shares))
    both = np.ones(2)
    assert found.share_error**2 == pytest.approx(both @ of_shares @ both)
    assert found.share_error**2 < 0.8 * (found.share_errors**2).sum()


def test_in_a_smooth_population_none_is_found():
    smooth = likelihood_of(mixed([0, 0]), 20_000)
    assert find_orders(smooth, fit_ranks(smooth, prior="safe"), prior="safe") is None


def test_people_who_agree_are_not_taken_for_holders_of_one_order():
    """Also where the published model is shrunk to uniform: an order must beat the wide fit."""
    model = Mallows(tuple(range(N_ITEMS)), 0.3)
    shares = np.exp(model.log_probability(inverse(all_ranks(N_ITEMS))))
    agreed = likelihood_of(statistics(shares, N_ITEMS), 900)
    fit = fit_ranks(agreed, prior="safe")
    shrunk = replace(fit, point=fit.wide.at(0.02).point, scale=0.02)
    assert find_orders(agreed, shrunk, prior="safe") is None


def test_weak_reports_leave_open_which_order_it_is():
    """Strong ones do not: another order in its place has no chance, and moves nothing."""
    moved, exact = [], []
    for n_people in (300, 100_000):
        model = model_of(likelihood_of(mixed([0.25, 0]), n_people), [0.25, 0])
        found = _alternatives(Judged(model, 0.3, 0.0), ORDERS[0])
        spread = np.sqrt((found.deviations**2).sum(axis=0)).max()
        moved.append(np.abs(found.mean).max() + spread)
        exact.append(found.exact)
    assert moved[0] > 0.05
    assert moved[1] < 1e-6
    assert exact[0] < 0.9 < 1 - 1e-6 < exact[1]


def test_an_order_that_begins_or_ends_alike_is_another_one():
    """What others would move is by its own share, and its own chance is just that."""
    alike = ORDERS[[0, 0, 0]]
    alike[1, -2:], alike[2, :2] = alike[0, :-3:-1], alike[0, 1::-1]

    def found(*shares):
        model = model_of(likelihood_of(mixed(), 300))
        model = replace(model, popular=PopularOrders(alike, np.array(shares)))
        assert model.without_order(alike[0]).popular.orders.tolist() == alike[1:].tolist()
        return _alternatives(Judged(model, 0.3, 0.0), alike[0])

    less, more = found(0.2, 0.04, 0.08), found(0.4, 0.03, 0.06)
    assert more.mean == pytest.approx(2 * less.mean)
    own = -np.sqrt(less.exact) * less.mean
    assert np.abs(less.deviations - own).max(axis=1).min() < 1e-9


@pytest.mark.linear_algebra
def test_an_order_is_just_the_one_that_people_hold_as_often_as_is_said():
    """Of 40 such collections .83 is said in the mean, and .82 are."""
    rng, said, right = np.random.default_rng(5), [], []
    for _ in range(12):
        likelihood = likelihood_of(mixed(), 1500, 1.5, rng)
        found = find_orders(likelihood, fit_ranks(likelihood, prior="safe"), prior="safe")
        if found is not None:
            said += found.exact.tolist()
            right += [(order == ORDERS).all(axis=1).any() for order in found.popular.orders]
    assert len(said) > 15
    assert min(said) < 0.6 < 0.95 < max(said)
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.15)

"""Exact orders of many people are found beside a rest that is known by draws, and only then."""

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pytest

from hushrank.estimators.cell_weights import statistics_of
from hushrank.estimators.chains.fit import fit_by_chains
from hushrank.estimators.chains.uniform_orders import uniform_statistics
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.in_chains import (
    OrdersBeside,
    _common_beginnings,
    find_orders_by_chains,
)
from hushrank.estimators.popular.in_ordinary_reports import no_orders
from hushrank.estimators.popular.rest_and_orders import statistics_of_orders
from hushrank.mechanisms.local import Tally
from hushrank.models.max_entropy.rank_features import wide_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.popular_orders import PopularOrders
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.surveys.sampled_survey import sampled_survey

N_ITEMS = 8
OWN = list(range(N_ITEMS))
ORDERS = np.array([OWN, OWN[2:] + OWN[:2], OWN[::-1]])
SHARES = np.array([0.25, 0.12, 0.08])
KINDS = (MixPart("ranks-and-pairs"), MixPart("two-of-first", n_levels=2))
UNIFORM = uniform_statistics(N_ITEMS)


def held(shares=SHARES, orders=ORDERS) -> np.ndarray:
    """The statistics of people of whom these shares hold exact orders, and the rest any."""
    return (1 - shares.sum()) * UNIFORM + shares @ statistics_of_orders(orders)


def likelihood_of(everybody: np.ndarray, n_people: float = 40_000.0, epsilon: float = 4.0):
    """Reports of people with these statistics, as many of each as expected."""
    questions = [question for kind in KINDS for question in kind.questions(N_ITEMS)]
    mechanisms = sampled_survey("some", questions, epsilon).local_mechanisms
    empty = [Tally(np.zeros(each.n_categories), 0) for each in questions]
    nobody = ReportLikelihood.of(N_ITEMS, questions, mechanisms, empty)
    each = n_people / len(questions)
    counts = each * nobody.probabilities(everybody)
    return replace(nobody, counts=counts, n_reports=np.full(len(counts), each))


def beside_uniform(likelihood, shares, orders=ORDERS) -> OrdersBeside:
    return OrdersBeside(likelihood, UNIFORM, PopularOrders(np.array(orders), np.array(shares)))


@pytest.fixture(scope="module")
def found():
    likelihood = likelihood_of(held())
    fit = fit_by_chains(likelihood, prior="safe")
    return find_orders_by_chains(likelihood, fit, prior="safe")


@pytest.mark.linear_algebra
def test_the_orders_and_their_shares_are_found(found):
    assert found.popular.orders.tolist() == ORDERS.tolist()
    assert (np.abs(found.popular.shares - SHARES) <= 4 * found.share_errors).all()
    assert (found.share_errors < 0.02).all()


def test_everybody_is_the_rest_and_the_orders(found):
    at = held()[: N_ITEMS**2].reshape(N_ITEMS, N_ITEMS)
    assert found.fit.has_converged
    assert found.goodness.fits
    assert (np.abs(found.estimates.at - at) <= 4 * found.estimates.at_errors).all()
    assert found.share_error < found.share_errors.sum()


def test_where_people_hold_no_order_none_is_found():
    features = wide_features(N_ITEMS)
    drawn = 0.3 * features.spreads * np.random.default_rng(3).normal(size=len(features.spreads))
    likelihood = likelihood_of(
        statistics_of(*RankPotentials(*features.potentials(drawn)).marginals)
    )
    fit = fit_by_chains(likelihood, prior="safe")
    assert find_orders_by_chains(likelihood, fit, prior="safe") is None


def test_the_best_shares_are_those_that_are_held():
    model = beside_uniform(likelihood_of(held()), [0.1, 0.1, 0.1]).with_best_shares()
    assert model.popular.shares == pytest.approx(SHARES, abs=1e-4)
    nobody = OrdersBeside(model.likelihood, UNIFORM, no_orders(N_ITEMS))
    assert nobody.with_best_shares() is nobody


def test_slopes_of_shares_are_derivatives():
    model = beside_uniform(likelihood_of(held()), [0.1, 0.05, 0.2])
    odds = np.array([0.2, 0.1, 0.3])
    steps = 1e-6 * np.eye(3)
    numeric = [(model._loss(odds + s)[0] - model._loss(odds - s)[0]) / 2e-6 for s in steps]
    assert model._loss(odds)[1] == pytest.approx(numeric, rel=1e-5)


def test_candidates_are_orders_that_would_make_reports_likelier():
    """The likeliest of all orders is among them; those that are there already are not."""
    model = beside_uniform(likelihood_of(held()), SHARES[:1], ORDERS[:1]).with_best_shares()
    candidates = model.candidates().tolist()
    assert ORDERS[1].tolist() in candidates
    assert ORDERS[0].tolist() not in candidates
    slopes = model.likelihood.slopes(model.statistics)
    every = np.array(list(permutations(range(N_ITEMS)))[::7])
    gains = statistics_of_orders(every) @ slopes
    assert (statistics_of_orders(model.candidates()[:1]) @ slopes)[0] >= gains.max()


def test_no_order_that_is_held_is_a_candidate(monkeypatch):
    near = ORDERS[:, [*range(N_ITEMS - 2), N_ITEMS - 1, N_ITEMS - 2]]
    likely = np.vstack([ORDERS, near])
    cooled = "hushrank.estimators.popular.in_chains.cooled_orders"
    monkeypatch.setattr(cooled, lambda *_, rng: likely)
    model = beside_uniform(likelihood_of(held()), SHARES)
    assert model.candidates().tolist() == near.tolist()


def test_ends_that_were_crossed_are_set_right():
    """Reports on two items at once all but agree with the wrong ends."""
    crossed = ORDERS.copy()
    crossed[1, -2:], crossed[2, -2:] = ORDERS[2, -2:], ORDERS[1, -2:]
    model = beside_uniform(likelihood_of(held()), SHARES, crossed).with_best_shares()
    assert model._with_ends_exchanged().popular.orders.tolist() == ORDERS.tolist()


def test_an_order_that_is_near_is_exchanged_for_the_one_that_is_held():
    near = ORDERS.copy()
    near[0, [3, 4]] = near[0, [4, 3]]
    model = beside_uniform(likelihood_of(held()), SHARES, near).with_best_shares()
    better = model.with_exchanges().popular.orders.tolist()
    assert sorted(better) == sorted(ORDERS.tolist())


def test_each_order_in_turn_is_left_out_for_another_also_where_two_begin_alike(monkeypatch):
    tried, orders = [], ORDERS.copy()
    orders[1] = [*OWN[:-2], OWN[-1], OWN[-2]]
    model = beside_uniform(likelihood_of(held(SHARES, orders)), SHARES, orders)
    monkeypatch.setattr(OrdersBeside, "with_one_more", lambda self: tried.append(self) or self)
    monkeypatch.setattr(OrdersBeside, "_with_ends_exchanged", lambda self: self)
    assert model.with_exchanges() is model
    found = [each.popular.orders.tolist() for each in tried]
    assert found == [[]] * 3 + [np.delete(orders, n, axis=0).tolist() for n in range(3)]


def test_errors_of_shares_count_that_the_rest_moves_along(found):
    """A rest that could not move would leave less in doubt."""
    model = OrdersBeside(found.reports, found.fit.point.statistics, found.popular)
    known = np.sqrt(np.diag(model.share_covariance(found.fit)))
    near = found.fit.wide
    roots = near.likelihood.roots(near.point.statistics)[:, None]
    alone = model._apart.T * roots / (1 - found.popular.share)
    assert (known > np.sqrt(np.diag(np.linalg.inv(alone.T @ alone)))).all()


MANY = np.arange(24)
LATE = np.array([[*MANY[:20], *MANY[23:19:-1]], MANY, [*MANY[:20], *np.roll(MANY[20:], 1)]])
"""Orders of 24 items that differ in their last four places alone."""


@dataclass(frozen=True)
class Unread:
    """A likelihood of which nothing but the number of items is asked."""

    n_items: int = 24

    def slopes(self, statistics):
        return np.zeros(24**2 + 24**3)


def test_orders_of_many_items_that_begin_alike_are_not_taken_for_one(monkeypatch):
    module = "hushrank.estimators.popular.in_chains."
    monkeypatch.setattr(module + "cooled_orders", lambda *_, rng: LATE)
    monkeypatch.setattr(OrdersBeside, "statistics", None)
    model = OrdersBeside(Unread(), UNIFORM, PopularOrders(LATE[:1], np.array([0.1])))
    assert model.candidates().tolist() == LATE[1:].tolist()
    tried = []
    monkeypatch.setattr(OrdersBeside, "with_one_more", lambda self: tried.append(self) or self)
    monkeypatch.setattr(OrdersBeside, "_with_ends_exchanged", lambda self: self)
    monkeypatch.setattr(module + "_log_likelihood", lambda model: 0.0)
    model = OrdersBeside(Unread(), UNIFORM, PopularOrders(LATE, np.full(3, 0.1)))
    model.with_exchanges()
    assert [len(each.popular.orders) for each in tried] == [0, 0, 0, 2, 2, 2]


@pytest.mark.parametrize("place", [2, 20])
def test_orders_may_begin_alike_up_to_any_of_many_places(place):
    other = np.concatenate([MANY[:place][::-1], np.roll(MANY[place:], 1)])
    assert place in _common_beginnings(MANY, other)
    ahead = np.concatenate([np.roll(MANY[:-2], 1), MANY[-2:]])
    assert _common_beginnings(MANY, ahead) == [22]


def with_ends_exchanged(monkeypatch, orders, wanted):
    """Exchange ends where that brings the last order but one to what is wanted."""
    found = "hushrank.estimators.popular.in_chains._log_likelihood"
    monkeypatch.setattr(found, lambda model: float(model.popular.orders[-2].tolist() == wanted))
    monkeypatch.setattr(OrdersBeside, "with_best_shares", lambda self: self)
    popular = PopularOrders(np.array(orders), np.full(len(orders), 0.1))
    return OrdersBeside(Unread(), UNIFORM, popular)._with_ends_exchanged().popular.orders.tolist()


def test_ends_of_the_last_of_many_pairs_of_orders_are_exchanged(monkeypatch):
    """Of 21 pairs of seven orders: only the last two begin with the same items."""
    first, second = [*OWN[:-2], OWN[-1], OWN[-2]], [1, 0, *OWN[2:]]
    orders = [*(np.roll(OWN, n) for n in range(1, 6)), first, second]
    assert with_ends_exchanged(monkeypatch, orders, OWN)[-2:] == [OWN, [1, 0, *first[2:]]]


def test_ends_are_exchanged_behind_the_last_of_many_beginnings(monkeypatch):
    """Of 30 items; only from the 25th place on the ends alone are exchanged."""
    own = list(range(30))
    first, second = [*own[:-2], 29, 28], [1, 0, *own[2:22], 23, 22, *own[24:]]
    assert with_ends_exchanged(monkeypatch, [first, second], own) == [own, [*second[:-2], 29, 28]]

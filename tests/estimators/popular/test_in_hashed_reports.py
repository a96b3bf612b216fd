"""Popular orders are found where there are any, without bias, and hardly ever where none are."""

from dataclasses import replace
from itertools import count, permutations
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from hushrank.estimators.cell_weights import statistics_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular import in_hashed_reports as popular_orders
from hushrank.estimators.popular.candidate_orders import (
    MOST_PREFIXES,
    candidate_orders,
    n_prefix_places,
)
from hushrank.estimators.popular.estimates import beside, with_popular
from hushrank.estimators.popular.hash_supports import HashedReports
from hushrank.estimators.popular.in_hashed_reports import PopularSearch
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import fit_ranks
from hushrank.models.mallows import Mallows
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.popular_orders import PopularOrders, PopularOrdersModel
from hushrank.protocols.distributions.popular_orders import order_surveys
from tests.estimators.enumeration import reported, some_questions
from tests.statistics import (
    FALSE_ALARM,
    MISS,
    assert_standard,
    critical_deviate,
    deviates_needed,
    random_seed,
)

N_ITEMS = 5
ORDERS = np.array(list(permutations(range(N_ITEMS))))
FEATURES = rank_features(N_ITEMS)
DRAWN = 0.3 * np.random.default_rng(1).normal(size=len(FEATURES.spreads)) * FEATURES.spreads
REST = RankPotentials.from_coefficients(FEATURES, DRAWN)
HELD = np.array([7, 100, 55])
SHARES = np.array([0.25, 0.15, 0.1])
NOBODY = np.zeros(0)
(SURVEY,) = order_surveys(N_ITEMS, 2.0, function_seed=4)
IN_BUCKETS = np.stack([each.answer(np.argsort(ORDERS, axis=1)) for each in SURVEY.questions])
HIDING = (SURVEY.local_mechanisms[0].channel_words() / 2**64).astype(float)


def probabilities(popular: np.ndarray = SHARES) -> np.ndarray:
    """P of every order, with or without popular ones."""
    mixed = (1 - popular.sum()) * np.exp(REST.log_probability(ORDERS))
    mixed[HELD[: len(popular)]] += popular
    return mixed


def rows_of(population: np.ndarray) -> np.ndarray:
    """P(report) (functions, buckets) of people with probabilities (orders,)."""
    n_buckets = len(HIDING)
    hidden = [np.bincount(row, population, minlength=n_buckets) for row in IN_BUCKETS]
    return np.stack(hidden) @ HIDING


def reports_from(counts: np.ndarray) -> HashedReports:
    questions, mechanism = SURVEY.questions, SURVEY.local_mechanisms[0]
    functions = np.array([(each.multiplier, each.offset) for each in questions], dtype=np.uint64)
    return HashedReports(
        functions, counts.astype(float), mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    )


def search_of(counts: np.ndarray) -> PopularSearch:
    return PopularSearch.among(candidate_orders(N_ITEMS, None), reports_from(counts), N_ITEMS)


def settled(search: PopularSearch, n_rounds: int = 4) -> np.ndarray:
    """The shares that popular orders have beside the true rest, after some rounds."""
    shares = search.nothing()
    for _ in range(n_rounds):
        shares = search.improved(shares, REST)
    return shares


def test_without_noise_the_shares_are_the_true_ones():
    search = search_of(1e5 * rows_of(probabilities()))
    popular = search.popular(settled(search, 30))
    assert popular.orders.tolist() == ORDERS[HELD].tolist()
    assert popular.shares == pytest.approx(SHARES, abs=1e-9)


def test_an_order_is_popular_where_chance_gives_as_much_or_more_as_seldom_as_the_level_says():
    search = search_of(np.rint(2 * rows_of(probabilities())))
    nobody, n_people = search.nothing(), round(search.reports.n_reports)
    unheld = search._unheld(nobody, search._foretold(REST))
    search = replace(search, support=np.rint(unheld) + 3)
    chances = binom.sf(search.support - 1, n_people, unheld / n_people)
    for one, chance in enumerate(chances):
        for level, is_popular in ((chance * (1 + 1e-9), True), (chance * (1 - 1e-9), False)):
            shares = replace(search, level=float(level)).improved(nobody, REST)
            assert (shares[one] > 0) == is_popular


def test_what_draws_of_a_model_leave_out_is_put_right(monkeypatch):
    """Many people of this rest hold one order: 400 draws miss its share by far, not its support."""
    centre = tuple(ORDERS[HELD[0]].tolist())
    rest, search = Mallows(centre, 0.2), search_of(2000 * rows_of(probabilities()))
    nobody = search.nothing()
    exact = search._unheld(nobody, search._foretold(rest))
    monkeypatch.setattr(popular_orders, "MOST_ITEMS_LISTED", 3)
    monkeypatch.setattr(popular_orders, "N_DRAWS_OF_THE_REST", 400)
    foretold = search._foretold(rest)
    errors = (search._unheld(nobody, foretold) - exact) / search._support_of_all
    assert np.abs(foretold.not_drawn).max() > 0.01
    assert np.abs(errors).max() < 0.005


def test_the_orders_that_stand_for_a_model_of_many_items_are_always_the_same(monkeypatch):
    monkeypatch.setattr(popular_orders, "MOST_ITEMS_LISTED", 3)
    (numbers, weights), (again, _) = (popular_orders.orders_of(REST) for _ in range(2))
    assert np.array_equal(numbers, again)
    assert weights.sum() == pytest.approx(1)


def trials(n_trials: int, population: np.ndarray, n_people: int):
    """Searches in the tallies of people who are drawn anew, each asked through one function."""
    rng = np.random.default_rng(random_seed())
    cells = rows_of(population) / len(SURVEY.questions)
    for _ in range(n_trials):
        yield search_of(rng.multinomial(n_people, cells.ravel()).reshape(cells.shape))


def test_shares_and_their_sum_have_no_bias_and_the_stated_errors():
    """Errors a third too small or too large would be found, and a bias of 0.4 of one."""
    n_trials = deviates_needed(1.33**2)
    assert norm.sf(0.4 * sqrt(n_trials) - critical_deviate(2)) < MISS
    alone, together = [], []
    for search in trials(n_trials, probabilities(), 20_000):
        shares = np.zeros(len(ORDERS))
        shares[search.finalists] = settled(search, 3)
        errors, error = search.errors(shares[search.finalists])
        alone.append((shares[HELD[0]] - SHARES[0]) / errors[0])
        together.append((shares[HELD].sum() - SHARES.sum()) / error)
        assert len(errors) >= 3
    assert_standard(np.array(alone))
    assert_standard(np.array(together))


def test_where_nothing_is_popular_false_alarms_are_as_rare_as_stated():
    """At most candidates times the level, 1 in 50 here; without the extra half, 1 in 8."""
    deviate = sqrt(2 * log(len(ORDERS))) + 0.5
    most = len(ORDERS) * norm.sf(deviate)
    many = 0.5 * len(ORDERS) * norm.sf(deviate - 0.5)
    n_trials = next(
        n for n in count(100, 50) if binom.cdf(binom.isf(FALSE_ALARM, n, most), n, many) < MISS
    )
    alarms = 0
    for search in trials(n_trials, probabilities(NOBODY), 3_000):
        alarms += bool(search.improved(search.nothing(), REST).any())
    assert most < 0.021
    assert alarms <= binom.isf(FALSE_ALARM, n_trials, most)


def test_a_share_four_times_its_threshold_is_always_found():
    rows = trials(20, probabilities(np.array([0.4])), 3_000)
    assert all(HELD[0] in search.finalists[settled(search) > 0] for search in rows)


def test_the_model_is_never_left_without_people():
    every = np.zeros(len(ORDERS))
    every[HELD] = 0.5, 0.3, 0.2
    search = search_of(1e5 * rows_of(every))
    assert settled(search).sum() == pytest.approx(popular_orders.MOST_SHARE)
    assert popular_orders.MOST_SHARE < 1


def test_at_most_so_many_orders_are_called_popular(monkeypatch):
    monkeypatch.setattr(popular_orders, "MOST_POPULAR", 2)
    search = search_of(1e5 * rows_of(probabilities()))
    popular = search.popular(settled(search))
    assert popular.orders.tolist() == ORDERS[HELD[:2]].tolist()


def test_the_likelihood_beside_popular_orders_is_that_of_the_whole_population():
    n_items, questions = 4, some_questions(4)
    features = rank_features(n_items)
    drawn = 0.3 * np.random.default_rng(2).normal(size=len(features.spreads))
    rest = RankPotentials.from_coefficients(features, drawn)
    popular = PopularOrders(np.array([[2, 0, 3, 1], [0, 1, 2, 3]]), np.array([0.3, 0.1]))
    ranks = Mallows((0, 1, 2, 3), 0.5).sample(3000, rng=np.random.default_rng(1))
    likelihood = ReportLikelihood.of(n_items, questions, *reported(questions, ranks, 1.0, 3))
    whole = statistics_of(*PopularOrdersModel(popular, rest).marginals)
    alone = statistics_of(*rest.marginals)
    expected = likelihood.probabilities(whole)
    assert beside(likelihood, popular).probabilities(alone) == pytest.approx(expected, rel=1e-12)
    moved = likelihood.slopes(whole) * (1 - popular.share)
    assert beside(likelihood, popular).slopes(alone) == pytest.approx(moved, rel=1e-9)


def test_the_error_of_a_share_moves_what_the_order_explains():
    """Beside those of the rest, by differences of the estimates at shares and errors."""
    questions, orders = some_questions(4), np.array([[2, 0, 3, 1], [0, 1, 2, 3]])
    ranks = Mallows((0, 1, 2, 3), 0.5).sample(3000, rng=np.random.default_rng(1))
    likelihood = ReportLikelihood.of(4, questions, *reported(questions, ranks, 1.0, 3))
    rest = RankEstimates.of(fit_ranks(likelihood, prior="safe"))
    shares, errors = np.array([0.3, 0.1]), np.array([0.02, 0.05])

    def estimates(shares, errors):
        return with_popular(rest, PopularOrders(orders, shares), errors)

    known, sure = estimates(shares, errors), estimates(shares, np.zeros(2))
    assert sure.precedence_errors == pytest.approx(0.6 * rest.precedence_errors)
    assert sure.at_errors == pytest.approx(0.6 * rest.at_errors)
    at, precedences = sure.at_errors**2, sure.precedence_errors**2
    scores = sure.score_covariance.copy()
    for moved in np.diag(errors):
        there = estimates(shares + moved, errors)
        at += (there.at - known.at) ** 2
        precedences += (there.precedences - known.precedences) ** 2
        scores += np.outer(there.scores - known.scores, there.scores - known.scores)
    assert known.at_errors**2 == pytest.approx(at)
    assert known.precedence_errors**2 == pytest.approx(precedences)
    assert known.score_covariance == pytest.approx(scores)


def test_of_too_many_finalists_those_with_most_support_are_kept(monkeypatch):
    search = search_of(1e5 * rows_of(probabilities()))
    monkeypatch.setattr(popular_orders, "MOST_FINALISTS", 2)
    fewer = search_of(1e5 * rows_of(probabilities()))
    assert len(search.finalists) > 2
    assert fewer.finalists.tolist() == sorted(HELD[:2])
    assert set(fewer.support) == set(np.sort(search.support)[-2:])


def test_candidates_complete_the_likeliest_beginnings():
    """Of 8 items: the first three places; each completion of a kept prefix is a candidate."""
    prefixes, _ = order_surveys(8, 4.0, function_seed=1)
    asked = prefixes.questions[0].question
    assert (n_prefix_places(8), asked.n_categories) == (3, 336)
    assert n_prefix_places(7) is None
    mechanism = prefixes.local_mechanisms[0]
    counts = np.zeros((len(prefixes.questions), mechanism.n_categories))
    functions = [(each.multiplier, each.offset) for each in prefixes.questions]
    reports = HashedReports(
        np.array(functions, dtype=np.uint64),
        counts,
        mechanism.rates.hit_rate,
        mechanism.rates.false_hit_rate,
    )
    assert candidate_orders(8, reports) == ()
    for prefix, people in ((200, 3), (17, 2)):
        np.add.at(counts.ravel(), reports.cells(np.array([prefix])), people)
    reports = HashedReports(reports.functions, counts, mechanism.rates.hit_rate, 0.0)
    runs = candidate_orders(8, reports)
    assert range(17 * 120, 18 * 120) in runs
    assert range(200 * 120, 201 * 120) in runs
    assert len(runs) <= MOST_PREFIXES


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_finalists_that_is_held_counts(at):
    """Its share settles, and is then the excess alone, without what the rest may have of it."""
    is_held = np.arange(30) == at
    search = search_of(1e5 * rows_of(probabilities()))
    reports = search.reports
    held = reports.n_reports * (reports.false_support + 0.3 * reports.gap)
    search = replace(search, finalists=np.arange(30), support=np.where(is_held, held, 1.0))
    shares, foretold = np.where(is_held, 0.2, 0.0), search._foretold(REST)
    settled = search._settled(shares, foretold)
    assert settled[at] != shares[at]
    excess = (search.support - search._unheld(settled, foretold))[at]
    expected = excess / (reports.n_reports * reports.gap)
    assert 0 < expected < 1
    assert search.improved(shares, REST)[at] == pytest.approx(expected)


def test_candidates_complete_all_of_many_beginnings():
    prefixes, _ = order_surveys(8, 4.0, function_seed=1)
    mechanism = prefixes.local_mechanisms[0]
    counts = np.zeros((len(prefixes.questions), mechanism.n_categories))
    functions = [(each.multiplier, each.offset) for each in prefixes.questions]
    rates = mechanism.rates.hit_rate, 0.0
    reports = HashedReports(np.array(functions, dtype=np.uint64), counts, *rates)
    for prefix in range(0, 336, 11):
        np.add.at(counts.ravel(), reports.cells(np.array([prefix])), 1)
    reports = HashedReports(reports.functions, counts, *rates)
    assert range(330 * 120, 331 * 120) in candidate_orders(8, reports)

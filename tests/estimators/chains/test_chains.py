"""Models of many items by draws: against sums over all orders of few."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.engines.local import simulate
from hushrank.errors import HushrankError
from hushrank.estimators.cell_weights import cell_weights
from hushrank.estimators.chains import fit
from hushrank.estimators.chains.estimates import chain_estimates, family_estimates
from hushrank.estimators.chains.fit import CLOSE, fit_by_chains
from hushrank.estimators.chains.point import ChainPoint
from hushrank.estimators.chains.search import Chains
from hushrank.estimators.chains.uniform_orders import UniformOrders
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import Parabola, RankFit
from hushrank.estimators.ranks.point import RankPoint
from hushrank.evaluation.metrics import marginal_distance
from hushrank.mechanisms.local import Tally
from hushrank.models.mallows import Mallows
from hushrank.models.max_entropy.rank_features import rank_features, wide_features
from hushrank.models.plackett_luce import PlackettLuce
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_mix import MixPart, mix_surveys
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

MIX = (MixPart("levels-and-pairs", 0.5, 3), MixPart("first-and-later", 0.5, 2))


def tallied(n_items: int, n_people: int, epsilon: float) -> ReportLikelihood:
    """Return the likelihood of reports that people with unequal utilities send."""
    rng = np.random.default_rng(5)
    noise = Randomness(rng.bytes, is_private=False)
    parts = []
    for survey in mix_surveys(MIX, n_items, epsilon):
        n_each = max(1, n_people // (2 * len(survey.questions)))
        tallies = []
        for question, mechanism in zip(survey.questions, survey.local_mechanisms, strict=True):
            ranks = PlackettLuce(np.linspace(-1, 1.5, n_items)).sample(n_each, rng=rng)
            reports = mechanism.randomise(question.answer(ranks), rng=noise)
            tallies.append(mechanism.tally(reports))
        parts.append(
            ReportLikelihood.of(n_items, survey.questions, survey.local_mechanisms, tallies)
        )
    return parts[0] + parts[1]


def every_order(n_items: int) -> ChainPoint:
    """Return the uniform model by one draw of each order: without any chance."""
    features = wide_features(n_items)
    orders = np.array(list(permutations(range(n_items))))
    return ChainPoint(features, np.zeros(features.spreads.size), orders)


def exactly_fitted(likelihood: ReportLikelihood) -> RankFit:
    """Do what `fit_by_chains` does by sums over all orders."""
    features = wide_features(likelihood.n_items)
    near = Parabola(likelihood, RankPoint(features, np.zeros(features.spreads.size)))
    near = near.at(near.evidence.point_scale("safe"))
    scale, wide_scale = near.evidence.point_scale("safe"), near.evidence.interval_scale()
    wide = near.at(wide_scale)
    return RankFit(near.at(scale).point, scale, wide, wide_scale)


@pytest.fixture(scope="module")
def both():
    likelihood = tallied(6, 4000, 2.0)
    return fit_by_chains(likelihood, prior="safe"), exactly_fitted(likelihood)


@pytest.mark.parametrize("n_items", [5, 7])
def test_uniform_orders_are_exact(n_items):
    features = wide_features(n_items)
    uniform = UniformOrders(features)
    exact = RankPoint(features, uniform.coefficients)
    likelihood = tallied(n_items, 500, 1.0)
    slopes = likelihood.slopes(exact.statistics)
    assert uniform.statistics == pytest.approx(exact.statistics, abs=1e-12)
    assert uniform.gradient(slopes) == pytest.approx(exact.gradient(slopes), abs=1e-8)
    roots = likelihood.roots(exact.statistics)
    stated = likelihood.information(exact.statistics, exact.changes)
    assert uniform.information(likelihood.weights, roots) == pytest.approx(stated, abs=1e-8)


def test_a_point_by_every_order_is_the_uniform_model():
    drawn, likelihood = every_order(6), tallied(6, 500, 1.0)
    uniform = UniformOrders(drawn.features)
    assert drawn.statistics == pytest.approx(uniform.statistics, abs=1e-12)
    slopes = likelihood.slopes(uniform.statistics)
    assert drawn.gradient(slopes) == pytest.approx(uniform.gradient(slopes), abs=1e-8)
    exact = RankPoint(drawn.features, uniform.coefficients).changes
    found = drawn.changes_of(likelihood.weights)
    assert found == pytest.approx(likelihood.weights @ exact.T, abs=1e-5)


def test_what_chance_adds_to_the_information_is_taken_off():
    """As many draws as orders tell far too much unless it is."""
    features, likelihood = wide_features(6), tallied(6, 4000, 2.0)
    rng = np.random.default_rng(3)
    uniform = UniformOrders(features)
    cells = likelihood.weights, likelihood.roots(uniform.statistics)
    exact = np.trace(uniform.information(*cells))
    found = []
    for _ in range(20):
        orders = rng.permuted(np.tile(np.arange(6), (300, 1)), axis=1)
        found.append(
            np.trace(ChainPoint(features, uniform.coefficients, orders).information(*cells))
        )
    assert abs(np.mean(found) / exact - 1) < 0.05
    by_chance = (
        cells[1] ** 2 @ (likelihood.weights @ uniform.statistics) * features.spreads.size / 300
    )
    assert by_chance > 0.15 * exact


@pytest.mark.linear_algebra
def test_the_fit_is_the_exact_one_within_its_errors(both):
    drawn, exact = both
    assert drawn.has_converged
    assert drawn.off < 0.2 < CLOSE
    assert drawn.scale == pytest.approx(exact.scale, rel=0.03)
    assert drawn.wide_scale == pytest.approx(exact.wide_scale, rel=0.03)
    for found, stated in ((drawn.point, exact.point), (drawn.wide.point, exact.wide.point)):
        off = (found.coefficients - stated.coefficients) / np.sqrt(np.diag(exact.covariance))
        assert np.sqrt(np.mean(off**2)) < 0.15


def test_the_model_is_the_exact_one_within_its_errors(both):
    drawn, exact = both
    model = drawn.point.model
    assert model.precedences == pytest.approx(exact.point.model.precedences, abs=0.01)
    off = np.abs(model.second_order_marginals - exact.point.model.second_order_marginals)
    assert off.sum(axis=(1, 2)).mean() / 2 < 0.01
    assert model.log_partition == pytest.approx(exact.point.model.log_partition, abs=0.05)


@pytest.mark.linear_algebra
@pytest.mark.block_sizes
def test_estimates_and_their_errors_are_the_exact_ones(both):
    drawn, exact = both
    found, stated = family_estimates(drawn), RankEstimates.of(exact)
    assert found.at == pytest.approx(stated.at, abs=0.01)
    assert found.precedences == pytest.approx(stated.precedences, abs=0.015)
    assert found.at_errors == pytest.approx(stated.at_errors, rel=0.15)
    is_pair = ~np.eye(6, dtype=bool)
    errors = found.precedence_errors[is_pair]
    assert errors == pytest.approx(stated.precedence_errors[is_pair], rel=0.1)
    assert found.scores == pytest.approx(stated.scores, abs=0.05)
    spread = np.sqrt(np.diag(stated.score_covariance))
    assert np.sqrt(np.diag(found.score_covariance)) == pytest.approx(spread, rel=0.1)


def test_errors_count_what_the_family_leaves_out(both):
    """Of 6 items no degree of a rank; the precedence of two items that prefer nothing most."""
    drawn, _ = both
    found, known = chain_estimates(drawn), family_estimates(drawn)
    assert found.at_errors == pytest.approx(known.at_errors)
    kind = rank_features(6).kinds[0]
    ranks = np.array(list(permutations(range(6))))
    precedence = kind.values(ranks)[:, 0]
    moved = kind.spread * np.mean(precedence * (ranks[:, 0] < ranks[:, 1])) * drawn.wide_scale
    added = np.sqrt(found.precedence_errors**2 - known.precedence_errors**2)
    assert added == pytest.approx(abs(moved) * (1 - known.margins**2) * ~np.eye(6, dtype=bool))
    scores = found.score_covariance - known.score_covariance
    assert scores.sum(axis=1) == pytest.approx(np.zeros(6), abs=1e-9)


def test_a_fit_needs_reports():
    questions = mix_surveys(MIX, 6, 1.0)[0]
    tallies = [Tally(np.zeros(each.n_categories, dtype=int), 0) for each in questions.questions]
    nothing = ReportLikelihood.of(6, questions.questions, questions.local_mechanisms, tallies)
    with pytest.raises(HushrankError, match="0 reports"):
        fit_by_chains(nothing, prior="safe")


@pytest.mark.parametrize(("off", "anew", "kept"), [(9, None, 9), (500, 2, 2), (70, 90, 70)])
def test_a_fit_that_runs_away_is_made_anew_and_the_nearer_kept(monkeypatch, off, anew, kept):
    def made(likelihood, *, prior, patience):
        assert patience == fit.PATIENCE
        return SimpleNamespace(most_off=anew)

    monkeypatch.setattr(fit, "fit_by_chains", made)
    found = fit.fit_again(SimpleNamespace(most_off=off), tallied(6, 600, 1.0), prior="safe")
    assert found.most_off == kept


def test_a_vague_fit_takes_clear_reports_for_few_and_no_larger_scale():
    """Its model is that of weaker reports: less far from uniform than the fit of all."""
    likelihood = tallied(6, 4000, 6.0)
    vague = fit.fit_vaguely(likelihood, prior="safe", most_scale=0.2)
    whole = fit_by_chains(likelihood, prior="safe").point
    apart = [np.abs(each.model.precedences - 0.5).mean() for each in (vague, whole)]
    assert 0 < apart[0] < apart[1]


def test_patient_chains_take_more_rounds():
    features = wide_features(6)
    rounds = []
    for patience, n_rounds in ((3, 2), (1, 6)):
        chains = Chains.of(features, rng=np.random.default_rng(1), patience=patience)
        rounds.append(chains.move(np.zeros(features.spreads.size), n_rounds).orders.copy())
    assert (rounds[0] == rounds[1]).all()


@pytest.mark.slow
def test_clear_reports_of_many_people_who_agree_are_fitted():
    """From all reports at once the coefficients ran away, .77 from the people."""
    rng = np.random.default_rng(1)
    people = Rankings(
        Mallows(tuple(range(20)), 0.84).sample(40_000, rng=rng), tuple(map(str, range(20)))
    )
    outcome = simulate(max_entropy(20, epsilon=4, n_people=40_000), people, rng=rng).result
    assert outcome.fit.has_converged
    learnt = outcome.model.second_order_marginals
    assert marginal_distance(learnt, second_order_marginals(people)) < 0.1


def test_the_last_of_many_items_moves_with_the_coefficients():
    """Cells of items 0, 20 and 23: what moves them is their slope, one by one."""
    features, rng = wide_features(24), np.random.default_rng(1)
    orders = rng.permuted(np.tile(np.arange(24), (60, 1)), axis=1)
    point = ChainPoint(features, np.zeros(features.spreads.size), orders)
    asked = [RelativeOrder((0, 23)), RelativeOrder((23, 0)), RankLevel(20, (*[0] * 12, *[1] * 12))]
    weights = cell_weights(asked, 24)
    slopes = [point.gradient(row) for row in weights.toarray()]
    assert point.changes_of(weights) == pytest.approx(np.array(slopes), abs=1e-5)


class BegunError(Exception):
    """What a fit that begins runs into."""


@pytest.mark.parametrize("cell", [0, 40])
def test_reports_of_one_of_many_cells_are_enough_for_a_fit(monkeypatch, cell):
    def begin(*_):
        raise BegunError

    monkeypatch.setattr(fit, "_start", begin)
    n_reports = np.where(np.arange(41) == cell, 1.0, 0.0)
    with pytest.raises(BegunError):
        fit_by_chains(SimpleNamespace(n_reports=n_reports), prior="safe")

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, norm

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.estimators.goodness_of_fit import GoodnessOfFit
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.mechanisms.local import Tally
from hushrank.models.mallows import Mallows
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.protocols.distributions import max_entropy as max_entropy_module
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome, max_entropy
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.protocols.learnt.models import LearntFit
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import first_order_marginals, majority, second_order_marginals
from hushrank.rankings.profile import Rankings
from tests.statistics import FALSE_ALARM, MISS, random_seed

CENTRE = (3, 0, 4, 1, 2)
DRAWN = Mallows(CENTRE, 0.6).sample(4000, rng=np.random.default_rng(99))  # no seed of a collection
PEOPLE = Rankings(DRAWN, tuple("abcde"))
EVERY_KIND = (
    MixPart("pairs", 0.2),
    MixPart("extremes", 0.2),
    MixPart("levels", 0.2, 3),
    MixPart("levels-and-pairs", 0.2, 2),
    MixPart("ranks-and-pairs", 0.2),
)
FEATURES = rank_features(4)


def distance(model: RankPotentials) -> float:
    return marginal_distance(model.second_order_marginals, second_order_marginals(PEOPLE))


def fitted(epsilon: float, seed: int, people: Rankings = PEOPLE, **options):
    protocol = max_entropy(people.n_items, epsilon=epsilon, n_people=people.n_people, **options)
    return simulate(protocol, people, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("mix", [None, EVERY_KIND])
def test_the_distribution_is_learnt(mix):
    uniform = marginal_distance(uniform_second_order_marginals(5), second_order_marginals(PEOPLE))
    outcome = fitted(4.0, 1, mix=mix)
    assert distance(outcome.result.model) < uniform / 3
    assert outcome.result.order == CENTRE
    assert outcome.epsilon == 4.0


def test_devices_and_the_short_cut_learn_the_same():
    protocol = max_entropy(5, epsilon=4.0, n_people=4000)
    outcome = run(protocol, PEOPLE, rng=Randomness.secure())
    assert outcome.result.order == CENTRE
    assert outcome.is_private
    assert outcome.epsilon == 4.0
    assert "4-LDP" in outcome.privacy_statement


def test_a_mix_costs_everybody_epsilon_once():
    outcome = fitted(1.0, 1, mix=EVERY_KIND)
    assert len(outcome.spends) == 5
    assert outcome.epsilon == 1.0


def test_without_noise_only_the_family_stands_between_the_model_and_the_people():
    result = run_without_noise(max_entropy(5, epsilon=4.0, n_people=4000), PEOPLE)
    assert distance(result.model) < 0.02
    assert result.model.first_order_marginals == pytest.approx(
        first_order_marginals(PEOPLE), abs=0.01
    )
    assert result.model.precedences == pytest.approx(majority(PEOPLE) / 4000, abs=0.01)


def test_the_order_disagrees_least_with_the_model():
    for seed in range(5):
        result = fitted(0.3, seed).result
        assert result.order == kemeny(result.model.precedences).order


def test_the_same_tallies_give_the_same_outcome():
    first, again = (fitted(1.0, 7).result for _ in range(2))
    assert first.order == again.order
    assert np.array_equal(first.model.own, again.model.own)
    assert first.posterior.rank_intervals() == again.posterior.rank_intervals()


def test_the_safe_prior_stays_nearer_to_uniform():
    safe, typical = (fitted(0.1, 3, prior=prior).result for prior in ("safe", "typical"))
    assert safe.scale < typical.scale
    spread = [np.ptp(each.model.first_order_marginals) for each in (safe, typical)]
    assert spread[0] < spread[1]


def test_neighbours_and_ranks_are_as_sure_as_the_reports():
    few = fitted(0.5, 1).result
    many = fitted(4.0, 1).result
    assert min(many.posterior.pair_probabilities(CENTRE)) > 0.99
    assert few.posterior.pair_probabilities(few.order) < many.posterior.pair_probabilities(CENTRE)
    ranks = np.argsort(CENTRE)
    assert many.posterior.rank_intervals() == tuple((rank, rank) for rank in ranks)
    widths = [high - low for low, high in few.posterior.rank_intervals()]
    assert sum(widths) > 0


def test_relabelled_items_relabel_the_outcome():
    """Up to the precision of the search: the questions of a pair are asked in one direction."""
    names = np.array([2, 4, 1, 0, 3])
    moved = Rankings(np.asfortranarray(PEOPLE.ranks[:, names]), tuple("abcde"))
    mix = (MixPart("ranks-and-pairs"),)
    first, second = (
        run_without_noise(max_entropy(5, epsilon=1.0, n_people=10, mix=mix), each)
        for each in (PEOPLE, moved)
    )
    assert [names[item] for item in second.order] == list(first.order)
    assert second.model.first_order_marginals == pytest.approx(
        first.model.first_order_marginals[names], abs=1e-4
    )


def test_intervals_cover_where_the_population_follows_the_family():
    """One precedence of each of many populations lies within one standard error as often as said.

    Stated errors of a third or three times the true ones would be found.
    """
    said, third, thrice = (2 * norm.cdf(width) - 1 for width in (1, 1 / 3, 3))
    n_populations, low, high = collections_needed((said - 0.04, said + 0.04), third, thrice)
    seeds = np.random.SeedSequence(random_seed()).spawn(n_populations)
    inside = sum(abs(deviate(np.random.default_rng(seed))) < 1 for seed in seeds)
    assert low <= inside <= high


def deviate(rng: np.random.Generator) -> float:
    """Draw a population and its collection; return the error of a precedence, in its errors."""
    coefficients = 0.4 * FEATURES.prior_root @ rng.normal(size=len(FEATURES.spreads))
    model = RankPotentials.from_coefficients(FEATURES, coefficients)
    people = Rankings(model.sample(2000, rng=rng), tuple("abcd"))
    protocol = max_entropy(4, epsilon=1.0, n_people=2000)
    known = simulate(protocol, people, rng=rng).result.estimates
    error = known.precedences[0, 1] - model.precedences[0, 1]
    return float(error / known.precedence_errors[0, 1])


def collections_needed(stated: tuple[float, float], fewer: float, more: float):
    """Return the least number of trials whose bounds tell both wrong shares from the stated."""
    for n in count(50, 10):
        low = int(binom.ppf(FALSE_ALARM / 2, n, stated[0]))
        high = int(binom.isf(FALSE_ALARM / 2, n, stated[1]))
        if binom.sf(low - 1, n, fewer) < MISS and binom.cdf(high, n, more) < MISS:
            return n, low, high


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 1},
        {"n_items": 17},
        {"epsilon": 0.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"n_people": 0},
        {"prior": "flat"},
        {"mix": ()},
        {"mix": (MixPart("pairs", 0.5),)},
        {"mix": (MixPart("levels", n_levels=9),)},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    parameters = {"n_items": 5, "epsilon": 1.0, "n_people": 4000, **wrong}
    with pytest.raises(HushrankError) as refused:
        run(max_entropy(**parameters), PEOPLE, rng=Randomness.replayed(b""))
    assert "\n" not in str(refused.value)


def test_nothing_is_learnt_from_nobody():
    protocol = max_entropy(5, epsilon=1.0, n_people=10)
    surveys = next(protocol)
    nobody = [tuple(Tally.empty(m.n_categories) for m in each.mechanisms) for each in surveys]
    with pytest.raises(HushrankError, match="0 reports"):
        protocol.send(tuple(nobody))


def test_a_part_that_nobody_answered_says_nothing():
    protocol = max_entropy(5, epsilon=4.0, n_people=2, mix=EVERY_KIND)
    two = Rankings(PEOPLE.ranks[:2], PEOPLE.names)
    result = simulate(protocol, two, rng=np.random.default_rng(1)).result
    assert np.isfinite(result.model.own).all()
    assert result.scale < 0.4


def test_two_items_are_enough():
    people = Rankings(Mallows((1, 0), 0.3).sample(3000, rng=np.random.default_rng(99)), ("a", "b"))
    result = fitted(2.0, 1, people=people).result
    assert result.order == (1, 0)
    assert result.model.precedences[1, 0] == pytest.approx(1 / 1.3, abs=0.05)


def test_what_was_asked_is_shown_and_no_report():
    shown = repr(fitted(1.0, 1, mix=EVERY_KIND).result)
    assert "20 % pairs" in shown
    assert "safe" in shown
    assert "\n" not in shown
    assert "array" not in shown


def test_reports_of_these_people_fit_and_nothing_is_said_of_it():
    shown = LearntFit(fitted(4.0, 1).result).shown(tuple("abcde"))
    assert shown.named["goodness_of_fit"]["fits"] is True
    assert shown.named["goodness_of_fit"]["errors_widened"] == 1.0
    assert "fit" not in shown.rows


def test_reports_that_do_not_fit_are_spoken_of_and_widen_the_errors():
    narrow, wide = (fitted(4.0, 1).result for _ in range(2))
    vars(wide)["goodness"] = GoodnessOfFit(48.0, 12.0, 24.0)
    assert wide.estimates.at_errors == pytest.approx(2 * narrow.estimates.at_errors)
    shown = LearntFit(wide).shown(tuple("abcde"))
    assert "do not fit the model" in shown.rows["fit"]
    assert "widened 2.00 times" in shown.rows["fit"]
    assert shown.named["goodness_of_fit"]["fits"] is False


def test_people_are_expected_of_their_own_epsilon_in_whatever_order_these_are_given():
    of_levels = max_entropy_module._people_of_levels
    assert of_levels((2.0, 0.5, 1.0), (10, 20, 30)) == (20, 30, 10)
    assert of_levels((2.0, 0.5, 1.0), 100) == (34, 34, 34)
    assert of_levels((2.0,), 100) == of_levels(2.0, 100) == (100,)


def test_a_margin_errs_by_twice_what_a_share_does(monkeypatch):
    monkeypatch.setattr(max_entropy_module, "posterior_of_fit", lambda *given: given)
    estimates = SimpleNamespace(
        margins=0.5, precedence_errors=np.array([0.0, 0.25]), score_covariance=2.0
    )
    margins, variances, covariance = max_entropy_module.posterior_of_estimates(estimates)
    assert (margins, variances.tolist(), covariance) == (0.5, [0.0, 0.25], 2.0)


def test_beside_orders_that_were_found_the_fit_is_judged_with_them():
    found = SimpleNamespace(goodness="with them", estimates=SimpleNamespace(widened=lambda by: by))
    outcome = MaxEntropyOutcome((1.0,), (EVERY_KIND,), "safe", SimpleNamespace(), found)
    assert outcome.goodness == "with them"
    vars(outcome)["goodness"] = GoodnessOfFit(48.0, 12.0, 24.0)
    vars(outcome)["stated_shares"] = None
    assert outcome.estimates == 2.0


@pytest.mark.parametrize("unranked", ["refused", "unknown", "last"])
def test_errors_are_widened_whatever_is_left_out(monkeypatch, unranked):
    fit = SimpleNamespace(wide=SimpleNamespace(point=SimpleNamespace(statistics="wide")))
    outcome = MaxEntropyOutcome((1.0,), (EVERY_KIND,), "safe", fit, None, unranked)
    vars(outcome)["goodness"] = GoodnessOfFit(48.0, 12.0, 24.0)
    vars(outcome)["stated_shares"] = None if unranked == "refused" else "stated"
    estimates = SimpleNamespace(widened=lambda by: ("widened", by))
    monkeypatch.setattr(max_entropy_module, "_estimates_of", lambda fit: estimates)
    monkeypatch.setattr(max_entropy_module, "with_unstated", lambda *given: given)
    found = outcome.estimates
    assert (found[0] if unranked == "last" else found) == ("widened", 2.0)


def test_who_ranks_how_much_is_said_by_the_model_and_errors_by_the_wide_one(monkeypatch):
    wide = SimpleNamespace(
        point=SimpleNamespace(statistics="wide"),
        likelihood=SimpleNamespace(stated_shares=lambda statistics: statistics),
    )
    fit = SimpleNamespace(point=SimpleNamespace(statistics="model"), wide=wide)
    outcome = MaxEntropyOutcome((1.0,), (EVERY_KIND,), "safe", fit, None, "last")
    vars(outcome)["goodness"] = None
    monkeypatch.setattr(max_entropy_module, "_estimates_of", lambda fit: "estimates")
    monkeypatch.setattr(max_entropy_module, "with_unstated", lambda *given: given)
    assert outcome.stated_shares == "model"
    assert outcome.estimates == ("estimates", "wide", "model")

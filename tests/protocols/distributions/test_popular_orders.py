from fractions import Fraction
from itertools import pairwise
from math import factorial

import numpy as np
import pytest

from hushrank.accounting.composition import total_epsilon
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import marginal_distance
from hushrank.mechanisms.local import Tally
from hushrank.models.mallows import Mallows
from hushrank.protocols.distributions.popular_orders import order_surveys, popular_orders
from hushrank.protocols.distributions.question_mix import MixPart, choose_mix, mix_surveys
from hushrank.questions.hashed import Hashed
from hushrank.randomness import Randomness
from hushrank.rankings.coding import inverse
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.samplers.word_probabilities import exp_below

POPULAR = {5: [[4, 0, 3, 1, 2], [1, 2, 3, 0, 4]], 8: [[4, 0, 7, 1, 2, 6, 5, 3]]}
SHARES = {5: (0.3, 0.2), 8: (0.4,)}


def people_of(n_items: int, n_people: int, shares=None) -> Rankings:
    """Some orders that many people hold, and a Mallows rest."""
    rng = np.random.default_rng(99)  # no seed of a collection
    ranks = Mallows(tuple(range(n_items)), 0.8).sample(n_people, rng=rng)
    start = 0
    for order, share in zip(POPULAR[n_items], shares or SHARES[n_items], strict=True):
        end = start + round(share * n_people)
        ranks[start:end] = inverse(np.array([order]))
        start = end
    return Rankings(np.asfortranarray(rng.permutation(ranks)), tuple("abcdefgh"[:n_items]))


SPIKED, SMOOTH = people_of(5, 20_000), people_of(5, 20_000, (0.0, 0.0))


def learnt(people: Rankings, epsilon: float, seed: int = 1):
    options = {"epsilon": epsilon, "n_people": people.n_people, "function_seed": seed}
    protocol = popular_orders(people.n_items, **options)
    return simulate(protocol, people, rng=np.random.default_rng(seed))


def distance(model, people: Rankings) -> float:
    return marginal_distance(model.second_order_marginals, second_order_marginals(people))


@pytest.mark.statistical
@pytest.mark.parametrize(("n_items", "n_people"), [(5, 20_000), (8, 10_000)])
def test_popular_orders_are_found_with_their_shares(n_items, n_people):
    """Within 5.5 standard errors; of 8 items through the likeliest beginnings."""
    people = people_of(n_items, n_people)
    outcome = learnt(people, 4.0)
    found = outcome.result.popular
    assert found.orders.tolist() == POPULAR[n_items]
    errors = outcome.result.share_errors
    assert (np.abs(found.shares - SHARES[n_items]) < 5.5 * errors).all()
    assert abs(found.share - sum(SHARES[n_items])) < 5.5 * outcome.result.share_error
    assert errors.max() < 0.03
    assert distance(outcome.result.model, people) < 0.06


@pytest.mark.statistical
@pytest.mark.parametrize("spike", [(4, 3, 2, 1, 0), (2, 0, 4, 1, 3), (1, 4, 0, 2, 3)])
@pytest.mark.block_sizes
def test_one_order_of_half_the_people_is_not_taken_for_the_smooth_rest(spike):
    """A model of 5 items alone explains so much of it that nothing seems to be left over."""
    seed = spike[0]
    rng = np.random.default_rng(100 + seed)
    ranks = Mallows((0, 1, 2, 3, 4), 0.6).sample(20_000, rng=rng)
    ranks[:10_000] = inverse(np.array([spike]))
    people = Rankings(np.asfortranarray(rng.permutation(ranks)), tuple("abcde"))
    outcome = learnt(people, 3.0, seed).result
    assert outcome.popular.orders.tolist() == [[*spike]]
    assert abs(outcome.popular.share - 0.5) < 5.5 * outcome.share_error
    assert outcome.share_error < 0.02


def test_in_a_smooth_population_none_is_found_and_the_model_is_the_fit_alone():
    outcome = learnt(SMOOTH, 4.0).result
    assert len(outcome.popular.shares) == 0
    assert outcome.share_error == 0
    alone = outcome.rest.model
    assert outcome.model.precedences == pytest.approx(alone.precedences)
    assert distance(outcome.model, SMOOTH) < 0.03


def test_devices_learn_what_the_short_cut_learns():
    protocol = popular_orders(5, epsilon=4.0, n_people=20_000, function_seed=1)
    outcome = run(protocol, SPIKED, rng=Randomness.seeded(7))
    assert outcome.result.popular.orders.tolist() == POPULAR[5]
    assert distance(outcome.result.model, SPIKED) < 0.05


def test_without_noise_the_shares_are_those_of_the_people():
    protocol = popular_orders(5, epsilon=8.0, n_people=20_000, function_seed=1)
    found = run_without_noise(protocol, SPIKED).popular
    assert found.orders[:2].tolist() == POPULAR[5]
    assert found.shares[:2] == pytest.approx(SHARES[5], abs=0.01)


def test_each_person_answers_one_question_at_the_full_price():
    outcome = learnt(people_of(8, 500), 1.5)
    assert outcome.epsilon == total_epsilon(outcome.spends) == 1.5
    lots = sorted(spend.lots for spend in outcome.spends)
    assert (lots[0][0], lots[-1][1]) == (0.0, 1.0)
    assert all(before[1] == after[0] for before, after in pairwise(lots))
    assert [spend.lots for spend in outcome.spends if spend.release == "orders"] == [(0.15, 0.3)]


@pytest.mark.parametrize("n_items", [4, 7, 8, 16])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 4.0, 10.0])
def test_the_loss_of_a_hashed_report_is_at_most_epsilon_exactly(n_items, epsilon):
    """For every two orders, whichever buckets they fall into: the function is drawn before."""
    above = exp_below(epsilon) / (1 - Fraction(1, 10**48))
    surveys = order_surveys(n_items, epsilon, function_seed=0)
    assert len(surveys) == (1 if n_items < 8 else 2)
    for survey in surveys:
        assert survey.answers_per_person == 1
        (words,) = {
            (each.n_categories, each.rates.hit_words, each.rates.false_hit_words)
            for each in survey.mechanisms
        }
        n_buckets, hit, lie = words
        assert hit + (n_buckets - 1) * lie == 2**64
        assert max(Fraction(hit, lie), Fraction(lie, hit)) <= above
        assert Fraction(hit, lie) > exp_below(0.999 * epsilon)  # and nothing is given away
        assert n_buckets == max(2, min(256, round(np.exp(epsilon)) + 1))


@pytest.mark.parametrize("n_items", [4, 8, 16])
def test_every_order_falls_into_buckets_of_the_question(n_items):
    """The numbers of 16 items' orders pass through without loss, up to the last."""
    orders = np.stack([np.arange(n_items), np.arange(n_items)[::-1]])
    ranks = Rankings.from_orders(orders).ranks
    for survey in order_surveys(n_items, 4.0, function_seed=0):
        for question in survey.questions[:9]:
            n_first = question.question.n_places
            last = factorial(n_items) // factorial(n_items - n_first) - 1
            naive = [
                ((question.multiplier * v + question.offset) % 2**64 >> 44) * 56 >> 20
                for v in (0, last)
            ]
            assert question.answer(ranks).tolist() == naive


def test_the_functions_are_drawn_by_the_seed_alone():
    first, again, other = (order_surveys(8, 2.0, seed) for seed in (1, 1, 2))
    assert first == again
    functions = {each.multiplier for survey in first for each in survey.questions}
    assert len(functions) == 512
    assert functions.isdisjoint(each.multiplier for each in other[0].questions)


def test_the_same_tallies_give_the_same_outcome():
    first, again = (learnt(SPIKED, 2.0).result for _ in range(2))
    assert np.array_equal(first.popular.shares, again.popular.shares)
    assert np.array_equal(first.model.precedences, again.model.precedences)


def test_estimates_are_those_of_the_whole_population():
    outcome = learnt(SPIKED, 4.0).result
    at, precedences = outcome.model.first_order_marginals, outcome.model.precedences
    assert outcome.estimates.at == pytest.approx(at, abs=0.02)
    off = ~np.eye(5, dtype=bool)
    assert outcome.estimates.precedences[off] == pytest.approx(precedences[off], abs=0.02)
    assert np.diag(outcome.estimates.precedences) == pytest.approx(0.5)
    scores = (2 * outcome.estimates.precedences - 1).sum(axis=1)
    assert outcome.estimates.scores == pytest.approx(scores)
    assert len(outcome.posterior.pair_probabilities(outcome.order)) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 3},
        {"n_items": 17},
        {"epsilon": 0.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"n_people": 0},
        {"prior": "flat"},
        {"mix": (MixPart("pairs", 0.5),)},
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(wrong):
    options = {"n_items": 5, "epsilon": 1.0, "n_people": 20_000, "function_seed": 0, **wrong}
    with pytest.raises(HushrankError) as refused:
        run(popular_orders(**options), SPIKED, rng=Randomness.replayed(b""))
    assert "\n" not in str(refused.value)


def answered(protocol, support_of):
    """Give each survey the tallies of a number of reports in each cell."""
    tallies = []
    for survey in next(protocol):
        cells = [np.full(each.n_categories, support_of(survey)) for each in survey.mechanisms]
        tallies.append(tuple(Tally(each, int(each.sum())) for each in cells))
    with pytest.raises(StopIteration) as end:
        protocol.send(tuple(tallies))
    return end.value.value


def test_orders_of_nobody_are_not_popular():
    """Where only the others answered; and where nobody did, nothing can be fitted."""

    def of_others(survey):
        return 0 if isinstance(survey.questions[0], Hashed) else 5

    def of_orders(survey):
        return 5 - of_others(survey)

    for n_items in (4, 8):
        options = {"epsilon": 1.0, "n_people": 10, "function_seed": 0}
        outcome = answered(popular_orders(n_items, **options), of_others)
        assert len(outcome.popular.shares) == 0
        alone = answered(popular_orders(n_items, **options), of_orders)
        np.testing.assert_allclose(alone.rest.model.precedences, 0.5 - np.eye(n_items) / 2)
        with pytest.raises(HushrankError, match="0 reports"):
            answered(popular_orders(n_items, **options), lambda survey: 0)


def test_the_answers_to_every_part_of_the_mix_count():
    mix = (MixPart("pairs", 0.2), MixPart("extremes", 0.3), MixPart("ranks-and-pairs", 0.5))
    protocol = popular_orders(5, epsilon=1.0, n_people=10, function_seed=0, mix=mix)
    outcome = answered(protocol, lambda survey: 5)
    assert len(outcome.rest.fit.wide.likelihood.counts) == 10 * 2 + 5 * 2 + 20 * 8


def test_the_others_are_asked_as_without_popular_orders():
    mix = choose_mix(5, epsilon=1.0, n_people=700, unranked="last")
    expected = mix_surveys(mix, 5, 1.0, lots=(0.3, 1.0))
    assert next(popular_orders(5, epsilon=1.0, n_people=1000, function_seed=0))[0] == expected[0]
    parts = (MixPart("pairs", 0.25), MixPart("ranks-and-pairs", 0.75))
    ends = [survey.lots for survey in mix_surveys(parts, 5, 1.0, lots=(0.2, 0.6))]
    assert ends == [pytest.approx((0.2, 0.3)), pytest.approx((0.3, 0.6))]
    assert ends[-1][1] == 0.6


def test_what_was_asked_is_shown_and_no_report():
    shown = repr(learnt(SPIKED, 4.0).result)
    assert shown.startswith("PopularOrdersOutcome(2 orders; 100 % ranks-and-pairs; safe prior")
    assert "array" not in shown


def test_the_reports_of_many_parts_of_a_mix_are_taken_together():
    """Of 40 parts the first thirty had no answer."""
    mix = (MixPart("pairs", 1 / 40),) * 40
    protocol = popular_orders(4, epsilon=2.0, n_people=5000, function_seed=1, mix=mix)
    *_, orders = next(protocol)
    parts = [(Tally.empty(2),) * 6] * 30 + [(Tally(np.array([300, 100]), 400),) * 6] * 10
    sizes = [mechanism.n_categories for mechanism in orders.mechanisms]
    whole = tuple(Tally(np.full(size, 9), 9 * size) for size in sizes)
    with pytest.raises(StopIteration) as end:
        protocol.send((*parts, whole))
    likelihood = end.value.value.rest.fit.wide.likelihood
    n_reports = 400 * np.repeat([0, 1], [30 * 12, 10 * 12])  # by category
    assert likelihood.n_reports.tolist() == n_reports.tolist()


@pytest.mark.parametrize("answered", [0, -1])
@pytest.mark.parametrize("survey", [0, -1])
def test_one_report_is_one_whichever_question_it_answers(survey, answered):
    protocol = popular_orders(7, epsilon=2.0, n_people=1, function_seed=1, mix=(MixPart("pairs"),))
    tallies = [[Tally.empty(m.n_categories) for m in each.mechanisms] for each in next(protocol)]
    support = np.eye(len(tallies[survey][answered].support), dtype=int)[0]
    tallies[survey][answered] = Tally(support, 1)
    with pytest.raises(StopIteration) as end:
        protocol.send(tuple(map(tuple, tallies)))
    assert sorted(end.value.value.order) == [*range(7)]


@pytest.mark.parametrize("n_items", [4, 8])
def test_no_two_functions_are_the_same(n_items):
    surveys = order_surveys(n_items, 2.0, function_seed=1)
    each = {(asked.multiplier, asked.offset) for one in surveys for asked in one.questions}
    assert len(each) == sum(len(one.questions) for one in surveys)

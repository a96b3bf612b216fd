from math import comb, factorial, log2

import numpy as np
import pytest

from hushrank.estimators.shares import unbiased_shares
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.models.hierarchy import ThinChain
from hushrank.planning.asking import (
    PAIRS,
    Asking,
    askings,
    mix_askings,
    own_draw_known,
)
from hushrank.poisoning.forgery import weight_of
from hushrank.protocols.distributions.question_mix import MIXES, mix_surveys
from hushrank.protocols.distributions.safari import chain_questions
from hushrank.protocols.registry import PROTOCOLS, make_protocol

CASES = [
    (name, n_items, epsilon) for name in PROTOCOLS for n_items in (4, 7) for epsilon in (0.3, 1, 5)
]


def first_survey(name: str, n_items: int, n_people: int, epsilon: float):
    protocol = make_protocol(name)
    return next(protocol.begin(n_items, epsilon=epsilon, n_people=n_people, seed=0))[0]


@pytest.mark.parametrize(("name", "n_items", "epsilon"), CASES)
def test_it_says_what_the_first_survey_asks(name, n_items, epsilon):
    survey = first_survey(name, n_items, 5000, epsilon)
    asked = askings(name, n_items, 5000, epsilon)[0]
    assert asked.n_questions == len(survey.questions)
    assert asked.n_answers == survey.answers_per_person
    assert name in ("max-entropy", "order") or asked.share == 1
    if isinstance(survey.mechanisms[0], LocalMechanism):
        reaches = {each.rates.reach for each in survey.mechanisms}
        assert reaches == {asked.reach}
    else:
        assert asked.reach == SubsetOrder(n_items, epsilon).signal


@pytest.mark.parametrize("mix", MIXES)
def test_it_says_what_every_part_of_a_mix_asks(mix):
    surveys = mix_surveys(MIXES[mix], 7, 1.5)
    for asked, survey in zip(mix_askings(MIXES[mix], 7, 1.5), surveys, strict=True):
        assert asked.n_questions == len(survey.questions)
        assert asked.share == pytest.approx(survey.lots[1] - survey.lots[0])
        sizes = {each.n_categories for each in survey.mechanisms}
        assert asked.report_bits == log2(max(sizes))
        assert {each.rates.reach for each in survey.mechanisms} == {asked.reach}


@pytest.mark.parametrize("name", ["max-entropy", "order"])
def test_surveys_of_different_people_ask_the_shares_that_are_said(name):
    surveys = next(make_protocol(name).begin(7, epsilon=4.0, n_people=5000, seed=0))
    shares = [survey.lots[1] - survey.lots[0] for survey in surveys]
    assert len(shares) > 1
    assert [each.share for each in askings(name, 7, 5000, 4.0)] == pytest.approx(shares)


def test_what_is_learnt_of_the_people_s_own_draw_is_by_who_is_asked_what():
    asked = Asking(0.8, 1.0, 1.0, share=0.75), Asking(0.4, 1.0, 1.0, share=0.25)
    assert own_draw_known(asked, 5) == pytest.approx((0.75 * 0.64 + 0.25 * 0.16) / 2)
    assert own_draw_known(asked, 2) == 1


def test_safari_s_second_round_is_what_a_chain_asks():
    chain = ThinChain(((3,), (0,), (4,), (1,), (2,)))
    questions = chain_questions(chain)
    _, second = askings("safari", 5, 1000, 2.0)
    assert second.n_questions == len(questions) == 4
    sizes = sorted(question.n_categories for question in questions)
    assert sizes == [2, 3, 4, 5]
    assert second.report_bits == pytest.approx(np.mean(np.log2(sizes)))


@pytest.mark.parametrize("n_items", [3, 5, 8, 16, 24])
def test_a_report_of_safari_s_second_round_moves_most_where_most_places_are_open(n_items):
    questions = chain_questions(ThinChain(tuple((item,) for item in range(n_items))))
    moved = []
    for question in questions:
        response = GeneralizedRandomizedResponse(question.n_categories, 1.0)
        moved.append(len(questions) / 1000 / response.rates.reach)
    _, second = askings("safari", n_items, 1000, 2.0)
    assert second.influence(1000) == pytest.approx(max(moved))
    assert max(moved) > 1.2 * min(moved)


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name != "subset-order"])
@pytest.mark.parametrize("epsilon", [0.3, 4])
def test_influence_is_what_one_report_moves_an_estimated_share_by(name, epsilon):
    """Exactly: one report supports a category or not, all others staying as they are."""
    survey = first_survey(name, 5, 1000, epsilon)
    asked = askings(name, 5, 1000, epsilon)[0]
    mechanism = survey.mechanisms[0]
    n_reports = 1000 * asked.share * asked.n_answers / asked.n_questions
    support = np.full(mechanism.n_categories, 20.0)
    before = unbiased_shares(mechanism, Tally(support, n_reports))
    support[0] += 1
    after = unbiased_shares(mechanism, Tally(support, n_reports))
    assert after[0] - before[0] == pytest.approx(asked.influence(1000), rel=1e-9)


def test_influence_grows_where_only_some_people_are_asked():
    pairs, extremes = mix_askings(MIXES["bits"], 5, 1.0)
    assert pairs.influence(1000) == pytest.approx(1 / (600 / 10 * pairs.reach))
    assert extremes.influence(1000) == pytest.approx(1 / (400 / 5 * extremes.reach))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_liars_move_an_estimate_as_far_as_forged_reports_do(name):
    survey = first_survey(name, 5, 1000, 1.0)
    asked = askings(name, 5, 1000, 1.0)[0]
    forgery = weight_of(survey)
    assert asked.moved(0.01, n_people=1000) == pytest.approx(forgery.shift(10, 990))
    picked = asked.moved(0.01, n_people=1000, picks=True)
    assert picked == pytest.approx(forgery.shift(10, 990, picks=True))
    assert picked >= asked.moved(0.01, n_people=1000)


def test_liars_move_no_share_by_more_than_the_whole():
    (asked,) = askings("pairs", 5, 1000, 1.0)
    assert asked.pull > 1
    assert asked.moved(1.0, n_people=1000) == asked.moved(1.0, n_people=1000, picks=True) == 1


def test_influence_on_a_mean_rank_is_a_share_of_all_ranks():
    signal = SubsetOrder(6, 1.0).signal
    (asked,) = askings("subset-order", 6, 1000, 1.0)
    best, worst = 0, 5
    assert asked.influence(1000) == pytest.approx((worst - best) / 1000 / signal / 5)


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("grr", log2(factorial(7))),
        ("rappor", factorial(7)),
        ("sh", 129),
        ("olh", 128 + log2(round(np.exp(4)) + 1)),
        ("subset-order", log2(factorial(7))),
        ("pairs", 2),
    ],
)
def test_reports_take_as_many_bits(name, bits):
    (asked,) = askings(name, 7, 1000, 4.0)
    assert asked.report_bits == pytest.approx(bits)


def test_which_questions_takes_bits_too():
    (asked,) = askings("pairs", 7, 1000, 4.0)
    assert asked.question_bits == pytest.approx(log2(comb(21, 2)))
    (whole,) = askings("grr", 7, 1000, 4.0)
    assert whole.question_bits == 0
    bits = mix_askings(MIXES["bits"], 5, 1.0)
    assert bits[0].question_bits == pytest.approx(log2(10) + log2(1 / 0.6))
    assert [each.n_questions for each in bits] == [10, 5]


def test_a_crafted_report_weighs_more_through_the_laplace_answer():
    weights = {name: askings(name, 10, 5000, 6.0)[0].influence(5000) for name in PAIRS}
    assert weights["pairs"] == weights["ldp-kwiksort-rr"] < weights["ldp-kwiksort-lap"]


@pytest.mark.parametrize("n_items", [5, 30, 64])
def test_of_all_interleavings_that_safari_asks_the_longest_tells_least(n_items):
    _, interleaved = askings("safari", n_items, 1000, 2.0)
    assert interleaved.reach == GeneralizedRandomizedResponse(n_items, 1.0).rates.reach

"""Simulated liars: what they report, and what the committed tables say of them."""

import csv
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from hushrank.experiments.experiment import Draws
from hushrank.experiments.on_rankings import liars
from hushrank.experiments.on_rankings.forging import (
    ATTACKS,
    Wanted,
    as_fake_people,
    with_most_gain,
    without_noise,
)
from hushrank.experiments.on_rankings.liars import PICKED, Crime, Electors, LiarsSpot, capped
from hushrank.mechanisms.hash_family import buckets_of
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.models.mallows import Mallows
from hushrank.poisoning.suspicion import suspicion
from hushrank.protocols.registry import make_protocol
from hushrank.questions.named_set import NamedSet
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey
from tests.conformance import supports_of

TABLES = Path(__file__).parents[3] / "docs" / "experiments"
WHOLE = RelativeOrder((0, 1, 2, 3))
WANTED = Wanted((2, 0, 1, 3))
FIRSTS = range(12, 18)
"""The orders of four items that begin with item 2."""


def rng():
    return Randomness.seeded(3)


def test_liars_without_noise_say_what_they_want():
    mechanism = GeneralizedRandomizedResponse(24, 1.0)
    told = without_noise(WHOLE, mechanism, 5, WANTED, rng())
    assert told.tolist() == [12] * 5
    assert with_most_gain(WHOLE, mechanism, 5, WANTED, rng()).tolist() == [12] * 5


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_liars_send_their_share_of_all_reports(share):
    n_people = 900
    honest = np.tile(np.arange(4, dtype=np.uint8), (n_people, 1))
    n_liars = Electors(Rankings(honest, tuple("abcd"))).crime(PICKED, share).n_liars
    assert n_liars / (n_liars + n_people) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        (NamedSet((0, 1), 4), {2}),
        (NamedSet((2, 3), 4), {1, 3}),
        (NamedSet((0, 1), 4, "after"), {6, 7, 8}),
    ],
)
def test_liars_who_may_name_several_name_the_item_that_they_promote(question, named):
    """Of the order 2 0 1 3: among the first two, among the last two, and before another one."""
    mechanism = NamedMember(question.n_categories, 1.0, question.n_members)
    told = without_noise(question, mechanism, 40, WANTED, rng())
    assert set(told.tolist()) == named
    assert mechanism.tally(told).n_reports == 40


@pytest.mark.parametrize("protocol", ["max-entropy", "order"])
@pytest.mark.parametrize("attack", [*ATTACKS, PICKED])
def test_every_attack_is_made_on_every_question_of_our_protocols(protocol, attack):
    """At 2 nats 600 people are asked to name sets, too."""
    surveys = next(make_protocol(protocol).begin(5, epsilon=2.0, n_people=1000, seed=1))
    asked = {type(question) for survey in surveys for question in survey.questions}
    assert (NamedSet in asked) == (protocol == "max-entropy")
    lies = spot(protocol, attack, 0.4).measured(draws())
    assert lies["climb"] >= 1


def test_fake_people_answer_by_the_coins_of_honest_devices():
    mechanism = GeneralizedRandomizedResponse(24, 1.0)
    told = as_fake_people(WHOLE, mechanism, 50, WANTED, rng())
    honest = mechanism.randomise(np.full(50, 12), rng=rng())
    assert told.tolist() == honest.tolist()
    assert len(set(told.tolist())) > 5


def test_most_gain_claims_all_orders_with_the_item_first_and_as_many_bits_as_usual():
    mechanism = SymmetricUnaryEncoding(24, 1.0)
    supports = supports_of(mechanism, with_most_gain(WHOLE, mechanism, 40, WANTED, rng()))
    assert supports[:, FIRSTS].all()
    rates = mechanism.rates
    usual = round(rates.hit_rate + 23 * rates.false_hit_rate)
    assert set(supports.sum(axis=1)) == {usual}
    others = np.delete(supports, FIRSTS, axis=1)
    assert (others.sum(axis=0) > 0).all()  # not always the same


def test_most_gain_finds_functions_that_put_the_orders_together():
    mechanism = OptimisedLocalHashing(24, 1.0)
    told = with_most_gain(WHOLE, mechanism, 40, WANTED, rng())
    plain = without_noise(WHOLE, mechanism, 40, WANTED, rng())
    held = [supports_of(mechanism, each)[:, FIRSTS].sum(axis=1) for each in (told, plain)]
    assert held[0].min() >= 4  # of 6, of a bucket that has 1.5 on average
    assert held[1].min() >= 1
    assert held[0].mean() > held[1].mean() + 2
    buckets = buckets_of(told["multiplier"], told["offset"], np.uint64(12), mechanism.n_buckets)
    assert buckets.shape == (40,)


def test_caps_leave_what_honest_reports_can_give_and_cut_the_rest():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    survey = Survey("pair", (RelativeOrder((0, 1)),), (mechanism,), 1.0)
    for share in (mechanism.rates.false_hit_rate, 0.5, mechanism.rates.hit_rate):
        honest = Tally(np.array([round(1000 * share), 1000 - round(1000 * share)]), 1000)
        (kept,) = capped(survey, (honest,))
        assert kept.support.tolist() == honest.support.tolist()
    (cut,) = capped(survey, (Tally(np.array([1000, 0]), 1000),))
    assert not suspicion(survey, (cut,)).is_suspicious
    assert 731 < cut.support[0] < 800
    assert 200 < cut.support[1] < 269


def spot(name, attack, share):
    ranks = Mallows((0, 1, 2, 3, 4), 0.6).sample(600, rng=np.random.default_rng(1))
    people = Rankings(ranks, tuple("abcde"))
    return LiarsSpot(Electors(people), make_protocol(name), 2.0, attack, share)


def draws(seed=5):
    return Draws(*(np.random.default_rng([seed, nth]) for nth in range(2)))


def test_who_picks_questions_gets_the_item_up_and_is_found():
    lies = spot("pairs", PICKED, 0.4).measured(draws())
    truth = spot("pairs", PICKED, 0.0).measured(draws())
    assert (truth["climb"], truth["found"]) == (0, 0)
    assert (lies["climb"], lies["found"]) == (4, 1)
    assert lies["excess"] > truth["excess"]


def test_rows_are_judged_by_honest_people_alone():
    lies = spot("olh", "most gain", 0.3).measured(draws())
    truth = spot("olh", "most gain", 0.0).measured(draws())
    assert lies["firsts"] > 0.5 > truth["firsts"]
    assert lies["q2"] > truth["q2"] > 0


@cache
def measured(figure):
    """Return {(quantity, attack, curve, x): (mean, standard error)} of a committed table."""
    with (TABLES / f"{figure}.csv").open() as file:
        return {
            (row["quantity"], row["population"], row["curve"], float(row["x"])): (
                float(row["mean"]),
                float(row["sd"]) / sqrt(int(row["repetitions"])),
            )
            for row in csv.DictReader(file)
        }


def documented():
    """Return the rows of the page's table: protocol, climb, firsts, found."""
    page = (TABLES / "liars.md").read_text().split("| protocol | climb |")[1].split("\n\n")[0]
    for line in page.splitlines()[2:]:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        yield name.strip("`"), *cells


def test_the_documented_table_is_the_measured_one():
    table = measured("liars-1")
    for name, climb, firsts, found in documented():
        attacks = ("no noise", "most gain")
        worst = max(attacks, key=lambda attack: table["climb", attack, name, 5.0][0])
        for said, quantity in ((climb, "climb"), (firsts, "firsts")):
            if said:
                mean, error = table[quantity, worst, name, 5.0]
                number, *more = (float(part) for part in said.split(" ± "))
                assert number == pytest.approx(mean, abs=0.006), (name, quantity)
                assert more == [] or more[0] == pytest.approx(error, abs=0.006)
        rang = table["found", worst, name, 5.0][0]
        assert {"never": 0, "always": 1}[found] == rang


def test_pairs_are_hard_to_bend_the_default_less_so_and_whole_rankings_are_not():
    table = measured("liars-1")
    for name in ("order", "pairs", "ldp-kwiksort-rr"):
        assert table["climb", "no noise", name, 5.0][0] < 0.7
    assert 0.2 < table["firsts", "no noise", "max-entropy", 5.0][0] < 0.25
    for name in ("grr", "rappor", "olh", "sh"):
        assert table["firsts", "most gain", name, 5.0][0] > 0.8
    for name in ("GRR", "OUE", "OLH"):
        assert table["firsts", "most gain", f"{name}, unbiased", 5.0][0] > 0.22


@pytest.mark.parametrize("figure", ["liars-1", "liars-4"])
def test_honest_and_fake_people_raise_no_alarm_and_pickers_do(figure):
    table = measured(figure)
    for (quantity, attack, _, share), (mean, _) in table.items():
        if quantity == "found" and (share == 0 or attack == "fake people"):
            assert mean == 0
    assert table["found", PICKED, "pairs", 10.0][0] == 1
    assert table["found", PICKED, "max-entropy", 10.0][0] >= 0.6


def test_caps_change_nothing_and_dealt_functions_take_most_of_the_attack():
    """Differences of two means, each with its standard error: four of them are too many."""
    table = measured("liars-defences")
    for name, way in (("max-entropy", "safe"), ("olh", "simplex")):
        for share in (0.0, 5.0, 10.0):
            for quantity in ("q2", "firsts", "climb"):
                mean, error = table[quantity, "most gain", f"{name}, {way}", share]
                other, its = table[quantity, "most gain", f"{name}, capped", share]
                assert abs(mean - other) <= 4 * sqrt(error**2 + its**2)
    dealt = table["firsts", "most gain", "olh, dealt functions", 5.0][0]
    assert dealt < 0.4 * table["firsts", "most gain", "olh, simplex", 5.0][0]


def test_kemeny_s_order_moves_half_as_far_under_dealt_lies_only():
    table = measured("liars-defences")
    of = {way: table["climb", "most gain", f"pairs, {way}", 5.0][0] for way in ("scores", "kemeny")}
    assert of["kemeny"] < 0.6 * of["scores"]
    picked = table["climb", PICKED, "pairs, kemeny", 10.0][0]
    assert picked >= table["climb", PICKED, "pairs, scores", 10.0][0]


@pytest.mark.parametrize("item", [1, 15, 30])
def test_who_picks_answers_the_one_question_of_many_that_suits(item):
    survey = sampled_survey("some", [RelativeOrder((0, other)) for other in range(1, 31)], 1.0)
    wanted = Wanted((item, *(other for other in range(31) if other != item)))
    dealt = liars._dealt(survey, 50, Crime(without_noise, 50, wanted, picks=True), rng())
    assert dealt.tolist() == [50 * (other == item) for other in range(1, 31)]

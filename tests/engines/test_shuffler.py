"""What a shuffler forwards tells nothing of whose it is; rounds that are too dear are not asked."""

from dataclasses import replace
from fractions import Fraction
from math import exp, factorial

import numpy as np
import pytest

import hushrank
from hushrank.accounting.shuffling import central_delta, central_epsilon
from hushrank.accounting.spend import Spend
from hushrank.engines.local import run
from hushrank.engines.outcome import Outcome
from hushrank.engines.shuffler import Target, forward, permutation, priced
from hushrank.errors import HushrankError
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.protocols.registry import MaxEntropy, Safari
from hushrank.questions.named_set import NamedSet
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shuffled import clone_rate
from hushrank.surveys.survey import Survey
from tests.statistics import MIN_EXPECTED, assert_follows

PAIR, THREE = RelativeOrder((0, 1)), RelativeOrder((0, 1, 2))


def test_a_round_is_paid_for_before_anybody_is_asked():
    """Else what fails while people answer would have cost nothing."""
    paid, survey = [], sampled_survey("pair", [PAIR], 1.0)
    next(priced(iter_of((survey,)), Target(None, 1e-6), 400, paid))
    assert [each.release for each in paid] == ["pair"]


@pytest.mark.parametrize("n_rounds", [2, 3, 20])
def test_each_of_several_rounds_is_paid_for_though_all_cost_the_same(n_rounds):
    survey, paid = sampled_survey("pair", [PAIR], 1.0), []
    rounds = priced(again_and_again((survey,)), Target(None, 1e-6, n_rounds), 400, paid)
    next(rounds)
    for _ in range(1, n_rounds):
        rounds.send(())
    assert len(paid) == n_rounds
    assert len(set(paid)) == 1
    with pytest.raises(HushrankError, match=f"at most {n_rounds} rounds"):
        rounds.send(())


def again_and_again(surveys):
    while True:
        yield surveys


def iter_of(surveys):
    yield surveys


@pytest.mark.parametrize("k", [3, 5])
def test_a_round_is_priced_by_what_its_channel_clones(k):
    """Any randomiser of this epsilon clones less, and so costs more."""
    question = RelativeOrder(tuple(range(k)))
    survey, known = sampled_survey("few", [question], 2.0), {"local": 2.0, "n_reports": 10_000}
    price = Target(None, 1e-6).price((survey,), 10_000)
    exact = central_epsilon(1e-6, **known, clone_rate=clone_rate((survey,)))
    assert price.epsilon == exact < central_epsilon(1e-6, **known)


def test_every_order_is_equally_likely():
    n = 4
    draws = MIN_EXPECTED * factorial(n)
    rng = Randomness.seeded(2026)
    drawn = np.array([permutation(n, rng=rng) for _ in range(draws)])
    place_values = n ** np.arange(n)
    _, numbers = np.unique(drawn @ place_values, return_inverse=True)
    assert numbers.max() == factorial(n) - 1
    assert_follows(numbers, np.full(factorial(n), 1 / factorial(n)))


def test_words_that_are_equal_are_drawn_again():
    tape = b"".join(word.to_bytes(8, "little") for word in (5, 9, 5, 7, 9, 1))
    assert permutation(3, rng=Randomness.replayed(tape)).tolist() == [2, 0, 1]


@pytest.mark.parametrize("n", [1, 2, 1000, 2**17 - 1, 2**17, 2**20])
def test_an_order_of_however_many_is_that_of_their_words(n):
    """To the last bit of each: where words were cut, equal ones would keep the order they came."""
    words = Randomness.seeded(n).words(n)
    drawn = permutation(n, rng=Randomness.seeded(n))
    assert (words[drawn][1:] > words[drawn][:-1]).all()
    assert np.array_equal(np.sort(drawn), np.arange(n))


@pytest.mark.parametrize("n_questions", [1, 2, 299, 300, 5000, 2**16 + 1])
def test_of_however_many_questions_the_reports_come_in_the_order_of_their_words(n_questions):
    ends = np.append(0, np.cumsum(2 + np.arange(n_questions) % 3))
    words = Randomness.seeded(5).words(ends[-1])
    came = forward(np.arange(ends[-1]), ends, rng=Randomness.seeded(5))
    questions = np.repeat(np.arange(n_questions), np.diff(ends))
    assert came.tolist() == np.lexsort((words, questions)).tolist()


def test_reports_stay_with_their_questions_and_lose_their_order():
    reports, ends = np.arange(900), np.array([0, 300, 300, 900])
    came = forward(reports, ends, rng=Randomness.seeded(1))
    assert sorted(came[:300]) == list(range(300))
    assert sorted(came[300:]) == list(range(300, 900))
    assert abs(np.corrcoef(came[300:], reports[300:])[0, 1]) < 0.3
    rows = np.stack([reports, reports], axis=1)
    assert (np.diff(forward(rows, ends, rng=Randomness.seeded(1)), axis=1) == 0).all()


def test_many_reports_lose_their_order_too():
    """All of them at once: in parts, each of which keeps its place, people hide among fewer."""
    n = 2**18 + 1
    came = forward(np.arange(n), np.array([0, n]), rng=Randomness.seeded(1))
    assert np.array_equal(np.sort(came), np.arange(n))
    assert (came == np.arange(n)).sum() < 20  # one is expected
    for part in np.array_split(came, 8):
        assert abs(part.mean() / n - 0.5) < 0.01


def test_the_clone_rate_is_that_of_the_exact_channels():
    two = sampled_survey("pairs", [PAIR], 1.0, lots=(0.0, 0.5))
    named = NamedSet((0,), 5)
    rest = sampled_survey("rest", [THREE, named], 1.0, lots=(0.5, 1.0))
    of_three = GeneralizedRandomizedResponse(6, 1.0).rates.false_hit_rate
    of_named = NamedMember(5, 1.0, 1).rates.false_hit_rate
    expected = 0.5 / (exp(1) + 1) + 0.25 * of_three + 0.25 * of_named
    assert expected <= clone_rate((two, rest)) <= expected * (1 + 1e-12)


@pytest.mark.parametrize("answers", [1, 2])
def test_other_mechanisms_and_several_answers_count_as_any_randomiser(answers):
    make = GeneralizedRandomizedResponse if answers == 2 else SymmetricUnaryEncoding
    pairs = (RelativeOrder((0, 1)), RelativeOrder((1, 2)), RelativeOrder((0, 2)))
    mechanisms = (make(2, 1.0 / answers),) * 3
    survey = Survey("pairs", pairs, mechanisms, 1.0, answers_per_person=answers)
    assert clone_rate((survey,)) == pytest.approx(1 / (exp(1) + 1), rel=1e-12)


def test_a_round_that_asks_a_part_of_the_people_has_no_crowd():
    for changed in ({"lots": (0.0, 0.5)}, {"budgets": (1.0, 2.0)}):
        survey = sampled_survey("part", [PAIR], 1.0, **changed)
        with pytest.raises(HushrankError, match="shuffled"):
            clone_rate((survey,))


def test_a_price_is_what_is_certified():
    survey = sampled_survey("pairs", [PAIR], 2.0)
    spend = Target(None, 1e-5).price((survey,), 2000)
    assert (spend.model, spend.delta) == ("shuffled", 1e-5)
    assert central_delta(spend.epsilon, local=2.0, n_reports=2000) <= 1e-5
    assert Target(1.0, 1e-5).price((survey,), 2000).epsilon == 1.0
    assert 0 < Target(None, 0.9).price((survey,), 2000).epsilon < 1e-6
    with pytest.raises(HushrankError, match="20 people are too few"):
        Target(0.3, 1e-5).price((survey,), 20)


def test_no_price_is_rounded_below_what_is_certified():
    survey = sampled_survey("pairs", [PAIR], 2.0)
    for n_people in range(2000, 2008):
        spend = Target(None, 1e-5).price((survey,), n_people)
        assert central_delta(spend.epsilon, local=2.0, n_reports=n_people) <= 1e-5


def test_a_price_of_no_round_is_refused():
    with pytest.raises(HushrankError, match="at least 1 round, got 0"):
        Target(1.0, 1e-5, 0)


@pytest.mark.parametrize("n_rounds", range(2, 12))
def test_rounds_together_cost_no_last_digit_more_than_was_asked(n_rounds):
    survey = sampled_survey("pairs", [PAIR], 0.5)
    spend = Target(8.0, 1e-5, n_rounds).price((survey,), 2000)
    assert n_rounds * Fraction(spend.delta) <= Fraction(1e-5)
    assert n_rounds * Fraction(spend.epsilon) <= 8


def test_two_rounds_share_the_delta_of_both():
    """So many reports are just enough for one round: two of the same price would be too dear."""
    surveys = (sampled_survey("pairs", [PAIR], 2.0),)
    enough = next(n for n in range(20, 2000) if central_delta(1.0, local=2.0, n_reports=n) <= 1e-5)
    assert Target(1.0, 1e-5).price(surveys, enough).delta == 1e-5
    with pytest.raises(HushrankError, match="too few"):
        Target(2.0, 1e-5, 2).price(surveys, enough)


def test_what_all_shuffled_rounds_cost_is_added_up():
    spends = [Spend("pairs", nats, "any", model="shuffled", delta=2.0**-20) for nats in (0.5, 0.25)]
    outcome = Outcome(None, (Spend("pairs", 1.0, "any"),), 9, True, shuffled=tuple(spends))
    assert outcome.central_loss == (0.75, 2.0**-19)


@pytest.mark.parametrize("n_rounds", [1, 2, 5])
def test_each_of_several_rounds_is_certified_at_its_own_share_of_delta(n_rounds):
    """An epsilon that was found at the whole delta would fail for the share that is stated."""
    survey = sampled_survey("pairs", [PAIR], 2.0)
    spend = Target(None, 1e-5, n_rounds).price((survey,), 2000)
    assert n_rounds * Fraction(spend.delta) <= Fraction(1e-5)
    assert central_delta(spend.epsilon, local=2.0, n_reports=2000) <= spend.delta


def test_a_round_too_many_or_too_dear_asks_nobody():
    people = hushrank.simulate("mallows", people=400, items=4, seed=1)
    for target, match, rng in (
        (Target(None, 1e-4), "at most 1 round", Randomness.seeded(1)),
        (Target(0.01, 1e-6), "too few", Randomness.replayed(b"")),
    ):
        rounds = Safari().begin(4, epsilon=2, n_people=400, seed=0)
        paid = []
        with pytest.raises(HushrankError, match=match):
            run(priced(rounds, target, 400, paid), people, rng=rng)
        assert len(paid) == (target.epsilon is None)


@pytest.mark.parametrize(("epsilon", "central"), [(5, 0.2), (6, 0.3), (7, 0.4)])
def test_rounds_of_which_a_later_one_may_be_too_dear_ask_nobody(epsilon, central):
    """The first would be cheap enough: it asks so that fewer reports could be anybody's."""
    people = hushrank.simulate("mallows", people=20_000, items=8, seed=1)
    rounds = Safari().begin(8, epsilon=epsilon, n_people=20_000, seed=0)
    first = next(rounds)
    target = Target(central, 1e-6, 2)
    target.price(first, 20_000)
    with pytest.raises(HushrankError, match="too few"):
        target.require_later(first, 20_000)
    target.require_later(first, 2_000_000)
    replace(target, epsilon=None).require_later(first, 20_000)
    with pytest.raises(HushrankError, match="too few") as refused:
        hushrank.collect(
            people, epsilon, protocol="safari", shuffled=True, central_epsilon=central, delta=1e-6
        )
    assert not hasattr(refused.value, "__notes__")


def test_what_is_learnt_does_not_depend_on_the_order_of_reports():
    people = hushrank.simulate("mallows", people=400, items=4, seed=1)
    orders = []
    for passed_on in (None, lambda reports, ends: forward(reports, ends, rng=Randomness.seeded(3))):
        rounds = MaxEntropy().begin(4, epsilon=2, n_people=400, seed=0)
        outcome = run(rounds, people, rng=Randomness.seeded(1), forward=passed_on)
        orders.append(outcome.result.model.precedences)
    np.testing.assert_array_equal(*orders)


@pytest.mark.parametrize("n_reports", [2, 50, 99, 1000])
def test_just_so_many_people_as_there_are_hide_one_of_them(n_reports):
    """Not one more, however few they are: a delta that is a little smaller is refused."""
    asked = (sampled_survey("pair", [RelativeOrder((0, 1))], 1.0),)
    given = {"local": 1.0, "n_reports": n_reports, "clone_rate": clone_rate(asked)}
    delta = central_delta(0.5, **given)
    assert Target(0.5, delta).price(asked, n_reports).delta == delta
    with pytest.raises(HushrankError, match="people are too few"):
        Target(0.5, delta * 0.99).price(asked, n_reports)

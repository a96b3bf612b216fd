from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

import hushrank
from hushrank.collector.announcement import announce
from hushrank.collector.rounds import (
    Asked,
    _collection,
    decode_tallies,
    encode_tallies,
    n_people_of,
    n_reports_of,
    replay,
)
from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols import registry
from hushrank.protocols.registry import Pairs
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.randomness import Randomness
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey
from tests.collector.drafts import NAMES, draft

PEOPLE = hushrank.simulate("mallows", people=400, items=4, dispersion=0.5, seed=3)
LIVE = {
    "max-entropy": {},
    "safari": {"split": "people"},
    "order": {},
    "pairs": {},
    "ldp-kwiksort-rr": {},
    "subset-order": {},
    "olh": {},
}


def recorded(protocol, tallies: list):
    """Keep what the engine counts of every round."""
    surveys = next(protocol)
    while True:
        counted = yield surveys
        tallies.append(counted)
        try:
            surveys = protocol.send(counted)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize(("name", "options"), LIVE.items())
def test_stored_tallies_lead_where_the_engine_went(name, options):
    """Each round again from the tallies before it, as JSON: the same surveys and the same order."""
    held = draft(protocol=name, options=options)
    begun = held.named_protocol.begin(4, epsilon=2.0, n_people=60, seed=5)
    tallies: list = []
    outcome = run(recorded(begun, tallies), PEOPLE, rng=Randomness.seeded(1))
    stored = [decode_tallies(encode_tallies(each)) for each in tallies]
    asked = [replay(held, 5, stored[:n]) for n in range(len(stored))]
    assert all(isinstance(each, Asked) for each in asked)
    assert [survey.spend for each in asked for survey in each.surveys] == list(outcome.spends)
    found = replay(held, 5, stored)
    assert found.names == NAMES
    if outcome.result.order is not None:
        assert found.order == outcome.result.order
    assert found.outcome.spends == outcome.spends
    assert found.n_people == 400
    assert found.is_private


def test_every_lot_is_asked_by_one_part_at_most():
    held = draft(items=[{"name": str(n)} for n in range(9)], options={"popular_orders": True})
    asked = replay(held, 1, [])
    parts = {asked.part_of(lot) for lot in np.linspace(0, 1, 1000, endpoint=False)}
    assert parts == set(range(len(asked.parts)))
    split = replay(draft(protocol="safari", options={"split": "people"}), 1, [])
    assert (split.part_of(0.49), split.part_of(0.5), split.part_of(0.51)) == (0, None, None)


@dataclass(frozen=True)
class Greedy(Pairs):
    """Asks the same people twice at full price."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        asked = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        yield from super().begin(n_items, **asked)
        return (yield from super().begin(n_items, **asked))


def test_a_protocol_that_asks_for_more_than_was_announced_is_stopped(monkeypatch):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Greedy))
    held = draft(protocol="pairs")
    (survey,) = replay(held, 1, []).surveys
    one = tuple(m.tally(np.zeros(3, dtype=np.intp)) for m in survey.mechanisms)
    with pytest.raises(HushrankError, match="more than the 2 nats announced"):
        replay(held, 1, [(one,)])


@dataclass(frozen=True)
class Insistent(Pairs):
    """Asks the same people three times, any two of which they can pay."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        for name in ("first", "second", "third"):
            yield (sampled_survey(name, [RelativeOrder((0, 1))], 0.4 * epsilon),)


def test_all_rounds_before_are_added_up(monkeypatch):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Insistent))
    held = draft(protocol="pairs")
    (survey,) = replay(held, 1, []).surveys
    one = tuple(m.tally(np.zeros(3, dtype=np.intp)) for m in survey.mechanisms)
    assert isinstance(replay(held, 1, [(one,)]), Asked)
    with pytest.raises(HushrankError, match="more than the 2 nats announced"):
        replay(held, 1, [(one,)] * 2)


@dataclass(frozen=True)
class OnceDear(Pairs):
    """Asks the same people nine times, once for more than half of what they have."""

    dear: int = 0

    def begin(self, n_items, *, epsilon, n_people, seed):
        for nth in range(9):
            share = 9 / 16 if nth == self.dear else 1 / 16
            yield (sampled_survey(f"{nth}", [RelativeOrder((0, 1))], share * epsilon),)


@pytest.mark.parametrize("dear", range(9))
def test_of_many_rounds_none_is_free_wherever_the_dear_one_stands(dear, monkeypatch):
    """Eight cost no more than all, nine too much."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(OnceDear))
    held = draft(protocol="pairs", options={"dear": dear})
    (survey,) = replay(held, 1, []).surveys
    one = tuple(m.tally(np.zeros(3, dtype=np.intp)) for m in survey.mechanisms)
    assert isinstance(replay(held, 1, [(one,)] * 7), Asked)
    with pytest.raises(HushrankError, match="more than the 2 nats announced"):
        replay(held, 1, [(one,)] * 8)


@dataclass(frozen=True)
class DearByADigit(Pairs):
    """Asks the same people for two prices, whose sum is above 2.5092629876452617 by 2^-53 or so."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        for name, price in (("first", 0.2535775452398911), ("second", 2.2556854424053707)):
            yield (sampled_survey(name, [RelativeOrder((0, 1))], price),)


def test_prices_are_added_up_exactly(monkeypatch):
    """As floats they would sum to what was announced."""
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(DearByADigit))
    held = draft(protocol="pairs", epsilon=2.5092629876452617)
    (survey,) = replay(held, 1, []).surveys
    one = tuple(m.tally(np.zeros(3, dtype=np.intp)) for m in survey.mechanisms)
    with pytest.raises(HushrankError, match="cost a person more than"):
        replay(held, 1, [(one,)])


@dataclass(frozen=True)
class Forgetful(Pairs):
    """Asks who leaves items out first, and then only who ranks all."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        pair = RelativeOrder((0, 1))
        yield (sampled_survey("first", [Stated(pair, "unknown")], epsilon / 2),)
        yield (sampled_survey("second", [pair], epsilon / 2),)


@dataclass(frozen=True)
class HalfForgetful(Pairs):
    """Asks who leaves items out first, and then most parts of the people, but not the last."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        pair, half = RelativeOrder((0, 1)), epsilon / 2
        stated = [Stated(pair, "unknown")]
        yield (sampled_survey("first", stated, half),)
        yield tuple(
            sampled_survey(f"{n}", stated if n < 23 else [pair], half, lots=(n / 24, (n + 1) / 24))
            for n in range(24)
        )


@pytest.mark.parametrize("forgetful", [Forgetful, HalfForgetful])
def test_a_later_round_does_not_ask_for_complete_rankings_where_the_first_did_not(
    forgetful, monkeypatch
):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(forgetful))
    held = draft(protocol="pairs")
    (survey,) = replay(held, 1, []).surveys
    assert survey.takes_incomplete
    one = tuple(m.tally(np.zeros(3, dtype=np.intp)) for m in survey.mechanisms)
    with pytest.raises(HushrankError, match="a later round needs complete rankings"):
        replay(held, 1, [(one,)])


def test_people_of_rounds_that_ask_the_same_ones_count_once():
    budget = replay(draft(protocol="safari"), 1, []).surveys
    split = replay(draft(protocol="safari", options={"split": "people"}), 1, []).surveys
    of = [tuple(m.tally(np.zeros(2, dtype=np.intp)) for m in s.mechanisms) for s in budget]
    n_people = 2 * len(budget[0].questions)
    assert n_people_of([budget, budget], [tuple(of)] * 2) == n_people
    assert n_people_of([split], [tuple(of)]) == n_people


def test_people_of_parts_add_up_in_whatever_order_rounds_ask_them():
    pair = [RelativeOrder((0, 1))]
    lots = ((0.5, 0.75), (0.75, 1.0), (0.0, 0.5))
    parts = tuple(sampled_survey("part", pair, 0.5, lots=own) for own in lots)
    ten = (parts[0].local_mechanisms[0].tally(np.zeros(10, dtype=np.intp)),)
    assert n_people_of([(part,) for part in parts], [(ten,)] * 3) == 30


def test_who_leaves_between_rounds_is_counted():
    """Else fewer people would be said to have paid than did."""
    everybody = (sampled_survey("all", [RelativeOrder((0, 1))], 0.5),)
    tallies = [
        ((everybody[0].local_mechanisms[0].tally(np.zeros(n, dtype=np.intp)),),) for n in (20, 10)
    ]
    assert n_people_of([everybody, everybody], tallies) == 20


def test_who_answers_several_questions_is_one_person():
    """Else fewer people than the smallest group would be enough for a result."""
    pairs = (RelativeOrder((0, 1)), RelativeOrder((1, 2)))
    survey = Survey("tea", pairs, (GeneralizedRandomizedResponse(2, 0.5),) * 2, 1.0, 2, (0.0, 1.0))
    of_each = tuple(m.tally(np.zeros(10, dtype=np.intp)) for m in survey.mechanisms)
    assert n_people_of([(survey,)], [(of_each,)]) == 10


def test_people_of_parts_that_ask_for_more_answers_than_others_are_counted_by_their_own():
    """Else fewer people than the smallest group would be enough for a result."""
    pairs, mechanism = (RelativeOrder((0, 1)), RelativeOrder((1, 2))), PAIR.mechanisms[0]
    two = Survey("two", pairs, (mechanism,) * 2, 2 * mechanism.epsilon, 2, (0.5, 1.0))
    one = replace(PAIR, lots=(0.0, 0.5))
    ten = mechanism.tally(np.zeros(10, dtype=np.intp))
    assert n_reports_of(((ten,), (ten, ten)), (one, two)) == 20


def test_people_of_parts_whom_a_later_round_asks_again_count_once():
    """Else half of the smallest group would be enough for a result."""
    pair = [RelativeOrder((0, 1))]
    lots = ((0.0, 0.5), (0.5, 1.0), (0.0, 1.0))
    one, other, everybody = (sampled_survey("part", pair, 0.5, lots=own) for own in lots)
    ten = (one.local_mechanisms[0].tally(np.zeros(10, dtype=np.intp)),)
    twenty = (ten[0] + ten[0],)
    assert n_people_of([(one, other), (everybody,)], [(ten, ten), (twenty,)]) == 20


@pytest.mark.parametrize(
    ("shares", "comes_back"),
    [((1, 1), False), ((1, 0.5), True), ((0.5, 1), True), ((0.5, 0.5), True)],
)
def test_where_some_may_be_asked_again_all_are_told(shares, comes_back):
    held, pair = draft(), [RelativeOrder((0, 1))]
    lots = ((0.0, 0.5), (0.5, 1.0))
    parts = tuple(
        sampled_survey("part", pair, share * held.epsilon, lots=own)
        for share, own in zip(shares, lots, strict=True)
    )
    assert announce(held, "id", "series", parts, ()).comes_back == comes_back


N_MANY = 24
PAIR = sampled_survey("some", [RelativeOrder((0, 1))], 1.0)
OF_MANY = sampled_survey("some", [RelativeOrder((0, n)) for n in range(1, N_MANY + 1)], 1.0)


def counts_of(numbers):
    return tuple(Tally(np.array([n, 0]), int(n)) for n in numbers)


def test_tallies_of_many_parts_and_questions_are_counted_and_read_again():
    tallies = tuple(counts_of(row) for row in np.arange(1, N_MANY**2 + 1).reshape(N_MANY, -1))
    n_people = N_MANY**2 * (N_MANY**2 + 1) // 2
    again = decode_tallies(encode_tallies(tallies))
    assert n_reports_of(again, (OF_MANY,) * N_MANY) == n_people
    for part, before in zip(again, tallies, strict=True):
        assert [each.support.tolist() for each in part] == [
            each.support.tolist() for each in before
        ]


@pytest.mark.parametrize("are_apart", [True, False])
def test_people_of_many_rounds_count_once_where_any_two_parts_ask_the_same(are_apart):
    lots = [*pairwise(n / N_MANY for n in range(N_MANY + 1))]
    if not are_apart:
        lots[-1] = lots[-2]
    rounds = [(replace(PAIR, lots=each),) for each in lots]
    tallies = [(counts_of([n]),) for n in range(1, N_MANY + 1)]
    assert n_people_of(rounds, tallies) == (300 if are_apart else N_MANY)


def test_a_person_of_any_lot_is_asked_by_their_part_of_many():
    lots = [*pairwise(n / N_MANY for n in range(N_MANY + 1))]
    parts = tuple(PublishedSurvey(replace(PAIR, lots=each), NAMES) for each in lots)
    asked = Asked(parts)
    assert [asked.part_of((n + 0.5) / N_MANY) for n in range(N_MANY)] == [*range(N_MANY)]
    assert asked.fingerprints == tuple(part.fingerprint for part in parts)
    assert asked.surveys == tuple(part.survey for part in parts)


@dataclass(frozen=True)
class Lasting(Pairs):
    """Asks the same people 25 times, all but the last of which they can pay."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        for number in range(25):
            yield (sampled_survey(f"{number}", [RelativeOrder((0, 1))], epsilon / 24.5),)


def test_many_rounds_are_asked_as_long_as_people_can_pay(monkeypatch):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Lasting))
    held, one = draft(protocol="pairs"), (counts_of([3]),)
    assert replay(held, 1, [one] * 23).surveys[0].name == "23"
    with pytest.raises(HushrankError, match="more than the 2 nats announced"):
        replay(held, 1, [one] * 24)


def test_what_is_asked_twice_costs_twice():
    collection = _collection(draft(), 0, [(PAIR,), (PAIR,)], [(counts_of([3]),)] * 2, None)
    assert collection.outcome.spends == (PAIR.spend, PAIR.spend)
    assert collection.outcome.epsilon == 2 * PAIR.epsilon


def test_with_what_was_learnt_stands_what_its_organiser_asked_for():
    held = draft(protocol="safari", epsilon=2.0, options={"split": "people"})
    asked = _collection(held, 7, [(PAIR,)], [(counts_of([3]),)], None).asked
    told = {"protocol": "safari", "epsilon": 2.0, "split": "people", "seed": 7}
    assert told.items() <= asked.items()


def test_the_public_coins_are_those_of_the_seed():
    held = draft(protocol="max-entropy", options={"popular_orders": True})
    assert replay(held, 5, []).fingerprints != replay(held, 6, []).fingerprints


def test_the_price_of_each_part_of_many_rounds_is_remembered():
    """With what was learnt: fewer would say that it cost people less."""
    each = [sampled_survey("", [RelativeOrder((0, 1))], 0.01 * n) for n in range(1, 601)]
    rounds = [tuple(each[start : start + 24]) for start in range(0, 600, 24)]
    tallies = [(counts_of([3]),) * 24] * 25
    collection = _collection(draft(), 0, rounds, tallies, None)
    assert collection.outcome.spends == tuple(survey.spend for survey in each)

"""Every limit is where it is said to be, batches are as large as memory, statements are whole."""

import os
from dataclasses import replace
from math import inf, nextafter

import numpy as np
import pytest

from hushrank.accounting.spend import Spend
from hushrank.engines import crowd, local
from hushrank.engines.cluster import Draws, Size
from hushrank.engines.crowd import Crowd
from hushrank.engines.local import run, run_without_noise
from hushrank.engines.outcome import Outcome
from hushrank.engines.shuffler import LEAST, Target, priced
from hushrank.engines.tasks import FAN_IN, Workers, n_processors
from hushrank.errors import HushrankError, require
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.questions.named_set import NamedSet
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import EVERY_BUDGET, Survey

PEOPLE = Rankings.from_orders(np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]] * 10))
PAIR = RelativeOrder((0, 1))
SURVEY = sampled_survey("pair", [PAIR], 1.0)


def ask(*surveys):
    for survey in surveys:
        yield (survey,)


def test_how_many_ranks_there_may_be(monkeypatch):
    many = Rankings(PEOPLE.ranks[:1], PEOPLE.names, np.array([2**32 // 3 + 1]))
    monkeypatch.setattr(Rankings, "expanded", lambda self: PEOPLE)
    with pytest.raises(
        HushrankError, match=r"at most 4,294,967,296 ranks in all, got 4,294,967,298"
    ):
        Crowd.of(many, Randomness.seeded(1))
    monkeypatch.setattr(crowd, "MOST_RANKS", 90)
    assert len(Crowd.of(PEOPLE, Randomness.seeded(1))) == 30


def test_each_person_of_a_crowd_has_a_lot_of_their_own():
    crowd = Crowd(np.zeros((5000, 2), dtype=np.uint8), True, Randomness.seeded(4))
    assert np.unique(crowd.lots).size == 5000


def test_a_lot_is_the_first_53_bits_of_a_word():
    words = [0, 2**11 - 1, 2**11, 2**63, 2**64 - 1]
    tape = b"".join(word.to_bytes(8, "little") for word in words)
    people = Crowd(PEOPLE.ranks[:5], True, Randomness.replayed(tape))
    assert people.lots.tolist() == [word // 2**11 / 2**53 for word in words]
    public = Crowd(
        PEOPLE.ranks[:5], True, Randomness.replayed(b""), None, Randomness.replayed(tape)
    )
    assert public.lots.tolist() == people.lots.tolist()
    assert public.spent.tolist() == [0.0] * 5


@pytest.mark.parametrize(("lot", "is_asked"), [(0.25, True), (0.5, False), (0.75, False)])
def test_who_is_asked_begins_with_the_first_lot_and_ends_before_the_last(lot, is_asked):
    word = int(lot * 2**64).to_bytes(8, "little")
    people = Crowd(PEOPLE.ranks[:1], True, Randomness.replayed(word))
    assert len(people.asked(replace(SURVEY, lots=(0.25, 0.5)))) == is_asked


def test_a_budget_that_is_just_enough_is_enough():
    survey = replace(SURVEY, budgets=(1.0, 2.0))
    for budget, n_asked in ((1.0, 30), (nextafter(2, 0), 30), (2.0, 0), (nextafter(1, 0), 0)):
        budgets = np.full(30, budget)
        people = Crowd.of(PEOPLE, Randomness.seeded(1), budgets)
        assert len(people.asked(survey)) == n_asked
        assert people.spent.tolist() == [float(n_asked > 0)] * 30
    with pytest.raises(HushrankError, match="expected one budget for each of 30 people"):
        Crowd.of(PEOPLE, Randomness.seeded(1), [1.0] * 29)


OVERLAPPING = ((0.0, 0.5), (0.25, 1.0), (0.0, 1.0), (0.375, 0.625))


@pytest.mark.parametrize("n_rounds", range(3, 10))
def test_what_parts_are_asked_adds_up_for_each_person_whatever_their_lots_and_budgets(n_rounds):
    budgets = np.array([8.0, 16.0, 32.0] * 10)
    people, paid = Crowd.of(PEOPLE, Randomness.seeded(1), budgets), np.zeros(30)
    for nth in range(n_rounds):
        low, high = OVERLAPPING[nth % 4]
        least, price = (16.0 if nth % 3 == 1 else 1.0), 2.0 ** -(nth % 5)
        is_asked = (budgets >= least) & (low <= people.lots) & (people.lots < high)
        survey = sampled_survey("pair", [PAIR], price, lots=(low, high))
        asked = people.asked(replace(survey, budgets=(least, inf)))
        assert len(asked) == is_asked.sum()
        paid += np.where(is_asked, price, 0.0)
        assert people.spent.tolist() == paid.tolist()


@pytest.mark.parametrize("n_rounds", range(3, 10))
def test_a_part_is_refused_a_round_that_costs_more_than_all_before_left(n_rounds):
    people = Crowd.of(PEOPLE, Randomness.seeded(1), np.full(30, float(n_rounds)))
    for nth in range(n_rounds):
        people.asked(replace(SURVEY, lots=(0.0, (nth + 2) / 11)))
    with pytest.raises(HushrankError, match="more than somebody it asks has"):
        people.asked(sampled_survey("pair", [PAIR], 2.0**-20, lots=(0.0, 2 / 11)))


@pytest.mark.parametrize(
    ("mechanism", "n_bytes"),
    [
        (GeneralizedRandomizedResponse(6, 1.0), 8),
        (SymmetricUnaryEncoding(6, 1.0), 1),
        (SymmetricUnaryEncoding(24, 1.0), 3),
    ],
)
@pytest.mark.parametrize("most", [1, 24, 56])
@pytest.mark.block_sizes
def test_a_batch_holds_as_many_reports_as_fit_and_its_share_is_told(
    monkeypatch, mechanism, n_bytes, most
):
    """Of so many bytes, one report at least; the shares end with all of them."""
    monkeypatch.setattr(local, "MOST_BYTES_OF_A_BATCH", most)
    four = Rankings.from_orders(np.array([[0, 1, 2, 3]] * 30))
    asked = RelativeOrder(tuple(range(3 if mechanism.n_categories == 6 else 4)))
    told = []
    survey = Survey("order", (asked,), (mechanism,), 1.0)
    run(ask(survey), four, rng=Randomness.seeded(1), on_share=told.append)
    size = max(1, most // n_bytes)
    assert told == [min(start + size, 30) / 30 for start in range(0, 30, size)]


@pytest.mark.block_sizes
def test_a_batch_is_a_million_people_or_64_megabytes():
    sizes = [
        local._people_of_a_batch(Survey("orders", (order,), (mechanism,), 1.0))
        for order, mechanism in (
            (PAIR, GeneralizedRandomizedResponse(2, 1.0)),
            (RelativeOrder(tuple(range(6))), SymmetricUnaryEncoding(720, 1.0)),
        )
    ]
    assert sizes == [2**20, 2**26 // 90]


def test_the_share_that_is_told_is_of_all_answers():
    pairs = tuple(RelativeOrder(pair) for pair in ((0, 1), (0, 2), (1, 2)))
    hides = (GeneralizedRandomizedResponse(2, 0.5),) * 3
    for mechanisms in (hides, (*hides[:2], GeneralizedRandomizedResponse(2, 0.25))):
        told = []
        survey = Survey("pairs", pairs, mechanisms, 1.0, answers_per_person=2)
        run(ask(survey), PEOPLE, rng=Randomness.seeded(1), on_share=told.append)
        assert told == sorted(set(told))
        assert (0 < told[0] < 1, told[-1]) == (True, 1.0)


def test_without_noise_every_member_of_a_set_counts():
    named = NamedSet((0, 1), 3)
    survey = Survey("named", (named,), (NamedMember(3, 1.0, 2),), 1.0)

    def truth():
        return (yield (survey,))[0][0]

    tally, mechanism = run_without_noise(truth(), PEOPLE), survey.mechanisms[0]
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    assert tally.support == pytest.approx(np.full(3, 20 * (p - q) + q * 30))
    assert tally.n_reports == 30


def spend(name, epsilon, lots=(0.0, 1.0), **more):
    return Spend(name, epsilon, "Any", lots, **more)


ONE, THREE = spend("pairs", 1.0), spend("pairs", 3.0)
PARTS = spend("pairs", 1.0, (0.0, 0.5)), spend("whole order", 2.0, (0.5, 1.0))
OF_SHUFFLER = spend("pairs", 0.25, model="shuffled", delta=2**-13)
AGAINST = "against everybody, the collector included."
TRUST = (
    "if the shuffler forwards nothing else, keeps nothing and sides with nobody, nobody sends"
    " twice, and all the others report as they should."
)


@pytest.mark.parametrize(
    ("outcome", "statement"),
    [
        (
            Outcome(0, (ONE,), 1, True),
            "The reports protect 1 person by 1-LDP"
            f" (in nats: 1 to say which of two items comes first) {AGAINST}",
        ),
        (
            Outcome(0, (ONE, ONE), 1200, True),
            "The reports protect each of 1,200 people by 2-LDP (in nats: 1 to say which of two"
            f" items comes first; 1 to say which of two items comes first) {AGAINST}",
        ),
        (
            Outcome(0, PARTS, 2, True),
            "The reports protect each of 2 people by 2-LDP (in nats: 1 to say which of two items"
            f" comes first; 2 to say the whole order; of different people) {AGAINST}",
        ),
        (
            Outcome(0, (ONE, PARTS[0]), 2, True),
            "The reports protect each of 2 people by 2-LDP (in nats: 1 to say which of two items"
            " comes first; 1 to say which of two items comes first; of different people)"
            f" {AGAINST}",
        ),
        (
            Outcome(0, (ONE, THREE), 2, True, ((1.0, 3.0), (3.0, inf))),
            "The reports protect each of 2 people by 3-LDP, within their own budgets from 1 to 3"
            " (in nats: 1 to say which of two items comes first; 3 to say which of two items comes"
            f" first; of different people) {AGAINST}",
        ),
        (
            Outcome(
                *(0, (ONE, THREE, replace(ONE, epsilon=2.0)), 2, True),
                ((1.0, 3.0), (3.0, inf), (3.0, inf)),
            ),
            "The reports protect each of 2 people by 5-LDP, within their own budgets from 1 to 5"
            " (in nats: 1 to say which of two items comes first; 3 to say which of two items comes"
            " first; 2 to say which of two items comes first; of different people)"
            f" {AGAINST}",
        ),
        (
            Outcome(0, (ONE, ONE, THREE), 2, True, ((1.0, 3.0), (1.0, 3.0), (3.0, inf))),
            "The reports protect each of 2 people by 3-LDP, within their own budgets from 2 to 3"
            " (in nats: 1 to say which of two items comes first; 1 to say which of two items comes"
            " first; 3 to say which of two items comes first; of different people)"
            f" {AGAINST}",
        ),
        (
            Outcome(0, PARTS[:1], 2, True),
            "The reports protect each of 2 people by 1-LDP (in nats: 1 to say which of two items"
            f" comes first; of different people) {AGAINST}",
        ),
        *(
            (
                Outcome(0, rounds, 1, False, shuffled=shuffled),
                f"Not private: simulated {len(rounds)}-LDP reports whose noise is not secret.",
            )
            for rounds in ((ONE,), (ONE, ONE))
            for shuffled in ((), (OF_SHUFFLER,))
        ),
        *(
            (
                Outcome(0, (ONE,), n_people, True, shuffled=(OF_SHUFFLER, OF_SHUFFLER)),
                "Shuffled: (0.5, 0.000244141)-DP for each person, another ranking of theirs being"
                f" the neighbour, against whoever sees only {reports} in random order: {TRUST}"
                f" Whatever the shuffler does, the reports protect {people} by 1-LDP"
                f" (in nats: 1 to say which of two items comes first) {AGAINST}",
            )
            for n_people, reports, people in (
                (1, "the 1 report", "1 person"),
                (1200, "all 1,200 reports", "each of 1,200 people"),
            )
        ),
    ],
)
def test_what_was_protected_is_said_word_for_word(outcome, statement):
    assert outcome.privacy_statement == statement


def test_an_outcome_of_no_round_costs_nothing():
    nothing = Outcome(0, (), 3, True)
    assert (nothing.epsilon, nothing.epsilons, nothing.central_loss) == (0.0, (), None)
    assert (nothing.private_model, nothing.budgets) == ("local", ())
    shuffled = replace(nothing, shuffled=(OF_SHUFFLER,))
    assert (shuffled.private_model, *shuffled.central_loss) == ("shuffled", 0.25, 2**-13)


def test_who_has_no_budget_of_their_own_pays_for_all_rounds():
    rounds = (ONE, replace(ONE, epsilon=0.5), THREE)
    budgets = (EVERY_BUDGET, (1.0, 3.0), (3.0, inf))
    assert Outcome(0, rounds, 2, True, budgets).epsilons == (1.0, 1.5, 4.0)
    assert Outcome(0, rounds[1:], 2, True, budgets[1:]).epsilons == (0.5, 3.0)


def test_who_was_not_asked_in_a_later_round_paid_for_the_others_alone():
    rounds = tuple(replace(ONE, epsilon=each) for each in (0.5, 1.0))
    outcome = Outcome(0, rounds, 2, True, ((1.0, inf), (1.0, 2.0)))
    assert outcome.epsilons == (0.5, 1.5)
    assert "by 1.5-LDP, within their own budgets from 0.5 to 1.5" in outcome.privacy_statement


@pytest.mark.parametrize("budgets", [EVERY_BUDGET, (1.0, inf)])
def test_rounds_of_the_same_budgets_are_not_of_different_people(budgets):
    said = Outcome(0, (ONE, ONE), 2, True, (budgets, budgets)).privacy_statement
    assert "by 2-LDP" in said
    assert "different people" not in said


@pytest.mark.parametrize("last", [{"lots": (0.0, 0.5)}, {"budgets": (1.0, 3.0)}])
def test_of_however_many_rounds_it_is_said_that_one_asks_different_people(last):
    spends = [ONE] * 50 + [replace(ONE, lots=last.get("lots", (0.0, 1.0)))]
    budgets = [EVERY_BUDGET] * 50 + [last.get("budgets", EVERY_BUDGET)]
    other = Outcome(0, tuple(spends), 2, True, tuple(budgets))
    assert other.epsilons[-1] == 51
    assert "; of different people)" in other.privacy_statement
    assert other.privacy_statement.count("; ") == 51
    assert (
        "of different people"
        not in replace(other, spends=(ONE,) * 51, budgets=(EVERY_BUDGET,) * 51).privacy_statement
    )


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ((1.0, 0.0), "a delta above 0 and below 1, got 0.0"),
        ((1.0, 1.0), "a delta above 0 and below 1, got 1.0"),
        ((0.0, 0.5), "a positive central_epsilon, got 0.0"),
        ((-1.0, 0.5), "a positive central_epsilon, got -1.0"),
        ((1.0, 0.5, 0), "at least 1 round, got 0"),
    ],
)
def test_what_shuffled_reports_may_cost_has_limits(target, said):
    for taken in ((5e-324, 5e-324), (None, nextafter(1, 0)), (1.0, 0.5, 1)):
        assert Target(*taken).n_rounds == 1
    with pytest.raises(HushrankError, match=said):
        Target(*target)


def test_a_round_behind_a_shuffler_is_named_by_all_its_surveys_and_mechanisms():
    halves = (
        sampled_survey("first", [PAIR], 1.0, lots=(0.0, 0.5)),
        sampled_survey("other", [NamedSet((0,), 3)], 1.0, lots=(0.5, 1.0)),
    )
    found = Target(0.9, 1e-3).price(halves, 10_000)
    stated = "GeneralizedRandomizedResponse and NamedMember, shuffled"
    assert (found.release, found.mechanism) == ("first and other", stated)
    assert Target(None, nextafter(1, 0)).price(halves, 10_000).epsilon == LEAST == 1e-9
    few = r"^1,000 people are too few: reports of 1 nats are not \(0\.02344, 0\.000122071\)-DP by"
    with pytest.raises(HushrankError, match=few):
        Target(3 / 128, 2**-13).price(halves, 1000)


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_as_many_rounds_are_asked_behind_a_shuffler_as_share_the_target(n_rounds):
    paid = []
    rounds = priced(ask(*[SURVEY] * 4), Target(None, 0.5, n_rounds), 30, paid)
    for nth in range(n_rounds):
        assert rounds.send(None if nth == 0 else ()) == (SURVEY,)
        assert len(paid) == nth + 1
    with pytest.raises(HushrankError, match=f"at most {n_rounds} rounds"):
        rounds.send(())
    assert len(paid) == n_rounds


def drawn(rng):
    return rng.words(4).tolist() if isinstance(rng, Randomness) else rng.bytes(32)


def test_no_words_are_drawn_for_two_purposes_surveys_or_pieces():
    draws = Draws.of(5)
    assert draws == Draws(5, 5)
    each = [drawn(draws.lots_of(piece)) for piece in range(3)]
    for place in ((0, 0), (0, 1), (1, 0), (1, 1)):
        each += [drawn(draws.noise(*place)), list(drawn(draws.short_cut(*place)))]
        assert drawn(draws.noise(*place)) == drawn(Draws(5, 6).noise(*place))
        assert drawn(draws.short_cut(*place)) == drawn(draws.short_cut(*place))
    assert len(set(map(tuple, each))) == len(each)
    assert drawn(draws.lots_of(1)) == drawn(Draws(None, 5).lots_of(1))
    secret = Draws.of(None)
    assert secret.seed is None
    assert secret.noise(0, 0).is_private
    assert not draws.noise(0, 0).is_private
    assert Draws.of(None).lots != secret.lots >= 2**64  # by chance, with probability 2^-64
    assert drawn(secret.short_cut(0, 0)) != drawn(secret.short_cut(0, 0))


@pytest.mark.parametrize("complete", [(True, True), (True, False), (False, True), (False, False)])
def test_a_sum_of_people_is_complete_or_strict_where_both_are(complete):
    one, other = complete
    total = Size(("a",), 3, one, True) + Size(("a",), 4, other, True)
    assert total == Size(("a",), 7, one and other, True)
    total = Size(("a",), 3, True, one) + Size(("a",), 4, True, other)
    assert total == Size(("a",), 7, True, one and other)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (("threads", 0), "workers: expected at least 1, got 0"),
        (("processes", -1), "workers: expected at least 1, got -1"),
        (("tcp://a:1", 1), "workers: a scheduler elsewhere has its own"),
        ((None, 1), "workers: expected a scheduler beside their number"),
        (("tcp", None), "scheduler: expected threads, processes or an address .*, got tcp"),
    ],
)
def test_workers_are_one_or_more_and_not_told_of_a_scheduler_elsewhere(told, said):
    for taken in ((), ("threads", 1), ("processes",), ("tcp://a:1",)):
        assert Workers(*taken).pool is None
    with pytest.raises(HushrankError, match=said):
        Workers(*told)


def joined(shared, piece):
    return f"{shared}{piece} "


@pytest.mark.parametrize("n_pieces", [1, FAN_IN, FAN_IN + 1, FAN_IN**2 + 1])
@pytest.mark.parametrize("scheduler", [None, "threads"])
def test_sums_keep_the_order_of_pieces_however_many_there_are(scheduler, n_pieces):
    told = []
    pieces = range(n_pieces)
    found = Workers(scheduler).add_up(joined, "n", pieces, lambda *step: told.append(step))
    assert found.split() == [f"n{piece}" for piece in pieces]
    assert told == [(f"{n_pieces:,} pieces", (n + 1) / n_pieces) for n in pieces]
    each, told = [], []
    Workers(scheduler).each(
        joined, "n", pieces, lambda *one: each.append(one), lambda *step: told.append(step)
    )
    assert each == [(piece, f"n{piece} ") for piece in pieces]
    assert told[-1] == (f"{n_pieces:,} pieces", 1.0)


@pytest.mark.parametrize("scheduler", [None, "threads"])
@pytest.mark.parametrize("n_pieces", [1, 2, FAN_IN, FAN_IN + 1])
@pytest.mark.parametrize("at_end", [False, True])
def test_a_sum_without_one_of_its_pieces_is_none(scheduler, n_pieces, at_end):
    bad = n_pieces - 1 if at_end else 0
    with pytest.raises(HushrankError, match="no such piece"):
        Workers(scheduler).add_up(others_than, bad, range(n_pieces))


def others_than(bad: int, piece: int) -> int:
    require(piece != bad, "no such piece")
    return piece


@pytest.mark.parametrize(("seen", "expected"), [({0}, 1), ({0, 3, 5}, 3)])
def test_as_many_work_as_processors_may_be_used(monkeypatch, seen, expected):
    """Of this process, which is 0; where the system does not say, as many as there are, or one."""
    monkeypatch.setattr(os, "sched_getaffinity", {0: seen}.__getitem__, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert n_processors() == expected
    monkeypatch.delattr(os, "sched_getaffinity")
    assert n_processors() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert n_processors() == 1


def test_nothing_to_add_up_is_refused_and_nothing_to_do_is_done():
    with pytest.raises(HushrankError, match="at least 1 piece of input"):
        Workers().add_up(joined, "n", ())
    for scheduler in (None, "threads"):
        Workers(scheduler).each(joined, "n", (), lambda *one: pytest.fail("there is none"))


def fails_at(first, piece):
    if piece >= first:
        raise HushrankError(f"piece {piece} is bad")
    return piece


@pytest.mark.parametrize("scheduler", [None, "threads"])
@pytest.mark.parametrize("first", [0, 3])
def test_results_before_one_that_failed_are_passed_on_and_none_after(scheduler, first):
    each = []
    with pytest.raises(HushrankError, match="is bad"):
        Workers(scheduler, 1 if scheduler else None).each(
            fails_at, first, range(6), lambda *one: each.append(one)
        )
    assert each == [(piece, piece) for piece in range(first)]

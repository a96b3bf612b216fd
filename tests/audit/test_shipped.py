"""Faults of several rounds, of withheld records and of parameters are found from outside."""

from dataclasses import replace
from itertools import combinations
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec import structs

from hushrank.aggregators.registry import METHODS
from hushrank.audit import audit
from hushrank.audit.replay import Replay, replay
from hushrank.audit.shipped import central, devices, local, publishing, rounds
from hushrank.audit.shipped.central import central_subjects
from hushrank.audit.shipped.devices import device_subjects
from hushrank.audit.shipped.local import local_subjects
from hushrank.audit.shipped.publishing import publishing_subjects
from hushrank.audit.shipped.rounds import rounds_subjects
from hushrank.engines.crowd import Crowd
from hushrank.errors import HushrankError
from hushrank.randomness import Randomness

DRAWS = 8_000


@pytest.fixture
def rng():
    return Randomness.seeded(1)


def named(subjects, name):
    return next(each for each in subjects if each.name == name)


def of_two(subject):
    """Return the subject with one pair of its inputs: opposite rankings."""
    pair = subject.pairs[-1] if "abcd" not in subject.inputs else ("abcd", "dcba")
    inputs = {name: subject.inputs[name] for name in pair}
    return replace(subject, inputs=inputs, pairs=(pair,))


def test_only_what_is_made_for_a_delta_may_fail_by_it():
    allowed = {each.name for each in central_subjects(1.0, 0.01) if each.delta}
    assert allowed == {"noise gaussian", "aggregate gaussian-borda", "aggregate gaussian-kemeny"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rounds of own budgets", "rounds of one survey"])
def test_what_several_rounds_cost_is_not_exceeded(rng, name):
    assert not audit(of_two(named(rounds_subjects(1.0), name)), draws=4_000, rng=rng).exceeds


@pytest.mark.slow
def test_a_round_that_costs_a_whole_budget_is_found(rng, monkeypatch):
    """Nobody books, and each of the three rounds takes everything."""
    monkeypatch.setattr(rounds, "share_of", lambda level, parts: level)
    monkeypatch.setattr(Crowd, "_charge", lambda *_: None)
    rounds._pair_surveys.cache_clear()
    subject = of_two(named(rounds_subjects(1.0), "rounds of own budgets"))
    found = audit(subject, draws=4_000, rng=rng)
    rounds._pair_surveys.cache_clear()
    assert found.exceeds, str(found)


def test_a_device_that_forgets_what_it_answered_is_found(rng, monkeypatch):
    honest = rounds.answer_each
    forgetful = lambda handout, truths, past, hide, **terms: honest(  # noqa: E731
        handout, truths, {}, hide, **terms
    )
    monkeypatch.setattr(rounds, "answer_each", forgetful)
    subject = named(rounds_subjects(2.0), "rounds of one survey")
    assert audit(subject, draws=DRAWS, rng=rng).exceeds


def test_an_account_that_tells_what_was_answered_is_found(rng, monkeypatch):
    honest = rounds.answer_each

    def telling(handout, truths, *given, **terms):
        drawn = honest(handout, truths, *given, **terms)
        (truth,) = truths.values()
        nats = drawn.answered.nats * (1 + int(truth[0]))
        return replace(drawn, answered=structs.replace(drawn.answered, nats=nats))

    monkeypatch.setattr(rounds, "answer_each", telling)
    subject = named(rounds_subjects(2.0), "rounds of one survey")
    assert audit(subject, draws=DRAWS, rng=rng).exceeds


def test_bytes_whose_number_tells_a_ranking_are_found(rng, monkeypatch):
    """Reports of many bits hardly ever come twice: their hashes show nothing."""
    honest = devices._Device._answer

    def padded(self, person, rng):
        first, *others = honest(self, person, rng)
        return (first + b" " * int(person.ranks[0, 0]), *others)

    monkeypatch.setattr(devices._Device, "_answer", padded)
    assert audit(of_two(named(device_subjects(1.0), "device rappor")), draws=4_000, rng=rng).exceeds


@pytest.mark.parametrize("name", ["olh", "sh"])
def test_hashed_reports_that_are_true_too_often_are_found(rng, name):
    make = next(make for each, make, _ in local.MECHANISMS if each == name)
    loud = local._reports_of(make(local.N_CATEGORIES, 3.0))
    subject = replace(of_two(named(local_subjects(1.0), f"mechanism {name}")), draw=loud)
    assert audit(subject, draws=DRAWS, rng=rng).exceeds


def test_what_is_said_of_how_sure_an_order_is_is_looked_at(rng):
    right = METHODS["p-borda-centred"]

    def telling(ballots, terms):
        found = right.run(ballots, terms)
        sure = (ballots.whole.n_people / 10,) * 2
        return replace(found, evidence=replace(found.evidence, confidence=sure))

    wrong = central._of_ballots("telling", replace(right, run=telling), 1.0, 0.0)
    assert audit(of_two(wrong), draws=4_000, rng=rng).exceeds


def test_a_ballot_is_added_to_one_to_a_tie_and_to_a_majority():
    subject = named(central_subjects(1.0, 0.01), "aggregate p-borda")
    assert {one for one, _ in subject.pairs} == {
        "ballots abc",
        "ballots abc, cba",
        "ballots abc, abc, acb",
    }
    assert len(subject.pairs) == 3 * 6


def test_all_that_a_person_reports_in_three_rounds_is_looked_at(rng):
    subject = named(rounds_subjects(1.0), "rounds of own budgets")
    found = subject.draw(subject.inputs["abcd"], 2, rng)
    assert found.shape == (2, rounds.N_ROUNDS * len(rounds.LEVELS) * 2)


def test_all_inputs_of_a_mechanism_and_of_a_device_are_told_apart():
    for subject in (*local_subjects(1.0), *device_subjects(1.0)):
        told = {frozenset(pair) for pair in subject.pairs}
        assert told == {frozenset(pair) for pair in combinations(subject.inputs, 2)}


def test_that_a_record_is_withheld_tells_nothing_and_an_unbalanced_choice_is_found(rng):
    subject, _ = publishing_subjects()
    assert audit(subject, rng=rng).bound == 0
    solved = subject.draw.__self__.solved
    unbalanced = replace(solved, chances=np.where(solved.beliefs[:, 0] > 0.5, 0.6, 0.4))
    wrong = replace(subject, draw=replace(subject.draw.__self__, solved=unbalanced).draw)
    assert audit(wrong, rng=rng).bound > 0.05


def test_a_pool_tells_nothing_and_pools_that_look_at_tastes_alone_are_found(rng):
    _, subject = publishing_subjects()
    assert audit(subject, rng=rng).bound == 0
    solved = subject.draw.__self__.solved
    blind = replace(solved, beliefs=np.full_like(solved.beliefs, 0.5)).chances
    unbalanced = SimpleNamespace(beliefs=solved.beliefs, chances=blind)
    wrong = replace(subject, draw=replace(subject.draw.__self__, solved=unbalanced).draw)
    assert audit(wrong, rng=rng).bound > 0.05


def test_a_replay_finds_output_that_depends_on_what_it_must_not(rng):
    inputs = {"0": 0, "1": 1, "2": 2}
    right = Replay("right", inputs, lambda value, seed: str(seed).encode())
    wrong = Replay("wrong", inputs, lambda value, seed: str(seed + (value == 2)).encode())
    assert not replay(right, rng=rng).exceeds
    found = replay(wrong, rng=rng)
    assert (found.bound, found.inputs, found.hits) == (inf, ("0", "2"), found.draws)
    assert found.exceeds
    with pytest.raises(HushrankError, match="2 or more inputs"):
        Replay("x", {"0": 0}, right.run)


def test_one_replay_that_differs_is_enough(rng):
    seeds = []

    def run(value, seed):
        seeds.append(seed)
        return str(seed + (value == 1 and seed == seeds[0])).encode()

    found = replay(Replay("wrong at times", {"0": 0, "1": 1}, run), rng=rng, replays=3)
    assert (found.bound, found.inputs) == (inf, ("0", "1"))
    assert (found.hits, found.draws) == (1, 3)


def test_a_budget_is_rehearsed_with_other_values_and_with_other_records(monkeypatch):
    seen = []

    def parts(visits, people, *_, **__):
        seen.append((people.attributes[0].codes.tobytes(), visits.scores.toarray().tobytes()))
        raise StopAsyncIteration

    monkeypatch.setattr(publishing, "rehearsed_parts", parts)
    (audited,) = publishing.publishing_replays()
    for changed in audited.inputs.values():
        with pytest.raises(StopAsyncIteration):
            audited.run(changed, 1)
    (values, records), (others, same), (alike, moved) = seen
    assert (values == alike, records == same) == (True, True)
    assert values != others
    assert records != moved

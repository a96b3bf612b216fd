"""A shuffled collection says whom its guarantees trust, and keeps the local one beside."""

import re
from importlib import import_module

import numpy as np
import pytest

import hushrank
from hushrank.accounting.composition import share_of
from hushrank.accounting.rounding import within
from hushrank.accounting.shuffling import central_delta
from hushrank.engines.shuffler import Target, forward
from hushrank.errors import HushrankError
from hushrank.protocols.registry import make_protocol
from hushrank.workflows.plan.plan import ShuffledPlan
from hushrank.workflows.shuffled import ROUNDS, largest_local_epsilon, local_epsilons

N_PEOPLE = 800


@pytest.fixture(scope="module")
def people():
    return hushrank.simulate("mallows", people=N_PEOPLE, items=4, seed=1)


def shuffled(people, **asked):
    return hushrank.collect(people, **{"shuffled": True, "central_epsilon": 0.8, **asked})


@pytest.mark.parametrize("protocol", ["max-entropy", "safari", "grr", "pairs", "rappor"])
def test_people_report_at_more_than_the_central_epsilon(people, protocol):
    learnt = shuffled(people, protocol=protocol, delta=1e-5)
    assert learnt.central_epsilon == 0.8
    assert learnt.delta == 1e-5
    assert learnt.epsilon > 1.1 * 0.8
    each = learnt.outcome.shuffled
    assert len(each) == (2 if protocol == "safari" else 1)
    local = learnt.epsilon / len(each)
    for spend in each:
        generally = central_delta(spend.epsilon, local=local, n_reports=N_PEOPLE)
        assert spend.delta >= generally or protocol in ("max-entropy", "grr")


def test_both_guarantees_are_stated_and_each_by_its_name(people):
    learnt = shuffled(people)
    assert "Shuffled: (0.8, 1e-06)-DP" in learnt.privacy
    assert "-LDP (in nats:" in learnt.privacy
    told = learnt.to_dict()
    assert told["private_model"] == "shuffled"
    assert told["central_epsilon"] == 0.8
    assert told["delta"] == 1e-6
    assert told["epsilon"] == learnt.epsilon > 2
    assert {spend["model"] for spend in told["spend"]} == {"local"}
    assert {spend["model"] for spend in told["spend_if_shuffled"]} == {"shuffled"}
    assert "0.8, delta 1e-06, by trust in a shuffler" in str(learnt)
    assert (learnt.asked["central_epsilon"], learnt.asked["delta"]) == (0.8, 1e-6)
    assert "and shuffled (central epsilon 0.8, delta 1e-06)" in learnt.page().caption


def test_without_a_shuffler_everything_is_local(people):
    learnt = hushrank.collect(people, 1)
    told = learnt.to_dict()
    assert (told["private_model"], told["central_epsilon"], told["delta"]) == ("local", None, None)
    assert told["spend_if_shuffled"] == []
    assert "huffle" not in learnt.privacy + str(learnt) + learnt.page().caption
    assert learnt.asked["delta"] is None


def test_a_local_epsilon_is_kept_and_priced(people):
    learnt = hushrank.collect(people, 2, shuffled=True)
    assert learnt.epsilon == 2
    assert 0 < learnt.central_epsilon < 1
    with pytest.raises(HushrankError, match="800 people are too few"):
        hushrank.collect(people, 6, shuffled=True, central_epsilon=0.5)


def test_a_seed_protects_nobody_behind_a_shuffler_either(people):
    learnt = shuffled(people, seed=3)
    assert not learnt.is_private
    assert learnt.privacy.startswith("Not private")
    assert learnt.private_model == "shuffled"


def test_what_does_not_fit_together_is_refused(people):
    few = hushrank.simulate("mallows", people=3, items=4, seed=1)
    for asked, match in (
        ({"central_epsilon": None}, "expected a central_epsilon, or"),
        ({"shuffled": False, "epsilon": 1}, "central_epsilon and delta need shuffled"),
        ({"shuffled": False, "central_epsilon": None, "epsilon": 1, "delta": 0.1}, "need shuffled"),
        ({"short_cut": True}, "no reports to be shuffled"),
        ({"delta": 0}, "delta above 0"),
        ({"central_epsilon": -1}, "positive central_epsilon"),
        ({"protocol": "safari", "split": "people"}, "asks a part"),
    ):
        with pytest.raises(HushrankError, match=match):
            shuffled(people, **asked)
    with pytest.raises(HushrankError, match="too few to gain"):
        shuffled(few, central_epsilon=0.1)
    with pytest.raises(HushrankError, match="expected an epsilon"):
        hushrank.collect(people)
    with pytest.raises(TypeError, match="central_epsilon"):
        shuffled(people, central_epsilon="1")


@pytest.mark.parametrize("protocol", ["pairs", "safari"])
def test_every_report_passes_through_the_shuffler_before_it_is_tallied(
    people, protocol, monkeypatch
):
    """Tallies are sums: without a look at the reports nobody would notice that none is shuffled."""
    came = []

    def watched(reports, ends, *, rng):
        passed_on = forward(reports, ends, rng=rng)
        came.append((len(reports), rng))
        assert len(reports) < 20 or not np.array_equal(passed_on, reports)
        return passed_on

    monkeypatch.setattr(import_module("hushrank.workflows.collect"), "forward", watched)
    learnt = shuffled(people, protocol=protocol, seed=3)
    n_answers = learnt.outcome.n_people * len(learnt.outcome.shuffled)
    assert sum(n for n, _ in came) >= n_answers
    assert len({id(rng) for _, rng in came}) == 1
    came.clear()
    hushrank.collect(people, 1.0, protocol=protocol, seed=3)
    assert came == []


def test_a_shuffler_draws_from_the_operating_system(people, monkeypatch):
    """Whoever guesses what it draws from undoes what it does."""
    sources = []

    def watched(reports, ends, *, rng):
        sources.append(rng)
        return forward(reports, ends, rng=rng)

    monkeypatch.setattr(import_module("hushrank.workflows.collect"), "forward", watched)
    shuffled(people)
    assert {rng.is_private for rng in sources} == {True}


def told_epsilons(planned):
    """Return the local epsilons of a plan as its sentence has them."""
    said = planned.shuffled.words.split("local epsilons: ")[1]
    return {name: float(told) for name, told in re.findall(r"([\w-]+) ([\d.]+\d)", said)}


def test_what_a_plan_prints_can_be_asked_for_and_is_kept(people):
    planned = hushrank.plan(items=4, people=N_PEOPLE, shuffled=True, central_epsilon=0.8)
    told = told_epsilons(planned)
    assert told == planned.to_dict()["shuffled"]["local_epsilons"]
    for protocol in ("max-entropy", "safari", "grr"):
        asked = {"protocol": protocol, "epsilon": told[protocol]}
        assert shuffled(people, **asked).central_epsilon == 0.8
        assert shuffled(people, protocol=protocol).to_dict()["epsilon"] == told[protocol]
    with pytest.raises(HushrankError, match="too few"):
        shuffled(people, epsilon=1.002 * told["max-entropy"])


def test_a_plan_behind_a_shuffler_is_for_the_delta_that_was_asked_for():
    asked = {"items": 4, "people": N_PEOPLE, "shuffled": True, "central_epsilon": 0.8}
    usual, strict = (hushrank.plan(**asked, **more).shuffled for more in ({}, {"delta": 1e-9}))
    assert (usual.delta, strict.delta) == (within(1e-6), within(1e-9))
    assert strict.local_epsilons["grr"] < usual.local_epsilons["grr"]


@pytest.mark.parametrize("n_people", [120, 3_456, 100_000])
@pytest.mark.parametrize("central", [0.03, 0.7, 2.123456])
def test_local_epsilons_are_numerals_that_are_certified_themselves(n_people, central):
    most, delta = within(central), within(1e-7)
    own = local_epsilons(n_items=6, n_people=n_people, central_epsilon=most, delta=delta)
    assert own["max-entropy"] >= own["rappor"] >= most
    for name, local in own.items():
        assert local == most or local == within(float(f"{local:.4g}"))
        begun = make_protocol(name).begin(6, epsilon=local, n_people=n_people, seed=1)
        target = Target(most, delta, ROUNDS.get(name, 1))
        assert target.price(next(begun), n_people).model == "shuffled"
        begun.close()


def test_a_protocol_of_fewer_items_is_given_what_every_randomiser_may_have():
    most, delta = within(0.7), within(1e-7)
    own = local_epsilons(n_items=60, n_people=N_PEOPLE, central_epsilon=most, delta=delta)
    assert own["max-entropy"] == own["grr"] > most
    assert central_delta(most, local=own["grr"], n_reports=N_PEOPLE) <= delta


def test_a_numeral_that_costs_a_little_more_is_not_taken(monkeypatch):
    """Of 1.234, 1.233, ... the first is taken that keeps to delta, and not to a hundredth more."""
    module = import_module("hushrank.workflows.shuffled")

    def costs(epsilon, *, local, **asked):
        return 0.5e-7 if local <= 0.615 else 0.5001e-7

    monkeypatch.setattr(module, "local_epsilon", lambda *given, **asked: 1.2345 / 2)
    monkeypatch.setattr(module, "central_delta", costs)
    found = largest_local_epsilon(
        make_protocol("safari"), n_items=4, n_people=1_000, target=Target(0.5, 1e-7, 2)
    )
    assert found == within(1.23)


def test_of_several_rounds_each_is_certified_at_its_share(monkeypatch):
    """At all of it a round would have to hide more than anybody asked for."""
    module, each_asked = import_module("hushrank.workflows.shuffled"), []

    def costs(epsilon, *, local, **asked):
        each_asked.append((epsilon, local))
        return 0.5e-7

    monkeypatch.setattr(module, "local_epsilon", lambda *given, **asked: 1.2345 / 2)
    monkeypatch.setattr(module, "central_delta", costs)
    largest_local_epsilon(
        make_protocol("safari"), n_items=4, n_people=1_000, target=Target(0.5, 1e-7, 2)
    )
    assert each_asked == [(0.25, share_of(within(1.234), 2))]


def test_a_numeral_is_certified_by_the_clones_of_what_is_asked_at_it(monkeypatch):
    """Beside it, other questions may be asked, of which other clones are known."""
    module = import_module("hushrank.workflows.shuffled")

    def costs(epsilon, *, local, clone_rate, **asked):
        return 0.5e-7 if clone_rate == local else 1.0

    monkeypatch.setattr(module, "clone_rate", lambda surveys: surveys[0].epsilon)
    monkeypatch.setattr(module, "local_epsilon", lambda *given, **asked: 1.2345)
    monkeypatch.setattr(module, "central_delta", costs)
    found = largest_local_epsilon(
        make_protocol("grr"), n_items=4, n_people=1_000, target=Target(0.5, 1e-7)
    )
    assert found == within(1.234)


def test_a_plan_says_no_less_than_what_holds_behind_a_shuffler():
    foretold = hushrank.plan(items=4, people=5000, shuffled=True, central_epsilon=0.8, delta=1e-7)
    told = foretold.to_dict()["shuffled"]
    assert (told["central_epsilon"], told["delta"]) == (0.8, 1e-7)
    assert foretold.shuffled.central_epsilon < 0.8
    finer = ShuffledPlan(within(0.80049012), within(1.004e-7), {"grr": within(1.234567)})
    assert "Shuffled: (0.800491, 1.004e-07)-DP" in finer.words
    assert "local epsilons: grr 1.234567." in finer.words
    numbers = {"central_epsilon": 0.80049012, "delta": 1.004e-7}
    assert finer.to_dict() == {**numbers, "local_epsilons": {"grr": 1.234567}}

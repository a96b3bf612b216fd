"""The one list of protocols: complete, strict about options, open to plug-ins."""

from dataclasses import dataclass

import numpy as np
import pytest

from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols import registry
from hushrank.protocols.registry import (
    EVERY_OPTION,
    MECHANISMS,
    PROTOCOLS,
    make_protocol,
    protocol_names,
)
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings


@dataclass(frozen=True)
class Installed:
    """An entry point, as an installed distribution has it."""

    name: str
    made: object
    value: str = "package:Made"

    def load(self):
        return self.made


def install(monkeypatch, kind, *plug_ins):
    def entry_points(group, **asked):
        found = plug_ins if group == f"hushrank.{kind}" else ()
        return [each for each in found if asked.get("name", each.name) == each.name]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def people(n_people=60, n_items=4):
    orders = np.random.default_rng(5).permuted(np.tile(np.arange(n_items), (n_people, 1)), axis=1)
    return Rankings.from_orders(orders)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_every_protocol_learns_answers_to_the_same_words(name):
    crowd, protocol = people(), make_protocol(name)
    assert protocol.name == name
    rounds = protocol.begin(4, epsilon=2.0, n_people=60, seed=3)
    outcome = run(rounds, crowd, rng=Randomness.seeded(7))
    learnt = outcome.result
    assert outcome.epsilon <= 2.0
    assert (learnt.model is not None) == protocol.has_model == PROTOCOLS[name].has_model
    assert learnt.order is None or sorted(learnt.order) == [0, 1, 2, 3]
    assert learnt.order is not None or protocol.has_model
    shown = learnt.shown(crowd.names)
    assert all(shares.shape == (4, 4) for shares in shown.pair_shares.values())
    rng = np.random.default_rng(1)
    if protocol.has_model:
        assert learnt.sample(30, rng=rng).shape == (30, 4)
    else:
        with pytest.raises(HushrankError, match="one order"):
            learnt.sample(30, rng=rng)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_exact_answers_can_be_asked_for_where_there_are_rankings_to_compare(name):
    protocol = make_protocol(name)
    assert (protocol.truthful(5, 1.0) is not None) == protocol.has_model


@pytest.mark.parametrize("name", ["pairs", "ldp-kwiksort-rr", "ldp-kwiksort-lap"])
def test_a_person_answers_as_many_pairs_as_are_asked_for(name):
    """At this epsilon one would be asked for where nothing is said."""
    for queries in (None, 3):
        protocol = make_protocol(name, {"queries": queries})
        (survey,) = next(protocol.begin(5, epsilon=1.0, n_people=60, seed=3))
        assert survey.answers_per_person == (queries or 1)


def test_every_mechanism_is_a_protocol_that_hides_whole_rankings():
    assert {name: make_protocol(name).mechanism for name in MECHANISMS} == MECHANISMS


def test_the_options_of_all_protocols_are_named_where_they_were_not_asked_for():
    assert set(EVERY_OPTION) == {option for each in PROTOCOLS.values() for option in each.options}


def test_exact_answers_are_read_without_repairs_against_noise():
    plain, epsilon = make_protocol("safari", {"shrink": True, "leaf_size": 2}).truthful(5, 0.5)
    assert plain == make_protocol("safari", {"leaf_size": 2})
    assert epsilon == 0.5


def test_an_option_of_another_protocol_is_refused_by_name():
    with pytest.raises(HushrankError, match=r"pairs takes no leaf_size: it belongs to safari"):
        make_protocol("pairs", {"leaf_size": 2})
    with pytest.raises(HushrankError, match=r"pairs takes no leaf_size"):
        make_protocol("pairs", {"queries": 1, "leaf_size": 2})
    with pytest.raises(HushrankError, match=r"subset-order takes no options|takes no queries"):
        make_protocol("subset-order", {"queries": 1})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("max-entropy", {"prior": "bold"}),
        ("max-entropy", {"rows": "some"}),
        ("max-entropy", {"unranked": "first"}),
        ("max-entropy", {"unranked": "last", "popular_orders": True}),
        ("safari", {"post_process": "kemeny"}),
        ("safari", {"mechanism": "none"}),
        ("grr", {"post_process": "auto"}),
        ("pairs", {"post_process": "clip"}),
        ("ldp-kwiksort-lap", {"post_process": "simplex"}),
    ],
)
def test_a_value_that_no_protocol_knows_is_refused_before_anybody_is_asked(name, options):
    with pytest.raises(HushrankError):
        make_protocol(name, options)


def test_an_unknown_protocol_is_refused_with_those_that_are_known():
    with pytest.raises(HushrankError, match=r"max-entropy, safari, .*got nothing"):
        make_protocol("nothing")


def test_a_mechanism_that_is_plugged_in_is_a_protocol_and_a_part_of_safari(monkeypatch):
    names = (*(f"number {n}" for n in range(30)), "mine", "the last")
    made = (Installed(name, GeneralizedRandomizedResponse) for name in names)
    install(monkeypatch, "mechanisms", *made)
    assert protocol_names() == (*PROTOCOLS, *names)
    crowd, seed = people(), 11
    results = [
        run(
            make_protocol(name).begin(4, epsilon=1.0, n_people=60, seed=0),
            crowd,
            rng=Randomness.seeded(seed),
        ).result.model.shares
        for name in ("mine", "grr")
    ]
    np.testing.assert_array_equal(*results)
    assert make_protocol("safari", {"mechanism": "mine"}).mechanism == "mine"


def test_a_protocol_that_is_plugged_in_takes_its_fields_as_options(monkeypatch):
    @dataclass(frozen=True)
    class Mine(registry.SubsetOrders):
        favourite: int = 3
        name = "mine"

    install(monkeypatch, "protocols", Installed("mine", Mine))
    assert make_protocol("mine", {"favourite": 4}).favourite == 4
    with pytest.raises(HushrankError, match="mine takes no queries"):
        make_protocol("mine", {"queries": 4})

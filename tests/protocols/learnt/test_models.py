from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.engines.local import simulate
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.models.popular_orders import PopularOrders
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome
from hushrank.protocols.distributions.popular_orders import PopularOrdersOutcome
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.protocols.registry import MaxEntropy, make_protocol
from hushrank.rankings.profile import Rankings

FEW = (MixPart("pairs", 0.2), MixPart("extremes", 0.3), MixPart("ranks-and-pairs", 0.5))
MANY = (MixPart("pairs", 1 / 32),) * 32


@pytest.mark.parametrize(
    ("n_items", "unranked", "mix", "n_stated"), [(4, "last", FEW, 3), (8, "unknown", MANY, 28)]
)
def test_all_that_was_asked_and_is_stated_is_told(n_items, unranked, mix, n_stated):
    orders = np.random.default_rng(5).permuted(np.tile(np.arange(n_items), (60, 1)), axis=1)
    protocol = MaxEntropy(unranked=unranked, chosen=mix)
    rounds = protocol.begin(n_items, epsilon=2.0, n_people=60, seed=3)
    people, rng = Rankings.from_orders(orders), np.random.default_rng(1)
    learnt = simulate(rounds, people, rng=rng).result
    chosen = learnt.shown(people.names).chosen
    assert tuple(MixPart(**part) for part in chosen["mix"]) == mix
    assert chosen["stated_shares"] == learnt.outcome.stated_shares.tolist()
    assert len(chosen["stated_shares"]) == n_stated


def test_shares_of_pairs_are_those_of_the_whole_model():
    """And not of the people who hold no popular order."""
    people = Rankings.from_orders(np.tile(np.arange(4), (60, 1)))
    rounds = MaxEntropy(chosen=(MixPart("pairs"),)).begin(4, epsilon=2.0, n_people=60, seed=3)
    learnt = simulate(rounds, people, rng=np.random.default_rng(1)).result
    everybody = np.full((4, 4), 0.25)
    vars(learnt.outcome)["model"] = SimpleNamespace(precedences=everybody)
    assert learnt.shown(people.names).pair_shares["of the model"] is everybody


@pytest.mark.parametrize("prior", ["safe", "typical"])
@pytest.mark.parametrize("rows", ["herded", "independent"])
def test_what_was_asked_for_is_told_as_it_was(prior, rows):
    people = Rankings.from_orders(np.tile(np.arange(3), (60, 1)))
    protocol = MaxEntropy(prior=prior, rows=rows, chosen=(MixPart("pairs"),))
    rounds = protocol.begin(3, epsilon=2.0, n_people=60, seed=3)
    learnt = simulate(rounds, people, rng=np.random.default_rng(1)).result
    chosen = learnt.shown(people.names).chosen
    assert (learnt.outcome.prior, chosen["prior"], chosen["rows"]) == (prior, prior, rows)


@pytest.mark.parametrize("post_process", ["simplex", "clip"])
@pytest.mark.parametrize("name", ["safari", "grr"])
def test_how_shares_were_made_possible_is_told(name, post_process):
    people = Rankings.from_orders(np.tile(np.arange(3), (60, 1)))
    protocol = make_protocol(name, {"post_process": post_process})
    rounds = protocol.begin(3, epsilon=2.0, n_people=60, seed=3)
    learnt = simulate(rounds, people, rng=np.random.default_rng(1)).result
    assert learnt.shown(people.names).chosen == {"post_process": post_process}


FOUND = PopularOrders(np.array([[2, 0, 1]]), np.array([0.25]))


def test_beside_popular_orders_stands_the_model_of_those_who_hold_none():
    """And not the wide one, which is there for errors."""
    model, wide = SimpleNamespace(n_items=3), SimpleNamespace(n_items=3)
    rest = SimpleNamespace(
        point=SimpleNamespace(model=model),
        wide=SimpleNamespace(point=SimpleNamespace(model=wide)),
    )
    found = SimpleNamespace(popular=FOUND, fit=rest)
    outcome = MaxEntropyOutcome((1.0,), (FEW,), "safe", rest, found)
    assert outcome.model.popular is FOUND
    assert outcome.model.rest is model  # the other is equal to it


def test_errors_of_popular_orders_are_part_of_all_errors():
    """Of one order the share errs; the rest is known exactly, and prefers nothing."""
    at, none = np.full((3, 3), 1 / 3), np.zeros((3, 3))
    even = RankEstimates(at, none, np.full((3, 3), 0.5), none, np.zeros(3), none)
    rest = SimpleNamespace(estimates=even)
    estimates = PopularOrdersOutcome(rest, FOUND, np.array([0.02]), 0.02).estimates
    assert np.sort(estimates.at_errors.ravel()) == pytest.approx([0.02 / 3] * 6 + [0.04 / 3] * 3)

from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.engines.local import simulate
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.protocols.registry import MaxEntropy
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

"""Check a protocol: what it costs, that it is a function of its tallies, and that it learns."""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Ranks
from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.models.mallows import Mallows
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.registry import NamedProtocol, Rounds
from hushrank.randomness import Randomness
from hushrank.rankings.coding import rank_type
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Round, RoundTallies
from hushrank.testing.statistics import promise

CLEAR_EPSILON, N_AGREEING = 8.0, 4000
"""What people say who agree is hardly perturbed."""
PUBLIC_SEED = 7


def check_protocol(
    protocol: NamedProtocol,
    *,
    n_items: int = 4,
    epsilon: float = 1.0,
    n_people: int = 500,
    seed: int = 2026,
) -> None:
    """Check a protocol with its options settled, on made-up people.

    No person is asked for more than epsilon over all rounds; the same tallies lead to the same
    surveys and the same result, so that a collection can be resumed and replayed; what is learnt
    answers to the words of `protocols.learnt.learnt.Learnt`; an epsilon that cannot be is refused
    before anybody is asked; and where 4,000 people agree on an order, at 8 nats each, the protocol
    finds that order.   Raises AssertionError.
    """
    people = _crowd(n_items, n_people, 0.6, seed)
    taken = _Taken([], [])
    recording = _recorded(_begin(protocol, people, epsilon), taken)
    outcome = run(recording, people, rng=Randomness.seeded(seed))
    promise(outcome.epsilon <= epsilon, f"costs {outcome.epsilon} nats, was given {epsilon}")
    _check_learnt(outcome.result, protocol, n_items)
    _check_replay(_begin(protocol, people, epsilon), taken, outcome.result)
    _check_refusal(protocol, people)
    _check_learns(protocol, n_items, seed)


@dataclass(frozen=True)
class _Taken:
    """What one collection asked, and which tallies it received."""

    rounds: list[Round]
    tallies: list[RoundTallies]


def _begin(protocol: NamedProtocol, people: Rankings, epsilon: float) -> Rounds[Learnt]:
    return protocol.begin(
        people.n_items, epsilon=epsilon, n_people=people.n_people, seed=PUBLIC_SEED
    )


def _recorded(rounds: Rounds[Learnt], taken: _Taken) -> Rounds[Learnt]:
    try:
        surveys = next(rounds)
        while True:
            taken.rounds.append(surveys)
            tallies = yield surveys
            taken.tallies.append(tallies)
            surveys = rounds.send(tallies)
    except StopIteration as end:
        learnt: Learnt = end.value
        return learnt


def _check_replay(rounds: Rounds[Learnt], taken: _Taken, learnt: Learnt) -> None:
    asked = []
    try:
        asked.append(next(rounds))
        for tallies in taken.tallies:
            asked.append(rounds.send(tallies))
    except StopIteration as end:
        same = asked == taken.rounds
        promise(same, "the same tallies lead to other surveys: a collection cannot be resumed")
        promise(end.value.order == learnt.order, "the same tallies lead to another order")
        if learnt.model is not None:
            drawn, again = (_sampled(each) for each in (learnt, end.value))
            promise(np.array_equal(drawn, again), "the same tallies lead to another model")
        return
    promise(False, "the same tallies do not bring the protocol to its end")


def _check_learnt(learnt: Learnt, protocol: NamedProtocol, n_items: int) -> None:
    promise((learnt.model is not None) == protocol.has_model, "has_model is not what it learns")
    promise(learnt.model is not None or learnt.order is not None, "learns no model and no order")
    whole = learnt.order is None or sorted(learnt.order) == list(range(n_items))
    promise(whole, "the order does not name each item once")
    names = tuple(str(item) for item in range(n_items))
    learnt.shown(names)
    if learnt.model is not None:
        rows = Rankings(_sampled(learnt), names)
        promise(rows.is_complete and rows.is_strict, "synthetic rankings are not whole and strict")


def _sampled(learnt: Learnt) -> Ranks:
    return learnt.sample(50, rng=np.random.default_rng(1))


def _check_refusal(protocol: NamedProtocol, people: Rankings) -> None:
    for wrong in (0.0, -1.0, float("nan")):
        try:
            next(_begin(protocol, people, wrong))
        except HushrankError:
            continue
        promise(False, f"an epsilon of {wrong} is not refused")


def _check_learns(protocol: NamedProtocol, n_items: int, seed: int) -> None:
    people = _crowd(n_items, N_AGREEING, 0.0, seed)
    rounds = _begin(protocol, people, CLEAR_EPSILON)
    learnt = run(rounds, people, rng=Randomness.seeded(seed + 1)).result
    order = learnt.order
    if order is None:
        rows = learnt.sample(N_AGREEING, rng=np.random.default_rng(seed))
        order = tuple(int(item) for item in np.argsort(rows.mean(axis=0)))
    agreed = tuple(int(item) for item in np.argsort(people.ranks[0]))
    promise(order == agreed, "people agree, and the protocol finds another order")


def _crowd(n_items: int, n_people: int, dispersion: float, seed: int) -> Rankings:
    rng = np.random.default_rng(seed)
    centre = tuple(int(item) for item in rng.permutation(n_items))
    ranks = Mallows(centre, dispersion).sample(n_people, rng=rng).astype(rank_type(n_items))
    return Rankings(ranks, tuple(str(item) for item in range(n_items)))

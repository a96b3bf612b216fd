"""corankco, pref_voting and svvamp, in an environment of their own: print what each task took.

`python aggregation_peers.py PEER BALLOTS SECONDS REPETITIONS`; BALLOTS is a file of orders (people,
items). Prints "ready" once the peer has its form of the ballots, then a line a repetition; ends
itself when SECONDS have passed since, by a signal that also reaches compiled code.
"""

import json
import signal
import sys
from collections.abc import Callable
from resource import RLIMIT_AS, RUSAGE_CHILDREN, RUSAGE_SELF, getrusage, setrlimit
from typing import Any

import numpy as np
from harness import check

SECONDS_TO_START = 600
BYTES = 6 * 10**9
NO_TIES = [[0.0, 1.0, 1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]]  # a tie never pays


def corankco_exact(orders: Any) -> Callable[[], list[int]]:
    """Prepare corankco's integer program, solved by the CBC that comes with PuLP."""
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp

    return _corankco(ExactAlgorithmPulp(), orders)


def corankco_parcons(orders: Any) -> Callable[[], list[int]]:
    """Prepare corankco's ParCons: the groups apart, and each by CPLEX."""
    from corankco.algorithms.parcons.parcons import ParCons

    return _corankco(ParCons(), orders)


def svvamp_kemeny(orders: Any) -> Callable[[], list[int]]:
    """Prepare svvamp's Kemeny rule on a profile that has counted its pairs."""
    from svvamp import Profile, RuleKemeny

    profile = Profile(preferences_rk=orders)
    check(profile.matrix_duels_rk.any(), "svvamp: expected counts of the pairs")

    def act() -> list[int]:
        return [int(item) for item in RuleKemeny()(profile).candidates_by_scores_best_to_worst_]

    return act


def pref_voting_kemeny(orders: Any) -> Callable[[], list[int]]:
    """Prepare pref_voting's Kemeny-Young method, which tries every order."""
    from pref_voting.other_methods import kemeny_young_rankings
    from pref_voting.profiles import Profile

    profile = Profile(orders.tolist())
    return lambda: [int(item) for item in kemeny_young_rankings(profile)[0][0]]


def svvamp_borda(orders: Any) -> Callable[[], list[int]]:
    """Prepare svvamp's Borda rule; a profile counts its ballots once, so each run makes its own."""
    from svvamp import Profile, RuleBorda

    def act() -> list[int]:
        scores = RuleBorda()(Profile(preferences_rk=orders)).scores_
        return [int(item) for item in np.argsort(-scores, kind="stable")]

    return act


def pref_voting_borda(orders: Any) -> Callable[[], list[int]]:
    """Prepare pref_voting's Borda scores."""
    from pref_voting.profiles import Profile

    profile = Profile(orders.tolist())

    def act() -> list[int]:
        scores = profile.borda_scores()
        return sorted(scores, key=lambda item: -scores[item])

    return act


PEERS = {
    prepare.__name__: prepare
    for prepare in (
        corankco_exact,
        corankco_parcons,
        svvamp_kemeny,
        pref_voting_kemeny,
        svvamp_borda,
        pref_voting_borda,
    )
}


def _corankco(algorithm: Any, orders: Any) -> Callable[[], list[int]]:
    from corankco.dataset import Dataset
    from corankco.scoringscheme import ScoringScheme

    dataset = Dataset.from_raw_list([[{item} for item in order] for order in orders.tolist()])
    scheme = ScoringScheme(NO_TIES)

    def act() -> list[int]:
        found = algorithm.compute_consensus_rankings(dataset, scheme, True)
        return [int(item.value) for tied in found.consensus_rankings[0] for item in tied]

    return act


def _measured(act: Callable[[], list[int]]) -> dict[str, Any]:
    begin = _processor_seconds()
    try:
        order = act()
    except Exception as error:  # what a peer raises is its result
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": _processor_seconds() - begin, "order": order}


def _processor_seconds() -> float:
    """Return user and system time of this process and its ended children, such as CBC."""
    spent = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _main(peer: str, ballots: str, limit: int, repetitions: int) -> None:
    setrlimit(RLIMIT_AS, (BYTES, BYTES))
    signal.alarm(SECONDS_TO_START)
    act = PEERS[peer](np.load(ballots))
    print(json.dumps("ready"), flush=True)
    signal.alarm(limit)
    for _ in range(1 + repetitions):
        measured = _measured(act)
        print(json.dumps(measured), flush=True)
        if "error" in measured:
            return


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

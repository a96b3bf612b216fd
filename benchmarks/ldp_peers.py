"""pure-ldp and multi-freq-ldpy, in an environment of their own: print what a task took.

Both work one person at a time, so they are called as their documentation does: in a loop.
"""

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import check, seconds
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client
from people import categories
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient

EPSILON = 1.0


def grr_client(n_people: int, k: int, repetitions: int) -> dict[str, Any]:
    """Time the clients of generalised randomised response; count the reports of category 0."""
    people = categories(n_people, k).tolist()
    client = DEClient(EPSILON, k, index_mapper=_itself)
    return {
        "pure-ldp": _measured(
            lambda: [client.privatise(person) for person in people],
            lambda reports: reports.count(0),
            repetitions,
        ),
        "multi-freq-ldpy": _measured(
            lambda: [GRR_Client(person, k, EPSILON) for person in people],
            lambda reports: reports.count(0),
            repetitions,
        ),
    }


def unary_client(n_people: int, k: int, repetitions: int) -> dict[str, Any]:
    """Time the clients of optimised unary encoding; count the reports with bit 0."""
    return _unary_client(n_people, k, repetitions, optimised=True)


def symmetric_unary_client(n_people: int, k: int, repetitions: int) -> dict[str, Any]:
    """Time the clients of symmetric unary encoding; count the reports with bit 0."""
    return _unary_client(n_people, k, repetitions, optimised=False)


def olh_server(n_people: int, k: int, repetitions: int) -> dict[str, Any]:
    """Time the collectors of optimised local hashing; count the support of category 0."""
    people = categories(n_people, k).tolist()
    client = LHClient(EPSILON, k, use_olh=True, index_mapper=_itself)
    pure_reports = [client.privatise(person) for person in people]
    multi_reports = [LH_Client(person, k, EPSILON) for person in people]
    return {
        "pure-ldp": _measured(
            lambda: _pure_olh_support(pure_reports, k), lambda support: support[0], repetitions
        ),
        "multi-freq-ldpy": _measured(
            lambda: LH_Aggregator_MI(multi_reports, k, EPSILON), _require_favourite, repetitions
        ),
    }


def _unary_client(n_people: int, k: int, repetitions: int, optimised: bool) -> dict[str, Any]:
    people = categories(n_people, k).tolist()
    client = UEClient(EPSILON, k, use_oue=optimised, index_mapper=_itself)
    return {
        "pure-ldp": _measured(
            lambda: [client.privatise(person) for person in people],
            lambda reports: sum(report[0] for report in reports),
            repetitions,
        ),
        "multi-freq-ldpy": _measured(
            lambda: [UE_Client(person, k, EPSILON, optimised) for person in people],
            lambda reports: sum(report[0] for report in reports),
            repetitions,
        ),
    }


def _pure_olh_support(reports: list[tuple[int, int]], k: int) -> Any:
    server = LHServer(EPSILON, k, use_olh=True, index_mapper=_itself)
    server.aggregate_all(reports)
    return server.aggregated_data


def _require_favourite(shares: Any) -> None:
    """Check what can be checked of clipped shares, whose error is not known: who leads."""
    check(shares.argmax() == 0, "multi-freq-ldpy: expected category 0 to lead")


def _itself(category: int) -> int:
    return category


def _measured(
    act: Callable[[], Any], support_of_popular: Callable[[Any], Any], repetitions: int
) -> dict[str, Any]:
    support = support_of_popular(act())
    spent = seconds(act, repetitions)
    return {"seconds": spent, "support": None if support is None else float(support)}


TASKS = {
    task.__name__: task for task in (grr_client, unary_client, symmetric_unary_client, olh_server)
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # both warn of small epsilon
    np.random.seed(1)  # noqa: NPY002 - the peers draw from numpy's global state
    task, n_people, k, repetitions = sys.argv[1], *map(int, sys.argv[2:])
    print(json.dumps(TASKS[task](n_people, k, repetitions)))

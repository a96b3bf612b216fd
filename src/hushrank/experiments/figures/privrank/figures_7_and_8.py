"""Figures 7 and 8 of Yang, Qu, Cudré-Mauroux: privacy while a stream of activity goes on."""

from collections.abc import Mapping, Sequence
from functools import partial

from hushrank.experiments.experiment import Experiment, Group, Measurement, View
from hushrank.experiments.on_activity.movielens_100k import MOVIELENS_100K, NAME
from hushrank.experiments.on_activity.stream_measurements import StreamMeasurements, over_time
from hushrank.experiments.on_activity.stream_methods import (
    StreamMethod,
    diff_stream,
    privrank_stream,
    rand_stream,
    unprotected,
)
from hushrank.experiments.populations import Populations

GROUPS: tuple[Group, ...] = ("reference", "proposed", "repair", "compared")
SHARES = (0.0, 0.5, 1.0)
"""Of each user's stream; 0 is the history alone."""
Methods = Mapping[str, tuple[Group, StreamMethod]]
EQUAL_UTILITY: Methods = {
    "unprotected": ("reference", unprotected),
    "PrivRank": ("proposed", privrank_stream(5e-5)),
    "PrivRank, ties ignored": ("proposed", privrank_stream(5e-5, "ignored")),
    "Rand, Frapp": ("compared", rand_stream(0.1)),
    "Diff": ("compared", diff_stream(1e4)),
}
EQUAL_PRIVACY: Methods = {
    "PrivRank": ("proposed", privrank_stream(3e-4)),
    "Rand, Frapp": ("compared", rand_stream(0.04)),
    "Diff": ("compared", diff_stream(2e4)),
}
"""Both tuned on other splits: to one MAP each."""


def plan(methods: Methods, people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return each method at each time, after equal histories."""
    log = people[NAME]
    profiles = people[f"{NAME}-profiles"].aligned(log.users, surplus="dropped")
    streams = StreamMeasurements(log, profiles, ("gender",))
    shares = SHARES[:: 2 if quick else 1]
    return over_time(streams, methods, shares, population=NAME)


def _figure(number: int, level: str, methods: Methods) -> Experiment:
    views = (
        View("the worst attacker", GROUPS, "worst", "1 - AUC", "linear", NAME),
        View("linear SVM, taught on originals", GROUPS, "SVM", "1 - AUC", "linear", NAME),
        View("utility", GROUPS, "MAP", "MAP", "linear", NAME),
        View("told by the stream", GROUPS, "stream leakage", "bits, summed", "linear", NAME),
    )
    return Experiment(
        name=f"privrank-{number}",
        title=f"Yang, Qu, Cudré-Mauroux, figure {number}: privacy over time, {level}",
        shows=f"privacy while activity goes on, {level}, on MovieLens-100K",
        x_label="share of each user's stream",
        views=(views[:2], views[2:]),
        plan=partial(plan, methods),
        populations=MOVIELENS_100K,
        repetitions=5,
    )


PRIVRANK_7 = _figure(7, "at equal utility", EQUAL_UTILITY)
PRIVRANK_8 = _figure(8, "at equal privacy", EQUAL_PRIVACY)

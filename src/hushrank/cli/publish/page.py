"""The report of a historical release."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushrank.publishing.cluster_channel.candidates import constant_distortion
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from hushrank.publishing.historical.release import GroupPlan
from hushrank.publishing.leakage.measures import leakage_bits
from hushrank.reports.release_page import (
    GroupPicture,
    PublishingPage,
    write_publishing_report,
)
from hushrank.workflows.publish import Published

SHARES_OF_SILENCE = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Where the line is computed: of the distortion at which one cluster is released for all."""
GAP = 1e-2


def write_page(
    path: Path,
    published: Published,
    figures: Mapping[str, str],
    notes: Sequence[str],
    *,
    title: str,
) -> None:
    """Write what the release costs and tells, beside the best channels between its clusters."""
    users = published.users
    groups = [_picture(published, plan) for plan in published.release.plans]
    unit = users.distances.name
    shown = PublishingPage(title, notes, figures, unit, users.clusters.sizes, groups)
    write_publishing_report(path, shown)


def _picture(published: Published, plan: GroupPlan) -> GroupPicture:
    problem = ChannelProblem(plan.joint, published.users.distances.matrix, 0.0)
    return GroupPicture(
        protects=", ".join(plan.names),
        before=plan.told.untouched_bits,
        after=leakage_bits(plan.joint, plan.transitions),
        distortion=problem.distortion(plan.transitions),
        trade_off=trade_off(problem),
        channel=plan.transitions,
    )


def trade_off(problem: ChannelProblem) -> NDArray[np.float64]:
    """Return distortion and least leakage in bits (budgets, 2), from 0 to where nothing leaks."""
    silence = constant_distortion(problem)
    found = [(0.0, leakage_bits(problem.joint))]
    for share in SHARES_OF_SILENCE:
        budget = share * silence
        solved = solve_channel(ChannelProblem(problem.joint, problem.distances, budget), gap=GAP)
        found.append((solved.distortion, solved.leakage_bits))
    return np.array([*found, (silence, 0.0)])

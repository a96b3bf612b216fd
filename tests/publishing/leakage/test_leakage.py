"""Leakage: exact where it is known, unbiased where it is estimated, and the worst of it."""

from itertools import product
from math import log, log2

import numpy as np
import pytest
from numpy.typing import NDArray

from hushrank.errors import HushrankError
from hushrank.publishing.channel import Channel
from hushrank.publishing.leakage.estimates import estimate_leakage
from hushrank.publishing.leakage.measures import (
    cross_counts,
    leakage_bits,
    released_joint,
    worst_log_ratio,
)
from tests.statistics import critical_deviate, random_seed

Table = NDArray[np.float64]
BLUR = np.array([[0.7, 0.3, 0], [0.2, 0.8, 0], [0, 0.5, 0.5]])


def entropy(shares: Table) -> float:
    return -sum(share * log2(share) for share in np.ravel(shares) if share > 0)


def information(joint: Table) -> float:
    return entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint)


def draw_joint(n_groups: int, n_values: int) -> Table:
    rng = np.random.default_rng(random_seed())
    return rng.dirichlet(np.ones(n_groups * n_values)).reshape(n_groups, n_values)


def test_leakage_is_the_mutual_information() -> None:
    joint = draw_joint(3, 4)
    assert leakage_bits(joint) == pytest.approx(information(joint), abs=1e-12)
    expected = information(BLUR.T @ joint)
    assert leakage_bits(joint, BLUR) == pytest.approx(expected, abs=1e-12)
    assert leakage_bits(joint, Channel(BLUR)) == leakage_bits(joint, BLUR)


def test_leakage_of_everything_and_of_nothing() -> None:
    assert leakage_bits(np.eye(4) / 4) == pytest.approx(2, abs=1e-12)
    assert leakage_bits(np.outer([0.2, 0.8], [0.5, 0.3, 0.2])) == pytest.approx(0, abs=1e-12)
    assert leakage_bits(draw_joint(3, 2), np.full((3, 3), 1 / 3)) == pytest.approx(0, abs=1e-12)


def test_the_worst_ratio_is_over_groups_and_values() -> None:
    joint = np.array([[0.1, 0.2], [0.4, 0.3]])
    assert worst_log_ratio(joint) == pytest.approx(log(2))
    assert worst_log_ratio(np.eye(2) / 2) == np.inf
    assert worst_log_ratio(np.array([[0.2, 0.0], [0.3, 0.5]])) == np.inf
    assert worst_log_ratio(np.outer([0.2, 0.8], [0.5, 0.5])) == pytest.approx(0, abs=1e-12)
    table = released_joint(draw_joint(3, 3), BLUR)
    given = table / table.sum(axis=0)
    ratios = [abs(log(row[y] / row[z])) for row in given for y, z in product(range(3), repeat=2)]
    assert worst_log_ratio(draw_joint(3, 3), BLUR) == pytest.approx(max(ratios))
    with pytest.raises(HushrankError, match="got 1 values without"):
        worst_log_ratio(np.array([[0.5, 0], [0.5, 0]]))


def test_a_value_that_the_last_of_many_groups_rules_out_has_an_infinite_ratio() -> None:
    assert worst_log_ratio(np.array([*np.full((24, 2), 1 / 50), [1 / 25, 0]])) == np.inf


def test_users_are_counted_by_group_and_value() -> None:
    counts = cross_counts(np.array([0, 2, 2, 1]), np.array([1, 0, 0, -1]), 3, 2)
    assert counts.tolist() == [[0, 1], [0, 0], [2, 0]]


@pytest.mark.parametrize(
    ("groups", "values"),
    [([3], [0]), ([-1], [0]), ([0], [2]), ([0], [-2]), ([0.0], [0]), ([0, 1], [0])],
)
def test_unknown_groups_and_values_are_refused(groups: list[int], values: list[int]) -> None:
    with pytest.raises(HushrankError):
        cross_counts(np.array(groups), np.array(values), 3, 2)


@pytest.mark.parametrize("group", [-1, 3])
def test_the_last_group_of_many_users_is_checked(group: int) -> None:
    with pytest.raises(HushrankError, match=r"expected groups 0\.\.2"):
        cross_counts(np.array([0] * 30 + [group]), np.zeros(31, dtype=int), 3, 2)


def without_one(counts: Table, cell: tuple[int, int]) -> Table:
    fewer = counts.copy()
    fewer[cell] -= 1
    return fewer


@pytest.mark.parametrize("channel", [None, BLUR])
def test_the_estimate_is_its_definition(channel: Table | None) -> None:
    counts = np.random.default_rng(random_seed()).integers(0, 5, (3, 4))
    counts[1] = 0
    counts[0, 2] = 1
    n_users = counts.sum()
    found = estimate_leakage(counts, channel)
    rows = np.eye(3) if channel is None else channel

    def plug_in(table: Table) -> float:
        return information(rows.T @ (table / table.sum()))

    fewer = [
        counts[cell] * plug_in(without_one(counts, cell))
        for cell in np.argwhere(counts > 0)
        for cell in [tuple(cell)]
    ]
    jackknife = n_users * plug_in(counts) - (n_users - 1) * sum(fewer) / n_users
    assert found == pytest.approx(jackknife, abs=1e-9)


def mean_excess(joint: Table, n_users: int, channel: Table | None) -> tuple[Table, Table]:
    """Return by how much plug-in and estimate exceed the truth: means, and standard errors."""
    rng = np.random.default_rng(random_seed())
    found = []
    for _ in range(N_SAMPLES):
        counts = rng.multinomial(n_users, joint.ravel()).reshape(joint.shape)
        plug_in = leakage_bits(counts / n_users, channel)
        found.append([plug_in, estimate_leakage(counts, channel)])
    excess = np.array(found) - leakage_bits(joint, channel)
    return excess.mean(axis=0), excess.std(axis=0) / N_SAMPLES**0.5


N_SAMPLES = 400


@pytest.mark.parametrize("tells", [0.0, 0.4])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_the_estimate_takes_off_what_chance_shows(tells: float, noise: float) -> None:
    """The plug-in's bias is tens of standard errors, the estimate's a few at most."""
    n_groups = 30
    odds = np.exp(tells * np.cos(np.arange(n_groups)))
    joint = np.column_stack([0.7 * np.ones(n_groups), 0.3 * odds])
    joint /= joint.sum()
    rng = np.random.default_rng(7)
    mixing = np.eye(n_groups)[rng.permutation(n_groups)]
    channel = (1 - noise) * np.eye(n_groups) + noise * mixing
    (plug_in, jackknife), errors = mean_excess(joint, 600, channel)
    margin = critical_deviate(4) * errors[0]
    assert plug_in > 3 * margin
    assert abs(jackknife) < margin + plug_in / 20


@pytest.mark.parametrize("counts", [[[1, 0]], [[1.0, 2]], [[-1, 5]], [1, 2], [[0, 0]]])
def test_other_counts_are_refused(counts: list[list[int]]) -> None:
    with pytest.raises(HushrankError, match="expected"):
        estimate_leakage(np.array(counts))


def test_the_last_count_of_many_is_checked() -> None:
    with pytest.raises(HushrankError, match=r"counts \(groups, values\) of at least 0"):
        estimate_leakage(np.array([[1, 1]] * 11 + [[1, -1]]))


def test_the_last_probability_of_many_is_checked() -> None:
    with pytest.raises(HushrankError, match=r"probabilities \(groups, values\) of at least 0"):
        released_joint(np.array([*np.full((23, 2), 1 / 48), [3 / 48, -1 / 48]]))


def test_other_channels_and_joints_are_refused() -> None:
    with pytest.raises(HushrankError, match="channel of 2 groups, got 3"):
        leakage_bits(np.full((2, 2), 0.25), BLUR)
    with pytest.raises(HushrankError, match="rows that sum to 1"):
        leakage_bits(np.full((2, 2), 0.25), np.ones((2, 2)))
    with pytest.raises(HushrankError, match="sum to 1"):
        leakage_bits(np.ones((2, 2)))
    with pytest.raises(HushrankError, match="at least 0"):
        leakage_bits(np.array([[1.5, -0.5]]))

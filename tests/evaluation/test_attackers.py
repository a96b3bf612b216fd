from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.planted import draw_planted
from hushrank.errors import HushrankError
from hushrank.evaluation.attackers import (
    AttackCase,
    Attacks,
    _area_by_size,
    attack,
    bound_on_attacks,
)
from hushrank.evaluation.joint_attackers import copies
from hushrank.publishing.classifiers import (
    SCORE_SIZES,
    SHARES,
    area_under_curve,
    classifiers,
    cross_fitted_scores,
    features,
    value_scores,
    variance_by_chance,
)
from hushrank.publishing.record_channel.beliefs import beliefs
from tests.statistics import random_seed

N_USERS, N_ITEMS = 1200, 120
OF_SHARES = (f"{SHARES}, original", f"{SHARES}, retrained")
BLIND = ("copies", *SCORE_SIZES, *OF_SHARES)
"""Attackers who do not look at which items a record has."""
BY_ITEMS = tuple(classifiers())
UNLIKE_SCORES = (
    ("spread of scores", [1, 8], [2, 5]),
    ("largest score", [3] * 11 + [9], [3] * 12),
    ("least score", [3] * 11 + [1], [3] * 12),
    ("fractions of scores", [2.5, 3.5], [2, 4]),
)
"""Which attacker sees it, the scores of one value, and those of the other."""
UNLIKE_SHARES = 2.0 ** np.array([[1, 2, 6, 7, 9], [1, 3, 4, 8, 9]]) - 1
"""Of equal mean, spread, and ends of log(1 + score): sums and squares of both are 25 and 171."""


def planted(n_groups: int = 2, tilt: float = 1.0) -> tuple[csr_array, np.ndarray]:
    rng = np.random.default_rng(random_seed())
    log, profiles = draw_planted(
        N_USERS, N_ITEMS, n_groups=n_groups, tilt=tilt, mean_records=25.0, rng=rng
    )
    activity = log.activity()
    attribute = profiles.aligned(activity.users, surplus="dropped").attributes[0]
    return activity.scores, attribute.codes


@pytest.fixture
def one_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let naive Bayes alone be taught, and nobody who knows other users' values: in a moment."""
    bayes = {"naive Bayes": classifiers()["naive Bayes"]}
    monkeypatch.setattr("hushrank.publishing.classifiers.classifiers", lambda: bayes)
    monkeypatch.setattr("hushrank.evaluation.joint_attackers.LEARNERS", {})


def released(scores: csr_array, values: np.ndarray, n_values: int = 2) -> AttackCase:
    half = len(values) // 2
    return AttackCase(scores[:half], values[:half], scores[half:], values[half:], n_values)


@pytest.mark.statistical
@pytest.mark.parametrize("n_groups", [2, 3])
def test_every_attacker_sees_a_planted_attribute_in_records_as_they_are(n_groups: int) -> None:
    scores, values = planted(n_groups)
    found = attack(released(scores, values, n_groups), rng=np.random.default_rng(1))
    assert all(area > 0.7 for name, area in found.areas.items() if name not in BLIND)
    assert found.worst == 1 - max(found.areas.values())
    assert found.worst < 0.2


@pytest.mark.statistical
def test_no_attacker_sees_anything_in_records_of_others() -> None:
    scores, values = planted()
    half = len(values) // 2
    others = half + np.random.default_rng(2).permutation(len(values) - half)
    release = AttackCase(scores[:half], values[:half], scores[others], values[half:], 2)
    areas = attack(release, rng=np.random.default_rng(1)).areas
    spread = np.sqrt(1 / 12 / 250)  # of an area where there is nothing, with 250 users of a value
    assert max(areas.values()) < 0.5 + 5 * spread


@pytest.mark.statistical
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.usefixtures("hasty_attackers")
def test_a_record_released_more_often_for_one_value_betrays_it(value: int) -> None:
    scores, values = planted(tilt=0.0)
    half = len(values) // 2
    own = half + np.arange(len(values) - half)
    twice = np.where(values[half:] == value, own[values[half:] == value][0], own)
    release = AttackCase(scores[:half], values[:half], scores[twice], values[half:], 2)
    assert attack(release, rng=np.random.default_rng(1)).areas["copies"] > 0.95


@pytest.mark.usefixtures("one_classifier")
def test_copies_that_others_have_betray_a_value_too() -> None:
    """Of those attacked no two have one record; others, who tell nothing, have those of a value."""
    records, values = csr_array(np.eye(20)), np.arange(20) % 2
    case = AttackCase(records, values, records, values, 2, n_copies=1 + values)
    assert attack(case, rng=np.random.default_rng(1)).areas["copies"] == 1


@pytest.mark.statistical
@pytest.mark.usefixtures("hasty_attackers")
def test_the_posterior_of_the_channel_is_an_attacker() -> None:
    scores, values = planted(tilt=0.0)
    release = released(scores, values)
    told = np.where(release.values[:, None] == np.arange(2), 0.9, 0.1)
    given = AttackCase(
        release.open_records, release.open_values, release.records, release.values, 2, told
    )
    found = attack(given, rng=np.random.default_rng(1))
    assert found.areas["channel posterior"] == 1.0
    assert found.worst < 0.01


def test_copies_count_equal_records() -> None:
    scores = csr_array(np.array([[1.0, 2, 0], [1, 2, 0], [2, 1, 0], [1, 0, 2], [0, 0, 0]]))
    np.testing.assert_array_equal(copies(scores), [2, 2, 1, 1, 1])


def test_cross_fitted_scores_of_noise_know_nothing_and_of_signal_much() -> None:
    scores, values = planted()
    make = classifiers()["logistic regression"]
    seen = features(scores)
    own = cross_fitted_scores(make, seen, values, 2, n_folds=5, rng=np.random.default_rng(3))
    assert area_under_curve(own, values) > 0.85
    shuffled = np.random.default_rng(4).permutation(values)
    none = cross_fitted_scores(make, seen, shuffled, 2, n_folds=5, rng=np.random.default_rng(3))
    assert abs(area_under_curve(none, shuffled) - 0.5) < 5 * np.sqrt(1 / 12 / 550)


def test_a_value_that_nobody_was_taught_scores_least() -> None:
    scores, values = planted()
    taught = classifiers()["naive Bayes"](1).fit(features(scores), np.where(values == 1, 2, 0))
    found = value_scores(taught, features(scores), 3)
    assert (found[:, 1] < found[:, [0, 2]].min(axis=1)).all()


@pytest.mark.usefixtures("hasty_attackers")
def test_a_value_of_open_users_alone_is_no_obstacle() -> None:
    """Nobody who is attacked has it, so nobody is taught it by those who leaked."""
    scores, values = planted(tilt=2.0)
    known, asked = slice(0, 60), slice(60, 120)
    of_open = values[known].copy()
    of_open[:6] = 2
    case = AttackCase(scores[known], of_open, scores[asked], values[asked], 3)
    found = attack(case, rng=np.random.default_rng(1))
    assert len(found.areas) == 23
    assert found.areas["stack of all"] > 0.7


@pytest.mark.parametrize("n_values", [2, 3])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.usefixtures("hasty_attackers")
def test_scores_that_are_larger_for_one_value_betray_it(n_values: int, largest: int) -> None:
    """Records of length 1 are the same: no classifier sees that one of a value did all twice."""
    scores, _ = planted(tilt=0.0)
    values = np.arange(240) % n_values
    given = csr_array(scores[:240].multiply(np.where(values == largest, 9.0, 1.0)[:, None]))
    case = AttackCase(scores[240:300], values[:60], given, values, n_values)
    found = attack(case, rng=np.random.default_rng(1)).areas
    assert found["size of scores"] > (0.95 if n_values == 2 else 0.8)
    assert found["naive Bayes, retrained"] < 0.7


@pytest.mark.parametrize(("name", "of_one", "of_other"), UNLIKE_SCORES)
@pytest.mark.usefixtures("hasty_attackers")
def test_how_scores_are_spread_betrays_a_value(
    name: str, of_one: list[float], of_other: list[float]
) -> None:
    """Who looks at the mean alone, or at records of length 1, sees little of it or nothing."""
    rng, values = np.random.default_rng(3), np.arange(300) % 2
    scores = np.zeros((300, 30))
    for record, value in zip(scores, values, strict=True):
        of_user = rng.permutation(np.resize(of_one if value else of_other, 12))
        record[rng.permutation(30)[:12]] = of_user * rng.choice([1, 3, 5, 7])
    known, asked = np.split(np.arange(300), [60])
    records = csr_array(scores)
    case = AttackCase(records[known], values[known], records[asked], values[asked], 2)
    found = attack(case, rng=np.random.default_rng(1)).areas
    assert found[name] > 0.95
    assert found["stack of all"] > 0.95
    assert max(found["size of scores"], found["naive Bayes, retrained"]) < 0.75


@pytest.mark.usefixtures("hasty_attackers")
def test_which_scores_are_given_how_often_betrays_a_value() -> None:
    """Though they are as large, and spread as widely, and as many of each are even."""
    scores, values = np.zeros((300, 30)), np.arange(300) % 2
    rng = np.random.default_rng(3)
    for record, value in zip(scores, values, strict=True):
        record[rng.permutation(30)[:10]] = np.resize(UNLIKE_SHARES[value], 10)
    records = csr_array(scores)
    found = attack(released(records, values), rng=np.random.default_rng(1)).areas
    assert min(found[name] for name in (*OF_SHARES, "stack of all")) > 0.95
    others = [area for name, area in found.items() if name.split(",")[0] in (*BLIND, *BY_ITEMS)]
    assert max(others) < 0.7


def test_who_looks_at_all_combines_how_large_scores_are_with_which_items_there_are() -> None:
    scores, values = planted(tilt=0.2)
    sizes = np.exp(np.random.default_rng(3).normal(size=N_USERS) + 1.2 * values)
    found = attack(
        released(csr_array(scores.multiply(sizes[:, None])), values), rng=np.random.default_rng(1)
    ).areas
    others = max(area for name, area in found.items() if name.split(",")[0] in (*BLIND, *BY_ITEMS))
    assert found["stack of all"] > others + 0.02
    assert found["joint quadratic, four fifths leaked"] > others + 0.02


@pytest.mark.usefixtures("hasty_attackers")
def test_scores_that_are_all_one_say_nothing_by_their_size() -> None:
    scores, values = planted(tilt=2.0)
    ones = csr_array((np.ones(scores.nnz), scores.indices, scores.indptr), shape=scores.shape)
    case = AttackCase(ones[:60], values[:60], ones[60:180], values[60:180], 2)
    areas = attack(case, rng=np.random.default_rng(1)).areas
    assert [areas[name] for name in SCORE_SIZES] == [0.5] * len(SCORE_SIZES)
    assert not {*OF_SHARES} & {*areas}


@pytest.mark.usefixtures("one_classifier")
def test_scores_that_are_all_one_teach_no_joint_attacker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Centred, what is the same of all is rounding: products with it, scaled up, move guesses."""
    taught: list[np.ndarray] = []

    def joint_scores(records, values, n_values, teachers, n_copies, **_):
        taught.append(teachers)
        return {}

    monkeypatch.setattr("hushrank.evaluation.attackers.joint_scores", joint_scores)
    records, values = csr_array(np.eye(20)), np.arange(20) % 2
    attack(AttackCase(records, values, records, values, 2), rng=np.random.default_rng(1))
    assert [np.ptp(each, axis=0).all() for each in taught] == [True]


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_of_records_that_are_all_alike_nothing_is_learnt(score: float) -> None:
    """All of one pool, or all withheld: without a warning of what does not vary."""
    scores, values = planted(tilt=2.0)
    alike = csr_array(np.full((60, N_ITEMS), score))
    alike.eliminate_zeros()
    case = AttackCase(scores[:60], values[:60], alike, values[60:120], 2)
    found = attack(case, rng=np.random.default_rng(1))
    assert all(0 < area < 0.7 for area in found.areas.values())


def test_records_of_scores_whose_squares_vanish_are_as_long_as_others() -> None:
    scores = csr_array(np.array([[1e-200, 0.0, 1e-200], [0.0, 5e-324, 0.0], [1.0, 1.0, 0.0]]))
    seen = features(scores).toarray()
    assert seen[0] == pytest.approx([0.5**0.5, 0, 0.5**0.5])
    assert seen[1].tolist() == [0, 1, 0]
    assert np.array_equal(seen[2], features(scores[2:]).toarray()[0])


@pytest.mark.usefixtures("hasty_attackers")
def test_attackers_guess_from_few_items_too() -> None:
    """Fewer items than the components that records are reduced to."""
    scores, values = planted(tilt=2.0)
    few = csr_array(scores[:, :30])
    assert attack(released(few, values), rng=np.random.default_rng(1)).worst < 0.3


@pytest.mark.parametrize("n_open", [1, 5])
@pytest.mark.parametrize("n_items", [4, N_ITEMS])
@pytest.mark.usefixtures("hasty_attackers")
def test_attackers_guess_from_five_users_of_each_value(n_open: int, n_items: int) -> None:
    """Fewer users than neighbours and components, in cross-fitting too; 4 tell no attacker."""
    scores, values = planted(tilt=2.0)
    few = csr_array(scores[:, :n_items])
    of_values = [np.flatnonzero(values == value) for value in range(2)]
    taught = np.concatenate([rows[:n_open] for rows in of_values])
    asked = np.concatenate([rows[10:15] for rows in of_values])
    known, given = (few[taught], values[taught]), (few[asked], values[asked])
    found = attack(AttackCase(*known, *given, 2), rng=np.random.default_rng(1))
    assert len(found.areas) == 23
    assert all(0 <= area <= 1 for area in found.areas.values())
    too_few = AttackCase(*known, given[0][1:], given[1][1:], 2)
    with pytest.raises(HushrankError, match="expected 5 or more users of each value, got 4"):
        attack(too_few, rng=np.random.default_rng(1))


@pytest.mark.parametrize(("n_users", "n_neighbours"), [(10, 10), (49, 49), (50, 50), (400, 50)])
def test_neighbours_are_fifty_or_all(n_users: int, n_neighbours: int) -> None:
    scores, values = planted()
    taught = classifiers()["nearest neighbours"](1).fit(
        features(scores)[:n_users], values[:n_users]
    )
    assert taught[-1].n_neighbors == n_neighbours


def test_a_value_of_too_few_users_is_refused_before_anybody_is_taught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores, values = planted()
    rare = np.where(np.arange(N_USERS // 2) < 4, 1, 0)
    half = N_USERS // 2
    release = AttackCase(scores[:half], values[:half], scores[half : 2 * half], rare, 2)
    monkeypatch.setattr("hushrank.evaluation.attackers.classifiers", None)
    with pytest.raises(HushrankError, match="5 or more users of each value, got 4"):
        attack(release, rng=np.random.default_rng(1))


def test_the_area_under_the_curve_counts_ties_half() -> None:
    scores = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert area_under_curve(scores, np.array([1, 0, 0])) == 0.75


@pytest.mark.parametrize("scores", [(1, 2, 3, 4, 5, 6), (1, 1, 1, 2, 3, 3), (7,) * 6])
def test_the_variance_of_a_guess_is_that_of_all_ways_to_deal_values(scores) -> None:
    both = np.column_stack([-np.array(scores, dtype=float), scores])
    n_equal = np.array([scores.count(each) for each in scores])
    values = np.array([1, 1, 0, 0, 0, 0])
    areas = [area_under_curve(both, np.array(dealt)) for dealt in set(permutations(values))]
    assert variance_by_chance(values, n_equal) == pytest.approx(np.var(areas))


@pytest.mark.statistical
def test_beliefs_are_calibrated() -> None:
    scores, values = planted(tilt=0.5)
    half = len(values) // 2
    found = beliefs(scores[:half], values[:half], scores[half:], 2, rng=np.random.default_rng(5))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    right = (values[half:] == 1).astype(float)
    off = (right - found[:, 1]).mean()
    assert abs(off) < 5 * np.sqrt((found[:, 1] * found[:, 0]).sum()) / len(right)
    least, most = found[:, 1] < 0.3, found[:, 1] > 0.7
    assert right[least].mean() < 0.4
    assert right[most].mean() > 0.6


def test_releases_that_do_not_fit_are_refused() -> None:
    scores, values = planted()
    with pytest.raises(HushrankError, match="same items"):
        AttackCase(scores[:, :50], values, scores, values, 2)
    with pytest.raises(HushrankError, match="one private value"):
        AttackCase(scores, values[1:], scores, values, 2)
    with pytest.raises(HushrankError, match="2 or more known values"):
        AttackCase(scores, np.zeros(len(values), dtype=int), scores, values, 2)
    with pytest.raises(HushrankError, match="2 or more known values"):
        AttackCase(scores, values, scores, np.append(values[:-1], 2), 2)
    with pytest.raises(HushrankError, match="5 or more users of each value"):
        beliefs(
            scores, np.minimum(np.arange(N_USERS), 1) * 0, scores, 2, rng=np.random.default_rng(1)
        )


def test_the_worst_attacker_is_named() -> None:
    found = Attacks({"one": 0.6, "another": 0.8})
    assert found.strongest == "another"
    assert found.worst == pytest.approx(0.2)


def test_an_attacker_who_is_mostly_wrong_is_not_the_worst() -> None:
    """Nobody but us knows that it is: the release would seem to tell less than nothing."""
    found = Attacks({"wrong": 0.25, "right": 0.625})
    assert (found.strongest, found.worst) == ("right", 0.375)


@pytest.mark.statistical
@pytest.mark.usefixtures("hasty_attackers")
def test_no_attacker_is_taught_by_the_values_it_guesses() -> None:
    """Few records that many share, and values at random: there is nothing to be learnt.

    What is said of known users with the help of those attacked would betray these: 1 - AUC .4.
    """
    scores, values = planted()
    rng, half = np.random.default_rng(random_seed()), N_USERS // 2
    worst = []
    for _ in range(3):
        records = scores[half + rng.permutation(np.arange(half) % 4)]
        at_random = np.concatenate([values[:half], rng.permutation(values[half:])])
        case = AttackCase(scores[:half], values[:half], records, at_random[half:], 2)
        worst.append(attack(case, rng=rng).worst)
    assert np.mean(worst) > 0.44


def test_nobody_who_sees_records_alone_does_better_than_the_bound() -> None:
    """Every order of four records, and all ties of them, by brute force."""
    rng = np.random.default_rng(random_seed())
    same, values = rng.integers(4, size=30), rng.integers(2, size=30)
    records = csr_array(np.eye(4)[same])
    best = max(
        area_under_curve(np.column_stack([-score, score]), values)
        for order in np.ndindex(4, 4, 4, 4)
        for score in [np.array(order)[same]]
    )
    assert bound_on_attacks(records, values, 2) == pytest.approx(1 - best)


def test_of_one_record_for_all_nothing_is_learnt_and_of_own_ones_all() -> None:
    values = np.arange(12) % 3
    assert bound_on_attacks(csr_array(np.ones((12, 2))), values, 3) == pytest.approx(0.5)
    assert bound_on_attacks(csr_array(np.eye(12)), values, 3) == pytest.approx(0.0)


def test_the_last_of_many_values_may_be_the_one_that_sizes_betray() -> None:
    """Of 30 values: by size it is told for certain, each other one in 30 of 58 comparisons."""
    values = np.repeat(np.arange(30), 2)
    sizes = np.where(values < 29, np.tile([1.0, 2.0], 30), 9.0)
    assert _area_by_size(sizes, values) == pytest.approx((29 * 30 / 58 + 1) / 30)

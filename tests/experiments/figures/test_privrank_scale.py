"""What is learnt, timed and hidden in the experiments about clusters, samples and scale."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.identifiers import numbered
from hushrank.activities.log import ActivityLog
from hushrank.activities.transactions import draw_transactions
from hushrank.errors import HushrankError
from hushrank.experiments.experiment import Draws, Settings
from hushrank.experiments.figures.privrank.figure_13 import busy_log
from hushrank.experiments.files import write_experiment
from hushrank.experiments.on_activity.contexts import N_SLOTS, ContextPrecision, in_slots
from hushrank.experiments.on_activity.learning import STEPS, Learning, everybody, learn
from hushrank.experiments.on_activity.learning_measurements import LearningMeasurements
from hushrank.experiments.on_activity.online_learning import BUDGET, OnlineLearning
from hushrank.experiments.on_activity.platforms import Platform, PlatformSplit
from hushrank.experiments.on_activity.taught_attackers import guessed
from hushrank.experiments.registry import experiment_named
from hushrank.experiments.running import run_experiment
from hushrank.publishing.distances.group_distances import group_distances

QUICK = Settings(repetitions=2, seed=3, quick=True)


def draws(seed=0):
    return Draws(*map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2)))


def transactions(n_users=300, n_items=60, seed=0):
    return draw_transactions(n_users, n_items, mean_items=20, rng=np.random.default_rng(seed))


def hidden(n_users=300, seed=0):
    return Platform.hiding(transactions(n_users), rng=np.random.default_rng(seed))


def visits(n_users=120, n_items=30, n_visits=6_000, seed=1):
    """Return visits whose times are hours of the week, some items being far more popular."""
    rng = np.random.default_rng(seed)
    users = rng.integers(n_users, size=n_visits).astype(np.int32)
    popular = 1 / np.arange(1, n_items + 1)
    items = rng.choice(n_items, n_visits, p=popular / popular.sum()).astype(np.int32)
    times = rng.integers(168, size=n_visits).astype(np.float64)
    names = numbered(n_users), numbered(n_items)
    return ActivityLog(users, items, np.ones(n_visits), *names, times)


FILES = {
    "foursquare-nyc": transactions(),
    "foursquare-contexts": visits(),
    "foursquare-sessions-nyc": transactions(200),
    "foursquare-sessions-tky": transactions(200, 80),
}


@pytest.mark.parametrize("number", ["12", "13", "14", "15", "table2"])
def test_every_figure_runs_quickly_and_is_written(number, tmp_path):
    experiment = experiment_named(f"privrank-{number}")
    given = {each.name: FILES[each.name] for each in experiment.file_populations}
    if number == "table2":
        given["foursquare-contexts"] = FILES["foursquare-contexts"].activity("sum")
    result = run_experiment(experiment, given, QUICK)
    assert {point.repetitions for point in result.points} == {2}
    assert all(np.isfinite(point.mean) for point in result.points)
    paths = write_experiment(result, tmp_path)
    assert len(paths) == 3
    assert all(path.stat().st_size for path in paths)


def test_the_hidden_item_is_gone_and_enough_users_have_it():
    activity = transactions()
    for seed in range(5):
        platform = Platform.hiding(activity, share=0.3, rng=np.random.default_rng(seed))
        (attribute,) = platform.profiles.attributes
        item = attribute.name.removeprefix("item ")
        assert item not in platform.activity.items
        has = activity.scores[:, [activity.items.index(item)]].toarray().ravel() > 0
        np.testing.assert_array_equal(attribute.codes == 1, has)
        assert 90 <= has.sum() <= 210


def test_sampled_distances_approach_the_exact_ones():
    split = everybody(hidden().activity, hidden().profiles)
    rng = np.random.default_rng(0)
    exact = learn(split, Learning(8), 0.02, rng=rng).users
    sampled = Learning(8, 400_000).distances(exact.clusters, rng)
    expected = group_distances(exact.clusters.centroids).matrix
    np.testing.assert_array_equal(exact.distances.matrix, expected)
    np.testing.assert_allclose(sampled.matrix, expected, atol=6 * 0.5 / 400_000**0.5)


def test_a_channel_is_learnt_within_its_budget_from_those_who_protect():
    platform = hidden()
    split = PlatformSplit.draw(platform, platform.profiles.names, rng=np.random.default_rng(1))
    learnt = learn(split, Learning(6), 0.02, rng=np.random.default_rng(2))
    (plan,) = learnt.plans
    assert learnt.users.rows.size == 150
    assert plan.expected_distortion <= 0.02 * (1 + 1e-9)
    assert plan.leaked.leakage_bits < plan.leaked.untouched_bits
    assert tuple(learnt.seconds) == STEPS
    assert min(learnt.seconds.values()) > 0


def test_methods_share_item_and_split_of_the_same_draws_only():
    measure = LearningMeasurements(lambda rng: Platform.hiding(transactions(), rng=rng), 0.02)
    assert measure.split(draws(1)) is measure.split(draws(1))
    names = {measure.split(draws(seed)).names for seed in range(6)}
    assert len(names) > 1


def test_the_attackers_are_taught_by_open_users_alone():
    """Item 0 shows the value; protected users, who show it reversed, teach nobody."""
    rng = np.random.default_rng(3)
    platform = Platform.hiding(transactions(400), rng=rng)
    split = PlatformSplit.draw(platform, platform.profiles.names, rng=rng)
    (name,) = split.names
    rows = np.flatnonzero(split.profiles.protected[name])
    value = platform.profiles.attribute(name).codes[:, None]
    told, shown = (platform.activity.scores.tolil() for _ in range(2))
    told[:, [0]] = shown[:, [0]] = 1.0 + 4 * value
    shown[rows, 0] = 5.0 - 4 * value[rows].ravel()
    known = PlatformSplit(platform.activity.with_scores(shown.tocsr()), *_rest(split))
    assert guessed(known, rows, told.tocsr(), rng=rng)["SVM"] < 0.02
    shuffled = told.tocsr()[rng.permutation(400)]
    assert 0.3 < guessed(known, rows, shuffled, rng=rng)["SVM"] < 0.7


def test_a_visit_stands_in_its_four_hours_once():
    users, items = (np.array(each, dtype=np.int32) for each in ([0, 0, 0, 1], [0, 0, 2, 1]))
    names = ("ann", "bob"), ("a", "b", "c")
    times = np.array([0.0, 3.0, 4.0, 167.0])
    cells = in_slots(ActivityLog(users, items, np.ones(4), *names, times), ("a", "c"))
    assert cells.n_items == 2 * N_SLOTS == 84
    np.testing.assert_array_equal(np.stack(cells.scores.nonzero()), [[0, 0], [0, 3]])
    np.testing.assert_array_equal(cells.scores.data, [1, 1])
    for wrong in (168.0, -1.0):
        late = np.append(np.zeros(24), wrong)  # the last visit of many
        codes = np.zeros(25, dtype=np.int32)
        log = ActivityLog(codes, codes, np.ones(25), *names, late)
        with pytest.raises(HushrankError, match="hours of the week"):
            in_slots(log, ("a",))


def test_busy_users_keep_all_their_visits():
    log = visits(n_visits=1_500)
    kept = busy_log(log, None)
    distinct = log.activity("sum").records_of_users
    assert kept.users == tuple(np.array(log.users)[distinct >= 10])
    assert 0 < kept.n_users < log.n_users
    full = log.activity("sum")
    assert kept.activity("sum") == full.select(distinct >= 10)


def test_recommendations_in_context_follow_user_and_slot():
    """Half of the users do item 0, half item 2, all item 5 in slot 0: what is left is found."""
    n_users, n_items = 60, 6
    did = np.zeros((n_users, N_SLOTS, n_items))
    did[: n_users // 2, :4, 0] = did[n_users // 2 :, :4, 2] = did[:, 0, 5] = 1
    asked = np.arange(45, n_users)
    held = np.zeros_like(did)
    held[asked, 0, 2] = 1
    shown, held = ((did - held).reshape(n_users, -1), held.reshape(n_users, -1))
    split = _split(shown, held)
    precision = ContextPrecision(n_items)
    found = precision(split, asked, split.shown.scores, rng=np.random.default_rng(4))
    assert found == pytest.approx(1.0)
    elsewhere = np.roll(shown, 2 * n_items + 1, axis=1)
    missed = precision(split, asked, _activity(elsewhere).scores, rng=np.random.default_rng(4))
    assert missed < 0.8


def test_the_online_budget_is_a_share_of_what_a_constant_channel_costs():
    online = OnlineLearning(hidden())
    problem = online.problem(np.arange(59) % 4)
    assert problem.budget == pytest.approx(BUDGET * problem.constant_cost_bound)
    np.testing.assert_allclose(online.population.joint.sum(), 1)
    (attribute,) = online.platform.profiles.attributes
    share = online.platform.activity.scores[attribute.codes == 1].sum()
    assert online.population.prior[1] == pytest.approx(
        share / online.platform.activity.scores.sum()
    )


def _rest(split):
    return split.held_out, split.profiles, split.names


def _activity(cells):
    return Activity(csr_array(cells), *map(numbered, cells.shape))


def _split(shown, held):
    first, second = _activity(shown), _activity(held)
    return PlatformSplit(first, second, None, ("value",))

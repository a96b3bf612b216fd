"""What the experiments about trade-offs of PrivRank promise: honest streams, every figure runs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.attribute import Attribute
from hushrank.activities.log import ActivityLog
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.activities.transactions import draw_transactions
from hushrank.experiments.experiment import Draws, Settings
from hushrank.experiments.on_activity.attribute_attacks import attacks_on_each
from hushrank.experiments.on_activity.hidden_attributes import FEWEST, hidden
from hushrank.experiments.on_activity.movielens_100k import NAME, rated
from hushrank.experiments.on_activity.publishing_measurements import (
    PublishingMeasurements,
    channel_posterior,
)
from hushrank.experiments.on_activity.publishing_methods import privrank_method
from hushrank.experiments.on_activity.stream_measurements import posterior_of
from hushrank.experiments.on_activity.stream_methods import (
    diff_stream,
    privrank_stream,
    rand_stream,
    unprotected,
)
from hushrank.experiments.on_activity.streams import shares_of_streams, start
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.registry import EXPERIMENTS
from hushrank.experiments.running import run_experiment
from hushrank.randomness import Randomness

N_USERS, N_ITEMS = 240, 60
ONCE = Settings(repetitions=1, seed=3, quick=True)
SLOW = pytest.mark.slow


def made_up(seed=0, tilt=1.0):
    """Return a log and profiles of gender and age, both betrayed; no pair repeats."""
    rng = np.random.default_rng(seed)
    log, groups = draw_planted(N_USERS, N_ITEMS, n_groups=4, tilt=tilt, mean_records=30, rng=rng)
    log = log.select(~log.repeats())
    codes = groups.attributes[0].codes
    gender = Attribute("gender", ("F", "M"), codes % 2)
    age = Attribute("age", ("<35", "35+"), codes // 2)
    return log, Profiles.protecting_all(log.users, [gender, age])


def started(log, profiles, seed=1):
    choices = np.random.default_rng(seed)
    return start(log, profiles, ("gender",), choices=choices, secret=Randomness.seeded(seed))


@pytest.fixture(scope="module")
def stream():
    return started(*made_up())


def released(method, stream, seed=2):
    return method(stream, rng=Randomness.seeded(seed))


def given():
    log, profiles = made_up()
    return {NAME: log, f"{NAME}-profiles": profiles}


def draws(seed=0):
    noise, synthesis = np.random.SeedSequence(seed).spawn(2)
    return Draws(np.random.default_rng(noise), np.random.default_rng(synthesis))


def test_each_activity_ends_its_share_of_the_stream():
    users = np.array([2, 0, 2, 2, 0, 2])
    assert shares_of_streams(users).tolist() == [0.25, 0.5, 0.5, 0.75, 1.0, 1.0]


def test_history_stream_and_held_out_are_all_that_happened(stream):
    log, _ = made_up()
    whole = stream.so_far(1.0).shown.scores + stream.split.held_out.scores
    assert (abs(whole - log.activity().scores)).sum() == 0
    assert (abs(stream.so_far(0.0).shown.scores - stream.split.shown.scores)).sum() == 0
    n_shown = stream.so_far(1.0).shown.scores.sum()
    assert len(stream.latest.scores) / n_shown == pytest.approx(4 / 18, abs=0.02)


def test_the_stream_is_later_than_the_history_of_its_user(stream):
    log, _ = made_up()
    times = np.zeros((N_USERS, N_ITEMS))
    times[log.user_codes, log.item_codes] = log.times
    history = stream.split.shown.scores.toarray() > 0
    for place, row in enumerate(stream.users.rows):
        own = stream.what[stream.who == place]
        assert (np.diff(times[row, own]) >= 0).all()
        assert times[row, own].min() >= times[row, history[row]].max()


def test_an_unprotected_stream_adds_to_the_released_history_only(stream):
    release = released(unprotected, stream)
    records = stream.released_so_far(release.items, 0.5)
    added = records[stream.users.rows] - stream.held
    truly = (stream.so_far(0.5).shown.scores - stream.split.shown.scores)[stream.users.rows]
    assert abs(added - truly).sum() == 0
    is_open = np.setdiff1d(np.arange(N_USERS), stream.users.rows)
    assert abs(records[is_open] - stream.so_far(0.5).shown.scores[is_open]).sum() == 0


def test_what_is_known_of_activities_depends_on_nobody_who_protects(stream):
    """Channels of the stream are made from it and from what was released before."""
    log, profiles = made_up()
    protected = np.isin(log.user_codes, stream.users.rows)
    items = np.where(protected, (log.item_codes + 7) % N_ITEMS, log.item_codes)
    other = ActivityLog(
        log.user_codes, items.astype(np.int32), log.scores, log.users, log.items, log.times
    )
    again = started(other, profiles)
    assert np.array_equal(again.users.rows, stream.users.rows)
    assert not np.array_equal(again.what, stream.what)
    assert np.array_equal(again.population.joint, stream.population.joint)


def test_what_a_stream_tells_is_between_nothing_and_all(stream):
    everything = released(unprotected, stream)
    own = stream.population.leakage / np.log(2)
    assert everything.bits == pytest.approx(np.full(len(stream.what), own))
    assert released(rand_stream(0.0), stream).evidence == pytest.approx(everything.evidence)
    uniform = released(rand_stream((N_ITEMS - 1) / N_ITEMS), stream)
    assert np.abs(uniform.bits).max() < 1e-12
    assert np.abs(np.ptp(uniform.evidence, axis=1)).max() < 1e-9
    assert released(privrank_stream(1.0), stream).bits.max() < 1e-9
    some = released(privrank_stream(0.002), stream).bits
    assert (some < own).all()
    assert some.max() > 1e-6


def test_diff_keeps_more_the_steeper_it_is(stream):
    steep, flat = (released(diff_stream(steepness), stream) for steepness in (1e5, 10.0))
    assert (steep.items == stream.what).all()
    assert (flat.items != stream.what).mean() > 0.8
    assert (flat.bits < steep.bits).all()


def test_who_knows_the_channels_adds_up_the_evidence(stream):
    release = released(rand_stream(0.3), stream)
    before = channel_posterior(stream.users, stream.release)
    assert posterior_of(stream, release, 0.0) == pytest.approx(before, abs=1e-9)
    shares = stream.population.joint / stream.population.prior
    said = 0.7 * shares + 0.3 * (1 - shares) / (N_ITEMS - 1)
    user = int(stream.who[0])
    own = release.items[stream.who == user]
    expected = before[user] * said[own].prod(axis=0)
    assert posterior_of(stream, release, 1.0)[user] == pytest.approx(expected / expected.sum())


@pytest.mark.usefixtures("hasty_attackers")
def test_each_attribute_is_attacked_whatever_is_protected():
    """Untouched activity betrays both; hiding one nearly as well as it goes leaves its own safe."""
    measure = PublishingMeasurements(rated(given()), ("gender",))
    open_, _ = attacks_on_each(measure, ("gender", "age"), None, draws())
    hidden_, precision = attacks_on_each(measure, ("gender", "age"), privrank_method(0.2), draws())
    assert max(open_["gender"]["worst"], open_["age"]["worst"]) < 0.25
    assert hidden_["gender"]["SVM"] > open_["gender"]["SVM"] + 0.1
    assert 0 < precision < 1


@pytest.mark.usefixtures("hasty_attackers")
def test_what_activity_does_not_betray_is_not_said_to_be_betrayed():
    log, profiles = made_up()
    shuffled = np.random.default_rng(6).permutation(profiles.attribute("gender").codes)
    gender = profiles.attribute("gender").with_codes(shuffled)
    private = Profiles.protecting_all(log.users, [gender, profiles.attribute("age")])
    people = {NAME: log, f"{NAME}-profiles": private}
    found, _ = attacks_on_each(
        PublishingMeasurements(rated(people), ("gender",)), ("gender", "age"), None, draws()
    )
    assert found["age"]["SVM"] < 0.25
    assert found["gender"]["SVM"] > 0.3


def test_attributes_of_transactions_are_as_many_and_as_large_as_asked():
    transactions = draw_transactions(600, 100, mean_items=15, rng=np.random.default_rng(4))
    platform = hidden(transactions, (2, 2, 4), rng=np.random.default_rng(5))
    attributes = platform.profiles.attributes
    assert [each.n_values for each in attributes] == [2, 2, 4]
    assert all(each.counts.min() >= FEWEST * 600 for each in attributes)
    assert platform.activity.n_items == 100 - 2 - 24


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize(
    "name",
    [
        "privrank-7",
        pytest.param("privrank-8", marks=SLOW),
        pytest.param("privrank-9", marks=SLOW),
        pytest.param("privrank-10", marks=SLOW),
        pytest.param("privrank-11a", marks=SLOW),
        pytest.param("privrank-11b", marks=SLOW),
    ],
)
def test_a_quick_run_has_every_point(name):
    experiment = EXPERIMENTS[name]
    people = given() if experiment.file_populations else {}
    result = run_experiment(experiment, people, ONCE)
    points = result.points
    assert experiment_figure(result).axes
    views = [view for row in experiment.views for view in row]
    for view in views:
        measured = [each for each in points if each.quantity == view.quantity]
        shown = [each for each in measured if each.group in view.groups]
        assert {each.group for each in measured} <= {*view.groups, "reference"}
        assert all(np.isfinite(each.mean) for each in shown)
        xs = {each.x for each in shown}
        curves = {each.curve for each in shown}
        assert len(shown) == len(xs) * len(curves) or name == "privrank-10"
        assert shown


def test_no_record_is_lost_when_few_users_are_taken():
    (population, _) = EXPERIMENTS["privrank-9"].populations
    log, _ = made_up()
    few = population.prepare(replace(log), np.random.default_rng(0))
    assert few.n_users == 200
    rows = [log.users.index(user) for user in few.users]
    expected: csr_array = log.activity().scores[rows]
    assert abs(few.activity().scores - expected).sum() == 0

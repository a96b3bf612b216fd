"""A stream in shards releases what one stream does, and learns from files what it does from one."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.activities.activity_files import read_activity
from hushrank.activities.shelves import records
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.publishing.online.rules import StreamRules
from hushrank.publishing.online.setup import StreamSetup, stream_setup
from hushrank.publishing.online.shards import shard_of, shards_of
from hushrank.publishing.online.state import stored_setup
from hushrank.randomness import Randomness
from hushrank.workflows.publish.shards import begin_shards
from tests.commands import hushrank as command

N_SHARDS = 3
BEGUN = {"private": ["gender"], "budget": 0.02}


@pytest.fixture
def data(tmp_path):
    """Records of 90 users in any order over three files; a few have a profile alone."""
    rng = np.random.default_rng(1)
    made, people = hushrank.simulate_activity(users=95, items=12, tilt=0.8, seed=5)
    rows = np.repeat(np.arange(95), made.records_of_users)
    order = rng.permutation(np.flatnonzero(rows < 90))
    whole = pa.table(
        {
            "user": [made.users[row] for row in rows[order]],
            "item": [made.items[item] for item in made.scores.indices[order]],
            "score": made.scores.data[order],
        }
    )
    (tmp_path / "visits").mkdir()
    for n in range(3):
        parquet.write_table(
            whole.slice(n * 200, 200 if n < 2 else None), tmp_path / f"visits/{n}.parquet"
        )
    protected = np.arange(95) % 4 > 0
    return whole, people.with_protected({"gender": protected})


def begin(tmp_path, profiles, **asked):
    return begin_shards(
        tmp_path / "states", N_SHARDS, tmp_path / "visits", profiles, **(BEGUN | asked)
    )


@pytest.mark.parametrize("workers", [Workers(), Workers("threads", 2)])
def test_what_is_learnt_from_files_is_what_is_learnt_from_one_table(tmp_path, data, workers):
    whole, profiles = data
    paths = begin(tmp_path, profiles, workers=workers)
    stated = stream_setup(read_activity(whole), profiles, ["gender"], StreamRules(0.02))
    shards = list(shards_of(stated, N_SHARDS))
    assert [stored_setup(path) for path in paths] == [each.to_bytes() for each in shards]
    assert sorted(user for each in shards for user in each.users) == sorted(stated.users)
    for number, each in enumerate(shards):
        assert {shard_of(user, N_SHARDS) for user in each.users} == {number}
        (mine,), (theirs,) = each.populations.values(), stated.populations.values()
        assert np.array_equal(mine.joint, theirs.joint)
    assert [each.users for each in shards_of(stated, 1)] == [stated.users]


def test_of_users_who_tell_nothing_nothing_is_learnt(tmp_path, data):
    """Who has no profile: files teach what one table does, and that is what the others do."""
    whole, profiles = data
    some = profiles.select(np.flatnonzero(np.arange(95) % 3 > 0))
    paths = begin(tmp_path, some)
    stated = stream_setup(read_activity(whole), some, ["gender"], StreamRules(0.02))
    (learnt,) = stated.populations.values()
    for path in paths:
        (found,) = StreamSetup.from_bytes(stored_setup(path)).populations.values()
        assert np.array_equal(found.joint, learnt.joint)
    told = np.isin(whole["user"].to_numpy(), list(some.users))
    (of_others,) = stream_setup(
        read_activity(whole.filter(pa.array(told))), some, ["gender"], StreamRules(0.02)
    ).populations.values()
    assert np.allclose(learnt.joint, of_others.joint)


def test_users_without_activity_are_none_of_whom_is_learnt(tmp_path, data):
    """With a limit each value needs 16 users of whom is learnt."""
    _, profiles = data
    codes = np.asarray(profiles.attribute("gender").codes)
    active = np.concatenate([np.flatnonzero(codes[:90] == value)[:16] for value in (0, 1)])
    few = profiles.select(np.append(active[1:], np.arange(90, 95)))
    with pytest.raises(HushrankError, match="16 or more users of each private value"):
        begin(tmp_path, few, limit=8.0)
    assert begin(tmp_path, profiles.select(active), limit=8.0)


def test_shards_release_what_one_stream_does(data):
    """The same words for each activity: the same items, and the same is booked for each user."""
    whole, profiles = data
    history = read_activity(whole)
    rules = StreamRules(0.02, resolve_every=5)
    setup = stream_setup(history, profiles, ["gender"], rules, history=history)
    rng = np.random.default_rng(2)
    users, items = rng.integers(95, size=150), rng.integers(12, size=150)
    words = Randomness.seeded(3).words(300)
    publisher = setup.publisher()
    stated = publisher.publish(users, items, rng=Randomness.replayed(words.tobytes()))
    shard = np.array([shard_of(user, N_SHARDS) for user in setup.users])
    for number, each in enumerate(shards_of(setup, N_SHARDS)):
        own, places = each.publisher(), np.flatnonzero(shard[users] == number)
        at = [each.users.index(setup.users[user]) for user in users[places]]
        tape = words.reshape(-1, 2)[places].tobytes()
        found = own.publish(np.array(at), items[places], rng=Randomness.replayed(tape))
        assert np.array_equal(found, stated[places])
        for user in np.flatnonzero(
            (shard == number) & np.array([p is not None for p in setup.protects])
        ):
            mine = own.user(each.users.index(setup.users[user]))
            assert mine.leakage == publisher.user(int(user)).leakage
    assert (stated != items).any()


def test_a_shard_moves_with_its_file_and_refuses_the_users_of_others(tmp_path, data):
    _, profiles = data
    paths = begin(tmp_path, profiles)
    assert begin(tmp_path, profiles) == paths
    assert stored_setup(paths[0]) != stored_setup(paths[1])
    own = StreamSetup.from_bytes(stored_setup(paths[1])).users
    other = StreamSetup.from_bytes(stored_setup(paths[0])).users[0]
    activities = [{"user": user, "item": "3"} for user in own[:4]]
    with hushrank.publish_online(paths[1]) as stream:
        assert len(list(stream.release(activities[:2]))) == 2
        assert stream.is_private
    elsewhere = tmp_path / "elsewhere.state"
    shutil.move(paths[1], elsewhere)
    with hushrank.publish_online(elsewhere) as stream:
        assert stream.position == 2
        found = list(stream.release(activities[2:]))
        assert [each.number for each in found] == [2, 3]
        with pytest.raises(HushrankError, match="expected a known user"):
            list(stream.release([{"user": other, "item": "3"}]))


def test_other_rules_and_too_many_shards_are_refused(tmp_path, data):
    _, profiles = data
    begin(tmp_path, profiles)
    with pytest.raises(HushrankError, match="was begun with other data or rules"):
        begin(tmp_path, profiles, budget=0.03)
    with pytest.raises(HushrankError, match="in states of another number of shards"):
        begin_shards(tmp_path / "states", 2, tmp_path / "visits", profiles, **BEGUN)
    assert len(list((tmp_path / "states").iterdir())) == N_SHARDS
    (tmp_path / "states" / "1-of-2.state").touch()  # of both numbers, in whichever order
    for number in (2, N_SHARDS):
        with pytest.raises(HushrankError, match="in states of another number of shards"):
            begin_shards(tmp_path / "states", number, tmp_path / "visits", profiles, **BEGUN)
    with pytest.raises(HushrankError, match="expected users for each of 500 shards"):
        begin_shards(tmp_path / "many", 500, tmp_path / "visits", profiles, **BEGUN)
    parquet.write_table(
        pa.table({"user": ["x"], "item": ["1"], "score": [0]}),
        Path(tmp_path, "visits/idle.parquet"),
    )
    with pytest.raises(HushrankError, match="expected activity of every user, got none of 1"):
        begin_shards(tmp_path / "idle", 2, tmp_path / "visits", profiles, **BEGUN)


@pytest.mark.parametrize(("there", "asked"), [(12, 2), (2, 12), (21, 2)])
def test_states_of_a_number_that_looks_alike_are_of_another_number(tmp_path, data, there, asked):
    _, profiles = data
    (tmp_path / f"0-of-{there}.state").touch()
    with pytest.raises(HushrankError, match="in states of another number of shards"):
        begin_shards(tmp_path, asked, tmp_path / "visits", profiles, **BEGUN)


@pytest.mark.parametrize("number", range(30))
def test_one_state_of_another_number_among_many_is_noticed(tmp_path, data, number):
    for n in range(30):
        (tmp_path / f"{n}-of-{30 + (n == number)}.state").touch()
    with pytest.raises(HushrankError, match="in states of another number of shards"):
        begin_shards(tmp_path, 30, tmp_path / "visits", data[1], **BEGUN)


def test_each_of_many_shards_is_begun(tmp_path, data):
    paths = begin_shards(tmp_path / "states", 25, tmp_path / "visits", data[1], **BEGUN)
    begun = [StreamSetup.from_bytes(stored_setup(path)).users for path in paths]
    assert len(begun) == 25
    assert sorted(user for users in begun for user in users) == sorted(data[1].users)


def test_of_records_in_many_batches_all_are_learnt_from(tmp_path, data, monkeypatch):
    stated = [stored_setup(path) for path in begin(tmp_path, data[1])]
    monkeypatch.setattr(records, "ROWS_AT_ONCE", 1)
    (tmp_path / "states").rename(tmp_path / "before")
    assert [stored_setup(path) for path in begin(tmp_path, data[1])] == stated


def test_a_shard_can_be_told_in_any_language():
    """Pinned: another rule would send users to states that do not know what they released."""
    assert [shard_of(user, 16) for user in ("1", "2", "ä")] == [1, 14, 12]


def test_the_command_begins_the_states_and_each_is_run_as_one_stream(
    tmp_path, data, monkeypatch, capsys
):
    _, profiles = data
    monkeypatch.chdir(tmp_path)
    hushrank.write_profiles(profiles, "people.csv")
    words = "publish shards visits/*.parquet --profiles people.csv --private gender --budget 0.02"
    words += " --shards 3 --out states --scheduler threads"
    assert command(monkeypatch, *words.split()) == 0
    assert "wrote states/0-of-3.state" in capsys.readouterr().out.replace("\n", "")
    stated = begin_shards(tmp_path / "again", 3, tmp_path / "visits", profiles, **BEGUN)
    begun = [tmp_path / "states" / path.name for path in stated]
    assert [stored_setup(path) for path in begun] == [stored_setup(path) for path in stated]
    user = StreamSetup.from_bytes(stored_setup(begun[2])).users[0]
    Path("new.ndjson").write_text(json.dumps({"user": user, "item": "3"}) + "\n")
    run = "publish online --state states/2-of-3.state --input new.ndjson --output out.ndjson"
    assert command(monkeypatch, *run.split()) == 0
    assert json.loads(Path("out.ndjson").read_text())["user"] == user


@pytest.mark.parametrize("limit", [2.5, 0])
def test_the_command_hands_every_rule_on(tmp_path, data, monkeypatch, limit):
    """A limit of 0 is one: nothing may be told."""
    _, profiles = data
    monkeypatch.chdir(tmp_path)
    hushrank.write_profiles(profiles, "people.csv")
    told = {}
    begun = "hushrank.workflows.publish.shards.begin_shards"
    monkeypatch.setattr(begun, lambda *_, **rules: told.update(rules) or ())
    words = "publish shards visits/*.parquet --profiles people.csv --private gender --budget 0.02"
    words += f" --limit {limit} --renew-every 7 --shards 3 --out states"
    words += " --history visits/0.parquet"
    assert command(monkeypatch, *words.split()) == 0
    assert (told["budget"], told["limit"], told["renew_every"]) == (0.02, limit, 7)
    assert told["history"].users == read_activity("visits/0.parquet").users

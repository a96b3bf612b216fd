import json
import os
from fractions import Fraction
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.accounting.words import as_given, bits_in_words
from hushrank.activities.attribute import Attribute
from hushrank.activities.planted import draw_planted
from hushrank.activities.profiles import Profiles
from hushrank.errors import HushrankError
from hushrank.publishing.item_channel.channel import WORDS_AN_ACTIVITY
from hushrank.publishing.online.publisher import OnlinePublisher
from hushrank.publishing.online.state import StreamState
from hushrank.workflows.publish import online
from hushrank.workflows.publish.online import OnlineStream, publish_online, rules_of
from tests.statistics import random_seed

N_USERS, N_ITEMS, N = 36, 8, 20
MANY_KEYS = {"user": "1", "item": "1", **{f"key {n}": n for n in range(30)}}


class Crash(BaseException):
    """Nothing catches it."""


@pytest.fixture(scope="module")
def begin():
    """What a stream is begun with; every third user protects nothing."""
    rng = np.random.default_rng(random_seed())
    log, profiles = draw_planted(N_USERS, N_ITEMS, mean_records=40.0, rng=rng)
    asks = np.arange(N_USERS) % 3 != 0
    protected = profiles.with_protected({"group": asks})
    return {
        "learn_from": log.activity(),
        "profiles": protected,
        "private": ["group"],
        "budget": 0.05,
    }


@pytest.fixture
def activities(begin):
    """What happens: activities of known users with known items."""
    rng = np.random.default_rng(2)
    users, items = begin["learn_from"].users, begin["learn_from"].items
    return [
        {"user": str(rng.choice(users)), "item": str(rng.choice(items)), "time": nth}
        for nth in range(N)
    ]


def content(released):
    return [(each.number, each.user, each.item, dict(each.rest)) for each in released]


def test_one_comes_out_for_one_that_goes_in_and_open_users_stay(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin) as stream:
        released = list(stream.release(activities * 10, at_once=100))
        assert stream.position == 10 * N
        assert stream.is_private
        assert "no differential privacy" in stream.privacy
        assert int(stream.summary["hidden"]) > 0
        nats = stream.totals.mean_leaked, stream.totals.most_leaked, stream.totals.most_worst_leaked
        told = [f"{bits_in_words(each / log(2))} bits" for each in nats]
        assert list(stream.summary.values())[-3:] == told
    assert [each.number for each in released] == list(range(10 * N))
    pairs = list(zip(activities * 10, released, strict=True))
    assert all(given["user"] == each.user for given, each in pairs)
    assert all(each.rest == {"time": given["time"]} for given, each in pairs)
    users = begin["profiles"].users
    is_open = {user for nth, user in enumerate(users) if nth % 3 == 0}
    assert all(given["item"] == each.item for given, each in pairs if each.user in is_open)
    assert any(given["item"] != each.item for given, each in pairs)


def test_without_a_seed_the_operating_system_draws_all(tmp_path, begin, activities, monkeypatch):
    drawn = []
    urandom = os.urandom
    with publish_online(tmp_path / "state", **begin) as stream:
        monkeypatch.setattr(os, "urandom", lambda size: drawn.append(size) or urandom(size))
        list(stream.release(activities, at_once=N))
    assert 8 * WORDS_AN_ACTIVITY * N in drawn


def test_each_is_released_before_the_next_is_taken_in(tmp_path, begin, activities):
    taken = []
    arriving = (taken.append(each) or each for each in activities)
    with publish_online(tmp_path / "state", **begin) as stream:
        for nth, _ in enumerate(stream.release(arriving), 1):
            assert len(taken) == nth


@pytest.mark.parametrize("at_once", [1, 7, N])
def test_after_a_crash_the_same_program_loses_nothing_and_draws_nothing_again(
    tmp_path, begin, activities, at_once
):
    """The crash comes when the state has a batch, of which only one was handed over."""
    with publish_online(tmp_path / "state", **begin) as stream:
        run = stream.release(activities, at_once=at_once)
        stored = {each.number: each for _, each in zip(range(15), run, strict=False)}
        run.close()
        assert stream.position == min(N, -(-15 // at_once) * at_once)
        assert stream.next_run == 0
    with publish_online(tmp_path / "state", **begin) as stream:
        again = list(stream.release(activities[stream.next_run :], at_once=at_once))
        assert again[0].number == (15 - 1) // at_once * at_once
        assert stream.next_run == stream.position == N
    assert content(again[: 15 - again[0].number]) == content(
        stored[number] for number in range(again[0].number, 15)
    )
    assert {**stored, **{each.number: each for each in again}}.keys() == set(range(N))


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_crash_around_the_commit_draws_each_activity_once(
    tmp_path, begin, activities, monkeypatch, where
):
    """What a reader was given is what the state says, whenever the process stops."""
    commit, drawn = StreamState.commit, []

    def crash(self, released, *rest):
        if where == "after":
            commit(self, released, *rest)
        drawn.append(released)
        raise Crash

    with publish_online(tmp_path / "state", **begin) as stream:
        first = list(stream.release(activities[:10]))
        monkeypatch.setattr(StreamState, "commit", crash)
        with pytest.raises(Crash):
            next(stream.release(activities[10:]))
        monkeypatch.undo()
    with publish_online(tmp_path / "state") as stream:
        assert stream.next_run == 10
        second = list(stream.release(activities[10:]))
    assert [each.number for each in [*first, *second]] == list(range(N))
    if where == "after":
        items = begin["learn_from"].items
        assert second[0].item == items[drawn[0][0]]


def test_the_next_run_goes_on_and_knows_its_place(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin) as stream:
        first = list(stream.release(activities[:5]))
        second = list(stream.release(activities[5:9]))
        assert [each.number for each in [*first, *second]] == list(range(9))
        assert stream.next_run == 9


def test_an_interrupted_run_wants_its_own_activities(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin) as stream:
        next(stream.release(activities))
        with pytest.raises(HushrankError, match="the input of the interrupted run"):
            next(stream.release(activities[1:]))
        turned = [dict(reversed(each.items())) for each in activities]  # the same, written anew
        assert len(list(stream.release(turned))) == N


def test_one_run_at_a_time(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin) as stream:
        run = stream.release(activities)
        next(run)
        with pytest.raises(HushrankError, match="one run of a stream at a time"):
            next(stream.release(activities))
        assert len(list(run)) == N - 1


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"user": "nobody", "item": "1"}, HushrankError, "activity 4: expected a known user"),
        ({"user": "1", "item": "nothing"}, HushrankError, "activity 4: expected a known item"),
        ({"user": "1"}, HushrankError, "activity 4: expected a JSON object"),
        ({"user": "1", "item": "1", "at": 1}, HushrankError, "activity 4: expected the keys"),
        ({"user": "1", "item": object()}, TypeError, "activities: expected texts and numbers"),
        (("1", "1"), TypeError, "activities: expected mappings with user and item, got tuple"),
        ({"user": "1", "item": "1", 3: 4}, TypeError, "activities: expected texts as keys"),
        ({**MANY_KEYS, 3: 4}, TypeError, "activities: expected texts as keys"),
        ({"user": "1", "item": "\udc80"}, HushrankError, "activities: expected texts that UTF-8"),
    ],
)
def test_a_wrong_activity_is_refused_and_what_was_before_is_released(
    tmp_path, begin, activities, wrong, error, message
):
    with publish_online(tmp_path / "state", **begin) as stream:
        found = {}
        run = stream.release([*activities[:3], wrong])
        for _ in range(3):
            each = next(run)
            found[each.number] = each.item
        with pytest.raises(error, match=message):
            next(run)
        assert stream.position == len(found) == 3
        for each in stream.release(activities):
            assert found.setdefault(each.number, each.item) == each.item
        assert found.keys() == set(range(N))


def test_nothing_is_drawn_before_a_refusal(tmp_path, begin, activities, monkeypatch):
    monkeypatch.setattr(OnlinePublisher, "publish", None)
    with publish_online(tmp_path / "state", **begin) as stream:
        for given in ("text", {"user": "1", "item": "1"}, 3):
            with pytest.raises(TypeError, match="activities: expected mappings"):
                stream.release(given)
        with pytest.raises(HushrankError, match="1 or more activities at once"):
            stream.release(activities, at_once=0)
        with pytest.raises(TypeError, match="got list"):
            next(stream.release([["1", "1"]]))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"learn_from": "visits.csv"}, TypeError, "learn_from: expected Activity, see hushrank"),
        ({"profiles": "people.csv"}, TypeError, "profiles: expected Profiles"),
        ({"history": "held.csv"}, TypeError, "history: expected Activity"),
        ({"private": "group"}, TypeError, "private: expected a list of names"),
        ({"budget": "0.1"}, TypeError, "budget: expected a number, got str"),
        ({"limit": "1"}, TypeError, "limit: expected a number"),
        ({"seed": 1.5}, TypeError, "seed: expected a whole number"),
        ({"renew_every": 2.5}, TypeError, "renew_every: expected a whole number"),
        ({"budget": 2}, HushrankError, "expected a budget in"),
        ({"renew_every": 0}, HushrankError, "renew_every: expected at least 1, got 0"),
        ({"profiles": None}, HushrankError, "expected learn_from, profiles, private and budget"),
        ({"private": ["age"]}, HushrankError, "expected an attribute of group"),
    ],
)
def test_what_cannot_be_begun_is_said_before_there_is_a_state(
    tmp_path, begin, given, error, message
):
    with pytest.raises(error, match=message):
        publish_online(tmp_path / "state", **{**begin, **given})
    with pytest.raises(HushrankError, match="to begin a state"):
        publish_online(tmp_path / "state")
    assert not (tmp_path / "state").exists()


def test_a_state_is_gone_on_with_by_what_it_was_begun_with_or_nothing(tmp_path, begin):
    for given in (begin, begin, {}):
        with publish_online(tmp_path / "state", **given) as stream:
            assert stream.rules.budget == 0.05
    for other in ({"budget": 0.1}, {"limit": 3.0}, {"renew_every": 7}):
        with pytest.raises(HushrankError, match="was begun with other data or rules"):
            publish_online(tmp_path / "state", **{**begin, **other})


def test_two_programs_never_share_a_state(tmp_path, begin):
    with (
        publish_online(tmp_path / "state", **begin),
        pytest.raises(HushrankError, match="nobody else uses"),
    ):
        publish_online(tmp_path / "state")


@pytest.mark.parametrize("bits", [0.05, 0.1, 1.3, 2.6, 2.7, 5.2, 19.9, 0.1 + 0.2, 2**60 + 1])
def test_no_limit_in_nats_is_above_the_bits_that_were_asked_for(bits):
    nats = rules_of(0.1, bits, None).limit
    written = min(Fraction(bits), Fraction(repr(bits)))
    assert Fraction(nats) <= written * Fraction(log(2))  # the float is below ln 2
    assert nats == pytest.approx(bits * log(2), rel=1e-15)


@pytest.mark.parametrize(
    ("budget", "limit"),
    [(0.2000004, 9e-10), (0.1999996, 0.1000000009), (1e-7, 2.0000000009), (1, 3), (0.05, None)],
)
def test_what_was_asked_for_is_said_as_it_was(tmp_path, begin, budget, limit):
    """At six digits 0.2000004 was 0.2; less what solvers err by, a limit of 9e-10 was none."""
    with publish_online(tmp_path / "state", **begin | {"budget": budget, "limit": limit}) as stream:
        said = "no limit" if limit is None else f"limit {as_given(limit)} bits"
        expected = f"budget {as_given(budget)}: expected Kendall distance; {said}); this is"
        assert expected in stream.privacy


def test_every_tenth_of_a_bit_is_told_as_it_is():
    for tenths in range(300):
        stream = SimpleNamespace(rules=rules_of(0.1, tenths / 10, None))
        assert OnlineStream.limit_in_words.fget(stream) == f"limit {as_given(tenths / 10)} bits"


def test_the_limit_is_in_bits_and_withholds(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin, limit=0.05, renew_every=5) as stream:
        released = list(stream.release(activities * 20, at_once=400))
        assert stream.totals.most_worst_leaked <= 0.05 * np.log(2)
        assert "limit 0.05 bits" in stream.privacy
    assert any(each.item is None for each in released)


def test_a_seed_repeats_a_stream_and_is_not_private_ever_after(tmp_path, begin, activities):
    found = []
    for name in ("one", "two"):
        with publish_online(tmp_path / name, **begin, seed=3) as stream:
            found.append(content(stream.release(activities, at_once=N)))
            assert "Not private" in stream.privacy
    assert found[0] == found[1]
    for _ in range(2):
        with publish_online(tmp_path / "one") as stream:
            assert not stream.is_private
            assert list(stream.release(activities, at_once=N))
            assert not stream.is_private
            assert "Not private" in stream.privacy


def test_a_stream_that_a_seed_will_draw_is_not_private_from_its_beginning(tmp_path, begin):
    with publish_online(tmp_path / "state", **begin, seed=0) as stream:
        assert not stream.is_private
        assert "Not private" in stream.privacy


def test_two_runs_of_one_seed_draw_other_words(tmp_path, begin, activities, monkeypatch):
    drawn, seeded = [], online.Randomness.seeded
    monkeypatch.setattr(
        online.Randomness, "seeded", lambda seed: drawn.append(seed) or seeded(seed)
    )
    for _ in range(2):
        with publish_online(tmp_path / "state", **begin, seed=3) as stream:
            assert list(stream.release(activities[:2]))
    assert len(drawn) == len(set(drawn)) == 2


def test_the_command_s_lines_and_a_program_s_activities_take_the_same_draws(
    tmp_path, begin, activities
):
    with publish_online(tmp_path / "one", **begin, seed=3) as stream:
        by_program = content(stream.release(activities, at_once=N))
    (tmp_path / "in").write_text("".join(json.dumps(each) + "\n" for each in activities))
    with (
        publish_online(tmp_path / "two", **begin, seed=3) as stream,
        (tmp_path / "in").open("rb") as source,
        (tmp_path / "out").open("a+b") as target,
    ):
        stream.release_lines(source, target, appends=True)
    lines = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    by_command = [
        (number, line["user"], line["item"], {"time": line["time"]})
        for number, line in enumerate(lines)
    ]
    assert by_command == by_program


def test_lines_that_come_in_many_batches_are_all_released(tmp_path, begin, activities, monkeypatch):
    monkeypatch.setattr("hushrank.publishing.online.journal.AT_ONCE", 32)
    (tmp_path / "in").write_text("".join(json.dumps(each) + "\n" for each in activities * 3))
    with (
        publish_online(tmp_path / "state", **begin) as stream,
        (tmp_path / "in").open("rb") as source,
        (tmp_path / "out").open("a+b") as target,
    ):
        stream.release_lines(source, target, appends=True)
    lines = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    told = [(each["user"], each["time"]) for each in activities * 3]
    assert [(line["user"], line["time"]) for line in lines] == told


def test_nothing_of_people_is_in_what_is_printed(tmp_path, begin, activities, capsys):
    with publish_online(tmp_path / "state", **begin) as stream:
        assert isinstance(stream, OnlineStream)
        assert repr(stream) == f"OnlineStream({N_USERS} users, {N_ITEMS} items)"
        released = next(stream.release(activities))
    assert repr(released) == "ReleasedActivity(number 0)"
    assert capsys.readouterr() == ("", "")


def test_other_keys_are_passed_on_where_they_are_named(tmp_path, begin):
    given = {"user": "1", "item": "1", "source": "phone"}
    with publish_online(tmp_path / "state", **begin) as stream:
        (released,) = stream.release([given], keep=["source"])
        assert released.rest == {"source": "phone"}


def test_who_alone_protects_something_is_protected(tmp_path, begin):
    activity, people = begin["learn_from"], begin["profiles"]
    (group,), alone = people.attributes, np.arange(N_USERS) == 0
    other = Attribute("other", group.values, np.roll(group.codes, 1))
    both = Profiles(people.users, (group, other), {**people.protected, "other": alone})
    asked = {**begin, "profiles": both, "private": ["group", "other"]}
    with publish_online(tmp_path / "state", **asked) as stream:
        given = [{"user": people.users[0], "item": item} for item in activity.items * 20]
        released = list(stream.release(given, at_once=len(given)))
    assert any(each.item != one["item"] for each, one in zip(released, given, strict=True))


def test_two_attributes_are_not_taken_for_one_of_both_names(tmp_path, begin):
    """Of users who protect the two together that one would be hidden, and what they ask not."""
    people = begin["profiles"]
    (group,), asks = people.attributes, people.protected["group"]
    names = ("age", "sex", "age+sex")
    several = tuple(Attribute(name, group.values, group.codes) for name in names)
    both = Profiles(people.users, several, {"age": asks, "sex": asks, "age+sex": ~asks})
    with pytest.raises(HushrankError, match=r"names of attributes without \+"):
        publish_online(tmp_path / "state", **{**begin, "profiles": both, "private": list(names)})


@pytest.mark.parametrize("private", [["group", "other"], ["other", "group"]])
def test_a_limit_rests_on_the_group_of_which_least_is_known(tmp_path, private):
    """Everybody tells the group, and twenty of a hundred the other value."""
    log, people = draw_planted(100, 8, mean_records=10.0, rng=np.random.default_rng(random_seed()))
    (group,) = people.attributes
    few = np.where(np.arange(100) < 20, np.arange(100) % 2, -1).astype(group.codes.dtype)
    other = Attribute("other", ("a", "b"), few)
    asks = np.arange(100) % 2 == 0
    both = Profiles(people.users, (group, other), {"group": asks, "other": ~asks})
    asked = {"learn_from": log.activity(), "profiles": both, "budget": 0.05, "limit": 0.1}
    with pytest.raises(HushrankError, match="16 or more users of each private value for a limit"):
        publish_online(tmp_path / "few", private=private, **asked)
    plain = {**asked, "profiles": people.with_protected({"group": asks})}
    publish_online(tmp_path / "enough", private=["group"], **plain).close()


def test_what_is_told_is_the_mean_and_the_most_of_users(tmp_path, begin, activities):
    with publish_online(tmp_path / "state", **begin) as stream:
        assert list(stream.release(activities * 3, at_once=30))
        totals = stream.totals
    state = StreamState(tmp_path / "state", None)
    users = [user for user in map(state.load_user, range(N_USERS)) if user is not None]
    state.close()
    told = [user.leakage for user in users]
    assert (totals.n_users, totals.most_leaked) == (len(users), max(told))
    assert totals.mean_leaked == pytest.approx(np.mean(told))
    assert totals.most_worst_leaked == max(user.worst_leakage for user in users) > max(told)

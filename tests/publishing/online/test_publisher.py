import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.errors import HushrankError
from hushrank.publishing.distances.activity_cost import activity_cost
from hushrank.publishing.item_channel.learning_error import LearningError
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem
from hushrank.publishing.item_channel.solve import solve_item_channel
from hushrank.publishing.online.documents import current_to_bytes, user_to_bytes
from hushrank.publishing.online.publisher import MOST_KEPT, WITHHELD, OnlinePublisher
from hushrank.publishing.online.rules import StreamRules
from hushrank.publishing.online.state import StreamState, stored_setup
from hushrank.publishing.online.user import CurrentChannel, StreamUser
from hushrank.randomness import Randomness
from tests.publishing.item_channel.problems import counts, population
from tests.statistics import assert_follows, draws_needed, random_seed

N_ITEMS, N_USERS = 24, 6
PROTECTS = ["gender", None, "age", "gender", "age", "gender"]
POPULATIONS = {"gender": population(N_ITEMS, seed=1), "age": population(N_ITEMS, 2, seed=2)}
HISTORY = csr_array(np.array([counts(N_ITEMS, seed=user) for user in range(N_USERS)], dtype=float))
BUDGET = 0.004


@pytest.fixture(autouse=True)
def _closed(monkeypatch):
    """Close what a test leaves open: Python 3.13 warns of it."""
    begun, begin = [], StreamState._begin
    monkeypatch.setattr(
        StreamState,
        "_begin",
        lambda state, *settings: (begun.append(state), begin(state, *settings)),
    )
    yield
    for state in begun:
        state.close()


def publisher(populations=POPULATIONS, protects=PROTECTS, history=HISTORY, **rules):
    rules = StreamRules(**{"budget": BUDGET, "resolve_every": 7, **rules})
    return OnlinePublisher(populations, protects, rules, history)


def activities(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, N_USERS, n), rng.integers(0, N_ITEMS, n)


def seeded():
    return Randomness.seeded(random_seed())


@pytest.mark.parametrize("limit", [1.7, 1.99])  # of which more than half an activity is left
@pytest.mark.parametrize("resolve_every", [1, 7])
def test_what_the_population_lacks_counts_for_every_activity_and_for_the_limit(
    monkeypatch, resolve_every, limit
):
    """Else what was learnt of few users would be said to tell less than it does."""
    lacking = LearningError(mean=0.25, worst=0.5)
    monkeypatch.setattr("hushrank.publishing.online.publisher.learning_error", lambda *_: lacking)
    stream = publisher(limit=limit, resolve_every=resolve_every)
    released = stream.publish(np.zeros(9, int), np.arange(9), rng=seeded())
    user = stream.user(0)
    assert user.n_released == (released != WITHHELD).sum() == 3
    assert 0.75 <= user.leakage < 0.9
    assert 1.5 <= user.worst_leakage <= 1.7


def test_what_a_population_lacks_counts_for_those_who_protect_what_it_tells(monkeypatch):
    def lacking(known, channel):
        return LearningError(0.0, 5.0 if known is POPULATIONS["age"] else 1.0)

    monkeypatch.setattr("hushrank.publishing.online.publisher.learning_error", lacking)
    stream = publisher()
    stream.publish(np.arange(N_USERS), np.arange(N_USERS), rng=seeded())
    worst = {n: stream.user(n).worst_leakage for n, name in enumerate(PROTECTS) if name}
    assert {n: int(told) for n, told in worst.items()} == {0: 1, 2: 5, 3: 1, 4: 5, 5: 1}


def test_who_protects_nothing_is_released_unchanged():
    users, items = activities()
    released = publisher().publish(users, items, rng=seeded())
    assert np.array_equal(released[users == 1], items[users == 1])
    assert not np.array_equal(released, items)
    assert ((released >= 0) & (released < N_ITEMS)).all()


@pytest.mark.parametrize("cuts", [[], [1, 2, 3], [7, 50, 51, 120]])
def test_batches_do_not_matter(cuts):
    """One by one or all at once: the same words release the same items and book the same."""
    users, items = activities()
    whole, parts, rng = publisher(), publisher(), seeded()
    at_once = whole.publish(users, items, rng=seeded())
    pieces = zip(np.split(users, cuts), np.split(items, cuts), strict=True)
    one_by_one = [parts.publish(*piece, rng=rng) for piece in pieces]
    assert np.array_equal(at_once, np.concatenate(one_by_one))
    for number in (0, 2, 3, 4, 5):
        assert np.array_equal(whole.user(number).counts, parts.user(number).counts)
        assert whole.user(number).leakage == pytest.approx(parts.user(number).leakage)


@pytest.mark.parametrize("kind", ["released", "true"])
def test_a_channel_is_made_anew_by_rule(kind):
    stream = publisher(counts_of=kind, resolve_every=10)
    items, rng = np.arange(20) % N_ITEMS, seeded()
    first = stream.publish(np.zeros(10, int), items[:10], rng=rng)
    before = stream.user(0).current
    second = stream.publish(np.zeros(1, int), items[10:11], rng=rng)
    after = stream.user(0).current
    follows = first if kind == "released" else items[:10]
    seen = HISTORY[[0]].toarray()[0] + np.bincount(follows, minlength=N_ITEMS)
    posed = ItemChannelProblem(POPULATIONS["gender"], activity_cost(seen.astype(int)), BUDGET)
    warm = solve_item_channel(posed, warm=before.warm_start)
    assert after.leakage == warm.leakage != before.leakage
    assert stream.user(0).leakage == pytest.approx(10 * before.leakage + after.leakage)
    worst = 10 * before.worst_leakage + after.worst_leakage
    assert stream.user(0).worst_leakage == pytest.approx(worst)
    assert len(second) == 1


def test_each_user_is_hidden_by_what_tells_of_the_attribute_that_they_protect():
    stream = publisher()
    stream.publish(np.array([0, 2]), np.array([3, 3]), rng=seeded())
    for number in (0, 2):
        seen = HISTORY[[number]].toarray()[0].astype(int)
        known = POPULATIONS[PROTECTS[number]]
        solved = solve_item_channel(ItemChannelProblem(known, activity_cost(seen), BUDGET))
        assert stream.user(number).current.leakage == solved.leakage


def test_releases_follow_the_stated_channel():
    """Of one item, drawn by the stream; moves 10 % likelier or less likely would fail."""
    stream = publisher(resolve_every=10**9)
    item = np.argmax(POPULATIONS["gender"].weights)
    stream.publish(np.zeros(1, int), np.array([item]), rng=seeded())
    stated = stream.user(0).current.channel.matrix()[item]
    likely = np.append(stated[stated > 1e-3], stated[stated <= 1e-3].sum())
    place = np.where(stated > 1e-3, np.cumsum(stated > 1e-3) - 1, len(likely) - 1)
    here = place[item]
    assert 0.02 < stated[item] < 0.98
    wrong = 1.1 * likely
    wrong[here] -= wrong.sum() - 1
    shown = likely > 1e-5
    n_draws = draws_needed(likely[shown] / likely[shown].sum(), wrong[shown] / wrong[shown].sum())
    released = stream.publish(np.zeros(n_draws, int), np.full(n_draws, item), rng=seeded())
    seen = place[released]
    assert_follows(seen[shown[seen]], likely[shown] / likely[shown].sum())


def test_every_activity_takes_the_same_number_of_words():
    users, items = activities(50)
    tape = Randomness.replayed(seeded().words(100).tobytes())
    publisher(limit=0.05).publish(users, items, rng=tape)
    with pytest.raises(EOFError):
        tape.words(1)


@pytest.mark.parametrize(
    ("users", "items"),
    [
        *(([0, 6], [0, 0]), ([-1], [0]), ([0], [N_ITEMS]), ([0], [-1]), ([0], [0, 1])),
        *(([0.5], [0]), ([[0]], [[0]]), ([[0]], [0])),
    ],
)
def test_unknown_users_and_items_are_refused_before_anything_is_drawn(users, items):
    nothing = Randomness.replayed(b"")
    with pytest.raises(HushrankError, match="expected"):
        publisher().publish(np.array(users), np.array(items), rng=nothing)


@pytest.mark.parametrize("kind", [list, lambda nothing: np.array(nothing, dtype=np.int64)])
def test_of_no_activities_none_is_released(kind):
    released = publisher().publish(kind([]), kind([]), rng=Randomness.replayed(b""))
    assert released.tolist() == []


@pytest.mark.parametrize("number", [-1, N_USERS, 1])
def test_what_was_told_is_known_of_users_who_protect_something_alone(number):
    with pytest.raises(HushrankError, match="expected a user who protects something"):
        publisher().user(number)


@pytest.mark.parametrize("counts_of", ["released", "true"])
def test_the_limit_withholds_what_would_exceed_it(counts_of):
    stream = publisher(limit=0.1, resolve_every=5, counts_of=counts_of)
    users, items = np.zeros(400, int), np.arange(400) % N_ITEMS
    released = stream.publish(users, items, rng=seeded())
    user = stream.user(0)
    n_released = int((released != WITHHELD).sum())
    assert 0 < n_released < 400
    assert (released[:n_released] != WITHHELD).all()
    assert user.n_released == n_released
    assert user.n_withheld == 400 - n_released
    assert user.worst_leakage <= 0.1 < user.worst_leakage + user.current.worst_leakage
    assert user.leakage <= user.worst_leakage


@pytest.mark.parametrize(
    ("told", "worst", "n_released"),
    [
        ([], 0.1, 9),
        ([], 0.125, 8),
        ([0.1] * 5, 0.1, 4),
        ([0.3, 0.5], 0.1, 1),
        ([0.3, 0.6], 0.1, 0),
        ([1.0], 1e-300, 0),
        ([2.0**-60], 0.5, 1),  # as floats 1 - 2^-60 is 1
        ([2.0**-54], 2.0**-10, 1023),
        ([1e-300], 2.0**-30, 2**30 - 1),
    ],
)
def test_the_limit_is_kept_without_rounding(told, worst, n_released):
    """As floats 1 / 0.1 is 10, and ten times the float 0.1 is more than 1."""
    user = StreamUser(np.zeros(1, int))
    for each in told:
        user.renew(channel_that_tells(each))
        user.book(1)
    user.renew(channel_that_tells(worst))
    assert user.n_within(1.0) == n_released
    user.book(n_released)
    assert sum(map(Fraction, told)) + n_released * Fraction(worst) <= user.worst_leakage <= 1
    assert user.n_within(inf) is None


def test_a_channel_without_a_bound_has_told_nothing_before_it_is_used():
    user = StreamUser(np.zeros(3))
    user.renew(channel_that_tells(0.25))
    user.book(2)
    user.renew(channel_that_tells(inf))
    assert user.worst_leakage == 0.5
    assert (user.n_within(9.0), user.n_within(inf)) == (0, None)
    user.book(1)
    assert user.worst_leakage == inf


@pytest.mark.parametrize("current", [None, 0.0])
def test_no_limit_is_reached_by_what_tells_nothing(current):
    made = None if current is None else channel_that_tells(current)
    assert StreamUser(np.zeros(3), current=made).n_within(0.5) is None


def channel_that_tells(worst):
    return CurrentChannel(None, 0.0, worst, 0.0, 0.0, None)


def test_what_is_withheld_does_not_depend_on_the_activity():
    """With one channel for all, equal words withhold the same whatever is done."""
    one, other = (publisher(limit=0.1, resolve_every=10**6) for _ in range(2))
    users = np.zeros(400, int)
    first = one.publish(users, np.zeros(400, int), rng=seeded())
    second = other.publish(users, np.arange(400) % N_ITEMS, rng=seeded())
    assert np.array_equal(first == WITHHELD, second == WITHHELD)


def content(user):
    return user_to_bytes(user), current_to_bytes(user.current)


@pytest.mark.parametrize("note", [None, lambda released: b"so many"])
def test_a_resumed_stream_goes_on_as_if_it_had_not_stopped(tmp_path, note):
    users, items = activities(120)
    whole = publisher().publish(users, items, rng=seeded())
    rng, released = seeded(), []
    for start in range(0, 120, 24):
        stream = publisher()
        state = stream.resume(tmp_path / "state")
        assert state.position == start
        part = slice(start, start + 24)
        released.append(stream.publish(users[part], items[part], rng=rng, note=note))
        assert state.last_batch.first == start
        assert np.array_equal(state.last_batch.released, released[-1])
        assert state.position == start + 24
        state.close()
    assert np.array_equal(np.concatenate(released), whole)
    fresh = publisher()
    fresh.publish(users, items, rng=seeded())
    resumed = publisher()
    resumed.resume(tmp_path / "state")
    for number in (0, 2, 3, 4, 5):
        assert content(resumed.user(number)) == content(fresh.user(number))


@pytest.mark.parametrize("history", [HISTORY, None])
def test_a_channel_through_which_nothing_was_released_yet_is_remembered(tmp_path, history):
    begun, resumed = (publisher(history=history, limit=1e-9) for _ in range(2))
    state = begun.resume(tmp_path / "state")
    assert begun.publish(np.zeros(3, int), np.arange(3), rng=seeded()).tolist() == [WITHHELD] * 3
    state.close()
    state = resumed.resume(tmp_path / "state")
    assert (resumed.user(0).n_since, resumed.user(0).n_withheld) == (0, 3)
    assert content(resumed.user(0)) == content(begun.user(0))


@pytest.mark.parametrize("n_users", [1, 500, 2000, MOST_KEPT + 1])
def test_what_a_batch_told_of_however_many_users_is_remembered(tmp_path, monkeypatch, n_users):
    """Else their limits would begin anew."""
    posed = ItemChannelProblem(POPULATIONS["gender"], activity_cost(counts(N_ITEMS)), BUDGET)
    solved = solve_item_channel(posed)
    module = "hushrank.publishing.online.publisher"
    monkeypatch.setattr(f"{module}.solve_item_channel", lambda *_, **__: solved)
    everybody = {"protects": ["gender"] * n_users, "history": None}
    begun, resumed = publisher(**everybody), publisher(**everybody)
    state = begun.resume(tmp_path / "state")
    released = begun.publish(np.arange(n_users), np.arange(n_users) % N_ITEMS, rng=seeded())
    state.close()
    state = resumed.resume(tmp_path / "state")
    assert state.position == n_users
    assert np.array_equal(state.last_batch.released, released)
    users = [resumed.user(number) for number in range(n_users)]
    assert {(user.n_released, user.leakage) for user in users} == {(1, solved.leakage)}
    assert [user.counts.argmax() for user in users] == released.tolist()


@pytest.mark.parametrize("note", [None, lambda released: b"so many"])
def test_a_crash_before_the_commit_leaves_the_state_as_it_was(tmp_path, monkeypatch, note):
    users, items = activities(40)
    stream = publisher()
    state = stream.resume(tmp_path / "state")
    stream.publish(users[:20], items[:20], rng=seeded())
    before = state.position, state.last_batch.released.tolist(), user_to_bytes(stream.user(0))

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(StreamState, "commit", crash)
        with pytest.raises(KeyboardInterrupt):
            stream.publish(users[20:], items[20:], rng=seeded(), note=note)
    after = state.position, state.last_batch.released.tolist(), user_to_bytes(stream.user(0))
    assert after == before


def test_a_crash_within_the_commit_leaves_the_state_as_it_was(tmp_path, monkeypatch):
    users, items = activities(40)
    stream = publisher()
    state = stream.resume(tmp_path / "state")
    stream.publish(users[:20], items[:20], rng=seeded())
    last = state.last_batch.released.tolist()

    class Failing:
        def __init__(self, database):
            self.database = database

        def execute(self, statement, *values):
            if statement.startswith("UPDATE"):
                raise sqlite3.OperationalError("disk full")
            return self.database.execute(statement, *values)

        def executemany(self, *values):
            return self.database.executemany(*values)

    with monkeypatch.context() as context:
        context.setattr(state, "_database", Failing(state._database))
        with pytest.raises(HushrankError, match="state"):
            stream.publish(users[20:], items[20:], rng=seeded())
    assert (state.position, state.last_batch.released.tolist()) == (20, last)


def test_after_an_error_the_file_says_what_was_released(tmp_path, monkeypatch):
    """Of a batch that was committed before something failed users remember that it was."""
    users, items = activities(40)
    stream = publisher()
    state = stream.resume(tmp_path / "state")
    stream.publish(users[:20], items[:20], rng=seeded())
    commit = StreamState.commit

    def committed(*told):
        commit(*told)
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(StreamState, "commit", committed)
        with pytest.raises(KeyboardInterrupt):
            stream.publish(users[20:], items[20:], rng=seeded())
    assert state.position == 40
    protected = {number for number in users.tolist() if stream._protects[number] is not None}
    released = sum(stream.user(number).n_released for number in protected)
    assert released == np.isin(users, list(protected)).sum() > 20


def test_all_that_many_channels_told_of_a_user_adds_up():
    user = StreamUser(np.zeros(3))
    for _ in range(1000):
        user.renew(CurrentChannel(None, 0.125, 0.25, 0.0, 0.0, None))
        user.book(3)
    assert (user.n_released, user.leakage, user.worst_leakage) == (3000, 375.0, 750.0)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("limit", 9.0),
        ("resolve_every", 3),
        ("gap", 0.5),
        ("ties", "ignored"),
        ("counts_of", "true"),
    ],
)
def test_a_state_is_of_every_rule_that_it_was_begun_by(rule, value):
    """Else who opens it again with a larger limit would release more than was promised."""
    assert publisher(**{rule: value}).settings() != publisher().settings()


def test_what_is_withheld_of_all_batches_is_counted():
    stream, user = publisher(limit=0.0), next(n for n, name in enumerate(PROTECTS) if name)
    for _ in range(2):
        stream.publish(np.full(3, user), np.arange(3), rng=seeded())
    assert stream.user(user).n_withheld == 6


def test_the_worst_that_is_told_is_of_the_user_told_most(tmp_path):
    stream, users = publisher(), [n for n, name in enumerate(PROTECTS) if name][:2]
    state = stream.resume(tmp_path / "state")
    stream.publish(np.repeat(users, [9, 1]), np.arange(10), rng=seeded())
    told = [stream.user(user).worst_leakage for user in users]
    assert state.totals.most_worst_leaked == max(told) > min(told)


@pytest.mark.parametrize("change", ["budget", "protects", "history", "moved", "populations"])
def test_the_state_of_another_stream_is_refused(tmp_path, change):
    publisher().resume(tmp_path / "state").close()
    moved = HISTORY.copy()  # as many counts of each user, of other items
    moved.indices[:] = N_ITEMS - 1 - moved.indices
    others = {
        "budget": {"budget": 0.005},
        "protects": {"protects": PROTECTS[::-1]},
        "history": {"history": HISTORY * 2},
        "moved": {"history": moved},
        "populations": {"populations": {**POPULATIONS, "gender": population(N_ITEMS, seed=9)}},
    }
    with pytest.raises(HushrankError, match="same population") as refused:
        publisher(**others[change]).resume(tmp_path / "state")
    publisher().resume(tmp_path / "state").close()  # the refusal, still held, lets the file go
    assert refused.tb


def many_populations(n=40):
    return POPULATIONS | {f"attribute {k}": POPULATIONS["age"] for k in range(n)}


def test_a_state_is_of_each_of_many_populations():
    """Else a limit would be said to be kept by what is known of another population."""
    known = many_populations()
    begun = publisher(known).settings()
    for name in known:
        other = {**known, name: population(N_ITEMS, seed=9)}
        assert publisher(other).settings() != begun


@pytest.mark.parametrize(("groups", "known"), [(0, "c66d2344a742"), (2, "226939fda24e")])
def test_a_state_that_was_begun_before_is_that_of_the_same_stream(groups, known):
    """What it was begun with is written into it: another form of that would refuse all states."""
    joint = np.array([[0.5, 0.0], [0.125, 0.375]])
    without = np.repeat(joint[:, None], groups, axis=1) if groups else None
    populations = {"gender": ActivityPopulation(joint, without)}
    history = csr_array(np.array([[0, 3.0]]))
    rules = StreamRules(0.25, limit=1.5)
    assert OnlinePublisher(populations, ["gender"], rules, history).settings()[:12] == known


def test_a_stream_that_is_surer_of_the_same_population_is_another_one(tmp_path):
    """By what each group of people adds to it, an activity is said to tell more or less."""

    def surer(part):
        each = {name: known.joint[:, None] * [[1], [part]] for name, known in POPULATIONS.items()}
        learnt = {name: replace(POPULATIONS[name], without=each[name]) for name in each}
        return publisher(learnt)

    surer(1.0).resume(tmp_path / "state").close()
    with pytest.raises(HushrankError, match="same population"):
        surer(0.5).resume(tmp_path / "state")
    surer(1.0).resume(tmp_path / "state").close()


def test_a_state_is_used_by_one_stream_only(tmp_path):
    first = publisher()
    first.resume(tmp_path / "state")
    first.publish(*activities(3), rng=seeded())
    with pytest.raises(HushrankError, match="nobody else"):
        publisher().resume(tmp_path / "state")


def test_what_a_stream_has_told_is_not_forgotten_for_a_state(tmp_path):
    begun, kept = publisher(), publisher()
    begun.publish(*activities(3), rng=seeded())
    state = kept.resume(tmp_path / "kept")
    for stream in (begun, kept):
        with pytest.raises(HushrankError, match="has not begun"):
            stream.resume(tmp_path / "another")
    assert not (tmp_path / "another").exists()
    state.close()


def test_a_state_is_for_its_owner_only(tmp_path):
    publisher().resume(tmp_path / "state").close()
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o600


def test_a_commit_waits_for_the_disk(tmp_path):
    """What a crash of the machine forgot would be drawn again, and told by two draws."""
    state = publisher().resume(tmp_path / "state")
    (synchronous,) = state._database.execute("PRAGMA synchronous").fetchone()
    assert synchronous == 2  # FULL


@pytest.mark.parametrize("opens", [stored_setup, lambda path: StreamState(path, "settings")])
def test_a_database_of_another_program_is_no_state_and_left_as_it_is(tmp_path, opens):
    path = tmp_path / "contacts.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE contacts (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(HushrankError, match=r"contacts.sqlite: .* this is another database"):
        opens(path)
    assert path.read_bytes() == before


def test_a_look_for_a_state_begins_none(tmp_path):
    assert stored_setup(tmp_path / "state") is None
    assert list(tmp_path.iterdir()) == []


def test_a_database_without_tables_is_begun_by_a_stream_and_not_by_a_look_at_it(tmp_path):
    path = tmp_path / "state"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 0")
        database.execute("VACUUM")
    assert path.stat().st_size > 0
    assert stored_setup(path) is None
    state = publisher().resume(path, b"setup")
    assert (state.setup, state.position, len(state.last_batch.released)) == (b"setup", 0, 0)


def test_a_file_that_is_no_state_is_refused(tmp_path):
    (tmp_path / "state").write_bytes(b"something else, longer than a header" * 100)
    with pytest.raises(HushrankError, match="state"):
        publisher().resume(tmp_path / "state")


@pytest.mark.parametrize(
    "change",
    [
        *(f"stream SET position = {other}" for other in ("'x'", "NULL", "-1", "9e999")),
        *(f"stream SET setup = {other}" for other in ("NULL", "'x'")),
        *(f"batch SET first = {other}" for other in ("'x'", "NULL")),
        *(f"batch SET released = {other}" for other in ("'x'", "X'00'")),
        "batch SET note = 'x'",
        *(f"users SET counted = {other}" for other in ("'x'", "-1", "X'00'")),
        *(f"users SET worst_told = {other}" for other in ("'x'", "-1", "X'00'")),
        *(f"users SET state = {other}" for other in ("'x'", "X'00'")),
        *(f"channels SET current = {other}" for other in ("'x'", "X'00'")),
    ],
)
def test_a_damaged_state_is_refused_by_its_name(tmp_path, change):
    stream = publisher()
    state = stream.resume(path := tmp_path / "state", b"setup")
    stream.publish(*activities(20), rng=seeded())
    state.close()
    assert read_all(path)[0] == 20
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE {change}")
    with pytest.raises(HushrankError, match=r"state: expected"):
        read_all(path)


def read_all(path):
    stored_setup(path)
    with closing(StreamState(path, None)) as state:
        users = [state.load_user(number) for number in range(N_USERS)]
        return state.position, state.last_batch, state.totals, users


def test_a_state_of_other_items_is_refused(tmp_path):
    stream = publisher()
    stream.resume(tmp_path / "state").commit([], {0: StreamUser(np.arange(N_ITEMS - 1))})
    with pytest.raises(HushrankError, match="expected a user's counts of 24 items"):
        stream.user(0)


def test_representations_show_sizes_only(tmp_path):
    stream = publisher()
    state = stream.resume(tmp_path / "state")
    stream.publish(*activities(9), rng=seeded())
    assert repr(stream) == "OnlinePublisher(6 users, 24 items)"
    assert repr(state.last_batch) == "Batch(9 activities from 0)"
    assert "counts" not in repr(stream.user(0))


@pytest.mark.parametrize(
    "rules",
    [
        {"budget": -1},
        {"budget": np.nan},
        {"resolve_every": 0},
        {"resolve_every": 2**63},
        {"gap": 0},
        {"limit": -1},
        {"limit": np.nan},
        {"ties": "none"},
        {"counts_of": "both"},
    ],
)
def test_other_rules_are_refused(rules):
    with pytest.raises(HushrankError, match="expected"):
        publisher(**rules)


def test_streams_of_unknown_attributes_are_refused():
    with pytest.raises(HushrankError, match="one of the populations"):
        publisher(protects=["income"] * N_USERS)


def test_populations_of_different_items_are_refused():
    with pytest.raises(HushrankError, match="populations of the same items"):
        publisher({**POPULATIONS, "age": population(N_ITEMS + 1, 2, seed=2)})
    with pytest.raises(HushrankError, match="populations of the same items"):
        publisher({**many_populations(), "last": population(N_ITEMS + 1, 2, seed=2)})


@pytest.mark.parametrize("history", [HISTORY[:3], HISTORY * 0.5, HISTORY * -1.0, HISTORY * 2.0**54])
def test_other_histories_are_refused(history):
    with pytest.raises(HushrankError, match="history"):
        publisher(history=csr_array(history))


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("wrong", [0.5, -1.0, 2.0**54])
def test_a_history_is_refused_for_one_count(place, wrong):
    history = HISTORY.copy()
    history.data[place] = wrong
    with pytest.raises(HushrankError, match="history"):
        publisher(history=history)


@pytest.mark.parametrize("limit", [1e-3, inf])
def test_without_a_file_an_error_forgets_its_batch_and_nothing_before_it(monkeypatch, limit):
    """Otherwise whoever reached the limit could be released again, or channels be made for counts
    that nobody was told.
    """
    stream, users, items = publisher(limit=limit), *activities(60)
    stream.publish(users, items, rng=seeded())

    def known(number):
        return user_to_bytes(stream.user(number)), stream.user(number).worst_leakage

    before = {number: known(number) for number in (0, 2)}
    channel = OnlinePublisher._channel

    def failing(self, number):
        if number == 2:
            raise KeyboardInterrupt
        return channel(self, number)

    monkeypatch.setattr(OnlinePublisher, "_channel", failing)
    with pytest.raises(KeyboardInterrupt):
        stream.publish(np.array([0, 0, 2]), np.array([1, 2, 3]), rng=seeded())
    for number, then in before.items():
        assert stream.user(number).n_released + stream.user(number).n_withheld > 0
        assert known(number) == then


def test_without_a_file_no_user_is_forgotten_however_many_there_are(monkeypatch):
    """Else whoever reached the limit would be released again."""
    monkeypatch.setattr("hushrank.publishing.online.publisher.MOST_KEPT", 1)
    stream, (users, items) = publisher(limit=0.1), activities(400)
    stream.publish(users, items, rng=seeded())
    spent = [stream.user(number).worst_leakage for number in (0, 2)]
    assert min(spent) > 0
    stream.publish(users[:6], items[:6], rng=seeded())
    assert all(stream.user(n).worst_leakage >= s for n, s in zip((0, 2), spent, strict=True))


def test_who_has_reached_the_limit_is_withheld_in_every_batch():
    """Of one activity each, too: a stream takes them in as they happen."""
    stream = publisher(limit=0.1, resolve_every=5)
    stream.publish(np.zeros(400, int), np.arange(400) % N_ITEMS, rng=seeded())
    for item in range(3):
        released = stream.publish(np.zeros(1, int), np.array([item]), rng=seeded())
        assert released.tolist() == [WITHHELD]
    assert stream.user(0).worst_leakage <= 0.1


def test_an_empty_file_that_others_read_becomes_the_owner_s(tmp_path):
    path = tmp_path / "state"
    path.touch(0o644)
    publisher().resume(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_channels_are_made_for_what_the_recipient_holds_unless_asked_otherwise():
    """The bound on all releases of a user holds for such channels alone."""
    assert StreamRules(0.1).counts_of == "released"

import json
import subprocess
import sys
from collections import Counter
from math import log
from pathlib import Path

import msgspec
import numpy as np
import pytest

from hushrank.accounting.words import bits_in_words
from hushrank.activities.activity_lines import LineReader
from hushrank.errors import HushrankError
from hushrank.files.disk import LEDGER
from hushrank.publishing.online.journal import Output
from hushrank.publishing.online.setup import StreamSetup
from hushrank.publishing.online.state import StreamState, stored_setup
from tests.commands import hushrank

ITEMS = ["1", "2", "bar", "café", "10", "11", "12", "13"]
N_USERS = 12


class Crash(BaseException):
    """Nothing catches it."""


@pytest.fixture
def begin(tmp_path):
    """Return the arguments that begin a state; every third user protects nothing."""
    return learnt_from(tmp_path, N_USERS)


def learnt_from(tmp_path, n_users):
    """Write activity and profiles, and return the arguments that name them."""
    rng = np.random.default_rng(4)
    visits, people = ["user,item"], ["user,gender,protects"]
    for user in range(n_users):
        people.append(f"u{user},{'FM'[user % 2]},{'none' if user % 3 == 0 else 'all'}")
        likes = np.arange(1.0, len(ITEMS) + 1)[:: 1 if user % 2 else -1]
        chosen = rng.choice(len(ITEMS), 30, p=likes / likes.sum())
        visits += [f"u{user},{ITEMS[item]}" for item in [*range(len(ITEMS)), *chosen]]
    (tmp_path / "visits.csv").write_text("\n".join(visits))
    (tmp_path / "people.csv").write_text("\n".join(people))
    learnt = (tmp_path / "visits.csv", "--profiles", tmp_path / "people.csv")
    return (*learnt, "--private", "gender", "--budget", "0.05")


def written(path, n, seed=0):
    """Write n activities as lines and return them."""
    rng = np.random.default_rng(seed)
    lines = [
        {"user": f"u{rng.integers(N_USERS)}", "item": str(rng.choice(ITEMS)), "time": nth}
        for nth in range(n)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def publish(monkeypatch, folder, *more, source="in", target="out"):
    paths = ("--input", folder / source, "--output", folder / target)
    return hushrank(monkeypatch, "publish", "online", "--state", folder / "state", *paths, *more)


def test_what_is_said_to_be_told_is_what_the_state_has_of_all_users(
    tmp_path, begin, monkeypatch, capsys
):
    written(tmp_path / "in", 200)
    assert publish(monkeypatch, tmp_path, *begin, "--seed", 1) == 0
    told = capsys.readouterr().err
    state = StreamState(tmp_path / "state", None)
    totals = state.totals
    state.close()
    figures = totals.mean_leaked, totals.most_leaked, totals.most_worst_leaked
    mean, most, worst = (bits_in_words(each / log(2)) for each in figures)
    assert len({mean, most, worst}) == 3
    assert f"told of one of them: {mean} bits on average, {most} at most" in told
    assert f"told under any prior belief: {worst} bits at most (no limit)" in told


def test_one_comes_out_for_one_that_goes_in(tmp_path, begin, monkeypatch, capsys):
    lines = written(tmp_path / "in", 500)
    assert publish(monkeypatch, tmp_path, *begin, "--seed", 1) == 0
    released = read(tmp_path / "out")
    assert [line["time"] for line in released] == list(range(500))
    assert [line["user"] for line in released] == [line["user"] for line in lines]
    assert {line["item"] for line in released} <= set(ITEMS)
    open_users = {f"u{user}" for user in range(0, N_USERS, 3)}
    pairs = list(zip(lines, released, strict=True))
    assert all(a == b for a, b in pairs if a["user"] in open_users)
    assert sum(a["item"] != b["item"] for a, b in pairs if a["user"] not in open_users) > 20
    out, told = capsys.readouterr()
    assert out == ""  # where released lines go: of the raw activity nothing is said there
    assert told.startswith("visits.csv: 12 users, 8 items")
    n_hidden = sum(line["user"] not in open_users for line in lines)
    assert f"500 activities, {n_hidden} of them hidden and 0 withheld, of 8 protected" in told
    assert "bits on average" in told


def test_the_next_run_appends_and_goes_on(tmp_path, begin, monkeypatch):
    written(tmp_path / "in", 40)
    written(tmp_path / "more", 30, seed=1)
    assert publish(monkeypatch, tmp_path, *begin) == 0
    first = (tmp_path / "out").read_text()
    assert publish(monkeypatch, tmp_path, source="more") == 0
    assert (tmp_path / "out").read_text().startswith(first)
    assert [line["time"] for line in read(tmp_path / "out")] == [*range(40), *range(30)]


def test_channels_begin_with_what_the_recipient_holds(tmp_path, begin, monkeypatch):
    held = [f"u1,{item},{nth}" for nth, item in enumerate(ITEMS[1:], 1)] + ["u4,bar,2"]
    (tmp_path / "held.csv").write_text("\n".join(["user,item,score", *held]))
    written(tmp_path / "in", 60)
    assert publish(monkeypatch, tmp_path, *begin, "--history", tmp_path / "held.csv") == 0
    setup = StreamSetup.from_bytes(stored_setup(tmp_path / "state"))
    publisher = setup.publisher()  # which nobody has used
    for user, n_held in (("u1", 28), ("u4", 2), ("u2", 0)):
        assert publisher.user(setup.users.index(user)).counts.sum() == n_held
    assert publish(monkeypatch, tmp_path) == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("nobody,bar,1", "known users, got 1 others"),
        ("u1,pub,1", "known items, got 1 others"),
        ("u1,bar,1.5", "whole counts"),
    ],
)
def test_another_history_is_refused_before_there_is_a_state(
    tmp_path, begin, monkeypatch, capsys, row, message
):
    (tmp_path / "held.csv").write_text(f"user,item,score\n{row}\n")
    written(tmp_path / "in", 3)
    assert publish(monkeypatch, tmp_path, *begin, "--history", tmp_path / "held.csv") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("n_written", [0, 1, 100, 10**9])
def test_after_a_crash_nothing_is_lost_or_drawn_again(tmp_path, begin, monkeypatch, n_written):
    """The crash comes after the state is written, and after `n_written` bytes of the output."""
    written(tmp_path / "in", 300)
    monkeypatch.setattr("hushrank.publishing.online.journal.AT_ONCE", 4_000)
    texts, append = [], Output.append

    def crash(self, text):
        texts.append(text)
        if len(texts) == 3:
            self._file.write(text[:n_written])
            self._file.flush()
            raise Crash
        append(self, text)

    with monkeypatch.context() as context:
        context.setattr(Output, "append", crash)
        with pytest.raises(Crash):
            publish(context, tmp_path, *begin)
    before = b"".join(texts[:2]) + texts[2][:n_written]
    assert (tmp_path / "out").read_bytes() == before
    assert publish(monkeypatch, tmp_path) == 0
    after = (tmp_path / "out").read_bytes()
    assert after.startswith(b"".join(texts))
    assert [line["time"] for line in read(tmp_path / "out")] == list(range(300))


@pytest.mark.parametrize("seed", [(), ("--seed", 0), ("--seed", 1)])
def test_what_a_seed_drew_only_its_owner_may_read(tmp_path, begin, monkeypatch, seed):
    written(tmp_path / "in", 20)
    assert publish(monkeypatch, tmp_path, *begin, *seed) == 0
    is_open = (tmp_path / "out").stat().st_mode & 0o077 != 0
    assert is_open == (seed == ())


def test_what_is_no_file_stays_as_it_is(tmp_path, begin, monkeypatch):
    """All programs write to this one."""
    before = Path("/dev/null").stat().st_mode
    written(tmp_path / "in", 20)
    assert publish(monkeypatch, tmp_path, *begin, "--seed", 1, target="/dev/null") == 0
    assert Path("/dev/null").stat().st_mode == before


def command(folder, *arguments):
    code = "from hushrank.cli.main import main; main()"
    options = ("publish", "online", "--state", folder / "state", *arguments)
    return [sys.executable, "-c", code, *map(str, options)]


@pytest.mark.slow
def test_a_killed_process_leaves_an_output_that_is_continued(tmp_path, begin):
    """Lines come through a pipe; the process is killed between two of them."""
    lines = written(tmp_path / "in", 60)
    texts = (tmp_path / "in").read_bytes().splitlines(keepends=True)
    options = (*begin, "--output", tmp_path / "out")
    process = subprocess.Popen(command(tmp_path, *options), stdin=subprocess.PIPE)
    for nth, text in enumerate(texts[:12]):
        process.stdin.write(text)
        process.stdin.flush()
        while (tmp_path / "out").exists() is False or len(read(tmp_path / "out")) <= nth - 5:
            assert process.poll() is None
    process.kill()
    process.communicate()
    before = (tmp_path / "out").read_bytes()
    assert before
    again = command(tmp_path, "--output", tmp_path / "out")
    subprocess.run(again, input=b"".join(texts), check=True, capture_output=True)
    assert (tmp_path / "out").read_bytes().startswith(before)
    assert [line["time"] for line in read(tmp_path / "out")] == [line["time"] for line in lines]


@pytest.mark.slow
def test_a_pipe_gets_the_last_batch_again_with_the_same_draws(tmp_path, begin):
    texts = [*written_lines(tmp_path, 20), b"{no activity}\n"]
    first = subprocess.run(
        command(tmp_path, *begin), input=b"".join(texts), capture_output=True, check=False
    )
    assert first.returncode == 1
    how_read, complaint = first.stderr.splitlines()
    assert how_read.startswith(b"visits.csv: ")
    expected = b'expected a JSON object with "user" and "item"'
    assert complaint == b"hushrank: standard input: line 21: " + expected
    second = subprocess.run(
        command(tmp_path), input=b"".join(texts[:20]), capture_output=True, check=True
    )
    assert second.stdout == first.stdout
    assert first.stdout.count(b"\n") == 20


def written_lines(folder, n):
    written(folder / "in", n)
    return (folder / "in").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"user": "u1", "item": "nowhere"}', "expected a known item"),
        ('{"user": "secret", "item": "bar"}', "expected a known user"),
        ('{"user": "u1"}', "expected a JSON object"),
        ('{"user": "u1", "item": 1.5}', "expected a JSON object"),
        ("[1, 2]", "expected a JSON object"),
        ("", "expected a JSON object"),
    ],
)
def test_a_wrong_line_is_named_and_what_was_before_is_released(
    tmp_path, begin, monkeypatch, capsys, line, problem
):
    good = b"".join(written_lines(tmp_path, 10)).decode()
    (tmp_path / "in").write_text(good + line + "\n" + good)
    assert publish(monkeypatch, tmp_path, *begin) == 1
    said = capsys.readouterr().err
    assert f"in: line 11: {problem}" in said
    assert "secret" not in said
    assert len(read(tmp_path / "out")) == 10
    (tmp_path / "in").write_text(good + good)
    assert publish(monkeypatch, tmp_path) == 0
    assert len(read(tmp_path / "out")) == 20


@pytest.mark.parametrize("changed", ["in", "out"])
@pytest.mark.block_sizes
def test_another_file_than_that_of_the_interrupted_run_is_refused(
    tmp_path, begin, monkeypatch, capsys, changed
):
    good = b"".join(written_lines(tmp_path, 10)).decode()
    (tmp_path / "in").write_text(good + "wrong\n")
    assert publish(monkeypatch, tmp_path, *begin) == 1
    (tmp_path / changed).write_text((tmp_path / changed).read_text().replace("9", "8"))
    assert publish(monkeypatch, tmp_path) == 1
    what = {"in": "input", "out": "output"}[changed]
    assert f"expected the {what} of the interrupted run" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0.1", "0"])
def test_a_limit_needs_enough_users_to_learn_from(tmp_path, begin, monkeypatch, capsys, limit):
    written(tmp_path / "in", 3)
    assert publish(monkeypatch, tmp_path, *begin, "--limit", limit) == 1
    assert "16 or more users of each private value for a limit" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


def test_the_limit_withholds(tmp_path, monkeypatch, capsys):
    begin = learnt_from(tmp_path, 40)
    written(tmp_path / "in", 600)
    assert publish(monkeypatch, tmp_path, *begin, "--limit", "0.1", "--renew-every", "20") == 0
    released = read(tmp_path / "out")
    withheld = Counter(line["user"] for line in released if line["item"] is None)
    assert len(released) == 600
    assert 0 < withheld.total() < 600
    assert withheld.keys().isdisjoint({"u0", "u3"})
    said = capsys.readouterr().err
    assert f"{withheld.total()} withheld" in said
    most = float(said.split("any prior belief: ")[1].split()[0])
    assert most <= 0.1


@pytest.mark.parametrize(
    "change", [{"version": 1}, {"protects": [0]}, {"joints": [b"half"]}, {"rules": {"budge": 1}}]
)
def test_another_version_and_damage_are_refused(tmp_path, begin, monkeypatch, change):
    written(tmp_path / "in", 3)
    assert publish(monkeypatch, tmp_path, *begin) == 0
    whole = stored_setup(tmp_path / "state")
    assert StreamSetup.from_bytes(whole).to_bytes() == whole
    changed = msgspec.msgpack.encode({**msgspec.msgpack.decode(whole), **change})
    with pytest.raises(HushrankError, match="version 2"):
        StreamSetup.from_bytes(changed)


def test_a_state_is_begun_once(tmp_path, begin, monkeypatch, capsys):
    written(tmp_path / "in", 3)
    assert publish(monkeypatch, tmp_path) == 1
    assert "expected ACTIVITY, --profiles, --private and --budget" in capsys.readouterr().err
    assert publish(monkeypatch, tmp_path, *begin) == 0
    assert publish(monkeypatch, tmp_path, *begin) == 1
    assert "expected nothing that begins a state" in capsys.readouterr().err


def test_other_keys_and_numbers_pass_byte_by_byte():
    names = ["x", "3", "\N{LATIN SMALL LETTER E WITH ACUTE}"]
    reader = LineReader(["a", "7"], names, kept=["at"])
    lines = [
        b'{"time": 1.50, "user": 7, "item": 3, "at": [1e3,  2]}\n',
        b'{"user": "\\u0061", "item": "\\u00e9"}',
        b'{"user": "7", "item": "3"}\n',
    ]
    parsed = reader.read(lines)
    assert parsed.problem is None
    assert (parsed.users.tolist(), parsed.items.tolist()) == ([1, 0, 1], [1, 2, 1])
    assert reader.write(parsed, np.array([1, 0, -1])).splitlines() == [
        b'{"time":1.50,"user":7,"item":"3","at":[1e3,  2]}',
        b'{"user":"\\u0061","item":"x"}',
        b'{"user":"7","item":null}',
    ]


def test_the_setup_survives_exactly(tmp_path, begin, monkeypatch):
    written(tmp_path / "in", 3)
    publish(monkeypatch, tmp_path, *begin)
    content = stored_setup(tmp_path / "state")
    setup = StreamSetup.from_bytes(content)
    assert setup.to_bytes() == content
    assert set(setup.items) == set(ITEMS)
    assert [setup.protects[setup.users.index(user)] for user in ("u0", "u1")] == [None, "gender"]
    counted = setup.populations["gender"].joint
    visits = [row.split(",") for row in (tmp_path / "visits.csv").read_text().splitlines()[1:]]
    tally = Counter((item, int(user[1:]) % 2) for user, item in visits)
    for nth, item in enumerate(setup.items):
        expected = [tally[item, 0] / len(visits), tally[item, 1] / len(visits)]
        assert counted[nth] == pytest.approx(expected)
    assert repr(setup) == "StreamSetup(12 users, 8 items)"


def test_keys_that_may_tell_the_item_are_refused_unless_they_are_named(
    tmp_path, begin, monkeypatch, capsys
):
    (tmp_path / "in").write_text('{"user": "u1", "item": "bar", "place": "zebra"}\n')
    assert publish(monkeypatch, tmp_path, *begin) == 1
    said = capsys.readouterr().err
    assert "line 1: expected the keys user, item and time" in said
    assert "zebra" not in said
    assert read(tmp_path / "out") == []
    assert publish(monkeypatch, tmp_path, "--keep", "place,source") == 0
    assert [line["place"] for line in read(tmp_path / "out")] == ["zebra"]


def test_a_time_that_is_more_than_a_time_is_refused(tmp_path, begin, monkeypatch, capsys):
    (tmp_path / "in").write_text('{"user": "u1", "item": "bar", "time": {"item": "zebra"}}\n')
    assert publish(monkeypatch, tmp_path, *begin) == 1
    said = capsys.readouterr().err
    assert "line 1: expected a time that is a number or a text" in said
    assert "zebra" not in said


def test_what_a_seed_drew_is_not_private_ever_after(tmp_path, begin, monkeypatch, capsys):
    written(tmp_path / "in", 40)
    assert publish(monkeypatch, tmp_path, *begin) == 0
    assert "Not private" not in capsys.readouterr().err
    assert publish(monkeypatch, tmp_path, "--seed", 3, target="two") == 0
    assert "Not private" in capsys.readouterr().err
    assert publish(monkeypatch, tmp_path, "--seed", 3, target="three") == 0
    assert (tmp_path / "two").read_text() != (tmp_path / "three").read_text()
    assert publish(monkeypatch, tmp_path) == 0
    assert "Not private" in capsys.readouterr().err


def test_the_form_of_a_released_item_tells_nothing_of_the_true_one():
    reader = LineReader(["a"], ["x", "3"])
    parsed = reader.read([b'{"user": "a", "item": 3}', b'{"user": "a", "item": "3"}'])
    written = reader.write(parsed, np.array([1, 1])).splitlines()
    assert written == [b'{"user":"a","item":"3"}'] * 2


@pytest.mark.parametrize("taken", ["state", "in", "visits.csv", "people.csv", "history.csv"])
def test_releases_are_added_to_no_file_that_is_read(tmp_path, begin, monkeypatch, capsys, taken):
    """Raw records would be handed over with them; read as they are written, they never end."""
    written(tmp_path / "in", 3)
    (tmp_path / "history.csv").write_text("user,item\nu1,bar\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    asked = (*begin, "--history", tmp_path / "history.csv")
    assert publish(monkeypatch, tmp_path, *asked, target=taken) == 1
    assert "expected different files to read and to write" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_all_that_a_state_is_begun_with_is_in_it(tmp_path, monkeypatch):
    written(tmp_path / "in", 3)
    (tmp_path / "history.csv").write_text("user,item,score\nu1,bar,2\n")
    more = ("--history", tmp_path / "history.csv", "--renew-every", 7, "--limit", 0.5)
    assert publish(monkeypatch, tmp_path, *learnt_from(tmp_path, 60), *more) == 0
    setup = StreamSetup.from_bytes(stored_setup(tmp_path / "state"))
    rules = setup.rules
    assert (rules.budget, rules.resolve_every) == (0.05, 7)
    assert rules.limit == pytest.approx(0.5 * log(2))
    assert setup.history.sum() == 2


def test_releases_are_added_to_no_ledger(tmp_path, begin, monkeypatch, capsys):
    written(tmp_path / "in", 3)
    assert publish(monkeypatch, tmp_path, *begin, target=LEDGER) == 1
    assert "this is that of a ledger" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


def test_no_state_is_begun_where_there_is_nothing_to_read(tmp_path, begin, monkeypatch, capsys):
    assert publish(monkeypatch, tmp_path, *begin, source="none") == 1
    assert f"{tmp_path / 'none'}: No such file" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_standard_output_has_other_names(tmp_path, begin, monkeypatch, capfdbinary, target):
    written(tmp_path / "in", 3)
    monkeypatch.chdir(tmp_path)
    paths = ("--state", "state", "--input", "in", "--output", target)
    assert hushrank(monkeypatch, "publish", "online", *begin, *paths) == 0
    assert capfdbinary.readouterr().out.count(b"\n") == 3
    assert not (tmp_path / "-").exists()


def test_a_warning_comes_before_the_first_line(tmp_path, begin, monkeypatch, capsys):
    """A pipe may never end."""
    (tmp_path / "in").write_text("no line\n")
    assert publish(monkeypatch, tmp_path, *begin, "--budget", 0.9) == 1
    _, warning, refusal = capsys.readouterr().err.splitlines()
    assert (warning.startswith("A budget"), "line 1" in refusal) == (True, True)

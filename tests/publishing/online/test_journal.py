"""Where an interrupted run goes on: in its own output, and nowhere else; which lines it reads."""

import os
from types import SimpleNamespace

import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.online import journal
from hushrank.publishing.online.journal import Input, Journal, Output

BEFORE, TEXT = b"one\ntwo\n", b"three\nfour\n"
INTERRUPTED = Journal(start=len(BEFORE), text=TEXT, is_done=False)


@pytest.mark.parametrize("n_written", range(len(TEXT) + 1))
def test_of_the_last_batch_just_what_is_missing_is_written(tmp_path, n_written):
    path = tmp_path / "released"
    path.write_bytes(BEFORE + TEXT[:n_written])
    with path.open("a+b") as file:
        Output(file, INTERRUPTED, is_file=True)
    assert path.read_bytes() == BEFORE + TEXT


@pytest.mark.parametrize("journal", [Journal(), Journal(start=9, text=TEXT, is_done=True)])
def test_a_run_after_one_that_ended_appends_to_whatever_is_there(tmp_path, journal):
    path = tmp_path / "released"
    path.write_bytes(BEFORE)
    with path.open("a+b") as file:
        output = Output(file, journal, is_file=True)
        assert output.end == len(BEFORE)
        output.append(TEXT)
    assert path.read_bytes() == BEFORE + TEXT


def test_to_a_pipe_all_of_the_last_batch_is_written_again():
    read, write = os.pipe()
    with open(read, "rb") as told, open(write, "wb") as pipe:
        Output(pipe, INTERRUPTED, is_file=False).append(b"five\n")
        pipe.close()
        assert told.read() == TEXT + b"five\n"


@pytest.mark.parametrize("there", [b"", BEFORE[:5], BEFORE + b"thrice", BEFORE + TEXT + b"more"])
def test_another_output_is_refused_and_left_as_it_is(tmp_path, there):
    path = tmp_path / "released"
    path.write_bytes(there)
    with (
        path.open("a+b") as file,
        pytest.raises(HushrankError, match="expected the output of the interrupted run"),
    ):
        Output(file, INTERRUPTED, is_file=True)
    assert path.read_bytes() == there


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("n_lines", [1, 21, 1000, 300_000])
def test_every_line_is_read_however_many_there_are(tmp_path, n_lines, end):
    lines = [b"user %d,item %d\n" % (n, n % 7) for n in range(n_lines)]
    lines[-1] = lines[-1].rstrip() + end
    path = tmp_path / "activities"
    path.write_bytes(b"".join(lines))
    with path.open("rb") as file:
        read = [line for batch in Input(file, Journal()).batches() for line in batch]
    assert read == lines


def test_lines_are_taken_as_they_come_and_a_pause_is_no_end(tmp_path, monkeypatch):
    """Nobody would hear of an activity before the next one, or of those after a pause."""
    come = iter([b"one\ntwo", b"\n", b"three", b""])
    monkeypatch.setattr(journal, "os", SimpleNamespace(read=lambda *_: next(come)))
    monkeypatch.setattr(journal, "select", lambda *_: ([], [], []))
    (tmp_path / "activities").touch()
    with (tmp_path / "activities").open("rb") as file:
        batches = list(Input(file, Journal()).batches())
    assert batches == [[b"one\n"], [b"two\n"], [b"three"]]


def test_what_is_released_to_a_file_is_on_the_disk_at_once(tmp_path, monkeypatch):
    """Of what a crash of the machine loses the state knows no draws but the last ones."""
    seen = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(os.fstat(descriptor).st_size))
    with (tmp_path / "released").open("a+b") as file:
        output = Output(file, Journal(), is_file=True)
        for _ in range(2):
            output.append(TEXT)
    assert seen == [len(TEXT), 2 * len(TEXT)]


def test_a_line_without_an_end_is_refused_after_all_that_came_before(tmp_path):
    path = tmp_path / "activities"
    path.write_bytes(b"one\n" + b" " * 5 * 2**20)
    with path.open("rb") as file:
        batches = Input(file, Journal()).batches()
        assert next(batches) == [b"one\n"]
        with pytest.raises(HushrankError, match="lines of at most a megabyte"):
            next(batches)

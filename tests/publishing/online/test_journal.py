"""Where an interrupted run goes on: in its own output, and nowhere else."""

import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.online.journal import Journal, Output

BEFORE, TEXT = b"one\ntwo\n", b"three\nfour\n"
INTERRUPTED = Journal(start=len(BEFORE), text=TEXT, is_done=False)


@pytest.mark.parametrize("n_written", range(len(TEXT) + 1))
def test_of_the_last_batch_just_what_is_missing_is_written(tmp_path, n_written):
    path = tmp_path / "released"
    path.write_bytes(BEFORE + TEXT[:n_written])
    with path.open("a+b") as file:
        Output(file, INTERRUPTED, is_file=True)
    assert path.read_bytes() == BEFORE + TEXT


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

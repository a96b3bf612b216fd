"""An interruption ends the processes that a command started, whatever they do."""

import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.processes import is_alive

PROGRAM = """
from time import sleep
from hushrank.engines.tasks import Workers

def long(shared, piece):
    sleep(600)
    return piece

if __name__ == "__main__":
    Workers("processes", 2).add_up(long, None, (1, 2, 3))
"""


def workers_of(pid):
    """Return the processes that a process started, but for what keeps Python's books of them."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(each.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1])
            words = each.joinpath("cmdline").read_text()
        except OSError:
            continue
        if parent == pid and "spawn_main" in words:
            found.append(int(each.name))
    return found


def wait_until(holds, seconds=60):
    start = monotonic()
    while not holds() and monotonic() < start + seconds:
        sleep(0.1)
    return holds()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_an_interruption_ends_the_processes_that_were_started(tmp_path):
    """Only the caller gets the signal, as from `kill -INT`: its workers sleep for ten minutes."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    started = subprocess.Popen([sys.executable, program], stderr=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: len(workers_of(started.pid)) == 2)
        workers = workers_of(started.pid)
        sleep(3)  # both have a task by then, or are still on their way to it
        started.send_signal(signal.SIGINT)
        assert started.wait(30) != 0
        assert wait_until(lambda: not any(map(is_alive, workers)), 10)
    finally:
        started.kill()

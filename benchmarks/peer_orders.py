"""Ask a peer to aggregate ballots in a process of its own, and stop it when its time is over."""

import contextlib
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from environments import AGGREGATION_PEERS
from harness import HERE, Series, check

REPETITIONS = 5
WIDEST_ERROR = 60


@dataclass(frozen=True)
class PeerOrder:
    """What a peer took, in seconds, or in a few words why it did not end; and its order, if any."""

    seconds: Series | str
    order: tuple[int, ...] | None

    def scaled(self, factor: float) -> Series | str:
        """Return the seconds in another unit, or why there are none."""
        if isinstance(self.seconds, str):
            return self.seconds
        return Series([factor * one for one in self.seconds.values])


def ask_peer(task: str, orders: np.ndarray, limit: int) -> PeerOrder:
    """Run a task of `aggregation_peers.py` on orders (people, items) for `limit` seconds at most.

    The first repetition is not counted, unless there was time for one only.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "orders.npy"
        np.save(path, orders)
        ended_by, lines = _run(task, path, limit)
    check(ended_by in (0, -signal.SIGALRM), f"{task}: the process ended with {ended_by}")
    if not lines:
        return PeerOrder("did not start", None)
    measured = lines[1:]
    if not measured:
        return PeerOrder(f"> {limit} s", None)
    if "error" in measured[-1]:
        return PeerOrder(measured[-1]["error"][:WIDEST_ERROR], None)
    spent = [one["seconds"] for one in measured]
    return PeerOrder(Series(spent[1:] or spent), tuple(measured[-1]["order"]))


def _run(task: str, path: Path, limit: int) -> tuple[int, list[Any]]:
    """Return how the process ended and the lines it printed; leave no solver of it behind."""
    script = HERE / "aggregation_peers.py"
    command = [AGGREGATION_PEERS.python, script, task, path, str(limit), str(REPETITIONS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as it:
        printed, _ = it.communicate()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(it.pid, signal.SIGKILL)
    return it.returncode, [json.loads(line) for line in printed.splitlines()]

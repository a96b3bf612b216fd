"""kill -9 of a device, at any time: what has left it is never drawn again."""

import os
import time
from multiprocessing import get_context

import msgspec
import numpy as np

from hushrank.collector.device.connection import Asking
from hushrank.collector.device.device import Device
from hushrank.collector.device.memory import FileMemory
from tests.collector.device import crashing
from tests.statistics import random_seed

N_KILLS = int(os.environ.get("HUSHRANK_DEVICE_KILLS", "3"))
PROCESSES = get_context("forkserver")  # which imports once what each of them needs
PROCESSES.set_forkserver_preload([crashing.__name__])


def test_a_device_that_is_killed_at_any_time_sends_one_answer(live, tmp_path):
    """By a fresh memory for each pair of kills; HUSHRANK_DEVICE_KILLS sets how many there are."""
    survey = live.open(protocol="subset-order", epsilon=4.0)
    given, connection = tmp_path / "given.json", live.connection()
    documents = {
        "announcement": connection.announcement(survey).decode(),
        "assignment": connection.join(survey, Asking("a" * 32, None, 7, None)).decode(),
    }
    given.write_bytes(msgspec.json.encode(documents))
    rng = np.random.default_rng(random_seed())
    for number in range(N_KILLS):
        memory = tmp_path / f"device-{number}.sqlite"
        said = [line for _ in range(2) for line in killed(memory, given, survey, rng)]
        device = Device(crashing.Written(given), FileMemory(memory))
        kept = device.kept(survey)
        joined = {line for line in said if line.startswith("joins")}
        sent = {line.removeprefix("sends ") for line in said if line.startswith("sends")}
        assert len(joined) <= 1
        assert len(sent) <= 1
        if sent:
            assert kept.upload.decode() in sent
        assert device.spent().everywhere == (4.0 if kept and kept.answered else 0.0)


def killed(memory, given, survey, rng):
    """Start a device, kill it before or after it joins or sends, and return what it said."""
    is_new = not memory.exists()
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=crashing.answer, args=(memory, given, survey, theirs))
    process.start()
    theirs.close()  # so that its end is the end of what it said
    with ours, open(ours.fileno(), closefd=False) as said:
        assert said.readline() == "ready\n"
        lines = [said.readline() for _ in range(rng.integers(0, 3) if is_new else 0)]
        time.sleep(rng.exponential(0.01))
        process.kill()
        lines.append(said.read())
    process.join()
    return "".join(lines).split("\n")[:-1]  # what was not ended by a new line was not sent

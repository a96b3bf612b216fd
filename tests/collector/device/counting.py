"""What several processes do to one memory at once; few imports, as each process makes them."""

import sys

from hushrank.collector.device import memory as memories
from hushrank.collector.device.kept import KeptSeries
from hushrank.collector.device.memory import FileMemory
from hushrank.errors import HushrankError

TIMES = 25


def count_up(path: str) -> None:
    """Add 1 to a number in a memory, TIMES times."""
    memory = FileMemory(path)
    for _ in range(TIMES):
        with memory.opened() as drawer:
            before = drawer.get("series", KeptSeries) or KeptSeries(0)
            drawer.put("series", KeptSeries(before.lot + 1))


def look(path: str) -> None:
    """Open a memory; end with 1 where somebody else has it open."""
    memories.WAIT_SECONDS = 0.01
    try:
        FileMemory(path)
    except HushrankError:
        sys.exit(1)

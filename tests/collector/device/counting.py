"""What several processes do to one memory at once; few imports, as each process makes them."""

from hushrank.collector.device.kept import KeptSeries
from hushrank.collector.device.memory import FileMemory

TIMES = 25


def count_up(path: str) -> None:
    """Add 1 to a number in a memory, TIMES times."""
    memory = FileMemory(path)
    for _ in range(TIMES):
        with memory.opened() as drawer:
            before = drawer.get("series", KeptSeries) or KeptSeries(0)
            drawer.put("series", KeptSeries(before.lot + 1))

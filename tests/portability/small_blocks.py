"""A plugin for pytest: blocks of 13 rows, people or words, so that all tests reach their edges.

What a block shares with the next one, such as words that are used again, shows only beyond the
first, and most tests end there. `make test-blocks` runs them with blocks so small. What is of a
block's own size, or follows words of a seed, which other blocks draw in another order, is marked
`block_sizes` and left out; what takes long so is skipped.
"""

import importlib
import os
import pkgutil
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROWS = 13
SECONDS = 20
BLOCKS = re.compile(
    r"_?([A-Z_]*AT_ONCE|[A-Z]+_OF_A_(PIECE|(SORTED_)?BUCKET|HEAD|BLOCK|BATCH)|MOST_PEOPLE_OF_A_BATCH"
    r"|SLICE|LARGEST_BATCH|BATCH_BLOCKS|FEW_ROWS)"
)
LEAST_KNOWN = 50
"""So many constants of this kind there are at least: were they called otherwise, nothing ran so."""
KERNELS = Path(__file__).parents[2] / ".pytest_cache" / "kernels-of-small-blocks"

os.environ["NUMBA_CACHE_DIR"] = str(KERNELS)  # kernels hold these sizes


def pytest_sessionstart() -> None:
    """Load all of the program, and put small numbers in the place of sizes."""
    import hushrank

    for module in pkgutil.walk_packages(hushrank.__path__, "hushrank."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    n_known = 0
    for name in [name for name in sys.modules if name.startswith("hushrank.")]:
        for constant, size in vars(sys.modules[name]).items():
            if BLOCKS.fullmatch(constant) and isinstance(size, int) and size > ROWS:
                setattr(sys.modules[name], constant, ROWS)
                n_known += 1
    if n_known < LEAST_KNOWN:
        pytest.exit(f"{n_known} sizes of blocks, of {LEAST_KNOWN} or more", returncode=1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what is of a block's own size."""
    items[:] = [item for item in items if item.get_closest_marker("block_sizes") is None]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip what takes long with blocks so small."""
    late: list[int] = []

    def ring(number: int, _: object) -> None:
        late.append(number)
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        return (yield)
    except BaseException:  # compiled code and other handlers make others of ours
        if late:
            pytest.skip("slow with small blocks")
        raise
    finally:
        signal.alarm(0)

"""One worker compiles a kernel; the others wait for it and load it from numba's cache."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher


def compile_in_turn() -> None:
    """Make this process take turns at each kernel with all that share numba's cache."""
    compile_at_once = Dispatcher.compile

    def compile_after_others(self: Dispatcher, signature: object) -> Any:
        folder = self.stats.cache_path
        name = f"{self.py_func.__qualname__}-{self.py_func.__code__.co_firstlineno}.lock"
        with global_compiler_lock, _turn(Path(folder, name)) if folder else nullcontext():
            return compile_at_once(self, signature)  # looks into the cache first

    Dispatcher.compile = compile_after_others


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Hold the file's lock, unless this process already does: a kernel may call itself."""
    if path in _HELD:
        yield
        return
    with path.open("w") as file:
        flock(file, LOCK_EX)  # until the file is closed
        _HELD.add(path)
        try:
            yield
        finally:
            _HELD.discard(path)


_HELD: set[Path] = set()

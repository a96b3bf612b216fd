"""Inner loops compiled by numba, kept on disk until a source that they stand on changes."""

import re
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar, cast

Loop = TypeVar("Loop", bound=Callable[..., Any])
IMPORTS = re.compile(r"^\s*(?:from|import) +([\w.]+)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE)


def kernel(loop: Loop) -> Loop:
    """Compile the function when it is first called, and keep the code on disk."""
    return kernel_with()(loop)


def kernel_with(**options: Any) -> Callable[[Loop], Loop]:
    """Compile with options of `numba.njit`, and keep the code on disk.

    Differs from `njit(cache=True)`: numba looks at the function's own file only, although a kernel
    holds code, constants and types of the modules that its module imports, and it reads an index
    before it asks whether that is stale, which fails when a type has another name by now.
    Where no folder can be written to, each process compiles for itself.
    """

    def remembered(loop: Loop) -> Loop:
        return cast(Loop, Kernel(loop, options))

    return remembered


class Kernel:
    """A function that numba compiles when it is first called: numba itself takes .5 s to import.

    What is asked of it beyond the call, by numba too, is answered by numba's dispatcher.
    """

    def __init__(self, loop: Callable[..., Any], options: dict[str, Any]) -> None:
        """Remember what to compile, and how."""
        update_wrapper(self, loop)
        self._loop, self._options = loop, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function."""
        if self._dispatcher is None:
            self.prepare()
        return self._dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Ask numba's dispatcher, such as for its type, when another kernel calls this one."""
        if name.startswith("__") or "_dispatcher" not in vars(self):
            raise AttributeError(name)
        return getattr(self.prepare(), name)

    def prepare(self) -> Any:
        """Return numba's dispatcher, and put those of the kernels that it calls in their places."""
        if self._dispatcher is None:
            self._dispatcher = _dispatcher_of(self._loop, self._options)
            known = self._loop.__globals__
            for name in _names(self._loop.__code__):
                if isinstance(known.get(name), Kernel):
                    known[name] = known[name].prepare()
        return self._dispatcher


def _dispatcher_of(loop: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import njit
    from numba.core.dispatcher import Dispatcher

    dispatcher = njit(**options)(loop)
    if isinstance(dispatcher, Dispatcher):  # else numba is told to compile nothing
        _keep(dispatcher)
    return dispatcher


def _names(code: CodeType) -> set[str]:
    """Return the names that a function, and those inside it, take from outside."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _keep(dispatcher: Any) -> None:
    """Let numba read only what was compiled from the same sources, by its mark of a version."""
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # neither NUMBA_CACHE_DIR nor a folder of the package or the user
        return
    index = dispatcher._cache._cache_file
    index._version = f"{index._version} {sources_digest(dispatcher.py_func)}"


def sources_digest(function: Callable[..., Any]) -> str:
    """Return a digest of the function's file and of all in its package that this imports, in turn.

    It sees imports by full names, wherever in a file they stand.
    """
    package, _, rest = function.__module__.partition(".")
    file = Path(function.__code__.co_filename)
    root = file.parents[len(rest.split("."))] if rest else file.parent
    return _digest(file, root, package)


@cache
def _digest(file: Path, root: Path, package: str) -> str:
    digest = sha256()
    for path in sorted(_reached(file, root, package)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _reached(file: Path, root: Path, package: str) -> set[Path]:
    reached, waiting = {file}, [file]
    while waiting:
        new = _imported(waiting.pop(), root, package) - reached
        reached |= new
        waiting += new
    return reached


@cache
def _imported(file: Path, root: Path, package: str) -> frozenset[Path]:
    """Return the files of the package that the file imports."""
    return frozenset(filter(Path.is_file, _candidates(file.read_text("utf-8"), root, package)))


def _candidates(text: str, root: Path, package: str) -> Iterator[Path]:
    for module, names in IMPORTS.findall(text):
        if module.partition(".")[0] == package:
            place = root.joinpath(*module.split("."))
            yield from (place.with_suffix(".py"), place / "__init__.py")
            yield from (place / f"{name}.py" for name in re.findall(r"\w+", names))

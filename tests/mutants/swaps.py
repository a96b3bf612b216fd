"""What a mutant changes in a program that is loaded already: the code of functions, or values.

Kernels that hold either are compiled anew. A mutant that changes anything else, such as a
decorator, has no swap.
"""

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.mutants.mutant import Mutant

Place = tuple[str, int]
"""The qualified name of a function, and the line in which it begins."""
Functions = dict[Path, dict[Place, list[FunctionType]]]
Kernels = dict[FunctionType, list[Any]]
"""By what functions are called that are compiled: a `Kernel`, numba's dispatchers."""
PLAIN = (bool, int, float, str, bytes, tuple, frozenset, type(None))


@dataclass(frozen=True)
class Program:
    """What is loaded of ours: the functions of all files; by what each kernel is called; caches."""

    functions: Functions
    kernels: Kernels
    caches: list[Any]


@dataclass(frozen=True)
class Swap:
    """Which functions have another code, and which names of what other values.

    values: what holds the name, the name, and the value. kernels: those that hold either.
    caches: what was remembered before. entered: tests that enter one of these places of a file are
    to notice; None: any of the file's.
    """

    codes: list[tuple[FunctionType, CodeType]]
    values: list[tuple[Any, str, Any]]
    kernels: Kernels
    caches: list[Any]
    entered: dict[str, frozenset[Place] | None]

    def make(self) -> None:
        """Put everything in its place."""
        for function, code in self.codes:
            function.__code__ = code
        for holder, name, value in self.values:
            setattr(holder, name, value)
        _compile_anew(self.kernels)
        for each in self.caches:
            each.cache_clear()


def loaded_program(root: Path) -> Program:
    """Return what is loaded of all files below the root."""
    gc.unfreeze()  # what is frozen is not listed
    every = gc.get_objects()
    gc.freeze()
    functions: Functions = defaultdict(lambda: defaultdict(list))
    for each in every:
        if type(each) is FunctionType and _is_in(root, each):  # a dead proxy has no isinstance
            code = each.__code__
            functions[Path(code.co_filename)][code.co_qualname, code.co_firstlineno].append(each)
    kernels: Kernels = defaultdict(list)
    for each in every:
        if type(each).__name__ in ("Kernel", "CPUDispatcher"):
            kernels[each.__wrapped__].append(each)
    caches = [each for each in every if type(each).__name__ == "_lru_cache_wrapper"]
    ours = [each for each in caches if _is_in(root, each.__wrapped__)]
    return Program(functions, kernels, ours)


def _is_in(root: Path, function: Any) -> bool:
    code = getattr(function, "__code__", None)  # a class has none
    return code is not None and Path(code.co_filename).is_relative_to(root)


def swap_of(mutant: Mutant, tree: Path, program: Program) -> Swap | None:
    """Return what the mutant changes of the program that is loaded from the tree, if it can be."""
    path = tree / mutant.file
    before, after = (compile(text, str(path), "exec") for text in (mutant.original, mutant.text))
    if _outside(before) != _outside(after):
        values, codes = list(_other_values(mutant, path)), []
        changed = {(id(getattr(holder, "__dict__", None)), name) for holder, name, _ in values}
        places = None
    else:
        pairs, values = list(_changed(before, after)), []
        codes = [
            (function, code)
            for place, code in pairs
            for function in program.functions[path][place]
            if len(function.__closure__ or ()) == len(code.co_freevars)
        ]
        changed = {(id(function.__globals__), function.__name__) for function, _ in codes}
        places = frozenset(place for place, _ in pairs)
    if not codes and not values:
        return None
    kernels = _holding(changed, program.kernels)
    of_kernels = {Path(loop.__code__.co_filename).relative_to(tree) for loop in kernels}
    any_place = dict.fromkeys(map(str, of_kernels))
    entered = {mutant.file: places} | any_place
    return Swap(codes, values, kernels, program.caches, entered)


def _holding(changed: set[tuple[int, str]], kernels: Kernels) -> Kernels:
    """Return the kernels that hold one of these names of these modules, or call such, in turn."""
    held, found = set(changed), Kernels()
    while True:
        more = {loop: kernels[loop] for loop in kernels.keys() - found if _names(loop) & held}
        if not more:
            return found
        found |= more
        called = {id(by) for loop in more for by in kernels[loop]}
        held |= {(id(place), name) for place, name, value in _everything() if id(value) in called}


def _names(loop: FunctionType) -> set[tuple[int, str]]:
    """Return the names that a kernel takes from its module, and its own."""
    codes, names = [loop.__code__], {loop.__name__}
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += _inside(code)
    return {(id(loop.__globals__), name) for name in names}


def _everything() -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield all that modules hold by a name."""
    for module in list(sys.modules.values()):
        held = getattr(module, "__dict__", {})
        yield from ((held, name, value) for name, value in list(held.items()))


def _compile_anew(kernels: Kernels) -> None:
    """Let kernels be compiled when they are called, and not be read from the disk or kept there.

    A kernel that another has compiled is called by numba's dispatcher: it gets a `Kernel` again.
    """
    if not kernels:
        return
    makers = (value for _, name, value in _everything() if name == "kernel_with")
    ours: Any = sys.modules[next(makers).__module__]
    ours._keep = lambda dispatcher: None
    anew = dict[int, Any]()
    for loop, callers in kernels.items():
        known = [each for each in callers if type(each).__name__ == "Kernel"]
        kernel = known[0] if known else ours.Kernel(loop, {})
        kernel._dispatcher = None
        anew |= {id(each): kernel for each in callers}
    for held, name, value in _everything():
        if id(value) in anew:
            held[name] = anew[id(value)]


def _is_function(code: CodeType) -> bool:
    return bool(code.co_flags & CO_OPTIMIZED)


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _meaning(code: CodeType, *, is_whole: bool = True) -> tuple[Any, ...]:
    """Return what code does, without its lines; unless whole, without that of functions inside."""
    constants = tuple(
        (_meaning(each, is_whole=is_whole) if is_whole or not _is_function(each) else "function")
        if isinstance(each, CodeType)
        else (type(each), repr(each))
        for each in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, constants, names, code.co_exceptiontable)


def _outside(module: CodeType) -> tuple[Any, ...]:
    """Return what the module and its classes do when they are loaded."""
    return _meaning(module, is_whole=False)


def _changed(before: CodeType, after: CodeType) -> Iterator[tuple[Place, CodeType]]:
    """Yield the functions of another code, by the places that they had, with those inside."""
    for old, new in zip(_inside(before), _inside(after), strict=False):
        if _meaning(old) != _meaning(new):
            if _is_function(old):
                yield (old.co_qualname, old.co_firstlineno), new
            yield from _changed(old, new)


def _other_values(mutant: Mutant, path: Path) -> Iterator[tuple[Any, str, Any]]:
    """Yield the values and defaults that differ where the mutant is loaded beside its original."""
    name = ".".join(Path(mutant.file).relative_to("src").with_suffix("").parts)
    module = sys.modules.get(name.removesuffix(".__init__"))
    if module is None:
        return
    loaded = ModuleType(module.__name__)
    loaded.__file__ = str(path)
    try:
        exec(compile(mutant.text, str(path), "exec"), vars(loaded))
    except Exception:
        return
    for held, old in _others(module, loaded):
        yield from _everywhere(module, held, old)


def _others(old: Any, new: Any) -> Iterator[tuple[tuple[Any, str, Any], Any]]:
    """Yield what holds a value, its name, and the new one, with the old one."""
    for name, value in vars(new).items():
        was = vars(old).get(name)
        if value is was or (name.startswith("__") and not isinstance(value, FunctionType)):
            continue
        if isinstance(value, PLAIN) and _differs(value, was):
            yield (old, name, value), was
        function, original = _bare(value), _bare(was)
        if isinstance(function, FunctionType) and isinstance(original, FunctionType):
            for part in ("__defaults__", "__kwdefaults__"):
                if _differs(getattr(function, part), getattr(original, part)):
                    yield (original, part, getattr(function, part)), None
        if isinstance(value, type) and isinstance(was, type) and value.__module__ == was.__module__:
            yield from _others(was, value)


def _differs(value: Any, was: Any) -> bool:
    """Whether a value is another; what holds things that are known by their place alone is not."""
    return repr(value) != repr(was) and " at 0x" not in repr(value)


def _bare(value: Any) -> Any:
    """Return the function within a static or class method, a property or a wrapper."""
    value = getattr(value, "__func__", value)
    value = value.fget if isinstance(value, property) else value
    return getattr(value, "__wrapped__", value)


def _everywhere(
    module: ModuleType, held: tuple[Any, str, Any], old: Any
) -> Iterator[tuple[Any, str, Any]]:
    """Yield the same for all modules that have taken the value by its name."""
    holder, name, value = held
    yield held
    if holder is module:
        for other in list(sys.modules.values()):
            if other is not module and getattr(other, "__dict__", {}).get(name) is old:
                yield other, name, value

"""A step that is taken only where, or unless, something holds that its function asks elsewhere."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from tests.mutants.generic.edits import Edit, Source
from tests.mutants.generic.steps import LAST, is_call

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Known: TypeAlias = frozenset[str]
"""Conditions that hold, or that do not, wherever a statement is reached."""


def only_where(source: Source) -> list[Edit]:
    """Take each step only where each condition of its function holds, and only unless it does.

    Steps are calls that nothing is done with, changes of what there is already, and what takes
    another's place in a copy, such as `replace(own, price=price)`.
    """
    found: list[Edit] = []
    for function in source.nodes:
        if isinstance(function, Function):
            reached = list(_reached(function.body, frozenset()))
            conditions = _conditions(function, [node for node, _ in reached])
            for node, known in reached:
                for condition in conditions:
                    if condition not in known:
                        found += _taken(source, node, condition)
                        found += _taken(source, node, f"not ({condition})")
    return found


def _reached(block: list[ast.stmt], known: Known) -> Iterator[tuple[ast.stmt, Known]]:
    """Yield each statement with what is known there, but for those of functions inside."""
    for node in block:
        yield node, known
        if isinstance(node, Function | ast.ClassDef):
            continue
        asked = {ast.unparse(node.test)} if isinstance(node, ast.If) else set()
        blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
        for inner in (*blocks, *(each.body for each in getattr(node, "handlers", []))):
            yield from _reached(inner, known | asked)
        if isinstance(node, ast.If) and isinstance(node.body[-1], LAST):
            known |= asked


def _conditions(function: Function, statements: list[ast.stmt]) -> list[str]:
    """Return what the function asks, and whether what may be absent or false was handed on."""
    asked = [node.test for node in statements if isinstance(node, ast.If)]
    inner = [each for node in statements for each in _expressions(node)]
    asked += [each.test for each in inner if isinstance(each, ast.IfExp)]
    given = [*function.args.args, *function.args.kwonlyargs]
    hinted = [(each.arg, ast.unparse(each.annotation)) for each in given if each.annotation]
    absent = [f"{name} is not None" for name, hint in hinted if "None" in hint]
    flags = [name for name, hint in hinted if hint == "bool"]
    return list(dict.fromkeys([*map(ast.unparse, asked), *absent, *flags]))


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield all within a statement that belongs to no statement inside."""
    parts = ast.iter_child_nodes(node)
    for part in (each for each in parts if isinstance(each, ast.expr | ast.withitem)):
        yield from ast.walk(part)


def _taken(source: Source, node: ast.stmt, asked: str) -> list[Edit]:
    """Return the statement where this is asked first, and each copy that it makes there."""
    text = source.text_of
    step = [source.edit(node, f"if {asked}: {text(node)}")] if _is_step(node) else []
    return step + [
        source.edit(keyword.value, f"({text(keyword.value)} if {asked} else {old}.{keyword.arg})")
        for call in _expressions(node)
        if isinstance(call, ast.Call) and call not in source.in_texts
        if ast.unparse(call.func).endswith("replace") and call.args
        for old in (ast.unparse(call.args[0]),)
        for keyword in call.keywords
    ]


def _is_step(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        (target, *_) = node.targets
        used = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
        is_changed = isinstance(target, ast.Name) and target.id in used
        return is_changed or isinstance(target, ast.Attribute | ast.Subscript)
    return is_call(node) or isinstance(node, ast.AugAssign)

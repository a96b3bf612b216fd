"""Steps and what is handed on to them: left out, or turned round."""

import ast
import builtins
from copy import copy
from itertools import pairwise

from tests.mutants.generic.edits import Edit, Source

COUNTING = {*dir(builtins), "np", "math", "log", "Decimal", "Fraction"}
"""What only counts, however it is called: the order of such steps is nothing."""
SYMMETRIC = {"min", "max", "np.minimum", "np.maximum", "hmac.compare_digest", "gcd"}
NAMES = (ast.Name, ast.Attribute, ast.Subscript)
LAST = (ast.Return, ast.Raise, ast.Break, ast.Continue)
NAMING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def without_call(source: Source) -> list[Edit]:
    """Leave out each statement that is a call and nothing else."""
    calls = [node for node in source.nodes if is_call(node)]
    return [source.edit(call, "pass") for call in calls if isinstance(call, ast.stmt)]


def without_keyword(source: Source) -> list[Edit]:
    """Leave out each argument that has a name: its default is taken, if it has one."""
    found: list[Edit] = []
    for call in _calls(source):
        for nth, keyword in enumerate(call.keywords):
            less = copy(call)
            less.keywords = [*call.keywords[:nth], *call.keywords[nth + 1 :]]
            is_kept = keyword.arg in (None, "strict")  # what is that long anyhow
            found += [] if is_kept else [source.edit(call, ast.unparse(less))]
    return found


def with_others_argument(source: Source) -> list[Edit]:
    """Hand two arguments on, one after the other, in each other's place."""
    found: list[Edit] = []
    calls = [call for call in _calls(source) if ast.unparse(call.func) not in SYMMETRIC]
    for call in calls:
        for left, right in pairwise(call.args):
            if isinstance(left, NAMES) and isinstance(right, NAMES):
                begin, end = source.place(left)[0], source.place(right)[1]
                found.append(Edit(begin, end, f"{ast.unparse(right)}, {ast.unparse(left)}"))
    return found


def in_another_order(source: Source) -> list[Edit]:
    """Turn round two steps that act, or a check and such a step.

    But for what the first names and the second needs.
    """
    blocks = [getattr(node, name, []) for node in source.nodes for name in ("body", "orelse")]
    found: list[Edit] = []
    for first, second in (pair for block in blocks for pair in _pairs(block)):
        if _can_be_turned(first, second):
            (begin, middle), (after, end) = map(source.place, (first, second))
            texts = source.text_of(second), source.between(middle, after), source.text_of(first)
            found.append(Edit(begin, end, "".join(texts)))
    return found


def _calls(source: Source) -> list[ast.Call]:
    nodes = (node for node in source.nodes if node not in source.in_texts)
    return [node for node in nodes if isinstance(node, ast.Call)]


def _pairs(block: object) -> list[tuple[ast.stmt, ast.stmt]]:
    return list(pairwise(block)) if isinstance(block, list) else []


def _can_be_turned(first: ast.stmt, second: ast.stmt) -> bool:
    if any(map(_is_fixed, (first, second))) or _names(first, ast.Store) & _names(second, ast.Load):
        return False
    others = [each for each in (first, second) if not _is_check(each)]
    n_steps = 2 - len(others) + sum(map(is_call, others))
    return bool(others) and n_steps > 0 and all(map(_acts, others))


def _is_check(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return "require" in ast.unparse(node.value.func)
    return isinstance(node, ast.If) and isinstance(node.body[-1], LAST)


def _acts(node: ast.stmt) -> bool:
    """Whether it may do more than count: draw, keep, send."""
    called = {each.func for each in ast.walk(node) if isinstance(each, ast.Call)}
    return any(ast.unparse(each).partition(".")[0] not in COUNTING for each in called)


def is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)


def _is_fixed(node: ast.stmt) -> bool:
    """Whether it ends the block, names something for the module, or only says something."""
    says = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return says or isinstance(node, (*LAST, *NAMING))


def _names(node: ast.stmt, kind: type[ast.expr_context]) -> set[str]:
    names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, kind)}

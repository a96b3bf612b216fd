"""List generic mutants of Python files as JSON: run by the environment that has cosmic-ray.

python tests/mutants/generic.py NUMBER SEED KIND FILE ...

Of cosmic-ray's operators those are taken
that change an expression to a near one, once or twice a place: eleven other signs for each `+`
would only make the score look better. Statements that are calls, such as checks, are dropped, too,
and of several things the first alone is looked at, the first twenty, or all but the last. KIND: a
part of the name of the operators that are wanted, all where it is empty.
"""

import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

BINARY = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul"),
    *("RShift_LShift", "LShift_RShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitAnd"),
)
COMPARISON = (
    *("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
    *("Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt"),
)
UNARY = ("USub_UAdd", "Delete_Not", "Delete_Invert")
DROP_CALL = "DropCall"
OF_SEVERAL = {"FirstAlone": ":1", "AllButLast": ":-1", "FirstTwenty": ":20"}
"""With which part of what is gone through is left."""
OF_LOOP, OF_KERNEL, OF_ARRAY = "[*({})][{}]", "list(({}))[{}]", "({}).flat[{}]"
"""How a part is written: numba knows no star in a list, and what is asked stays an array."""
ALONG = ("({})[{}]", "({})[:, {}]", "({})[:, :, {}]")
"""How a part of an array is written along the axis that is asked."""
OPERATORS = (
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISON),
    *(f"ReplaceUnaryOperator_{name}" for name in UNARY),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr"),
    *("ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("NumberReplacer", "ZeroIterationForLoop"),
)


Place = tuple[str, str, int]
"""A file, an operator, and which of the operator's mutants in the file."""


def places_in(name: str) -> Iterator[Place]:
    """Yield every place of a file where an operator may make a mutant."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    text = Path(name).read_text("utf-8")
    nodes = list(ast_nodes(get_ast(text)))
    n_several = len(_several(text))
    for operator in OF_SEVERAL:
        yield from ((name, operator, nth) for nth in range(n_several))
    for operator in OPERATORS:
        made = get_operator(f"core/{operator}")()
        n_places = sum(len(list(made.mutation_positions(node))) for node in nodes)
        yield from ((name, operator, occurrence) for occurrence in range(n_places))
    yield from ((name, DROP_CALL, nth) for nth in range(len(_calls(text))))


def mutated(text: str, operator: str, occurrence: int) -> str | None:
    """Return the mutated text, None where it is no other program: `*` is no product everywhere."""
    if operator == DROP_CALL:
        changed = _without(text, _calls(text)[occurrence])
    elif operator in OF_SEVERAL:
        changed = _with_some(text, *_several(text)[occurrence], OF_SEVERAL[operator])
    else:
        changed = _by_cosmic_ray(text, operator, occurrence)
    try:
        return changed if meaning(changed) != meaning(text) else None
    except SyntaxError:
        return None


def _by_cosmic_ray(text: str, operator: str, occurrence: int) -> str | None:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed: str | None = mutate_code(text, get_operator(f"core/{operator}")(), occurrence)
    return changed


def meaning(text: str) -> str:
    """Return what a program does, in words: without types, which nobody runs."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            node.value = None
        for place in ("annotation", "returns"):
            if getattr(node, place, None) is not None:
                setattr(node, place, ast.Constant(0))
    return ast.dump(tree)


def _calls(text: str) -> list[ast.Expr]:
    """Return the statements that are calls and nothing else."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
    return [node for node in nodes if isinstance(node.value, ast.Call | ast.Await)]


def _several(text: str) -> list[tuple[ast.expr, str]]:
    """Return what is gone through, or asked whether all or any are so, and how a part is written.

    But for numbers of a range: few loops over these end sooner without anybody noticing.
    """
    found: list[tuple[ast.expr, str]] = []
    nodes = list(ast.walk(ast.parse(text)))
    compiled = {inside for node in nodes if _is_kernel(node) for inside in ast.walk(node)}
    awaited = {node.value for node in nodes if isinstance(node, ast.Await)}
    for node in nodes:
        match node:
            case ast.For(iter=each) | ast.comprehension(iter=each, is_async=0):
                found.append((each, OF_KERNEL if each in compiled else OF_LOOP))
            case ast.Call() if node not in awaited:
                found += _asked(node)
    return [(each, form) for each, form in found if not _is_range(each)]


def _asked(call: ast.Call) -> list[tuple[ast.expr, str]]:
    """Return what a call asks whether all or any are so; comprehensions are gone through."""
    match call:
        case ast.Call(func=ast.Name("all" | "any"), args=[each]):
            return _listed(each)
        case ast.Call(func=ast.Attribute(each, "all" | "any"), args=[], keywords=[]):
            return [(each, OF_ARRAY)]
        case ast.Call(func=ast.Attribute(_, "all" | "any"), args=[each], keywords=[]):
            return [(each, ALONG[0])]
        case ast.Call(
            func=ast.Attribute(array, "all" | "any"),
            args=arrays,
            keywords=[ast.keyword("axis", ast.Constant(axis))],
        ):
            return [([*arrays, array][0], ALONG[axis])]
    return []


def _listed(several: ast.expr) -> list[tuple[ast.expr, str]]:
    """Return what is listed; of a map what it maps, as it may raise for what is never asked."""
    match several:
        case ast.GeneratorExp() | ast.ListComp():
            return []
        case ast.Call(func=ast.Name("map" | "starmap"), args=[_, each, *_]):
            return [(each, OF_LOOP)]
    return [(several, OF_LOOP)]


def _is_kernel(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any("kernel" in ast.unparse(each) for each in decorators)


def _is_range(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id in ("range", "prange", "literal_unroll")


def _with_some(text: str, several: ast.expr, form: str, part: str) -> str:
    content = text.encode()
    starts = [0, *accumulate(map(len, content.splitlines(keepends=True)))]
    begin = starts[several.lineno - 1] + several.col_offset
    end = starts[(several.end_lineno or 0) - 1] + (several.end_col_offset or 0)
    some = form.format(content[begin:end].decode(), part)
    return content[:begin].decode() + some + content[end:].decode()


def _without(text: str, call: ast.Expr) -> str:
    lines = text.splitlines(keepends=True)
    nothing = " " * call.col_offset + "pass\n"
    return "".join([*lines[: call.lineno - 1], nothing, *lines[call.end_lineno :]])


def main() -> None:
    """Print how many places each file has, and a sample of the mutants, drawn by the seed."""
    n_wanted, seed, kind, *names = sys.argv[1:]
    places = [place for name in names for place in places_in(name) if kind in place[1]]
    random.Random(int(seed)).shuffle(places)
    sample: list[dict[str, str]] = []
    for name, operator, occurrence in places:
        if len(sample) < int(n_wanted):
            after = mutated(Path(name).read_text("utf-8"), operator, occurrence)
            sample += [] if after is None else [{"file": name, "kind": operator, "text": after}]
    json.dump({"places": Counter(name for name, _, _ in places), "sample": sample}, sys.stdout)


if __name__ == "__main__":
    main()

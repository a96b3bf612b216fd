"""Of what is gone through, or asked whether all or any are so, a part is looked at alone."""

import ast

from tests.mutants.generic.edits import Edit, Source

PARTS = {"FirstAlone": ":1", "AllButLast": ":-1", "FirstTwenty": ":20"}
"""With which part of what is gone through is left."""
OF_LOOP, OF_KERNEL, OF_ARRAY = "[*({})][{}]", "list(({}))[{}]", "({}).flat[{}]"
"""How a part is written: numba knows no star in a list, and what is asked stays an array."""
ALONG = ("({})[{}]", "({})[:, {}]", "({})[:, :, {}]")
"""How a part of an array is written along the axis that is asked."""


def of_several(source: Source, part: str) -> list[Edit]:
    """Return what looks at a part of several, at each place.

    But for numbers of a range: few loops over these end sooner without anybody noticing, and some
    go on for ever.
    """
    found: list[tuple[ast.expr, str]] = []
    compiled = {inside for node in source.nodes if _is_kernel(node) for inside in ast.walk(node)}
    awaited = {node.value for node in source.nodes if isinstance(node, ast.Await)}
    for node in source.nodes:
        match node:
            case ast.For(iter=each) | ast.comprehension(iter=each, is_async=0):
                found.append((each, OF_KERNEL if each in compiled else OF_LOOP))
            case ast.Call() if node not in awaited:
                found += _asked(node)
    return [
        source.edit(each, form.format(source.text_of(each), part))
        for each, form in found
        if not _is_range(each)
    ]


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
    return is_call and node.func.id in ("range", "prange", "count", "literal_unroll")

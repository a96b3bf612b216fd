"""All that mutates a file: operators of cosmic-ray, and ours.

Of cosmic-ray's those are taken that change an expression to a near one, once or twice a place:
eleven other signs for each `+` would only make the score look better.
"""

import ast
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from tests.mutants.generic import branches, steps, wheres
from tests.mutants.generic.edits import Edit, Source
from tests.mutants.generic.several import PARTS, of_several

BINARY = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul"),
    *("RShift_LShift", "LShift_RShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitAnd"),
)
COMPARISON = (
    *("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
    *("Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt"),
)
UNARY = ("USub_UAdd", "Delete_Not", "Delete_Invert")
OPERATORS = (
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISON),
    *(f"ReplaceUnaryOperator_{name}" for name in UNARY),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr"),
    *("ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("NumberReplacer", "ZeroIterationForLoop"),
)
OURS: dict[str, Callable[[Source], list[Edit]]] = {
    **{name: partial(of_several, part=part) for name, part in PARTS.items()},
    "DropCall": steps.without_call,
    "OneBranch": branches.one_branch,
    "DropOperand": branches.without_operand,
    "DropKeyword": steps.without_keyword,
    "SwapArguments": steps.with_others_argument,
    "SwapSteps": steps.in_another_order,
    "OnlyWhere": wheres.only_where,
}

Place = tuple[str, str, int]
"""A file, an operator, and which of the operator's mutants in the file."""


def places_in(name: str) -> Iterator[Place]:
    """Yield every place of a file where an operator may make a mutant."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator

    text = Path(name).read_text("utf-8")
    nodes = list(ast_nodes(get_ast(text)))
    for operator in OPERATORS:
        made = get_operator(f"core/{operator}")()
        n_places = sum(len(list(made.mutation_positions(node))) for node in nodes)
        yield from ((name, operator, occurrence) for occurrence in range(n_places))
    for operator in OURS:
        yield from ((name, operator, nth) for nth in range(len(_edits(text, operator))))


def mutated(text: str, operator: str, occurrence: int) -> str | None:
    """Return the mutated text, None where it is no other program: `*` is no product everywhere."""
    if operator in OURS:
        changed = Source(text).with_edit(_edits(text, operator)[occurrence])
    else:
        changed = _by_cosmic_ray(text, operator, occurrence)
    try:
        return changed if meaning(changed) != meaning(text) else None
    except SyntaxError:
        return None


@lru_cache
def _edits(text: str, operator: str) -> list[Edit]:
    return OURS[operator](Source(text))


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

"""One way is gone whatever is so, and what several conditions ask, all but one ask."""

import ast

from tests.mutants.generic.edits import Edit, Source


def one_branch(source: Source) -> list[Edit]:
    """Take each branch of each condition, always; but for that of type checkers."""
    nodes = [node for node in source.nodes if node not in source.in_texts]
    return [
        source.edit(node.test, str(always))
        for node in nodes
        if isinstance(node, ast.If | ast.IfExp) and ast.unparse(node.test) != "TYPE_CHECKING"
        for always in (True, False)
    ]


def without_operand(source: Source) -> list[Edit]:
    """Leave out each part of an `and` or `or`, and each condition of a comprehension."""
    found: list[Edit] = []
    for node in source.nodes:
        if isinstance(node, ast.BoolOp) and node not in source.in_texts:
            for nth in range(len(node.values)):
                values = [*node.values[:nth], *node.values[nth + 1 :]]
                less = ast.BoolOp(node.op, values) if len(values) > 1 else values[0]
                found.append(source.edit(node, f"({ast.unparse(less)})"))
        if isinstance(node, ast.comprehension) and node.target not in source.in_texts:
            found += [source.edit(condition, "True") for condition in node.ifs]
    return found

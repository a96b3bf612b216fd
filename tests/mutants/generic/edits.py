"""Places of a program, and what stands there in a mutant."""

import ast
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple


class Edit(NamedTuple):
    """Bytes of a program, from `begin` to before `end`, and what stands in their place."""

    begin: int
    end: int
    text: str


class Source:
    """A program's text, with what it consists of."""

    def __init__(self, text: str) -> None:
        """Take the text."""
        self._bytes = text.encode()
        self.tree = ast.parse(text)
        self.nodes = list(ast.walk(self.tree))
        self._starts = [0, *accumulate(map(len, self._bytes.splitlines(keepends=True)))]

    @cached_property
    def in_texts(self) -> set[ast.AST]:
        """What stands within f-strings, whose places Python 3.11 does not know."""
        texts = (node for node in self.nodes if isinstance(node, ast.JoinedStr))
        return {inside for text in texts for inside in ast.walk(text)}

    def edit(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that puts a text in the place of a node."""
        return Edit(*self.place(node), text)

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where the node begins and ends, in bytes."""
        begin = self._starts[node.lineno - 1] + node.col_offset
        return begin, self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return how the node is written."""
        return self.between(*self.place(node))

    def between(self, begin: int, end: int) -> str:
        """Return what stands from a byte to before another."""
        return self._bytes[begin:end].decode()

    def with_edit(self, edit: Edit) -> str:
        """Return the whole text with one edit."""
        return self.between(0, edit.begin) + edit.text + self._bytes[edit.end :].decode()

"""The notebooks of the documents: their cells, run in this process as a notebook runs them."""

import ast
import json
from pathlib import Path
from typing import Any

from tests.documents.consoles import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def code_of(notebook: Path) -> list[str]:
    """Return the programs of a notebook's cells."""
    cells = json.loads(notebook.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run(notebook: Path) -> list[Any]:
    """Run the cells in turn; return what each shows: the value of its last line, or None."""
    known: dict[str, Any] = {"__name__": f"notebook_{notebook.stem.replace('-', '_')}"}
    return [
        _shown(cell, f"{notebook.name}, cell {number}", known)
        for number, cell in enumerate(code_of(notebook), start=1)
    ]


def _shown(cell: str, name: str, known: dict[str, Any]) -> Any:
    *steps, last = ast.parse(cell).body
    exec(compile(ast.Module([*steps], []), name, "exec"), known)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), name, "eval"), known)
    exec(compile(ast.Module([last], []), name, "exec"), known)
    return None

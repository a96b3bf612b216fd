"""Copies of the project, one a mutant: nothing is ever changed in the working tree.

Copies share the files by hard links, and so cost a tenth of a second. Compiled kernels come along,
as hushrank/kernels.py tells by itself which of them a mutant makes stale.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from tests.mutants.mutant import ROOT

NODE_MODULES = "client/node_modules"
LEFT_OUT = (".*", "node_modules", "out", "site", "dist", "build", "jupyter_execute")
LATER = 60.0
"""By so many seconds a mutated file looks newer than what was compiled from the original."""


@contextmanager
def first_copy(parts: Iterable[str] = (".",)) -> Iterator[Path]:
    """Copy the project, or folders of it, with what is compiled, to a folder of its own."""
    tree = Path(mkdtemp(prefix="mutants-")) / "tree"
    try:
        left_out = shutil.ignore_patterns(*LEFT_OUT)
        for part in parts:
            shutil.copytree(ROOT / part, tree / part, symlinks=True, ignore=left_out)
        if (ROOT / NODE_MODULES).exists():
            (tree / NODE_MODULES).symlink_to((ROOT / NODE_MODULES).resolve())
        yield tree
    finally:
        shutil.rmtree(tree.parent, ignore_errors=True)  # what a test started may still write


@contextmanager
def with_another_file(tree: Path, file: str, text: str) -> Iterator[Path]:
    """Copy a tree by hard links, with another text in one file."""
    copy = Path(mkdtemp(prefix="mutant-", dir=tree.parent)) / "tree"
    try:
        shutil.copytree(tree, copy, symlinks=True, copy_function=os.link)
        (copy / file).unlink()  # else the text would change in every copy
        (copy / file).write_text(text, "utf-8")
        newer = (tree / file).stat().st_mtime + LATER
        os.utime(copy / file, (newer, newer))
        yield copy
    finally:
        shutil.rmtree(copy.parent)

"""Docstrings as this project writes them, for Sphinx: plain sentences, `names`, blocks set in.

A block that is set in and follows a blank line is a formula or an example; lines that begin with
names of parameters and a colon go on where they are set in.
"""

import re
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

PARAMETERS = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): (?=\S)")
SPECIAL = re.compile(r"([\\*|_])")


def paragraphs(lines: list[str]) -> list[list[str]]:
    """Return the runs of lines between blank ones."""
    return [
        list(run) for filled, run in groupby(lines, key=lambda line: bool(line.strip())) if filled
    ]


def inline(text: str) -> str:
    """Return a line with `names` as literals and nothing else that reStructuredText reads."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return SPECIAL.sub(r"\\\1", text.replace("`", "'"))
    return "".join(
        f"``{part}``"
        if number % 2 and part.strip() == part and part
        else SPECIAL.sub(r"\\\1", part)
        for number, part in enumerate(parts)
    )


def as_rest(lines: list[str]) -> list[str]:
    """Return a docstring's lines as reStructuredText."""
    written: list[str] = []
    for run in paragraphs(lines):
        if run[0].startswith(" "):
            margin = min(len(line) - len(line.lstrip()) for line in run)
            written += ["::", "", *(f"    {line[margin:]}" for line in run), ""]
        elif run[0].startswith(">>>"):
            written += [*run, ""]
        else:
            written += _sentences(run)
    return written


def _sentences(run: list[str]) -> list[str]:
    """Return sentences, and what is said of parameters as a list of definitions."""
    written: list[str] = []
    in_list = False
    for line in run:
        named = PARAMETERS.match(line)
        if line.startswith("Example:"):
            written += ["", "**Example**", "", "::", ""]
        elif written[-5:-4] == [""] and line.startswith("    ") and "::" in written[-3:]:
            written.append(f"    {line.strip()}")
        elif named:
            names = ", ".join(f"``{name}``" for name in named[1].split(", "))
            written += ["", names, f"    {inline(line[named.end() :])}"]
            in_list = True
        elif line.startswith(" "):
            written.append(f"    {inline(line.strip())}" if in_list else inline(line.strip()))
        else:
            written += ["", inline(line)] if in_list else [inline(line)]
            in_list = False
    return [*written, ""]


def rewrite(app: Sphinx, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Put the docstring's lines into the form that Sphinx reads."""
    if "Example:" in lines:
        begin = lines.index("Example:")
        example = [line.removeprefix("    ") for line in lines[begin + 1 :]]
        lines[:] = [*as_rest(lines[:begin]), "**Example**", "", *example, ""]
    else:
        lines[:] = as_rest(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite every docstring."""
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

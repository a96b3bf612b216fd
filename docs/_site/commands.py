"""The directive `commands`: every command of the command line, from the commands themselves."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hushrank.cli.main import app as command_line


class Commands(SphinxDirective):
    """A section a command: what it does, its arguments and options, an example."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        everything = typer.main.get_command(command_line)
        return [self._section(name, command) for name, command in commands_of(everything)]

    def _section(self, name: str, command: Any) -> nodes.Node:
        title = f"hushrank {name}"
        section = nodes.section(
            ids=[nodes.make_id(title)], names=[nodes.fully_normalize_name(title)]
        )
        section += nodes.title(title, title)
        section += [*_help(command.help or ""), _definitions(command)]
        return section


def commands_of(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield each command with the words that call it."""
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, inner in command.commands.items():
        yield from commands_of(inner, (*path, name))


def _help(text: str) -> Iterator[nodes.Node]:
    for paragraph in text.replace("\b", "").strip().split("\n\n"):
        if paragraph.startswith("Example:"):
            example = " ".join(paragraph.removeprefix("Example:").split())
            yield nodes.literal_block(example, example, language="bash")
        else:
            yield _paragraph(" ".join(paragraph.split()))


def _definitions(command: Any) -> nodes.Node:
    """Return what each argument and option is called and does, as the command's own help has it."""
    listed = nodes.definition_list()
    context = command.context_class(command, info_name=command.name)
    for parameter in command.params:
        record = None if "--help" in parameter.opts else parameter.get_help_record(context)
        if record:
            item, term = nodes.definition_list_item(), nodes.term()
            term += nodes.literal(text=" ".join(record[0].split()))
            item += [term, nodes.definition("", _paragraph(" ".join(record[1].split())))]
            listed += item
    return listed


def _paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph in which `names` are literals."""
    found = nodes.paragraph()
    for number, part in enumerate(re.split(r"`", text)):
        found += nodes.literal(text=part) if number % 2 else nodes.Text(part)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""What all commands have in common: one help, one way to write a number, one way to end."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc, signature
from itertools import pairwise
from typing import get_args

import typer

QUIET = "--quiet"
COMMA = re.compile(r"[-+]?\d*,\d+")
UNDERSCORE = re.compile(r"(?=.*_)[-+.\d][-+.\d_e]*", re.IGNORECASE)


def arrange(app: typer.Typer, panels: Mapping[str, Sequence[str]]) -> None:
    """Order an app's commands and groups by panel, and let their help be wrapped by the terminal.

    What stands in no panel comes last, under "More".
    """
    panel_of = {name: panel for panel, names in panels.items() for name in names}
    for command in app.registered_commands:
        command.rich_help_panel = panel_of.get(_name(command), "More")
    for group in app.registered_groups:
        group.rich_help_panel = panel_of.get(_name(group), "More")
    places = {name: place for place, name in enumerate(panel_of)}
    app.registered_commands.sort(key=lambda each: places.get(_name(each), len(places)))
    app.registered_groups.sort(key=lambda each: places.get(_name(each), len(places)))
    let_wrap(app)


def let_wrap(app: typer.Typer) -> None:
    """Join the lines of each paragraph of every docstring: a terminal breaks them where it ends."""
    for command in app.registered_commands:
        command.help = paragraphs(command.callback.__doc__ or "")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            let_wrap(group.typer_instance)


def paragraphs(text: str) -> str:
    """Return a docstring with one line a paragraph."""
    blocks = re.split(r"\n\s*\n", cleandoc(text))
    return "\n\n".join(re.sub(r"\s*\n\s*", " ", block) for block in blocks)


def require_plain_numbers(options: Callable[..., Iterable[str]], arguments: Sequence[str]) -> None:
    """Refuse numbers that Python or a parser reads as few people do. Exits with 2.

    A decimal comma is not read as a point: who writes 1,000 may mean a thousand. Nor is 1_0 ten:
    who writes it has slipped. `options`: those that take numbers of some kinds, asked for only
    where there is such a text.
    """
    pairs = [*pairwise(arguments), *(each.split("=", 1) for each in arguments if "=" in each)]
    for form, kinds, expected in (
        (COMMA, (float,), "a decimal point, such as 0.5"),
        (UNDERSCORE, (float, int), "a number without underscores, such as 1000"),
    ):
        written = {name for name, value in pairs if form.fullmatch(value.strip())}
        for name in sorted(written and written.intersection(options(*kinds))):
            print(f"hushrank: {name} takes {expected}", file=sys.stderr)
            sys.exit(2)


def number_options(app: typer.Typer, *kinds: type) -> Iterator[str]:
    """Yield the options of all commands whose value is a number of one of the kinds."""
    for command in app.registered_commands:
        for name, parameter in signature(command.callback or print).parameters.items():
            kind = next(iter(get_args(parameter.annotation)), parameter.annotation)
            if {kind, *get_args(kind)}.intersection(kinds):
                yield f"--{name.replace('_', '-')}"
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from number_options(group.typer_instance, *kinds)


def quiet_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--quiet` before the command, wherever somebody wrote it."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    said = [each for each in arguments[:end] if each != QUIET]
    return [QUIET, *said, *arguments[end:]] if len(said) < end else list(arguments)


def _name(info: object) -> str:
    named = getattr(info, "name", None)
    callback = getattr(info, "callback", None)
    return str(named or (callback.__name__ if callable(callback) else ""))

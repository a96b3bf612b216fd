"""Say at once all that a command needs and was not told, not one after the other."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand

from hushrank.files.elsewhere.addresses import shown_in

UsageError: Any = typer.BadParameter.__base__
"""Of which every wrong use is one; Typer brings it along under no name of its own."""

PLAINER = (
    (r"^.* is not a valid integer( range)?\.$", "expected a whole number"),
    (r"^.* is not a valid float( range)?\.$", "expected a number"),
    (r"^.* is not in the range x>=(\S+)\.$", r"expected a number greater than or equal to \1"),
    (r"^.* is not in the range x<=(\S+)\.$", r"expected a number less than or equal to \1"),
    (r"^.* is not in the range (\S+)<=x<=(\S+)\.$", r"expected a number from \1 to \2"),
    ("Input should be a valid integer", "expected a whole number"),
    ("Input should be a valid ", "expected a "),
    ("Input should be ", "expected a number "),
)
"""What parsers say, Typer's of early 2025 and then those of today, and how it is said here."""


class TellsAllMissing(TyperCommand):
    """A command that names every argument and option that is missing."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; where something is missing, look for what else is."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            is_missing = type(error).__name__ == "MissingParameter"
            others = [name for name in self._missing(ctx, given) if name != _name(error.param)]
            if is_missing and others:
                error.message = f"Also missing: {', '.join(others)}."
            error.message = shown_in(_plain(error.message))
            raise
        except UsageError as error:  # it quotes what it did not expect
            error.message = shown_in(error.message)
            raise

    def _missing(self, ctx: Any, args: list[str]) -> Iterator[str]:
        """Yield the names of what is required and not there."""
        given, *_ = self.make_parser(ctx).parse_args(args=list(args))
        for each in self.get_params(ctx):
            value = each.consume_value(ctx, given)[0] if each.required else ""
            if value is None or value == ():
                yield _name(each)


def tell_all_missing(app: typer.Typer) -> None:
    """Let every command of an app do so."""
    for command in app.registered_commands:
        command.cls = TellsAllMissing
    for group in app.registered_groups:
        if group.typer_instance is not None:
            tell_all_missing(group.typer_instance)


def _plain(message: str) -> str:
    """Return what a parser says of a wrong value in plain words."""
    said = message.removeprefix("Value error, ").partition(", unable to parse")[0]
    for pattern, plain in PLAINER:
        said = re.sub(pattern, plain, said)
    return said


def _name(parameter: Any) -> str:
    """Return how a command line names a parameter."""
    is_option = parameter is not None and parameter.param_type_name == "option"
    return parameter.opts[0] if is_option else str(getattr(parameter, "name", "")).upper()

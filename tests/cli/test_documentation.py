import re
from pathlib import Path

import typer

from hushrank.cli.main import app

ROOT = Path(__file__).parents[2]
DOCUMENTED = (ROOT / "docs" / "cli.md").read_text()


def commands(command, path=()):
    """Yield each command with the words that call it."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))
    else:
        yield " ".join(path), command


COMMANDS = dict(commands(typer.main.get_command(app)))


def section(name: str) -> str:
    """Return the part of the documentation about one command."""
    parts = re.split(r"^## ", DOCUMENTED, flags=re.MULTILINE)
    (found,) = [part for part in parts if part.startswith(f"hushrank {name}\n")]
    return found


def test_every_command_and_every_option_is_documented():
    assert {"collect", "demo", "experiment", "simulate mallows"} <= COMMANDS.keys()
    for name, command in COMMANDS.items():
        documented = set(re.findall(r"`(--[a-z-]+)", section(name)))
        options = {
            option
            for parameter in command.params
            for option in parameter.opts
            if option.startswith("--") and option != "--help"
        }
        assert documented == options, name


def test_every_command_has_an_example_in_its_help():
    for name, command in COMMANDS.items():
        assert f"Example:  hushrank {name}" in command.help

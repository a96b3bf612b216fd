"""Run the command line in this process."""

import sys
from functools import cache

import typer

from hushrank.cli import main as command_line


def hushrank(monkeypatch, *arguments: object) -> int:
    """Run one command and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["hushrank", *map(str, arguments)])
    monkeypatch.setattr(command_line, "app", _app())
    try:
        command_line.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@cache
def _app():
    """Return what typer makes of the commands each time that they are called."""
    return typer.main.get_command(command_line.app)

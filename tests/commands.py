"""Run the command line in this process."""

import sys

from hushrank.cli import main as command_line


def hushrank(monkeypatch, *arguments: object) -> int:
    """Run one command and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["hushrank", *map(str, arguments)])
    try:
        command_line.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0

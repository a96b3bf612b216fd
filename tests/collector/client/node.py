"""Runs node in the folder of the client, where there is a node."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[3] / "client"
NODE = shutil.which("node")


def _missing() -> str:
    if NODE is None:
        return "needs node 20"
    if not (CLIENT / "node_modules").exists():
        return "needs `npm ci` in client/"
    return ""


needs_node = pytest.mark.skipif(bool(_missing()) and "CI" not in os.environ, reason=_missing())
"""Skips on a newcomer's machine without node; in CI such a test fails."""


def node(*arguments: str, stdin: bytes = b"") -> bytes:
    """Run node to its end, and return what it says; fail with that if it fails."""
    assert not _missing(), _missing()
    command = [str(NODE), *arguments]
    ran = subprocess.run(command, input=stdin, cwd=CLIENT, capture_output=True, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr).decode()[-5000:]
    return ran.stdout

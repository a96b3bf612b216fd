"""Debian's Chromium, so that it asks nobody outside for anything."""

from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP survey.test 127.0.0.1",  # a name that is not of this machine
)


def launch(playwright: Any) -> Any:
    """Start a browser."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))

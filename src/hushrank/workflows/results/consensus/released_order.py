"""What is published of a private order: the document of `--release`."""

from datetime import date
from importlib.metadata import version
from typing import Any

from hushrank.workflows.results.consensus.consensus import Consensus


def released_order(consensus: Consensus, *, title: str, today: date) -> dict[str, Any]:
    """Return the document of a release: all of it from the release alone, and what the owner says.

    `title` is the owner's; the date is when it was made.
    """
    return {
        "title": title,
        "date": today.isoformat(),
        "hushrank": version("hushrank"),
        "candidates": len(consensus.names),
        "statement": consensus.plain,
        **consensus.to_dict(),
    }

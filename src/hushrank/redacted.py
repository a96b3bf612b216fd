"""What shows nothing of what it holds, wherever it is printed."""

from typing import Any


class Redacted:
    """The first base of a document whose repr, also to rich, is its name alone.

    msgspec gives each document a `__rich_repr__` of its own, which shows all of it.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the name."""
        return f"{type(self).__name__}()"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show no field."""
        return []

"""What was asked for lately is remembered, as far as there is room."""

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_KEPT = 64
MOST_SIZE = 2**21
"""Of all together: questions of rounds, of 150 to 650 bytes, or pairs of the items of results."""


class Lately(Generic[T]):
    """Things by their keys, the latest ones: 64 at most, and no more than there is room for.

    One is kept, however large.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[Hashable, tuple[T, int]] = {}

    def get(self, key: Hashable) -> T | None:
        """Return what is kept by this key, which is then the latest; None where nothing is."""
        found = self._kept.pop(key, None)
        if found is None:
            return None
        self._kept[key] = found
        return found[0]

    def keep(self, key: Hashable, made: T, size: int) -> T:
        """Keep something, in place of what has this key, and forget what there is no room for."""
        self._kept.pop(key, None)
        self._kept[key] = made, size
        while len(self._kept) > 1 and not self._has_room:
            del self._kept[next(iter(self._kept))]
        return made

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()

    @property
    def _has_room(self) -> bool:
        return len(self._kept) <= MOST_KEPT and sum(n for _, n in self._kept.values()) <= MOST_SIZE

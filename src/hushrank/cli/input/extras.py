"""Say which extra a command needs, where it is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from hushrank.errors import needs_extra


@contextmanager
def needs_collector() -> Iterator[None]:
    """Import what the extra `collector` brings in this block."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise needs_extra("this command", "collector") from missing

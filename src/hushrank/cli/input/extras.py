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


def needs_parquet(what: str) -> None:
    """Raise HushrankError, which names the extra, where Parquet cannot be written."""
    from hushrank.files.arrow_tables import pyarrow_for

    pyarrow_for(what)

from collections.abc import Iterator

import pytest

from hushrank.cli.output.talk import be_quiet


@pytest.fixture(autouse=True)
def _talking() -> Iterator[None]:
    """Let no command that was told to be quiet keep the next test quiet."""
    yield
    be_quiet(False)

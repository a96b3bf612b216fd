import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kinds import mark_kind

settings.register_profile("hushrank", deadline=None)  # kernels compile in the first example
settings.load_profile("hushrank")


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function):
        mark_kind(item)


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data sets, which are not part of the project."""
    folder = os.environ.get("HUSHRANK_DATA")
    if not folder:
        pytest.skip("HUSHRANK_DATA does not name the folder of real data sets")
    return Path(folder)

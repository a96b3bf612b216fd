import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kinds import mark_kind

settings.register_profile("hushrank", deadline=None)  # kernels compile in the first example
settings.load_profile("hushrank")


def pytest_sessionstart() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        from tests.kernels import compile_in_turn

        compile_in_turn()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without collecting garbage: what tests are made of stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


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

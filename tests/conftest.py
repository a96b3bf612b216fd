import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from hypothesis import settings

from tests.kinds import mark_kind

settings.register_profile("hushrank", deadline=None)  # kernels compile in the first example
settings.load_profile("hushrank")

LONGEST = (
    "tests/collector/browser/test_survey.py",
    "tests/collector/store/test_random_operations.py",
)

BLANK = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010100000000376ef9240000000a49444154"
    "789c636000000002000148afa4710000000049454e44ae426082"
)
"""A PNG of one pixel."""


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first: one that begins last keeps a processor, and leaves the others idle."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))  # all others as they stand


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function):
        mark_kind(item)


@pytest.fixture
def blank_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make figures but draw none of them: tests of reports and commands look at pictures."""
    from matplotlib.figure import Figure

    def save(_: Figure, file: IO[bytes], *, format: str = "png", **options: object) -> None:
        file.write(b"<svg/>" if format == "svg" else BLANK)

    monkeypatch.setattr(Figure, "savefig", save)


@pytest.fixture
def hasty_attackers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attackers boost for a moment only: tests/evaluation says how well they guess."""
    monkeypatch.setattr("hushrank.publishing.classifiers.BOOSTING_ROUNDS", 5)
    monkeypatch.setattr("hushrank.evaluation.joint_attackers.ROUNDS", 5)


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data sets, which are not part of the project."""
    folder = os.environ.get("HUSHRANK_DATA")
    if not folder:
        pytest.skip("HUSHRANK_DATA does not name the folder of real data sets")
    return Path(folder)

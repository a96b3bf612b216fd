import os
from pathlib import Path

import pytest


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data sets, which are not part of the project."""
    folder = os.environ.get("HUSHRANK_DATA")
    if not folder:
        pytest.skip("HUSHRANK_DATA does not name the folder of real data sets")
    return Path(folder)

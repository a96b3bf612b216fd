import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("hushrank", deadline=None)  # kernels compile in the first example
settings.load_profile("hushrank")


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data sets, which are not part of the project."""
    folder = os.environ.get("HUSHRANK_DATA")
    if not folder:
        pytest.skip("HUSHRANK_DATA does not name the folder of real data sets")
    return Path(folder)

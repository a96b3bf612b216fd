import pytest

from tests.collector.device.live import running


@pytest.fixture
def live(tmp_path):
    with running(tmp_path) as one:
        yield one

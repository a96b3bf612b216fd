import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.collector.browser.driving.chromium import CHROMIUM, launch
from tests.collector.browser.driving.live import Live, live
from tests.collector.browser.driving.visits import Seats, Visits
from tests.collector.browser.fakes.fake_site import fake_site, served


def missing(what: str) -> None:
    """Skip on a newcomer's machine, and fail where all tests must run."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing: apt-get install chromium; pip install playwright")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser that tests of a module share.

    No longer, because while it runs, no other test of this process can have an event loop.
    """
    if not CHROMIUM.exists():
        missing(str(CHROMIUM))
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("playwright")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def fake_address() -> Iterator[str]:
    with served(fake_site()) as address:
        yield address


@pytest.fixture(scope="module")
def seats(chromium: Any) -> Seats:
    """Where visits to the fake site sit, one after another."""
    return {}


@pytest.fixture
def visits(chromium: Any, seats: Seats) -> Iterator[Visits]:
    """People's visits to a page; what the browser complained of fails the test at its end."""
    with Visits(chromium, seats) as visits:
        yield visits


@pytest.fixture
def visit(visits: Visits, fake_address: str) -> Callable[..., Any]:
    """Open the page with a fake device that finds `scenario`."""

    def open_page(
        scenario: dict[str, Any], *, language: str = "en", fragment: str = "", **how: Any
    ) -> Any:
        told = f"globalThis.scenario = {json.dumps(scenario)}"
        address = f"{fake_address}/s/drinks?lang={language}{fragment}"
        empty = f"{fake_address}/preview.json"
        return visits.open_seated(address, empty, script=told, **how)

    return open_page


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The real collector, for all tests of a process."""
    with live(tmp_path_factory.mktemp("collector")) as running:
        yield running

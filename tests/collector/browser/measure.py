"""How soon the participant's page can be used, and how much of it is downloaded.

    python -m tests.collector.browser.measure

No test: times are those of a machine, and of what else it does.
"""

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.collector.browser.driving.chromium import launch
from tests.collector.browser.driving.live import live
from tests.collector.browser.driving.visits import Visits
from tests.collector.browser.test_traffic import DOWNLOADS, SIXTEEN

SLOWED = 4
TRIES = 9
WATCH = """
new MutationObserver((_, watch) => {
  if (!document.querySelector("h1")) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => (globalThis.readyAt = performance.now())));
}).observe(document, { childList: true, subtree: true });
"""


def ready(visits: Visits, address: str) -> float:
    """Return ms from the click on a link until a new person can use the page, drawn."""
    page = visits.person(size="phone").new_page()
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_selector("h1")
    at: float | None = None
    while at is None:
        page.wait_for_timeout(10)
        at = page.evaluate("globalThis.readyAt")
    page.context.close()  # slowing it down takes time from the next one
    return at


def sizes(page: Any) -> dict[str, int]:
    """Return bytes of bodies by the last part of their names."""
    found: dict[str, int] = {}
    for address, size in page.evaluate(DOWNLOADS):
        kind = "data" if "/v1/" in address else Path(address.partition("?")[0]).suffix or "page"
        found[kind] = found.get(kind, 0) + size
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, live(Path(folder)) as collector:
        survey = collector.open(items=SIXTEEN)
        with sync_playwright() as playwright, Visits(launch(playwright)) as visits:
            times = sorted(ready(visits, collector.page(survey)) for _ in range(TRIES))
            print(f"ready, processor slowed {SLOWED} times: {[round(time) for time in times]} ms")
            print(f"bytes: {sizes(visits.open(collector.page(survey)))}")


if __name__ == "__main__":
    main()

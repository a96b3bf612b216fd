"""What axe-core finds wrong with a page."""

import os
from functools import cache
from typing import Any

import pytest

from tests.collector.browser.fake_site import CLIENT

AXE = CLIENT / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@cache
def axe() -> str:
    if not AXE.exists():
        words = "axe-core is missing: npm ci in client/"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    return AXE.read_text()


def accessible(page: Any) -> list[str]:
    """Return what is wrong, in words; nothing where the page is accessible."""
    page.wait_for_load_state()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")  # nothing under the dock
    page.evaluate(axe())
    found = page.evaluate("rules => axe.run({ runOnly: rules })", RULES)
    assert found["passes"], "axe found nothing to look at"
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes']]}"
        for rule in found["violations"]
    ]

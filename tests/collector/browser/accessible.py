"""What axe-core finds wrong with a page."""

import os
from functools import cache
from typing import Any

import pytest

from tests.collector.browser.fakes.fake_site import CLIENT

AXE = CLIENT / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

RUN = """async (rules) => {
  const { passes, violations } = await axe.run({ runOnly: rules, resultTypes: ["violations"] });
  return { passed: passes.length, violations };
}"""
"""Only what is wrong is told in full: the rest is far more, and nobody reads it."""


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
    if not page.evaluate("'axe' in globalThis"):  # a step of the same page has it already
        page.evaluate(axe())
    found = page.evaluate(RUN, RULES)
    assert found["passed"], "axe found nothing to look at"
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes']]}"
        for rule in found["violations"]
    ]

"""Whole surveys in Firefox: `make test-firefox`."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.collector.browser.driving.live import Live

if not os.environ.get("HUSHRANK_FIREFOX"):
    pytest.skip("by command: make test-firefox", allow_module_level=True)

from tests.collector.browser.driving.bidi import Firefox, firefox

FOUND = shutil.which("firefox-esr") or shutil.which("firefox")
ITEMS = 4
LIST = "document.querySelector('hushrank-ranking-list')"
WATCH = (
    "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))"
)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Firefox]:
    assert FOUND, "Firefox is missing: apt-get install firefox-esr"
    with firefox(FOUND, tmp_path) as running:
        yield running
        wrong = [line for line in running.logged if line.startswith(("error", "warn"))]
        assert not wrong


def focus(browser: Firefox, item: int) -> None:
    browser.run(f"{LIST}.shadowRoot.querySelector('li[data-item=\"{item}\"] .item').focus()")


def counts(collector: Live, survey: str) -> Any:
    (found,) = collector.call(lambda service: service.survey(survey)).counts
    return found.joined, found.reported


def test_a_person_takes_part_by_keyboard_and_mouse_and_a_reload_changes_nothing(browser, collector):
    survey = collector.open()
    browser.open(collector.page(survey))
    browser.run(WATCH)
    browser.until("document.querySelector('button.primary')")
    browser.click("button.primary")
    browser.until(f"{LIST}?.value.order.length === {ITEMS}")
    for item in range(ITEMS):
        focus(browser, item)
        browser.press("Home")
    assert browser.run(f"{LIST}.value.order") == list(reversed(range(ITEMS)))
    browser.reload()
    browser.until(f"{LIST}?.value.order.length === {ITEMS}")
    assert browser.run(f"{LIST}.value.order") == list(reversed(range(ITEMS)))
    browser.click("button.primary")
    browser.until("document.querySelector('blockquote')")
    says = browser.run("document.querySelector('blockquote').textContent")
    browser.reload()
    browser.until("document.querySelector('blockquote')")
    assert browser.run("document.querySelector('blockquote').textContent") == says
    assert counts(collector, survey) == (1, 0)
    browser.click("button.primary")
    browser.until("document.querySelector('.stamp')")
    browser.reload()
    browser.until("document.querySelector('.stamp')")
    assert browser.run("document.querySelector('blockquote').textContent") == says
    assert counts(collector, survey) == (1, 1)


def test_an_organiser_signs_in_and_opens_a_survey(browser, collector):
    survey = collector.call(lambda service: service.copy(collector.open()))
    browser.open(collector.call(lambda _: collector.collector.app.state.sessions.link()))
    browser.until("location.pathname === '/o/'")
    browser.open(f"{collector.address}/o/surveys/{survey}")
    browser.click("form[action$='/open'] button")
    browser.until("new URLSearchParams(location.search).get('done') === 'opened'")
    assert collector.call(lambda service: service.survey(survey)).life.state == "open"

"""The pictures of the participant's page in the documents, taken from the real page.

python -m tests.collector.browser.pictures docs/pictures
"""

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.collector.browser.driving.chromium import launch
from tests.collector.browser.driving.hands import bring_to, frames, middle, row
from tests.collector.browser.driving.live import Live, live
from tests.collector.browser.driving.taping import tape
from tests.collector.browser.driving.visits import Visits
from tests.collector.browser.fakes.scenarios import ANNOUNCEMENT, GERMAN

FIELDS = ("title", "items", "asked_by", "purpose", "contact", "privacy_notice", "language")
COLOURS = 64
GAP = 24


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as kept,
        live(Path(kept)) as collector,
        sync_playwright() as playwright,
        Visits(launch(playwright)) as visits,
    ):
        steps = phone_steps(visits, collector, ANNOUNCEMENT, "light")
        save(beside(steps), folder / "participant-phone.png")
        steps = phone_steps(visits, collector, GERMAN, "dark")
        save(beside(steps), folder / "participant-phone-dark-german.png")
        save(desktop(visits, collector), folder / "participant-desktop.png")


def phone_steps(
    visits: Visits, collector: Live, asked: dict[str, Any], scheme: str
) -> list[Image.Image]:
    """Return what a phone shows in each step."""
    survey = open_survey(collector, asked)
    address = collector.page(survey)
    page = visits.open(address, script=tape(5), size="phone", scheme=scheme)
    button = page.locator("button.primary")
    steps = [shot(page)]
    button.click()
    page.wait_for_selector("hushrank-ranking-list")
    bring_to(page, [4, 0, 2, 1, 3])
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.activeElement.blur()")
    steps.append(shot(page))
    button.click()
    page.wait_for_selector("blockquote")
    steps.append(shot(page))
    button.click()
    page.wait_for_selector(".stamp")
    return [*steps, shot(page)]


def desktop(visits: Visits, collector: Live) -> Image.Image:
    """Return the ranking list while an item is dragged by mouse."""
    page = visits.open(collector.page(open_survey(collector, ANNOUNCEMENT)), script=tape(5))
    page.locator("button.primary").click()
    page.wait_for_selector("hushrank-ranking-list")
    bring_to(page, [4, 0, 2, 1, 3])
    start, end = middle(row(page, 2).locator(".name")), middle(row(page, 4))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(end[0] - 120, end[1] + 30, steps=6)
    frames(page)
    picture = shot(page)
    page.mouse.up()
    return picture


def open_survey(collector: Live, asked: dict[str, Any]) -> str:
    return collector.open(
        **{name: asked[name] for name in FIELDS}, smallest_group=20, epsilon=1.0, protocol="pairs"
    )


def shot(page: Any) -> Image.Image:
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Return pictures of one height side by side."""
    width = sum(each.width + GAP for each in pictures) - GAP
    whole = Image.new("RGB", (width, pictures[0].height), "#8a8f91")
    for nth, each in enumerate(pictures):
        whole.paste(each, (nth * (each.width + GAP), 0))
    return whole


def save(picture: Image.Image, path: Path) -> None:
    """Write a PNG of few colours."""
    few = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

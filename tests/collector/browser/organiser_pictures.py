"""The pictures of the organiser's pages in the documents, taken from the real pages.

python -m tests.collector.browser.organiser_pictures docs/pictures
"""

import sys
import tempfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import sync_playwright

from hushrank.models.plackett_luce import PlackettLuce
from tests.collector.browser.driving.chromium import launch
from tests.collector.browser.driving.live import Live, live
from tests.collector.browser.driving.visits import Visits
from tests.collector.browser.pictures import beside, save
from tests.collector.web.pages_organiser.organiser import take_part

DRINKS = ("Coffee", "Tea", "Hot chocolate", "Mate", "Apple juice", "Mineral water", "Cola")
UTILITIES = (1.6, 1.1, 0.9, 0.2, 0.0, -0.6, -1.0)
PEOPLE = 400
WIDTH = 1180


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as kept,
        live(Path(kept)) as collector,
        sync_playwright() as playwright,
        Visits(launch(playwright)) as visits,
    ):
        closed = survey(collector, "Which drinks should the canteen offer?", PEOPLE, 40)
        collector.call(lambda service: service.close(closed))
        opened = survey(collector, "Which drinks should the kitchen buy?", 190, 15)
        page = signed_in(visits, collector, size=f"{WIDTH}x860")
        privacy = form(page, collector)
        save(shot(page), folder / "organiser-new.png")
        save(privacy, folder / "organiser-privacy.png")
        page.goto(f"{collector.address}/o/surveys/{opened}")
        page.wait_for_selector(".u-over")
        page.set_viewport_size({"width": WIDTH, "height": 700})
        save(shot(page), folder / "organiser-open.png")
        page.goto(f"{collector.address}/o/surveys/{closed}/results")
        page.set_viewport_size({"width": WIDTH, "height": 1400})
        save(shot(page), folder / "organiser-results.png")
        save(beside(phone(visits, collector, opened, closed)), folder / "organiser-phone-dark.png")


def survey(collector: Live, title: str, n_people: int, at_once: int) -> str:
    """Open a survey that people answer over some hours."""
    id = collector.open(
        title=title,
        items=[{"name": name} for name in DRINKS],
        asked_by="Works council of Example Ltd",
        purpose="The kitchen gets a new budget in May.",
        expected_people=300,
        smallest_group=20,
    )
    orders = tastes(n_people)
    for first in range(0, n_people, at_once):
        n = min(at_once, n_people - first)
        collector.call(lambda s, n=n, at=first: take_part(s, id, n, orders=orders, first=at))
        collector.collector.clock.now += timedelta(minutes=10)
    return id


def tastes(n_people: int) -> NDArray[np.intp]:
    model = PlackettLuce(np.array(UTILITIES))
    ranks = model.sample(n_people, rng=np.random.default_rng(3))
    return np.argsort(ranks, axis=1)


def signed_in(visits: Visits, collector: Live, **how: Any) -> Any:
    """Return the list of surveys, as an organiser sees it who has signed in."""
    link = collector.call(lambda _: collector.collector.app.state.sessions.link())
    person = visits.person(timezone_id="Europe/Berlin", locale="en-GB", **how)
    page = visits.page(person, link)
    page.wait_for_url("**/o/")
    return page


def form(page: Any, collector: Live) -> Image.Image:
    """Fill in a new survey; return what stands of trust in it."""
    page.goto(f"{collector.address}/o/new")
    page.get_by_label("Title", exact=True).fill("Which drinks should the kitchen buy?")
    page.get_by_text("Paste a list").click()
    page.get_by_label("One item on each line").fill("\n".join(DRINKS))
    page.get_by_role("button", name="Add these items").click()
    page.get_by_text("Paste a list").click()
    with page.expect_response(lambda answer: "epsilon=2" in answer.url):
        page.get_by_label("somewhat").check()
    trust = page.locator("section[aria-labelledby=privacy]")
    taken = Image.open(BytesIO(trust.screenshot())).convert("RGB")
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.activeElement.blur()")
    return taken


def phone(visits: Visits, collector: Live, opened: str, closed: str) -> list[Image.Image]:
    """Return the list, the progress and the results on a phone."""
    page = signed_in(visits, collector, size="390x844", scheme="dark")
    steps = [shot(page)]
    page.goto(f"{collector.address}/o/surveys/{opened}")
    page.wait_for_selector(".u-over")
    page.locator("section[aria-labelledby=progress]").evaluate("e => scrollTo(0, e.offsetTop - 24)")
    steps.append(shot(page))
    page.goto(f"{collector.address}/o/surveys/{closed}/results")
    return [*steps, shot(page)]


def shot(page: Any) -> Image.Image:
    page.wait_for_load_state("networkidle")
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

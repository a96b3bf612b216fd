import re
import zlib
from datetime import UTC, datetime, timedelta
from struct import pack
from time import sleep

import numpy as np
import pytest

from tests.collector.browser.accessible import accessible
from tests.collector.web.pages_organiser.organiser import take_part

DRINKS = ("tea", "coffee", "water", "juice", "mate")
LONG = 60_000  # ms: the first time that something is worked out


@pytest.fixture
def organiser(visits, collector):
    """An organiser who has signed in by a link, at a page of theirs."""

    def signs_in(path="/o/", **how):
        page = visits.page(visits.person(**how), sign_in_link(collector))
        page.wait_for_url("**/o/")
        page.goto(f"{collector.address}{path}")
        return page

    return signs_in


def sign_in_link(collector):
    return collector.call(lambda _: collector.collector.app.state.sessions.link())


def survey_at(page):
    return re.search(r"/o/surveys/([\w-]{12})", page.url).group(1)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def fill_in(page, title="What shall we drink?"):
    page.get_by_label("Title", exact=True).fill(title)
    page.get_by_label("Who asks", exact=True).fill("The kitchen")
    page.get_by_label("Why", exact=True).fill("To buy the right things.")
    page.get_by_label("Contact", exact=True).fill("kitchen@example.org")
    page.get_by_label("Smallest group").fill("5")


def says(page, words):
    page.get_by_text(words).first.wait_for(timeout=LONG)


def until(holds):
    """Wait for something that no selector sees."""
    for _ in range(600):
        if holds():
            return
        sleep(0.1)
    assert holds()


def test_an_organiser_makes_opens_closes_and_publishes_a_survey(visits, collector, organiser):
    visits.expected = ("422 (Unprocessable",)
    page = organiser()
    problems = accessible(page)

    # items by the keyboard, and pasted into a row
    page.get_by_role("link", name="New survey").first.click()
    page.get_by_label("Item 1", exact=True).fill(DRINKS[0])
    page.get_by_role("button", name="Add an item").wait_for()  # before, Enter sends the form
    page.keyboard.press("Enter")
    page.keyboard.type(DRINKS[1])
    page.keyboard.press("Tab")
    page.get_by_text("Paste a list").click()
    page.get_by_label("One item on each line").fill("\n".join(DRINKS[2:]) + "\nwrong\n")
    press(page, "Add these items")
    press(page, "Remove wrong")
    assert page.locator("[name=item_name]").evaluate_all("all => all.map((e) => e.value)") == [
        *DRINKS
    ]

    # what is foretold follows
    says(page, "With 300 people")
    page.get_by_label("How many people do you expect?").fill("5000")
    page.get_by_label("a lot").check()
    says(page, "With 5,000 people at this level you will know the order")
    problems += accessible(page)

    # what is missing is said, and nothing is lost
    fill_in(page)
    page.get_by_label("Contact", exact=True).fill("")
    press(page, "Save the draft")
    says(page, "Say where people can ask back.")
    page.locator("#problems:focus").wait_for()
    problems += accessible(page)
    assert page.get_by_label("Item 5", exact=True).input_value() == "mate"
    page.get_by_label("Contact", exact=True).fill("kitchen@example.org")
    press(page, "Save the draft")
    says(page, "saved as a draft")
    problems += accessible(page)
    survey = survey_at(page)
    draft = collector.call(lambda service: service.survey(survey)).draft
    assert (draft.names, draft.epsilon, draft.expected_people) == (DRINKS, 4.0, 5000)

    # the page as people will see it, which sends nothing
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Preview").click()
    preview = opened.value
    preview.wait_for_selector(".banner")
    sent = []
    preview.on("request", lambda request: sent.append(request.method))
    press(preview, "Start")
    preview.wait_for_selector("hushrank-ranking-list")
    assert set(sent) <= {"GET"}
    preview.close()

    # open: a link, a picture of it, and numbers of reports
    press(page, "Open the survey")
    says(page, "people can answer now")
    link = page.get_by_label("Link of the survey").input_value()
    assert link == collector.page(survey)
    until(lambda: page.locator(".qr img").evaluate("image => image.naturalWidth") > 100)
    problems += accessible(page)
    collector.call(lambda service: take_part(service, survey, 40))
    page.reload()
    page.wait_for_selector(".u-over", timeout=LONG)
    assert page.locator("[data-count=reported]").text_content() == "40"
    page.get_by_text("Reports over time, as a table").click()
    assert page.locator("[data-bins] td").all_text_contents() == ["40"]
    problems += accessible(page)

    # closed: results, files, a page for everybody
    page.get_by_text("Close now").click()
    problems += accessible(page)
    press(page, "Close the survey")
    says(page, "Closed with 40 reports")
    problems += accessible(page)
    page.get_by_role("link", name="See the results").click()
    says(page, "The common order")
    order = [DRINKS[item] for item in collector.call(lambda s: s.results(survey)).order]
    assert page.locator(".order tbody th").all_text_contents() == order
    problems += accessible(page)
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="order.csv").click()
    assert downloaded.value.path().read_text().startswith("place,item,")
    press(page, "Publish the results")
    says(page, "The results are public now.")
    public = page.get_by_label("Link of the results").input_value()
    reader = visits.open(public)
    assert reader.locator(".order tbody th").all_text_contents() == order
    problems += accessible(reader)

    # asked again, deleted, signed out
    page.get_by_role("link", name="Back to the survey").click()
    press(page, "Ask again")
    says(page, "This is a copy")
    assert survey_at(page) != survey
    page.get_by_role("link", name="Delete").click()
    problems += accessible(page)
    page.get_by_label("I am sure").check()
    press(page, "Delete it")
    says(page, "is deleted")
    problems += accessible(page)
    press(page, "Sign out")
    page.wait_for_url("**/o/sign-in")
    problems += accessible(page)
    assert problems == []


@pytest.mark.parametrize(("size", "scheme"), [("320x640", "light"), ("desktop", "dark")])
def test_pages_are_accessible_in_both_colours_and_fit_their_window(
    collector, organiser, size, scheme
):
    page = organiser(size=size, scheme=scheme)
    long = "Kaffee-Vollautomatenreinigungsmitteldosierungsbehälter"
    items = [{"name": name, "description": long} for name in (long, *DRINKS)]
    survey = collector.open(items=items, title=long, smallest_group=5)
    collector.call(lambda service: take_part(service, survey, 30))
    opened = collector.open(items=items, title=long)
    draft = collector.call(lambda service: service.copy(survey))
    collector.call(lambda service: service.close(survey))
    invited = collector.open(joining="invitations")
    problems = []
    for path in (
        *("", "new", "import", f"surveys/{draft}", f"surveys/{draft}/edit"),
        *(f"surveys/{opened}", f"surveys/{invited}", f"surveys/{survey}/results"),
        *(f"surveys/{draft}/delete", f"surveys/{opened}/poster"),
    ):
        page.goto(f"{collector.address}/o/{path}")
        page.wait_for_selector("h1")
        problems += accessible(page)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path} is {wide} px wider than its window"
    assert problems == []


def test_the_token_of_a_link_is_out_of_the_address_before_it_is_sent(visits, collector):
    person, seen = visits.person(), []
    person.on("page", lambda page: page.on("framenavigated", lambda frame: seen.append(frame.url)))
    link = sign_in_link(collector)
    visits.page(person, link).wait_for_url("**/o/")
    assert seen[-3:] == [link, f"{collector.address}/o/sign-in", f"{collector.address}/o/"]


def test_everything_works_without_scripts(visits, collector):
    page = visits.page(visits.person(java_script_enabled=False), collector.address + "/o/sign-in")
    page.locator("#token").fill(sign_in_link(collector).partition("#t=")[2])
    press(page, "Sign in")
    page.wait_for_url("**/o/")
    page.get_by_role("link", name="New survey").first.click()
    fill_in(page, title="Without scripts")
    for number, name in enumerate(DRINKS[:3], start=1):
        page.get_by_label(f"Item {number}", exact=True).fill(name)
    page.get_by_text("Paste a list").click()
    page.get_by_label("One item on each line").fill("juice\nmate")
    press(page, "Foretell again")
    says(page, "With 300 people")
    press(page, "Save the draft")
    survey = survey_at(page)
    assert collector.call(lambda service: service.survey(survey)).draft.names == DRINKS
    press(page, "Open the survey")
    collector.call(lambda service: take_part(service, survey, 12))
    page.reload()
    assert page.locator("[data-count=reported]").text_content() == "12"
    page.get_by_text("Close now").click()
    press(page, "Close the survey")
    page.get_by_role("link", name="See the results").click()
    says(page, "The common order")


def test_a_closing_time_is_one_of_the_organisers_own_clock(collector, organiser):
    page = organiser("/o/new", timezone_id="Asia/Tokyo")
    fill_in(page)
    page.get_by_label("Item 1", exact=True).fill("tea")
    page.get_by_label("Item 2", exact=True).fill("coffee")
    says(page, "Asia/Tokyo")
    day = (datetime.now(UTC) + timedelta(days=400)).strftime("%Y-%m-%d")
    page.get_by_label("Closing time").fill(f"{day}T18:00")
    press(page, "Save the draft")
    survey = survey_at(page)
    closes = collector.call(lambda service: service.survey(survey)).draft.closes_utc
    assert closes.strftime("%Y-%m-%dT%H:%M") == f"{day}T09:00"
    page.get_by_role("link", name="Edit").click()
    says(page, "Asia/Tokyo")
    assert page.get_by_label("Closing time").input_value() == f"{day}T18:00"
    press(page, "Save the draft")
    assert collector.call(lambda service: service.survey(survey)).draft.closes_utc == closes


def test_a_photo_becomes_small_before_it_is_sent(collector, organiser):
    page = organiser("/o/new")
    fill_in(page)
    page.get_by_label("Item 1", exact=True).fill("tea")
    page.get_by_label("Item 2", exact=True).fill("coffee")
    page.get_by_text("Description and picture").first.click()
    photo = {"name": "photo.png", "mimeType": "image/png", "buffer": noisy_png(900)}
    assert len(photo["buffer"]) > 1_000_000
    page.locator("[name=item_picture]").first.set_input_files(photo)
    size = "document.querySelector('[name=item_picture]').files[0].size"
    until(lambda: page.evaluate(size) < 300_000)
    press(page, "Save the draft")
    says(page, "saved as a draft")
    survey = survey_at(page)
    (picture,) = collector.call(lambda service: service.pictures(survey)).values()
    assert picture[8:12] == b"WEBP"
    page.get_by_role("link", name="Edit").click()
    width = "image => image.naturalWidth"
    until(lambda: page.locator(".picture img").evaluate(width) == 640)


def noisy_png(side):
    """A picture that no packing makes small."""
    pixels = np.random.default_rng(1).integers(0, 256, (side, 3 * side), dtype=np.uint8)
    rows = np.hstack([np.zeros((side, 1), np.uint8), pixels]).tobytes()
    head = pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    framed = (
        pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)

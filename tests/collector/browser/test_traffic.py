"""What leaves the browser, what comes into it, and how long that takes."""

import json
from hashlib import sha256
from io import BytesIO
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from tests.collector.browser.driving.hands import bring_to
from tests.collector.browser.driving.taping import tape
from tests.collector.browser.test_survey import begin, finish, send, wire
from tests.conformance import channel_of
from tests.statistics import assert_counts_follow, draws_needed

KB = 1000
SIXTEEN = [
    {"name": f"Thing number {n}", "description": "What one would say of it"} for n in range(16)
]


DOWNLOADS = """() => ["navigation", "resource"].flatMap((type) =>
  performance.getEntriesByType(type).map(({ name, encodedBodySize }) => [name, encodedBodySize]))"""


def test_what_a_phone_downloads_is_small_and_from_one_place(visits, collector):
    """Bytes as they are sent, without headers: these are packed, too, behind a usual proxy."""
    survey = collector.open(items=SIXTEEN, epsilon=2.0)
    page = visits.open(collector.page(survey))
    begin(page)
    finish(page)
    send(page)
    downloads = page.evaluate(DOWNLOADS)
    scripts = sum(n for address, n in downloads if address.endswith(".js"))
    data = sum(n for address, n in downloads if "/v1/" in address)
    assert 0 < scripts <= 40 * KB
    assert 0 < data < 5 * KB
    assert sum(n for _, n in downloads) < 60 * KB
    places = {urlsplit(address).netloc for address, _ in downloads if "://" in address}
    assert places == {urlsplit(collector.address).netloc}


def test_all_modules_are_told_at_once(visits, collector):
    from hushrank.collector.web.pages_participant import MODULES

    person = visits.person()
    page = person.new_page()
    asked = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(collector.page(collector.open()))
    page.wait_for_selector("h1")
    loaded = {path.removeprefix("/client/") for path in asked if path.endswith(".js")}
    assert loaded == set(MODULES)


def picture(shade):
    content = BytesIO()
    Image.new("L", (96, 96), shade).save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def recorded(visits, collector):
    """A survey whose answers were recorded in one visit, and are the same in every other one."""
    drawn = [picture(shade) for shade in (0, 80, 160, 240)]
    digests = [sha256(each).hexdigest() for each in drawn]
    items = [{"name": f"Thing {n}", "picture": digest} for n, digest in enumerate(digests)]
    survey = collector.open(tuple(drawn), items=items, protocol="pairs", epsilon=1.0)
    answers = {}

    def replay(route):
        request = route.request
        key = (request.method, request.url)
        if key not in answers:
            answers[key] = route.fetch()
        route.fulfill(response=answers[key])

    def visit(order, number):
        sent = []
        page = visits.person().new_page()
        page.add_init_script(tape(number))
        page.route("**/v1/**", replay)
        page.on("request", lambda request: sent.append(request))
        page.goto(collector.page(survey))
        page.wait_for_selector("h1")
        begin(page)
        bring_to(page, order)
        finish(page)
        said = json.loads(wire(page))
        send(page)
        page.wait_for_timeout(200)
        return said, [told(request) for request in sent if request.url.startswith("http")]

    return visit


def told(request):
    """All that a request tells."""
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}
    return request.method, request.url, headers, request.post_data


def test_requests_of_two_rankings_differ_in_the_report_alone(recorded):
    first, asked = recorded([0, 1, 2, 3], 1)
    differ = 0
    assert len([1 for request in asked if "/pictures/" in request[1]]) == 4
    for number, order in enumerate(([3, 2, 1, 0], [1, 3, 0, 2], [2, 3, 1, 0]), start=2):
        _, before = recorded([0, 1, 2, 3], number)
        _, again = recorded(order, number)
        assert len(before) == len(again)
        assert [request[:3] for request in before] == [request[:3] for request in again]
        bodies = [(a[3], b[3]) for a, b in zip(before, again, strict=True) if a[3] != b[3]]
        assert len(bodies) <= 1
        for ours, theirs in bodies:
            differ += 1
            assert without_reports(ours) == without_reports(theirs)
    assert differ, "no tape told the rankings apart"
    assert len([request for request in asked if request[0] == "POST"]) == 2
    assert first["reports"]


def without_reports(body):
    sent = json.loads(body)
    for report in sent["reports"]:
        del report["report"]
    return sent


DRAWS = """async ({ mechanism, category, n }) => {
  const { readMechanism } = await import("/client/mechanisms.js");
  const { Randomness } = await import("/client/randomness.js");
  const hidden = readMechanism(mechanism);
  const counts = Array(hidden.nCategories).fill(0);
  const rng = Randomness.secure();
  for (let i = 0; i < n; i++) counts[hidden.randomise(category, rng)]++;
  return counts;
}"""


@pytest.mark.parametrize("category", [0, 2])
def test_reports_of_the_browser_follow_the_channel(visits, collector, category):
    """A browser that spends 5 % more privacy would fail, with probability 0.999."""
    stated, wrong = (GeneralizedRandomizedResponse(3, epsilon) for epsilon in (1.0, 1.05))
    law = channel_of(stated).probabilities[category]
    mechanism = {
        "kind": "generalized-randomized-response",
        "n_categories": 3,
        "epsilon": 1.0,
        "hit_words": str(stated.rates.hit_words),
        "false_hit_words": str(stated.rates.false_hit_words),
    }
    n = draws_needed(law, channel_of(wrong).probabilities[category], n_tests=2)
    page = visits.open(collector.page(collector.open()))
    counts = page.evaluate(DRAWS, {"mechanism": mechanism, "category": category, "n": n})
    assert_counts_follow(np.array([counts]), law[None])

import json
import re

import pytest

from hushrank.collector.draft import LIVE
from tests.collector.browser.accessible import accessible
from tests.collector.browser.driving.hands import Finger, bring_to, drag_by_mouse, order, row
from tests.collector.browser.driving.taping import tape
from tests.collector.web.running import others_report

THREE = [{"name": name} for name in ("tea", "coffee", "water")]
TWO_ROUNDS = {"protocol": "safari", "smallest_group": 2}
KEPT = """() => new Promise((resolve) => {
  const opening = indexedDB.open("hushrank", 1);
  opening.onsuccess = () => {
    const keys = opening.result.transaction("kept").objectStore("kept").getAllKeys();
    keys.onsuccess = () => resolve(keys.result);
  };
})"""


@pytest.fixture
def sit(visits, collector):
    """Open a page of the collector, as somebody who was never there."""

    def open_page(address, *, script="", **how):
        return visits.open_seated(address, f"{collector.address}/healthz", script=script, **how)

    return open_page


def press(page, name):
    page.get_by_role("button", name=name).click()


def begin(page):
    press(page, "Start")
    page.wait_for_selector("hushrank-ranking-list")


def finish(page):
    press(page, "That is my order")
    page.wait_for_selector("blockquote, .hint:not(:empty)")
    if page.locator(".hint").count():  # the random order is theirs
        press(page, "That is my order")
    page.wait_for_selector("blockquote")


def take_part(page, wanted=(1, 0, 2, 3)):
    begin(page)
    bring_to(page, list(wanted))
    finish(page)


def send(page):
    press(page, "Send")
    page.wait_for_selector(".stamp")


def wire(page):
    """The bytes that the page says it sends."""
    return page.locator("pre").text_content()


def reported(collector, survey):
    return [counts.reported for counts in collector.call(lambda s: s.survey(survey)).counts]


def by_mouse(page, wanted):
    for place, item in enumerate(wanted):
        there = order(page)[place]
        if there != item:
            drag_by_mouse(page, item, there)


def by_finger(page, wanted):
    finger = Finger(page)
    for place, item in enumerate(wanted):
        there = order(page)[place]
        if there != item:
            finger.drag(item, there)


HANDS = [(by_mouse, "desktop"), (by_finger, "phone"), (bring_to, "desktop")]


def test_thirty_people_take_part_by_mouse_finger_and_keyboard(sit, visits, collector):
    """What their devices showed is what is counted, and gives a result."""
    survey = collector.open(items=THREE, protocol="pairs", smallest_group=20, epsilon=4.0)
    sent = []
    for number in range(30):
        move, size = HANDS[number % 3]
        page = sit(collector.page(survey), size=size)
        begin(page)
        wanted = [[2, 0, 1], [2, 1, 0]][number % 2]
        move(page, wanted)
        assert order(page) == wanted
        finish(page)
        sent += [(each["question"], each["report"]) for each in json.loads(wire(page))["reports"]]
        send(page)
        visits.leave(page)
    assert reported(collector, survey) == [30]
    collector.call(lambda service: service.close(survey))
    ((_, (tallies,)),) = collector.call(lambda service: service.tallies(survey))
    shown = [[sent.count((question, category)) for category in (0, 1)] for question in range(3)]
    assert [tally.support.tolist() for tally in tallies] == shown
    collection = collector.call(lambda service: service.results(survey))
    assert collection.order[0] == 2


def test_a_reload_in_the_middle_keeps_question_order_and_answer(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    begin(page)
    bring_to(page, [3, 1, 0, 2])
    page.reload()
    page.wait_for_selector("hushrank-ranking-list")
    assert order(page) == [3, 1, 0, 2]
    finish(page)
    shown, asked = wire(page), page.get_by_text("The question drawn").text_content()
    page.reload()
    page.wait_for_selector("blockquote")
    assert wire(page) == shown
    assert page.get_by_text("The question drawn").text_content() == asked
    send(page)
    receipt = page.locator(".code code").text_content()
    page.reload()
    page.wait_for_selector(".stamp")
    assert page.locator(".code code").text_content() == receipt
    assert wire(page) == shown
    assert reported(collector, survey) == [1]


def test_two_tabs_send_one_answer(visits, collector):
    survey = collector.open()
    person = visits.person()
    tabs = [visits.page(person, collector.page(survey)) for _ in range(2)]
    for tab, wanted in zip(tabs, ([0, 1, 2, 3], [3, 2, 1, 0]), strict=True):
        tab.bring_to_front()
        begin(tab)
        bring_to(tab, wanted)
    for tab in tabs:
        finish(tab)
    assert wire(tabs[0]) == wire(tabs[1])
    assert "You had already given an order" in tabs[1].locator("main").inner_text()
    for tab in tabs:
        send(tab)
    receipts = {tab.locator(".code code").text_content() for tab in tabs}
    assert len(receipts) == 1
    assert reported(collector, survey) == [1]


def test_people_rank_offline_and_send_when_they_are_back(sit, visits, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    visits.expected = ("ERR_INTERNET_DISCONNECTED",)
    begin(page)
    page.context.set_offline(True)
    bring_to(page, [2, 0, 1, 3])
    finish(page)
    shown = wire(page)
    press(page, "Send")
    page.get_by_text("sent as soon as there is a connection").wait_for()
    assert reported(collector, survey) == [0]
    page.context.set_offline(False)
    page.get_by_text("Sent. Thank you!").wait_for()
    assert wire(page) == shown
    assert reported(collector, survey) == [1]


def test_an_invitation_counts_once(sit, visits, collector):
    survey = collector.open(joining="invitations", protocol="pairs")
    token, _ = collector.call(lambda service: service.invite(survey, 2))
    page = sit(collector.page(survey))
    assert "by invitation" in page.locator("h1").text_content()
    page = sit(collector.page(survey, token))
    take_part(page)
    assert token not in page.url
    send(page)
    visits.expected = ("409 (Conflict)", "403 (Forbidden)")
    other = sit(collector.page(survey, token))
    press(other, "Start")
    other.get_by_text("another answer arrived before").wait_for()
    stranger = sit(collector.page(survey, token[:-1] + "*"))
    press(stranger, "Start")
    stranger.get_by_text("open it with the link in your invitation").wait_for()
    assert reported(collector, survey) == [1]
    page.reload()
    page.get_by_text("You have answered already").wait_for()


def test_a_survey_that_is_not_there_is_said_so(sit, visits, collector):
    visits.expected = ("404 (Not Found)",)
    page = sit(collector.page("nothing"))
    assert page.locator("h1").text_content() == "There is no such survey"


def test_a_draft_is_not_open_yet(sit, visits, collector):
    from tests.collector.drafts import draft

    visits.expected = ("409 (Conflict)",)
    survey = collector.call(lambda service: service.create(draft()))
    page = sit(collector.page(survey))
    assert page.locator("h1").text_content() == "This survey is not open yet"


def test_a_survey_that_closes_meanwhile_takes_nothing_more(sit, visits, collector):
    visits.expected = ("410 (Gone)",)
    survey = collector.open()
    page = sit(collector.page(survey))
    take_part(page)
    collector.call(lambda service: service.close(survey))
    press(page, "Send")
    page.get_by_text("It was closed before your answer was sent").wait_for()
    page.reload()
    page.get_by_text("It was closed before your answer was sent").wait_for()
    assert page.locator("h1").text_content() == "This survey is closed"


def test_who_begins_what_was_closed_meanwhile_is_told_so(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    collector.call(lambda service: service.close(survey))
    press(page, "Start")
    page.get_by_text("This survey is closed").wait_for()


def test_nobody_pays_for_an_answer_to_a_round_that_has_ended(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    begin(page)
    bring_to(page, [1, 0, 2, 3])
    collector.call(lambda service: service.close(survey))
    press(page, "That is my order")
    page.get_by_text("This survey is closed").wait_for()
    assert "account" not in page.evaluate(KEPT)


def test_a_tab_that_shows_an_answer_sends_none_that_another_one_gave_since(visits, collector):
    survey = collector.open(items=THREE, options={"split": "budget"}, **TWO_ROUNDS)
    person = visits.person()
    page = visits.page(person, collector.page(survey))
    take_part(page, [2, 0, 1])
    collector.call(lambda service: others_report(service, survey, 2))
    collector.call(lambda service: service.close_round(survey))
    collector.call(lambda service: service.open_round(survey))
    other = visits.page(person, collector.page(survey))
    press(other, "Show what it would send")
    other.wait_for_selector("blockquote")
    second = wire(other)
    page.bring_to_front()
    assert wire(page) != second
    press(page, "Send")
    shows = "told => document.querySelector('pre')?.textContent === told"
    page.wait_for_function(shows, arg=second)
    assert page.get_by_role("button", name="Send").is_visible()  # once it is seen here, too
    assert reported(collector, survey) == [2, 0]


def test_a_round_that_has_ended_is_not_said_to_be_the_whole_survey(sit, visits, collector):
    visits.expected = ("410 (Gone)",)
    survey = collector.open(items=THREE, options={"split": "budget"}, **TWO_ROUNDS)
    page = sit(collector.page(survey))
    take_part(page, [2, 0, 1])
    collector.call(lambda service: others_report(service, survey, 2))
    collector.call(lambda service: service.close_round(survey))
    press(page, "Send")
    page.get_by_text("This round has ended").wait_for()
    assert "is closed" not in page.locator("main").inner_text()
    collector.call(lambda service: service.open_round(survey))
    press(page, "Try again")
    page.get_by_text("There is a second question").wait_for()
    assert reported(collector, survey) == [2, 0]


def test_what_is_kept_of_a_survey_that_was_deleted_can_be_deleted(sit, visits, collector):
    visits.expected = ("404 (Not Found)",)
    survey = collector.open()
    page = sit(collector.page(survey))
    take_part(page)
    send(page)
    collector.call(lambda service: service.delete(survey))
    page.reload()
    page.get_by_text("There is no such survey").wait_for()
    press(page, "Delete it")
    page.get_by_text("Deleted. Your privacy account stays. So does the lot").wait_for()
    assert [key for key in page.evaluate(KEPT) if survey in key or key.startswith("person ")] == []


def test_a_changed_survey_is_not_answered(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    take_part(page)
    changed = collector.call(lambda s: s.announcement(survey)).replace(b"drink", b"think")
    address = re.compile(f".*/v1/surveys/{survey}$")
    page.route(address, lambda route: route.fulfill(body=changed, content_type="application/json"))
    page.reload()
    page.get_by_text("This survey was changed").wait_for()
    assert reported(collector, survey) == [0]


def test_a_handout_that_was_not_announced_is_not_answered(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))

    def dearer(route):
        told = route.fetch().json()
        told["handout"]["head"] = told["handout"]["head"].replace('"epsilon":2.0', '"epsilon":7.0')
        route.fulfill(json=told)

    page.route("**/assignments", dearer)
    press(page, "Start")
    page.get_by_text("does not answer this survey").wait_for()
    assert reported(collector, survey) == [0]


def test_a_browser_that_keeps_nothing_does_not_take_part(sit, collector):
    survey = collector.open()
    script = "IDBFactory.prototype.open = () => { throw new Error('closed'); };"
    page = sit(collector.page(survey), script=script)
    assert page.locator("h1").text_content() == "This browser keeps nothing"
    assert [counts.joined for counts in collector.call(lambda s: s.survey(survey)).counts] == [0]


def test_who_comes_back_answers_the_second_round_from_the_first_order(sit, collector):
    survey = collector.open(items=THREE, options={"split": "budget"}, **TWO_ROUNDS)
    page = sit(collector.page(survey))
    assert "a few questions" in page.locator("main").inner_text()
    take_part(page, [2, 0, 1])
    first = wire(page)
    send(page)
    assert "There may be one more small question" in page.locator("main").inner_text()
    collector.call(lambda service: others_report(service, survey, 1))
    collector.call(lambda service: service.close_round(survey))
    page.reload()
    page.wait_for_selector(".stamp")
    collector.call(lambda service: service.open_round(survey))
    page.reload()
    page.get_by_text("There is a second question").wait_for()
    press(page, "Show what it would send")
    page.wait_for_selector("blockquote")
    assert wire(page) != first
    send(page)
    assert reported(collector, survey) == [2, 1]


def test_people_of_another_lot_are_asked_in_their_own_round(sit, visits, collector):
    survey = collector.open(items=THREE, options={"split": "people"}, **TWO_ROUNDS)
    for number in range(60):
        page = sit(collector.page(survey), script=tape(number))
        press(page, "Start")
        page.wait_for_selector("hushrank-ranking-list, .stamp")
        if page.locator(".stamp").count():
            break
        visits.leave(page)
    assert "is not asked in this round" in page.locator("h1").text_content()
    collector.call(lambda service: others_report(service, survey, 2))
    collector.call(lambda service: service.close_round(survey))
    collector.call(lambda service: service.open_round(survey))
    page.reload()
    page.wait_for_selector("h1")
    take_part(page, [2, 0, 1])
    send(page)
    assert reported(collector, survey)[1] == 1


def test_who_answered_for_their_lot_is_not_asked_again(sit, visits, collector):
    survey = collector.open(items=THREE, options={"split": "people"}, **TWO_ROUNDS)
    for number in range(60):
        page = sit(collector.page(survey), script=tape(number))
        press(page, "Start")
        page.wait_for_selector("hushrank-ranking-list, .stamp")
        if page.locator("hushrank-ranking-list").count():
            break
        visits.leave(page)
    bring_to(page, [1, 0, 2])
    finish(page)
    send(page)
    collector.call(lambda service: others_report(service, survey, 1))
    collector.call(lambda service: service.close_round(survey))
    collector.call(lambda service: service.open_round(survey))
    page.reload()
    page.get_by_text("You have answered already").wait_for()


@pytest.mark.parametrize("protocol", LIVE)
def test_each_protocol_says_what_it_asks_and_what_is_sent(sit, collector, protocol):
    items = THREE if protocol in ("grr", "rappor") else [*THREE, {"name": "juice"}]
    survey = collector.open(items=items, protocol=protocol)
    page = sit(collector.page(survey), size="phone")
    begin(page)
    finish(page)
    names = [item["name"] for item in items]
    asked = page.get_by_text("The question drawn").text_content()
    assert any(name in asked for name in [*names, "on the places"])
    assert page.locator("blockquote").text_content().count("“") >= 1
    send(page)
    assert reported(collector, survey) == [1]


NO_CERTIFICATE = """
Object.defineProperty(globalThis, "isSecureContext", { value: false });
Object.defineProperty(Crypto.prototype, "subtle", { value: undefined });
Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
"""


def test_phones_without_a_protected_connection_take_part_and_are_warned(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey), script=NO_CERTIFICATE, size="phone")
    assert "This connection is not protected" in page.locator("main").inner_text()
    take_part(page)
    send(page)
    assert reported(collector, survey) == [1]


def test_a_survey_asked_again_costs_nothing_while_the_order_stays(sit, visits, collector):
    survey = collector.open(items=THREE, protocol="pairs")
    page = sit(collector.page(survey))
    take_part(page, [2, 0, 1])
    first = json.loads(wire(page))["reports"]
    send(page)
    again = collector.call(lambda service: service.copy(survey))
    collector.call(lambda service: service.open(again))
    page = visits.page(page.context, collector.page(again))
    page.wait_for_selector("h1")
    begin(page)
    assert "You begin with the order that you gave before" in page.locator("main").inner_text()
    assert order(page) == [2, 0, 1]
    finish(page)
    assert json.loads(wire(page))["reports"] == first
    send(page)
    assert "used 25 % of what you allow" in page.locator("main").inner_text()


def test_a_person_makes_their_device_forget_their_order(sit, collector):
    survey = collector.open()
    page = sit(collector.page(survey))
    take_part(page)
    send(page)
    assert page.evaluate("Object.keys(sessionStorage)") == []  # what the list was on the way
    told = [key for key in page.evaluate(KEPT) if " order " in key]
    assert len(told) == 2  # of the survey, and for the next one of its series
    collector.call(lambda service: service.close(survey))
    page.reload()
    page.get_by_text("What your computer keeps").click()
    press(page, "Delete it")
    page.get_by_text("Deleted. Your privacy account stays.").wait_for()
    assert [key for key in page.evaluate(KEPT) if key.startswith("person ")] == []


def test_items_may_stay_unranked_where_the_survey_takes_it(sit, collector):
    options = {"unranked": "unknown"}
    survey = collector.open(protocol="max-entropy", options=options)
    page = sit(collector.page(survey), size="phone")
    begin(page)
    for item in (2, 0):
        row(page, item).locator(".item").tap()
    finish(page)
    send(page)
    assert accessible(page) == []
    assert reported(collector, survey) == [1]

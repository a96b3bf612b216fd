import json

import pytest

from tests.collector.browser.accessible import accessible
from tests.collector.browser.driving.hands import order, row, until
from tests.collector.browser.fakes.scenarios import ANNOUNCEMENT, GERMAN, WIRE, scenario

SENT = {
    "round": 0,
    "stage": "sent",
    "isPayable": True,
    "ranking": {"order": [0, 1, 2, 3, 4], "unranked": []},
    "names": ["Tea", "Coffee", "Cocoa", "Hot lemon", "Chai latte"],
    "said": [{"says": "order", "items": [0, 1]}],
    "asked": [{"says": "order", "items": [0, 1]}],
    "lieChance": 0.26894,
    "wire": WIRE,
    "isUnderWay": False,
    "receipt": "6f1d2c9a77e04b18",
}
LOCKED = SENT | {"stage": "locked", "receipt": None}
TWO_ROUNDS = ANNOUNCEMENT | {"comes_back": True}
CLOSED = {"state": "closed", "round": 0, "closes": None}

MESSAGES = {
    "closed": (scenario(state=CLOSED), "This survey is closed"),
    "closed before sending": (scenario(state=CLOSED, kept=LOCKED), "This survey is closed"),
    "not open": (
        scenario(state={"state": "draft", "round": None, "closes": None}),
        "This survey is not open yet",
    ),
    "between": (
        scenario(state={"state": "between", "round": 0, "closes": None}),
        "Nothing is asked at the moment",
    ),
    "not found": (scenario(looking="not-found"), "There is no such survey"),
    "by invitation": (
        scenario(announcement=ANNOUNCEMENT | {"joining": "invitations"}),
        "This survey is by invitation",
    ),
    "in an app": (
        scenario(announcement=ANNOUNCEMENT | {"joining": "api"}),
        "This survey is answered elsewhere",
    ),
    "changed": (scenario(looking="changed"), "This survey was changed"),
    "unreadable": (scenario(looking="malformed"), "does not answer this survey"),
    "offline": (scenario(looking="offline"), "No connection"),
    "busy": (scenario(looking="too-many"), "Too many people at once"),
    "out of order": (scenario(looking="unavailable"), "does not work at the moment"),
    "no storage": (scenario(opening="no-storage"), "This browser keeps nothing"),
    "no randomness": (scenario(opening="no-randomness"), "This browser is too old"),
    "not asked": (
        scenario(kept={"round": 0, "stage": "not-asked", "ranking": None}),
        "is not asked in this round",
    ),
}


def press(page, name):
    page.get_by_role("button", name=name).click()


def move_something(page):
    page.locator("li.row .up").nth(1).click()


def heading(page):
    return page.locator("h1").text_content()


def told(page):
    return page.locator("main").inner_text()


@pytest.fixture
def at_reveal(visit):
    def to_reveal(found=None, **how):
        page = visit(found or scenario(), **how)
        press(page, "Start")
        move_something(page)
        press(page, "That is my order")
        page.wait_for_selector("blockquote")
        return page

    return to_reveal


@pytest.mark.parametrize(("scheme", "unranked"), [("light", "last"), ("dark", "refused")])
def test_every_step_is_accessible(visit, scheme, unranked):
    asked = ANNOUNCEMENT | {"unranked": unranked}
    page = visit(scenario(announcement=asked), scheme=scheme, size="phone")
    assert accessible(page) == []
    press(page, "Start")
    assert accessible(page) == []
    move_something(page)
    assert accessible(page) == []
    press(page, "That is my order")
    page.wait_for_selector("blockquote")
    assert accessible(page) == []
    press(page, "Send")
    page.wait_for_selector(".stamp")
    for summary in page.locator("summary").all():
        summary.click()
    assert accessible(page) == []


@pytest.mark.parametrize("case", MESSAGES)
def test_each_state_is_told_in_words(visit, case):
    found, words = MESSAGES[case]
    page = visit(found, scheme="dark" if case == "offline" else "light")
    assert words in heading(page)
    assert not set(told(page).lower().split()) & {"error", "undefined", "null", "exception", "404"}
    assert accessible(page) == []


def test_people_see_who_asks_what_for_before_anything(visit):
    page = visit(scenario())
    shown = page.locator("body").inner_text()
    for key in ("title", "asked_by", "purpose", "contact", "privacy_notice"):
        assert ANNOUNCEMENT[key] in shown
    assert "at least 20 people" in shown
    assert "March 31, 2027" in shown
    assert "at least one in 4 (26 %)" in shown
    assert "used 19 % of what you allow. This survey uses at most 13 % more" in shown
    assert page.title() == ANNOUNCEMENT["title"]


def test_weak_protection_is_called_weak(visit):
    page = visit(scenario(announcement=ANNOUNCEMENT | {"epsilon": 4.0}))
    assert "but seldom: with a chance of at least one in 56 (1.7 %)" in told(page)


def test_names_are_shown_as_they_are(visit):
    markup = "<img src=x onerror=alert(1)>"
    items = [{"name": f"{markup}{i}", "description": markup} for i in range(3)]
    asked = ANNOUNCEMENT | {"title": markup, "items": items, "purpose": markup}
    page = visit(scenario(announcement=asked))
    assert heading(page) == markup
    press(page, "Start")
    assert page.locator(".name").all_text_contents()[0].startswith(markup)


def test_the_heading_of_each_step_takes_the_focus(at_reveal):
    page = at_reveal()
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.locator("h1").count() == 1


def test_an_order_that_nobody_touched_is_asked_about_once(visit):
    page = visit(scenario())
    press(page, "Start")
    press(page, "That is my order")
    assert "You have not moved anything" in told(page)
    press(page, "That is my order")
    page.wait_for_selector("blockquote")


def test_people_see_exactly_what_is_sent(at_reveal):
    page = at_reveal()
    assert page.locator("blockquote").text_content() == "“Tea before Coffee”"
    assert "a coin in your computer decided. The chance of a lie was 26 %." in told(page)
    page.get_by_text("Every character that is sent").click()
    assert page.locator("pre").text_content() == WIRE


@pytest.mark.parametrize("announcement", [ANNOUNCEMENT, TWO_ROUNDS])
def test_what_stays_is_said_of_this_round_where_another_may_come(at_reveal, announcement):
    said = told(at_reveal(scenario(announcement=announcement)))
    comes_back = announcement["comes_back"]
    assert ("of your order leaves your computer in this round." in said) == comes_back
    assert ("of your order leaves your computer. The coin" in said) != comes_back


def test_no_chance_of_a_lie_is_said_of_an_answer_to_an_earlier_order(at_reveal):
    page = at_reveal(scenario(locked=scenario()["locked"] | {"isOutdated": True}))
    shown = told(page)
    press(page, "Send")
    page.wait_for_selector(".stamp")
    for said in (shown, told(page)):
        assert "answered to an earlier order of yours" in said
        assert "chance of a lie" not in said


def test_a_receipt_says_what_was_sent(at_reveal):
    page = at_reveal()
    press(page, "Send")
    page.wait_for_selector(".stamp")
    assert heading(page) == "Sent. Thank you!"
    assert "6f1d2c9a77e04b18" in told(page)
    assert "“Tea before Coffee”" in told(page)


@pytest.mark.parametrize("lasts", [True, False])
def test_a_browser_is_asked_to_keep_things_once_the_answer_is_sent(visit, lasts):
    page = visit(scenario(lasts=lasts, kept=LOCKED))
    page.wait_for_selector("blockquote")
    asked = "localStorage.getItem('asked-to-last')"
    assert page.evaluate(asked) is None
    press(page, "Send")
    until(page, f"{asked} === 'true'")
    page.get_by_text("What your computer keeps").click()
    assert page.get_by_text("has not promised to keep it").is_visible() is not lasts
    page.reload()
    until(page, f"{asked} === 'false'")


def test_who_comes_again_sees_the_same_receipt(visit):
    page = visit(scenario(kept=SENT))
    assert heading(page) == "You have answered already"
    assert "6f1d2c9a77e04b18" in told(page)


def test_what_the_device_keeps_can_be_deleted_when_the_survey_is_closed(visit):
    page = visit(scenario(kept=SENT, state=CLOSED))
    page.get_by_text("What your computer keeps").click()
    press(page, "Delete it")
    page.get_by_text("Deleted. Your privacy account stays.").wait_for()


@pytest.mark.parametrize("stage", ["locked", "joined"])
def test_who_sent_no_last_answer_is_told_nothing_false_and_can_delete_what_is_kept(visit, stage):
    page = visit(scenario(kept=LOCKED | {"stage": stage, "round": 1}, state=CLOSED))
    assert heading(page) == "This survey is closed"
    assert "Nothing was sent" not in told(page)
    press(page, "Delete it")
    page.get_by_text("Deleted. Your privacy account stays.").wait_for()


ELSEWHERE = {
    "closed, and all was forgotten": (scenario(state=CLOSED), "It takes no more answers"),
    "closed while it was looked at": (scenario(joining="not-open", kept=SENT), "has ended"),
    "closed while it was joined": (scenario(joining="closed", kept=SENT), "has ended"),
    "beyond the limit": (scenario(joining="over-limit", kept=SENT), "more than you allow"),
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_nobody_is_told_that_nothing_was_sent_who_may_have_sent_something(visit, case):
    """In an earlier round, from another device, or before the person had all of it forgotten."""
    found, words = ELSEWHERE[case]
    second = {"announcement": TWO_ROUNDS, "state": {"state": "open", "round": 1, "closes": None}}
    page = visit(second | found if found["state"] == CLOSED else found | second)
    if page.get_by_role("button", name="Show what it would send").count():
        press(page, "Show what it would send")
    page.get_by_text(words).first.wait_for()
    assert "Nothing was sent" not in told(page)


def test_who_did_this_before_is_told_that_only_what_is_repeated_tells_nothing_new(visit):
    page = visit(scenario(earlier=SENT["ranking"] | {"names": SENT["names"]}))
    press(page, "Start")
    assert "can repeat of what it sent then tells nothing new about you" in told(page)
    assert "Any other answer is a new one, and counts." in told(page)


def test_what_the_device_keeps_stays_while_the_survey_is_open(visit):
    page = visit(scenario(kept=SENT))
    page.get_by_text("What your computer keeps").click()
    assert page.get_by_role("button", name="Delete it").count() == 0


def test_published_results_are_linked(visit):
    page = visit(scenario(kept=SENT, state=CLOSED | {"state": "published"}))
    assert page.get_by_role("link", name="See the results").get_attribute("href") == "/r/drinks"


def test_who_returns_answers_the_next_round_from_the_same_order(visit):
    second = {"state": "open", "round": 1, "closes": None}
    joined = {"round": 1, "stage": "joined"}
    page = visit(scenario(announcement=TWO_ROUNDS, kept=SENT, state=second, joined=joined))
    assert heading(page) == "There is a second question"
    assert accessible(page) == []
    press(page, "Show what it would send")
    page.wait_for_selector("blockquote")
    kept = json.loads(page.evaluate("localStorage.getItem('fake-device')"))
    assert (kept["round"], kept["ranking"]) == (1, SENT["ranking"])


def test_who_answered_the_second_question_is_not_told_of_another(visit):
    second = {"state": "open", "round": 1, "closes": None}
    kept = SENT | {"round": 1}
    page = visit(scenario(announcement=TWO_ROUNDS, kept=kept, state=second))
    assert heading(page) == "You have answered already"
    assert "more small question" not in told(page)


@pytest.mark.parametrize("stage", ["joined", "locked"])
def test_who_is_asked_once_is_promised_no_question_of_a_later_round(visit, stage):
    """Each lot is asked in one round: whoever sent nothing in theirs is asked no more."""
    second = {"state": "open", "round": 1, "closes": None}
    page = visit(scenario(kept=LOCKED | {"stage": stage}, state=second))
    assert heading(page) == "Your computer is not asked in this round"
    assert "If that one is still to come" in told(page)


def test_where_a_round_was_not_asked_the_next_one_can_be_begun(visit):
    second = {"state": "open", "round": 1, "closes": None}
    page = visit(scenario(kept=LOCKED | {"stage": "not-asked", "ranking": None}, state=second))
    assert page.get_by_role("button", name="Start").is_visible()


@pytest.mark.parametrize("kept", [SENT, None])
@pytest.mark.parametrize(
    ("closes", "said"),
    [("2027-06-30T16:00:00Z", "June 30, 2027"), (None, "until whoever asks closes it")],
)
def test_who_is_asked_in_a_later_round_is_told_when_that_one_ends(visit, kept, closes, said):
    """What was announced is the end of the first round."""
    second = {"state": "open", "round": 1, "closes": closes}
    page = visit(scenario(announcement=TWO_ROUNDS, kept=kept, state=second))
    assert said in told(page)
    assert "March 31" not in told(page)


def test_a_limit_that_is_reached_can_be_raised(visit):
    spent = {"here": 7.5, "all": 9, "limit": 8}
    page = visit(scenario(spent=spent, joining="over-limit"))
    press(page, "Start")
    page.get_by_role("heading", name="That would be more than you allow").wait_for()
    assert accessible(page) == []
    page.get_by_text("What you allow", exact=True).click()
    page.get_by_label("What you allow").select_option("16")
    until(page, "document.querySelector('h1').textContent.startsWith('Which hot drink')")


@pytest.mark.parametrize("is_back", [False, True])
def test_who_joined_what_is_beyond_their_limit_is_asked_for_no_order(visit, is_back):
    found = scenario(spent={"here": 7.5, "all": 9, "limit": 8})
    found["joined"]["isPayable"] = False
    page = visit(found | {"kept": found["joined"]} if is_back else found)
    if not is_back:
        press(page, "Start")
    page.get_by_text("more than you allow").wait_for()
    assert page.locator("hushrank-ranking-list").count() == 0


@pytest.mark.parametrize(("limit", "said"), [(8, "or raise the limit"), (16, "More cannot be")])
def test_nobody_is_told_to_raise_a_limit_beyond_what_the_page_offers(visit, limit, said):
    page = visit(scenario(spent={"here": 15.5, "all": 16, "limit": limit}, joining="over-limit"))
    press(page, "Start")
    page.get_by_role("heading", name="That would be more than you allow").wait_for()
    assert said in told(page)
    assert ("raise the limit" in told(page)) == (limit < 16)


def test_a_limit_that_could_not_be_kept_is_not_shown(visit, visits):
    visits.expected = ("no-storage",)
    page = visit(scenario(limiting="no-storage"))
    page.get_by_text("What you allow", exact=True).click()
    page.get_by_label("What you allow").select_option("2")
    until(page, "document.querySelector('select').value === '8'")


def test_an_account_never_says_less_than_was_spent(visit):
    spent = {"here": 1.001, "all": 2.011, "limit": 8}
    page = visit(scenario(kept=SENT, spent=spent))
    page.get_by_text("What you allow", exact=True).click()
    said = told(page)
    assert "1.01 of 8 nats spent" in said
    assert "2.02 nats there in all" in said


def test_who_repeated_all_of_a_year_is_not_told_that_they_answered_nothing(visit):
    page = visit(scenario(spent={"here": 0, "all": 2, "limit": 8}))
    assert "used nothing of what you allow" in told(page)
    assert "not answered" not in told(page)


def test_an_unknown_invitation_is_said_so(visit):
    asked = ANNOUNCEMENT | {"joining": "invitations"}
    page = visit(scenario(announcement=asked, joining="not-invited"), fragment="#i=abc")
    press(page, "Start")
    page.get_by_text("open it with the link in your invitation").wait_for()


def test_another_language_keeps_the_invitation(visit):
    asked = ANNOUNCEMENT | {"joining": "invitations"}
    page = visit(scenario(announcement=asked), fragment="#i=abc")
    page.get_by_role("link", name="Deutsch").click()
    page.get_by_role("button", name="Beginnen").wait_for()
    assert page.url.endswith("?lang=de#i=abc")


def test_the_page_speaks_german(visit):
    page = visit(scenario(announcement=GERMAN), language="de")
    assert page.locator("html").get_attribute("lang") == "de"
    assert "in mindestens einem von 4 Fällen (26 %)" in told(page)
    assert "31. März 2027" in told(page)


def test_pages_run_from_right_to_left(visit):
    page = visit(scenario(), language="ar", size="phone")
    press(page, "Start")
    place, arrow = row(page, 0).locator(".place"), row(page, 0).locator(".up")
    assert place.bounding_box()["x"] > arrow.bounding_box()["x"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", ["320x640", "3840x2160"])
def test_nothing_is_wider_than_the_window(visit, size):
    page = visit(scenario(announcement=GERMAN), language="de", size=size)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    press(page, "Beginnen")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_unprotected_connection_is_warned_of(visits, fake_address):
    address = fake_address.replace("127.0.0.1", "survey.test")
    script = f"globalThis.scenario = {json.dumps(scenario())}"
    page = visits.open(f"{address}/s/drinks", script=script)
    assert "This connection is not protected" in told(page)
    assert accessible(page) == []


def test_who_is_asked_again_is_warned_of_an_unprotected_connection(visits, fake_address):
    address = fake_address.replace("127.0.0.1", "survey.test")
    second = {"state": "open", "round": 1, "closes": None}
    again = scenario(announcement=TWO_ROUNDS, kept=SENT, state=second)
    page = visits.open(f"{address}/s/drinks", script=f"globalThis.scenario = {json.dumps(again)}")
    assert heading(page) == "There is a second question"
    assert "This connection is not protected" in told(page)


def test_a_protected_connection_is_not_warned_of(visit):
    assert "not protected" not in told(visit(scenario()))


def test_a_preview_shows_all_steps_and_sends_nothing(visits, fake_address):
    page = visits.open(f"{fake_address}/s/drinks?preview")
    assert "nothing is sent" in page.locator(".banner").text_content()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    press(page, "Start")
    move_something(page)
    press(page, "That is my order")
    page.wait_for_selector("blockquote")
    assert accessible(page) == []
    press(page, "Send")
    page.wait_for_selector(".stamp")
    assert asked == []


def test_a_reload_keeps_the_order_that_was_begun(visit):
    page = visit(scenario())
    press(page, "Start")
    move_something(page)
    before = page.locator(".name").all_text_contents()
    assert "begin with a random order" in told(page)
    page.reload()
    page.wait_for_selector("hushrank-ranking-list")
    assert page.locator(".name").all_text_contents() == before
    assert "the order that you have so far" in told(page)
    assert "random order" not in told(page)


def test_a_reload_shows_the_same_answer(at_reveal):
    page = at_reveal()
    page.reload()
    page.wait_for_selector("blockquote")
    assert page.locator("blockquote").text_content() == "“Tea before Coffee”"
    assert page.get_by_role("button", name="Send").is_visible()  # nobody has sent it


def test_a_second_tab_shows_the_answer_of_the_first(visit):
    page = visit(scenario())
    press(page, "Start")
    page.wait_for_selector("hushrank-ranking-list")  # this tab has joined
    move_something(page)
    other = order(page)[::-1]  # the list begins with a random order
    kept = json.dumps(LOCKED | {"ranking": {"order": other, "unranked": []}})
    page.evaluate("kept => localStorage.setItem('fake-device', kept)", kept)
    press(page, "That is my order")
    page.get_by_text("You had already given an order").wait_for()


def test_people_can_rank_without_a_connection(visit):
    page = visit(scenario())
    page.context.set_offline(True)
    press(page, "Start")
    assert "You can give your order all the same" in told(page)
    assert accessible(page) == []
    move_something(page)
    press(page, "That is my order")
    page.get_by_text("it gets its question").wait_for()
    before = json.loads(page.evaluate("sessionStorage.getItem('hushrank-draft:drinks')"))
    page.context.set_offline(False)
    page.wait_for_selector("blockquote")
    kept = json.loads(page.evaluate("localStorage.getItem('fake-device')"))
    assert kept["ranking"] == before


def test_an_order_that_was_answered_from_stays_in_no_tab(visit):
    """What the page keeps for a reload would outlive what the person makes the device forget."""
    page = visit(scenario())
    press(page, "Start")
    move_something(page)
    press(page, "That is my order")
    page.wait_for_selector("blockquote")
    assert page.evaluate("Object.keys(sessionStorage)") == []
    assert page.evaluate("Object.keys(localStorage)") == ["fake-device"]


@pytest.mark.parametrize("kept", [LOCKED, SENT], ids=["locked", "sent"])
def test_an_order_that_was_begun_goes_when_another_tab_has_answered(visit, kept):
    """Else it would stay in this tab when the person makes the device forget what they gave."""
    page = visit(scenario())
    press(page, "Start")
    move_something(page)
    assert page.evaluate("Object.keys(sessionStorage)") == ["hushrank-draft:drinks"]
    page.evaluate("kept => localStorage.setItem('fake-device', kept)", json.dumps(kept))
    page.reload()
    page.wait_for_selector("blockquote")
    assert page.evaluate("Object.keys(sessionStorage)") == []


def test_an_order_that_was_begun_goes_with_the_survey(visit):
    page = visit(scenario(state=CLOSED))
    page.evaluate("sessionStorage.setItem('hushrank-draft:drinks', '{}')")
    page.reload()
    page.get_by_text("This survey is closed").wait_for()
    assert page.evaluate("Object.keys(sessionStorage)") == []


def test_what_another_tab_began_goes_when_all_is_forgotten(visit, visits):
    begun = visit(scenario())
    press(begun, "Start")
    move_something(begun)
    begun.evaluate("kept => localStorage.setItem('fake-device', kept)", json.dumps(SENT))
    script = f"globalThis.scenario = {json.dumps(scenario(state=CLOSED))}"
    forgetting = visits.page(begun.context, begun.url, script)
    begun.evaluate("scenario.looking = 'offline'")  # what the collector says does not matter
    forgetting.get_by_text("What your computer keeps").click()
    press(forgetting, "Delete it")
    forgetting.get_by_text("Deleted.").wait_for()
    begun.wait_for_selector("hushrank-ranking-list", state="detached")
    assert begun.evaluate("Object.keys(sessionStorage)") == []


@pytest.mark.parametrize(
    "lacking",
    [
        "delete window.BroadcastChannel",
        "window.BroadcastChannel = class { constructor() { throw new Error('denied') } }",
    ],
)
def test_a_survey_is_shown_where_tabs_cannot_talk_to_each_other(visit, visits, lacking):
    whole = visit(scenario())
    script = f"{lacking}; globalThis.scenario = {json.dumps(scenario())}"
    page = visits.page(whole.context, whole.url, script)
    press(page, "Start")
    page.wait_for_selector("hushrank-ranking-list")


@pytest.mark.parametrize(
    "keeping_nothing",
    [
        "const keep = Storage.prototype.setItem; Storage.prototype.setItem = function (key, text) {"
        " if (key.startsWith('hushrank-')) throw new DOMException('full', 'QuotaExceededError');"
        " keep.call(this, key, text); }",
        "Object.defineProperty(window, 'sessionStorage', {"
        " get() { throw new DOMException('denied', 'SecurityError'); } })",
    ],
    ids=["full", "denied"],
)
def test_an_answer_is_sent_where_a_browser_keeps_no_notes(visit, visits, keeping_nothing):
    """What the device must keep is kept elsewhere; here its fake keeps it in the same storage."""
    whole = visit(scenario())
    script = f"{keeping_nothing}; globalThis.scenario = {json.dumps(scenario())}"
    page = visits.page(whole.context, whole.url, script)
    press(page, "Start")
    move_something(page)
    press(page, "That is my order")
    press(page, "Send")
    page.get_by_text("Sent. Thank you!").wait_for()


def test_a_memory_that_was_cleared_while_the_page_is_open_is_said_to_keep_nothing(visit):
    page = visit(scenario(locking="not-joined"))
    press(page, "Start")
    move_something(page)
    press(page, "That is my order")
    page.get_by_role("heading", name="This browser keeps nothing").wait_for()


def test_an_answer_is_sent_when_the_connection_is_back(at_reveal):
    page = at_reveal()
    page.context.set_offline(True)
    press(page, "Send")
    page.get_by_text("sent as soon as there is a connection").wait_for()
    page.context.set_offline(False)
    page.get_by_text("Sent. Thank you!").wait_for()


def test_an_answer_that_nobody_sent_is_not_sent_by_a_connection(at_reveal):
    page = at_reveal()
    page.context.set_offline(True)
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_timeout(300)
    assert json.loads(page.evaluate("localStorage.getItem('fake-device')"))["stage"] == "locked"


def left_waiting(page):
    """Send without a connection, close the page, and return its browser, online, and address."""
    person, address = page.context, page.url
    person.set_offline(True)
    press(page, "Send")
    page.get_by_text("sent as soon as there is a connection").wait_for()
    page.close()
    person.set_offline(False)
    return person, address


def test_an_answer_that_waited_sends_none_of_the_next_round(at_reveal, visits):
    person, address = left_waiting(at_reveal())
    second = {"state": "open", "round": 1, "closes": None}
    joined = scenario()["joined"] | {"round": 1}
    locked = scenario()["locked"] | {"wire": WIRE.replace("AAAA", "BBBB")}
    found = scenario(announcement=TWO_ROUNDS, state=second, joined=joined, locked=locked)
    other = visits.page(person, address, f"globalThis.scenario = {json.dumps(found)}")
    press(other, "Show what it would send")
    other.wait_for_selector("blockquote")
    other.reload()
    other.wait_for_selector("h1")
    kept = json.loads(other.evaluate("localStorage.getItem('fake-device')"))
    assert (kept["round"], kept["stage"]) == (1, "locked")


def test_an_answer_that_waited_is_sent_when_the_page_is_opened_again(at_reveal, visits):
    person, address = left_waiting(at_reveal())
    again = visits.page(person, address, f"globalThis.scenario = {json.dumps(scenario())}")
    again.get_by_text("Sent. Thank you!").wait_for()


@pytest.mark.parametrize("state", ["open", "closed"])
def test_an_answer_that_may_have_come_is_asked_for_when_the_page_is_opened_again(
    at_reveal, visits, state
):
    page = at_reveal(scenario(sending="unanswered"))
    press(page, "Send")
    until(page, "JSON.parse(localStorage.getItem('fake-device')).isUnderWay")
    person, address = page.context, page.url
    page.close()
    found = scenario() if state == "open" else scenario(state=CLOSED)
    again = visits.page(person, address, f"globalThis.scenario = {json.dumps(found)}")
    again.get_by_text("Sent. Thank you!").wait_for()


def test_an_answer_that_came_too_late_is_said_so_and_can_be_deleted(at_reveal, visits):
    person, address = left_waiting(at_reveal())
    found = scenario(state=CLOSED, sending="closed")
    again = visits.page(person, address, f"globalThis.scenario = {json.dumps(found)}")
    again.get_by_text("It was closed before your answer was sent").wait_for()
    press(again, "Delete it")
    again.get_by_text("Deleted.").wait_for()
    assert again.evaluate("Object.keys(localStorage)") == []


def test_a_page_without_its_words_says_that_it_must_be_loaded_again(visits, fake_address):
    visits.expected = ("",)
    page = visits.person().new_page()
    page.route("**/strings/*", lambda route: route.abort())
    page.goto(f"{fake_address}/s/drinks")
    page.get_by_text("Please load it again").wait_for()


@pytest.mark.parametrize(
    ("kind", "words"), [("closed", "not sent before does not"), ("conflict", "arrived before")]
)
def test_a_report_that_is_refused_is_said_so(at_reveal, kind, words):
    page = at_reveal(scenario(sending=kind))
    press(page, "Send")
    page.wait_for_selector(".stamp")
    assert words in told(page)


@pytest.mark.parametrize("kind", ["malformed", "too-large"])
def test_nobody_is_told_that_their_device_does_not_answer_when_it_has(at_reveal, visits, kind):
    visits.expected = (kind,)
    page = at_reveal(scenario(sending=kind, status=422))
    press(page, "Send")
    page.wait_for_selector(".stamp")
    assert heading(page) == "Something went wrong"
    press(page, "Try again")
    page.wait_for_selector(".stamp")
    assert "does not answer" not in told(page)

from itertools import product

import pytest

from tests.collector.browser.accessible import accessible
from tests.collector.browser.driving.hands import (
    LONG_PRESS,
    VALUE,
    Finger,
    drag_by_mouse,
    focused,
    frames,
    middle,
    order,
    row,
    shown_places,
    until,
    value,
)
from tests.collector.browser.fakes.scenarios import ANNOUNCEMENT, scenario

LONG = ANNOUNCEMENT | {"items": [{"name": f"Thing {i}"} for i in range(24)]}
PARTLY = ANNOUNCEMENT | {"unranked": "unknown"}
FIXED = VALUE + " = {order: %s, unranked: %s}"


@pytest.fixture
def ranking(visit):
    def open_list(announcement=ANNOUNCEMENT, *, order=None, unranked=(), **how):
        page = visit(scenario(announcement=announcement), **how)
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("hushrank-ranking-list")
        if order is not None:
            page.evaluate(FIXED % (list(order), list(unranked)))
        return page

    return open_list


def test_people_see_their_own_random_order(ranking):
    seen = {tuple(order(ranking(LONG))) for _ in range(3)}
    assert len(seen) == 3


def test_a_mouse_drags_up_and_down_by_row_and_by_handle(ranking):
    page = ranking()
    moves = [(0, 3, [1, 2, 3, 0, 4]), (4, 1, [0, 4, 1, 2, 3])]
    for part, (item, onto, expected) in product((".item", ".handle"), moves):
        page.evaluate(FIXED % (list(range(5)), []))
        drag_by_mouse(page, item, onto, part)
        assert order(page) == expected
        assert shown_places(page) == ["1", "2", "3", "4", "5"]
        assert focused(page) == f"{item} item"


def test_numbers_are_live_while_dragging_and_escape_puts_everything_back(ranking):
    page = ranking(order=range(5))
    start, end = middle(row(page, 0)), middle(row(page, 2))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0], end[1], steps=5)
    frames(page)
    assert row(page, 0).locator(".place").text_content() == "3"
    assert row(page, 1).locator(".place").text_content() == "1"
    page.keyboard.press("Escape")
    page.mouse.up()
    assert order(page) == [0, 1, 2, 3, 4]


def test_a_finger_drags_the_handle_at_once(ranking):
    page = ranking(order=range(5), size="phone")
    Finger(page).drag(0, 2)
    assert order(page) == [1, 2, 0, 3, 4]


def test_a_finger_drags_a_row_after_resting_on_it(ranking):
    page = ranking(order=range(5), size="phone")
    Finger(page).drag(2, 0, part=".item", wait=LONG_PRESS)
    assert order(page) == [2, 0, 1, 3, 4]


def test_a_finger_that_moves_at_once_scrolls(ranking):
    page = ranking(LONG, order=range(24), size="phone")
    finger = Finger(page)
    x, y = middle(row(page, 3).locator(".item"))
    finger.down(x, y)
    for step in range(1, 12):
        finger.move(x, y - 20 * step)
    finger.up()
    until(page, "scrollY > 100")
    assert order(page) == list(range(24))


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_long_list_scrolls_at_the_edge_of_the_window(ranking, size):
    page = ranking(LONG, order=range(24), size=size)
    height = page.viewport_size["height"]
    x, y = middle(row(page, 0).locator(".handle"))
    if size == "phone":
        hand = Finger(page)
        hand.down(x, y)
        move, drop = hand.move, hand.up
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        move, drop = page.mouse.move, page.mouse.up
    for step in range(1, 6):
        move(x, y + (height - 12 - y) * step / 5)
    at_the_end = "scrollY + innerHeight > document.documentElement.scrollHeight - 2"
    until(page, at_the_end)
    frames(page)
    drop()
    assert order(page).index(0) >= 18


KEYS = [
    (["ArrowUp"], [0, 2, 1, 3, 4]),
    (["ArrowDown", "ArrowDown", "ArrowDown"], [0, 1, 3, 4, 2]),
    (["Home"], [2, 0, 1, 3, 4]),
    (["End"], [0, 1, 3, 4, 2]),
    (["2"], [0, 2, 1, 3, 4]),
    (["9"], [0, 1, 2, 3, 4]),
]


def test_keys_move_an_item_which_keeps_the_focus(ranking):
    page = ranking()
    for keys, expected in KEYS:
        page.evaluate(FIXED % (list(range(5)), []))
        row(page, 2).locator(".item").focus()
        for key in keys:
            page.keyboard.press(key)
        assert order(page) == expected
        assert focused(page) == "2 item"


def test_two_digits_are_one_place(ranking):
    page = ranking(LONG, order=range(24))
    row(page, 0).locator(".item").focus()
    page.keyboard.type("12")
    until(page, f"{VALUE}.order[11] === 0")


def test_one_digit_waits_for_a_second_one(ranking):
    page = ranking(LONG, order=range(24))
    row(page, 7).locator(".item").focus()
    page.keyboard.type("2")
    assert order(page)[7] == 7
    until(page, f"{VALUE}.order[1] === 7")


def test_buttons_move_an_item_and_keep_the_focus_at_the_ends(ranking):
    page = ranking(order=range(5))
    button = row(page, 1).locator(".up")
    button.click()
    button.click(force=True)  # greyed out by now
    assert order(page) == [1, 0, 2, 3, 4]
    assert button.get_attribute("aria-disabled") == "true"
    assert focused(page) == "1 step up"


def test_screen_readers_hear_of_each_move(ranking):
    page = ranking(order=range(5))
    row(page, 2).locator(".item").focus()
    page.keyboard.press("ArrowUp")
    said = page.locator("hushrank-ranking-list [aria-live]")
    assert said.text_content() == "Cocoa: place 2 of 5"
    assert page.get_by_role("button", name="Place 2 of 5: Cocoa").count() == 1
    assert page.get_by_role("button", name="Move Cocoa up").count() == 1


def test_taps_rank_one_item_after_the_other(ranking):
    page = ranking(PARTLY, size="phone")
    assert value(page)["order"] == []
    for item in (3, 1):
        row(page, item).locator(".item").tap()
    assert value(page)["order"] == [3, 1]
    assert sorted(value(page)["unranked"]) == [0, 2, 4]


def test_items_leave_the_ranking_by_key_and_by_mouse(ranking):
    page = ranking(PARTLY, order=[0, 1, 2], unranked=[3, 4])
    row(page, 0).locator(".item").focus()
    page.keyboard.press("Delete")
    assert value(page) == {"order": [1, 2], "unranked": [0, 3, 4]}
    assert page.locator("hushrank-ranking-list [aria-live]").text_content() == "Tea: not ranked"
    drag_by_mouse(page, 1, 4)
    assert value(page) == {"order": [2], "unranked": [0, 3, 4, 1]}
    drag_by_mouse(page, 3, 2)
    assert value(page)["order"] == [3, 2]


def test_a_drag_is_no_tap(ranking):
    page = ranking(PARTLY, order=[0], unranked=[1, 2, 3, 4])
    drag_by_mouse(page, 2, 4)
    assert value(page) == {"order": [0], "unranked": [1, 3, 4, 2]}


@pytest.mark.parametrize(("wish", "gliding"), [("no-preference", True), ("reduce", False)])
def test_rows_glide_unless_people_want_no_motion(ranking, wish, gliding):
    page = ranking(order=range(5), reduced_motion=wish)
    moving = """() => {
      const { shadowRoot } = document.querySelector("hushrank-ranking-list");
      shadowRoot.querySelectorAll(".up")[2].click();
      return shadowRoot.getAnimations().length > 0;
    }"""
    assert page.evaluate(moving) is gliding


def test_a_form_gets_the_ranking(ranking):
    page = ranking(order=[4, 2, 0, 1, 3])
    script = """() => {
      const form = document.createElement("form");
      const list = document.querySelector("hushrank-ranking-list");
      list.setAttribute("name", "drinks");
      list.before(form);
      form.append(list);
      return new FormData(form).get("drinks");
    }"""
    assert page.evaluate(script) == '{"order":[4,2,0,1,3],"unranked":[]}'


def test_a_value_that_is_no_ranking_of_the_items_is_refused(ranking):
    page = ranking(order=range(5))
    with pytest.raises(Exception, match="expected each item of the list once"):
        page.evaluate(FIXED % ([0, 0, 1, 2, 3], []))


def test_what_a_thumb_hits_is_large_enough(ranking):
    page = ranking(order=range(5), size="phone")
    for box in [each.bounding_box() for each in page.locator("hushrank-ranking-list button").all()]:
        assert box["width"] >= 44
        assert box["height"] >= 44


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_stands_alone_in_pages_of_others(visits, fake_address, scheme):
    page = visits.open(f"{fake_address}/shop", scheme=scheme)
    page.locator("li.row").first.wait_for()
    changes = "document.addEventListener('change', () => document.title += '!')"
    page.evaluate(changes)
    row(page, 1).locator(".item").click()
    row(page, 0).locator(".up").click()
    assert value(page) == {"order": [1, 0], "unranked": [2]}
    assert page.title() == "A shop!!"
    assert page.evaluate("new FormData(document.forms[0]).get('drinks')").startswith(
        '{"order":[1,0]'
    )
    page.evaluate("document.forms[0].reset()")
    assert value(page)["order"] == []
    assert accessible(page) == []

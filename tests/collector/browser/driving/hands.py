"""What people do with a ranking list: by mouse, by finger, by keyboard."""

from time import monotonic
from typing import Any

VALUE = "document.querySelector('hushrank-ranking-list').value"
LONG_PRESS = 400


def value(page: Any) -> dict[str, list[int]]:
    ranking: dict[str, list[int]] = page.evaluate(VALUE)
    return ranking


def order(page: Any) -> list[int]:
    return value(page)["order"]


def row(page: Any, item: int) -> Any:
    return page.locator(f"li[data-item='{item}']")


def shown_places(page: Any) -> list[str]:
    texts: list[str] = page.locator("li.row .place").all_text_contents()
    return texts


def focused(page: Any) -> str:
    """The item whose row has the focus, and which part of it."""
    script = """() => {
      const inner = document.activeElement.shadowRoot?.activeElement;
      return `${inner?.closest("li")?.dataset.item} ${inner?.className}`;
    }"""
    words: str = page.evaluate(script)
    return words


def drag_by_mouse(page: Any, item: int, onto: int, part: str = ".item") -> None:
    """Take `item` and drop it where `onto` is."""
    start, end = middle(row(page, item).locator(part)), middle(row(page, onto))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0], start[1] + (8 if end[1] > start[1] else -8))
    page.mouse.move(start[0], end[1], steps=4)
    frames(page)
    page.mouse.up()


class Finger:
    """One finger on the screen of a phone."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)

    def drag(self, item: int, onto: int, *, part: str = ".handle", wait: int = 0) -> None:
        """Take `item` and drop it where `onto` is; wait so many ms before moving."""
        start = middle(row(self._page, item).locator(part))
        end = middle(row(self._page, onto))
        self.down(*start)
        self._page.wait_for_timeout(wait)
        for step in range(1, 9):
            self.move(start[0], start[1] + (end[1] - start[1]) * step / 8)
        frames(self._page)
        self.up()

    def down(self, x: float, y: float) -> None:
        self._send("touchStart", [{"x": x, "y": y}])

    def move(self, x: float, y: float) -> None:
        self._send("touchMove", [{"x": x, "y": y}])

    def up(self) -> None:
        self._send("touchEnd", [])

    def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def middle(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def frames(page: Any, n: int = 3) -> None:
    """Let the browser draw so many frames."""
    script = """n => new Promise((done) => {
      const next = () => (n-- ? requestAnimationFrame(next) : done());
      next();
    })"""
    page.evaluate(script, n)


def bring_to(page: Any, wanted: list[int]) -> None:
    """Put all items into an order by the keyboard, by place numbers."""
    for place, item in enumerate(wanted, start=1):
        row(page, item).locator(".item").focus()
        page.keyboard.press("Home")
        for _ in range(place - 1):
            page.keyboard.press("ArrowDown")


def until(page: Any, condition: str, seconds: float = 60) -> None:
    """Wait until a condition of the page holds; a policy forbids that the page itself waits."""
    end = monotonic() + seconds
    while not page.evaluate(condition):
        assert monotonic() < end, f"never: {condition}"
        page.wait_for_timeout(20)

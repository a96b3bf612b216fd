"""A person's visit to a page: a browser of their own, whose complaints fail the test."""

from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

WATCH_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`));
"""
PATIENCE = 60_000.0
"""Milliseconds until what a page does not show is missing: on a busy machine, too."""
SIZES = {"phone": (360, 740), "desktop": (1280, 800)}


class Seat:
    """A tab of its own that several visits use in turn, each as somebody new.

    What a site can keep on a device is deleted in between; that is far cheaper than a new browser.
    """

    def __init__(self, person: Any, empty: str) -> None:
        """Take a person, and a page of the site on which nothing happens."""
        self.page, self._empty = person.new_page(), empty
        site = urlsplit(empty)
        self._origin = f"{site.scheme}://{site.netloc}"
        self._session = person.new_cdp_session(self.page)
        self._session.send("Page.enable")

    def open(self, address: str, script: str) -> None:
        """Go to a page, with a script that runs before those of this page until `leave`."""
        told = self._session.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self._script = told["identifier"]
        self.page.goto(address)

    def leave(self) -> None:
        """Leave nothing behind."""
        self._session.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self._script})
        self.page.mouse.move(0, 0)
        self.page.unroute_all()
        self.page.context.set_offline(False)
        self.page.goto(self._empty)
        self.page.evaluate("sessionStorage.clear()")
        kept = {"origin": self._origin, "storageTypes": "all"}
        self._session.send("Storage.clearDataForOrigin", kept)
        self.page.context.clear_cookies()

    @property
    def is_as_before(self) -> bool:
        """Whether the person has this tab alone."""
        return bool(self.page.context.pages == [self.page])


Seats: TypeAlias = dict[str, Seat]
"""Those that are free, by who may sit there."""


class Visits:
    """Opens pages, and says at the end what the browser complained of."""

    def __init__(self, browser: Any, seats: Seats | None = None) -> None:
        self._browser = browser
        self._seats = {} if seats is None else seats
        self._taken: Seats = {}
        self._people: list[Any] = []
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        for who in list(self._taken):
            self._leave(who, for_good=failed is not None)
        for person in self._people:
            person.close()
        unexpected = [
            complaint
            for complaint in self.complaints
            if not any(part in complaint for part in self.expected)
        ]
        assert failed or not unexpected, unexpected

    def person(self, **how: Any) -> Any:
        """Return a new person: a browser that kept nothing."""
        self._people.append(person := self._person(**how))
        return person

    def _person(self, *, size: str = "desktop", scheme: str = "light", **how: Any) -> Any:
        width, height = SIZES.get(size) or map(int, size.split("x"))
        is_phone = size == "phone"
        person = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            has_touch=is_phone,
            is_mobile=is_phone,
            **{"reduced_motion": "reduce", **how},  # so that nothing is measured while it moves
        )
        person.add_init_script(WATCH_POLICY)
        person.set_default_timeout(PATIENCE)
        return person

    def page(self, person: Any, address: str, script: str = "") -> Any:
        """Open one more tab of a person."""
        page = person.new_page()
        self._listen(page)
        if script:
            page.add_init_script(script)
        page.goto(address)
        return page

    def open(self, address: str, *, script: str = "", **how: Any) -> Any:
        """Open a page as a new person, and wait until it shows something to read."""
        page = self.page(self.person(**how), address, script)
        page.wait_for_selector("h1")
        return page

    def open_seated(self, address: str, empty: str, *, script: str, **how: Any) -> Any:
        """Open a page in a seat, unless somebody like that sits: a new browser takes longer.

        `empty` is a page of the same site.
        """
        who = str(sorted(how.items()))
        if who in self._taken:
            return self.open(address, script=script, **how)
        seat = self._seats.pop(who, None) or Seat(self._person(**how), empty)
        self._taken[who] = seat
        self._listen(seat.page)
        seat.open(address, script)
        seat.page.wait_for_selector("h1")
        return seat.page

    def leave(self, page: Any) -> None:
        """Let somebody else like that sit where the page was opened."""
        self._leave(next(who for who, seat in self._taken.items() if seat.page is page))

    def _leave(self, who: str, *, for_good: bool = False) -> None:
        seat = self._taken.pop(who)
        self._stop_listening(seat.page)
        if for_good or not seat.is_as_before:
            seat.page.context.close()
        else:
            seat.leave()
            self._seats[who] = seat

    def _listen(self, page: Any) -> None:
        page.on("console", self._hear)
        page.on("pageerror", self._see)

    def _stop_listening(self, page: Any) -> None:
        page.remove_listener("console", self._hear)
        page.remove_listener("pageerror", self._see)

    def _hear(self, said: Any) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)

    def _see(self, error: Any) -> None:
        self.complaints.append(str(error))

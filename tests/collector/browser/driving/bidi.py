"""Firefox as it comes, driven by WebDriver BiDi: what a person does on one page, and what it logs.

Playwright drives a Firefox of its own only; the standard needs nothing but a WebSocket.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from websockets.sync.client import ClientConnection, connect

SECONDS = 30
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
KEYS = {"Home": "\ue011", "ArrowDown": "\ue015", "Enter": "\ue007", "Tab": "\ue004"}


class Firefox:
    """A running browser with one window."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers = socket, count(1)
        self.logged: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self.window = self._send("browsingContext.create", type="tab")["context"]
        size = {"width": 360, "height": 740}
        self._send("browsingContext.setViewport", context=self.window, viewport=size)

    def open(self, address: str) -> None:
        """Open a page."""
        self._send("browsingContext.navigate", context=self.window, url=address, wait="complete")

    def reload(self) -> None:
        """Load the page again."""
        self._send("browsingContext.reload", context=self.window, wait="complete")

    def run(self, script: str) -> Any:
        """Return what an expression of the page is, as JSON has it."""
        told = self._send(
            "script.evaluate",
            expression=f"Promise.resolve({script}).then((found) => JSON.stringify(found ?? null))",
            target={"context": self.window},
            awaitPromise=True,
        )
        assert told["type"] == "success", told["exceptionDetails"]["text"]
        return json.loads(told["result"]["value"])

    def until(self, condition: str) -> None:
        """Wait until something is so on the page."""
        end = monotonic() + SECONDS
        while not self.run(f"Boolean({condition})"):
            assert monotonic() < end, f"never: {condition}\n" + "\n".join(self.logged)
            sleep(0.05)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        pressed = [KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": key} for key in pressed for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": steps})

    def click(self, selector: str) -> None:
        """Click into the middle of an element."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{element}.scrollIntoView({{block: 'center'}})")
        box = self.run(f"{element}.getBoundingClientRect().toJSON()")
        where = {"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + box["height"] / 2)}
        steps = [
            {"type": "pointerMove", **where},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def _act(self, source: dict[str, Any]) -> None:
        self._send("input.performActions", context=self.window, actions=[source])

    def _send(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._socket.recv(timeout=SECONDS))
            if told.get("method") == "log.entryAdded":
                entry = told["params"]
                self.logged.append(f"{entry['level']}: {entry['text']}")
            elif told.get("id") == number:
                assert told["type"] == "success", f"{method}: {told.get('message')}"
                return told["result"]


@contextmanager
def firefox(program: str, folder: Path) -> Iterator[Firefox]:
    """Run a browser with a new profile while the block lasts."""
    command = [program, "--headless", "--no-remote", "--remote-debugging-port", "0"]
    log = folder / "log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*command, "--profile", folder, "about:blank"],
            stdout=written,
            stderr=written,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_CRASHREPORTER_DISABLE": "1"},
        )
    try:
        with connect(f"{_address(process, log)}/session", max_size=None) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        process.wait(SECONDS)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = monotonic() + SECONDS
    while monotonic() < end:
        found = LISTENS.search(log.read_text(errors="replace"))
        if found:
            return found[1]
        assert process.poll() is None, log.read_text(errors="replace")
        sleep(0.1)
    raise TimeoutError(log.read_text(errors="replace"))

"""A device that answers, in a process that a test kills.

What it would send goes to a pipe: as far as the outside knows, it has left the device.
"""

import os
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from hushrank.collector.device.connection import Asking, Where
from hushrank.collector.device.device import Device
from hushrank.collector.device.memory import FileMemory

ORDER = ("coffee", "tea", "juice", "water")


class Written:
    """Answers from a file, and writes what is sent."""

    origin = "https://survey.example.org"

    def __init__(self, given: Path, said: Connection | None = None) -> None:
        self._given, self._said = msgspec.json.decode(given.read_bytes()), said

    def announcement(self, survey: str) -> bytes:
        return self._given["announcement"].encode()

    def where(self, survey: str) -> Where:
        return Where("open", 0, None)

    def join(self, survey: str, asking: Asking) -> bytes:
        self.say(f"joins {asking.person} {asking.lot}")
        return self._given["assignment"].encode()

    def send(self, upload: bytes) -> str:
        self.say(f"sends {upload.decode()}")
        return "ab"

    def say(self, words: str) -> None:
        if self._said:
            os.write(self._said.fileno(), f"{words}\n".encode())


def answer(memory: Path, given: Path, survey: str, said: Connection) -> None:
    """Join, answer and send, all of it again and again."""
    connection = Written(given, said)
    connection.say("ready")
    while True:
        device = Device(connection, FileMemory(memory))
        device.join(survey)
        device.answer(survey, ORDER)
        device.send(survey)

"""The organiser's language: words, numbers and times, from one JSON file for each language."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import Any

from starlette.requests import Request

_FOLDER = Path(__file__).parent / "strings"
DEFAULT = "en"
COOKIE = "hushrank-language"
_COMMA_LANGUAGES = ("de",)
_COMMA_FOR_POINT = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class ShownTime:
    """A time in UTC, as templates show it."""

    utc: datetime

    def __html__(self) -> str:
        """Return the element of a time; nothing in it needs to be escaped."""
        exactly, plainly = f"{self.utc:%Y-%m-%dT%H:%M:%SZ}", f"{self.utc:%Y-%m-%d %H:%M UTC}"
        return f'<time datetime="{exactly}">{plainly}</time>'


@dataclass(frozen=True)
class Words:
    """The words of one language; a key that has none is an error of ours, and raises KeyError."""

    language: str
    strings: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """Return the words of a key, with values in its {places}.

        Numbers are written as people write them. With a whole number `n`, `key.one` and `key.other`
        are taken where there are such.
        """
        return self._words_of(key, values).format(**self._shown(values))

    def number(self, number: float, digits: int = 0) -> str:
        """Return a number with separators between thousands."""
        return self.numeral(f"{number:,.{digits}f}")

    def numeral(self, plain: str) -> str:
        """Return a numeral that is rounded already, with the signs of the language."""
        return plain.translate(_COMMA_FOR_POINT) if self.language in _COMMA_LANGUAGES else plain

    def percent(self, share: float) -> str:
        """Return a share in whole per cent."""
        return f"{self.number(100 * share)}\N{NO-BREAK SPACE}%"

    def between(self, low: float, high: float) -> str:
        """Return an interval of shares in whole per cent, never narrower than it is."""
        least, most = self.number(floor(100 * low)), self.number(ceil(100 * high))
        return f"{least}\N{EN DASH}{most}\N{NO-BREAK SPACE}%"

    def time(self, moment: datetime) -> "ShownTime":
        """Return a time that the page's module shows in the reader's own zone."""
        return ShownTime(moment.astimezone(UTC))

    def _words_of(self, key: str, values: Mapping[str, Any]) -> str:
        if isinstance(values.get("n"), int):
            form = "one" if values["n"] == 1 else "other"
            return self.strings.get(f"{key}.{form}") or self.strings[key]
        return self.strings[key]

    def _shown(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._text(value) for name, value in values.items()}

    def _text(self, value: Any) -> Any:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return self.number(value) if is_number else value


@cache
def words_in(language: str) -> Words:
    """Return the words of one of `languages`."""
    return Words(language, json.loads((_FOLDER / f"{language}.json").read_text("utf-8")))


@cache
def languages() -> Mapping[str, str]:
    """Return the languages that there are: code to name."""
    found = sorted(path.stem for path in _FOLDER.glob("*.json"))
    return {code: words_in(code)("language.name") for code in found}


def language_of(request: Request) -> str:
    """Return the language that an organiser chose, or the one that their browser prefers."""
    asked = request.headers.get("accept-language", "").split(",")
    preferred = [each.partition(";")[0].strip().partition("-")[0].lower() for each in asked]
    chosen = [request.query_params.get("lang", ""), request.cookies.get(COOKIE, "")]
    known = languages()
    return next((each for each in (*chosen, *preferred) if each in known), DEFAULT)

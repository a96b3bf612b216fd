"""Announcements with texts of every kind, of which some cannot be shown, for two languages."""

import json
import re
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any
from unicodedata import ucd_3_2_0

TEXTS = ("id", "series", "title", "protocol", "asked_by", "purpose", "contact", "privacy_notice")
LANGUAGES = ("en", "gsw", "pt-BR", "sr-Latn", "", "x", "engl", "EN", "en-", "en-1", "en_GB", " en")
DAYS = (
    *("2027-01-31", "2028-02-29", "2027-02-29", "2100-02-29", "2027-04-31", "2027-00-01"),
    *("0001-01-01", "9999-12-31", "0000-01-01", "2027-13-01", "27-04-30", "+2027-04-30", ""),
)
HOURS = (
    *("18:00:00", "23:59:59", "24:00:00", "18:60:00", "18:00:60", "18:00", "1:00:00", ""),
    *("18:00:00.000001", "18:00:00.000000", "18:00:00.5", "18:00:00.1234567", "18:00:00,000001"),
)
ZONES = ("Z", "z", "", "+00:00", "-00:00", "+05:45", "-23:59", "+24:00", "+01:60", "+0100", " Z")
NEVER_CHARACTERS = ("\ufdd0", "\uffff", "\U0010ffff")


def announcements(told: dict[str, Any]) -> Iterator[str]:
    """Yield the JSON of an announcement with a field changed, as compact as a collector's."""
    for changes in _changes():
        json_of = json.dumps(told | changes, ensure_ascii=False, separators=(",", ":"))
        yield re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):x}", json_of)


def _changes() -> Iterator[dict[str, Any]]:
    for character in _characters():
        yield {"title": f"a{character}b"}
        yield _first_item(name=character)
    lengths = (1, 200, 201, 500, 501, 5000, 5001)
    long = [letter * n for letter, n in product("x🥛", lengths)]
    for text in (*long, "", " ", "a\nb", "a\0", "\xa0", "\u202eba", "\ud800", "\U000f0000"):
        yield from ({name: text} for name in TEXTS)
        yield from (_first_item(name=text), _first_item(name="tea", description=text))
    yield from ({"language": each} for each in LANGUAGES)
    times = product(DAYS, "Tt ", HOURS, ZONES)
    yield from ({"closes": "".join(parts)} for parts in times)
    yield from ({"smallest_group": n} for n in (0, 1, 2, 10**6, 10**6 + 1))
    yield from (
        {"items": [{"name": f"{n}"} for n in range(most)]} for most in (0, 1, 2, 1000, 1001)
    )


def _first_item(**item: str) -> dict[str, Any]:
    return {"items": [item, {"name": "another"}]}


def _characters() -> list[str]:
    """Return all that are never shown, and some others.

    They are of the oldest Unicode that Python has tables of: of what is newer, each side knows what
    its own version has.
    """
    every = [each for each in map(chr, range(sys.maxunicode + 1)) if _kind(each) != "Cn"]
    unseen = [each for each in every if not each.isprintable() and _kind(each) not in ("Co", "Cs")]
    return [*unseen, *every[::100], *NEVER_CHARACTERS]


def _kind(character: str) -> str:
    return ucd_3_2_0.category(character)

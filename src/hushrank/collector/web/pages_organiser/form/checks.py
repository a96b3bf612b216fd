"""Make a draft of what was typed, or say beside each field what is wrong."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hushrank.collector.draft import (
    MOST_ITEMS,
    MOST_ORIGINS,
    MOST_PEOPLE,
    MOST_PICTURE_BYTES,
    Draft,
    digest_of,
    make_draft,
    mark_of,
    picture_type,
)
from hushrank.collector.rounds import replay
from hushrank.collector.web.pages_organiser.form.options import FIELDS, typed_number
from hushrank.collector.web.pages_organiser.form.typed import Typed, TypedItem
from hushrank.errors import HushrankError
from hushrank.protocols.registry import DEFAULT, PROTOCOLS

LONGEST_LINE, LONGEST_TEXT, LONGEST_DESCRIPTION = 200, 5000, 500


@dataclass(frozen=True)
class Wrong:
    """What is wrong with a field: a key of the words, and what fills their places."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Checked:
    """What became of a form: a draft with its new pictures, or what is wrong by field."""

    draft: Draft | None
    pictures: Mapping[str, bytes]
    wrong: Mapping[str, Wrong]


async def check(typed: Typed, *, earlier: Draft | None, now: datetime) -> Checked:
    """Make a draft of a form. `earlier`: the draft that it stands for, whose pictures are kept."""
    checks = _Checks(typed, earlier, now)
    plain = checks.plain()
    if earlier is not None and typed["draft"] != mark_of(earlier):
        checks.wrong["form"] = Wrong("wrong.changed")
    draft = None
    if not checks.wrong:
        try:
            draft = make_draft(plain)
        except HushrankError as error:
            checks.wrong["form"] = Wrong("wrong.form", {"words": str(error)})
    if draft is not None and (refusal := await _cannot_begin(draft)):
        checks.wrong["protocol"] = Wrong("wrong.protocol", {"words": refusal})
    wrong = checks.wrong
    return Checked(None if wrong else draft, checks.pictures, wrong)


async def _cannot_begin(draft: Draft) -> str | None:
    """Say why the protocol does not take these items, if it does not."""
    try:
        await asyncio.to_thread(replay, draft, 0, ())
    except HushrankError as error:
        return str(error)
    return None


class _Checks:
    """One pass over a form, that collects what is wrong."""

    def __init__(self, typed: Typed, earlier: Draft | None, now: datetime) -> None:
        self._typed, self._earlier, self._now = typed, earlier, now
        self.wrong: dict[str, Wrong] = {}
        self.pictures: dict[str, bytes] = {}

    def plain(self) -> dict[str, Any]:
        """Return the fields of a draft, as far as they are right."""
        typed = self._typed
        lines = {name: self._line(name) for name in ("title", "asked_by", "contact")}
        texts = {name: self._text(name) for name in ("purpose", "privacy_notice")}
        return {
            **lines,
            **texts,
            "items": self._items(),
            "epsilon": self._epsilon(),
            "expected_people": self._whole("expected_people", 1, MOST_PEOPLE),
            "smallest_group": self._whole("smallest_group", 2, 10**6),
            "closes": self._closes(),
            "joining": self._one_of("joining", ("open", "invitations", "api")),
            "language": typed["language"] or "en",
            "protocol": self._one_of("protocol", tuple(FIELDS)),
            "options": self._options(),
            "allowed_origins": self._origins(),
        }

    def _line(self, name: str) -> str:
        text = " ".join(self._typed[name].split())
        if not text:
            self.wrong[name] = Wrong(f"wrong.{name}")
        elif len(text) > LONGEST_LINE:
            self.wrong[name] = Wrong("wrong.long", {"n": LONGEST_LINE})
        elif not text.isprintable():
            self.wrong[name] = Wrong("wrong.printable")
        return text

    def _text(self, name: str) -> str:
        text = self._typed[name].replace("\r\n", "\n").strip()
        if not text:
            self.wrong[name] = Wrong(f"wrong.{name}")
        elif len(text) > LONGEST_TEXT:
            self.wrong[name] = Wrong("wrong.long", {"n": LONGEST_TEXT})
        return text

    def _number(self, name: str, read: Callable[[str], Any]) -> Any:
        """Return a number, None where there is none: spaces and a decimal comma are taken."""
        try:
            return typed_number("".join(self._typed[name].split()).replace(",", "."), read)
        except ValueError:
            return None

    def _whole(self, name: str, low: int, high: int) -> int | None:
        found: int | None = self._number(name, int)
        if found is None or not low <= found <= high:
            self.wrong[name] = Wrong("wrong.whole", {"low": low, "high": high})
        return found

    def _epsilon(self) -> float | None:
        name = "epsilon_other" if self._typed["epsilon"] == "other" else "epsilon"
        found: float | None = self._number(name, float)
        if found is None or not 0.01 <= found <= 8:
            self.wrong["epsilon"] = Wrong("wrong.epsilon")
        return found

    def _closes(self) -> datetime | None:
        try:
            closes = self._typed.closes
        except (ValueError, OverflowError):
            self.wrong["closes"] = Wrong("wrong.time")
            return None
        if closes is not None and closes <= self._now:
            self.wrong["closes"] = Wrong("wrong.past")
        return closes

    def _one_of(self, name: str, known: Collection[str]) -> str:
        if self._typed[name] not in known:
            self.wrong[name] = Wrong("wrong.choice")
        return self._typed[name]

    def _options(self) -> dict[str, Any]:
        typed, options = self._typed, {}
        for option in FIELDS.get(typed["protocol"], ()):
            try:
                value = option.read(typed[option.field].strip())
            except ValueError:
                self.wrong[option.field] = Wrong("wrong.option")
                continue
            if value is not None:
                options[option.name] = value
        return options | self._unranked()

    def _unranked(self) -> dict[str, Any]:
        known = ("refused", "last", "unknown")
        meaning = self._one_of("unranked", known)
        if meaning in known[1:] and "unranked" not in _options_of(self._typed["protocol"]):
            self.wrong["unranked"] = Wrong("wrong.unranked", {"protocol": DEFAULT})
        return {} if meaning == "refused" else {"unranked": meaning}

    def _origins(self) -> list[str]:
        origins = [each.rstrip("/") for each in self._typed["allowed_origins"].split()]
        for each in origins[:MOST_ORIGINS]:
            try:
                make_draft({**_ANY, "allowed_origins": [each]})
            except HushrankError:
                self.wrong["allowed_origins"] = Wrong("wrong.origin", {"origin": each[:100]})
        return origins

    # --- items

    def _items(self) -> list[dict[str, Any]]:
        if self._typed.keeps_items and self._earlier is not None:
            return [_plain_item(i.name, i.description, i.picture) for i in self._earlier.items]
        rows = self._typed.items
        if not 2 <= len(rows) <= MOST_ITEMS:
            self.wrong["items"] = Wrong("wrong.items", {"n": MOST_ITEMS})
        names = Counter(row.name for row in rows)
        return [self._item(number, row, names) for number, row in enumerate(rows)]

    def _item(self, number: int, row: TypedItem, names: Counter[str]) -> dict[str, Any]:
        for part, wrong in (
            ("name", _wrong_name(row.name, names)),
            ("description", _too_long(row.description)),
            ("picture", _wrong_picture(row.picture)),
        ):
            if wrong is not None:
                self.wrong[f"item.{number}.{part}"] = wrong
                self.wrong.setdefault("items", Wrong("wrong.some_items"))
        picture = row.kept if row.kept in self._known_pictures() else None
        if row.picture is not None:
            picture = digest_of(row.picture)
            self.pictures[picture] = row.picture
        return _plain_item(row.name, row.description, picture)

    def _known_pictures(self) -> Collection[str]:
        items = () if self._earlier is None else self._earlier.items
        return {item.picture for item in items if item.picture}


def _plain_item(name: str, description: str | None, picture: str | None) -> dict[str, Any]:
    said = {"description": description or None, "picture": picture}
    return {"name": name} | {key: value for key, value in said.items() if value}


def _wrong_name(name: str, names: Counter[str]) -> Wrong | None:
    if not name:
        return Wrong("wrong.no_name")
    if len(name) > LONGEST_LINE:
        return Wrong("wrong.long", {"n": LONGEST_LINE})
    if not name.isprintable():
        return Wrong("wrong.printable")
    return Wrong("wrong.twice") if names[name] > 1 else None


def _too_long(description: str) -> Wrong | None:
    is_long = len(description) > LONGEST_DESCRIPTION
    return Wrong("wrong.long", {"n": LONGEST_DESCRIPTION}) if is_long else None


def _wrong_picture(picture: bytes | None) -> Wrong | None:
    if picture is None:
        return None
    if len(picture) > MOST_PICTURE_BYTES:
        return Wrong("wrong.large_picture", {"n": MOST_PICTURE_BYTES // 1000})
    try:
        picture_type(picture)
    except HushrankError:
        return Wrong("wrong.picture")
    return None


def _options_of(protocol: str) -> Collection[str]:
    return PROTOCOLS[protocol].options if protocol in PROTOCOLS else ()


_ANY: Mapping[str, Any] = {
    "title": "any",
    "items": [{"name": "one"}, {"name": "other"}],
    "asked_by": "any",
    "purpose": "",
    "contact": "any",
    "privacy_notice": "",
}
"""A draft in which one field can be tried."""

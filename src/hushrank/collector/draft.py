"""What an organiser fills in: one file, TOML or JSON, or the form on the organiser's page."""

import base64
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeAlias, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from hushrank.accounting.rounding import as_kept, within
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE, wrong_with
from hushrank.protocols.registry import (
    DEFAULT,
    NamedProtocol,
    ProtocolOptions,
    make_protocol,
)
from hushrank.surveys.handout import require_names

Joining: TypeAlias = Literal["open", "invitations", "api"]
"""How people take part: by one link, by a link of their own, through the organiser's own app."""

Form: TypeAlias = Literal["toml", "json"]
"""Of an organiser's file."""

Line: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, Meta(max_length=5000)]
Origin: TypeAlias = Annotated[str, Meta(max_length=300)]
"""Of a web site, as browsers write it: a host has at most 253 letters."""

LIVE = (
    *("max-entropy", "safari", "order", "pairs", "ldp-kwiksort-rr", "subset-order"),
    *("grr", "rappor", "sh", "olh"),
)
"""Protocols whose questions and reports have a wire form; plug-ins are tried when they open."""
MOST_ITEMS, MOST_ORIGINS, MOST_PEOPLE = 1000, 50, 10**9
MOST_MARKS, MOST_DOTS, MOST_BACKSLASHES = 2**17, 100, 2**20
"""Of a file, outside its texts: a thousand items in many lines have 60,000 marks and no dot. And of
backslashes, which stand in texts.
"""
MOST_PICTURE_BYTES = 300_000
PICTURE_TYPES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"RIFF": "image/webp",
    b"GIF8": "image/gif",
}
"""The first bytes of the pictures that are taken."""
MOST_HONEST_EPSILON = 8.0
"""Of a live survey: above it, a report is a confession."""
Honest: TypeAlias = Annotated[float, Meta(gt=0, le=MOST_HONEST_EPSILON)]
Smallest: TypeAlias = Annotated[int, Meta(ge=2, le=10**6)]
_MARKS_AND_A_TEXT = re.compile(
    r"""([^\s"'#]*+)                            # marks; then a text, a comment or a blank:
    (?:"{3}(?:[^"\\]+|\\.|"(?!""))*+"{0,5}     # a text that does not end goes on to the end, as
    |'{3}(?:[^']+|'(?!''))*+'{0,5}            # parsers read nothing behind it
    |"(?:[^"\\]+|\\.)*+"?
    |'[^']*+'?
    |\#[^\n]*+
    |\s++
    |\Z)""",
    re.DOTALL | re.VERBOSE,
)
Language: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,8})?$(?!\n)")]
"""A tag such as `de` or `pt-BR`; in Python `$` alone admits a line's end, which browsers refuse."""


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing to rank. `picture`: the SHA-256 of its bytes, in hexadecimal."""

    name: Line
    description: Annotated[str, Meta(max_length=500)] | None = None
    picture: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None


Items: TypeAlias = Annotated[tuple[Item, ...], Meta(min_length=2, max_length=MOST_ITEMS)]


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A survey as its organiser wants it.

    epsilon: the most that taking part costs a person over all rounds, in nats, at most 8.
    expected_people: how many are expected; only chooses what is asked. smallest_group: of how few
    reports no result is shown. closes: when the first round ends, UTC; None until told.
    options: of the protocol, as `hushrank.collect` takes them. allowed_origins: other web sites
    whose pages may embed the survey.
    """

    title: Line
    items: Items
    asked_by: Line
    purpose: Text
    contact: Line
    privacy_notice: Text
    epsilon: Honest = 1.0
    expected_people: Annotated[int, Meta(ge=1, le=MOST_PEOPLE)] = 300
    smallest_group: Smallest = 20
    closes: datetime | None = None
    joining: Joining = "open"
    language: Language = "en"
    protocol: str = DEFAULT
    options: dict[str, str | int | float | bool] = {}
    allowed_origins: Annotated[tuple[Origin, ...], Meta(max_length=MOST_ORIGINS)] = ()

    def __post_init__(self) -> None:
        """Check what the types cannot say; HushrankError in words, as msgspec passes them on."""
        require_shown(self.items, self.title, self.asked_by, self.contact)
        zoned = self.closes is None or self.closes.tzinfo is not None
        require(zoned, "closes: expected a time with its zone, such as 2027-01-31T18:00:00Z")
        in_utc(self.closes)
        origins = all(map(_is_origin, self.allowed_origins))
        require(origins, "allowed_origins: expected such as https://example.org")
        self.named_protocol  # noqa: B018 (its options are checked)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the items."""
        return tuple(item.name for item in self.items)

    @property
    def named_protocol(self) -> NamedProtocol:
        """The protocol with its options settled."""
        return make_protocol(self.protocol, cast(ProtocolOptions, self.options))

    @property
    def closes_utc(self) -> datetime | None:
        """When the first round ends, in UTC."""
        return in_utc(self.closes)


def require_shown(items: Items, *lines: str) -> None:
    """Raise HushrankError unless the items' names are distinct, and they and lines can be shown."""
    require_names([item.name for item in items])
    require(all(map(str.isprintable, lines)), "expected lines of printable characters")


def in_utc(closes: datetime | None) -> datetime | None:
    """Return a time in UTC, which one without a zone is taken to be in.

    Raises HushrankError where it lies before the year 1 there, or after 9999.
    """
    if closes is None or closes.tzinfo is None:
        return closes and closes.replace(tzinfo=UTC)
    try:
        return closes.astimezone(UTC)
    except OverflowError:
        raise HushrankError("closes: expected a time of the years 1 to 9999 in UTC") from None


def read_draft(text: bytes | str, *, form: Form) -> tuple[Draft, dict[str, bytes]]:
    """Read a draft and its pictures, by their digests, from an organiser's file.

    An item's `picture` is a data URL there, such as `data:image/png;base64,...`, so that one file
    holds all. Raises HushrankError that names the field.
    """
    decode = msgspec.toml.decode if form == "toml" else msgspec.json.decode
    try:
        _require_brief(text if isinstance(text, str) else text.decode(), form)
        plain = decode(text)
    except UNREADABLE as error:
        raise HushrankError(f"expected a survey as {form.upper()}: {wrong_with(error)}") from None
    pictures: dict[str, bytes] = {}
    require(isinstance(plain, dict), "expected the fields of a survey, such as title and items")
    items = plain.get("items")
    if isinstance(items, list):
        plain["items"] = [_item_of(item, pictures) for item in items]
    return make_draft(plain), pictures


def _require_brief(text: str, form: Form) -> None:
    """Raise ValueError unless a file has few marks outside its texts, before it is parsed.

    tomllib takes time and memory quadratic in the parts of a dotted key: seconds and gigabytes for
    40 kB; and a step of Python for each backslash. Parsers of TOML and JSON make an object of every
    two or three marks, but one of a text.
    """
    if form == "toml" and text.count("\\") > MOST_BACKSLASHES:
        raise ValueError(f"more than {MOST_BACKSLASHES:,} backslashes")
    n_marks = n_dots = 0
    for found in _MARKS_AND_A_TEXT.finditer(text):
        n_marks += len(found[1]) + 1
        n_dots += found[1].count(".")
        if n_marks > MOST_MARKS or n_dots > MOST_DOTS:
            raise ValueError(f"more than {MOST_MARKS:,} marks or {MOST_DOTS} dots outside texts")


def make_draft(plain: Mapping[str, Any]) -> Draft:
    """Return the draft of these fields; raise HushrankError that names those that are wrong.

    epsilon: as it is written, so 0.1 is a little less than the float.
    """
    missing = [each.name for each in msgspec.structs.fields(Draft) if each.required]
    missing = [name for name in missing if name not in plain]
    require(not missing, f"the survey does not fit: it lacks {', '.join(missing)}")
    told = plain.get("epsilon")
    settled = {"epsilon": within(told)} if isinstance(told, float) else {}
    try:
        return msgspec.convert(dict(plain) | settled, Draft)
    except msgspec.MsgspecError as error:
        raise HushrankError(f"the survey does not fit: {wrong_with(error)}") from None


def write_draft(draft: Draft, pictures: Mapping[str, bytes], *, form: Form) -> bytes:
    """Return the organiser's file from which `read_draft` makes the same draft and pictures."""
    plain = msgspec.to_builtins(draft, builtin_types=(datetime,) if form == "toml" else ())
    if "epsilon" in plain:
        plain["epsilon"] = as_kept(draft.epsilon)
    for item in plain["items"]:
        if item.get("picture"):
            item["picture"] = _data_url(pictures[item["picture"]])
    if form == "toml":
        return msgspec.toml.encode(plain)
    return msgspec.json.format(msgspec.json.encode(plain), indent=2)


def picture_type(picture: bytes) -> str:
    """Return the media type of a picture by its first bytes.

    Raises HushrankError for other files (drawings that may hold scripts among them), and for more
    than 300,000 bytes.
    """
    small = len(picture) <= MOST_PICTURE_BYTES
    require(small, f"expected a picture of at most {MOST_PICTURE_BYTES:,} bytes")
    found = [kind for start, kind in PICTURE_TYPES.items() if picture.startswith(start)]
    is_webp = found != ["image/webp"] or picture[8:12] == b"WEBP"
    require(found and is_webp, "expected a picture as PNG, JPEG, WebP or GIF")
    return found[0]


def mark_of(draft: Draft) -> str:
    """Return what tells a draft from every other one: the SHA-256 of all that it says."""
    return sha256(msgspec.json.encode(draft)).hexdigest()


def digest_of(picture: bytes) -> str:
    """Return the name of a picture: the SHA-256 of its bytes, in hexadecimal."""
    return sha256(picture).hexdigest()


def _item_of(item: Any, pictures: dict[str, bytes]) -> Any:
    """Return an item as `Draft` has it: text alone is a name, a picture its digest."""
    if isinstance(item, str):
        return {"name": item}
    if not isinstance(item, dict) or not isinstance(item.get("picture"), str):
        return item
    _, found, encoded = item["picture"].partition(";base64,")
    try:
        picture = base64.b64decode(encoded, validate=True)
    except ValueError:  # letters that base64 has not, or that are no ASCII
        picture = b""
    wrong = "items: expected each picture as a data URL, such as data:image/png;base64,..."
    require(found and picture, wrong)
    picture_type(picture)
    pictures[digest_of(picture)] = picture
    return {**item, "picture": digest_of(picture)}


def _data_url(picture: bytes) -> str:
    return f"data:{picture_type(picture)};base64,{base64.b64encode(picture).decode()}"


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    whole = f"{parts.scheme}://{parts.netloc}"
    known = parts.scheme in ("https", "http") and bool(parts.hostname)
    return has_port and known and text == whole and text.isascii()

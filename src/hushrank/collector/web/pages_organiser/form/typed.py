"""What stands in the form: typed just now, or taken from a draft."""

from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from starlette.datastructures import FormData, UploadFile

from hushrank.accounting.rounding import as_kept
from hushrank.accounting.words import as_given
from hushrank.collector.draft import MOST_ITEMS, Draft, Item, picture_type
from hushrank.collector.web.pages_organiser.form.options import FIELDS
from hushrank.errors import HushrankError

MOST_ROWS = 150
"""Of more items the form takes a pasted list only: a browser sends a part for every field."""
MOST_PASTED = 10 * MOST_ITEMS
"""Lines that are shown again where they are too many items."""
EPSILONS = (0.5, 1.0, 2.0, 4.0)
"""Those that the form describes in words."""
OTHER = "other"
EMPTY_ROWS = 3


@dataclass(frozen=True, repr=False)
class TypedItem:
    """A row of the form. `kept`: the digest of a picture that the survey has already."""

    name: str = ""
    description: str = ""
    kept: str = ""
    picture: bytes | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed in the row: whoever clears its text removes the item."""
        return not (self.name or self.description or self.picture)

    @property
    def data_url(self) -> str:
        """The new picture, to be shown and sent again; empty where it is none."""
        if self.picture is None:
            return ""
        try:
            kind = picture_type(self.picture)
        except HushrankError:
            return ""
        return f"data:{kind};base64,{b64encode(self.picture).decode()}"


@dataclass(frozen=True, repr=False)
class Typed:
    """The fields of the form, as text, and its rows of items.

    keeps_items: the survey has more items than rows can show, and none was pasted in their place.
    """

    fields: Mapping[str, str]
    items: tuple[TypedItem, ...] = ()
    keeps_items: bool = field(default=False)

    def __getitem__(self, name: str) -> str:
        """Return what stands in a field."""
        return self.fields.get(name, "")

    @property
    def rows(self) -> tuple[TypedItem, ...]:
        """The rows to show: some empty ones where there are few."""
        if self.keeps_items or len(self.items) > MOST_ROWS:
            return ()
        n_empty = EMPTY_ROWS if not self.items else 0
        return self.items + (TypedItem(),) * n_empty

    @property
    def pasted(self) -> str:
        """The items as a list, where they are more than rows can show."""
        many = self.items if len(self.items) > MOST_ROWS else ()
        return "\n".join(f"{each.name}\t{each.description}".rstrip() for each in many)

    @property
    def closes(self) -> datetime | None:
        """The closing time in UTC, None where there is none. Raises ValueError for other text."""
        if not self["closes"]:
            return None
        local = datetime.fromisoformat(self["closes"])
        if local.tzinfo is None:
            minutes = int(self["closes_offset"] or "0")
            local = local.replace(tzinfo=UTC) + timedelta(minutes=minutes)
        return local.astimezone(UTC)

    @property
    def epsilon(self) -> str:
        """The epsilon that was chosen, or typed."""
        return self["epsilon_other"] if self["epsilon"] == OTHER else self["epsilon"]


def blank(fields: Mapping[str, str]) -> Typed:
    """Return the form of a new survey, with these texts to begin with."""
    begun = {
        "epsilon": "1",
        "expected_people": "300",
        "smallest_group": "20",
        "joining": "open",
        "unranked": "refused",
        "protocol": "max-entropy",
    }
    return Typed(begun | dict(fields))


async def typed_in(form: FormData) -> Typed:
    """Return what was typed; pictures are read. Of very many items that are pasted, some."""
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    rows = [each async for each in _rows(form)]
    pasted = filter(str.strip, fields.pop("pasted", "").splitlines())
    shown = map(_pasted, islice(pasted, MOST_PASTED))
    items = tuple(each for each in (*rows, *shown) if not each.is_empty)
    return Typed(fields, items, bool(fields.get("keeps_items")) and not items)


def typed_of(draft: Draft) -> Typed:
    """Return the form as it stands for a draft."""
    known, epsilon = draft.epsilon in EPSILONS, as_given(as_kept(draft.epsilon))
    fields = {
        name: str(getattr(draft, name))
        for name in (
            *("title", "asked_by", "purpose", "contact", "privacy_notice", "expected_people"),
            *("smallest_group", "joining", "language", "protocol"),
        )
    }
    fields |= {
        "epsilon": epsilon if known else OTHER,
        "epsilon_other": "" if known else epsilon,
        "closes": draft.closes_utc.strftime("%Y-%m-%dT%H:%M") if draft.closes_utc else "",
        "unranked": str(draft.options.get("unranked", "refused")),
        "allowed_origins": "\n".join(draft.allowed_origins),
    }
    for option in FIELDS.get(draft.protocol, ()):
        fields[option.field] = option.write(draft.options.get(option.name))
    if len(draft.items) > MOST_ROWS:
        return Typed(fields, (), keeps_items=True)
    return Typed(fields, tuple(map(_row_of, draft.items)))


def _row_of(item: Item) -> TypedItem:
    return TypedItem(item.name, item.description or "", item.picture or "")


async def _rows(form: FormData) -> AsyncIterator[TypedItem]:
    """Yield the rows of items in their order, each with the picture that was put there."""
    names, files = form.getlist("item_name"), form.getlist("item_picture")
    texts = {name: form.getlist(name) for name in ("item_description", "item_kept", "item_data")}
    dropped = set(form.getlist("item_drop"))
    for number, name in enumerate(names):
        found = {key: _text_at(values, number) for key, values in texts.items()}
        row = TypedItem(str(name).strip(), found["item_description"].strip(), found["item_kept"])
        row = replace(row, picture=_from_data_url(found["item_data"]))
        upload = files[number] if number < len(files) else ""
        if isinstance(upload, UploadFile) and upload.filename:
            row = replace(row, kept="", picture=await upload.read())
        elif str(number) in dropped:
            row = replace(row, kept="", picture=None)
        yield row


def _text_at(values: list[UploadFile | str], number: int) -> str:
    found = values[number] if number < len(values) else ""
    return found if isinstance(found, str) else ""


def _pasted(line: str) -> TypedItem:
    """Take a name, and a description behind a tab or a bar between spaces."""
    name, _, description = line.partition("\t" if "\t" in line else " | ")
    return TypedItem(name.strip(), description.strip())


def _from_data_url(text: str) -> bytes | None:
    _, found, encoded = text.partition(";base64,")
    if not found:
        return None
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return None

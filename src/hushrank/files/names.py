"""Names of items: made distinct, put in order, checked before they are written."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from hushrank.errors import require

ROUNDED_NUMBER = (
    r"-?(?:\d[.,]\d+[eE](?:\+\d+|[7-9]|[1-9]\d+)|\d[eE]\+(?:1[1-9]|[2-9]\d|\d{3,})|\d{16,}[.,]0)"
)
"""How large numbers are written that `is_rounded` tells.

Java has no plus, from 1.0E7 on; spreadsheets say 1E+11 of all numbers of twelve digits near it.
"""
_ROUNDED = re.compile(ROUNDED_NUMBER, re.ASCII)

NOBODY = (
    r"NULL|null|nil|none|NONE|None|NaN|nan|NaT|<?NA>?|n/a|N/A|undefined|\?+|-+|#+"
    r"|#(?:N/A|REF!|VALUE!|NAME\?|DIV/0!|NUM!|NULL!)"
)
"""What programs write where nothing is known, and spreadsheets where a formula failed.

People may be called Nan, Na, or Null.
"""
_NOBODY = re.compile(NOBODY)

MAY_LOOK_ALIKE = r"[@\t]|  |\.0|[^\x00-\x7F]"
"""A part that one of two texts that look alike has."""

MOST_MARKS = 30
"""On a letter, as Unicode's stream-safe texts have: to order more takes the square of their number.
"""

ROUNDED = "large numbers that are rounded, so that some may be one: write them as text"
NAMELESS = "values like NULL or NA, so that several people may be one: leave out who has no name"
ALIKE = "values that look alike, so that one person may be several: write each in one way"
MARKED = f"expected texts of at most {MOST_MARKS} marks on a letter"

_WITH_POINT = re.compile(r"([+-]?\d+)\.0+")
_MAY_LOOK_ALIKE = re.compile(MAY_LOOK_ALIKE)


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Number repeated names: a, a, a become a, a (2), a (3); numbers that are names are skipped."""
    taken = set(names)
    seen: dict[str, Iterator[int]] = {}
    distinct = []
    for name in names:
        unique = name
        if name in seen:
            unique = next(new for n in seen[name] if (new := f"{name} ({n})") not in taken)
        else:
            seen[name] = count(2)
        distinct.append(unique)
    return tuple(distinct)


def natural_order(texts: Iterable[str]) -> tuple[str, ...]:
    """Sort distinct texts, those that are whole numbers first and by their size."""

    def key(text: str) -> tuple[bool, int, str]:
        is_number = text.isascii() and text.isdigit() and len(text) <= 18
        return not is_number, int(text) if is_number else 0, text

    return tuple(sorted(set(texts), key=key))


def is_number(text: str) -> bool:
    """Tell a number, which is hardly the name of a column."""
    return re.fullmatch(r"[+-]?\d+(?:[.,]\d+)?", text) is not None


def is_rounded(text: str) -> bool:
    """Tell what floating point makes of large whole numbers: several of them may be one.

    It does where one cell beside them is empty. R writes 100000 as 1e+05, which is exact.
    """
    return _ROUNDED.fullmatch(text) is not None


def is_nobody(text: str) -> bool:
    """Tell what programs write where nobody is named: several people may be called so."""
    return _NOBODY.fullmatch(text) is not None


def look_alike(texts: Sequence[str]) -> tuple[int, int] | None:
    """Return where two of the distinct texts look alike: whom they name, they may name twice.

    They differ in signs without width, in blanks, in how letters are composed, in the case of an
    address of mail, or as 7 and 7.0 do. None where no two do.
    """
    may_be = _MAY_LOOK_ALIKE.search("\n".join(texts)) is not None
    looks = [as_it_looks(text) for text in texts] if may_be else []
    if len(set(looks)) == len(looks):
        return None
    first: dict[str, int] = {}
    pairs = ((first.setdefault(look, n), n) for n, look in enumerate(looks))
    return next(pair for pair in pairs if pair[0] != pair[1])


def as_it_looks(text: str) -> str:
    """Return the one way in which to write all texts that look like this one.

    Raises HushrankError where a letter has more marks than any language writes.
    """
    if not text.isascii():
        seen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
        require(not _has_many_marks(seen), MARKED)
        text = unicodedata.normalize("NFC", seen)
    text = " ".join(text.split())
    if "@" in text:
        return text.lower()
    whole = _WITH_POINT.fullmatch(text)
    return text if whole is None else whole[1]


def _has_many_marks(text: str) -> bool:
    if len(text) <= MOST_MARKS:
        return False
    are_marks = "".join("1" if unicodedata.combining(sign) else "0" for sign in text)
    return "1" * (MOST_MARKS + 1) in are_marks


def require_plain_names(names: Sequence[str]) -> None:
    """Raise HushrankError unless a line of text can hold each name and give it back."""
    for number, name in enumerate(names, start=1):
        is_plain = name == name.strip() != "" and not re.search("[\0\r\n\ufeff\ud800-\udfff]", name)
        require(is_plain, f"expected a name of one line without outer blanks for item {number}")

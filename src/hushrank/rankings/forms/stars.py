"""Scores that are no plain numbers: ★★★☆☆, *****, 4 stars, 4/5."""

import re
from collections.abc import Iterable

from hushrank.files.columns import Column
from hushrank.rankings.forms.places import is_no_vote

_SIGNS = re.compile(r"([★⭐✭✮✯🌟*]{1,10})[☆✩✰·.\-]{0,10}")
_NONE = re.compile(r"[☆✩✰]{1,10}")
_PERHAPS = re.compile(r"[★⭐✭✮✯🌟☆✩✰*/a-z]", re.IGNORECASE)
_VARIANT = "\N{VARIATION SELECTOR-16}"
_NUMBER = r"(\d{1,3}(?:[.,]\d+)?)"
_WORDS = re.compile(
    rf"{_NUMBER}\s*(?:stars?|sterne?|étoiles?|estrellas?|[★⭐✭✮✯🌟*])", re.IGNORECASE
)
_OF = re.compile(rf"{_NUMBER}\s*(?:/|of|out of|von|sur|de|su|van)\s*(\d{{1,3}})", re.IGNORECASE)


def stars(text: str) -> str | None:
    """Return the number of stars that a text is or says; None for any other text."""
    plain = text.replace(_VARIANT, "").replace(" ", "")
    if signs := _SIGNS.fullmatch(plain):
        return str(len(signs[1]))
    if _NONE.fullmatch(plain):
        return "0"
    found = _WORDS.fullmatch(text)
    return found[1] if found else None


def are_stars(column: Column) -> bool:
    """Tell cells that say stars, of which the most are best."""
    return all(stars(text) for text in column.texts if text and not is_no_vote(text))


def largest_of(columns: Iterable[Column]) -> set[str]:
    """Return the largest numbers that cells say: 5 of 4/5."""
    texts = (text for column in columns for text in column.texts)
    return {found[2] for text in texts if (found := _OF.fullmatch(text))}


def as_numbers(column: Column) -> Column:
    """Return a column with stars, and numbers of the same largest one, as numbers: 3 for 3/5."""
    if not _PERHAPS.search("\n".join(column.texts)):
        return column
    of = largest_of([column])
    return Column(column.codes, tuple(_number(text, len(of) == 1) for text in column.texts))


def _number(text: str, is_of_one: bool) -> str:
    found = _OF.fullmatch(text) if is_of_one else None
    return (found[1] if found else stars(text)) or text

"""Places as people write them: 1, 2., 3rd, fourth, "first choice", "Rank 2", "Zweite Wahl"."""

import re

_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
    "erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter",
    "première deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième",
    "premier second troisième quatrième cinquième sixième septième huitième neuvième dixième",
    "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
    "primer segundo tercer cuarto quinto sexto séptimo octavo noveno décimo",
)
_IN_WORDS = {word: place for words in _WORDS for place, word in enumerate(words.split(), start=1)}
_KIND = (
    r"(?:choice|preference|pref|place|rank(?:ing)?|position|pick|vote|favou?rite|wahl|platz|rang"
    r"|choix|préférence|opción|lugar)"
)
MOST_DIGITS = 9
_NUMBER = rf"(\d{{1,{MOST_DIGITS}}})(?:\.0*|st|nd|rd|th|er|e|º|ª|°)?"
_OF = r"(?:\s*(?:of|/)\s*\d+)?"
_WORD = rf"({'|'.join(_IN_WORDS)})"
_FLAGS = re.ASCII | re.IGNORECASE

_ORDINAL = re.compile(
    rf"\s*(?:(?:{_KIND}[\s_#:.]*|no\.?\s*|#\s*)?{_NUMBER}(?:\s*{_KIND})?{_OF}|{_WORD}(?:\s+{_KIND})?)\s*",
    _FLAGS,
)
_WITHIN = re.compile(
    rf"\b(?:(\d{{1,3}})(?:st|nd|rd|th|\.)\s+{_KIND}|{_KIND}[\s_#]*(\d{{1,3}}){_OF}|{_WORD}\s+{_KIND})\b",
    _FLAGS,
)
_PERHAPS_A_SCORE = re.compile(rf"\s*\d+\.?0*{_OF}\s*", _FLAGS)
_BRACKETED = re.compile(r"(.*)\[([^\[\]]+)\]\s*", re.DOTALL)


def ordinal(text: str) -> int | None:
    """Return the place that a text says and nothing else, None for any other text."""
    if text.isdecimal() and text.isascii():  # most cells of large files
        return int(text) if len(text) <= MOST_DIGITS else None
    found = _ORDINAL.fullmatch(text)
    if not found:
        return None
    return int(found[1]) if found[1] else _IN_WORDS[found[2].lower()]


def is_in_words(text: str) -> bool:
    """Tell a place that cannot be a score, such as 4 or 4/5: with a word, or as an ordinal."""
    if text.isdecimal():
        return False
    return ordinal(text) is not None and not _PERHAPS_A_SCORE.fullmatch(text)


def place_within(title: str) -> tuple[str, int] | None:
    """Return what a title says beside a place, and the place; None where it says none."""
    bracketed = _BRACKETED.fullmatch(title)
    if bracketed and (place := ordinal(bracketed[2])):
        return bracketed[1].strip(), place
    if place := ordinal(title):
        return "", place
    found = list(_WITHIN.finditer(title))
    if len(found) != 1:
        return None
    first, second, word = found[0].groups()
    place = _IN_WORDS[word.lower()] if word else int(first or second)
    rest = f"{title[: found[0].start()]} {title[found[0].end() :]}"
    return " ".join(rest.split()), place


def bracketed(title: str) -> tuple[str, str] | None:
    """Return question and part of `Question [part]`."""
    found = _BRACKETED.fullmatch(title)
    return (found[1].strip(), found[2].strip()) if found and found[2].strip() else None

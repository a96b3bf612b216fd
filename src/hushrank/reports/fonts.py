"""Fonts for names in any writing, of those that are installed: matplotlib's own has few of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font

REGULAR = 400
LAST_RESORT = "LastResort"
"""Has a box for every sign."""
_DRAWS_NOTHING = ("Cc", "Cf", "Mn", "Me", "Zs", "Zl", "Zp")
"""Kinds of signs that only change their neighbours, or are blank."""


def let_fonts_fall_back(figure: "Figure") -> frozenset[str]:
    """Let what matplotlib's font lacks be drawn with others; return the signs that none has.

    A figure whose font has all its signs stays as it is.
    Cost: every installed font is opened, once a process, if anything is lacking.
    """
    from matplotlib.text import Text

    texts = [each for each in figure.findobj(Text) if isinstance(each, Text)]
    lacking = _lacking(_own_font(), {sign for text in texts for sign in text.get_text()})
    chosen, nowhere = _chosen(lacking)
    for text in texts if chosen else ():
        text.set_fontfamily([*text.get_fontfamily(), *chosen])
    return nowhere


@lru_cache(maxsize=8)
def _chosen(lacking: frozenset[str]) -> tuple[Sequence[str], frozenset[str]]:
    """Return the families that have most of what is lacking, in turn, and what none of them has."""
    if not lacking:
        return (), lacking
    has = {name: lacking - _lacking(get_it(), lacking) for name, get_it in _installed()}
    chosen: list[str] = []
    while has:
        best = min(has, key=lambda name: (-len(has[name] & lacking), "Sans" not in name, name))
        if not has[best] & lacking:
            break
        chosen.append(best)
        lacking -= has[best]
    return chosen, lacking


def _lacking(font: "FT2Font", signs: Iterable[str]) -> frozenset[str]:
    visible = (sign for sign in signs if category(sign) not in _DRAWS_NOTHING)
    return frozenset(sign for sign in visible if not _draws(font, sign))


def _draws(font: "FT2Font", sign: str) -> bool:
    """Tell a sign that a font has an outline of; of emoji some have coloured layers alone."""
    return font.get_char_index(ord(sign)) != 0 and font.load_char(ord(sign)).width > 0


def _own_font() -> "FT2Font":
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    return FT2Font(findfont(FontProperties()))


def _installed() -> Iterator[tuple[str, Callable[[], "FT2Font"]]]:
    """Yield each family that is installed, and what opens its upright font of usual weight."""
    from matplotlib.font_manager import fontManager

    upright: dict[str, Any] = {}
    for entry in fontManager.ttflist:
        if LAST_RESORT in entry.name.replace(" ", ""):
            continue
        known = upright.get(entry.name)
        if known is None or _unusual(entry) < _unusual(known):
            upright[entry.name] = entry
    for name, entry in upright.items():
        yield name, partial(_opened, entry)


def _unusual(entry: Any) -> tuple[bool, float]:
    weight = entry.weight if isinstance(entry.weight, int) else REGULAR
    return entry.style != "normal", abs(weight - REGULAR)


def _opened(entry: Any) -> "FT2Font":
    """Open a font alone, without those that matplotlib would fall back on itself."""
    from matplotlib.ft2font import FT2Font

    index = getattr(entry, "index", 0)  # from matplotlib 3.11 on a file may hold several
    return FT2Font(entry.fname, face_index=index) if index else FT2Font(entry.fname)

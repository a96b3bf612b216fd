"""Which sources there are, and which of them can hold a table."""

from tests.rankings.neighbours.forms import STARS
from tests.rankings.neighbours.pieces import Pieces
from tests.rankings.neighbours.sources import SIGNS, Frame, Json, Sheet, Text

TEXTS = [
    Text(sign, quotes, end, encoding)
    for sign in (*[","] * 4, ";", *SIGNS)
    for quotes in ("where needed", "all", "none")
    for end in ("\n", "\n", "\r\n")
    for encoding in ("utf-8", "utf-8", "cp1252")
]
JSON = [
    Json(by_line, shape, extension)
    for shape in ("objects", "without empty", "arrays", "nested", "lists")
    for by_line, extension in ((False, "json"), (True, "jsonl"), (True, "txt"))
]
FRAMES = [*map(Frame, ("polars", "pandas", "pandas, its types", "pandas, objects"))]
PIECES = [*map(Pieces, (3, 1000))]


def source_of(header, random):
    """Draw a source that can hold such a header."""
    sheets = [Sheet(is_excel=True), Sheet(is_excel=False)]
    kinds = [TEXTS, sheets] + ([JSON, FRAMES, PIECES] if len(header) == 1 else [])
    kinds += [] if header else [[each for each in JSON if each.shape == "lists"]]
    return random.choice(random.choice(kinds))


def is_writable(source, rows):
    """Tell whether a source has the letters: stars are not in every encoding."""
    stars = any(STARS in str(cell) for row in rows for cell in row)
    return not (stars and isinstance(source, Text) and source.encoding != "utf-8")

"""Text of any common encoding, packed or not, as UTF-8; and what else a file is, as it begins."""

import codecs
import re
from gzip import GzipFile
from io import BytesIO

from msgspec import MsgspecError

from hushrank.errors import HushrankError, require

UNREADABLE = (MsgspecError, ValueError, RecursionError)
"""What decoders raise: of msgspec and json, of text in another encoding, of what nests too deep."""
MOST_TIMES = 100
"""Real ballots and activity are 20 times as large, a table with one cell of 200 filled 45."""
UNPACKED_ANYWAY = 2**24
"""Bytes of a file that may be any number of times as large as it was packed."""
MOST_SAID = 200
UTF8 = "UTF-8"
WINDOWS = "Windows-1252"

_GZIP = b"\x1f\x8b"
_MARKS = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_SIGNATURES = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"SQLite format 3", "an SQLite database"),
    (b"$FL2", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PAR1", "a Parquet file that is cut off"),
    (b"ARROW1", "an Arrow file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
)
_PAGE = re.compile(rb"\s*<(?:(?:!doctype\s+)?html|head|meta|body|table)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\b")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_OF_UTF8 = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
"""Letters of UTF-8: beside other bytes they are of files, or of cells, that were put together."""
_SAMPLE = 4096
READABLE = "expected a table or a text, such as CSV, Excel, OpenDocument, JSON or Parquet"


def wrong_with(error: Exception) -> str:
    """Return what a decoder says is wrong with a document, which it may quote at any length."""
    said = str(error)
    return said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}..."


def most_unpacked(content: bytes) -> int:
    """Return of how many bytes a packed file may be, so that a small one fills no memory."""
    return max(UNPACKED_ANYWAY, MOST_TIMES * len(content))


def unpacked(content: bytes) -> bytes:
    """Unpack what is gzipped; refuse, before it fills the memory, what is many times as large."""
    if not content.startswith(_GZIP):
        return content
    most = most_unpacked(content)
    with GzipFile(fileobj=BytesIO(content)) as file:
        found = file.read(most + 1)
    large = f"expected a gzip file of {MOST_TIMES} times its size at most: unpack it yourself"
    require(len(found) <= most, large)
    return found


def plain_text(content: bytes) -> tuple[bytes, str]:
    """Return a text as UTF-8 without a byte order mark, and the name of its encoding.

    Told by a byte order mark, by the zeros of UTF-16, by being UTF-8; what is left and has no
    control characters is Windows-1252, which the caller has to say aloud.
    Raises HushrankError when it is no text, saying what it is instead, or on which line it is none.
    """
    text, encoding = _as_utf8(content)
    _require_text(text)
    return text, encoding


def _as_utf8(content: bytes) -> tuple[bytes, str]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(_without_marks(content) if encoding == UTF8 else content, encoding)
    sample = content[:_SAMPLE]
    for name, zeros, others in (
        ("UTF-16-LE", sample[1::2], sample[::2]),
        ("UTF-16-BE", sample[::2], sample[1::2]),
    ):
        if zeros.count(0) > 0.4 * len(zeros) and 0 not in others:
            return _decoded(content, name)
    _require_text(content)
    return _decoded(_without_marks(content), UTF8)


def _without_marks(content: bytes) -> bytes:
    """Return a text without byte order marks: files that were joined have some amid it."""
    mark = codecs.BOM_UTF8
    return content.removeprefix(mark).replace(b"\n" + mark, b"\n")


def what_it_is(content: bytes) -> str:
    """Name the kind of a file that is no text, by its first bytes."""
    if _PAGE.match(content):
        return "a web page: copy its table to a spreadsheet"
    if _XML.match(content):
        return "XML of no known kind"
    known = (kind for start, kind in _SIGNATURES if content.startswith(start))
    return next(known, "a binary file of no known kind")


def _require_text(content: bytes) -> None:
    known = any(content.startswith(start) for start, _ in _SIGNATURES)
    if known or _PAGE.match(content) or _XML.match(content) or b"\0" in content:
        raise HushrankError(f"{READABLE}, got {what_it_is(content)}")


def _decoded(content: bytes, encoding: str) -> tuple[bytes, str]:
    try:
        text = content.decode(encoding.lower())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    else:
        return (content if encoding == UTF8 else text.encode()), encoding[:6]
    is_western = encoding == UTF8 and not (_CONTROL.search(content) or _OF_UTF8.search(content))
    require(
        is_western, f"line {line}: expected text in {encoding}, got other bytes; save it as UTF-8"
    )
    try:
        return content.decode("cp1252").encode(), WINDOWS
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    raise HushrankError(
        f"line {line}: expected text in UTF-8, UTF-16 or {WINDOWS}; save it as UTF-8"
    )

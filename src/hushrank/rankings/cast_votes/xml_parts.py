"""XML of election systems, without what XML can do beyond holding data."""

from typing import TYPE_CHECKING

from hushrank.errors import HushrankError, require

if TYPE_CHECKING:  # few files need it
    from xml.etree.ElementTree import Element


def parse_xml(text: bytes) -> "Element":
    """Return the root of a document.

    Raises HushrankError for what is no XML, and for one that defines entities: no export does, and
    a few lines of them could fill all memory.
    """
    from xml.etree.ElementTree import ParseError, fromstring

    require(b"<!DOCTYPE" not in text, "expected XML without a document type")
    try:
        return fromstring(text)
    except (ParseError, RecursionError):  # its message may quote what stands there
        raise HushrankError("expected whole XML") from None


def local_name(element: "Element") -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def child(element: "Element", name: str) -> "Element | None":
    """Return the first child of a name."""
    return next((each for each in element if local_name(each) == name), None)


def text_of(element: "Element", name: str) -> str:
    """Return the text of the first child of a name, in one line; empty where there is none."""
    found = child(element, name)
    return "" if found is None else " ".join((found.text or "").split())

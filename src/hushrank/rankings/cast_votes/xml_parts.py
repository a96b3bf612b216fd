"""XML of election systems, without what XML can do beyond holding data."""

from functools import cache
from typing import TYPE_CHECKING

from hushrank.errors import HushrankError

if TYPE_CHECKING:  # few files need it
    from xml.etree.ElementTree import Element, TreeBuilder


def parse_xml(text: bytes) -> "Element":
    """Return the root of a document.

    Raises HushrankError for what is no XML, and for one that defines entities, in any encoding: no
    export does, and a few lines of them could fill all memory.
    """
    from xml.etree.ElementTree import ParseError, XMLParser, fromstring

    try:
        return fromstring(text, XMLParser(target=_builder_type()()))
    except (ParseError, RecursionError):  # its message may quote what stands there
        raise HushrankError("expected whole XML") from None


@cache
def _builder_type() -> type["TreeBuilder"]:
    from xml.etree.ElementTree import TreeBuilder

    class WithoutType(TreeBuilder):
        def doctype(self, *_: object) -> None:
            raise HushrankError("expected XML without a document type")

    return WithoutType


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

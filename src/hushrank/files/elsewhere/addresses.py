"""Addresses in stores and on the web: which ones are of one file, and what is shown of them.

An address may hold what lets whoever has it in: a user with a password, or a query that is signed.
"""

import os
import re
from urllib.parse import quote, unquote

_LEGAL = "!\"#$%&'()*+,/:;=?@[\\]^`{|}~"
"""What `quote` leaves besides letters and digits: blanks, and what is no ASCII, are escaped."""
_WEB = re.compile(
    r"(https?)://(?:([^/?#]*)@)?([^/?#@:]*|\[[^]/?#@]*\])(?::([0-9]*))?"
    r"(/[^?#]*)?(?:\?([^#]*))?(?:#.*)?",
    re.DOTALL,
)
"""Scheme, user, host, port, path and query of an address on the web."""
_USUAL_PORT = {"http": "80", "https": "443"}
_SHOWN = re.compile(r"(.*?)([\w+.-]*://+|[A-Za-z][\w+.-]+:/+)(.*)", re.DOTALL)
"""An address, mistyped, too, also after a folder, or with one slash, as `pathlib` makes it."""
_HOST = re.compile(r"[^:]*(?::[0-9]*)?|arn:.*")


def is_address(path: str) -> bool:
    """Tell an address in a store or on the web from a path on this machine."""
    return "://" in path


def with_plain_scheme(address: str) -> str:
    """Return an address with its scheme in small letters, as fsspec knows it."""
    scheme, mark, rest = address.partition("://")
    return f"{scheme.lower()}{mark}{rest}"


def spelt_plainly(path: str) -> str:
    """Return the one spelling of all that are of one file by the rules of the web; others as given.

    Small letters in scheme and host, no usual port, no fragment, nothing escaped that need not be,
    no dots for folders.   Source: RFC 3986, 6.2.2 and 6.2.3.
    """
    found = _WEB.fullmatch(path)
    if found is None:
        return path
    scheme, user, host, port, folders, query = found.groups()
    place = _without_dots(_escaped(folders or "/"))
    asks = "" if query is None else f"?{_escaped(query)}"
    whom = "" if user is None else f"{user}@"
    return f"{scheme}://{whom}{_host(host)}{_port(scheme, port)}{place}{asks}"


def likely_file(path: str) -> str:
    """Return what addresses on the web share that most servers have one file for; others as given.

    Whoever asks, with https or without, however many slashes there are, and whatever is escaped.
    Other hosts, queries and what a server leads on to cannot be known to be the same.
    """
    found = _WEB.fullmatch(path)
    if found is None:
        return path
    scheme, _, host, port, folders, query = found.groups()
    place = _without_dots(re.sub("/+", "/", unquote(folders or "/"))).rstrip("/")
    asks = f"?{_escaped(query)}" if query else ""
    return f"//{_host(host).rstrip('.')}{_port(scheme, port)}{place}{asks}"


def shown(path: str | os.PathLike[str]) -> str:
    """Return what may be shown of a path: of an address neither who asks nor the query.

    Where an address is of no known form, and its end may be a password's, nothing but the scheme.
    """
    text = os.fspath(path)
    found = _SHOWN.fullmatch(text)
    if found is None:
        return text
    before, scheme, rest = found.groups()
    if "::" in text:  # a chain of stores, which is refused
        return f"{before}{scheme}..."
    if scheme.lower().startswith("http"):
        rest = _without_fragment(rest)
    return f"{before}{scheme}{_without_query(_without_user(rest))}"


def shown_in(message: str) -> str:
    """Return a message with what may be shown of each address in it, as parsers quote them."""
    return re.sub(r"\S+:/\S+", lambda found: shown(found[0]), message)


def has_user(address: str) -> bool:
    """Tell whether an address names somebody, with a password or without."""
    return _without_user(address.partition("://")[2]) != address.partition("://")[2]


def _without_user(rest: str) -> str:
    """Return what comes after the scheme without whose it is; a password may hold any sign."""
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    user, at, host = authority.rpartition("@")
    if not _HOST.fullmatch(host):  # a password that is cut off by one of those signs
        return rest.rpartition("@")[2] if "@" in rest else "..."
    if ":" in user and "@" in _without_query(rest[len(authority) :]):
        return rest.rpartition("@")[2]
    return rest[len(user + at) :]


def _without_query(rest: str) -> str:
    place, mark, _ = rest.partition("?")
    return f"{place}?..." if mark else place


def _without_fragment(rest: str) -> str:
    """Drop what a browser keeps to itself, unless it is the end of a password."""
    place, _, fragment = rest.partition("#")
    return rest if "@" in fragment else place


def _host(host: str) -> str:
    plain = unquote(host).lower()
    try:
        return plain if plain.isascii() else plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain


def _port(scheme: str, port: str | None) -> str:
    number = (port or "").lstrip("0") or ("0" if port and int(port) == 0 else "")
    return f":{number}" if number not in ("", _USUAL_PORT[scheme]) else ""


def _escaped(text: str) -> str:
    """Escape what has to be, in capitals, and nothing that need not be."""

    def plain(found: re.Match[str]) -> str:
        sign = chr(int(found[1], 16))
        is_free = sign.isascii() and (sign.isalnum() or sign in "-._~")
        return sign if is_free else found[0].upper()

    return re.sub("%([0-9A-Fa-f]{2})", plain, quote(text, safe=_LEGAL, errors="replace"))


def _without_dots(path: str) -> str:
    """Return the path that `.` and `..` lead to; as it is where empty folders make that unsure."""
    if "//" in path:
        return path
    folders: list[str] = []
    for each in (names := path.split("/")[1:]):
        if each == "..":
            del folders[-1:]
        elif each != ".":
            folders.append(each)
    ends_with_folder = names[-1] in (".", "..")
    return "/" + "/".join([*folders, *([""] if ends_with_folder else [])])

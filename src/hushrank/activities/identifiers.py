"""Texts that name users, items and attributes: distinct, and such that files give them back."""

import re
from collections.abc import Sequence
from operator import eq

from hushrank.errors import require
from hushrank.files.names import ALIKE, NAMELESS, ROUNDED, is_nobody, is_rounded, look_alike

_NOT_PLAIN = re.compile("[\0\r\v\f\x1c-\x1e\x85\u2028\u2029\ufeff\ud800-\udfff]")


def require_identifiers(texts: Sequence[str], what: str) -> None:
    """Raise HushrankError unless `texts` are distinct, of one line and without outer blanks.

    Privacy: the message says `what` they name and never shows one.
    """
    are_texts = all(issubclass(kind, str) for kind in set(map(type, texts)))
    require(are_texts, f"expected texts that name the {what}")
    require(len(set(texts)) == len(texts), f"expected distinct {what}, some are repeated")
    one_line = "\n".join(texts)
    is_plain = one_line.count("\n") == max(len(texts) - 1, 0) and not _NOT_PLAIN.search(one_line)
    trimmed = "" not in texts and all(map(eq, texts, map(str.strip, texts)))
    require(is_plain and trimmed, f"expected {what} of one line, not empty, without outer blanks")


def require_users(users: Sequence[str]) -> None:
    """Raise HushrankError, which shows none, unless each text names a user of its own."""
    require_identifiers(users, "users")
    require(not any(map(is_rounded, users)), f"the users have {ROUNDED}")
    require(not any(map(is_nobody, users)), f"the users have {NAMELESS}")
    require(look_alike(users) is None, f"the users have {ALIKE}")


def numbered(size: int) -> tuple[str, ...]:
    """Return the identifiers 1, 2, .. of made-up users and items."""
    return tuple(str(number + 1) for number in range(size))

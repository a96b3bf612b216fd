"""What the collector answers when it does not do what it was asked."""

from typing import Literal, TypeAlias, TypeVar

from hushrank.errors import HushrankError

T = TypeVar("T")

RefusalKind: TypeAlias = Literal[
    "not-found",
    "not-open",
    "closed",
    "not-invited",
    "forged",
    "conflict",
    "malformed",
    "not-allowed",
    "too-few",
    "not-ready",
]
"""What HTTP statuses and translated words hang on."""


class Refusal(HushrankError):  # noqa: N818 (an answer that is part of the protocol)
    """A request that is refused, of a kind that programs know and in words that people read.

    Neither holds anything of what was sent.
    """

    def __init__(self, kind: RefusalKind, words: str) -> None:
        """Keep the kind beside the words."""
        super().__init__(words)
        self.kind: RefusalKind = kind


def allow(condition: object, kind: RefusalKind, words: str) -> None:
    """Raise Refusal unless the condition holds."""
    if not condition:
        raise Refusal(kind, words)


def present(value: T | None, kind: RefusalKind, words: str) -> T:
    """Return the value; raise Refusal where there is none."""
    if value is None:
        raise Refusal(kind, words)
    return value

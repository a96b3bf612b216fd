"""How long work says what it is doing, without printing."""

from collections.abc import Callable
from typing import Self, TypeAlias

Progress: TypeAlias = Callable[[str], None]
"""Called with what is being done, such as "fitting the model", at the start of each step; and again
as a `PartDone`, where it is known which part of the step is done, or once as an `AtMost`, where
it is known when the step ends at the latest."""


class PartDone(str):
    """A step in words, of which a `share` in [0, 1] is done: a text for whoever takes texts."""

    __slots__ = ("share",)
    share: float

    @classmethod
    def of(cls, step: str, share: float) -> Self:
        """Return the step with its share."""
        made = cls(step)
        made.share = share
        return made


class AtMost(str):
    """A step in words that ends within so many `seconds`: a text for whoever takes texts."""

    __slots__ = ("seconds",)
    seconds: float

    @classmethod
    def of(cls, step: str, seconds: float) -> Self:
        """Return the step with its limit."""
        made = cls(step)
        made.seconds = seconds
        return made


def parts_of(progress: "Progress", step: str) -> Callable[[float], None]:
    """Return what is told which share of a step is done, and begin it."""
    progress(PartDone.of(step, 0.0))
    return lambda share: progress(PartDone.of(step, share))


def within(prefix: str, step: str) -> str:
    """Return a step as a part of a longer one, with its share where it has one."""
    whole = f"{prefix}{step}"
    return PartDone.of(whole, step.share) if isinstance(step, PartDone) else whole


def of_pieces(progress: Progress) -> Callable[[str, float | None], None]:
    """Return what an engine tells of its pieces: a step, and its share where that is known."""

    def tell(step: str, share: float | None) -> None:
        progress(step if share is None else PartDone.of(step, share))

    return tell


def silent(step: str) -> None:
    """Say nothing of a step."""

"""The one error this package raises, the one way to raise it, and what is of a wrong type."""

from typing import Any, NoReturn


class HushrankError(Exception):
    """Input or a parameter is not what was expected.

    Privacy: the message never contains a ranking, an answer or a report.
    """


def require(condition: object, message: str) -> None:
    """Raise HushrankError with `message` unless `condition` holds."""
    if not condition:
        raise HushrankError(message)


def raise_alone(failure: Exception) -> NoReturn:
    """Raise an error that keeps nothing of the one before it, whose words may quote data or keys.

    What a `with` block raised is still its context when a context manager raises another error,
    also after its `except`: `from None` hides it, and keeps it.
    """
    try:
        raise failure from None
    finally:
        failure.__context__ = None


def needs_extra(what: str, extra: str) -> HushrankError:
    """Return the error of something whose extra is not installed: no index has this package."""
    advice = f"pip install '.[{extra}]' in the folder that hushrank was cloned to"
    return HushrankError(f"{what} needs the extra `{extra}`: {advice}")


def expect(value: Any, kind: type, named: str, hint: str = "") -> None:
    """Raise TypeError with the argument's name unless `value` is of a type of this package."""
    if not isinstance(value, kind):
        see = f", see {hint}" if hint else ""
        raise TypeError(f"{named}: expected {kind.__name__}{see}, got {type(value).__name__}")

"""What comes from a user is of the right type, or the argument is named."""

from collections.abc import Sequence
from typing import Any

from hushrank.errors import require


def expect(value: Any, kind: type, named: str, hint: str = "") -> None:
    """Raise TypeError with the argument's name unless `value` is of a type of this package."""
    if not isinstance(value, kind):
        see = f", see {hint}" if hint else ""
        raise TypeError(f"{named}: expected {kind.__name__}{see}, got {type(value).__name__}")


def expect_number(value: Any, named: str) -> None:
    """Raise TypeError with the argument's name unless `value` is a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{named}: expected a number, got {type(value).__name__}")


def expect_whole(value: Any, named: str) -> None:
    """Raise TypeError with the argument's name unless `value` is a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{named}: expected a whole number, got {type(value).__name__}")


def expect_seed(seed: Any) -> None:
    """Raise TypeError unless a seed is a whole number or None, which means secret noise.

    Raises HushrankError when it is negative.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"seed: expected a whole number or None, got {type(seed).__name__}")
    require(seed is None or seed >= 0, f"expected a seed of 0 or more, got {seed}")


def expect_attributes(private: Any) -> tuple[str, ...]:
    """Return the names of attributes; raise TypeError where there is one text, or anything else.

    Raises HushrankError when there is no name.
    """
    is_list = isinstance(private, Sequence) and not isinstance(private, str)
    if not is_list or not all(isinstance(name, str) for name in private):
        got = type(private).__name__
        raise TypeError(f"private: expected a list of names of attributes, got {got}")
    require(len(private) > 0, "private: expected 1 or more names of attributes, got 0")
    return tuple(private)

"""What comes from a user is of the right type, or the argument is named."""

from collections.abc import Callable, Sequence
from math import inf, nextafter
from numbers import Integral, Real
from typing import Any

import numpy as np

from hushrank.accounting.rounding import within
from hushrank.errors import HushrankError, expect, require

__all__ = [
    "expect",
    "expect_attributes",
    "expect_callable",
    "expect_flag",
    "expect_loss",
    "expect_number",
    "expect_seed",
    "expect_whole",
    "loss_if_any",
]


def expect_number(value: Any, named: str) -> float:
    """Return a number of Python's or numpy's as Python's; else raise TypeError with its name.

    Raises HushrankError for one that is too large for a float.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{named}: expected a number, got {type(value).__name__}")
    try:
        nearest = float(value)
    except OverflowError:
        raise HushrankError(f"{named}: expected a number that a float can hold") from None
    return int(value) if isinstance(value, Integral) else nearest


def expect_loss(value: Any, named: str) -> float:
    """Return an epsilon or delta that does not exceed what is written, 0.1 as less than a tenth.

    Nor the number itself, such as a fraction, where the nearest float is above it.
    Raises TypeError as `expect_number`.
    """
    number = expect_number(value, named)
    kept = number if isinstance(number, int) else within(number)
    return kept if kept <= value else nextafter(kept, -inf)


def loss_if_any(value: Any, named: str) -> float | None:
    """Return an epsilon or delta as `expect_loss` does; None for none."""
    return None if value is None else expect_loss(value, named)


def expect_whole(value: Any, named: str, *, at_least: int = 0) -> int:
    """Return a whole number of Python's or numpy's as Python's; else raise with its name.

    Raises TypeError for what is no whole number, HushrankError for one that is too small.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{named}: expected a whole number, got {type(value).__name__}")
    number = int(value)
    require(number >= at_least, f"{named}: expected at least {at_least}, got {number}")
    return number


def expect_flag(value: Any, named: str) -> bool:
    """Return True or False; raise TypeError for anything else: "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{named}: expected True or False, got {type(value).__name__}")
    return bool(value)


def expect_seed(seed: Any) -> int | None:
    """Return a seed, a whole number of at least 0, or None, which means secret noise."""
    return None if seed is None else expect_whole(seed, "seed")


def expect_callable(value: Any, named: str) -> Callable[..., Any]:
    """Return a callable; else raise TypeError with its name."""
    if not callable(value):
        raise TypeError(f"{named}: expected a callable, got {type(value).__name__}")
    found: Callable[..., Any] = value
    return found


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

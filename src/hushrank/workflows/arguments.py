"""What comes from a user is of the right type, or the argument is named."""

from typing import Any


def expect(value: Any, kind: type, named: str, hint: str = "") -> None:
    """Raise TypeError with the argument's name unless `value` is of a type of this package."""
    if not isinstance(value, kind):
        see = f", see {hint}" if hint else ""
        raise TypeError(f"{named}: expected {kind.__name__}{see}, got {type(value).__name__}")


def expect_number(value: Any, named: str) -> None:
    """Raise TypeError with the argument's name unless `value` is a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{named}: expected a number, got {type(value).__name__}")


def expect_seed(seed: Any) -> None:
    """Raise TypeError unless a seed is a whole number or None, which means secret noise."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"seed: expected a whole number or None, got {type(seed).__name__}")

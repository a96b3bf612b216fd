"""How long work says what it is doing, without printing."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str], None]
"""Called with what is being done, such as "fitting the model", at the start of each step."""


def silent(step: str) -> None:
    """Say nothing of a step."""

"""The options of protocols that the form has: from the registry, with what each may be."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, get_args

from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.collector.draft import LIVE
from hushrank.estimators.prior_scale import Prior
from hushrank.estimators.shares import PostProcess
from hushrank.protocols.distributions.safari import Split
from hushrank.protocols.learnt.models import Rows
from hushrank.protocols.registry import MECHANISMS, PROTOCOLS

Number = TypeVar("Number", int, float)
Value: TypeAlias = str | int | bool
Kind: TypeAlias = Literal["choice", "number", "switch"]

ASKED_APART = ("unranked",)
"""Options that the form asks for elsewhere, in words of their own."""


@dataclass(frozen=True)
class OptionField:
    """An option of a protocol as a field; left alone, the protocol decides."""

    protocol: str
    name: str
    kind: Kind
    choices: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The name of the field: of one protocol only."""
        return f"option.{self.protocol}.{self.name}"

    def read(self, text: str) -> Value | None:
        """Return the value of what was typed, None where it was left alone.

        Raises ValueError for what is no value of the option.
        """
        if not text:
            return None
        if self.kind == "number":
            return typed_number(text, int)
        if self.kind == "switch":
            return True
        if text not in self.choices:
            raise ValueError
        return text

    def write(self, value: Value | float | None) -> str:
        """Return what is typed for a value."""
        if self.kind == "switch":
            return "on" if value else ""
        return "" if value is None else str(value)


def typed_number(text: str, read: Callable[[str], Number]) -> Number:
    """Return a number that was typed; raise ValueError for another text, and for 1_0."""
    if "_" in text:
        raise ValueError
    return read(text)


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "prior": get_args(Prior),
    "rows": get_args(Rows),
    "split": get_args(Split),
    "mechanism": tuple(MECHANISMS),
}
_SWITCHES = ("popular_orders", "shrink")


def option_fields(protocol: str) -> tuple[OptionField, ...]:
    """Return the fields of a protocol's options."""
    return tuple(_fields(protocol))


def _fields(protocol: str) -> Iterator[OptionField]:
    for name in PROTOCOLS[protocol].options:
        if name in ASKED_APART:
            continue
        if name in _SWITCHES:
            yield OptionField(protocol, name, "switch")
        elif name == "post_process":
            on_pairs = "queries" in PROTOCOLS[protocol].options
            known = get_args(PairPostProcess if on_pairs else PostProcess)
            yield OptionField(protocol, name, "choice", known)
        elif name in _CHOICES:
            yield OptionField(protocol, name, "choice", _CHOICES[name])
        else:
            yield OptionField(protocol, name, "number")


FIELDS: Mapping[str, tuple[OptionField, ...]] = {name: option_fields(name) for name in LIVE}
"""Of every protocol that can be collected live."""

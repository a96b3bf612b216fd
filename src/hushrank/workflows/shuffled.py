"""At which local epsilon people report, and what a shuffler before the collector makes of it.

Theory: docs/theory/shuffling.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hushrank.accounting.composition import share_of
from hushrank.accounting.rounding import at_most, numeral_below, within
from hushrank.accounting.shuffling import central_delta, local_epsilon
from hushrank.accounting.words import loss_in_words
from hushrank.engines.shuffler import Target
from hushrank.errors import HushrankError, require
from hushrank.protocols.registry import PROTOCOLS, NamedProtocol, make_protocol
from hushrank.surveys.shuffled import clone_rate
from hushrank.workflows.arguments import expect_flag, loss_if_any

DELTA = 1e-6
"""The delta of a shuffled collection unless another is asked for."""
ROUNDS = {"safari": 2}
"""Protocols that ask everybody more than once; all others are taken to ask once."""
DIGITS = 4
"""Of local epsilons: what is shown of one is all of it, and may be asked for."""
AMPLIFIED = 1.001
"""A local epsilon that is not larger by so much than the central one is not worth a shuffler."""


@dataclass(frozen=True)
class Terms:
    """The local epsilon of all reports of a person, and what they may cost where shuffled."""

    local: float
    target: Target | None = None


@dataclass(frozen=True)
class Trust:
    """What a caller asked of a shuffler: whether there is one, and which (central epsilon, delta).

    central_epsilon: None where a local epsilon is given instead.
    """

    shuffled: bool = False
    central_epsilon: float | None = None
    delta: float | None = None

    @classmethod
    def of(cls, shuffled: Any, central_epsilon: Any, delta: Any) -> "Trust":
        """Check what a caller gave.

        Raises TypeError for what has another type, HushrankError for what has no shuffler.
        """
        has = expect_flag(shuffled, "shuffled")
        central = loss_if_any(central_epsilon, "central_epsilon")
        given = loss_if_any(delta, "delta")
        fits = has or (central is None and given is None)
        require(fits, "central_epsilon and delta need shuffled")
        return cls(has, central, DELTA if has and given is None else given)

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked for, by name, as JSON has it: in numerals that are not below it."""
        central = {"central_epsilon": self.central_epsilon, "delta": self.delta}
        losses = {name: None if x is None else at_most(x) for name, x in central.items()}
        return {"shuffled": self.shuffled, **losses}

    def terms(
        self, named: NamedProtocol, *, n_items: int, n_people: int, epsilon: float | None
    ) -> Terms:
        """Return at which local epsilon people report, before anybody is asked.

        epsilon: local, as given; None: the largest that is certified to keep to the central one
        where n_people reports of each round are shuffled. With both, `priced` refuses rounds
        that are not known to keep to it.   Raises HushrankError where neither is given, and where
        people are so few that shuffling gains nothing.
        """
        if not self.shuffled:
            return Terms(epsilon or 0.0)
        given = epsilon is not None or self.central_epsilon is not None
        require(given, "shuffled: expected a central_epsilon, or the local epsilon of a person")
        n_rounds = ROUNDS.get(named.name, 1)
        delta = DELTA if self.delta is None else self.delta
        target = Target(self.central_epsilon, delta, n_rounds)
        if epsilon is not None:
            return Terms(epsilon, target)
        return Terms(_amplified(named, n_items=n_items, n_people=n_people, target=target), target)


def largest_local_epsilon(
    named: NamedProtocol, *, n_items: int, n_people: int, target: Target
) -> float:
    """Return the largest certified sum of local epsilons of a person, over all rounds.

    It keeps to a numeral of 4 digits, which is certified itself, unless it is the central epsilon.
    Of one round by the exact channels of what the protocol would ask; of several by what holds for
    every randomiser, as later rounds are not known yet: (ε', δ) is shared evenly.
    """

    @cache
    def rate(local: float) -> float:
        begun = named.begin(n_items, epsilon=local, n_people=n_people, seed=0)
        surveys = next(begun)
        begun.close()
        return clone_rate(surveys)

    return _certified(target, n_people, rate if target.n_rounds == 1 else _of_any)


def _of_any(local: float) -> None:
    """Return no rate of clones: what holds for every randomiser is taken."""


def _certified(target: Target, n_people: int, rate: Callable[[float], float | None]) -> float:
    """Return the largest local epsilon found, of all rounds; at least the central one.

    A numeral is certified itself: at another local epsilon other questions may be asked.
    """
    require(target.epsilon is not None, "expected a central_epsilon")
    most = target.epsilon or 0.0
    central = share_of(most, target.n_rounds)
    delta = share_of(target.delta, target.n_rounds)
    found = local_epsilon(central, delta, n_reports=n_people, clone_rate=rate)
    numeral = numeral_below(target.n_rounds * found, DIGITS)
    while (local := within(float(numeral))) > most:
        each = share_of(local, target.n_rounds)
        lost = central_delta(central, local=each, n_reports=n_people, clone_rate=rate(each))
        if lost <= delta:
            return local
        numeral = numeral_below(local * (1 - 0.1**DIGITS / 2), DIGITS)
    return most


def local_epsilons(
    *, n_items: int, n_people: int, central_epsilon: float, delta: float
) -> dict[str, float]:
    """Return the largest certified local epsilon of each protocol, by name, with its own options.

    Of one that does not take so many items, what every randomiser may have.
    """
    any_one = _certified(Target(central_epsilon, delta), n_people, _of_any)
    found = {}
    for name in PROTOCOLS:
        target = Target(central_epsilon, delta, ROUNDS.get(name, 1))
        named, size = make_protocol(name), {"n_items": n_items, "n_people": n_people}
        try:
            found[name] = largest_local_epsilon(named, target=target, **size)
        except HushrankError:
            found[name] = any_one
    return found


def _amplified(named: NamedProtocol, *, n_items: int, n_people: int, target: Target) -> float:
    """Return `largest_local_epsilon`, if it is worth a shuffler."""
    local = largest_local_epsilon(named, n_items=n_items, n_people=n_people, target=target)
    central = target.epsilon or 0.0
    few = (
        f"{n_people:,} people are too few to gain anything from a shuffler at central_epsilon"
        f" {loss_in_words(central)}, delta {loss_in_words(target.delta)}: collect without one"
    )
    require(local > AMPLIFIED * central, few)
    return local

"""What was chosen to ask, kept with a survey: a later release, with other tables, asks the same."""

from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from hushrank.protocols.distributions.question_mix import Mix
from hushrank.protocols.orders.order_design import OrderDesign

Chosen: TypeAlias = Mix | OrderDesign
"""Of what is asked, all that a table or a rule of a release decides."""
ChosenT = TypeVar("ChosenT", Mix, OrderDesign)


@runtime_checkable
class Choosing(Protocol[ChosenT]):
    """A protocol that chooses what it asks from public numbers.

    `chosen`: what it asks without choosing; None where it is to choose.
    """

    chosen: ChosenT | None

    def choose(self, n_items: int, *, epsilon: float, n_people: int) -> ChosenT:
        """Return what this release asks of so many items and people."""

"""Say what a number of people can tell, for a goal in everyday words, before anybody is asked."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from hushrank.accounting.rounding import two_digits_above, within
from hushrank.accounting.words import epsilon_in_words, loss_in_words
from hushrank.errors import require
from hushrank.files.data_frames import arrow_stream, columns_of, to_frame
from hushrank.planning.goals import (
    EPSILONS_OF_A_CURATOR,
    EPSILONS_OF_DEVICES,
    SURE,
    USEFUL,
    Goal,
    Wish,
    people_needed,
    told_by_curator,
    told_on_devices,
)
from hushrank.workflows.arguments import expect_number, expect_whole

WANTED = {
    "winner": "which item is first",
    "order": "the whole order",
    "shares": "how many people put one item before another",
}
LEAST_SAID = 1e-4
LEAST_EPSILON = 1e-100  # below, no float holds how many people it takes
HOPELESS = 0.5
"""A lead that hardly any item has."""


@dataclass(frozen=True)
class Choice:
    """One way to ask, at one epsilon: the least lead it tells, and who is needed for 10 points."""

    command: str
    epsilon: float
    least_lead: float
    people_for_ten_points: float

    @property
    def price(self) -> str:
        """The epsilon in decimal."""
        return loss_in_words(within(self.epsilon))


@dataclass(frozen=True)
class Advice:
    """What can be told for a wish, by way and epsilon."""

    wish: Wish
    choices: tuple[Choice, ...]

    def __str__(self) -> str:
        """Say what to do, for `print`."""
        return "\n".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to do, and what an epsilon costs a person."""
        named = {"collect": "nobody is trusted", "aggregate": "you hold the ballots"}
        return tuple(
            sentence
            for command, where in named.items()
            for best in self._best(command)
            for sentence in _advised(where, best, self.wish)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready; they come from formulas."""
        return {
            **asdict(self.wish),
            "from": "formulas",
            "sure": SURE,
            "choices": [asdict(each) for each in self.choices],
        }

    def to_frame(self) -> Any:
        """Return a row for each way and epsilon, as a data frame."""
        return to_frame(columns_of(self.choices))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        return arrow_stream(columns_of(self.choices), requested_schema)

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html

        rows = {
            f"{each.command} at epsilon {each.price}": f"{in_points(each.least_lead)} points"
            for each in self.choices
        }
        title = f"{self.wish.n_people:,} people: {WANTED[self.wish.goal]}"
        return notebook_html(title, rows, notes=self.sentences)

    def _best(self, command: str) -> Sequence[Choice]:
        """Return the least epsilon that tells ten points, or the largest; none where none fits."""
        ways = [each for each in self.choices if each.command == command]
        return [each for each in ways if each.least_lead <= USEFUL][:1] or ways[-1:]


def advise(*, goal: Goal, items: int, people: int, epsilon: float | None = None) -> Advice:
    """Return what 20 to a billion people tell of 2 to 64 items, by formulas: nobody is asked.

    goal: `winner`, `order` or `shares`; epsilon: None for several usual ones.
    Raises HushrankError for other goals and numbers.
    """
    require(goal in get_args(Goal), f"expected a goal of {', '.join(get_args(Goal))}, got {goal}")
    wish = Wish(goal, expect_whole(items, "items"), expect_whole(people, "people"))
    if epsilon is not None:
        epsilon = expect_number(epsilon, "epsilon")
        wanted = f"expected an epsilon of {LEAST_EPSILON:g} to 1000, got {epsilon}"
        require(LEAST_EPSILON <= epsilon <= 1000, wanted)
    own = None if epsilon is None else (epsilon,)
    devices, curator = own or EPSILONS_OF_DEVICES, own or EPSILONS_OF_A_CURATOR
    return Advice(
        wish,
        (
            *(_choice(wish, each, on_devices=True) for each in devices),
            *(_choice(wish, each, on_devices=False) for each in curator if goal != "shares"),
        ),
    )


def _choice(wish: Wish, epsilon: float, *, on_devices: bool) -> Choice:
    lead = (told_on_devices if on_devices else told_by_curator)(wish, epsilon)
    needed = people_needed(wish, epsilon, on_devices=on_devices)
    return Choice("collect" if on_devices else "aggregate", epsilon, lead, needed)


def in_points(lead: float) -> str:
    """Say a lead in points of 100, to two digits, rounded up."""
    if lead >= 1:
        return "none"
    return two_digits_above(100 * lead) if lead >= LEAST_SAID else f"under {100 * LEAST_SAID:g}"


def _advised(where: str, best: Choice, wish: Wish) -> tuple[str, str]:
    found = "known to within" if wish.goal == "shares" else "told from a lead of"
    told = f"{WANTED[wish.goal]} is {found} {in_points(best.least_lead)} points"
    if best.least_lead > HOPELESS:
        told = f"{wish.n_people:,} people are too few to learn {WANTED[wish.goal]}"
    sentence = f"{best.command} at epsilon {best.price}, {where}: {told}."
    return sentence, epsilon_in_words(within(best.epsilon))

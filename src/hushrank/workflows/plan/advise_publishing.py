"""Say which budgets of `publish` are worth trying, by the public size of the data alone."""

from dataclasses import asdict, dataclass
from typing import Any

from hushrank.errors import require
from hushrank.files.data_frames import arrow_stream, columns_of, to_frame
from hushrank.workflows.arguments import expect_whole
from hushrank.workflows.results.release_terms import UNITS
from hushrank.workflows.results.release_warnings import (
    FEWEST_OF_A_VALUE,
    FEWEST_REHEARSED,
    FEWEST_TELL,
)
from hushrank.workflows.results.useful_budgets import useful_budgets, useful_online

DISTANCE = "kendall"
METHODS = ("privrank", "user-level", "withhold", "microaggregate", "rand")
"""Those with a rule; `frapp` and `diff` count what no size tells."""
ONLINE_UNIT = "expected kendall distance of what was released of a user"
NO_PRIVACY_OF_DIFFERENCES = (
    "Private values become harder to infer; this is no differential privacy, and has no epsilon."
)


@dataclass(frozen=True)
class DataSize:
    """How much activity there is: taken as public."""

    n_users: int
    n_items: int
    n_records: int


@dataclass(frozen=True)
class Budgets:
    """Budgets of one command and method: at `low` little is hidden and kept, at `high` much."""

    command: str
    method: str | None
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class PublishingAdvice:
    """Budgets to try, by command, for data of one size."""

    size: DataSize
    choices: tuple[Budgets, ...]

    def __str__(self) -> str:
        """Say what to try, for `print`."""
        return "\n".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to begin with, who must tell their value, and what this promises."""
        first = self.choices[0]
        said = [
            f"Begin with {first.command} and a budget of {first.low:.2g}, and double it until"
            f" attack and evaluate say that enough is hidden; beyond {first.high:.2g} records have"
            " little to do with their users.",
            'method="microaggregate" releases all users of a pool with its mean record, which is'
            " nobody's: begin with it where some users protect nothing and can be learnt from.",
            'method="withhold" puts no record under the name of another: of that share of protected'
            " users nothing is released, and everybody else keeps their own record.",
            "Or say with protect= in place of a budget how well attackers may still tell: 0.4 looks"
            " for the least budget at which the best of them is right for 60 of 100 pairs of users"
            f" whose values differ; that takes {FEWEST_REHEARSED} users of each value who protect"
            " nothing.",
            "What leaks is judged by users who tell their value and protect it:"
            f" {FEWEST_TELL} of them at least, {FEWEST_OF_A_VALUE} of each value.",
            NO_PRIVACY_OF_DIFFERENCES,
        ]
        if self.size.n_users < FEWEST_TELL:
            said.insert(1, f"{self.size.n_users:,} users are too few to judge any release.")
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, JSON-ready; they are rules of thumb."""
        return {
            "goal": "publish",
            **asdict(self.size),
            "from": "rules of thumb",
            "choices": [asdict(each) for each in self.choices],
        }

    def to_frame(self) -> Any:
        """Return a row for each command and method, as a data frame."""
        return to_frame(columns_of(self.choices))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        return arrow_stream(columns_of(self.choices), requested_schema)

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html

        rows = {
            f"{each.command} {each.method or ''}": f"{each.low:.2g} to {each.high:.2g}"
            for each in self.choices
        }
        return notebook_html("Budgets to try", rows, notes=self.sentences)


def advise_publishing(*, users: int, items: int, records: int) -> PublishingAdvice:
    """Return the budgets to try for so many users, items and records; no data is read.

    Raises HushrankError where so many records do not fit.
    """
    size = DataSize(
        expect_whole(users, "people", at_least=1),
        expect_whole(items, "items", at_least=2),
        expect_whole(records, "records", at_least=1),
    )
    fits = max(size.n_users, size.n_items) <= size.n_records <= size.n_users * size.n_items
    each = f"{size.n_users:,} people and {size.n_items:,} items, each with a record"
    most = f"{size.n_users * size.n_items:,}"
    require(fits, f"records: expected at most {most}, and enough for {each}, got {records:,}")
    found = {method: useful_budgets(method, DISTANCE, size) for method in METHODS}
    of_history = [
        Budgets("publish historical", method, *budgets, UNITS[method].format(distance=DISTANCE))
        for method, budgets in found.items()
        if budgets is not None
    ]
    online = Budgets("publish online", None, *useful_online(size.n_items), ONLINE_UNIT)
    return PublishingAdvice(size, (*of_history, online))

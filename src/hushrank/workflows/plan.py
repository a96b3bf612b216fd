"""Say what to expect of every protocol, before anybody is asked."""

from dataclasses import asdict, dataclass
from math import inf
from typing import Any

from hushrank.files.data_frames import Values, arrow_stream, to_frame
from hushrank.planning.grid import PEOPLE
from hushrank.planning.plan import (
    WANTED_DISTANCE,
    WANTED_EXCESS,
    Plan,
    ProtocolPlan,
    Situation,
    make_plan,
)
from hushrank.planning.populations import REFERENCES, typical_dispersion
from hushrank.planning.recommendation import Recommendation, recommend
from hushrank.workflows.arguments import expect_number, expect_whole


def plan(
    *,
    items: int,
    people: int,
    epsilon: float,
    error: float = WANTED_DISTANCE,
    excess: float = WANTED_EXCESS,
) -> "CollectionPlan":
    """Foretell the errors of every protocol of `collect` on four reference populations.

    items: how many items people rank, 2 to 16.
    people: how many people answer, 200 to a million.
    epsilon: privacy loss of a person, in nats, .1 to 10.
    error: the wanted Q2 distance of synthetic rankings: how many people does it take?
    excess: the wanted excess of protocols that learn one order only.

    Everything comes from a table of simulations: nobody is asked, no data is read. docs/planning.md
    says how well predictions agree with collections.
    Raises HushrankError for numbers beyond the table.

    Example:
        >>> import hushrank
        >>> planned = hushrank.plan(items=8, people=5000, epsilon=4)
        >>> [each.protocol for each in planned.recommendations]
        ['max-entropy', 'max-entropy']
    """
    situation = Situation(
        expect_whole(items, "items"),
        expect_whole(people, "people"),
        expect_number(epsilon, "epsilon"),
        expect_number(error, "error"),
        expect_number(excess, "excess"),
    )
    foretold = make_plan(situation)
    return CollectionPlan(foretold, recommend(foretold))


@dataclass(frozen=True, repr=False)
class CollectionPlan:
    """What to expect of every protocol, and which to take for which purpose."""

    foretold: Plan
    recommendations: tuple[Recommendation, Recommendation]

    def __repr__(self) -> str:
        """Say what was planned."""
        said = self.foretold.situation
        return (
            f"CollectionPlan({said.n_items} items, {said.n_people:,} people,"
            f" epsilon {said.epsilon:g})"
        )

    def __str__(self) -> str:
        """Say which protocol to take, and why, for `print`."""
        return self.advice

    @property
    def advice(self) -> str:
        """Which protocol to take, and why: a sentence for a model and one for an order."""
        return "\n".join(each.reason for each in self.recommendations)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan for JSON.

        People needed are null beyond `most_people`; `fewest_people`: or fewer.
        """
        foretold = self.foretold
        return {
            **asdict(foretold.situation),
            "fewest_people": PEOPLE[0],
            "most_people": PEOPLE[-1],
            "populations": {each.name: each.title for each in REFERENCES},
            "mallows_dispersion": typical_dispersion(foretold.situation.n_items),
            "of_nobody": {name: asdict(each) for name, each in foretold.of_nobody.items()},
            "protocols": {name: _as_json(each) for name, each in foretold.protocols.items()},
            "recommendations": [asdict(each) for each in self.recommendations],
        }

    def to_frame(self) -> Any:
        """Return a row for each protocol and population: a pandas DataFrame, or a `pyarrow.Table`.

        Columns: protocol, population, q2_distance, excess, half_width (of a 95 % interval) and
        people_needed; missing where there is no such number.
        """
        return to_frame(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        return arrow_stream(self._columns(), requested_schema)

    def _columns(self) -> Values:
        rows = [
            (name, population, errors, protocol.people_needed.get(population))
            for name, protocol in self.foretold.protocols.items()
            for population, errors in protocol.errors.items()
        ]
        return {
            "protocol": [row[0] for row in rows],
            "population": [row[1] for row in rows],
            "q2_distance": [row[2].distance for row in rows],
            "excess": [row[2].excess for row in rows],
            "half_width": [row[2].half_width for row in rows],
            "people_needed": [None if row[3] == inf else row[3] for row in rows],
        }

    def _repr_html_(self) -> str:
        from hushrank.reports.notebook import notebook_html

        said = self.foretold.situation
        rows = {f"for {each.purpose}": each.protocol for each in self.recommendations}
        title = f"{said.n_people:,} people, {said.n_items} items, epsilon {said.epsilon:g}"
        return notebook_html(title, rows, notes=[self.advice])


def _as_json(protocol: ProtocolPlan) -> dict[str, Any]:
    needed = protocol.people_needed.items()
    return {
        **asdict(protocol),
        "people_needed": {name: None if each == inf else int(each) for name, each in needed},
    }

"""What an experiment is: points, each measured several times from independent seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.experiments.populations import (
    RANKINGS,
    FilePopulation,
    Population,
    Populations,
)

Group: TypeAlias = Literal["proposed", "compared", "repair", "ours", "reference"]
"""The paper's own methods, what it compares them with, our repairs of them, methods of ours, and
lines to compare with.
"""

Quantity: TypeAlias = Literal[
    "simplex", "clip", "raw", "any", "q2", "tau", "excess", "error rate", "seconds",
    "worst", "SVM", "naive Bayes", "MAP", "distortion", "leakage", "held-out leakage",
    "worst on gender", "worst on age", "SVM on gender", "SVM on age", "stream leakage",
    "climb", "firsts", "found",
]  # fmt: skip
"""What a number is.

`simplex`, `clip`, `raw`, `any`: SAFARI's distance after this post-processing of the shares, `any`
where there is nothing to process. `q2`: the Q2 distance of synthetic rows. `tau`, `excess`: the
average normalised Kendall tau of an order, and by how much it exceeds that of the exact Kemeny
order; `error rate`: the share of pairs whose majority was learnt the wrong way round. `worst`,
`SVM`, `naive Bayes`: 1 - AUC of the strongest attacker on published activity, and of two that are
taught on original records, `on` one attribute where several are attacked; `MAP`: how well it
recommends; `distortion`: the mean Kendall distance of records. `leakage`, `held-out leakage`: bits
that a released cluster leaks of a private value, of the users from whom the channel was learnt and
of others; `stream leakage`: bits that a stream of single activities leaks. `climb`: how many places
an item rose that liars promote; `firsts`: the share of rows that have it first; `found`: of
collections, whether tests of the reports find them suspicious.
"""

Scale: TypeAlias = Literal["unit", "linear", "log", "symlog"]
"""Of an axis: 0 to 1, as the points need it, logarithmic, or logarithmic but for a piece at 0."""


Whiskers: TypeAlias = Literal["sd", "range", "none"]
"""How far a point's whiskers reach: a standard deviation, or the smallest and the largest."""


@dataclass(frozen=True)
class Draws:
    """Independent sources of randomness for one repetition.

    `noise` is the mechanisms'; `synthesis` is all that is drawn besides: rows, people, pivots.
    """

    noise: np.random.Generator
    synthesis: np.random.Generator


@dataclass(frozen=True)
class Measurement:
    """One x of one curve: `measure` returns a number for each quantity.

    `most_repetitions` is 1 where nothing is drawn, and small where a repetition is expensive.
    With `same_draws` it draws what the measurement before it drew, to be compared with it.
    """

    group: Group
    curve: str
    x: float
    measure: Callable[[Draws], Mapping[Quantity, float]]
    most_repetitions: int | None = None
    population: str = ""
    same_draws: bool = False


@dataclass(frozen=True)
class Point:
    """A row of the table: mean, standard deviation (of a repetition) and range of a quantity."""

    figure: str
    population: str
    group: Group
    curve: str
    quantity: Quantity
    x: float
    mean: float
    sd: float
    smallest: float
    largest: float
    repetitions: int


@dataclass(frozen=True)
class View:
    """Which points a panel shows, and how; `population` "" and x None stand for all.

    {n} and {m} in the title become the people and the items of the population. With `against`, the
    points stand at the means of that quantity instead of x.
    """

    title: str
    groups: tuple[Group, ...]
    quantity: Quantity
    y_label: str
    scale: Scale = "unit"
    population: str = ""
    x: float | None = None
    whiskers: Whiskers = "sd"
    against: Quantity | None = None


@dataclass(frozen=True)
class TableForm:
    """The columns of a table, each with the field of the points that it holds, and its digits."""

    columns: Mapping[str, str]
    decimals: int


TABLE = TableForm(
    {"figure": "figure", "population": "population", "group": "group", "curve": "curve"}
    | {"quantity": "quantity", "x": "x", "mean": "mean", "sd": "sd"}
    | {"min": "smallest", "max": "largest", "repetitions": "repetitions"},
    decimals=6,
)


@dataclass(frozen=True)
class Experiment:
    """A figure: what it shows, and what has to be measured for it.

    `plan` maps the populations and whether to be quick to the measurements. `views` are the rows of
    panels: curves against x, or `dots` beside the names of the curves; none make a text table.
    `plan_further` plans the curves of protocols that are named besides, such as plug-ins, where a
    figure compares protocols.
    """

    name: str
    title: str
    shows: str
    x_label: str
    views: tuple[tuple[View, ...], ...]
    plan: Callable[[Populations, bool], Sequence[Measurement]]
    populations: tuple[Population, ...] = (RANKINGS,)
    repetitions: int = 10
    has_log_x: bool = False
    picture: Literal["curves", "dots"] = "curves"
    table: TableForm = TABLE
    plan_further: Callable[[Populations, bool, Sequence[str]], Sequence[Measurement]] | None = None

    def with_protocols(self, names: Sequence[str]) -> "Experiment":
        """Return the same figure with curves of further protocols; its own points stay the same.

        Raises HushrankError where the figure compares no protocols.
        """
        further = self.plan_further
        if not names:
            return self
        if further is None:
            raise HushrankError(f"{self.name} compares no protocols: frontier-epsilon does")

        def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
            return [*self.plan(people, quick), *further(people, quick, names)]

        return replace(self, plan=plan)

    @property
    def file_populations(self) -> tuple[FilePopulation, ...]:
        """The populations that stand in files."""
        return tuple(each for each in self.populations if isinstance(each, FilePopulation))


@dataclass(frozen=True)
class Settings:
    """How to run an experiment."""

    repetitions: int = 10
    seed: int = 0
    quick: bool = False

    def __post_init__(self) -> None:
        """Check the numbers."""
        require(self.repetitions >= 1, f"expected 1+ repetitions, got {self.repetitions}")
        require(self.seed >= 0, f"expected a seed of at least 0, got {self.seed}")


class Size(NamedTuple):
    """How large a population is."""

    n_people: int
    n_items: int

    @classmethod
    def of(cls, people: Any) -> "Size":
        """Count the people of rankings, or the users of an activity, and the items."""
        n_people = people.n_people if hasattr(people, "n_people") else people.n_users
        return cls(n_people, people.n_items)


@dataclass(frozen=True)
class Result:
    """The table of a figure, and the sizes of the populations that it is about, by name."""

    experiment: Experiment
    settings: Settings
    sizes: Mapping[str, Size]
    points: tuple[Point, ...]

"""What a caller says about a file of ballots; what is not said is told by the file, or asked."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from hushrank.errors import require

Form: TypeAlias = Literal["preflib", "order", "places", "ranks", "scores", "lists", "blt"]
FORMS = get_args(Form)

Best: TypeAlias = Literal["high", "low"]


@dataclass(frozen=True)
class Asked:
    """How to read: each field is an option of `hushrank.read_rankings` and of the commands.

    columns, ignore: names, names with *, numbers or ranges (2-8). drop: names with *, `write-ins`,
    or a share such as 1%. sheet: of a workbook. items: all of them, whatever ballots name. header:
    how many lines stand above the ballots of a table.
    Raises HushrankError for a form, an end or lines that there are not, or an item twice.
    """

    form: Form | None = None
    columns: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    id: str | None = None
    weight: str | None = None
    best: Best | None = None
    drop: tuple[str, ...] = ()
    sheet: str | None = None
    items: tuple[str, ...] = ()
    header: int | None = None

    def __post_init__(self) -> None:
        """Check the words."""
        known = self.form is None or self.form in FORMS
        require(known, f"expected a form of {', '.join(FORMS)}")
        ends = self.best is None or self.best in get_args(Best)
        require(ends, "best: expected high or low, which end of the numbers is best")
        require(self.header is None or self.header >= 0, "header: expected a number of lines")
        require(len({*self.items}) == len(self.items), "items: expected distinct names")

    @property
    def of_tables(self) -> bool:
        """Whether anything was said that only a table can have."""
        columns = self.columns or self.ignore or self.id or self.weight
        return bool(columns or self.best or self.header is not None)

"""Ballots of a table with how they were found, before they are cleaned."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hushrank.rankings.forms.layouts.layout import Layout
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.profile import Rankings

Flags = NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class Found:
    """Rankings with how they were found.

    `form` in words, `layout` of columns; `ignored`: columns by name; `flags`: which rows are
    irregular, by kind; `n_superseded`: how many people were left out because their person has a
    later row, None where no id says whose a row is; `head`: the table below its header.
    """

    rankings: Rankings
    form: str
    ignored: tuple[str, ...] = ()
    flags: Mapping[str, Flags] = field(default_factory=dict)
    n_superseded: int | None = None
    remarks: tuple[str, ...] = ()
    head: Headed | None = None
    layout: Layout | None = None

    @property
    def kind(self) -> str:
        """The form in one word, empty where no columns have it."""
        return "" if self.layout is None else self.layout.kind

"""What stands in the line of a step: a bar and the time left where its share is known."""

from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text


class WhereKnown(ProgressColumn):
    """Another column, and nothing where nobody knows how much there is to do."""

    def __init__(self, shown: ProgressColumn, after: str = "") -> None:
        """Show `shown`, and a word after it."""
        super().__init__(Column(no_wrap=True))
        self.shown, self.after = shown, after

    def render(self, task: Task) -> RenderableType:
        """Return what is shown of a task."""
        if task.total is None:
            return Text()
        shown = self.shown.render(task)
        return Text.assemble(shown, self.after) if isinstance(shown, Text) else shown


COLUMNS = (
    SpinnerColumn(),
    TextColumn("{task.description}", markup=False),
    TimeElapsedColumn(),
    WhereKnown(BarColumn(20)),
    WhereKnown(TimeRemainingColumn(), " left"),
)

"""What stands in the line of a step: a bar and the time left where its share is known."""

from datetime import timedelta

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


class LimitLeft(ProgressColumn):
    """How long a step lasts at most, where it ends at a limit, whatever it has found."""

    def render(self, task: Task) -> Text:
        """Return the time left to the limit of a task."""
        limit = task.fields.get("limit")
        if limit is None:
            return Text()
        left = timedelta(seconds=max(0, round(limit - (task.elapsed or 0))))
        return Text(f"{left} left at most", style="progress.remaining")


COLUMNS = (
    SpinnerColumn(),
    TextColumn("{task.description}", markup=False),
    TimeElapsedColumn(),
    WhereKnown(BarColumn(20)),
    WhereKnown(TimeRemainingColumn(), " left"),
    LimitLeft(),
)

"""A figure of privacy against utility: what figures 6 and 10 of Yang, Qu, Cudré-Mauroux share."""

from collections.abc import Callable, Sequence

from hushrank.experiments.experiment import Experiment, Group, Measurement
from hushrank.experiments.pictures.views import trade_off_views
from hushrank.experiments.populations import FilePopulation, Populations


def trade_off(
    number: int,
    *,
    title: str,
    shows: str,
    platform: tuple[FilePopulation, FilePopulation],
    groups: tuple[Group, ...],
    plan: Callable[[Populations, bool], Sequence[Measurement]],
    repetitions: int,
) -> Experiment:
    """Return the figure of a number, about the users of a platform: its activity and profiles."""
    return Experiment(
        name=f"privrank-{number}",
        title=f"Yang, Qu, Cudré-Mauroux, figure {number}: {title}",
        shows=shows,
        x_label="MAP of the protected users",
        views=(trade_off_views(groups, platform[0].name),),
        plan=plan,
        populations=platform,
        repetitions=repetitions,
    )

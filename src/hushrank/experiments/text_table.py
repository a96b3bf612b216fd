"""A table of methods and populations, for people, in Markdown."""

from hushrank.experiments.experiment import Result


def text_table(result: Result) -> str:
    """Return the means: a row for each curve, a column for each population."""
    curves = dict.fromkeys(point.curve for point in result.points)
    means = {(point.curve, point.population): point.mean for point in result.points}
    titles = [
        f"{each.title}, {result.sizes[each.name].n_people:,} x {result.sizes[each.name].n_items}"
        for each in result.experiment.populations
    ]
    names = [each.name for each in result.experiment.populations]
    rows = [
        [curve, *(f"{means[curve, name]:.4f}" if (curve, name) in means else "" for name in names)]
        for curve in curves
    ]
    lines = [[result.experiment.x_label, *titles], ["---"] * (len(titles) + 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

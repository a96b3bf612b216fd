"""Who is asked: people in files that the user gives, and people drawn from a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.files.disk import FilePath
from hushrank.models.mallows import Mallows
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.models.ranking_model import RankingModel
from hushrank.rankings.files import read_rankings
from hushrank.rankings.formats.score_matrix import read_score_matrix
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties

Populations: TypeAlias = Mapping[str, Any]
"""What is known of each population, by its name: complete strict rankings, one row a person, of an
experiment about rankings; an activity or profiles of one about publishing."""

FEWEST_ITEMS = 3
QUICK_PEOPLE, QUICK_ITEMS = 500, 5

JESTER_ITEMS, JESTER_PEOPLE, JESTER_TIES_SEED = 40, 4000, 0


Prepare: TypeAlias = Callable[[Any, np.random.Generator | None], Any]
"""Checks what is known of a population; with a generator, which is quick, returns a part of it."""


def complete_people(rankings: Rankings, quick: np.random.Generator | None) -> Rankings:
    """Return complete strict rankings, one row a person; a few people and items where `quick`."""
    rankings.require_complete_strict("an experiment")
    n_items = rankings.n_items
    require(n_items >= FEWEST_ITEMS, f"expected at least {FEWEST_ITEMS} items, got {n_items}")
    people = rankings.expanded()
    if quick is None:
        return people
    n_kept = min(QUICK_PEOPLE, people.n_rows)
    rows = quick.choice(people.n_rows, size=n_kept, replace=False)
    return people.select(rows).restrict(range(min(QUICK_ITEMS, people.n_items)))


@dataclass(frozen=True)
class FilePopulation:
    """People in a file; `name` is what `--data NAME=FILE` calls them, `holds` says which file."""

    name: str
    title: str
    holds: str
    read: Callable[[FilePath], Any] = read_rankings
    prepare: Prepare = complete_people


@dataclass(frozen=True)
class DrawnPopulation:
    """People drawn from a model."""

    name: str
    title: str
    draw: Callable[[np.random.Generator], Any]
    prepare: Prepare = complete_people


Population: TypeAlias = FilePopulation | DrawnPopulation


def read_jester(path: FilePath) -> Rankings:
    """Read the people who rated all of the 40 most rated jokes: the first 4,000 of them.

    Ties are broken at random, once and for all. The most rated of several is the first.
    Source: Hay, Elagina, Miklau (SDM 2017), section 6.1, of an earlier release of the ratings.
    """
    ratings = read_score_matrix(path, missing=99, skip_columns=1)
    enough = ratings.n_items >= JESTER_ITEMS
    require(enough, f"expected ratings of {JESTER_ITEMS}+ items, got {ratings.n_items}")
    most_rated = np.argsort(-ratings.is_ranked.sum(axis=0), kind="stable")[:JESTER_ITEMS]
    jokes = np.sort(most_rated)
    everything = np.flatnonzero(ratings.is_ranked[:, jokes].all(axis=1))[:JESTER_PEOPLE]
    require(everything.size, f"expected people who rated all of {JESTER_ITEMS} items, got none")
    chosen = ratings.select(everything).restrict([int(joke) for joke in jokes])
    return break_ties(chosen, rng=np.random.default_rng(JESTER_TIES_SEED))


def read_complete_ballots(path: FilePath) -> Rankings:
    """Read the ballots that rank all items, or all but one, without ties; drop all others.

    The item that such a ballot leaves out is the last one.
    Raises HushrankError when no ballot is left.
    """
    ballots = read_rankings(path)
    last = ballots.n_items - 1
    ranks = np.where(ballots.is_ranked, ballots.ranks, last)
    is_order = np.sort(ranks, axis=1) == np.arange(ballots.n_items)  # two at the end are none
    kept = np.flatnonzero(is_order.all(axis=1))
    require(kept.size, f"expected ballots that rank {last}+ items without ties, got none")
    completed = np.asfortranarray(ranks[kept], dtype=ballots.ranks.dtype)
    people = ballots.people_of_rows[kept]
    return Rankings(completed, ballots.names, people)


def election(name: str, title: str, file: str) -> FilePopulation:
    """Return the complete ballots of an election in PrefLib."""
    holds = f"PrefLib {file}; incomplete ballots are dropped"
    return FilePopulation(name, title, holds, read_complete_ballots)


def mallows_population(n_people: int, n_items: int, dispersion: float) -> DrawnPopulation:
    """Return people of a Mallows model around a random order: no item number says how good it is.

    Dispersion φ is e^-theta; the theta of Yan, Li, Liu (2019) is 1 - φ.
    """
    return DrawnPopulation(
        name=f"mallows-{dispersion:g}-{n_items}",
        title=f"Mallows φ = {dispersion:g}",
        draw=partial(_draw_mallows, n_people, n_items, dispersion),
    )


def _draw_mallows(
    n_people: int, n_items: int, dispersion: float, rng: np.random.Generator
) -> Rankings:
    model = Mallows(tuple(rng.permutation(n_items).tolist()), dispersion)
    return _people_of(model, n_people, rng)


def mixture_population(n_people: int, n_items: int, n_components: int) -> DrawnPopulation:
    """Return people of equally large Plackett-Luce components, all utilities normal(0, 1)."""
    return DrawnPopulation(
        name=f"mixture-{n_components}-{n_items}",
        title=f"{n_components} Plackett-Luce components",
        draw=partial(_draw_mixture, n_people, n_items, n_components),
    )


def _draw_mixture(
    n_people: int, n_items: int, n_components: int, rng: np.random.Generator
) -> Rankings:
    model = plackett_luce_mixture(n_items, n_components, spread=1.0, rng=rng)
    return _people_of(model, n_people, rng)


def _people_of(model: RankingModel, n_people: int, rng: np.random.Generator) -> Rankings:
    names = tuple(str(item + 1) for item in range(model.n_items))
    return Rankings(model.sample(n_people, rng=rng), names)


RANKINGS = FilePopulation("rankings", "", "complete strict rankings, such as Sushi in PrefLib")
SUSHI = FilePopulation("sushi", "Sushi", "SUSHI preference set A, PrefLib 00014-00000001.soc")
JESTER = FilePopulation("jester", "Jester", "Jester data set 1, part 1, as CSV", read_jester)
TURK_DOTS = FilePopulation("turkdots", "TurkDots", "PrefLib 00024-00000001.soc")
TURK_PUZZLE = FilePopulation("turkpuzzle", "TurkPuzzle", "PrefLib 00025-00000001.soc")

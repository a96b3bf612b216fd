"""How coefficients hang together in public rankings, each data set judged by all the others.

`HUSHRANK_DATA=folder python -m benchmarks.prior_constants` reads every PrefLib file below it,
and the Jester ratings; some minutes. Of each data set with 100 people or more and 4 to 10 items the
reports of people who tell nearly the truth are taken at their expectation, and a model is fitted;
constants are then judged by the log-evidence of its parabola, at the scale that suits them best. No
noise is drawn.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from hushrank.errors import HushrankError
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.prior_scale import ScaleEvidence
from hushrank.estimators.ranks.fit import Parabola, fit_ranks
from hushrank.experiments.populations import read_complete_ballots
from hushrank.mechanisms.local import Tally
from hushrank.models.max_entropy.rank_features import RankFeatures
from hushrank.protocols.distributions.question_mix import MIXES, mix_surveys
from hushrank.rankings.formats.score_matrix import read_score_matrix
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties

CLEAR = 8.0
"""Epsilon at which reports all but tell the truth."""
JOKES, JOKE_SEEDS = 8, range(100, 104)
SCALES = np.geomspace(0.05, 2, 40)
Constants: TypeAlias = tuple[float, float, float]
"""Same parity; interactions of degree 1 and of degree 2, mirrored."""
NOTHING: Constants = (0.0, 0.0, 0.0)
GRID = tuple(product((0.0, 0.55, 0.65, 0.75, 0.85), (0.0, 0.9, 0.95, 0.98), (0.0, 0.4, 0.6, 0.8)))


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of one data set: a parabola, and how the log-evidence depends on constants."""

    group: str
    parabola: Parabola

    @classmethod
    def of(cls, group: str, people: Rankings) -> "Known":
        """Fit a model to what the people would report."""
        (survey,) = mix_surveys(MIXES["ranks-and-pairs"], people.n_items, CLEAR)
        n_asked = people.n_people / len(survey.questions)
        tallies = []
        for question, mechanism in zip(survey.questions, survey.local_mechanisms, strict=True):
            counts = np.bincount(question.answer(people.ranks), minlength=question.n_categories)
            rates, shares = mechanism.rates, counts / people.n_people
            support = n_asked * (rates.false_hit_rate + rates.reach * shares)
            tallies.append(Tally(support, n_asked))  # type: ignore[arg-type]
        asked = survey.questions, survey.local_mechanisms, tallies
        likelihood = ReportLikelihood.of(people.n_items, *asked)
        fit = fit_ranks(likelihood, prior="typical")
        return cls(group, Parabola(likelihood, fit.point))

    def log_evidence(self, constants: Constants) -> float:
        """Return the log-probability of the reports at the best scale."""
        root = correlated(self.parabola.point.features, constants).prior_root
        evidence = ScaleEvidence.of(self.parabola.information, self.parabola.pull, root)
        return float(evidence.log_evidence(SCALES).max())


def correlated(features: RankFeatures, constants: Constants) -> RankFeatures:
    """Return the features with other prior correlations."""
    same_parity, *mirrored = constants
    rest = iter(mirrored)
    kinds = (
        replace(each, mirrored=next(rest)) if each.is_ordered else each for each in features.kinds
    )
    return replace(features, kinds=tuple(kinds), same_parity=same_parity)


def data_sets(folder: Path) -> Iterator[Known]:
    """Yield every data set of a fitting size; the folder that holds a file names its group."""
    seen = set()
    for path in sorted(folder.rglob("*.[st]o[ic]*")):
        try:
            people = read_complete_ballots(path).expanded()
        except HushrankError:
            continue
        size = people.n_people, people.n_items, int(people.ranks[:50].sum())
        if people.n_people >= 100 and 4 <= people.n_items <= 10 and size not in seen:
            seen.add(size)
            yield Known.of(path.parent.name.removesuffix("2009"), people)
    for path in sorted(folder.rglob("jester-data-1.csv.gz")):
        ratings = read_score_matrix(path, missing=99, skip_columns=1)
        whole = ratings.select(np.flatnonzero(ratings.is_ranked.all(axis=1)))
        for seed in JOKE_SEEDS:
            rng = np.random.default_rng(seed)
            jokes = sorted(rng.choice(whole.n_items, JOKES, replace=False).tolist())
            yield Known.of("jester", break_ties(whole.restrict(jokes), rng=rng))


def gains(known: Sequence[Known]) -> Mapping[str, Mapping[Constants, float]]:
    """Return by how much constants add to each group's log-evidence: group by group."""
    found: dict[str, dict[Constants, float]] = defaultdict(lambda: defaultdict(float))
    for each in known:
        before = each.log_evidence(NOTHING)
        for constants in GRID:
            found[each.group][constants] += each.log_evidence(constants) - before
    return found


def show(found: Mapping[str, Mapping[Constants, float]]) -> None:
    """Print the best constants without each group, and what that group gains by them."""
    for left_out in (None, *found):
        others = [of_group for group, of_group in found.items() if group != left_out]
        best = max(GRID, key=lambda constants: sum(each[constants] for each in others))
        gained = sum(each[best] for each in others) if left_out is None else found[left_out][best]
        print(f"{left_out or 'nothing'} left out: {best}, log-evidence {gained:+.1f}")


if __name__ == "__main__":
    show(gains(list(data_sets(Path(os.environ["HUSHRANK_DATA"])))))

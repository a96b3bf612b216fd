"""How often 95 % intervals of the maximum-entropy protocol hold the truth, measured.

A collection's coverage is the share of its intervals that hold the truth; its intervals depend on
one another, so errors of a mean coverage come from the spread between collections.
"""

from typing import NamedTuple

import numpy as np
import pytest

from hushrank.engines.local import simulate
from hushrank.experiments.figures.frontier.elections import ELECTIONS
from hushrank.models.max_entropy.rank_features import rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import first_order_marginals, majority
from hushrank.rankings.profile import Rankings
from tests.experiments.election_files import election_file
from tests.statistics import critical_deviate, random_seed

WIDTH = 1.96
TYPICAL_SCALE = 0.3
"""How far from uniform the populations are, in the prior's spreads."""
LEAST, MOST = 0.93, 0.97
"""What the mean coverage of 95 % intervals may be, where people follow the family."""
KINDS = ("shares", "precedences", "ranks")
FEW_ITEMS = ELECTIONS[2:]
"""Those of up to 9 items: the first two have 12 and 14."""


class Truth(NamedTuple):
    """P(rank of a = r) (items, ranks) and P(a before b) (items, items), 0 on the diagonal."""

    shares: np.ndarray
    precedences: np.ndarray


def names(n_items):
    return tuple(str(item) for item in range(n_items))


def family_member(n_items, *, rng):
    """Draw a population from the prior."""
    features = rank_features(n_items)
    coefficients = TYPICAL_SCALE * features.prior_root @ rng.normal(size=len(features.spreads))
    return RankPotentials.from_coefficients(features, coefficients)


def collected(people, epsilon, *, rng):
    protocol = max_entropy(people.n_items, epsilon=epsilon, n_people=people.n_people)
    return simulate(protocol, people, rng=rng).result


def covered(outcome, truth, width=WIDTH):
    """Return which share of the intervals of each kind holds the truth (kinds,)."""
    known, pairs = outcome.estimates, np.triu_indices(len(truth.shares), k=1)
    off = (known.precedences - truth.precedences)[pairs]
    ranks = np.argsort(np.argsort(-truth.precedences.sum(axis=1), kind="stable"))
    intervals = outcome.posterior.rank_intervals()
    return (
        np.mean(np.abs(known.at - truth.shares) <= width * known.at_errors),
        np.mean(np.abs(off) <= width * known.precedence_errors[pairs]),
        np.mean([low <= rank <= high for (low, high), rank in zip(intervals, ranks, strict=True)]),
    )


def collections_in_the_family(n_items, n_people, epsilon, n_collections):
    """Collect once from each of many populations; return outcomes and truths."""
    found = []
    for seed in np.random.SeedSequence(random_seed()).spawn(n_collections):
        rng = np.random.default_rng(seed)
        model = family_member(n_items, rng=rng)
        truth = Truth(model.first_order_marginals, model.precedences)
        people = Rankings(model.sample(n_people, rng=rng), names(n_items))
        found.append((collected(people, epsilon, rng=rng), truth))
    return found


def coverages(collections, width=WIDTH):
    """Return the coverage (collections, kinds)."""
    return np.array([covered(outcome, truth, width) for outcome, truth in collections])


def tolerance(found):
    """Return by how much a mean of coverages (kinds,) errs at most, but with FALSE_ALARM."""
    deviate = critical_deviate(len(KINDS))
    return deviate * found.std(axis=0, ddof=1) / np.sqrt(len(found))


def assert_cover(found, least=LEAST, most=MOST):
    mean, error = found.mean(axis=0), tolerance(found)
    shown = ", ".join(f"{kind} {m:.3f}" for kind, m in zip(KINDS, mean, strict=False))
    assert (mean >= least - error).all(), shown
    assert (mean <= most + error).all(), shown


def test_intervals_cover_about_95_percent_in_the_family():
    """Of 60 small collections; errors half as large as they are would cover 67 %."""
    collections = collections_in_the_family(5, 2000, 1.0, 60)
    found = coverages(collections)
    assert_cover(found[:, :2])
    assert_cover(found, LEAST, 1.0)  # an interval of whole ranks holds at least what it states
    halved = coverages(collections, WIDTH / 2)
    assert (halved.mean(axis=0) < LEAST - tolerance(halved))[:2].all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_items", "n_people", "epsilon", "n_collections"),
    [(5, 2000, 1.0, 200), (5, 2000, 4.0, 200), (8, 5000, 1.0, 200), (10, 5000, 1.0, 200)],
)
def test_intervals_cover_93_to_97_percent_in_the_family(n_items, n_people, epsilon, n_collections):
    """Means of 200 collections err by .03 at most, but with FALSE_ALARM; .005 is usual.

    Rank intervals hold whole ranks, and at least what they state.
    """
    found = coverages(collections_in_the_family(n_items, n_people, epsilon, n_collections))
    print(n_items, n_people, epsilon, found.mean(axis=0), tolerance(found))
    assert (tolerance(found) < 0.04).all()
    assert_cover(found[:, :2], LEAST, MOST)
    assert_cover(found, LEAST, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_people", "epsilon", "n_collections"),
    [(5000, 0.4, 20), (5000, 1.0, 20), (5000, 4.0, 15), (100_000, 1.0, 8), (100_000, 4.0, 8)],
)
def test_intervals_cover_93_percent_on_sushi(data_folder, n_people, epsilon, n_collections):
    """Where the family is only close; at epsilon .2 they cover too seldom, see the next test."""
    people = read_rankings(data_folder / "sushi" / "sushi.soc").expanded()
    assert_cover(coverages_of_people(people, epsilon, n_collections, n_people), LEAST, 1.0)


@pytest.mark.slow
def test_intervals_of_few_weak_reports_are_somewhat_too_narrow_on_sushi(data_folder):
    """Measured: shares .94, precedences .92, ranks .97; docs/experiments/max-entropy.md says so."""
    people = read_rankings(data_folder / "sushi" / "sushi.soc").expanded()
    assert_cover(coverages_of_people(people, 0.2, 25), 0.86, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("election", FEW_ITEMS, ids=[each.name for each in FEW_ITEMS])
def test_intervals_cover_93_percent_in_elections(data_folder, election, epsilon):
    people = election.read(election_file(data_folder, election)).expanded()
    assert_cover(coverages_of_people(people, epsilon, 25), LEAST, 1.0)


def coverages_of_people(people, epsilon, n_collections, n_people=None):
    """Collect from the same people, or from so many drawn from them with repetition."""
    truth = Truth(first_order_marginals(people), majority(people) / people.n_people)
    found = []
    for seed in np.random.SeedSequence(random_seed()).spawn(n_collections):
        rng = np.random.default_rng(seed)
        asked = people
        if n_people not in (None, people.n_people):
            asked = people.select(rng.integers(people.n_rows, size=n_people))
        found.append(covered(collected(asked, epsilon, rng=rng), truth))
    mean = np.mean(found, axis=0)
    print(people.n_items, n_people or people.n_people, epsilon, mean)
    return np.array(found)

"""What a mix is expected to lose of people whom the prior does not describe: against draws."""

import numpy as np
import pytest

from hushrank.estimators.prior_scale import ScaleEvidence
from hushrank.estimators.ranks.point import uniform_point
from hushrank.planning.mixes.population_loss import RESTS, population_losses
from hushrank.planning.mixes.predicted_loss import SCALES, round_changes, round_information
from hushrank.planning.mixes.tabulate import best_mixes
from hushrank.protocols.distributions.mixes.table import PEOPLE
from hushrank.protocols.distributions.question_mix import MIXES, MixPart

N_DRAWS = 4000
SETS = (MixPart("levels-and-pairs", 0.5, 3), MixPart("first", 0.5, 1))


def drawn_coefficients(n_items, size, rest, rng):
    """Draw coefficients of people of whom degree 1 says more than the prior has it."""
    features = uniform_point(n_items).features
    sizes = np.full(len(features.spreads), rest)
    sizes[np.arange(n_items) * (n_items - 1)] = 1.0
    own = features.prior_root @ rng.normal(size=(len(sizes), N_DRAWS))
    return features, size * sizes[:, None] * own


@pytest.mark.linear_algebra
def test_the_loss_is_the_mean_over_drawn_people_and_reports():
    """In the linear model: reports pull by F x, with noise of covariance F."""
    n_items, n_people, rng = 4, 600, np.random.default_rng(3)
    information = n_people * sum(
        part.share * round_information(part, n_items, 1.0) for part in SETS
    )
    root_of_noise = np.linalg.cholesky(information + 1e-9 * np.eye(len(information)))
    losses = []
    for rest in RESTS:
        for size in SCALES:
            features, drawn = drawn_coefficients(n_items, size, rest, rng)
            true = np.linalg.solve(features.prior_root, drawn)
            pulls = information @ true + root_of_noise @ rng.normal(size=true.shape)
            weights, directions = np.linalg.eigh(information)
            squares = ((directions.T @ pulls) ** 2).mean(axis=1)
            scale = ScaleEvidence(weights, np.sqrt(squares)).point_scale("safe")
            found = np.linalg.solve(information + np.eye(len(weights)) / scale**2, pulls)
            off = np.abs(round_changes(n_items).T @ (found - true))
            losses.append(off.sum(axis=0).mean() / 2)
    expected = np.exp(np.log(losses).mean())
    assert population_losses(SETS, n_items, 1.0, [n_people]) == pytest.approx([expected], rel=0.02)


def test_without_people_the_loss_is_how_far_they_are_from_uniform():
    rng, each = np.random.default_rng(4), []
    for rest in RESTS:
        for size in SCALES:
            features, drawn = drawn_coefficients(4, size, rest, rng)
            moved = round_changes(4).T @ np.linalg.solve(features.prior_root, drawn)
            each.append(np.abs(moved).sum(axis=0).mean() / 2)
    expected = np.exp(np.log(each).mean())
    assert population_losses(SETS, 4, 1.0, [0]) == pytest.approx([expected], rel=0.02)


def test_few_people_are_asked_for_pairs_and_many_for_sets():
    """Of weak reports bits of detail cost more than they tell; of strong ones it turns round."""
    numbers = 7, 1.0, (300, 100_000)
    pairs, sets = (population_losses(mix, *numbers) for mix in (MIXES["pairs"], SETS))
    assert pairs[0] < sets[0]
    assert sets[1] < pairs[1]
    asked = dict(zip(PEOPLE, best_mixes(5, 1.0), strict=True))
    assert asked[300] == (("pairs", 1.0, None),)
    assert asked[100_000] != asked[300]

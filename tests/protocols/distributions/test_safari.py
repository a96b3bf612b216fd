from itertools import combinations, permutations

import numpy as np
import pytest

from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import (
    marginal_distance,
    q2_distance,
    uniform_second_order_marginals,
)
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.models.hierarchy import (
    ThinChain,
    crossing_information,
    information_tensor,
    learn_thin_chain,
    tripletwise_information,
)
from hushrank.models.riffle import RiffleModel
from hushrank.protocols.distributions.safari import chain_questions, safari
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.rank_and_precedence import rank_and_precedence_questions
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares

NAMES = tuple("abcdef")


def clustered_people(n_people: int) -> Rankings:
    """People whose items 0, 3, 4 and 1, 2, 5 are ordered alone, then riffled evenly."""
    chain = ThinChain(((0, 3, 4), (1, 2, 5)))
    leaf = np.array([0.5, 0.05, 0.05, 0.05, 0.05, 0.3])
    model = RiffleModel.from_shares(chain, [leaf, leaf[::-1], np.full(20, 1 / 20)])
    return Rankings(model.sample(n_people, rng=np.random.default_rng(3)), NAMES)


@pytest.mark.parametrize("max_leaf", [1, 2, 3, 6])
@pytest.mark.parametrize("split", ["budget", "people"])
@pytest.mark.parametrize("shrink", [False, True])
def test_every_option_returns_a_model_and_costs_epsilon(max_leaf, split, shrink):
    protocol = safari(6, epsilon=2.0, max_leaf=max_leaf, split=split, shrink=shrink)
    outcome = run(protocol, clustered_people(500), rng=Randomness.seeded(1))
    assert outcome.epsilon == 2.0
    assert max(map(len, outcome.result.chain.leaves)) <= max_leaf
    orders = np.array(list(permutations(range(6))))
    assert np.exp(outcome.result.log_probability(orders)).sum() == pytest.approx(1)


def test_the_groups_of_a_riffled_population_are_found_from_private_answers():
    outcome = run(
        safari(6, epsilon=6.0, max_leaf=3), clustered_people(60_000), rng=Randomness.seeded(2)
    )
    assert set(outcome.result.chain.leaves) == {(0, 3, 4), (1, 2, 5)}


def test_without_noise_a_riffled_population_is_learnt_exactly():
    people = clustered_people(40_000)
    model = run_without_noise(safari(6, epsilon=1.0, max_leaf=3), people)
    assert set(model.chain.leaves) == {(0, 3, 4), (1, 2, 5)}
    learnt = Rankings(model.sample(40_000, rng=np.random.default_rng(5)), NAMES)
    assert q2_distance(learnt, people) < 0.02


def test_the_same_tallies_give_the_same_model():
    models = [
        run(safari(6, epsilon=1.0), clustered_people(300), rng=Randomness.seeded(9)).result
        for _ in range(2)
    ]
    assert models[0].chain == models[1].chain
    for first, second in zip(models[0].interleavings, models[1].interleavings, strict=True):
        assert np.array_equal(first, second)


def test_rule_ii_with_single_items_asks_for_interleavings_of_2_to_d_cells():
    chain = ThinChain(((2,), (0,), (3,), (1,)))
    assert [question.n_categories for question in chain_questions(chain)] == [4, 3, 2]


def test_rule_ii_asks_for_every_leaf_and_every_split_of_many():
    pairs = [(2 * n, 2 * n + 1) for n in range(32)]
    rests = [tuple(range(2 * n + 2, 64)) for n in range(31)]
    orders = [RelativeOrder(pair) for pair in pairs]
    splits = [Interleaving(*each) for each in zip(pairs[:-1], rests, strict=True)]
    assert [*chain_questions(ThinChain(tuple(pairs)))] == [*orders, *splits]


@pytest.mark.parametrize(
    "options",
    [
        {"n_items": 2},
        {"n_items": 65},
        {"max_leaf": 0},
        {"max_leaf": 9},
        {"n_items": 60, "max_leaf": 5},
        {"split": "time"},
        {"post_process": "hope"},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"n_items": 9, "max_leaf": 8, "epsilon": 1e-11},
        {"n_items": 22, "max_leaf": 8, "epsilon": 1e-10},
    ],
)
@pytest.mark.parametrize("shrink", [False, True])
def test_wrong_options_are_refused_before_anything_is_drawn(options, shrink):
    people, given = clustered_people(10), {"n_items": 6, "epsilon": 1.0, "shrink": shrink}
    with pytest.raises(HushrankError):
        run(safari(**{**given, **options}), people, rng=Randomness.replayed(b""))


# The theorems of the technical report, about its estimator: |A| support / n, not support / n_j.

N_PEOPLE = 1200
N_COLLECTIONS = 4000
SIX_SIGMA = 6.0
ATTRIBUTES = [RelativeOrder((0, 1, 2)), RelativeOrder((3, 4, 5)), RelativeOrder((1, 3, 5))]


def printed_estimates(epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the printed estimates (collections, |A|, k), and the true frequencies (|A|, k)."""
    survey = sampled_survey("attributes", ATTRIBUTES, epsilon)
    people = clustered_people(N_PEOPLE)
    p, q = survey.mechanisms[0].rates.hit_rate, survey.mechanisms[0].rates.false_hit_rate

    def once():
        (tallies,) = yield (survey,)
        support = np.array([tally.support for tally in tallies])
        return (len(ATTRIBUTES) * support - N_PEOPLE * q) / (p - q) / N_PEOPLE

    rng = np.random.default_rng(2026)
    estimates = [simulate(once(), people, rng=rng).result for _ in range(N_COLLECTIONS)]
    true = [np.bincount(a.answer(people.ranks), minlength=6) / N_PEOPLE for a in ATTRIBUTES]
    return np.array(estimates), np.array(true)


@pytest.mark.statistical
def test_theorem_2_the_estimate_is_unbiased_and_theorem_3_has_its_variance():
    epsilon = 1.0
    estimates, true = printed_estimates(epsilon)
    n_attributes, k = len(ATTRIBUTES), 6
    p, q = np.exp(epsilon) / (np.exp(epsilon) + k - 1), 1 / (np.exp(epsilon) + k - 1)
    stated = true * p * (n_attributes - p) + (1 - true) * q * (n_attributes - q)
    stated /= N_PEOPLE * (p - q) ** 2
    errors = np.sqrt(stated / N_COLLECTIONS)
    assert (np.abs(estimates.mean(axis=0) - true) < SIX_SIGMA * errors).all()
    assert estimates.var(axis=0) == pytest.approx(
        stated, rel=SIX_SIGMA * np.sqrt(2 / N_COLLECTIONS)
    )
    approximate = ((np.exp(epsilon) + k - 1) * n_attributes - 1) / (N_PEOPLE * (np.e - 1) ** 2)
    assert approximate == pytest.approx(stated[true < 0.06], rel=0.12)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n_categories", "safa_wins"), [(6, True), (10, True), (17, False), (32, False)]
)
def test_theorem_4_repaired_safa_wins_below_a_number_of_categories(n_categories, safa_wins):
    """With n_j known: k < e^2ε + e^ε + 3, 13.1 at ε = 1, for shares near 0."""
    epsilon, n_people = 1.0, 20_000
    counts = np.zeros(n_categories, dtype=np.int64)
    counts[0] = n_people
    rng = np.random.default_rng(n_categories)
    variances = {}
    for make in (GeneralizedRandomizedResponse, Harmony):
        mechanism = make(n_categories, epsilon)
        tallies = [mechanism.simulate_tally(counts, rng=rng).support[1:] for _ in range(2000)]
        scale = n_people * (mechanism.rates.reach)
        variances[make] = (np.array(tallies) / scale).var(axis=0).mean()
    e = np.exp(epsilon)
    assert variances[Harmony] == pytest.approx((e + 1) ** 2 / (n_people * (e - 1) ** 2), rel=0.1)
    stated = (e + n_categories - 2) / (n_people * (e - 1) ** 2)
    assert variances[GeneralizedRandomizedResponse] == pytest.approx(stated, rel=0.1)
    wins = variances[GeneralizedRandomizedResponse] < variances[Harmony]
    assert wins == safa_wins == (n_categories < e**2 + e + 3)


# Sushi: reference values measured by an independent prototype.


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("epsilon", "expected", "tolerance"), [(1.0, 0.42, 0.06), (4.0, 0.161, 0.02)]
)
def test_sushi_is_learnt_as_well_as_the_reference(data_folder, epsilon, expected, tolerance):
    sushi = read_rankings(data_folder / "sushi" / "sushi.soc")
    rng = np.random.default_rng(0)
    distances = []
    for seed in range(10):
        model = run(safari(10, epsilon=epsilon), sushi, rng=Randomness.seeded(seed)).result
        distances.append(q2_distance(Rankings(model.sample(5000, rng=rng), sushi.names), sushi))
    assert np.mean(distances) == pytest.approx(expected, abs=tolerance)


SUSHI_SPLITS = [
    ((0,), 0.1452),
    ((3, 4), 0.3954),
    ((0, 3, 4), 0.5166),
    ((1, 3, 4, 6), 0.7601),
    ((0, 2, 5, 8, 9), 0.7337),
]


@pytest.mark.parametrize(("leaf", "crossing"), SUSHI_SPLITS)
def test_sushi_splits_where_the_reference_does(data_folder, leaf, crossing):
    """Of all sets of its size, this one is crossed by the least information, in nats."""
    tensor = sushi_information(data_folder)
    sets = np.array([np.isin(range(10), s) for s in combinations(range(10), len(leaf))])
    sums = crossing_information(tensor, sets)
    assert tuple(np.flatnonzero(sets[sums.argmin()])) == leaf
    assert sums.min() == pytest.approx(crossing, abs=5e-5)


def test_sushi_has_the_reference_chain_of_leaves_of_3(data_folder):
    chain = learn_thin_chain(sushi_information(data_folder), 3)
    assert chain.leaves == ((0,), (3, 4), (1, 6, 7), (2, 9), (5, 8))


def sushi_information(data_folder) -> np.ndarray:
    def ask():
        survey = sampled_survey("Rule I", rank_and_precedence_questions(10), 1.0)
        return survey_shares(survey, (yield (survey,))[0])

    shares = run_without_noise(ask(), read_rankings(data_folder / "sushi" / "sushi.soc"))
    return information_tensor(10, tripletwise_information(np.stack(shares)))


def test_sushi_without_noise_has_the_reference_distance(data_folder):
    sushi = read_rankings(data_folder / "sushi" / "sushi.soc")
    model = run_without_noise(safari(10, epsilon=1.0), sushi)
    rng = np.random.default_rng(0)
    learnt = Rankings(model.sample(5000, rng=rng), sushi.names)
    assert q2_distance(learnt, sushi) == pytest.approx(0.133, abs=0.01)
    uniform = uniform_second_order_marginals(10)
    assert marginal_distance(uniform, second_order_marginals(sushi)) == pytest.approx(
        0.309, abs=0.001
    )


def test_rule_i_asks_360_questions_of_20_cells_about_10_items():
    questions = rank_and_precedence_questions(10)
    assert len(questions) == 360
    assert questions[0].n_categories == 20


@pytest.mark.parametrize("shrink", [False, True])
@pytest.mark.parametrize("max_leaf", [4, 5])
def test_what_cannot_hide_the_answers_of_rule_2_is_refused_before_anybody_answers(max_leaf, shrink):
    """Rule I has 12 categories, Rule II 24 and more."""

    def few(n_categories, epsilon):
        if n_categories > 12:
            raise HushrankError("too many")
        return GeneralizedRandomizedResponse(n_categories, epsilon)

    with pytest.raises(HushrankError, match="too many"):
        next(safari(6, epsilon=1.0, max_leaf=max_leaf, shrink=shrink, make_mechanism=few))

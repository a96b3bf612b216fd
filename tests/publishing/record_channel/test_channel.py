from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.planted import draw_planted
from hushrank.errors import HushrankError
from hushrank.evaluation.attackers import AttackCase, attack
from hushrank.publishing import classifiers as classifiers_module
from hushrank.publishing.classifiers import features
from hushrank.publishing.record_channel import candidates as candidates_module
from hushrank.publishing.record_channel import problem as problem_module
from hushrank.publishing.record_channel.beliefs import beliefs
from hushrank.publishing.record_channel.candidates import Candidates, nearest_candidates
from hushrank.publishing.record_channel.channel import RecordChannel, solve_record_channel
from hushrank.publishing.record_channel.dependent_rounding import round_dependently
from hushrank.publishing.record_channel.problem import (
    RecordProblem,
    first_solution,
    lower_bound,
    record_joint,
    solve_at_price,
)
from hushrank.randomness import Randomness
from tests.statistics import assert_follows, draws_needed, random_seed

N_USERS, BUDGET = 160, 0.08


def records(n_users: int = N_USERS) -> csr_array:
    rng = np.random.default_rng(random_seed())
    log, _ = draw_planted(n_users, 40, tilt=0.5, mean_records=12.0, rng=rng)
    return log.activity("max").scores


def guesses(n_users: int = N_USERS, n_values: int = 2) -> np.ndarray:
    return np.random.default_rng(4).dirichlet(np.full(n_values, 0.8), n_users) * 0.98 + (
        0.02 / n_values
    )


@pytest.fixture(scope="module")
def channel() -> RecordChannel:
    rng = np.random.default_rng(5)
    return solve_record_channel(records(), guesses(), budget=BUDGET, rng=rng)


def dense(channel: RecordChannel) -> np.ndarray:
    """P(record | user), (users, users)."""
    table = np.zeros((N_USERS, N_USERS))
    rows = np.arange(N_USERS)[:, None]
    np.add.at(table, (rows, channel.candidates.members), channel.solution.probabilities)
    return table


def test_each_record_is_released_as_often_as_settled(channel):
    assert channel.counts.sum() == N_USERS
    np.testing.assert_allclose(dense(channel).sum(axis=0), channel.counts, atol=2e-4)
    np.testing.assert_allclose(dense(channel).sum(axis=1), 1, atol=1e-12)
    for seed in range(20):
        drawn = channel.draw(rng=Randomness.seeded(seed))
        np.testing.assert_array_equal(np.bincount(drawn, minlength=N_USERS), channel.counts)


def test_a_released_record_tells_what_is_believed_of_all_whom_it_may_stand_for(channel):
    joint = dense(channel).T @ guesses()
    is_released = channel.counts > 0
    told = joint[is_released] / joint[is_released].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(channel.posterior()[is_released], told, atol=1e-9)


@pytest.mark.parametrize("kept", ["users", "records"])
def test_a_draw_that_is_not_as_settled_is_released_to_nobody(channel, monkeypatch, kept):
    """One user of two records and one of none, or a record as often as was not settled."""

    def drawn(rows, columns, chances, shape, *, rng):
        taken = round_dependently(rows, columns, chances, shape, rng=rng)
        same = {"users": rows, "records": columns}[kept]
        return moved_once(taken, same)

    module = "hushrank.publishing.record_channel.channel"
    monkeypatch.setattr(f"{module}.round_dependently", drawn)
    with pytest.raises(HushrankError, match="one record for each user, each as often as settled"):
        channel.draw(rng=Randomness.seeded(1))


def moved_once(taken, same):
    """Take another entry in place of one, of those that are the same in something."""
    others = (
        (one, other)
        for one in np.flatnonzero(taken)
        for other in np.flatnonzero(~taken & (same == same[one]))
    )
    changed = taken.copy()
    changed[list(next(others))] = False, True
    return changed


def test_the_distance_stays_within_the_budget(channel):
    units = features(records()).toarray()
    apart = 1 - units @ units.T
    distance = (dense(channel) * apart).sum() / N_USERS
    assert distance == pytest.approx(channel.distance, abs=1e-9)
    assert 0.7 * BUDGET < distance <= BUDGET


def test_the_certificate_is_a_bound_that_plain_numpy_finds_too(channel):
    """leakage - (dual bound - price budget), from potentials, fees and price alone."""
    problem, found = channel.problem, channel.solution
    believed, prior = guesses(), guesses().mean(axis=0)
    joint = dense(channel).T @ believed / N_USERS
    released = joint.sum(axis=1, keepdims=True)
    positive = joint > 0
    leakage = joint[positive] * np.log((joint / np.where(released > 0, released, 1))[positive])
    leakage = leakage.sum() - prior @ np.log(prior)
    assert leakage == pytest.approx(channel.leakage, abs=1e-9)
    units = features(records()).toarray()
    costs = believed @ found.potentials.T + problem.price * (1 - units @ units.T) + found.fees
    mask = np.zeros(costs.shape, dtype=bool)
    np.put_along_axis(mask, channel.candidates.members.astype(int), True, axis=1)
    costs[~mask | (channel.counts == 0)[None]] = np.inf
    normaliser = np.log((np.exp(found.potentials) @ prior).max())
    bound = costs.min(axis=1).mean() - found.fees @ channel.counts / N_USERS - max(normaliser, 0)
    gap = leakage - (bound - problem.price * BUDGET)
    assert gap == pytest.approx(channel.certified_gap, abs=1e-6)
    assert -1e-9 <= gap < 0.2 * problem.untouched_leakage


def test_no_other_channel_is_below_the_bound():
    """A linear program: the least objective of a channel whose leakage is linearised."""
    rng = np.random.default_rng(6)
    candidates = nearest_candidates(features(records(40)), rng=rng)
    problem = RecordProblem(candidates, guesses(40), 0.5)
    best = solve_at_price(problem, tolerance=1e-3)
    bound = lower_bound(problem, best.potentials, best.fees)
    for _ in range(200):
        weights = rng.dirichlet(np.full(candidates.members.shape[1], 0.3), 40)
        chances = np.where(problem.allowed, weights, 0)
        chances /= chances.sum(axis=1, keepdims=True)
        table = np.zeros((40, 40))
        np.add.at(table, (np.arange(40)[:, None], candidates.members), chances)
        joint = table.T @ guesses(40) / 40
        positive = joint > 0
        independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        leakage = (joint[positive] * np.log(joint[positive] / independent[positive])).sum()
        paid = (chances * np.where(problem.allowed, candidates.distances, 0)).sum() / 40
        assert leakage + 0.5 * paid >= bound
    reached = best.leakage + 0.5 * best.distance
    assert reached - bound <= 1e-3 * problem.untouched_leakage + 1e-12


@pytest.mark.parametrize("shift", [0.1, 1.0, 30.0])
def test_potentials_that_promise_too_much_raise_no_bound(shift):
    """Whoever adds to all of them has the bound of before: they are taken off again."""
    rng = np.random.default_rng(6)
    problem = RecordProblem(nearest_candidates(features(records(40)), rng=rng), guesses(40), 0.5)
    best = solve_at_price(problem)
    most = np.log((np.exp(best.potentials) @ problem.shares).max())
    tight = best.potentials - most
    bound = lower_bound(problem, tight, best.fees)
    assert lower_bound(problem, tight + shift, best.fees) == pytest.approx(bound, abs=1e-9)
    assert bound <= best.leakage + 0.5 * best.distance


def test_a_user_s_likeliest_record_comes_with_its_chance():
    """A draw that favours it by a fifth would fail, with probability 0.999."""
    rng = np.random.default_rng(5)
    channel = solve_record_channel(records(30), guesses(30), budget=0.3, rng=rng)
    chances = channel.solution.probabilities
    user = int(np.abs(chances.max(axis=1) - 0.5).argmin())
    record = int(channel.candidates.members[user, chances[user].argmax()])
    chance = chances[user].max()
    assert 0.2 < chance < 0.8
    stated, wrong = [1 - chance, chance], [1 - 1.2 * chance, 1.2 * chance]
    tape = Randomness.seeded(random_seed())
    n_draws = draws_needed(stated, wrong)
    came = np.array([channel.draw(rng=tape)[user] == record for _ in range(n_draws)])
    assert_follows(came.astype(int), stated)


def test_budgets_out_of_range_and_beliefs_of_others_are_refused():
    for budget in (0.0, 1.5, float("nan")):
        with pytest.raises(HushrankError, match="budget above 0, at most 1"):
            solve_record_channel(records(), guesses(), budget=budget, rng=np.random.default_rng(1))
    with pytest.raises(HushrankError, match="for each user"):
        solve_record_channel(records(), guesses(7), budget=0.3, rng=np.random.default_rng(1))
    with pytest.raises(HushrankError, match="at least 2 users to exchange records, got 1"):
        nearest_candidates(features(records())[:1], rng=np.random.default_rng(1))


@pytest.mark.parametrize(("user", "n_users"), [(0, 10), (5, 10), (9, 10), (21, 400), (399, 400)])
def test_counts_that_leave_a_user_no_record_are_refused(user, n_users):
    own = Candidates(np.arange(n_users, dtype=np.int32)[:, None], np.zeros((n_users, 1)))
    counts = np.ones(n_users)
    counts[[user, 3]] = 0, 2
    with pytest.raises(HushrankError, match="counts that leave each user a record"):
        first_solution(RecordProblem(own, guesses(n_users), 0.5, counts))


@pytest.mark.parametrize("place", [0, 12, 29])
def test_one_candidate_of_many_is_enough_to_begin_with(place):
    all_of_30 = Candidates(np.tile(np.arange(30, dtype=np.int32), (30, 1)), np.zeros((30, 30)))
    counts = 30.0 * (np.arange(30) == place)
    begun = first_solution(RecordProblem(all_of_30, guesses(30), 0.5, counts))
    assert (begun.probabilities == (np.arange(30) == place)).all()


def test_the_last_belief_and_count_of_many_are_checked():
    own = Candidates(np.arange(30, dtype=np.int32)[:, None], np.zeros((30, 1)))
    believed, counts = guesses(30), np.ones(30)
    RecordProblem(own, believed, 0.5, counts)
    counts[-2:] = 3, -1
    with pytest.raises(HushrankError, match="counts that sum to users"):
        RecordProblem(own, believed, 0.5, counts)
    counts[-2:] = 1, 2
    with pytest.raises(HushrankError, match="counts that sum to users"):
        RecordProblem(own, believed, 0.5, counts)
    for of_last in ([1, 0], [0.5, 0.6]):
        believed[-1] = of_last
        with pytest.raises(HushrankError, match="beliefs above 0 that sum to 1"):
            RecordProblem(own, believed, 0.5)
    with pytest.raises(HushrankError, match="a belief in 2 or more values"):
        RecordProblem(own, np.ones((30, 1)), 0.5)


def test_nothing_is_believed_of_a_last_value_that_few_tell():
    scores, values = records(24 * 5 - 1), np.arange(24 * 5 - 1) % 24
    with pytest.raises(HushrankError, match="5 or more users of each value who protect nothing"):
        beliefs(scores, values, scores, 24, rng=np.random.default_rng(1))


@pytest.mark.parametrize("n_values", [2, 21, 90])
def test_of_records_and_values_the_chances_are_sums_over_users(n_values):
    rng, n_users = np.random.default_rng(random_seed()), 30
    candidates = nearest_candidates(features(records(n_users)), n_random=9, rng=rng)
    chances = rng.dirichlet(np.ones(candidates.members.shape[1]), n_users)
    believed = guesses(n_users, n_values)
    summed = np.zeros((n_users, n_values))
    for members, own, belief in zip(candidates.members, chances, believed, strict=True):
        np.add.at(summed, members, own[:, None] * belief / n_users)
    found = record_joint(candidates, chances, believed)
    np.testing.assert_allclose(found, summed, atol=1e-15)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("at_once", [20, 1])
def test_candidates_of_later_blocks_are_those_of_one(monkeypatch, at_once):
    seen = features(records(50))
    whole = nearest_candidates(seen, n_nearest=4, n_random=0, rng=np.random.default_rng(1))
    monkeypatch.setattr(candidates_module, "USERS_AT_ONCE", at_once)
    parts = nearest_candidates(seen, n_nearest=4, n_random=0, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(parts.members, whole.members)
    np.testing.assert_allclose(parts.distances, whole.distances)


class Seeing:
    """Knows the value of everybody, or of nobody."""

    classes_ = np.array([0, 1])

    def __init__(self, is_blind):
        self.is_blind = is_blind

    def fit(self, records, values):
        return self

    def predict_proba(self, records):
        return np.full((len(records), 2), 0.5) if self.is_blind else records


@pytest.mark.parametrize("blind", [(False, True), (True, False), (True, False, True)])
def test_every_classifier_tells_what_it_believes(monkeypatch, blind):
    makers = {n: lambda seed, is_blind=each: Seeing(is_blind) for n, each in enumerate(blind)}
    monkeypatch.setattr(classifiers_module, "classifiers", lambda: makers)
    monkeypatch.setattr(classifiers_module, "features", csr_array.toarray)
    values = np.arange(40) % 2
    known = csr_array(np.eye(2)[values])
    found = beliefs(known, values, known, 2, rng=np.random.default_rng(1))
    assert (found[np.arange(40), values] > 0.9).all()


@pytest.mark.parametrize("n_values", [2, 3])
@pytest.mark.usefixtures("hasty_attackers")
def test_scores_that_are_larger_for_one_value_are_believed_to_tell_it(n_values):
    """Features are of length 1: they are the same whoever did everything nine times."""
    scores, values = records(3 * N_USERS), np.arange(3 * N_USERS) % n_values
    scaled = csr_array(scores.multiply(np.where(values == 1, 9.0, 1.0)[:, None]))
    known, asked = np.split(np.arange(3 * N_USERS), [N_USERS])
    believed, blind = (
        beliefs(each[known], values[known], each[asked], n_values, rng=np.random.default_rng(1))
        for each in (scaled, scores)
    )
    right = believed[:, 1] > 0.5
    assert (right == (values[asked] == 1)).mean() > 0.95
    assert blind[values[asked] == 1, 1].mean() < 0.7


@pytest.mark.parametrize(
    ("of_one", "of_other"),
    [
        ([1, 8], [2, 5]),
        ([3] * 11 + [9], [3] * 12),
        ([3] * 11 + [1], [3] * 12),
        ([2.5, 3.5], [2, 4]),
    ],
)
@pytest.mark.usefixtures("hasty_attackers")
def test_how_scores_are_spread_is_believed_to_tell_a_value(of_one, of_other):
    """Wide ones, a large one, a small one, and fractions: their mean, times 1 to 7, says little."""
    rng, values = np.random.default_rng(3), np.arange(300) % 2
    scores = np.zeros((300, 30))
    for record, value in zip(scores, values, strict=True):
        of_user = rng.permutation(np.resize(of_one if value else of_other, 12))
        record[rng.permutation(30)[:12]] = of_user * rng.choice([1, 3, 5, 7])
    known, asked = csr_array(scores[:150]), csr_array(scores[150:])
    believed = beliefs(known, values[:150], asked, 2, rng=np.random.default_rng(1))
    assert ((believed[:, 1] > 0.5) == (values[150:] == 1)).mean() > 0.95


@pytest.mark.usefixtures("hasty_attackers")
def test_which_scores_are_given_how_often_is_believed_to_tell_a_value():
    """Of these the mean, the spread and the ends of log(1 + score) are the same."""
    logs, values = [[1, 2, 6, 7, 9], [1, 3, 4, 8, 9]], np.arange(300) % 2
    rng, scores = np.random.default_rng(3), np.zeros((300, 30))
    for record, value in zip(scores, values, strict=True):
        record[rng.permutation(30)[:10]] = 2.0 ** np.resize(logs[value], 10) - 1
    known, asked = csr_array(scores[:150]), csr_array(scores[150:])
    believed = beliefs(known, values[:150], asked, 2, rng=np.random.default_rng(1))
    assert ((believed[:, 1] > 0.5) == (values[150:] == 1)).mean() > 0.95


@pytest.mark.usefixtures("hasty_attackers")
def test_beliefs_are_near_the_prior_where_records_tell_nothing():
    """Classifiers know by heart whom they have learnt from: that must not count."""
    rng, values = np.random.default_rng(3), np.arange(300) % 2
    scores = csr_array((rng.random((300, 40)) < 0.3).astype(float))
    given = scores[:150], values[:150], scores[150:], 2
    believed = beliefs(*given, rng=np.random.default_rng(1))
    of_true = believed[np.arange(150), values[150:]]
    assert -np.log(of_true).mean() < np.log(2) + 0.2


def test_three_values_are_hidden_too():
    rng = np.random.default_rng(5)
    found = solve_record_channel(records(), guesses(n_values=3), budget=BUDGET, rng=rng)
    assert found.leakage < 0.8 * found.problem.untouched_leakage
    assert found.posterior().shape == (N_USERS, 3)
    np.testing.assert_allclose(found.posterior().sum(axis=1), 1, atol=1e-12)


def test_a_small_budget_keeps_most_records():
    rng = np.random.default_rng(5)
    found = solve_record_channel(records(), guesses(), budget=0.02, rng=rng)
    assert found.distance <= 0.02
    assert found.leakage < found.problem.untouched_leakage


@pytest.mark.parametrize("budget", [1e-200, 1e-320, 5e-324])
def test_a_budget_that_is_next_to_nothing_leaves_everybody_their_own_record(budget):
    rng = np.random.default_rng(5)
    found = solve_record_channel(records(40), guesses(40), budget=budget, rng=rng)
    assert found.distance == 0
    assert found.counts.tolist() == [1] * 40


@pytest.mark.parametrize("seen", [0.03, 0.06])
def test_what_beliefs_hardly_see_is_hidden_all_the_same(seen):
    """Where all differ by little, steps of one length would be too short to end."""
    sides = seen * np.random.default_rng(4).uniform(-1, 1, N_USERS)
    believed = np.column_stack([0.5 + sides, 0.5 - sides])
    found = solve_record_channel(records(), believed, budget=0.1, rng=np.random.default_rng(5))
    assert found.distance <= 0.1
    assert found.leakage < 0.3 * found.problem.untouched_leakage
    assert found.solution.certified_gap <= 0.2 * found.problem.untouched_leakage


@pytest.mark.parametrize("n_values", [2, 3])
def test_beliefs_that_see_nothing_leave_everybody_their_own_record(n_values):
    believed = np.full((N_USERS, n_values), 1 / n_values)
    found = solve_record_channel(records(), believed, budget=0.3, rng=np.random.default_rng(5))
    assert found.distance == pytest.approx(0, abs=1e-9)
    assert found.counts.tolist() == [1] * N_USERS


@pytest.mark.parametrize("n_values", [2, 3])
def test_beliefs_contract_what_two_laws_of_users_are_apart(n_values):
    rng = np.random.default_rng(8)
    believed = rng.dirichlet(np.full(n_values, 20.0), 30)
    problem = RecordProblem(nearest_candidates(features(records(30)), rng=rng), believed, 1.0)
    for _ in range(200):
        law, other = rng.dirichlet(np.full(30, 0.1), 2) + 1e-9
        of_values = [each @ believed for each in (law, other)]
        apart, kept = (np.sum(p * np.log(p / q)) for p, q in ((law, other), of_values))
        assert kept <= problem.contraction * apart + 1e-7
    assert problem.contraction < 0.5


def test_a_channel_that_hides_all_is_enough_where_the_proof_takes_too_long(monkeypatch):
    monkeypatch.setattr(problem_module, "MOST_STEPS", 0)
    candidates = nearest_candidates(features(records(40)), rng=np.random.default_rng(6))
    problem = RecordProblem(candidates, guesses(40), 1e-6)
    own = first_solution(problem)
    even = replace(own, probabilities=problem.allowed / problem.allowed.sum(axis=1, keepdims=True))
    found = solve_at_price(problem, start=even)
    assert found.leakage == pytest.approx(0, abs=1e-9)
    assert found.certified_gap == pytest.approx(found.leakage + 1e-6 * found.distance)
    with pytest.raises(HushrankError, match="within 0 steps: try another budget"):
        solve_at_price(problem, start=own)


@pytest.mark.parametrize(("seed", "budget"), [(0, 0.15), (2, 0.1)])
def test_where_the_first_try_is_beyond_the_budget_another_is_within(seed, budget):
    rng = np.random.default_rng(seed)
    log, _ = draw_planted(20, 40, tilt=0.5, mean_records=12.0, rng=rng)
    found = solve_record_channel(log.activity("max").scores, guesses(20), budget=budget, rng=rng)
    assert 0.9 * budget < found.distance <= budget


@pytest.mark.parametrize("seed", [2, 9])
def test_what_is_beyond_the_budget_is_not_returned_where_it_is_all_that_was_found(
    monkeypatch, seed
):
    monkeypatch.setattr("hushrank.publishing.record_channel.channel.MOST_TRIALS", 1)
    rng = np.random.default_rng(seed)
    log, _ = draw_planted(20, 40, tilt=0.5, mean_records=12.0, rng=rng)
    with pytest.raises(HushrankError, match=r"no exchange of records .* a budget of 0\.1"):
        solve_record_channel(log.activity("max").scores, guesses(20), budget=0.1, rng=rng)


@pytest.mark.slow
def test_a_planted_attribute_is_hidden_from_the_worst_attacker():
    """Worst 1 - AUC rises from below .2 to above .4 while records stay nearer than others' are."""
    rng = np.random.default_rng(random_seed())
    log, profiles = draw_planted(4000, 120, tilt=0.25, mean_records=30.0, rng=rng)
    activity = log.activity("max")
    value = profiles.aligned(activity.users, surplus="dropped").attributes[0].codes
    known, asked = activity.scores[:2000], activity.scores[2000:]
    believed = beliefs(known, value[:2000], asked, 2, rng=rng)
    found = solve_record_channel(asked, believed, budget=0.3, rng=rng)
    sources = found.draw(rng=Randomness.seeded(1))
    before = attack(AttackCase(known, value[:2000], asked, value[2000:], 2), rng=rng)
    told = found.posterior()[sources]
    released = AttackCase(known, value[:2000], asked[sources], value[2000:], 2, told)
    after = attack(released, rng=rng)
    assert before.worst < 0.2
    assert after.worst > 0.4

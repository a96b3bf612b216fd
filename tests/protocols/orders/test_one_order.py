from itertools import pairwise

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.from_reports.block_reports import reports_of_blocks
from hushrank.aggregators.from_reports.pair_scores import estimate_pairs_together
from hushrank.engines.local import run
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.models.mixture import plackett_luce_mixture
from hushrank.protocols.orders.one_order import known_margins, one_order
from hushrank.protocols.orders.order_design import OrderDesign
from hushrank.protocols.orders.subset_order import mean_rank_covariance
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from tests.statistics import random_seed

DESIGNS = (OrderDesign(2, 2), OrderDesign(3, 1, 0.5), OrderDesign(4, 1, 0.25))


def people_of(orders, counts):
    """Return people, so many of each order."""
    return Rankings.from_orders(np.repeat(np.array(orders), counts, axis=0))


def mixed(n_people, n_items, seed):
    rng = np.random.default_rng(seed)
    model = plackett_luce_mixture(n_items, 2, spread=1.0, rng=rng)
    return Rankings(model.sample(n_people, rng=rng), tuple(map(str, range(n_items))))


def expected_tallies(surveys, people, factor=1.0):
    """Return what reports add up to on average, if `factor` times as many people answer it all."""
    tallies, n = [], people.n_people * factor
    for survey in surveys:
        found = []
        for question, mechanism in zip(survey.questions, survey.mechanisms, strict=True):
            answers = question.answer(people.ranks)
            if isinstance(mechanism, SubsetOrder):
                middle = (mechanism.n_categories - 1) / 2
                support = mechanism.signal * (answers - middle).mean(axis=0) + middle
            else:
                p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
                shares = np.bincount(answers, minlength=mechanism.n_categories) / people.n_people
                support = q + (p - q) * shares
            found.append(Tally(n * support, round(n)))
        tallies.append(tuple(found))
    return tuple(tallies)


def concluded(design, people, factor=1.0, epsilon=2.0):
    """Return the outcome of mean reports."""
    protocol = one_order(people.n_items, epsilon=epsilon, n_people=1000, design=design)
    with pytest.raises(StopIteration) as end:
        protocol.send(expected_tallies(next(protocol), people, factor))
    return end.value.value


@pytest.mark.parametrize("n_items", [4, 8, 12])
@pytest.mark.parametrize("design", DESIGNS)
def test_it_is_told_of_how_many_people_the_order_is(design, n_items):
    """Whichever blocks they were asked for, however many there are."""
    people = mixed(300, n_items, seed=4)
    surveys = next(one_order(n_items, epsilon=2.0, n_people=300, design=design))
    blocks, *whole = expected_tallies(surveys, people)
    n_asked = 300 * len(blocks) // design.n_answers + 300 * len(whole)
    assert known_margins(n_items, surveys, (blocks, *whole)).n_people == n_asked


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", range(6))
def test_with_many_people_the_order_is_the_kemeny_order(design, seed):
    """Also where mean ranks, or one score an item, order otherwise: cards of camps."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(6) for _ in range(5)]
    people = people_of(orders, rng.integers(50, 300, 5))
    counts = majority(people)
    found = concluded(design, people, factor=1e5)
    assert kendall_cost(counts, found.order) == kemeny(counts).cost


@pytest.mark.parametrize("design", DESIGNS)
def test_a_circle_is_cut_where_it_is_weakest(design):
    """Everybody's favourite by mean ranks is not first in the Kemeny order."""
    people = people_of([(0, 1, 2, 3), (1, 2, 3, 0), (1, 3, 2, 0)], [51, 30, 19])
    assert np.argmin(people.ranks.mean(axis=0)) == 1
    assert kemeny(majority(people)).order[0] == 0
    assert concluded(design, people, factor=1e5).order[0] == 0


@pytest.mark.parametrize("design", DESIGNS)
def test_equal_tallies_give_equal_orders(design):
    people = mixed(300, 5, seed=1)
    first, second = (concluded(design, people) for _ in range(2))
    assert first.order == second.order
    assert first.posterior.margins.tolist() == second.posterior.margins.tolist()


@pytest.mark.linear_algebra
@pytest.mark.parametrize("design", DESIGNS)
def test_relabelled_items_relabel_the_outcome(design):
    people, new = mixed(300, 5, seed=2), [3, 0, 4, 1, 2]
    plain, moved = concluded(design, people), concluded(design, people.restrict(new))
    assert moved.posterior.margins == pytest.approx(plain.posterior.margins[np.ix_(new, new)])
    assert [new[item] for item in moved.order] == list(plain.order)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("n_items", [2, 3, 6])
def test_everybody_answers_one_survey_and_pays_no_more(n_items, epsilon):
    people = mixed(400, n_items, seed=4)
    begun = one_order(n_items, epsilon=epsilon, n_people=400)
    outcome = run(begun, people, rng=Randomness.seeded(3))
    assert outcome.epsilon <= epsilon
    assert sorted(outcome.result.order) == list(range(n_items))
    lots = sorted(spend.lots for spend in outcome.spends)
    assert lots[0][0] == 0.0
    assert lots[-1][1] == 1.0
    assert all(one[1] == other[0] for one, other in pairwise(lots))


def test_where_one_part_got_no_reports_the_other_one_decides():
    people = mixed(500, 4, seed=5)
    protocol = one_order(4, epsilon=3.0, n_people=500, design=OrderDesign(3, 1, 0.5))
    blocks, whole = expected_tallies(next(protocol), people, factor=100)
    nobody = tuple(Tally.empty(len(each.support)) for each in blocks)
    with pytest.raises(StopIteration) as end:
        protocol.send((nobody, whole))
    by_mean_ranks = np.argsort(people.ranks.mean(axis=0))
    assert list(end.value.value.order) == by_mean_ranks.tolist()
    protocol = one_order(4, epsilon=3.0, n_people=500, design=OrderDesign(3, 1, 0.5))
    next(protocol)
    with pytest.raises(HushrankError, match="0 reports"):
        protocol.send((nobody, (Tally.empty(4),)))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_fewer_rank_everything_the_more_of_their_errors_is_who_they_are(share):
    """Where everybody ranks everything, how far people differ from each other is no error."""
    people, design = mixed(500, 4, seed=5), OrderDesign(2, 1, share)
    surveys = next(one_order(4, epsilon=3.0, n_people=500, design=design))
    n_whole = round(1000 * share)
    reports = [expected_tallies(surveys, people, n / 500) for n in (1000 - n_whole, n_whole)]
    n_blocks = len(surveys[0].questions)
    blocks = tuple(
        Tally(each.support / n_blocks, each.n_reports // n_blocks) for each in reports[0][0]
    )
    known = known_margins(4, surveys, (blocks, reports[1][1]))
    whole = surveys[1].mechanisms[0]
    n_people = sum(each.n_reports for each in blocks) + n_whole
    drawn = 1 - whole.signal**2 * n_whole / n_people
    noise = 4 * drawn * mean_rank_covariance(whole, n_whole)
    assert known.scores.covariance == pytest.approx(noise, rel=1e-12)


def test_who_answers_two_pairs_is_one_person():
    """Each of 6 pairs by 500 people, two a person: by a third of all, not by a sixth."""
    people = mixed(500, 4, seed=5)
    surveys = next(one_order(4, epsilon=3.0, n_people=1500, design=OrderDesign(2, 2)))
    tallies = expected_tallies(surveys, people)
    asked = surveys[0].questions, surveys[0].mechanisms[0], tallies[0]
    stated = estimate_pairs_together(reports_of_blocks(4, *asked, n_people=1500))
    known = known_margins(4, surveys, tallies)
    assert known.variances == pytest.approx(stated.variances, rel=1e-12)


@pytest.mark.parametrize("design", [OrderDesign(2, 2), OrderDesign(2, 3, 0.25), OrderDesign(3)])
def test_everybody_who_reports_is_counted_once_whatever_they_answer(design):
    """By how many they are, the belief knows how much people differ by chance."""
    people = mixed(400, 4, seed=6)
    protocol = one_order(4, epsilon=3.0, n_people=400, design=design)
    assert run(protocol, people, rng=Randomness.seeded(1)).result.known.n_people == 400


@pytest.mark.parametrize("n_items", [1, 101])
def test_too_few_and_too_many_items_are_refused(n_items):
    with pytest.raises(HushrankError, match="order takes 2 to 100 items"):
        next(one_order(n_items, epsilon=1.0, n_people=100))


def test_many_items_are_ordered_too():
    people = mixed(2000, 26, seed=6)
    outcome = run(
        one_order(26, epsilon=4.0, n_people=2000), people, rng=Randomness.seeded(8)
    ).result
    counts = majority(people)
    best, chance = kendall_cost(counts, outcome.order), kendall_cost(counts, tuple(range(26)))
    assert best < chance


def test_it_says_what_was_asked_and_no_more():
    learnt = run(
        make_protocol("order").begin(5, epsilon=4.0, n_people=600, seed=0),
        mixed(600, 5, seed=7),
        rng=Randomness.seeded(5),
    ).result
    shown = learnt.shown(tuple("abcde"))
    assert shown.chosen["post_process"] == "kemeny"
    assert shown.rows["questions"] == str(learnt.outcome.design)
    assert repr(learnt.outcome) == f"OneOrder({learnt.outcome.design})"
    assert str(OrderDesign(2, 3)) == "100 % 3 of all pairs"
    asked = "75 % 1 of all orders of 4 items, 25 % the whole order"
    assert str(OrderDesign(4, 1, 0.25)) == asked


@pytest.mark.statistical
@pytest.mark.parametrize(("epsilon", "n_items"), [(1.0, 5), (4.0, 6)])
def test_intervals_and_probabilities_are_calibrated(epsilon, n_items):
    """Intervals hold as many ranks of the people's Kemeny order as they say, and at least 90 %.

    They say 95 % or more. And neighbours are the right way
    round as often as stated. Fresh people each time; errors of an order hang together, and 40
    collections leave standard errors of .013 and .025.
    """
    rng = np.random.default_rng(random_seed())
    held, foretold, stated, true = [], [], [], []
    for nth in range(40):
        model = plackett_luce_mixture(n_items, 1 + nth % 3, spread=0.5, rng=rng)
        people = Rankings(model.sample(1500, rng=rng), tuple(map(str, range(n_items))))
        begun = make_protocol("order").begin(n_items, epsilon=epsilon, n_people=1500, seed=0)
        learnt = run(begun, people, rng=Randomness(rng.bytes, is_private=False)).result
        drawn = learnt.posterior.drawn_ranks("pairs")
        ranks, chances = np.argsort(kemeny(majority(people)).order), drawn.chances()
        for item, (best, worst) in enumerate(drawn.intervals(learnt.order)):
            held.append(best <= ranks[item] <= worst)
            foretold.append(chances[item, best : worst + 1].sum())
            assert foretold[-1] > 0.9499
        stated += drawn.ahead(learnt.order)
        true += list(ranks[list(learnt.order[:-1])] < ranks[list(learnt.order[1:])])
    assert abs(np.mean(held) - np.mean(foretold)) < 0.065
    assert np.mean(held) > 0.9
    assert abs(np.mean(true) - np.mean(stated)) < 0.125

"""The frontier: every protocol of `collect`, on the same people, judged as `collect` judges."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import q2_distance
from hushrank.experiments.experiment import Draws, Settings
from hushrank.experiments.figures.frontier.elections import ELECTIONS
from hushrank.experiments.on_rankings.frontier import Asked, PolledCrowd, Spot
from hushrank.experiments.on_rankings.frontier_methods import (
    ORDERS,
    REPAIRED,
    SAFARI,
    SAFE,
    TYPICAL,
    WHOLE_RANKINGS,
    CollectionMethod,
    PublishedRows,
    learn_openly,
    publish,
)
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.populations import (
    mixture_population,
    read_complete_ballots,
)
from hushrank.experiments.registry import EXPERIMENTS
from hushrank.experiments.running import run_experiment
from hushrank.models.herding import herded_rows
from hushrank.protocols.learnt.orders import LearntOrder
from hushrank.protocols.registry import PROTOCOLS, Pairs, make_protocol
from hushrank.rankings.files import write_rankings
from hushrank.rankings.profile import Rankings
from tests.experiments.populations import plackett_luce

QUICK = Settings(repetitions=1, seed=5, quick=True)
MODELS = (SAFE, TYPICAL, SAFARI, REPAIRED, *WHOLE_RANKINGS.values())
EVERY_METHOD = (*MODELS, *ORDERS)
NAMES = {method.name for method in EVERY_METHOD}
FRONTIERS = ("frontier-epsilon", "frontier-people", "frontier-elections")
MADE_UP_FILES = {
    "sushi": plackett_luce(60, 5),
    **{each.name: plackett_luce(60, 4, seed=n) for n, each in enumerate(ELECTIONS)},
}

BALLOTS = """# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# ALTERNATIVE NAME 1: apple
# ALTERNATIVE NAME 2: pear
# ALTERNATIVE NAME 3: plum
# ALTERNATIVE NAME 4: quince
5: 2,1,3,4
4: 4,3,1
3: 1,2
2: 1,{2,3},4
2: 1,2,{3,4}
1: {1,2},3
"""


def draws(seed=0):
    noise, synthesis = np.random.SeedSequence(seed).spawn(2)
    return Draws(np.random.default_rng(noise), np.random.default_rng(synthesis))


@pytest.fixture(scope="module")
def crowd():
    return PolledCrowd(Asked(plackett_luce(4000, 4, strength=4.0)))


def test_complete_ballots_rank_all_items_or_all_but_the_last(tmp_path):
    (tmp_path / "ballots.toi").write_text(BALLOTS)
    kept = read_complete_ballots(tmp_path / "ballots.toi")
    assert kept.n_people == 9
    orders = kept.expanded().orders()
    np.testing.assert_array_equal(orders, [[1, 0, 2, 3]] * 5 + [[3, 2, 0, 1]] * 4)


def test_ballots_are_complete_by_the_last_of_many_items(tmp_path):
    keys = np.tile(np.arange(30.0), (4, 1))
    keys[1:3, -1], keys[2, -2], keys[3, -1] = np.nan, np.nan, 28
    ballots = Rankings.from_keys(keys, [f"item {n}" for n in range(30)], np.array([1, 2, 4, 8]))
    write_rankings(ballots, tmp_path / "ballots.toi")
    assert read_complete_ballots(tmp_path / "ballots.toi").n_people == 3


def test_an_election_without_complete_ballots_is_refused(tmp_path):
    (tmp_path / "ballots.toi").write_text("\n".join([*BALLOTS.splitlines()[:6], "3: 1,2", ""]))
    with pytest.raises(HushrankError, match="ballots that rank 3\\+ items without ties, got none"):
        read_complete_ballots(tmp_path / "ballots.toi")


def test_every_protocol_that_one_can_choose_is_there():
    """With its default options, under a name of its own; two have a variant beside it."""
    by_default = [each for each in EVERY_METHOD if each not in (TYPICAL, REPAIRED)]
    chosen = {each.protocol.name: each.protocol for each in by_default}
    assert chosen == {name: make_protocol(name) for name in PROTOCOLS}
    assert [TYPICAL.protocol.name, REPAIRED.protocol.name] == ["max-entropy", "safari"]
    assert len(NAMES) == len(EVERY_METHOD) == len(PROTOCOLS) + 2


@pytest.mark.parametrize("method", EVERY_METHOD, ids=[method.name for method in EVERY_METHOD])
def test_methods_reach_the_optimum_without_much_noise(crowd, method):
    """Items numbered the wrong way back are off by .3 on average, their rows by .25."""
    judged = [crowd.collected(method, 40.0, draws(seed)) for seed in range(3)]
    assert max(each["excess"] for each in judged) < 1e-9
    assert ("q2" in judged[0]) == (method in MODELS)
    assert max(each.get("q2", 0.0) for each in judged) < (0.15 if method.name == "SH" else 0.05)


@pytest.mark.parametrize("method", EVERY_METHOD, ids=[method.name for method in EVERY_METHOD])
def test_epsilon_and_the_number_of_people_reach_the_protocol(method):
    survey, *_ = next(method.protocol.begin(4, epsilon=3.0, n_people=3000, seed=0))
    exceptions = {SAFARI.name: 1.5, "LDP-KwikSort:Lap": 2.074853}  # half, and its true loss
    assert survey.epsilon == pytest.approx(exceptions.get(method.name, 3.0), abs=1e-6)
    if method in (SAFE, TYPICAL):
        strong, *_ = next(method.protocol.begin(7, epsilon=1.0, n_people=3000, seed=0))
        weak, *_ = next(method.protocol.begin(7, epsilon=1.0, n_people=20, seed=0))
        assert (strong.name, weak.name) == ("3 levels-and-pairs", "pairs")


def test_rows_are_herded_as_collect_herds_them(crowd):
    people = crowd.everybody.rankings
    learnt = learn_openly(SAFE, people, 4.0)
    mine = publish(learnt, people, rng=np.random.default_rng(3))
    herded = herded_rows(learnt.model, people.n_people, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(mine.ranks, herded)
    assert mine.order == learnt.order


def test_a_way_that_goes_by_item_number_gains_nothing():
    """Everybody says 0, 1, 2: who copies the numbers is right once in six."""
    agreed = PolledCrowd(Asked(Rankings.from_orders(np.repeat([[0, 1, 2]], 9, axis=0))))

    class ByNumber(Pairs):
        def begin(self, n_items, **asked):
            yield next(super().begin(n_items, **asked))
            return LearntOrder((0, 1, 2))

    by_number = CollectionMethod("by number", "ours", ByNumber())
    excesses = [agreed.collected(by_number, 1.0, draws(seed))["excess"] for seed in range(120)]
    assert np.mean(excesses) == pytest.approx(0.5, abs=0.15)  # 5 standard errors


def test_rows_are_judged_by_the_people_who_were_asked(crowd):
    some = PolledCrowd(crowd.everybody, 50)
    asked, again, other = (some.asked(draws(seed)) for seed in (1, 1, 2))
    rows = crowd.everybody.rankings.ranks[:60]
    learnt = PublishedRows((3, 2, 1, 0), rows)
    distance = q2_distance(Rankings(rows, asked.rankings.names), asked.rankings)
    assert asked.judge(learnt)["q2"] == pytest.approx(distance, abs=1e-12)
    assert asked.rankings == again.rankings
    assert asked.rankings != other.rankings
    assert asked.judge(PublishedRows(asked.best_order, None)) == {"excess": 0.0}


def test_people_of_files_are_drawn_again_and_of_models_once(crowd):
    many = PolledCrowd(crowd.everybody, 9000).asked(draws())
    assert many.rankings.n_rows == 9000
    everybody = PolledCrowd(crowd.everybody, 4000, has_repetition=False).asked(draws())
    np.testing.assert_array_equal(everybody.counts, crowd.everybody.counts)
    twice = PolledCrowd(crowd.everybody, 4000).asked(draws())
    assert (twice.counts != crowd.everybody.counts).any()


def test_reference_lines_are_what_they_say(crowd):
    uniform, floor = crowd.of_uniform(draws()), crowd.by_bootstrap(draws())
    people = crowd.everybody.rankings
    orders = np.array(list(permutations(range(4))))
    every_order = Rankings.from_orders(orders, people.names)
    assert uniform["q2"] == pytest.approx(q2_distance(every_order, people), abs=1e-12)
    excesses = [crowd.everybody.judged(tuple(order))["excess"] for order in orders.tolist()]
    assert uniform["excess"] == pytest.approx(np.mean(excesses), abs=1e-12)
    assert 0 < floor["q2"] < 0.03


def test_what_is_learnt_openly_is_learnt_once_of_the_same_people(crowd):
    first = crowd.without_noise(SAFARI, draws(1))
    learnt = crowd.open_results[SAFARI.name]
    assert crowd.without_noise(SAFARI, draws(2)) != first
    assert crowd.open_results[SAFARI.name] is learnt
    some = PolledCrowd(crowd.everybody, 500)
    some.without_noise(SAFARI, draws())
    assert not some.open_results


def test_both_priors_see_the_same_reports(crowd):
    people = crowd.everybody.rankings
    assert [learn_openly(method, people, 1.0).outcome.prior for method in (SAFE, TYPICAL)] == [
        "safe",
        "typical",
    ]
    safe, typical = Spot(crowd, "panel", 1.0, 1.0).ours()
    assert (safe.same_draws, typical.same_draws) == (False, True)
    assert (safe.most_repetitions, typical.most_repetitions) == (None, None)


def test_a_mixture_is_not_drawn_around_the_numbers_of_its_items():
    population = mixture_population(400, 6, 3)
    people = [population.draw(np.random.default_rng(seed)) for seed in range(4)]
    assert len({tuple(np.argsort(each.ranks.mean(axis=0))) for each in people}) == 4


@pytest.fixture(scope="module")
def results():
    return {name: run_experiment(EXPERIMENTS[name], MADE_UP_FILES, QUICK) for name in FRONTIERS}


@pytest.mark.parametrize("name", FRONTIERS)
def test_every_panel_has_curves(results, name):
    for axes in experiment_figure(results[name]).axes:
        assert axes.get_legend_handles_labels()[1]


@pytest.mark.parametrize("name", FRONTIERS)
def test_every_point_is_possible(results, name):
    for point in results[name].points:
        assert -1e-12 <= point.smallest <= point.largest <= 1


def test_whole_rankings_are_asked_where_their_cells_fit():
    for n_items, curves in ((10, set(WHOLE_RANKINGS)), (11, set())):
        people = {"sushi": plackett_luce(20, n_items)}
        planned = EXPERIMENTS["frontier-epsilon"].plan(people, True)
        assert {each.curve for each in planned} & set(WHOLE_RANKINGS) == curves


def test_people_are_as_many_as_the_figure_says():
    people = {
        each.name: plackett_luce(30, 4) for each in EXPERIMENTS["frontier-people"].populations
    }
    planned = EXPERIMENTS["frontier-people"].plan(people, False)
    sushi = {each.x for each in planned if each.population == "sushi, epsilon 0.2"}
    assert sushi == {200, 1000, 5000, 20_000, 100_000, 1_000_000}
    assert {each.x for each in planned if each.population.startswith("mallows")} == {30}

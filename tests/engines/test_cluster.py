from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

import hushrank
from hushrank.engines import tasks
from hushrank.engines.cluster import Asking, Draws, People, answer_piece, run
from hushrank.engines.crowd import Crowd
from hushrank.engines.local import answers_of_devices
from hushrank.engines.local import run as run_locally
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols.registry import make_protocol
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.report_batches import Counted
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey

EVERYBODY = hushrank.simulate("mallows", people=300, items=4, dispersion=0.5, seed=3)
CUTS = ((0, 120), (120, 130), (130, 300))
PAIRS = [RelativeOrder((a, b)) for a in range(4) for b in range(a + 1, 4)]
PAIR = sampled_survey("pair", PAIRS[:1], 1.0)
SURE = 60.0
FALSE_ALARM = 1e-6


def people_of(piece):
    """Return some people; a function of a module, as workers need it."""
    return EVERYBODY[slice(*piece)]


def ask(*surveys: Survey):
    tallies = []
    for survey in surveys:
        tallies.append((yield (survey,))[0])
    return tallies


def plain(tallies):
    return [[(each.n_reports, each.support.tolist()) for each in one] for one in tallies]


@pytest.fixture(scope="module")
def people():
    return People.of(people_of, CUTS)


def test_the_sum_is_what_the_local_engine_counts_piece_by_piece(people):
    """The same words into the same functions, added up: exactly."""
    surveys = [sampled_survey(name, PAIRS, 1.0) for name in ("one", "two")]
    draws = Draws.of(7)
    found = run(ask(*surveys), people, draws=draws)
    stated = []
    for number, survey in enumerate(surveys):
        each = [
            answers_of_devices(survey, Crowd.of(people_of(cut), draws.noise(number, piece)))
            for piece, cut in enumerate(CUTS)
        ]
        stated.append(sum((Counted((one,)) for one in each[1:]), start=Counted((each[0],))))
    assert plain(found.result) == [plain(one.tallies)[0] for one in stated]
    assert found.n_people == 300
    assert not found.is_private


@pytest.mark.parametrize("short_cut", [False, True])
def test_with_a_seed_neither_workers_nor_second_executions_matter(people, short_cut, monkeypatch):
    survey = sampled_survey("pairs", PAIRS, 1.0)
    once = run(ask(survey), people, draws=Draws.of(7), short_cut=short_cut)
    elsewhere = People.of(people_of, CUTS, Workers("threads", 3))
    monkeypatch.setattr(tasks, "_guarded", twice)
    again = run(ask(survey), elsewhere, draws=Draws.of(7), short_cut=short_cut)
    assert plain(again.result) == plain(once.result)


@pytest.mark.parametrize("seed", [0, 1, 2**70])
def test_any_seed_repeats_who_is_asked_and_what_they_report(people, seed):
    some = sampled_survey("some", PAIRS, 1.0, lots=(0.25, 0.75))
    once, again = (run(ask(some), people, draws=Draws.of(seed)) for _ in range(2))
    assert plain(once.result) == plain(again.result)
    assert not once.is_private


@pytest.mark.parametrize("n_alike", [1, 2, 5])
def test_people_are_counted_in_all_pieces_however_many_hold_one_ranking(n_alike):
    """Also where pieces are alike."""
    held = Rankings(np.array([[0, 1]], dtype=np.uint8), ("tea", "coffee"), np.array([n_alike]))
    found = run(ask(PAIR), People.of({"piece": held}.get, ["piece"] * 3), draws=Draws.of(1))
    assert found.n_people == 3 * n_alike == found.result[0][0].n_reports


def test_each_survey_and_each_piece_draws_words_of_its_own():
    """Else errors of all pieces, or of all rounds, would be the same, and not average out."""
    few, many = range(2), (*range(70), 2**16, 2**20)
    draws, apart = Draws.of(7), list({*product(few, many), *product(many, few)})
    sources = [*(draws.noise(*each) for each in apart), *map(draws.lots_of, many)]
    words = {int(source.words(1)[0]) for source in sources}
    assert len(words) == len(sources)
    assert len({int(draws.short_cut(*each).integers(2**63)) for each in apart}) == len(apart)


def test_without_a_seed_every_piece_of_every_survey_draws_in_secret():
    draws = Draws.of(None)
    assert all(draws.noise(*each).is_private for each in product(range(3), range(1000)))


def test_without_a_seed_nothing_that_is_public_tells_what_any_piece_draws():
    """The seed of the lots is public, and so are the numbers of pieces and surveys."""
    known, places = Draws(None, lots=7), [*product(range(3), range(1000))]
    drawn = {tuple(known.noise(*each).words(2).tolist()) for each in 2 * places}
    assert len(drawn) == 2 * len(places)


def test_a_worker_of_another_version_does_nothing(monkeypatch):
    """What it would count, or how it would draw, is not known here."""
    of_version = tasks._of_version
    monkeypatch.setattr(tasks, "_of_version", lambda _, *told: of_version("0.0.1", *told))
    said = rf"^a worker has hushrank {hushrank.__version__}, expected 0\.0\.1$"
    with pytest.raises(HushrankError, match=said):
        People.of(people_of, CUTS, Workers("threads", 2))


def test_the_version_is_read_once_and_not_by_every_task(monkeypatch):
    """It lies in a file, and to read that took longer than all else of an empty task."""
    read, found = [], hushrank.__version__
    monkeypatch.setattr(tasks, "version", lambda name: read.append(name) or found)
    tasks.own_version.cache_clear()
    People.of(people_of, CUTS, Workers("threads", 1))
    assert read == ["hushrank"]


GUARDED = tasks._guarded


def twice(task, shared, piece):
    """Run a task as when a worker dies with its result, and another one has it to do."""
    GUARDED(task, shared, piece)
    return GUARDED(task, shared, piece)


def test_without_a_seed_a_second_execution_draws_anew_and_nobody_counts_twice(monkeypatch):
    monkeypatch.setattr(tasks, "_guarded", twice)
    people = People.of(people_of, CUTS, Workers("threads", 2))
    outcome = run(ask(sampled_survey("pairs", PAIRS, 1.0)), people, draws=Draws.of(None))
    assert sum(each.n_reports for each in outcome.result[0]) == 300
    assert outcome.is_private
    assert not run(ask(PAIR), people, draws=Draws.of(None), short_cut=True).is_private
    survey = sampled_survey("whole", [RelativeOrder((0, 1, 2, 3))], 0.01)
    asking = Asking(people_of, survey, 0, Draws.of(None), short_cut=False)
    each = [answer_piece(asking, (0, (0, 300))).tallies[0][0].support.tolist() for _ in range(3)]
    assert each[0] != each[1] or each[1] != each[2]  # by chance, with probability below 1e-15


def test_rounds_that_ask_different_people_ask_everybody_once(people):
    """A person's lot is the same in every round, although each reads the people anew."""
    whole = RelativeOrder((0, 1, 2, 3))
    parts = [(0.0, 0.3), (0.3, 0.5), (0.5, 1.0)]
    surveys = [sampled_survey(str(part), [whole], SURE, lots=part) for part in parts]
    for draws in (Draws.of(None), Draws.of(4)):
        tallies = run(ask(*surveys), people, draws=draws).result
        supports = np.array([of_part[0].support for of_part in tallies])
        truth = np.bincount(whole.answer(EVERYBODY.ranks), minlength=24)
        assert supports.sum(axis=0).tolist() == truth.tolist()
        assert min(of_part[0].n_reports for of_part in tallies) > 0


@pytest.mark.parametrize("short_cut", [False, True])
def test_in_each_of_many_pieces_a_person_is_asked_by_one_of_all_rounds(short_cut):
    """In each of the others they would be asked once more, or not at all."""
    people = People.of(people_of, tuple((low, low + 5) for low in range(0, 300, 5)))
    surveys = [
        sampled_survey(f"{n}", PAIRS[:1], SURE, lots=(n / 4, n / 4 + 0.25)) for n in range(4)
    ]
    truth = np.bincount(PAIRS[0].answer(EVERYBODY.ranks), minlength=2)
    tallies = run(ask(*surveys), people, draws=Draws.of(None), short_cut=short_cut).result
    assert sum(of_part[0].support for of_part in tallies).tolist() == truth.tolist()


@pytest.mark.parametrize("short_cut", [False, True])
def test_tallies_follow_the_channel(short_cut):
    """Of 40 pieces of people who agree; the wrong epsilon, 1.1, lies 15 standard errors away."""
    people = People.of(alike, (3000,) * 40)
    survey = sampled_survey("whole", [RelativeOrder((0, 1))], 1.0)
    ((tally,),) = run(ask(survey), people, draws=Draws.of(11), short_cut=short_cut).result
    assert statistic(tally, 1.0) < chi2.isf(FALSE_ALARM, 1)
    assert statistic(tally, 1.1) > chi2.isf(FALSE_ALARM, 1)


def alike(n_people):
    return Rankings.from_orders(np.repeat([[0, 1]], n_people, axis=0))


def statistic(tally, epsilon):
    p, n = GeneralizedRandomizedResponse(2, epsilon).rates.hit_rate, tally.n_reports
    return (tally.support[0] - n * p) ** 2 / (n * p * (1 - p))


def test_any_protocol_runs_and_learns_what_the_local_engine_does(people):
    """With reports that are all but true both engines count nearly the same."""
    named = make_protocol("safari", {"split": "people"})
    begin = partial(named.begin, 4, epsilon=SURE, n_people=300, seed=1)
    found = run(begin(), people, draws=Draws.of(1))
    stated = run_locally(begin(), EVERYBODY, rng=Randomness.seeded(1))
    assert found.spends == stated.spends
    assert found.epsilon == stated.epsilon
    assert found.n_people == stated.n_people


def test_pieces_of_other_items_ties_or_gaps_are_refused_before_anybody_answers():
    lists = {
        "other": [["tea", "milk"]],
        "same": [["tea", "coffee"]],
        "tied": [[{"tea", "coffee"}]],
        "gap": [["tea"], ["coffee", "tea"]],
    }
    each = {name: hushrank.read_rankings(each) for name, each in lists.items()}
    each["turned"] = Rankings(each["same"].ranks, each["same"].names[::-1])
    read = each.__getitem__
    survey = sampled_survey("pair", [RelativeOrder((0, 1))], 1.0)
    for place in range(3):
        pieces = ["same"] * 3
        for other in ("other", "turned"):
            with pytest.raises(HushrankError, match="the same items"):
                People.of(read, put(pieces, place, other))
        with pytest.raises(HushrankError, match="expected strict rankings"):
            People.of(read, put(pieces, place, "tied"))
        gaps = People.of(read, put(pieces, place, "gap"))
        with pytest.raises(HushrankError, match="expected complete rankings"):
            run(ask(survey), gaps, draws=Draws.of(1))


def put(pieces, place, other):
    return [*pieces[:place], other, *pieces[place + 1 :]]


class Unlike:
    """What adds up to nothing, and says what it holds."""

    def __add__(self, other):
        raise ValueError("Mallory 8273")


def unlike(shared, piece):
    return Unlike()


@pytest.mark.parametrize("workers", [tasks.HERE, Workers("threads", 2)])
def test_sums_that_do_not_add_up_are_not_quoted(workers):
    with pytest.raises(HushrankError) as ended:
        workers.add_up(unlike, None, (1, 2))
    assert "8273" not in str(ended.value)

"""Naming one of several that hold: the exact loss, what is drawn, and the vectors."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.estimators.shares import unbiased_shares
from hushrank.mechanisms.local import LocalMechanism, SimulatedRows
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import exp_below
from tests.conformance import WORDS, bytes_of_words
from tests.statistics import assert_counts_follow, assert_follows, draws_needed, random_seed
from vectors.make_named_member import FILE, text

SIZES = [(2, 1), (5, 2), (6, 3), (9, 3), (12, 11), (20, 10), (90, 24)]


def vectors():
    return json.loads(FILE.read_text(encoding="utf-8"))


def every_row(n_categories, n_members):
    return np.array(list(combinations(range(n_categories), n_members)))


@pytest.mark.parametrize("n_members", [0, 5, -1, 2.0, "2", None])
def test_some_of_the_categories_hold_a_whole_number_of_them(n_members):
    with pytest.raises(HushrankError, match="expected 1 to 4 categories to hold"):
        NamedMember(5, 1.0, n_members)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 20.0])
@pytest.mark.parametrize(("n_categories", "n_members"), [s for s in SIZES if s[0] <= 12])
def test_the_loss_of_the_rounded_channel_is_what_is_stated(n_categories, n_members, epsilon):
    mechanism = NamedMember(n_categories, epsilon, n_members)
    words = mechanism.channel_words(every_row(n_categories, n_members))
    assert set(words.sum(axis=1)) == {WORDS}
    worst = max(Fraction(max(column), min(column)) for column in words.T)
    assert worst <= mechanism.rates.worst_ratio <= exp_below(epsilon)
    assert float(worst) == pytest.approx(np.exp(epsilon), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize(("n_categories", "n_members"), SIZES)
def test_the_words_left_are_fewer_than_those_that_hold(n_categories, n_members, epsilon):
    mechanism = NamedMember(n_categories, epsilon, n_members)
    assert 0 <= mechanism.spare_words < n_members


def by_definition(mechanism, members, word):
    """Name by walking along the runs of words, one after the other."""
    others = [each for each in range(mechanism.n_categories) if each not in members]
    p, q = mechanism.rates.hit_words, mechanism.rates.false_hit_words
    for named, run in [*((each, p) for each in members), *((each, q) for each in others)]:
        if word < run:
            return named
        word -= run
    return word


def test_reports_are_those_of_the_vectors_and_of_the_definition():
    for case in vectors()["cases"]:
        keys = ("n_categories", "epsilon", "n_members", "hit_words", "false_hit_words")
        k, epsilon, m, hit, lie = (case[key] for key in keys)
        mechanism = NamedMember(k, epsilon, m)
        assert (hit, lie) == (str(mechanism.rates.hit_words), str(mechanism.rates.false_hit_words))
        for vector in case["vectors"]:
            tape = bytes.fromhex(vector["random_bytes"])
            rng = Randomness.replayed(tape)
            report = mechanism.randomise(np.array([vector["members"]]), rng=rng)
            assert report.tolist() == [vector["report"]]
            word = int.from_bytes(tape, "little")
            assert by_definition(mechanism, vector["members"], word) == vector["report"]
            with pytest.raises(EOFError):
                rng.words(1)


@pytest.mark.parametrize("k", [400, 4032, 70_000])
def test_each_of_many_that_hold_and_each_other_has_its_own_words(k):
    """The first and the last word of some runs, of every second category and of the others."""
    mechanism, m = NamedMember(k, 1.0, k // 2), k // 2
    holds, lies = np.arange(1, k, 2), np.arange(0, k, 2)
    hit, lie = mechanism.rates.hit_words, mechanism.rates.false_hit_words
    for nth in {0, 100, 127, 128, 129, 199, *(n for n in (255, 256, 32_768) if n < m), m - 1}:
        words = [nth * hit, (nth + 1) * hit - 1, m * hit + nth * lie, m * hit + (nth + 1) * lie - 1]
        tape = np.array(words, dtype="<u8").tobytes()
        named = mechanism.randomise(np.tile(holds, (4, 1)), rng=Randomness.replayed(tape))
        assert named.tolist() == [holds[nth]] * 2 + [lies[nth]] * 2


def test_vectors_are_those_of_the_script():
    assert FILE.read_text(encoding="utf-8") == text()


def test_bad_parameters_and_rows_of_the_vectors_are_refused_before_anything_is_drawn():
    for bad in vectors()["bad_parameters"]:
        with pytest.raises(HushrankError):
            NamedMember(bad["n_categories"], float(bad["epsilon"]), bad["n_members"])
    mechanism = NamedMember(10, 1.0, 3)
    for bad in vectors()["bad_rows"]:
        rows = np.array([bad["members"]], dtype=int)
        if rows.size:  # an array of nobody has any shape; a device refuses an empty row
            with pytest.raises(HushrankError, match="expected"):
                mechanism.randomise(rows, rng=Randomness.replayed(b""))
            if rows.shape[1] == 3:  # of the last of many
                people = np.concatenate([[[0, 1, 2]] * 24, rows])
                with pytest.raises(HushrankError, match="expected"):
                    mechanism.randomise(people, rng=Randomness.replayed(b""))
    with pytest.raises(HushrankError, match="expected whole numbers"):
        mechanism.randomise(np.array([[0.0, 1.0, 2.0]]), rng=Randomness.replayed(b""))
    assert mechanism.randomise(np.zeros(0, dtype=int), rng=Randomness.replayed(b"")).size == 0


def test_the_last_two_categories_of_many_people_ascend():
    people = np.array([[0, 1, 2]] * 24 + [[0, 2, 1]])
    with pytest.raises(HushrankError, match="expected distinct categories, ascending"):
        NamedMember(10, 1.0, 3).randomise(people, rng=Randomness.replayed(b""))


def test_one_that_holds_is_randomised_response_word_for_word():
    categories = np.arange(7000) % 7
    named = NamedMember(7, 1.3, 1).randomise(categories[:, None], rng=Randomness.seeded(3))
    response = GeneralizedRandomizedResponse(7, 1.3)
    assert named.tolist() == response.randomise(categories, rng=Randomness.seeded(3)).tolist()


ROWS = {(6, 3): [0, 2, 5], (10, 1): [9], (12, 4): [3, 4, 5, 11]}


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("size", ROWS)
def test_reports_follow_the_channel(size, epsilon):
    """A mechanism that spends 5 % more privacy would fail, with probability .999."""
    (k, m), row = size, ROWS[size]
    stated, wrong = (NamedMember(k, e, m) for e in (epsilon, 1.05 * epsilon))
    law, other = (
        (each.channel_words(np.array([row]))[0] / WORDS).astype(float) for each in (stated, wrong)
    )
    people = np.tile(row, (draws_needed(law, other), 1))
    assert_follows(stated.randomise(people, rng=Randomness.seeded(random_seed())), law)
    twice = np.tile(row, (2 * len(people), 1))
    with pytest.raises(AssertionError):
        assert_follows(wrong.randomise(twice, rng=Randomness.seeded(random_seed())), law)


def test_the_tally_short_cut_follows_the_channel():
    mechanism = NamedMember(8, 1.0, 3)
    rows, sizes = np.array([[0, 1, 2], [2, 5, 7]]), [60_000, 40_000]
    people = np.repeat(rows, sizes, axis=0)
    tally = mechanism.simulate_rows(people, rng=np.random.default_rng(random_seed()))
    assert tally.n_reports == tally.support.sum() == 100_000
    expected = np.array(sizes) @ (mechanism.channel_words(rows) / WORDS).astype(float)
    rest = 100_000 - expected
    counts = np.stack([tally.support, 100_000 - tally.support], axis=1)
    assert_counts_follow(counts, np.stack([expected, rest], axis=1) / 100_000)
    crowds = [
        mechanism.simulate_rows(people[:3000], rng=np.random.default_rng(each)).support[0]
        for each in range(400)
    ]
    p = mechanism.rates.hit_rate
    spread = np.var(crowds) / (3000 * p * (1 - p))
    assert 0.6 < spread < 1.5  # 400 draws: a standard error of .07, five of them


def test_shares_of_what_holds_are_estimated_without_bias():
    mechanism = NamedMember(5, 1.0, 2)
    rows = np.array([[0, 1], [0, 2], [0, 3], [3, 4]])
    words = mechanism.channel_words(rows).sum(axis=0) / WORDS
    tally = type(mechanism.tally(np.zeros(0, dtype=int)))(words.astype(float), 4)
    shares = unbiased_shares(mechanism, tally)
    np.testing.assert_allclose(shares, [0.75, 0.25, 0.25, 0.5, 0.25], atol=1e-12)


def test_it_is_a_local_mechanism_that_hides_rows():
    mechanism = NamedMember(5, 1.0, 2)
    assert isinstance(mechanism, LocalMechanism)
    assert isinstance(mechanism, SimulatedRows)
    tally = mechanism.tally(np.array([0, 4, 4]))
    assert tally.support.tolist() == [1, 0, 0, 0, 2]
    with pytest.raises(HushrankError, match=r"expected categories 0\.\.4"):
        mechanism.tally(np.array([5]))


def test_a_word_beyond_all_runs_names_one_of_the_first_whatever_holds():
    mechanism = NamedMember(9, 1.0, 3)
    n_left = mechanism.spare_words
    assert n_left > 0
    left = [WORDS - n_left + nth for nth in range(n_left)]
    for row in ([0, 1, 2], [4, 6, 8]):
        rng = Randomness.replayed(bytes_of_words(left))
        assert mechanism.randomise(np.tile(row, (n_left, 1)), rng=rng).tolist() == list(
            range(n_left)
        )


def test_an_epsilon_at_which_truth_has_as_many_words_as_a_lie_is_refused():
    rates = NamedMember(4, 1.0, 2).rates.of_members(4, 2, 1e-25)
    assert rates.hit_words == rates.false_hit_words
    with pytest.raises(HushrankError, match="too small for 4 categories"):
        NamedMember(4, 1e-25, 2)


@pytest.mark.parametrize("n_members", [0, 4])
def test_how_many_may_hold_is_said(n_members):
    with pytest.raises(HushrankError, match="expected 1 to 3 categories to hold"):
        NamedMember(4, 1.0, n_members)

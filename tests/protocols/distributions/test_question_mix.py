from collections import Counter
from itertools import accumulate, product
from math import sinh
from typing import get_args

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.planning.mixes.predicted_loss import round_information
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_kinds import NAMED
from hushrank.protocols.distributions.question_mix import (
    CHOICES,
    MIXES,
    MixPart,
    choose_mix,
    choose_mixes,
    describe_mix,
    mix_in_words,
    mix_surveys,
)
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.rankings.reading import Unranked

BITS = "60 % pairs, 40 % extremes"


def people_of(strength: float, epsilon: float) -> int:
    return round(strength / sinh(epsilon / 2) ** 2)


@pytest.mark.parametrize(
    ("n_items", "epsilon", "strength", "expected"),
    [
        (2, 4.0, 1e6, "100 % pairs"),
        (6, 1.0, 190, "100 % pairs"),
        (6, 1.0, 210, BITS),
        (6, 1.9, 14_500, BITS),
        (6, 1.0, 15_500, "100 % ranks-and-pairs"),
        (6, 2.0, 210, "100 % ranks-and-pairs"),
        (3, 1.0, 1000, BITS),
        (7, 1.0, 680, "100 % pairs"),
        (7, 1.0, 720, "100 % 3 levels"),
        (7, 1.6, 59_000, "100 % 3 levels-and-pairs"),
        (7, 1.6, 61_000, "100 % ranks-and-pairs"),
        (7, 1.4, 61_000, "100 % 3 levels-and-pairs"),
        (8, 1.6, 61_000, "100 % 3 levels-and-pairs"),
        (10, 2.9, 3_900, "100 % 3 levels"),
        (10, 1.1, 14_500, "100 % 3 levels"),
        (10, 1.1, 15_500, "100 % 3 levels-and-pairs"),
        (10, 1.2, 4_100, "100 % 3 levels-and-pairs"),
        (10, 2.9, 4_100, "100 % 3 levels-and-pairs"),
        (10, 3.0, 3_900, "100 % 3 levels"),
        (10, 3.0, 4_100, "100 % ranks-and-pairs"),
    ],
)
def test_of_partial_rankings_weak_reports_ask_for_bits_and_strong_ones_for_ranks(
    n_items, epsilon, strength, expected
):
    n_people = people_of(strength, epsilon)
    mix = choose_mix(n_items, epsilon=epsilon, n_people=n_people, unranked="last")
    assert describe_mix(mix) == expected


@pytest.mark.parametrize(
    ("n_items", "epsilon", "n_people", "expected"),
    [
        (2, 4.0, 10**6, "100 % pairs"),
        (10, 0.1, 5000, "100 % pairs"),
        (10, 0.5, 30_000, BITS),
        (10, 4.0, 5000, "50 % ranks-and-pairs, 50 % 3 two-of-first"),
        (5, 4.0, 5000, "50 % ranks-and-pairs, 50 % 2 two-of-first"),
    ],
)
def test_complete_rankings_are_asked_for_sets_beside_levels_or_ranks(
    n_items, epsilon, n_people, expected
):
    assert describe_mix(choose_mix(n_items, epsilon=epsilon, n_people=n_people)) == expected


@pytest.mark.parametrize(
    ("n_items", "epsilon", "n_people"),
    [(5, 1.0, 377), (7, 1.0, 377), (10, 1.0, 1000), (9, 0.5, 3000), (8, 1.5, 100), (16, 1.0, 300)],
)
def test_few_people_with_weak_reports_are_asked_for_pairs(n_items, epsilon, n_people):
    assert choose_mix(n_items, epsilon=epsilon, n_people=n_people) == MIXES["pairs"]
    more = choose_mix(n_items, epsilon=epsilon, n_people=100 * n_people)
    assert more != MIXES["pairs"]


EVERYWHERE = [
    (n_items, epsilon, n_people)
    for n_items in range(3, 17)
    for epsilon in (0.05, 0.3, 1.0, 1.7, 2.4, 4.0, 9.0)
    for n_people in (50, 1000, 7000, 10**7)
]


def test_half_of_the_people_are_asked_what_tells_of_all_ranks_and_of_pairs():
    """No mix of levels or first places alone: some populations it could not tell from others."""
    wide = {"pairs", "levels-and-pairs", "ranks-and-pairs"}
    for n_items, epsilon, n_people in EVERYWHERE:
        mix = choose_mix(n_items, epsilon=epsilon, n_people=n_people)
        assert sum(part.share for part in mix if part.kind in wide) >= 0.5
        assert len(mix_surveys(mix, n_items, epsilon)) == len(mix)


def test_many_items_are_asked_about_all_ranks():
    """Half of the people or more are asked for levels, ranks or precedences, never sets alone."""
    wide = {"pairs", "levels", "extremes", "levels-and-pairs", "ranks-and-pairs"}
    for n_items in (17, 33, 50):
        for epsilon in (0.05, 1.0, 2.4, 9.0):
            for n_people in (50, 7000, 10**7):
                mix = choose_mix(n_items, epsilon=epsilon, n_people=n_people)
                assert sum(part.share for part in mix if part.kind in wide) >= 0.5


@pytest.mark.parametrize("n_items", [3, 4, 5])
def test_the_mix_tells_of_whatever_ranks_and_precedences_tell_of(n_items):
    """Several coefficients may say the same of these: as many as exact ranks leave apart."""
    mix = choose_mix(n_items, epsilon=4.0, n_people=10_000)
    n_told = {}
    for asked in (mix, MIXES["ranks-and-pairs"], MIXES["levels"]):
        told = sum(part.share * round_information(part, n_items, 4.0) for part in asked)
        n_told[asked] = np.linalg.matrix_rank(told, tol=1e-9)
    assert n_told[mix] == n_told[MIXES["ranks-and-pairs"]] > n_told[MIXES["levels"]]


@pytest.mark.parametrize("n_items", range(2, 17))
def test_stronger_reports_and_larger_epsilons_never_ask_for_less_detail(n_items):
    """Of partial rankings, along each of the two, and where the number of people lets both rise."""
    detail = {mix: nth for nth, mix in enumerate(MIXES.values())}
    epsilons = (0.3, 1.0, 1.14, 1.16, 1.49, 1.51, 1.99, 2.01, 2.99, 3.01, 6.0)
    strengths = (100, 300, 1000, 5000, 20_000, 90_000)
    asked = {
        (epsilon, strength): detail[
            choose_mix(
                n_items,
                epsilon=epsilon,
                n_people=people_of(strength, epsilon),
                unranked="last",
            )
        ]
        for epsilon, strength in product(epsilons, strengths)
        if people_of(strength, epsilon) >= 1
    }
    for (epsilon, strength), (more, stronger) in product(asked, repeat=2):
        if epsilon <= more and strength <= stronger:
            assert asked[epsilon, strength] <= asked[more, stronger]


def test_every_row_of_the_table_is_chosen_somewhere_and_the_last_one_fits_everything():
    """A row that others hide would say what is not done."""
    for nth, row in enumerate(CHOICES):
        here = (row.fewest_items, row.least_epsilon, row.least_strength)
        earlier = [
            other
            for other in CHOICES[:nth]
            if other.fewest_items <= here[0] <= other.most_items
            and other.least_epsilon <= here[1]
            and other.least_strength <= here[2]
        ]
        assert earlier == []
    assert CHOICES[-1][1:] == (2, float("inf"), 0.0, 0.0)
    assert {row.mix for row in CHOICES} == set(MIXES)


def test_a_tiny_epsilon_asks_for_pairs():
    for epsilon in (1e-300, 1e-9):
        assert choose_mix(8, epsilon=epsilon, n_people=1) == (MixPart("pairs"),)


def test_an_extreme_epsilon_does_not_overflow():
    for unranked in ("refused", "last"):
        mix = choose_mix(8, epsilon=1000.0, n_people=1, unranked=unranked)
        assert "ranks-and-pairs" in describe_mix(mix)


@pytest.mark.parametrize(
    ("part", "kind", "n_questions", "n_categories"),
    [
        (MixPart("pairs"), RelativeOrder, 10, 2),
        (MixPart("extremes"), RankLevel, 5, 2),
        (MixPart("levels", n_levels=4), RankLevel, 5, 4),
        (MixPart("levels-and-pairs", n_levels=2), LevelAndPrecedence, 20, 4),
        (MixPart("ranks-and-pairs"), LevelAndPrecedence, 20, 8),
    ],
)
def test_every_item_or_pair_is_asked_about_alike(part, kind, n_questions, n_categories):
    questions = part.questions(5)
    assert len(set(questions)) == len(questions) == n_questions
    assert {type(each) for each in questions} == {kind}
    assert {each.n_categories for each in questions} == {n_categories}
    asked = Counter(item for each in questions for item in each.items)
    assert len(asked) == 5
    assert len(set(asked.values())) == 1


@pytest.mark.parametrize("n_items", [8, 30])
@pytest.mark.parametrize(
    ("part", "n_of_an_item"),
    [
        (MixPart("pairs"), 0.5),
        (MixPart("extremes"), 0),
        (MixPart("levels", n_levels=4), 0),
        (MixPart("levels-and-pairs", n_levels=2), 1),
        (MixPart("ranks-and-pairs"), 1),
    ],
)
def test_who_leaves_items_out_is_asked_all_that_others_are(part, n_of_an_item, n_items):
    complete = part.questions(n_items)
    assert len(set(complete)) == n_items * ((n_items - 1) * n_of_an_item or 1)
    for unranked in get_args(Unranked) if part.kind == "pairs" else ("last",):
        asked = part.questions(n_items, unranked)
        assert asked == tuple(Stated(each, unranked) for each in complete)


@pytest.mark.parametrize("kind", NAMED)
def test_half_name_an_item_of_the_first_places_and_half_one_of_the_last(kind):
    questions = MixPart(kind, n_levels=2).questions(5)
    assert [each.places for each in questions] == [(0, 1), (3, 4)]


def test_the_whole_mix_is_said_in_words():
    mix = (MixPart("pairs", 0.25), MixPart("extremes", 0.25), MixPart("levels", 0.5, n_levels=3))
    parts = mix_in_words(mix).split("; ")
    assert parts == [
        f"{share} % {mix_in_words((part,))}" for share, part in zip((25, 25, 50), mix, strict=True)
    ]


def test_the_parts_ask_different_people_at_full_epsilon():
    mix = (MixPart("pairs", 0.3), MixPart("extremes", 0.1), MixPart("ranks-and-pairs", 0.6))
    surveys = mix_surveys(mix, 5, 1.5)
    assert [survey.epsilon for survey in surveys] == [1.5] * 3
    assert [survey.answers_per_person for survey in surveys] == [1] * 3
    ends = [end for survey in surveys for end in survey.lots]
    assert ends == pytest.approx([0, 0.3, 0.3, 0.4, 0.4, 1])
    assert ends[0] == 0.0
    assert ends[-1] == 1.0
    assert ends[1:-1:2] == ends[2:-1:2]


def test_of_a_mix_of_many_parts_each_asks_its_share():
    """Of 32 parts, in floats exactly; the first twenty have five eighths of the people."""
    mix = tuple(MixPart("levels", 1 / 32, n_levels=2 + n % 5) for n in range(32))
    surveys = mix_surveys(mix, 7, 1.5)
    assert [survey.lots for survey in surveys] == [(n / 32, (n + 1) / 32) for n in range(32)]
    assert [survey.name for survey in surveys] == [part.name for part in mix]
    assert next(max_entropy(7, epsilon=1.5, n_people=10, mix=mix)) == surveys
    assert [survey.questions for survey in surveys] == [part.questions(7) for part in mix]
    assert describe_mix(mix).split(", ") == [f"3.125 % {part.name}" for part in mix]
    said = [f"3.125 % {mix_in_words((part,))}" for part in mix]
    assert mix_in_words(mix).split("; ") == said
    with pytest.raises(HushrankError, match=r"shares that sum to 1, got 0\.96875"):
        mix_surveys(mix[:-1], 7, 1.5)


def test_shares_whose_sum_is_rounded_leave_nobody_out():
    mix = (MixPart("pairs", 0.1),) * 10
    assert list(accumulate(part.share for part in mix))[-1] < 1
    assert mix_surveys(mix, 5, 1.0)[-1].lots[1] == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: MixPart("triplets"),
        lambda: MixPart("pairs", 0.0),
        lambda: MixPart("pairs", 1.1),
        lambda: MixPart("pairs", float("nan")),
        lambda: MixPart("levels"),
        lambda: MixPart("pairs", n_levels=3),
        lambda: mix_surveys((MixPart("pairs", 0.5),), 5, 1.0),
        lambda: mix_surveys((), 5, 1.0),
        lambda: mix_surveys((MixPart("levels", n_levels=6),), 5, 1.0),
        lambda: mix_surveys((MixPart("extremes"),), 2, 1.0),
        lambda: mix_surveys((MixPart("pairs"),), 5, 0.0),
        lambda: choose_mix(1, epsilon=1.0, n_people=10),
        lambda: choose_mix(5, epsilon=1.0, n_people=0),
        lambda: choose_mix(5, epsilon=float("nan"), n_people=10),
        lambda: choose_mixes(5, epsilons=(1.0, 0.0, 1.0), n_people=(10, 10, 10)),
        lambda: choose_mixes(5, epsilons=(1.0, 0.0), n_people=(10, 10)),
        lambda: choose_mixes(5, epsilons=(1.0,) * 30 + (0.0,), n_people=(10,) * 31),
    ],
)
def test_what_cannot_be_asked_is_refused(wrong):
    with pytest.raises(HushrankError):
        wrong()


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("unranked", get_args(Unranked))
def test_only_who_ranks_all_items_is_asked_to_name_a_set(kind, unranked):
    """Others would name fewer, and a mechanism hides how many there are from nobody."""
    with pytest.raises(HushrankError, match="complete rankings only"):
        mix_surveys((MixPart(kind, n_levels=2),), 5, 1.0, unranked=unranked)


def test_parts_of_a_mix_share_the_lots_that_they_are_given():
    mix = MixPart("pairs", 0.25), MixPart("extremes", 0.25), MixPart("ranks-and-pairs", 0.5)
    surveys = mix_surveys(mix, 4, 1.0, lots=(0.5, 0.75))
    assert [each.lots for each in surveys] == [(0.5, 0.5625), (0.5625, 0.625), (0.625, 0.75)]

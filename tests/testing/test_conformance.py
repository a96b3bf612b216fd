"""The suite for authors of plug-ins passes what is right, and says what is wrong."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from hushrank.mechanisms.local import Tally, checked_categories
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.word_rates import WordRates
from hushrank.models.mallows import Mallows
from hushrank.protocols.registry import (
    PROTOCOLS,
    Pairs,
    SubsetOrders,
    WholeRanking,
    make_protocol,
)
from hushrank.questions.rank_level import RankLevel, even_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.testing import StatedChannel, check_mechanism, check_protocol, check_question
from tests.conformance import LISTED, UNARY, channel_of

QUICK = {"n_categories": (3,), "epsilons": (1.0,)}


def stated(mechanism):
    known = channel_of(mechanism)
    return StatedChannel(known.reports, known.words, known.total)


@pytest.mark.parametrize("kind", [*LISTED, *UNARY])
def test_our_own_mechanisms_pass(kind):
    check_mechanism(kind, stated, **QUICK)


@dataclass(frozen=True)
class Wrong:
    """Randomised response with one thing wrong; everything else is delegated."""

    right: GeneralizedRandomizedResponse

    @classmethod
    def make(cls, n_categories, epsilon):
        return cls(GeneralizedRandomizedResponse(n_categories, epsilon))

    @property
    def n_categories(self):
        return self.right.n_categories

    @property
    def epsilon(self):
        return self.right.epsilon

    @property
    def rates(self):
        return self.right.rates

    def randomise(self, categories, *, rng):
        return self.right.randomise(categories, rng=rng)

    def tally(self, reports):
        return self.right.tally(reports)

    def channel(self):
        return stated(self.right)


class SpendsMore(Wrong):
    """Draws as if epsilon were 5 % larger."""

    def randomise(self, categories, *, rng):
        wasteful = GeneralizedRandomizedResponse(self.n_categories, 1.05 * self.epsilon)
        return wasteful.randomise(categories, rng=rng)


class StatesLess(Wrong):
    """Its channel loses more than epsilon."""

    def channel(self):
        return stated(GeneralizedRandomizedResponse(self.n_categories, 1.001 * self.epsilon))


class Betrays(Wrong):
    """One report is impossible for another category."""

    def channel(self):
        known = stated(self.right)
        words = known.words.copy()
        words[0, 0] += words[0, 1]
        words[0, 1] = 0
        return replace(known, words=words)


class RatioOff(Wrong):
    """States another loss than its channel's."""

    @property
    def rates(self):
        return replace(self.right.rates, worst_ratio=Fraction(2))


class Biased(Wrong):
    """States rates of another mechanism."""

    @property
    def rates(self):
        other = GeneralizedRandomizedResponse(self.n_categories, 0.99 * self.epsilon).rates
        known = self.right.rates
        return WordRates(other.hit_words, other.false_hit_words, known.worst_ratio)


class DrawsMoreForSome(Wrong):
    """Takes another word where the category is 0."""

    def randomise(self, categories, *, rng):
        if categories.size == 1 and categories[0] == 0:
            rng.words(1)
        return super().randomise(categories, rng=rng)


class RefusesLate(Wrong):
    """Draws before it checks."""

    def randomise(self, categories, *, rng):
        rng.words(1)
        return super().randomise(categories, rng=rng)


class Forgets(Wrong):
    """Wraps what is out of domain."""

    def randomise(self, categories, *, rng):
        within = np.asarray(categories) % self.n_categories
        if rng.is_private or within.size != 2:
            return super().randomise(within, rng=rng)
        return within


class TruthfulAlone(Wrong):
    """Randomises crowds, and tells the truth of a person who is asked alone."""

    def randomise(self, categories, *, rng):
        noisy = super().randomise(categories, rng=rng)
        return categories if categories.size == 1 else noisy


class TruthfulInProduction(Wrong):
    """Is right in simulations."""

    def randomise(self, categories, *, rng):
        noisy = super().randomise(categories, rng=rng)
        return categories if rng.is_private else noisy


class OwnSource(Wrong):
    """Draws words, and takes its noise from elsewhere."""

    def randomise(self, categories, *, rng):
        super().randomise(categories, rng=rng)
        return super().randomise(categories, rng=Randomness.secure())


class NoWords(Wrong):
    """Leaves `rng` alone once the categories are checked."""

    def randomise(self, categories, *, rng):
        inside = categories.min() >= 0 and categories.max() < self.n_categories
        return super().randomise(categories, rng=Randomness.seeded(1) if inside else rng)


class Remembers(Wrong):
    """Reports what the first person of the call before hid."""

    earlier: ClassVar[dict] = {}

    def randomise(self, categories, *, rng):
        reports = super().randomise(categories, rng=rng)
        reports[-1] = self.earlier.get("category", reports[-1])
        self.earlier["category"] = categories[0]
        return reports


class TellsOfTheOneBefore(Wrong):
    """Reports what the person before hid, of every second one."""

    def randomise(self, categories, *, rng):
        before = np.append(categories[1::2], categories[0])[: categories[::2].size]
        mixed = super().randomise(categories, rng=rng)
        mixed[::2] = self.right.randomise(before, rng=rng)
        return mixed if categories.size > 1 else super().randomise(categories, rng=rng)


class TellsOfTheOneAfter(Wrong):
    """Every second person's word begins with what the person after hid."""

    def randomise(self, categories, *, rng):
        checked_categories(categories, self.n_categories)
        words, k = rng.words(categories.size).copy(), np.uint64(self.n_categories)
        after = categories[1::2].astype(np.uint64)
        before = np.s_[: 2 * after.size : 2]
        words[before] = words[before] // k + after * (np.uint64(2**64 - 1) // k)
        return super().randomise(categories, rng=Randomness.replayed(words.tobytes()))


class SharesItsCoins(Wrong):
    """The second half of a batch uses the words of the first half again."""

    def randomise(self, categories, *, rng):
        checked_categories(categories, self.n_categories)
        half = -(-categories.size // 2)
        tape = rng.words(4 * half).tobytes()
        parts = [
            self.right.randomise(part, rng=Randomness.replayed(tape))
            for part in (categories[:half], categories[half:])
        ]
        return np.concatenate(parts)


class SpoilsItsInput(Wrong):
    """Writes reports where the categories were."""

    def randomise(self, categories, *, rng):
        categories[:] = super().randomise(categories, rng=rng)
        return categories.copy()


class SimulatesMore(Wrong):
    """Takes a short cut at other rates."""

    def simulate_tally(self, category_counts, *, rng):
        wasteful = GeneralizedRandomizedResponse(self.n_categories, 1.3 * self.epsilon)
        return wasteful.simulate_tally(category_counts, rng=rng)


class SimulatesTheMean(Wrong):
    """Takes a short cut without chance."""

    def simulate_tally(self, category_counts, *, rng):
        p, q = self.rates.hit_rate, self.rates.false_hit_rate
        n_people = int(category_counts.sum())
        return Tally(category_counts * p + (n_people - category_counts) * q, n_people)


class SimulatesTheMeanOfTheLast(SimulatesTheMean):
    """Takes the short cut without chance for one category alone."""

    def simulate_tally(self, category_counts, *, rng):
        support = self.right.simulate_tally(category_counts, rng=rng).support.astype(float)
        means = super().simulate_tally(category_counts, rng=rng)
        support[-1] = means.support[-1]
        return Tally(support, means.n_reports)


class ReportsNoCategory(Wrong):
    """The last of very many people does."""

    def randomise(self, categories, *, rng):
        reports = super().randomise(categories, rng=rng)
        reports[10_000:][-1:] = self.n_categories
        return reports


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (SimulatesMore, "simulate_tally draws do not follow the law"),
        (SimulatesTheMean, "varies more or less than reports do"),
        (SimulatesTheMeanOfTheLast, "varies more or less than reports do"),
        (ReportsNoCategory, "a report was drawn that the channel does not list"),
        (TruthfulAlone, "asked alone do not follow the law"),
        (TruthfulInProduction, "the same words give other reports"),
        (OwnSource, "the same words give other reports"),
        (NoWords, "draws no word"),
        (Remembers, "the same words give other reports"),
        (TellsOfTheOneBefore, "asked together do not follow the law"),
        (TellsOfTheOneAfter, "asked together do not follow the law"),
        (SharesItsCoins, "asked together do not follow the law"),
        (SpoilsItsInput, "changes the categories"),
    ],
)
def test_a_mechanism_that_leaks_beside_its_channel_is_caught(kind, said):
    with pytest.raises(AssertionError, match=said):
        check_mechanism(kind.make, lambda mechanism: mechanism.channel(), **QUICK)


def test_a_channel_that_does_not_depend_on_epsilon_is_told_so():
    def make(n_categories, epsilon):
        return GeneralizedRandomizedResponse(n_categories, min(epsilon, 1.0))

    with pytest.raises(AssertionError, match="hardly changes"):
        check_mechanism(make, stated, **QUICK)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (SpendsMore, "do not follow the law"),
        (StatesLess, "exact loss of the channel exceeds"),
        (Betrays, "betrays a category"),
        (RatioOff, "worst_ratio is not that of the channel"),
        (Biased, "estimates are biased"),
        (DrawsMoreForSome, "number of words"),
        (RefusesLate, "out of domain"),
        (Forgets, "not refused"),
    ],
)
def test_a_mechanism_that_breaks_one_promise_is_told_which(kind, said):
    with pytest.raises(AssertionError, match=said):
        check_mechanism(kind.make, lambda mechanism: mechanism.channel(), **QUICK)


def test_the_wrong_mechanisms_are_wrong_in_one_thing_only():
    check_mechanism(Wrong.make, lambda mechanism: mechanism.channel(), **QUICK)


@pytest.mark.parametrize(
    ("question", "n_items"),
    [
        (RelativeOrder((2, 0)), 4),
        (RelativeOrder((1, 4, 3)), 9),
        (RankLevel(1, even_levels(5, 3)), 5),
        (TopOrder(5, 2), 5),
        (WholeOrder((0, 1, 2, 3)), 4),
        (Stated(RelativeOrder((2, 0)), "last"), 4),
    ],
)
def test_our_own_questions_pass(question, n_items):
    check_question(question, n_items)


@dataclass(frozen=True)
class FirstOfAll:
    """Asks which item is first, and says that it asks about the first two."""

    items: tuple[int, ...] = (0, 1)
    n_categories: int = 2
    takes_incomplete: bool = False
    items_at_once: tuple[int, ...] = ()

    def fits(self, n_items):
        return n_items > 1

    def answer(self, ranks):
        return (ranks[:, 2] == 0).astype(np.intp)


class OutOfDomain(FirstOfAll):
    def answer(self, ranks):
        return ranks[:, 0].astype(np.intp)


class InContext(FirstOfAll):
    def answer(self, ranks):
        return (ranks[:, 0] > ranks[:, 0].mean()).astype(np.intp)


class Spoils(FirstOfAll):
    def answer(self, ranks):
        ranks[:] = ranks[:, ::-1]
        return (ranks[:, 0] < ranks[:, 1]).astype(np.intp)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (FirstOfAll(), "does not name"),
        (OutOfDomain(), "outside 0"),
        (InContext(), "who else is asked"),
        (Spoils(), "changes the rankings|who else"),
        (RelativeOrder((0, 7)), "does not fit"),
    ],
)
def test_a_question_that_breaks_one_promise_is_told_which(question, said):
    with pytest.raises(AssertionError, match=said):
        check_question(question, 4)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_our_own_protocols_pass(name):
    check_protocol(make_protocol(name))


class AsksTwice(SubsetOrders):
    def begin(self, n_items, *, epsilon, n_people, seed):
        options = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        yield from super().begin(n_items, **options)
        return (yield from super().begin(n_items, **options))


class Forgetful(Pairs):
    """Pivots and ties by a coin of its own."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        learnt = yield from super().begin(n_items, epsilon=epsilon, n_people=n_people, seed=seed)
        order = tuple(np.random.default_rng().permutation(n_items).tolist())
        return replace(learnt, outcome=replace(learnt.outcome, order=order))


class OwnShares(WholeRanking):
    """Draws a part of its model from a source of its own."""

    def begin(self, n_items, *, epsilon, n_people, seed):
        options = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        learnt = yield from super().begin(n_items, **options)
        centre = tuple(np.random.default_rng().permutation(n_items).tolist())
        return replace(learnt, model=Mallows(centre, 0.0))


class Backwards(SubsetOrders):
    def begin(self, n_items, *, epsilon, n_people, seed):
        options = {"epsilon": epsilon, "n_people": n_people, "seed": seed}
        learnt = yield from super().begin(n_items, **options)
        return replace(learnt, order=learnt.order[::-1])


class ClaimsAModel(SubsetOrders):
    has_model = True


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        (AsksTwice(), "costs 2.0 nats"),
        (Forgetful(), "another order"),
        (OwnShares("mine", GeneralizedRandomizedResponse), "another model"),
        (Backwards(), "people agree"),
        (ClaimsAModel(), "has_model"),
    ],
)
def test_a_protocol_that_breaks_one_promise_is_told_which(protocol, said):
    with pytest.raises(AssertionError, match=said):
        check_protocol(protocol, n_items=7)

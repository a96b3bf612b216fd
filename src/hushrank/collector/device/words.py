"""Answers and reports in plain English: what a person is shown before anything is sent."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import comb, factorial
from typing import cast

import numpy as np

from hushrank.accounting.rounding import numeral_above, numeral_below
from hushrank.errors import HushrankError
from hushrank.mechanisms.fitting import fitting
from hushrank.mechanisms.local import LocalMechanism, Reporting
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.rankings.coding import orders_at
from hushrank.samplers.word_probabilities import WORDS
from hushrank.surveys.wire_reports import PACKED_BITS, WireReport, from_wire

Names = Sequence[str]
"""Of all items, by their numbers."""

MOST_NAMED = 5
"""Answers that are named where a report fits several of them."""


def question_in_words(question: Question, names: Names) -> str:
    """Say what a question wants to know, as in: which comes first, tea or coffee."""
    match question:
        case RelativeOrder((one, other)):
            return f"which comes first, {names[one]} or {names[other]}"
        case RelativeOrder(items) | WholeOrder(items):
            return f"in which order you have {_all(names[item] for item in items)}"
        case TopOrder(_, 1):
            return "which is the best of all"
        case TopOrder(n_items, n_places) if n_places < n_items:
            return f"which {n_places} are the best of all, in order"
        case TopOrder():
            return "in which order you have all of them"
        case Interleaving((item,), right):
            return f"on which place {names[item]} is beside {_all(names[each] for each in right)}"
        case Interleaving(left, right):
            groups = " with ".join(_all(names[item] for item in part) for part in (left, right))
            return f"how you merge {groups}, whatever their own orders"
        case RankLevel(item):
            return f"how high {names[item]} is"
        case LevelAndPrecedence(item, other):
            return f"how high {names[item]} is, and whether {names[other]} comes before it"
        case RankAndPrecedence(item, first, second):
            which = f"which comes first, {names[first]} or {names[second]}"
            return f"on which place {names[item]} is, and {which}"
        case Stated(inner):
            return f"{question_in_words(inner, names)}, if you say so"
        case NamedSet(places, n_items, None):
            return f"which stand {_places(places, n_items)}"
        case NamedSet(places, n_items, side):
            return f"which stand {_places(places, n_items)}, and which come {side} them"
        case Hashed(inner, _, _, n_buckets):
            groups = f"into which of {n_buckets} groups a public rule sorts that, maybe alone"
            return f"{question_in_words(inner, names)}: {groups}"
    raise HushrankError(f"{type(question).__name__} has no words")


def answer_in_words(question: Question, answer: int | Sequence[int], names: Names) -> str:
    """Say an answer, a category or a row, as in: tea before coffee."""
    if isinstance(question, NamedSet) and not isinstance(answer, int):
        return "; ".join(_category_in_words(question, each, names) for each in answer)
    if isinstance(question, WholeOrder):
        ranks = cast("Sequence[int]", answer)
        order = sorted(range(len(ranks)), key=lambda nth: ranks[nth])
        return _order(names[question.items[nth]] for nth in order)
    return _category_in_words(question, cast(int, answer), names)


def report_in_words(
    question: Question, mechanism: Reporting, report: WireReport, names: Names
) -> str:
    """Say what a report tells, truly or not; many reports fit several answers."""
    if isinstance(mechanism, GeneralizedRandomizedResponse | NamedMember | SubsetOrder):
        return answer_in_words(question, cast("int | tuple[int, ...]", report), names)
    n_fitting, first = fitting(mechanism, from_wire(mechanism, [report]), MOST_NAMED)
    if not n_fitting:
        return "none of the possible answers"
    each = [answer_in_words(question, one, names) for one in first]
    more = n_fitting - len(each)
    others = [f"one of {more:,} other answers"] if more else []
    return _any([*(f"“{one}”" for one in each), *others])


def chance_in_words(mechanism: Reporting) -> str:
    """Say how a device lies, and how often."""
    if isinstance(mechanism, SubsetOrder):
        return "It is an order drawn by chance, likelier to be near yours than far from it."
    rates = cast(LocalMechanism, mechanism).rates
    if isinstance(mechanism, PACKED_BITS):
        own = _percent(rates.hit_words, numeral_above)
        other = _percent(rates.false_hit_words, numeral_below)
        coins = f"yours is named with a chance of {own}, any other one with {other}"
        return f"It may be a lie: coins of your device decided. What is {coins}."
    n_held = mechanism.n_members if isinstance(mechanism, NamedMember) else 1
    lie = _percent(WORDS - n_held * rates.hit_words, numeral_below)
    return f"It may be a lie: a coin of your device decided, and lies with a chance of {lie}."


def _category_in_words(question: Question, category: int, names: Names) -> str:
    match question:
        case RelativeOrder(items):
            return _order(names[items[nth]] for nth in _order_at(category, len(items)))
        case TopOrder(n_items, n_places):
            return _top(n_items, n_places, category, names)
        case Interleaving(left, right):
            return _merged(left, right, category, names)
        case RankLevel(item, levels):
            return f"{names[item]} {_places(_having(category, levels), len(levels))}"
        case LevelAndPrecedence():
            return _level_and_precedence(question, category, names)
        case RankAndPrecedence(item, first, second, n_items):
            rank, is_second = divmod(category, 2)
            pair = [names[second], names[first]] if is_second else [names[first], names[second]]
            return f"{names[item]} {_places([rank], n_items)}, and {_order(pair)}"
        case NamedSet(places, n_items, side):
            return _named(question.cell(category), _places(places, n_items), side, names)
        case Stated(inner) if category == inner.n_categories:
            return f"nothing said of {_all(names[item] for item in inner.items)}"
        case Stated(inner):
            return _category_in_words(inner, category, names)
        case Hashed(inner, _, _, n_buckets):
            wanted = question_in_words(inner, names)
            return f"group {category + 1} of {n_buckets} into which a public rule sorts {wanted}"
    raise HushrankError(f"{type(question).__name__} has no words")


def _order_at(index: int, n_items: int) -> Sequence[int]:
    order: list[int] = orders_at(np.array([index]), n_items)[0].tolist()
    return order


def _top(n_items: int, n_places: int, category: int, names: Names) -> str:
    order = _order_at(category * factorial(n_items - n_places), n_items)[:n_places]
    best = _order(names[item] for item in order)
    return best if n_places >= n_items - 1 else f"{best}, before all others"


def _having(category: int, levels: Sequence[int]) -> list[int]:
    return [rank for rank, level in enumerate(levels) if level == category]


def _level_and_precedence(question: LevelAndPrecedence, category: int, names: Names) -> str:
    ranks = [rank for rank, cells in enumerate(question.cells) if category in cells]
    side = "before" if category == question.cells[ranks[0]][1] else "after"
    where = _places(ranks, len(question.cells))
    return f"{names[question.item]} {where}, and {names[question.other]} {side} it"


def _named(cell: tuple[int, int | None], where: str, side: str | None, names: Names) -> str:
    named, beside = cell
    placed = f"{names[named]} {where}"
    return placed if beside is None else f"{placed}, and {names[beside]} {side} it"


def _merged(left: Sequence[int], right: Sequence[int], index: int, names: Names) -> str:
    n_places = len(left) + len(right)
    places = set(_places_of(index, n_places, len(left)))
    if len(left) == 1:
        return f"{names[left[0]]} on place {min(places) + 1} of {_all_of(left, right, names)}"
    letters = " ".join("A" if place in places else "B" for place in range(n_places))
    one, other = (_all(names[item] for item in part) for part in (left, right))
    return f"{letters}, where A is {one} and B is {other}"


def _places_of(index: int, n_places: int, n_chosen: int) -> list[int]:
    """Return the places of a colexicographic index: see `interleaving_index`."""
    places: list[int] = []
    for place in reversed(range(n_places)):
        ways = comb(place, n_chosen - len(places))
        if len(places) < n_chosen and ways <= index:
            places.append(place)
            index -= ways
    return places


def _places(ranks: Sequence[int], n_items: int) -> str:
    """Say places, the best of which has rank 0: among the first 2 of 7."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] == rank - 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return f"{_any([_run(run, n_items) for run in runs])} of {n_items}"


def _run(run: Sequence[int], n_items: int) -> str:
    if len(run) == 1:
        return f"on place {run[0] + 1}"
    if run[0] == 0:
        return f"among the first {len(run)}"
    if run[-1] == n_items - 1:
        return f"among the last {len(run)}"
    return f"on places {run[0] + 1} to {run[-1] + 1}"


def _order(names: Iterable[str]) -> str:
    """Say names, best first."""
    return " before ".join(names)


def _all_of(left: Sequence[int], right: Sequence[int], names: Names) -> str:
    return _all(names[item] for item in (*left, *right))


def _all(names: Iterable[str]) -> str:
    return _listed(list(names), "and")


def _any(names: Sequence[str]) -> str:
    return _listed(names, "or")


def _listed(names: Sequence[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _percent(words: int, rounded: Callable[[Fraction, int], Decimal]) -> str:
    """Say a chance of so many words in per cent, rounded to the side that hides less."""
    percent = Fraction(100 * words, WORDS)
    digits = 2 if percent < 99 else 4
    return f"{float(rounded(percent, digits)):.{digits}g} %"

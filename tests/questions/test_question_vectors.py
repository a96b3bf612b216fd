import json
from itertools import permutations
from math import comb, factorial

import msgspec
import numpy as np
import pytest

from hushrank.surveys.wire_questions import WireQuestion
from vectors.make_questions import FOLDER, QUESTIONS, text


def naive_category(question: dict, ranks: list[int]) -> int | list[int]:
    """Answer by the definitions in docs/data-model.md, without the package."""
    if question["kind"] == "rank-and-precedence":
        second_first = ranks[question["second"]] < ranks[question["first"]]
        return 2 * ranks[question["item"]] + second_first
    if question["kind"] == "rank-level":
        return question["levels"][ranks[question["item"]]]
    if question["kind"] == "level-and-precedence":
        return naive_cell(question, ranks)
    if question["kind"] == "stated":
        return naive_stated(question, ranks)
    if question["kind"] == "hashed":
        return naive_bucket(question, naive_category(question["question"], ranks))
    if question["kind"] == "top-order":
        return naive_top_order(question, ranks)
    if question["kind"] == "named-set":
        return naive_named_set(question, ranks)
    if question["kind"] == "interleaving":
        merged = sorted(question["left"] + question["right"], key=lambda item: ranks[item])
        places = [place for place, item in enumerate(merged) if item in question["left"]]
        return sum(comb(place, nth) for nth, place in enumerate(places, start=1))
    items = question["items"]
    order = sorted(range(len(items)), key=lambda position: ranks[items[position]])
    return sum(
        sum(later < position for later in order[place + 1 :]) * factorial(len(order) - 1 - place)
        for place, position in enumerate(order)
    )


def naive_cell(question: dict, ranks: list[int]) -> int:
    """Number the pairs of a level and whether the other item is first, if some ranking has them."""
    rank, other_rank = ranks[question["item"]], ranks[question["other"]]
    possible = {
        (level, other < own)
        for own, level in enumerate(question["levels"])
        for other in range(len(ranks))
        if other != own
    }
    return sorted(possible).index((question["levels"][rank], other_rank < rank))


def naive_stated(question: dict, ranks: list[int]) -> int:
    """Answer if all full rankings that may be meant say the same, and the item has its rank."""
    asked, n_items = question["question"], len(ranks)
    ranked = [item for item in range(n_items) if ranks[item] < 255]
    left = [item for item in range(n_items) if item not in ranked]
    in_order = sorted(ranked, key=lambda item: ranks[item])
    meant = [[*in_order, *rest] for rest in permutations(left)]
    answers = {
        naive_category(asked, [order.index(item) for item in range(n_items)]) for order in meant
    }
    decided = len(answers) == 1
    if question["unranked"] == "unknown":
        decided = set(asked["items"]) <= set(ranked)
    if asked["kind"] == "level-and-precedence":
        decided = asked["item"] in ranked or len(left) <= 1
    return answers.pop() if decided else naive_n_categories(asked)


def naive_n_categories(question: dict) -> int:
    """Count the answers of all rankings of six items."""
    return len({naive_category(question, list(ranks)) for ranks in permutations(range(6))})


def naive_bucket(question: dict, category: int) -> int:
    """Hash with numbers that never overflow."""
    hashed = int(question["multiplier"]) * category + int(question["offset"])
    return (hashed % 2**64 // 2**44) * question["n_buckets"] // 2**20


def naive_top_order(question: dict, ranks: list[int]) -> int:
    """Find the first places among all of them, in lexicographic order."""
    first = sorted(range(len(ranks)), key=lambda item: ranks[item])[: question["n_places"]]
    every = permutations(range(question["n_items"]), question["n_places"])
    return list(every).index(tuple(first))


def naive_named_set(question: dict, ranks: list[int]) -> list[int]:
    """Go through all cells in the order of their numbers."""
    items, places, side = range(question["n_items"]), question["places"], question["side"]
    if side is None:
        return [item for item in items if ranks[item] in places]
    cells = [(item, other) for item in items for other in items if other != item]
    return [
        number
        for number, (item, other) in enumerate(cells)
        if ranks[item] in places and (ranks[other] < ranks[item]) == (side == "before")
    ]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_vectors_are_those_of_the_code(name):
    assert (FOLDER / f"{name}.json").read_text() == text(name)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_vectors_are_those_of_the_definitions(name):
    for case in json.loads((FOLDER / f"{name}.json").read_text())["cases"]:
        question = msgspec.convert(case["question"], WireQuestion).question()
        assert question.n_categories == case["n_categories"]
        for vector in case["vectors"]:
            ranks = np.array([vector["ranks"]], dtype=np.uint8)
            assert question.answer(ranks).tolist() == [vector["category"]]
            assert naive_category(case["question"], vector["ranks"]) == vector["category"]

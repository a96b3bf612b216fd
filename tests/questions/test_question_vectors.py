import json
from math import comb, factorial

import msgspec
import numpy as np
import pytest

from hushrank.surveys.wire_documents import WireQuestion
from vectors.make_questions import FOLDER, QUESTIONS, text


def naive_category(question: dict, ranks: list[int]) -> int:
    """Answer by the definitions in docs/data-model.md, without the package."""
    if question["kind"] == "rank-and-precedence":
        second_first = ranks[question["second"]] < ranks[question["first"]]
        return 2 * ranks[question["item"]] + second_first
    if question["kind"] == "rank-level":
        return question["levels"][ranks[question["item"]]]
    if question["kind"] == "level-and-precedence":
        return naive_cell(question, ranks)
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

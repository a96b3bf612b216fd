"""Write the golden vectors of the questions: `python -m vectors.make_questions`, from the root.

A changed vector is a changed protocol: the test of the vectors compares, and does not rewrite.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.rankings.profile import Rankings
from hushrank.surveys.wire_questions import wire_question

FOLDER = Path(__file__).parent
N_ITEMS, N_PEOPLE = 6, 12
QUESTIONS: dict[str, list[Question]] = {
    "relative-order": [
        RelativeOrder((4, 1)),
        RelativeOrder((0, 5, 2)),
        RelativeOrder((3, 1, 2, 0)),
    ],
    "interleaving": [
        Interleaving((2,), (5, 0, 3)),
        Interleaving((4, 1), (0, 3, 5)),
        Interleaving((5, 0, 2), (1, 3, 4)),
    ],
    "rank-and-precedence": [
        RankAndPrecedence(0, 1, 2, N_ITEMS),
        RankAndPrecedence(5, 4, 0, N_ITEMS),
    ],
    "rank-level": [
        RankLevel(2, even_levels(N_ITEMS, 3)),
        RankLevel(5, extreme_levels(N_ITEMS)),
    ],
    "level-and-precedence": [
        LevelAndPrecedence(4, 1, even_levels(N_ITEMS, 3)),
        LevelAndPrecedence(0, 5, even_levels(N_ITEMS, N_ITEMS)),
    ],
    "stated": [
        Stated(RelativeOrder((4, 1)), "last"),
        Stated(RelativeOrder((4, 1)), "unknown"),
        Stated(RankLevel(2, even_levels(N_ITEMS, 3)), "last"),
        Stated(RankLevel(5, extreme_levels(N_ITEMS)), "last"),
        Stated(LevelAndPrecedence(0, 5, even_levels(N_ITEMS, 3)), "last"),
    ],
    "named-set": [
        NamedSet((0, 1), N_ITEMS),
        NamedSet((0, 5), N_ITEMS),
        NamedSet((4, 5), N_ITEMS, "before"),
        NamedSet((0, 1, 2), N_ITEMS, "before"),
        NamedSet((3, 4, 5), N_ITEMS, "after"),
    ],
    "top-order": [TopOrder(N_ITEMS, 2), TopOrder(N_ITEMS, N_ITEMS)],
    "hashed": [
        Hashed(TopOrder(N_ITEMS, 3), 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 8),
        Hashed(TopOrder(N_ITEMS, N_ITEMS), 2**64 - 1, 2**64 - 1, 56),
    ],
}


def text(name: str) -> str:
    """Return the file's text: questions as on the wire, ranks (0 = best) and categories."""
    people = _people_who_stop() if name == "stated" else _people()
    cases = [
        {
            "question": msgspec.to_builtins(wire_question(question)),
            "n_categories": question.n_categories,
            "vectors": _vectors(question, people),
        }
        for question in QUESTIONS[name]
    ]
    document = {"question": name, "version": 1, "cases": cases}
    return json.dumps(document, indent=1).replace("\n     ", " ").replace("\n    ]", " ]") + "\n"


def _vectors(question: Question, people: Rankings) -> list[dict[str, Any]]:
    answers = question.answer(people.ranks).tolist()
    rows = people.ranks.tolist()
    return [{"ranks": row, "category": answer} for row, answer in zip(rows, answers, strict=True)]


def _people() -> Rankings:
    rng = np.random.default_rng(1)
    return Rankings.from_orders(rng.permuted(np.tile(np.arange(N_ITEMS), (N_PEOPLE, 1)), axis=1))


def _people_who_stop() -> Rankings:
    """Return people who rank 0 to 6 of the items; the largest number marks the others."""
    rng = np.random.default_rng(2)
    keys = rng.permuted(np.tile(np.arange(N_ITEMS), (N_PEOPLE, 1)), axis=1)
    lengths = np.arange(N_PEOPLE) % (N_ITEMS + 1)
    names = [str(item) for item in range(N_ITEMS)]
    return Rankings.from_keys(np.where(keys < lengths[:, None], keys, np.nan), names)


if __name__ == "__main__":
    for name in QUESTIONS:
        (FOLDER / f"{name}.json").write_text(text(name))

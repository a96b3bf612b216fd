import pytest

from hushrank.workflows.results.words import (
    AS_GOOD,
    OTHERWISE,
    as_text,
    least_sure,
    probability_in_words,
)


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        ((0.9, 0.55, 0.8), "right with probability 0.55"),
        ((0.5,), "right with probability 0.50"),
        ((0.9, 0.45), f"right with probability 0.45{AS_GOOD}"),
        ((0.3, 0.9), f"right with probability 0.30{OTHERWISE}"),
    ],
)
def test_of_all_pairs_the_least_sure_one_is_told(confidence, said):
    assert least_sure(confidence) == {"least sure pair": said}


def test_nothing_is_told_of_an_order_that_nobody_knows_to_be_sure():
    assert least_sure(None) == least_sure(()) == {}


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (1.0, "above 0.999"),
        (0.9991, "above 0.999"),
        (0.9985, "0.999"),
        (0.995, "0.995"),
        (0.994, "0.99"),
        (0.005, "0.01"),
        (0.0049, "below 0.01"),
    ],
)
def test_no_probability_is_told_as_certain_or_impossible(probability, said):
    assert probability_in_words(probability) == said


def test_each_of_many_rows_is_said():
    rows = {f"label {n:2}": f"figure {n}" for n in range(30)}
    assert as_text(rows, "A sentence.").splitlines() == [
        *(f"{label}  {said}" for label, said in rows.items()),
        "A sentence.",
    ]

"""What is written in sentences and in JSON is not below what was spent."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hushrank
from hushrank.accounting.composition import exact_epsilon
from hushrank.accounting.words import best_guess
from hushrank.collector.draft import make_draft, read_draft, write_draft

PEOPLE = hushrank.simulate("mallows", people=50, items=3, seed=1)
WRITTEN = st.integers(10, 40_000).map(lambda thousandths: f"{thousandths / 10_000:.4f}")


def numbers_in(result):
    """Return the epsilons and deltas of a result as its JSON has them, as text."""
    told = json.loads(json.dumps(result.to_dict()), parse_float=str)
    return {name: Fraction(told[name]) for name in ("epsilon", "delta") if told[name]}


@given(WRITTEN)
@settings(max_examples=30)
def test_a_curator_spends_no_more_than_is_written_and_says_no_less(written):
    found = hushrank.aggregate(
        PEOPLE, epsilon=float(written), delta=1e-5, method="gaussian-borda", seed=1
    )
    (spend,) = found.spend
    assert Fraction(spend.epsilon) <= Fraction(written) == numbers_in(found)["epsilon"]
    assert Fraction(spend.delta) <= Fraction("1e-5") == numbers_in(found)["delta"]
    said = re.search(r"\((.+?), (.+?)\)-DP", found.found.price)
    assert (Fraction(said[1]), Fraction(said[2])) == (Fraction(written), Fraction("1e-5"))


@given(WRITTEN)
@settings(max_examples=15)
def test_people_spend_no_more_than_is_written_and_are_told_no_less(written):
    found = hushrank.collect(PEOPLE, float(written), protocol="grr", seed=1)
    assert exact_epsilon(found.spend) <= Fraction(written) == numbers_in(found)["epsilon"]
    (round_,) = json.loads(json.dumps(found.to_dict()), parse_float=str)["spend"]
    assert Fraction(round_["epsilon"]) == Fraction(written)
    assert Fraction(re.search(r"simulated (.+?)-LDP", found.privacy)[1]) == Fraction(written)


def test_of_a_loss_that_nobody_wrote_every_numeral_is_above():
    """Of LDP-KwikSort with Laplace noise, whose true loss has as many digits as a float."""
    for epsilon in (0.3, 0.7, 1.1, 1.9):
        found = hushrank.collect(PEOPLE, epsilon, protocol="ldp-kwiksort-lap", seed=1)
        exact = exact_epsilon(found.spend)
        said = Fraction(re.search(r"simulated (.+?)-LDP", found.privacy)[1])
        assert exact <= numbers_in(found)["epsilon"] <= said <= exact * Fraction("1.00001")


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1.1, 1.9])
def test_neither_a_caption_nor_a_table_says_less_than_a_loss(epsilon):
    found = hushrank.collect(PEOPLE, epsilon, protocol="ldp-kwiksort-lap")
    for said in (found.page().caption, found.summary["epsilon"], repr(found)):
        assert Fraction(re.search(r"\d\.\d+", said)[0]) >= exact_epsilon(found.spend)


def test_behind_a_shuffler_both_numbers_are_kept():
    found = hushrank.collect(
        PEOPLE, 0.8, protocol="grr", shuffled=True, central_epsilon=0.8, delta=1e-5, seed=1
    )
    (spend,) = found.outcome.shuffled
    told = numbers_in(found)
    assert Fraction(spend.epsilon) <= Fraction("0.8") == Fraction(repr(found.central_epsilon))
    assert Fraction(spend.delta) <= Fraction("1e-5") == told["delta"]


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_survey_announces_no_more_than_its_organiser_wrote(form):
    lines = {name: name for name in ("title", "asked_by", "purpose", "contact", "privacy_notice")}
    draft = make_draft({**lines, "items": [{"name": "a"}, {"name": "b"}], "epsilon": 0.1})
    assert Fraction(draft.epsilon) < Fraction(1, 10)
    again, _ = read_draft(text := write_draft(draft, {}, form=form), form=form)
    assert again == draft
    assert re.search(rb'epsilon"?( =|:) 0.1\b', text)


def test_a_page_on_shuffled_answers_counts_delta_among_right_guesses():
    found = hushrank.collect(PEOPLE, 1.0, protocol="grr", shuffled=True, delta=0.01)
    guess = best_guess(found.central_epsilon, found.delta)
    assert guess != best_guess(found.central_epsilon)
    assert found.page().plain.endswith(f"guesses right at most {guess} times in 100.")


def test_that_less_was_spent_than_asked_for_is_said():
    found = hushrank.collect(PEOPLE, 1.0, protocol="grr", seed=1)
    assert "asked for" not in found.summary["epsilon"]
    more = replace(found, asked={**found.asked, "epsilon": 1.5})
    assert more.summary["epsilon"].endswith(" per person (asked for 1.5)")


@pytest.mark.parametrize("epsilon", [0.1, 0.3, Fraction(5, 7)])
def test_what_was_asked_for_is_said_as_it_was_written(epsilon):
    asked = hushrank.collect(PEOPLE, epsilon, protocol="grr", seed=1).to_dict()["options"]
    assert Fraction(repr(asked["epsilon"])) >= Fraction(repr(float(epsilon)))


def test_synthetic_rankings_are_those_of_the_seed():
    found = hushrank.collect(PEOPLE, 1.0, protocol="grr", seed=1)
    other = replace(found, asked={**found.asked, "seed": 2})
    assert replace(found).synthetic == found.synthetic != other.synthetic

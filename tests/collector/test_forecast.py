import re
from pathlib import Path

import numpy as np
import pytest

from hushrank.collector.draft import LIVE, read_draft
from hushrank.collector.forecast import LEVELS, foretell, level_of
from hushrank.estimators.shares import share_variance
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.planning.grid import EPSILONS
from hushrank.planning.interpolation import PredictionTable
from hushrank.planning.populations import SMOOTH
from hushrank.planning.predictions import Place

PAGE = (Path(__file__).parents[2] / "docs/collecting-live.md").read_text()
ROW = re.compile(
    r"^\| (\d+) \| ([\d,or few]+) \| ([\d,or few]+) \| ([\d,or few]+) \| ([\d,or few]+) \|$"
)


def test_more_people_more_epsilon_and_fewer_items_are_never_foretold_to_teach_less():
    def known(n_items, n_people, epsilon):
        return round(foretell("max-entropy", n_items, n_people, epsilon).known, 3)

    for n_items in (4, 8, 12):
        people = [known(n_items, n_people, 1.0) for n_people in (200, 1000, 5000, 50_000)]
        assert people == sorted(people)
        epsilons = [known(n_items, 1000, epsilon) for epsilon in (0.5, 1.0, 2.0, 4.0)]
        assert epsilons == sorted(epsilons)
    items = [known(n_items, 1000, 1.0) for n_items in (4, 8, 16)]
    assert items == sorted(items, reverse=True)


def test_camps_are_harder_to_know_than_people_who_agree():
    for n_people in (300, 3000):
        found = foretell("max-entropy", 8, n_people, 1.0)
        assert found.known_divided < found.known
        assert found.level_divided == level_of(found.known_divided) != found.level


def test_what_is_foretold_of_camps_is_of_camps_alone():
    mixed = Place(PredictionTable(), "mixture", 6, 400)
    part = mixed.expect("max-entropy", 0.5).excess / mixed.of_nobody().excess
    assert foretell("max-entropy", 6, 400, 0.5).known_divided == pytest.approx(1 - part)


@pytest.mark.parametrize("epsilon", [EPSILONS[0] * 0.99, EPSILONS[-1] * 1.01])
def test_nothing_is_foretold_of_an_epsilon_beyond_those_that_were_simulated(epsilon):
    nearest = min(max(epsilon, EPSILONS[0]), EPSILONS[-1])
    assert foretell("max-entropy", 6, 500, nearest) is not None
    assert foretell("max-entropy", 6, 500, epsilon) is None


@pytest.mark.parametrize(("protocol", "most"), [("grr", 7), ("olh", 7), ("max-entropy", 16)])
def test_nothing_is_foretold_of_more_items_than_were_simulated(protocol, most):
    assert foretell(protocol, most, 500, 1.0) is not None
    assert foretell(protocol, most + 1, 500, 1.0) is None


def test_what_is_said_to_be_enough_is_enough_and_little_less_is_not():
    found = foretell("max-entropy", 8, 300, 1.0)
    assert foretell("max-entropy", 8, found.enough, 1.0).known >= LEVELS["ends"]
    assert foretell("max-entropy", 8, found.enough // 2, 1.0).known < LEVELS["ends"]


@pytest.mark.parametrize(
    ("n_people", "epsilon", "part"), [(200, 0.5, 0.75), (200, 2, 1), (3000, 0.5, 1), (3000, 2, 1)]
)
def test_a_majority_is_sure_that_lies_two_standard_errors_beyond_an_even_pair(
    n_people, epsilon, part
):
    """Of three items, one pair a person: with the noise, and with who was asked of all people.

    Of few noisy reports intervals are narrower: the pair's own are not all that is known.
    """
    mechanism, reports = GeneralizedRandomizedResponse(2, epsilon), n_people / 3
    noise = share_variance(mechanism, np.array([0.5, 0.5]), reports)[0]
    error = (noise + (1 - 1 / 3) / (4 * reports)) ** 0.5
    majority = foretell("ldp-kwiksort-rr", 3, n_people, epsilon).majority
    assert 50 + part * 1.96 * 100 * noise**0.5 - 1 <= majority <= 50 + 1.96 * 100 * error + 1


@pytest.mark.parametrize("n_people", [200, 400])
def test_a_majority_is_sure_in_the_mean_of_all_populations(n_people):
    places = [Place(PredictionTable(), each.name, 6, n_people) for each in SMOOTH]
    widths = [each.expect("max-entropy", 0.5).half_width for each in places]
    foretold = foretell("max-entropy", 6, n_people, 0.5)
    assert foretold.majority == round(50 + 100 * np.mean(widths))


def test_fewer_people_than_were_simulated_are_said_to_be_so():
    few, fewest = foretell("max-entropy", 6, 40, 2.0), foretell("max-entropy", 6, 200, 2.0)
    assert (few.is_of_fewer, few.people, few.known) == (True, 200, fewest.known)
    assert not fewest.is_of_fewer


@pytest.mark.parametrize("protocol", LIVE)
def test_every_live_protocol_is_foretold_or_not_and_never_fails(protocol):
    for n_items in (1, 2, 7, 8, 16, 17, 1000):
        for epsilon in (0.01, 0.05, 1.0, 8.0):
            found = foretell(protocol, n_items, 500, epsilon)
            assert found is None or 0 <= found.known <= 1
    assert foretell(protocol, 5, 500, 1.0) is not None


def test_levels_follow_what_is_known():
    assert [level_of(share) for share in (0, 0.49, 0.5, 0.8, 0.94, 0.95, 0.985, 1)] == [
        *("nothing", "nothing", "hint", "rough", "top", "ends", "ends", "whole")
    ]


def test_the_documented_numbers_of_people_are_those_that_are_foretold():
    rows = [match for match in map(ROW.match, PAGE.splitlines()) if match]
    assert len(rows) == 5
    for n_items, *cells in (row.groups() for row in rows):
        for epsilon, cell in zip((0.5, 1.0, 2.0, 4.0), cells, strict=True):
            enough = foretell("max-entropy", int(n_items), 1000, epsilon).enough
            documented = int(cell.removesuffix(" or fewer").replace(",", ""))
            assert enough == documented, (n_items, epsilon)


def test_the_documented_file_is_a_survey():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    draft, pictures = read_draft(text, form="toml")
    assert draft.names == ("Coffee", "Tea", "Apple juice")
    assert not pictures

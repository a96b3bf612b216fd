"""What all local mechanisms share: tallies, and how many people are counted."""

from functools import partial

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.mechanisms.local import Tally, checked_categories, checked_counts
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.randomness import Randomness
from tests.conformance import MECHANISMS


def test_as_many_people_as_sums_have_room_for_are_taken_and_no_more():
    most = np.array([2**61, 2**61])
    assert checked_counts(most, 2).tolist() == most.tolist()
    with pytest.raises(HushrankError, match=r"at most 2\^62 people"):
        checked_counts(most + 2**10, 2)


@pytest.mark.parametrize("categories", [[0, 77], [-77, 1], [1, -77], [77, 0], [0, -77, 2]])
def test_an_answer_that_is_refused_is_not_told(categories):
    with pytest.raises(HushrankError, match=r"^expected categories 0\.\.2, some lie outside$"):
        checked_categories(np.array(categories), 3)


HIDES = [
    (GeneralizedRandomizedResponse(5, 1.0).randomise, [1, 77]),
    (SymmetricUnaryEncoding(5, 1.0).randomise, [1, 77]),
    (ThresholdedLaplace(1.0).randomise, [1, 0]),
    (NamedMember(5, 1.0, 2).randomise, [[0, 1], [77, 77]]),
    (SubsetOrder(2, 1.0).randomise, [[0, 1], [77, 77]]),
    (DiscreteLaplace(1, 1.0).release, [1, 77]),
    (PermutohedronMechanism(2, 1.0).release, [77, -77]),
]


@pytest.mark.parametrize(("hide", "given"), HIDES)
def test_what_a_mask_hides_is_neither_passed_over_nor_released(hide, given):
    """Noise passes over it, and so do smallest and largest: it would leave as it is."""
    masked = np.ma.array(given, mask=np.arange(np.size(given)).reshape(np.shape(given)) > 0)
    with pytest.raises(HushrankError, match="without a mask") as caught:
        hide(masked, rng=Randomness.replayed(b""))
    assert "77" not in str(caught.value)


def test_a_list_of_answers_is_refused_in_words():
    with pytest.raises(HushrankError, match="expected an array of categories"):
        checked_categories([0, 1], 3)


TINY = (
    *(partial(kind, 2) for kind in MECHANISMS),
    partial(SubsetOrder, 4),
    ThresholdedLaplace,
    lambda epsilon: NamedMember(5, epsilon, 2),
)


@pytest.mark.parametrize("kind", TINY)
@pytest.mark.parametrize("epsilon", [1e-17, 1e-19, 5e-324])
def test_an_epsilon_at_which_floats_tell_nothing_is_refused_before_anybody_answers(kind, epsilon):
    """Shares are divided by p - q, mean ranks by the signal."""
    with pytest.raises(HushrankError, match="too small"):
        kind(epsilon)


def test_an_empty_tally_adds_nothing():
    empty = Tally.empty(3)
    assert (empty.support.tolist(), empty.n_reports) == ([0, 0, 0], 0)


def test_a_tally_equals_itself_only():
    tally, same = Tally(np.arange(3), 3), Tally(np.arange(3), 3)
    assert tally == tally
    assert tally != same

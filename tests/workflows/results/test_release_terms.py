"""What terms promise, by what was asked for alone."""

import pytest

from hushrank.workflows.results.release_terms import SEEDED, ReleaseTerms


@pytest.mark.parametrize("seed", [0, 1])
def test_whatever_the_seed_it_is_said_to_protect_nobody(seed):
    """Also 0, which is a seed like any other."""
    terms = ReleaseTerms("privrank", ("group",), 0.1, seed=seed)
    assert terms.privacy == "Not private: whoever knows the seed knows whose record each one is."
    assert SEEDED in terms.notes


def test_without_a_seed_nothing_is_said_of_one():
    terms = ReleaseTerms("privrank", ("group",), 0.1)
    assert "seed" not in " ".join([terms.privacy, *terms.notes])

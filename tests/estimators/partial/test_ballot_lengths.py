import numpy as np
import pytest

from hushrank.estimators.partial.ballot_lengths import IMAGINED, most_likely_lengths

RNG = np.random.default_rng(1)


def mixture(n_lengths: int, n_people: int, gap: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return counts of reports, their chances by length, and the true shares of lengths."""
    true = RNG.dirichlet(np.ones(n_lengths))
    chances = (1 - gap) / 20 + gap * RNG.dirichlet(np.full(20, 0.5), size=n_lengths).T
    return RNG.multinomial(n_people, chances @ true).astype(float), chances, true


@pytest.mark.parametrize("n_lengths", [2, 5, 16])
@pytest.mark.parametrize(("n_people", "gap"), [(50, 0.1), (5000, 0.5), (10**7, 0.98)])
def test_no_share_could_gain_by_taking_from_another(n_lengths, n_people, gap):
    """At the peak of a concave sum all slopes are equal; the last one is the multiplier."""
    counts, chances, _ = mixture(n_lengths, n_people, gap)
    shares = most_likely_lengths(counts, chances)
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1)
    slopes = chances.T @ (counts / (chances @ shares)) + IMAGINED / shares
    assert slopes == pytest.approx(n_people + IMAGINED * n_lengths, rel=1e-3)


@pytest.mark.linear_algebra
def test_many_clear_reports_tell_the_lengths():
    counts, chances, true = mixture(6, 10**7, 0.9)
    assert most_likely_lengths(counts, chances) == pytest.approx(true, abs=0.01)


def test_reports_that_say_nothing_leave_all_lengths_as_likely():
    flat = np.full((4, 5), 0.25)
    assert most_likely_lengths(np.array([9.0, 0, 3, 1]), flat) == pytest.approx(0.2)


def test_each_length_has_a_quarter_of_an_imagined_ballot():
    """Without noise the shares are those of the ballots and a quarter more of each length."""
    counts = np.array([7.0, 0.0, 12.0])
    assert most_likely_lengths(counts, np.eye(3) + 1e-12) == pytest.approx(
        (counts + 0.25) / (counts.sum() + 0.75), abs=1e-5
    )

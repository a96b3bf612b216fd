import pytest

from hushrank.engines.tasks import FAN_IN, Workers


def plus(shared, piece):
    return shared + piece


@pytest.mark.parametrize("workers", [Workers(), Workers("threads", 2)], ids=["here", "threads"])
@pytest.mark.parametrize("n_pieces", [1, 2, FAN_IN, FAN_IN + 1, 2 * FAN_IN, FAN_IN**2 + 1])
def test_a_sum_is_of_all_pieces_however_many_there_are(workers, n_pieces):
    """Of trees with a last level of two, too."""
    pieces = [(n,) for n in range(n_pieces)]
    added = [each for each in range(n_pieces) for each in ("shared", each)]
    assert workers.add_up(plus, ("shared",), pieces) == tuple(added)

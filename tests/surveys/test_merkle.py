from hashlib import sha256

import pytest

from hushrank.errors import HushrankError
from hushrank.surveys.merkle import MerkleTree, root_by_path

LEAVES = [bytes([n]) * n for n in range(21)]


def root_as_defined(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word for word."""
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0]).digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha256(b"\1" + root_as_defined(leaves[:k]) + root_as_defined(leaves[k:])).digest()


def test_the_root_is_that_of_the_definition_and_every_path_leads_to_it():
    for n in range(1, len(LEAVES) + 1):
        tree = MerkleTree(LEAVES[:n])
        assert tree.root == root_as_defined(LEAVES[:n])
        for number, leaf in enumerate(LEAVES[:n]):
            assert root_by_path(leaf, number, n, tree.path(number)) == tree.root


def root_or_none(*where) -> bytes | None:
    try:
        return root_by_path(*where)
    except HushrankError:
        return None


def test_another_leaf_number_size_or_path_leads_elsewhere_or_is_refused():
    for n in range(2, len(LEAVES) + 1):
        tree = MerkleTree(LEAVES[:n])
        for number, leaf in enumerate(LEAVES[:n]):
            path = tree.path(number)
            assert root_by_path(leaf + b"!", number, n, path) != tree.root
            wrong = (path[:-1], (*path, path[0]), path[::-1])
            others = [(other, n, path) for other in range(n) if other != number]
            for where in (*others, *((number, n, each) for each in wrong if each != path)):
                assert root_or_none(leaf, *where) != tree.root


def test_there_is_no_tree_of_nothing_and_no_leaf_beside_it():
    with pytest.raises(HushrankError):
        MerkleTree([])
    for number in (-2, -1, 3, 4):
        with pytest.raises(HushrankError):
            MerkleTree(LEAVES[:3]).path(number)
        with pytest.raises(HushrankError, match="expected a leaf"):
            root_by_path(b"", number, 3, ())


class Written:
    """Leaves that are written when they are asked for, and counted."""

    def __init__(self, n: int) -> None:
        self.n, self.asked_for = n, []

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, number: int) -> bytes:
        self.asked_for.append(number)
        return b"%d" % number


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100, 1000])
def test_a_tree_keeps_no_leaf_and_few_hashes(n):
    leaves = Written(n)
    tree = MerkleTree(leaves)
    assert leaves.asked_for == list(range(n))
    n_kept = sum(map(len, tree._levels))
    assert n_kept <= n / 4 + 12
    for number in (0, n // 2, n - 1):
        leaves.asked_for.clear()
        path = tree.path(number)
        assert root_by_path(b"%d" % number, number, n, path) == tree.root
        assert number in leaves.asked_for
        assert len(leaves.asked_for) <= 8

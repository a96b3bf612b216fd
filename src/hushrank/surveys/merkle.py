"""A Merkle tree over the questions of a survey: one question proves that it belongs to all.

Source: Laurie, Langley, Kasper (RFC 6962, section 2.1); verification as in RFC 9162, 2.1.3.2.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, TypeAlias

from hushrank.errors import require

Digest = bytes
"""32 bytes of SHA-256."""

BLOCK = 8
"""Leaves, a power of 2: what is within a block is hashed anew when it is asked for."""

_Levels: TypeAlias = list[list[Digest]]
"""Nodes, those that they make in pairs, and so on up to one."""


class Leaves(Protocol):
    """Bytes, by their numbers: those of a long survey are better written when asked for."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, number: int, /) -> bytes:
        """Return a leaf, always the same."""


class MerkleTree:
    """The hashes of what some leaves make in pairs, up to one root.

    Memory: 2 hashes for each block of 8 leaves, and what `leaves` holds.
    """

    def __init__(self, leaves: Leaves) -> None:
        """Hash every leaf and node once.   Cost: 2 hashes a leaf."""
        require(len(leaves) >= 1, "expected at least 1 leaf")
        self._leaves = leaves
        self._levels = _levels([self._block(n)[-1][0] for n in range(0, len(leaves), BLOCK)])

    @property
    def root(self) -> Digest:
        """The hash that stands for all leaves, in their order."""
        return self._levels[-1][0]

    def path(self, number: int) -> tuple[Digest, ...]:
        """Return the siblings of a leaf and of what is above it, from the leaf upwards."""
        require(0 <= number < len(self._leaves), "expected the number of a leaf")
        within = _siblings(self._block(number), number % BLOCK)
        return (*within, *_siblings(self._levels, number // BLOCK))

    def _block(self, number: int) -> _Levels:
        """Return the hashes of the leaves of a block, and of what they make."""
        start = number - number % BLOCK
        end = min(start + BLOCK, len(self._leaves))
        return _levels([sha256(b"\0" + self._leaves[n]).digest() for n in range(start, end)])


def root_by_path(leaf: bytes, number: int, n_leaves: int, path: Sequence[Digest]) -> Digest:
    """Return the root of the tree of n_leaves that has this leaf at this number, by its path.

    Raises HushrankError unless the path is as long as such a leaf's.
    """
    require(0 <= number < n_leaves, f"expected a leaf 0..{n_leaves - 1}")
    found, siblings, n_nodes = sha256(b"\0" + leaf).digest(), list(path), n_leaves
    while n_nodes > 1:
        if number ^ 1 < n_nodes:
            require(siblings, "the path of the leaf is too short")
            sibling = siblings.pop(0)
            found = _node(sibling, found) if number % 2 else _node(found, sibling)
        number, n_nodes = number // 2, (n_nodes + 1) // 2
    require(not siblings, "the path of the leaf is too long")
    return found


def _levels(nodes: list[Digest]) -> _Levels:
    levels = [nodes]
    while len(level := levels[-1]) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        alone = level[-1:] if len(level) % 2 else []  # without a sibling: it rises as it is
        levels.append([_node(*pair) for pair in pairs] + alone)
    return levels


def _siblings(levels: _Levels, number: int) -> list[Digest]:
    siblings = []
    for level in levels[:-1]:
        if number ^ 1 < len(level):
            siblings.append(level[number ^ 1])
        number //= 2
    return siblings


def _node(left: Digest, right: Digest) -> Digest:
    return sha256(b"\1" + left + right).digest()

"""A stream of many users in shards: each user belongs to one, whose state is a file of its own.

A user's releases depend on nobody else's, so that shards run side by side, on one machine or on
many, and a shard moves by moving its file. Which shard a user is in can be told in any language.
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

import numpy as np

from hushrank.errors import require
from hushrank.publishing.online.setup import StreamSetup


def shard_of(user: str, n_shards: int) -> int:
    """Return the shard, 0..n_shards-1, that a user's activities go to.

    The first 8 bytes of the SHA-256 of the name in UTF-8, as a big-endian number, modulo n_shards.
    """
    return int.from_bytes(sha256(user.encode()).digest()[:8], "big") % n_shards


def shards_of(setup: StreamSetup, n_shards: int) -> Iterator[StreamSetup]:
    """Yield the setup of each shard: its own users, with what is known of activities of all.

    Raises HushrankError where a shard would have no user.
    """
    require(n_shards >= 1, f"expected 1 or more shards, got {n_shards}")
    shard = np.array([shard_of(user, n_shards) for user in setup.users])
    fewest = np.bincount(shard, minlength=n_shards).min()
    require(fewest > 0, f"expected users for each of {n_shards} shards: use fewer")
    for number in range(n_shards):
        rows = np.flatnonzero(shard == number)
        yield replace(
            setup,
            users=tuple(setup.users[row] for row in rows),
            protects=tuple(setup.protects[row] for row in rows),
            history=None if setup.history is None else setup.history[rows],
        )

"""One source of random words for production, simulation and golden vectors."""

import os
from collections.abc import Callable
from io import BytesIO

import numpy as np

from hushrank.arrays import Words
from hushrank.errors import HushrankError, require

_NOISE = (0x6E6F697365,)


class Randomness:
    """Uniform 64-bit words, read as little-endian bytes from one source.

    Only `secure` protects anybody; `is_private` says so and travels into every outcome.
    """

    def __init__(self, read_bytes: Callable[[int], bytes], *, is_private: bool) -> None:
        """Take words from `read_bytes`, which returns as many bytes as it is asked for."""
        self._read_bytes = read_bytes
        self.is_private = is_private

    @classmethod
    def secure(cls) -> "Randomness":
        """Read the operating system's CSPRNG."""
        return cls(os.urandom, is_private=True)

    @classmethod
    def seeded(cls, seed: int) -> "Randomness":
        """Repeat a simulation. Protects nobody."""
        return cls.spawned(seed)

    @classmethod
    def spawned(cls, seed: int, *key: int) -> "Randomness":
        """Repeat one part of a simulation: each key has words of its own. Protects nobody."""
        require(seed >= 0, f"expected a seed of at least 0, got {seed}")
        apart = np.random.SeedSequence(seed, spawn_key=(*_NOISE, *key))  # from default_rng(seed)
        draw = np.random.default_rng(apart).bit_generator.random_raw  # faster than its `bytes`

        def read(size: int) -> bytes:
            return draw(size // 8).astype("<u8", copy=False).tobytes()

        return cls(read, is_private=False)

    @classmethod
    def replayed(cls, tape: bytes) -> "Randomness":
        """Replay `tape` for golden vectors; raise EOFError where it ends. Protects nobody."""
        return cls(BytesIO(tape).read, is_private=False)

    def words(self, size: int) -> Words:
        """Draw `size` uniform words."""
        return np.frombuffer(self._read(8 * size), dtype="<u8").astype(np.uint64, copy=False)

    def below(self, bound: int, size: int) -> Words:
        """Draw `size` uniform integers of 0..bound-1, by rejection: without modulo bias."""
        require(1 <= bound <= 2**64, f"expected a bound of 1 to 2^64, got {bound}")
        surplus = 2**64 % bound
        drawn = self.words(size)
        if surplus:
            while (rejected := np.flatnonzero(drawn >= np.uint64(2**64 - surplus))).size:
                drawn = drawn.copy() if not drawn.flags.writeable else drawn
                drawn[rejected] = self.words(rejected.size)
        return drawn if bound == 2**64 else drawn % np.uint64(bound)

    def one_below(self, bound: int) -> int:
        """Draw the integer that `below(bound, 1)` draws, several times as fast."""
        if not 1 <= bound <= 2**64:
            raise HushrankError(f"expected a bound of 1 to 2^64, got {bound}")
        rejected = 2**64 - 2**64 % bound
        while (drawn := int.from_bytes(self._read(8), "little")) >= rejected:
            pass
        return drawn % bound

    def _read(self, size: int) -> bytes:
        drawn = self._read_bytes(size)
        if len(drawn) != size:
            raise EOFError(f"expected {size} random bytes, got {len(drawn)}")
        return drawn

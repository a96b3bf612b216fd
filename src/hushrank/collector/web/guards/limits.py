"""Token buckets in memory: who asks too often waits, and who asked is forgotten within minutes."""

from collections.abc import Callable
from hashlib import blake2b
from ipaddress import IPv6Address, ip_network
from time import monotonic

from hushrank.collector.web.settings import Rate
from hushrank.randomness import Randomness

_MOST_BUCKETS = 100_000


class Buckets:
    """One bucket for each who asks: it fills at a rate, and a request takes from it.

    Privacy: who asks is kept as a hash under a key that only this process knows, and only until
    the bucket is full again, at most `rate.at_once / rate.per_second` seconds.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = monotonic) -> None:
        """Begin with every bucket full."""
        self._rate = rate
        self._clock = clock
        self._key = Randomness.secure().words(4).tobytes()
        self._levels: dict[bytes, tuple[float, float]] = {}

    def __len__(self) -> int:
        """Count the buckets that are remembered."""
        return len(self._levels)

    def wait(self, who: str, cost: float = 1.0) -> float:
        """Take `cost` requests from the bucket of `who`; return 0, or the seconds to wait."""
        now = self._clock()
        name = blake2b(who.encode(), key=self._key, digest_size=16).digest()
        level = self._level(self._levels.get(name, (self._rate.at_once, now)), now)
        if level < cost:
            return (cost - level) / self._rate.per_second
        if len(self._levels) >= _MOST_BUCKETS:
            self.forget()
        self._levels[name] = (level - cost, now)
        return 0.0

    def forget(self) -> None:
        """Drop the full buckets; where too many are left, all of them."""
        now, full = self._clock(), self._rate.at_once
        kept = {name: one for name, one in self._levels.items() if self._level(one, now) < full}
        self._levels = kept if len(kept) < _MOST_BUCKETS else {}

    def _level(self, one: tuple[float, float], now: float) -> float:
        level, when = one
        return min(self._rate.at_once, level + (now - when) * self._rate.per_second)


def neighbourhood(address: str) -> str:
    """Return what counts as one address: IPv4 as it is, IPv6 by its /64, which one home has.

    IPv4 as IPv6 writes it, `::ffff:192.0.2.1`, is IPv4: its /64 is all the world.
    """
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = found.ipv4_mapped
    return str(ip_network((found, 64), strict=False)) if mapped is None else str(mapped)

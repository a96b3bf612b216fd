"""What the administrator of a collector decides: its address, who is before it, what it bears."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from hushrank.errors import HushrankError, require

_TOKEN = re.compile("[!-~]+")


@dataclass(frozen=True)
class Rate:
    """So many requests a second over time, and so many at once."""

    per_second: float
    at_once: float

    def __post_init__(self) -> None:
        """Check that the bucket fills and holds at least one request."""
        require(self.per_second > 0, f"expected a rate above 0, got {self.per_second}")
        require(self.at_once >= 1, f"expected at least 1 request at once, got {self.at_once}")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one request, one address and one survey's link may take; sizes in bytes.

    The rates let a classroom or an office behind one address answer at the same moment.
    """

    url: int = 2_000
    header: int = 16_384
    report: int = 65_536
    batch: int = 1_048_576
    form: int = 16_777_216
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    reading_seconds: float = 30.0
    idle_seconds: float = 15.0
    connections: int = 4_000
    per_address: Rate = Rate(20, 1_000)
    per_link: Rate = Rate(200, 5_000)
    sign_ins: Rate = Rate(0.1, 10)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where people reach the collector, whose forwarding headers count, and the limits.

    trusted_proxies and unlimited are addresses or networks: the first may say whom they forward,
    the second (backends of the organiser) pass the limit of requests per address.
    """

    public_url: str
    trusted_proxies: tuple[str, ...] = ()
    unlimited: tuple[str, ...] = ()
    metrics_token: str | None = field(default=None, repr=False)
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        """Check addresses, and that the public address is one that a browser has."""
        for network in (*self.trusted_proxies, *self.unlimited):
            _require_network(network)
        _require_origin(self.public_url)
        known = self.metrics_token is None or _TOKEN.fullmatch(self.metrics_token)
        require(known, "metrics_token: expected letters, digits and signs, without a blank")

    @cached_property
    def origin(self) -> str:
        """Scheme, host and port of the public address, as browsers write them."""
        parts = urlsplit(self.public_url.lower())
        usual = {"http": ":80", "https": ":443"}[parts.scheme]
        return f"{parts.scheme}://{parts.netloc.removesuffix(usual)}"

    @cached_property
    def host(self) -> str:
        """Host and port of the public address."""
        return urlsplit(self.origin).netloc

    @property
    def is_trustworthy(self) -> bool:
        """Say whether browsers trust the connection: a protected one, or one to this machine."""
        return self.is_https or is_loopback(urlsplit(self.origin).hostname or "")

    @property
    def is_https(self) -> bool:
        """Say whether people reach the collector by a protected connection."""
        return self.origin.startswith("https:")


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach `host`, which may be a name."""
    if host in ("localhost", ""):
        return host == "localhost"
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _require_origin(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_origin = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_origin &= parts.path in ("", "/") and not (parts.query or parts.fragment)
        is_origin &= parts.username is None and (parts.port or 1) > 0
        is_origin &= url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        is_origin = False
    require(is_origin, "expected a public address such as https://survey.example.org, without path")


def _require_network(network: str) -> None:
    try:
        ip_network(network)
    except ValueError:
        words = "expected an address or a network such as 10.0.0.0/8"
        raise HushrankError(words) from None

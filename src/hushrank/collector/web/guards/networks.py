"""Who asks: whether an address is one that the administrator named, and whom a proxy forwards.

uvicorn can read a proxy's headers, too, but it remembers thousands of addresses to do so.
"""

from ipaddress import ip_address, ip_network

from starlette.types import Scope


class Networks:
    """Addresses and networks; what is no address is in none of them."""

    def __init__(self, networks: tuple[str, ...]) -> None:
        """Know `networks`, each an address or a network."""
        each = [ip_network(network) for network in networks]
        self._networks = tuple(each)
        self._hosts = {str(one[0]) for one in each if one.num_addresses == 1}

    def __bool__(self) -> bool:
        """Say whether there is any."""
        return bool(self._networks)

    def __contains__(self, address: str) -> bool:
        """Say whether `address` is in one of the networks."""
        if not self._networks or address in self._hosts:
            return bool(self._networks)
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._networks)


def forwarded(scope: Scope, proxies: Networks) -> Scope:
    """Return the request as it came to the first of our proxies, where one of them sent it.

    Each proxy adds the address that it saw to the end of X-Forwarded-For: the last one that is no
    proxy of ours is the client's, and what stands before it may be invented.
    """
    client = scope.get("client")
    if client is None or client[0] not in proxies:
        return scope
    seen: list[str] = []
    scheme = scope["scheme"]
    for name, value in scope["headers"]:
        if name == b"x-forwarded-for":
            seen += value.decode("latin-1").split(",")
        elif name == b"x-forwarded-proto" and value.strip() in (b"http", b"https"):
            scheme = value.strip().decode()
    address = next((a for one in reversed(seen) if (a := bare(one)) not in proxies), client[0])
    return {**scope, "client": (address, 0), "scheme": scheme}


def bare(address: str) -> str:
    """Return an address without its port, if it has one, as some proxies write it."""
    address = address.strip()
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address

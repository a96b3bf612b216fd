"""Whether the collector works, and its numbers for the operator."""

import hmac

from starlette.requests import Request
from starlette.responses import Response

from hushrank.collector.store.store import Upkeep
from hushrank.collector.web.operations.metrics import CONTENT_TYPE, Metrics
from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.settings import Settings, is_loopback

_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-real-ip")


class Health:
    """What machines ask that watch over the collector."""

    def __init__(self, store: Upkeep, settings: Settings, metrics: Metrics) -> None:
        """Watch over `store`."""
        self._store, self._settings, self._metrics = store, settings, metrics

    async def alive(self, request: Request) -> Response:
        """Answer: the process runs."""
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def ready(self, request: Request) -> Response:
        """Answer when the store does; StoreFailure otherwise."""
        await self._store.ready()
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def metrics(self, request: Request) -> Response:
        """Return the numbers to whoever has the token, without one to this machine only."""
        if not self._may_see(request):
            raise Rejected("not-allowed")
        return Response(self._metrics.text(), headers={"content-type": CONTENT_TYPE})

    def _may_see(self, request: Request) -> bool:
        token = self._settings.metrics_token
        if token is not None:
            given = request.headers.get("authorization", "")
            return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())
        is_direct = not any(name in request.headers for name in _FORWARDED)
        here = request.client is not None and is_loopback(request.client.host)
        return here and is_direct and is_loopback(request.url.hostname or "")

"""Which pages of others may call the interface for devices: those that an organiser named.

They never get or send a cookie: what they may do is what any device may do.
"""

from collections.abc import Callable, Mapping
from time import monotonic

from hushrank.collector.service import Service

_SECONDS = 5.0
_SURVEYS = "/v1/surveys/"
PREFLIGHT = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "Content-Type",
    "access-control-max-age": "600",
}


class CrossOrigin:
    """The origins of all surveys, looked up again when they are a few seconds old."""

    def __init__(self, service: Service, clock: Callable[[], float] = monotonic) -> None:
        """Ask `service`."""
        self._service, self._clock = service, clock
        self._origins: Mapping[str, frozenset[str]] = {}
        self._looked_up = -_SECONDS

    async def allows(self, path: str, origin: str) -> bool:
        """Say whether pages of `origin` may call the address `path`."""
        if self._clock() - self._looked_up >= _SECONDS:
            self._origins = {
                live.id: frozenset(live.draft.allowed_origins)
                for live in await self._service.surveys()
            }
            self._looked_up = self._clock()
        if path.startswith(_SURVEYS):
            survey = path.removeprefix(_SURVEYS).partition("/")[0]
            return origin in self._origins.get(survey, ())
        is_upload = path.startswith("/v1/reports")
        return is_upload and any(origin in origins for origins in self._origins.values())

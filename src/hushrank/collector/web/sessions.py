"""How the organiser signs in: a link that works once, then a cookie, and a token in every form.

Tokens are 256 random bits; the store keeps their SHA-256 only. The token of a link stands in the
fragment of its address, which browsers do not send; the one of a form is made from the session's.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import wraps
from hashlib import sha256

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hushrank.collector.store.store import Secret, Secrets
from hushrank.collector.web.guards.limits import Buckets
from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.settings import Settings
from hushrank.randomness import Randomness

SIGN_IN_PAGE = "/o/sign-in"
LINK_LASTS = timedelta(hours=1)
SESSION_LASTS = timedelta(hours=12)
FORM_FIELD = "csrf"
FORM_HEADER = "x-csrf-token"
_LINK, _SESSION = "sign-in", "session"
_SAFE = ("GET", "HEAD", "OPTIONS")

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Session:
    """An organiser who is signed in."""

    token: str = field(repr=False)

    @property
    def form_token(self) -> str:
        """What every form of this session holds, and no other page can know."""
        return hmac.new(self.token.encode(), b"hushrank form", sha256).hexdigest()


class Sessions:
    """Links, sessions and cookies of one collector."""

    def __init__(
        self,
        store: Secrets,
        settings: Settings,
        attempts: Buckets,
        clock: Callable[[], datetime],
    ) -> None:
        """Keep digests in `store`; `attempts` has a bucket for each address that signs in."""
        self._store, self._settings = store, settings
        self._attempts, self._clock = attempts, clock
        self.cookie = "__Host-hushrank" if settings.is_https else "hushrank"

    async def link(self) -> str:
        """Return the address of a page that signs in who opens it, once, within an hour."""
        return await new_link(self._store, self._settings, self._clock())

    async def sign_in(self, token: str, address: str) -> Session:
        """Return a session for the token of a link; Rejected where it is not one."""
        if wait := self._attempts.wait(address):
            raise Rejected("too-many", wait=wait)
        taken = await self._store.take_secret(_LINK, _digest(token), now=self._clock())
        if taken is None:
            raise Rejected("bad-link")
        return Session(await _new_secret(self._store, _SESSION, self._clock() + SESSION_LASTS))

    async def of(self, request: Request) -> Session | None:
        """Return the session of a request, if it has one that still lasts."""
        token = request.cookies.get(self.cookie, "")
        if not token:
            return None
        known = await self._store.secret(_SESSION, _digest(token), now=self._clock())
        return None if known is None else Session(token)

    async def sign_out(self, session: Session) -> None:
        """End a session."""
        await self._store.take_secret(_SESSION, _digest(session.token), now=self._clock())

    def give(self, answer: Response, session: Session | None) -> Response:
        """Let an answer give the browser a session's cookie, or take it away."""
        answer.set_cookie(
            self.cookie,
            session.token if session else "",
            max_age=int(SESSION_LASTS.total_seconds()) if session else 0,
            path="/",
            secure=self._settings.is_https,
            httponly=True,
            samesite="strict",
        )
        return answer


async def new_link(store: Secrets, settings: Settings, now: datetime | None = None) -> str:
    """Return the address of a page that signs in who opens it, once, within an hour from now."""
    until = (now or datetime.now(UTC)) + LINK_LASTS
    return f"{settings.origin}{SIGN_IN_PAGE}#t={await _new_secret(store, _LINK, until)}"


def needs_organiser(endpoint: Endpoint) -> Endpoint:
    """Let only an organiser who is signed in reach a page, and change things only from our forms.

    Then `request.state.session` is the session, and `form(request)` what was sent.
    """

    @wraps(endpoint)
    async def guarded(request: Request) -> Response:
        is_safe = request.method in _SAFE
        session = await _sessions(request).of(request)
        if session is None and is_safe:
            return RedirectResponse(SIGN_IN_PAGE, 303)
        if session is None:
            raise Rejected("signed-out")
        request.state.session = session
        try:
            if not is_safe:
                require_same_origin(request)
                await _require_form_token(request, session)
            return await endpoint(request)
        finally:
            await request.close()  # lets go of uploaded files

    return guarded


async def form(request: Request) -> FormData:
    """Return the fields of a form; its token was checked by `needs_organiser`."""
    fields: FormData = await request.form(max_files=200, max_fields=2_000, max_part_size=1_048_576)
    return fields


def require_same_origin(request: Request) -> None:
    """Reject what another page sent: by where the browser says that it came from."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    ours = {request.app.state.settings.origin, f"{request.url.scheme}://{request.url.netloc}"}
    if site not in (None, "same-origin") or origin not in (None, *ours):
        raise Rejected("cross-origin")
    if site is None and origin is None:
        raise Rejected("cross-origin", "expected a browser that says where a form comes from")


async def _require_form_token(request: Request, session: Session) -> None:
    token = request.headers.get(FORM_HEADER)
    if token is None:
        sent = (await form(request)).get(FORM_FIELD, "")
        token = "" if isinstance(sent, UploadFile) else sent
    if not hmac.compare_digest(token.encode(errors="surrogatepass"), session.form_token.encode()):
        raise Rejected("stale-form")


async def _new_secret(store: Secrets, kind: str, until: datetime) -> str:
    words = Randomness.secure().words(4).tobytes()
    token = urlsafe_b64encode(words).rstrip(b"=").decode()
    await store.put_secrets([Secret(kind, _digest(token), b"", expires=until)])
    return token


def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="surrogatepass")).digest()

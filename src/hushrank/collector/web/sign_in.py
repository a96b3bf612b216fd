"""The page on which an organiser signs in, and the way out."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from hushrank.collector.web.guards.limits import neighbourhood
from hushrank.collector.web.pages_organiser.showing import show as show_page
from hushrank.collector.web.problems import KINDS, Rejected
from hushrank.collector.web.sessions import (
    SIGN_IN_PAGE,
    Sessions,
    form,
    needs_organiser,
    require_same_origin,
)


async def show(request: Request) -> Response:
    """Show the page that takes a link's token from its fragment and sends it."""
    return show_page(request, "sign_in.html", refused=None)


async def sign_in(request: Request) -> Response:
    """Begin a session for the token of a link."""
    require_same_origin(request)
    token = (await form(request)).get("token")
    await request.close()
    if not isinstance(token, str):
        raise Rejected("malformed", "expected a token")
    sessions: Sessions = request.app.state.sessions
    address = neighbourhood(request.client.host if request.client else "")
    try:
        session = await sessions.sign_in(token.strip(), address)
    except Rejected as error:
        status = KINDS[error.kind].status
        return show_page(request, "sign_in.html", status, refused=error.kind)
    return sessions.give(RedirectResponse("/o/", 303), session)


@needs_organiser
async def sign_out(request: Request) -> Response:
    """End the session."""
    sessions: Sessions = request.app.state.sessions
    await sessions.sign_out(request.state.session)
    return sessions.give(RedirectResponse(SIGN_IN_PAGE, 303), None)


routes = [
    Route(SIGN_IN_PAGE, show, name="sign-in"),
    Route(SIGN_IN_PAGE, sign_in, methods=["POST"]),
    Route("/o/sign-out", sign_out, methods=["POST"], name="sign-out"),
]

"""Pages from templates: every value is escaped, and a name that nobody gave is an error."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from hushrank.collector.web.files import FileTable

_FOLDER = Path(__file__).parent / "templates"


class Templates:
    """The templates of this folder; in them, `asset('/static/x.css')` is the address of a file."""

    def __init__(self, files: FileTable) -> None:
        """Read templates as they are first shown."""
        self._environment = Environment(
            loader=FileSystemLoader(_FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["asset"] = files.address

    def show(self, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Return the page of a template."""
        return HTMLResponse(self._environment.get_template(name).render(context), status)


def page(request: Request, name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return the page of a template, as an answer to a request.

    Where an organiser is signed in, `csrf` is the token for the page's forms.
    """
    session = getattr(request.state, "session", None)
    if session is not None:
        context["csrf"] = session.form_token
    templates: Templates = request.app.state.templates
    return templates.show(name, status, **context)

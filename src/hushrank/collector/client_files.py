"""Where the browser client is: in the package, or beside it in a checkout."""

from pathlib import Path

from hushrank.errors import require

_INSTALLED = Path(__file__).parent / "client"
_CHECKOUT = Path(__file__).parents[3] / "client"


def client_folder() -> Path:
    """Return the folder of the browser client's files."""
    for folder in (_INSTALLED, _CHECKOUT):
        if (folder / "order.js").is_file():
            return folder
    require(False, "expected the files of the browser client in the package")
    raise AssertionError

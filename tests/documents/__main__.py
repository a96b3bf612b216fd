"""`make docs-outputs`: run consoles and programs of the documents, and show what they print now."""

import os
import sys
import tempfile
from pathlib import Path

from tests.documents.consoles import ROOT, pages, printed_by, rewritten
from tests.documents.files import write_files
from tests.documents.programs import with_programs_run


def renew(page: Path) -> bool:
    """Write the page with what its commands print, and return whether that changed it."""
    shown = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        os.chdir(folder)
        page.write_text(rewritten(shown, printed_by))
        page.write_text(with_programs_run(page))
        os.chdir(ROOT)
    return page.read_text() != shown


def main() -> None:
    """Renew the pages named, or all that show what is printed."""
    named = [Path(name).resolve() for name in sys.argv[1:]]
    for page in named or pages():
        print(f"{page.relative_to(ROOT)}: {'changed' if renew(page) else 'as shown'}", flush=True)


if __name__ == "__main__":
    main()

"""The notebooks run from the first cell to the last, and hold nothing that a run left in them."""

import json

import pytest

from tests.documents.notebooks import NOTEBOOKS, run


@pytest.mark.usefixtures("blank_pictures", "hasty_attackers")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[notebook.stem for notebook in NOTEBOOKS])
def test_a_notebook_runs(notebook, capsys):
    shown = [value for value in run(notebook) if value is not None]
    assert capsys.readouterr().out
    for value in shown:
        view = getattr(value, "_repr_html_", lambda: "plain")()
        assert view


def test_there_are_four_and_they_are_stored_without_what_they_showed():
    assert len(NOTEBOOKS) == 4
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text())["cells"]:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None

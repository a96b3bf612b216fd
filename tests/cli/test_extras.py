"""A command whose extra is not installed says which, in one line, before it does anything."""

import json
import sys

import pytest

from tests.commands import hushrank

OURS = ("collector.rehearsal", "collector.device.connection", "collector.device.device")


@pytest.fixture
def nothing_installed(monkeypatch):
    for name in ("pyarrow", "matplotlib", "httpx", "sklearn", "fsspec", "fsspec.core", "dask"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in OURS:  # imported by other tests, with what is now hidden
        monkeypatch.delitem(sys.modules, f"hushrank.{name}", raising=False)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("demo", "collector"),
        ("collector export SURVEY --reports --out out.parquet", "parquet"),
        ("collector hand-over SURVEY --out out.parquet", "parquet"),
        ("collect no.csv --epsilon 1 --synthetic out.parquet", "parquet"),
        ("collect no.csv --epsilon 1 --synthetic out.parquet.gz", "parquet"),
        ("collect s3://no/people.parquet --epsilon 1 --engine dask", "cluster"),
        (
            "publish historical no.csv --profiles no.csv --private x --budget 1 --output o.parquet",
            "parquet",
        ),
    ],
)
def test_the_extra_is_named_before_a_file_is_read(monkeypatch, capsys, tmp_path, command, extra):
    monkeypatch.chdir(tmp_path)
    assert hushrank(monkeypatch, *command.split()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"needs the extra `{extra}`: pip install '.[{extra}]' in the folder" in line
    assert not list(tmp_path.iterdir())


SURVEY = {
    "title": "Fruit",
    "items": [{"name": name} for name in ("apple", "fig", "pear")],
    "asked_by": "us",
    "purpose": "to know",
    "contact": "us",
    "privacy_notice": "noise",
    "epsilon": 2.0,
    "expected_people": 9,
}


@pytest.mark.usefixtures("nothing_installed")
def test_reports_that_arrived_as_parquet_name_the_extra(monkeypatch, capsys, tmp_path):
    (tmp_path / "survey.json").write_text(json.dumps(SURVEY))
    (tmp_path / "r.parquet").write_bytes(b"PAR1")
    monkeypatch.chdir(tmp_path)
    command = ["tally", "r.parquet", "--survey", "survey.json", "--out", "t.json"]
    assert hushrank(monkeypatch, *command) == 1
    assert "needs the extra `parquet`" in capsys.readouterr().err
    assert not (tmp_path / "t.json").exists()

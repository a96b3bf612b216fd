"""What a command shows of the addresses it was given: nothing that lets anybody in."""

import fsspec
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.commands import hushrank

KEYS = ("KEYID", "SECRETPW", "SIGNATURE")
ADDRESS = "memory://KEYID:SECRETPW@lake/p.parquet?sig=SIGNATURE"
SEEN = "memory://lake/p.parquet?..."
DASK = ("--engine", "dask", "--scheduler", "threads")


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = fsspec.filesystem("memory")
    ballots = {name: [(n + k) % 3 + 1 for n in range(60)] for k, name in enumerate("abc")}
    with found.open(ADDRESS, "wb") as file:
        parquet.write_table(pa.table(ballots), file)
    yield
    found.rm(ADDRESS.removeprefix("memory:/").rpartition("/")[0], recursive=True)


@pytest.mark.parametrize(
    "command",
    [
        ("aggregate", ADDRESS, *DASK, "--epsilon", "1", "--no-ledger"),
        ("collect", ADDRESS, *DASK, "--epsilon", "2"),
    ],
)
def test_results_say_where_they_are_from_without_keys(
    store, tmp_path, monkeypatch, capsys, command
):
    written = ("--json", "found.json", "--report", "found.html")
    assert hushrank(monkeypatch, *command, *written) == 0
    told = capsys.readouterr()
    assert f" from {SEEN}" in told.out
    said = told.out + told.err + "".join(file.read_text() for file in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 2
    assert not any(key in said for key in KEYS)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("aggregate", ADDRESS, *DASK, "--epsilon", "1"), 1),
        (("aggregate", ADDRESS, "--epsilon", "1"), 1),
        (("aggregate", ADDRESS, *DASK, "--figure", ADDRESS), 1),
        (("aggregate", ADDRESS.replace("p.", "q."), *DASK), 1),
        (("aggregate", ADDRESS, *DASK, "--json", f"{ADDRESS}/x"), 1),
        (("collect", ADDRESS, "--epsilon", "1"), 1),
        (("look", ADDRESS), 1),
        (("tally", ADDRESS, "--survey", ADDRESS, "--out", "o.json"), 1),
        (("tally", ADDRESS, "--survey", ADDRESS, "--out", "http://KEYID:SECRETPW@h/s.toml"), 1),
        (("conclude", ADDRESS), 1),
        (("collector", "export", "s", "--out", f"{ADDRESS}.txt"), 1),
        (("aggregate", "one.csv", ADDRESS), 2),
        (("aggregate", "one.csv", "--epsilon", ADDRESS), 2),
    ],
)
def test_errors_name_an_address_without_keys(store, monkeypatch, capsys, command, code):
    monkeypatch.setenv("COLUMNS", "300")
    assert hushrank(monkeypatch, *command) == code
    told = capsys.readouterr()
    assert not any(key in told.out + told.err for key in KEYS)
    if code == 1:
        assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize("folder", ["q[1]", "q?", "q*"])
def test_a_pattern_of_folders_is_booked_in_none(tmp_path, monkeypatch, capsys, folder):
    """It would read ballots of one folder, and write the ledger beside those of another."""
    monkeypatch.chdir(tmp_path)
    ballots = pa.table({name: [(n + k) % 3 + 1 for n in range(60)] for k, name in enumerate("abc")})
    for name in {folder, "q1"}:
        (tmp_path / name).mkdir()
        parquet.write_table(ballots, tmp_path / name / "x.parquet")
    asked = ("--epsilon", "1", *DASK)
    assert hushrank(monkeypatch, "aggregate", f"{folder}/*.parquet", *asked) == 1
    assert "beside ballots, in one folder on this machine" in capsys.readouterr().err
    for source in (folder, f"{folder}/x.parquet", "q1/*.parquet"):
        assert hushrank(monkeypatch, "aggregate", source, *asked) == 0
    assert hushrank(monkeypatch, "aggregate", f"{folder}/*.parquet", *asked, "--no-ledger") == 0
    counted = [path.read_text().count('"digest"') for path in tmp_path.glob("*/*ledger.json")]
    assert sorted(counted) == [1, 2]

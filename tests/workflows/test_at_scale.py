import json
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.accounting.composition import exact_epsilon
from hushrank.aggregators.registry import METHODS
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.files.disk import LEDGER
from hushrank.files.pieces import pieces_of
from hushrank.rankings.ballot_sums import BallotSums, BallotTerms, read_piece
from hushrank.rankings.forms.asked import Asked
from hushrank.workflows.at_scale import (
    aggregate_counts,
    aggregate_files,
    collect_files,
    count_ballots,
)
from hushrank.workflows.ledger import Ledger
from tests.commands import hushrank as run_command

N_PEOPLE, N_FILES = 90, 3
BALLOTS = hushrank.simulate("mallows", people=N_PEOPLE, items=4, dispersion=0.5, seed=3)


@pytest.fixture
def ballots(tmp_path):
    folder = tmp_path / "ballots"
    folder.mkdir()
    for number in range(N_FILES):
        some = BALLOTS[30 * number : 30 * (number + 1)]
        hushrank.write_rankings(some, folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize("name", [name for name, each in METHODS.items() if each.from_counts])
def test_a_release_of_files_is_that_of_the_same_ballots(ballots, name):
    """Bit for bit, with the same seed: the noise is drawn after the sum, and once."""
    delta = None if METHODS[name].delta == "refused" else 1e-6
    terms = {"epsilon": 1.0, "delta": delta, "method": name, "seed": 5}
    found = aggregate_files(ballots / "*.parquet", **terms)
    assert found.to_dict() == hushrank.aggregate(BALLOTS, **terms).to_dict()


def test_partitions_and_schedulers_do_not_matter(ballots):
    here = count_ballots(ballots)
    there = count_ballots([ballots / "2.parquet", ballots], workers=Workers("threads", 2))
    assert here.counts.tolist() == there.counts.tolist()
    assert here.n_people == there.n_people == N_PEOPLE


def test_ballots_of_many_files_are_all_counted_and_said(ballots):
    for number in range(N_FILES, 30):
        hushrank.write_rankings(BALLOTS[:30], ballots / f"{number}.parquet")
    told = []
    assert count_ballots(ballots, progress=told.append).n_people == 900
    assert "counting 900 ballots" in told


def test_listed_items_are_those_of_each_piece(ballots, tmp_path):
    (tmp_path / "other").mkdir()
    more = replace(BALLOTS, names=("1", "2", "Mallory", "4"), reading=None)
    hushrank.write_rankings(more, tmp_path / "other" / "more.parquet")
    items = ("4", "new", "1", "3")
    terms = BallotTerms(Asked(items=items))
    sums = count_ballots([ballots, tmp_path / "other"], terms)
    each = [BallotSums.of(one.of_items(items)) for one in (BALLOTS, more)]
    assert sums.names == each[0].names == items
    assert sums.counts.tolist() == (each[0].counts + each[1].counts).tolist()


def test_without_a_seed_the_noise_is_secret_and_drawn_for_every_release(ballots):
    sums = count_ballots(ballots)
    each = [aggregate_counts(sums, epsilon=1e-9, method="p-borda") for _ in range(20)]
    assert all(one.is_private for one in each)
    assert len({one.items for one in each}) > 1  # all alike with probability 24^-19 about


def test_what_needs_ballots_one_by_one_is_refused_before_a_file_is_read(tmp_path):
    for name in ("p-borda-hist", "kemeny", "borda"):
        epsilon = 1.0 if METHODS[name].is_private else None
        with pytest.raises(HushrankError, match="needs ballots one by one"):
            aggregate_files(tmp_path / "none.parquet", epsilon=epsilon, method=name)
    for asked, named in ((Asked(id="voter"), "id:"), (Asked(drop=("1%",)), "drop:")):
        with pytest.raises(HushrankError, match=named):
            count_ballots(tmp_path / "none.parquet", BallotTerms(asked))


def test_nobody_has_a_ballot_in_each_piece(tmp_path):
    """Where a row is one score, people may have rows in all, and would lose several times."""
    for number, item in enumerate(("tea", "milk", "juice")):
        some = {"Person": ["zoe", "adam"], "item": [item] * 2, "score": [number, 3 - number]}
        parquet.write_table(pa.table(some), tmp_path / f"{number}.parquet")
    assert hushrank.read_rankings(tmp_path / "0.parquet").n_people == 2
    with pytest.raises(HushrankError, match=r"0\.parquet: expected a ballot a row, got numbers of"):
        count_ballots(tmp_path)
    with pytest.raises(HushrankError, match=r"0\.parquet: expected a ballot a row, got numbers of"):
        collect_files(tmp_path, 1.0, BallotTerms(Asked(form="scores")))


def test_the_first_ballot_of_a_piece_is_no_line_of_its_header(ballots):
    assert count_ballots(ballots, BallotTerms(Asked(header=1))).n_people == N_PEOPLE
    with pytest.raises(HushrankError, match="header: expected 1, as each piece has names of"):
        count_ballots(ballots, BallotTerms(Asked(header=2)))


@pytest.mark.parametrize(
    ("asked", "named"), [(Asked(drop=("1%",)), "drop:"), (Asked(id="voter"), "id:")]
)
def test_nobody_is_asked_about_items_that_raw_rankings_chose(tmp_path, asked, named):
    with pytest.raises(HushrankError, match=named):
        collect_files(tmp_path / "none.parquet", 1.0, BallotTerms(asked))


def test_a_missing_and_a_damaged_file_are_named(ballots):
    with pytest.raises(HushrankError, match=r"none\.parquet: there is no such file"):
        count_ballots([ballots, ballots / "none.parquet"])
    (ballots / "1.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(HushrankError, match=r"1\.parquet: expected a whole Parquet file"):
        count_ballots(ballots)


def test_the_command_releases_once_and_keeps_the_ledger(ballots, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run = partial(run_command, monkeypatch, "aggregate", "ballots/*.parquet", "--engine", "dask")
    private = ("--epsilon", "1", "--scheduler", "threads", "--release", "order.json")
    assert run(*private, "--json", "all.json") == 0
    released = json.loads((tmp_path / "order.json").read_text())
    assert "ballots/*.parquet" in capsys.readouterr().out
    assert sorted(json.loads((tmp_path / "all.json").read_text())["order"]) == list(BALLOTS.names)
    assert released
    with monkeypatch.context() as patch:  # before a file is read
        patch.setattr("hushrank.cli.aggregate.at_scale.count_ballots", None)
        assert run(*private) == 1
    assert "there is a release already" in capsys.readouterr().err
    assert run(*private, "--force") == 0
    assert "2 private results so far, epsilon 2" in capsys.readouterr().out
    assert json.loads((tmp_path / "all.json").read_text())["publishable"]
    assert run("--epsilon", "1", "--seed", "1", "--json", "all.json") == 0
    assert json.loads((tmp_path / "all.json").read_text())["publishable"] == []
    assert run("--epsilon", "1", "--seed", "1", "--release", "other.json") == 1
    assert run_command(monkeypatch, "aggregate", "x", "--scheduler", "threads") == 1


def test_a_result_that_is_only_shown_is_written_down_as_a_released_one(
    ballots, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    private = ["ballots", "--engine", "dask", "--scheduler", "threads", "--epsilon", "1"]
    for more in ([], ["--release", "order.json"], ["--json", "all.json"]):
        assert run_command(monkeypatch, "aggregate", *private, *more) == 0
    assert "3 private results so far, epsilon 3" in capsys.readouterr().out
    book = json.loads((ballots / LEDGER).read_text())
    assert [each["release"] for each in book["releases"]] == ["", "order.json", ""]


def test_nobody_sees_a_result_of_files_that_could_not_be_written_down(
    ballots, tmp_path, monkeypatch, capsys
):
    def full(*_):
        raise HushrankError("no space left")

    monkeypatch.setattr(Ledger, "with_result", full)
    private = (ballots, "--engine", "dask", "--scheduler", "threads", "--epsilon", 1)
    release = tmp_path / "order.json"
    assert run_command(monkeypatch, "aggregate", *private, "--release", release) == 1
    assert "Aggregated" not in capsys.readouterr().out
    assert not release.exists()


def test_ballots_that_no_ledger_can_lie_beside_are_refused_before_they_are_read(
    ballots, monkeypatch, capsys
):
    run = partial(run_command, monkeypatch, "aggregate")
    for source in (f"{ballots.parent}/*/*.parquet", f"file://{ballots}/*.parquet"):
        private = (source, "--engine", "dask", "--scheduler", "threads", "--epsilon", "1")
        with monkeypatch.context() as patch:
            patch.setattr("hushrank.cli.aggregate.at_scale.count_ballots", None)
            assert run(*private) == 1
        assert "in one folder on this machine: add the epsilons" in capsys.readouterr().err
        assert run(*private, "--no-ledger") == 0
        assert "Not written down" in capsys.readouterr().out


def test_a_collection_from_files_is_told_as_one_from_rankings(ballots, tmp_path, monkeypatch):
    asked = {"epsilon": 4.0, "seed": 2, "protocol": "pairs"}
    found = collect_files(ballots, **asked)
    assert found.to_dict().keys() == hushrank.collect(BALLOTS, **asked).to_dict().keys()
    assert (found.n_people, found.names) == (N_PEOPLE, BALLOTS.names)
    monkeypatch.chdir(tmp_path)
    words = "collect ballots --epsilon 4 --seed 2 --protocol pairs --engine dask --json all.json"
    words += " --scheduler threads"
    assert run_command(monkeypatch, *words.split()) == 0
    written = json.loads((tmp_path / "all.json").read_text())
    assert (written["order"], written["publishable"]) == (list(found.items), [])
    assert (tmp_path / "all.json").stat().st_mode & 0o77 == 0  # a seed repeats the noise
    assert run_command(monkeypatch, *words.split(), "--break-ties") == 1


def test_people_in_files_spend_no_more_than_is_written(ballots):
    """A tenth: the nearest float is above it."""
    found = collect_files(ballots, 0.1, protocol="grr", seed=1)
    assert exact_epsilon(found.spend) <= Fraction("0.1")
    assert found.to_dict()["epsilon"] == 0.1
    (spend,) = aggregate_files(ballots, epsilon=0.1, seed=1).spend
    assert Fraction(spend.epsilon) <= Fraction("0.1")


def test_people_in_files_are_told_the_epsilon_that_was_asked_for(ballots, monkeypatch, capsys):
    """The float of 1.1 is above it: rounded up once more it was 1.101."""
    asked = "--epsilon 1.1 --protocol pairs --engine dask --scheduler threads"
    assert run_command(monkeypatch, "collect", ballots, *asked.split()) == 0
    said = capsys.readouterr().out
    assert "Epsilon 1.1: an even guess" in said
    assert "1.101" not in said


def test_without_a_seed_people_in_files_answer_in_secret(ballots):
    for seed, is_private in ((None, True), (0, False)):
        found = collect_files(ballots, 4.0, protocol="grr", seed=seed)
        assert found.is_private == is_private
        assert found.to_dict()["options"]["seed"] == seed


def test_a_short_cut_over_files_is_told_and_protects_nobody(ballots):
    found = collect_files(ballots, 4.0, protocol="grr", short_cut=True)
    assert found.to_dict()["options"]["short_cut"] is True
    assert not found.is_private
    assert collect_files(ballots, 4.0, protocol="grr").to_dict()["options"]["short_cut"] is False


def test_many_ballots_are_read_as_few_are(tmp_path, monkeypatch):
    """The quick way and the general one, where rows are complete, have gaps, or tie late."""
    monkeypatch.setattr("hushrank.rankings.ballot_sums.ROWS_OF_A_HEAD", 3)
    for last in ([2, 3, 1], [2, None, 1], [1, 1, 3], [1, 1, 2]):
        rows = [[1, 2, 3], [3, 1, 2], [1, 3, 2]] * 4 + [last]
        columns = dict(zip(("tea", "milk", "juice"), zip(*rows, strict=True), strict=True))
        table = pa.table({name: pa.array(each, pa.int8()) for name, each in columns.items()})
        parquet.write_table(table, tmp_path / "b.parquet")
        (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=100)
        found, stated = read_piece(BallotTerms(), piece), hushrank.read_rankings(table)
        assert found == stated
        assert found.reading == stated.reading


def small_numbers(tmp_path, names, rows):
    """Return a table of small numbers, and the one piece of its file."""
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = pa.table({name: pa.array(each, pa.int8()) for name, each in columns.items()})
    parquet.write_table(table, tmp_path / "b.parquet")
    (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=100)
    return table, piece


def test_many_numbers_of_another_form_are_read_as_few_are(tmp_path, monkeypatch):
    """Of scores from 1 to the number of items the largest is best, also after the first rows."""
    monkeypatch.setattr("hushrank.rankings.ballot_sums.ROWS_OF_A_HEAD", 3)
    rows = [[1, 2, 3], [3, 1, 2], [1, 3, 2]] * 4
    table, piece = small_numbers(tmp_path, ("tea", "milk", "juice"), rows)
    found = read_piece(BallotTerms(Asked(best="high")), piece)
    assert found == hushrank.read_rankings(table, best="high")
    assert found != hushrank.read_rankings(table)


@pytest.mark.parametrize("index", ["tea", "__index_level_0__"])
def test_an_index_of_pandas_is_in_a_piece_what_it_is_in_a_file(tmp_path, index):
    """One with a name is an item as others are, one without is none."""
    names = (index, "milk", "juice")
    table, _ = small_numbers(tmp_path, names, [[1, 2, 3], [3, 1, 2], [2, 1, 3]] * 3)
    told = {b"pandas": f'{{"index_columns": ["{index}"]}}'.encode()}
    parquet.write_table(table.replace_schema_metadata(told), tmp_path / "b.parquet")
    stated = hushrank.read_rankings(tmp_path / "b.parquet", form="ranks")
    assert ("tea" in stated.names, len(stated.names)) == (
        (True, 3) if index == "tea" else (False, 2)
    )
    (piece,) = pieces_of(tmp_path / "b.parquet", most_rows=100)
    assert read_piece(BallotTerms(Asked(form="ranks")), piece) == stated


def test_many_places_are_read_as_few_are(tmp_path, monkeypatch):
    """As ranks they say the same only where two items change places, as in the first rows."""
    monkeypatch.setattr("hushrank.rankings.ballot_sums.ROWS_OF_A_HEAD", 3)
    rows = [[1, 2, 3], [2, 1, 3], [1, 3, 2], *[[2, 3, 1]] * 9]
    table, piece = small_numbers(tmp_path, ("1", "2", "3"), rows)
    found = read_piece(BallotTerms(Asked(form="places")), piece)
    assert found == hushrank.read_rankings(table, form="places")
    assert list(found[11]) == ["2", "3", "1"]

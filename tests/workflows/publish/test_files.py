"""Activity of many files is released as that of one process."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.accounting.words import bits_in_words
from hushrank.activities.activity import record_keys
from hushrank.activities.activity_files import (
    UNNAMED,
    ActivityColumns,
    read_activity,
    write_activity,
)
from hushrank.activities.profiles import Profiles
from hushrank.activities.shelves import places, shelf
from hushrank.activities.shelves.places import Index, Places, records_of_piece
from hushrank.activities.shelves.records import Names, names_of_piece
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.files import spread
from hushrank.files.names import natural_order
from hushrank.files.pieces import pieces_of
from hushrank.workflows.publish import files
from hushrank.workflows.publish.files import ScoreKind, publish_files, write_book
from hushrank.workflows.publish.shards import begin_shards
from tests.commands import hushrank as command

N_USERS, N_ITEMS = 200, 30
FEW = {"private": ["gender"], "budget": 0.05}
KINDS = ((True, True), (False, True), (False, False))
ASKED = {"private": ["gender"], "clusters": 7, "seed": 5}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Records in any order over files, some of one user and one item; small pieces and books."""
    monkeypatch.setattr(shelf, "RECORDS_OF_A_BOOK", 700)
    monkeypatch.setattr(files, "ROWS_OF_A_PIECE", 700)
    monkeypatch.setattr(files, "NAMES_AT_ONCE", 64)
    rng = np.random.default_rng(1)
    made, people = hushrank.simulate_activity(users=N_USERS, items=N_ITEMS, tilt=0.8, seed=5)
    rows = np.repeat(np.arange(N_USERS), made.records_of_users)
    order = rng.permutation(np.concatenate([np.arange(len(rows)), np.arange(50)]))
    columns = {
        "user": [made.users[row] for row in rows[order]],
        "item": [made.items[item] for item in made.scores.indices[order]],
        "score": rng.integers(1, 4, size=len(order)),
    }
    (tmp_path / "visits").mkdir()
    (tmp_path / "scratch").mkdir()
    whole = pa.table(columns)
    for n, start in enumerate(range(0, len(order), 600)):
        part = whole.slice(start, 600)
        parquet.write_table(part, tmp_path / "visits" / f"{n}.parquet", row_group_size=250)
    users = rng.random(N_USERS) < 0.8
    return whole, people.with_protected({"gender": users})


@pytest.fixture
def few_are_judged(monkeypatch):
    """So that of two groups of some hundred users both are."""
    monkeypatch.setattr("hushrank.workflows.results.release_warnings.FEWEST_TELL", 20)


def published(tmp_path, profiles, **asked):
    folders = {"output": tmp_path / "released", "scratch": tmp_path / "scratch"}
    return publish_files(tmp_path / "visits", profiles, **folders, **(ASKED | asked))


@pytest.mark.parametrize(("method", "budget"), [("privrank", 0.05), ("rand", 0.5), ("frapp", 30)])
def test_a_release_of_files_is_that_of_one_process(tmp_path, data, method, budget):
    """Record by record, with the same seed: of several pieces, books and parts."""
    whole, profiles = data
    asked = {"method": method, "budget": budget}
    stated = hushrank.publish(read_activity(whole), profiles, **(ASKED | asked))
    found, compared = published(tmp_path, profiles, **asked)
    assert len(list((tmp_path / "released").iterdir())) > 2
    assert read_activity(parquet.read_table(tmp_path / "released")) == stated.activity
    assert found.n_records == stated.activity.n_records
    assert found.terms == stated.terms
    owners = stated.compared_with(read_activity(whole), profiles)
    assert compared.leakage_bits == pytest.approx(owners.leakage_bits, rel=1e-12)
    assert compared.record_distortion == pytest.approx(owners.record_distortion, rel=1e-12)
    assert not list((tmp_path / "scratch").iterdir())


def test_a_score_that_is_not_released_leaves_the_files_as_they_are(tmp_path, data):
    """Not even the type of a column tells of it."""
    whole, profiles = data
    asked = {"method": "rand", "budget": 1.0}
    raw = read_activity(whole)
    released = set(record_keys(hushrank.publish(raw, profiles, **(ASKED | asked)).activity.scores))
    user = next(
        u for u, key in zip(raw.users, record_keys(raw.scores), strict=True) if key not in released
    )
    published(tmp_path, profiles, **asked)
    before = [path.read_bytes() for path in sorted((tmp_path / "released").iterdir())]
    (tmp_path / "released").rename(tmp_path / "earlier")
    more = pa.table({"user": [user], "item": [raw.items[0]], "score": [0.5]})
    scores = whole.column("score").cast(pa.float64())
    for path in list((tmp_path / "visits").glob("*.parquet")):
        path.unlink()
    every = pa.concat_tables([whole.set_column(2, "score", scores), more])
    parquet.write_table(every, tmp_path / "visits" / "all.parquet", row_group_size=250)
    published(tmp_path, profiles, **asked)
    assert [path.read_bytes() for path in sorted((tmp_path / "released").iterdir())] == before


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_released_scores_are_what_those_of_each_book_are(first, second):
    both = ScoreKind(*first) + ScoreKind(*second)
    assert (both.are_ones, both.are_whole) == tuple(map(min, first, second))


def test_each_user_is_protected_as_their_own_profile_asks(tmp_path, data):
    """Profiles in another order than the users, and some without one, who protect everything."""
    whole, profiles = data
    some = profiles.select(np.random.default_rng(3).permutation(N_USERS)[:150])
    stated = hushrank.publish(read_activity(whole), some, method="rand", budget=0.5, **ASKED)
    _, compared = published(tmp_path, some, method="rand", budget=0.5)
    assert read_activity(parquet.read_table(tmp_path / "released")) == stated.activity
    unprotected = ~some.protected["gender"]
    assert compared.n_protected == N_USERS - int(unprotected.sum())
    kept = read_activity(whole).aligned(stated.activity.users, stated.activity.items)
    rows = np.flatnonzero(np.isin(stated.activity.users, np.array(some.users)[unprotected]))
    assert (kept.scores[rows] != stated.activity.scores[rows]).nnz == 0


@pytest.mark.usefixtures("few_are_judged")
@pytest.mark.parametrize("private", [["gender", "other"], ["other", "gender"]])
def test_what_is_told_is_of_the_group_of_users_that_is_worst_off(tmp_path, data, private):
    whole, profiles = data
    (gender,), asks = profiles.attributes, profiles.protected["gender"]
    coins = np.random.default_rng(9).integers(2, size=N_USERS).astype(gender.codes.dtype)
    other = replace(gender, name="other").with_codes(coins)
    both = Profiles(profiles.users, (gender, other), {"gender": asks, "other": ~asks})
    asked = {"method": "rand", "budget": 0.5, "private": private}
    stated = hushrank.publish(read_activity(whole), both, **(ASKED | asked))
    _, compared = published(tmp_path, both, **asked)
    owners = stated.compared_with(read_activity(whole), both)
    of_groups = [plan.leaked.leakage_bits for plan in owners.drawn.plans]
    assert min(of_groups) < 0.9 * max(of_groups)
    assert compared.leakage_bits == pytest.approx(max(of_groups), rel=1e-12)
    assert compared.expected_distortion == pytest.approx(owners.expected_distortion, rel=1e-12)
    said = replace(compared, leakage_bits=0.12341).summary["leakage"]
    assert said.startswith(f"{bits_in_words(0.12341)} bits")
    assert not said.startswith(f"{0.12341:.3g} bits")  # rounded up, not to the nearest


@pytest.mark.usefixtures("few_are_judged")
def test_each_figure_is_that_of_the_group_that_is_worst_by_it(tmp_path, data, monkeypatch):
    _, profiles = data
    (gender,), asks = profiles.attributes, profiles.protected["gender"]
    other = replace(gender, name="other")
    both = Profiles(profiles.users, (gender, other), {"gender": asks, "other": ~asks})
    plain, figures = files.planner_of, [(0.9, 0.1), (0.4, 0.3)]

    def told_otherwise(terms):
        def plans(users, **asked):
            found = zip(plain(terms)(users, **asked), figures, strict=True)
            return [replace(each, leaked=with_bits(each.leaked, *bits)) for each, bits in found]

        return plans

    def with_bits(leaked, untouched, bits):
        return replace(leaked, untouched_bits=untouched, leakage_bits=bits)

    monkeypatch.setattr(files, "planner_of", told_otherwise)
    private = ["gender", "other"]
    _, compared = published(tmp_path, both, method="rand", budget=0.5, private=private)
    assert (compared.untouched_bits, compared.leakage_bits) == (0.9, 0.3)


def of_many_groups(monkeypatch, worst):
    """Let the group of a release stand for thirty, of which this one is the worst."""
    plain = files._compared

    def compared(shelf, users, plans, among):
        (plan,) = plans
        bits = [0.4 if place == worst else 0.3 for place in range(30)]
        many = [
            replace(
                plan,
                expected_distortion=each,
                leaked=replace(plan.leaked, untouched_bits=2 * each, leakage_bits=each),
            )
            for each in bits
        ]
        return plain(shelf, users, many, among)

    monkeypatch.setattr(files, "_compared", compared)


@pytest.mark.usefixtures("few_are_judged")
@pytest.mark.parametrize("worst", [0, 29])
def test_figures_of_many_groups_are_of_all_of_them(tmp_path, data, monkeypatch, worst):
    of_many_groups(monkeypatch, worst)
    _, compared = published(tmp_path, data[1], method="rand", budget=0.5)
    assert (compared.untouched_bits, compared.leakage_bits) == (0.8, 0.4)
    assert compared.expected_distortion == pytest.approx(29 * 0.3 + 0.4)


@pytest.mark.parametrize("unknown", [0, 29])
def test_many_groups_are_judged_where_each_of_them_is(tmp_path, data, monkeypatch, unknown):
    of_many_groups(monkeypatch, unknown)
    monkeypatch.setattr(files, "is_judged", lambda _, plan: plan.expected_distortion < 0.4)
    _, compared = published(tmp_path, data[1], method="rand", budget=0.5)
    assert compared.untouched_bits is compared.leakage_bits is None


@pytest.mark.parametrize(("place", "score"), [(0, 3), (-1, 2.5)])
def test_one_score_in_one_of_many_books_is_released(tmp_path, data, monkeypatch, place, score):
    """Beside records that are all of one: none of them is told without its score."""
    monkeypatch.setattr(shelf, "RECORDS_OF_A_BOOK", 60)
    raw = read_activity(data[0])
    scores = raw.scores.copy()
    scores.data[:] = 1
    scores.data[place] = score
    write_activity(raw.with_scores(scores), tmp_path / "all.parquet")
    asked = {"method": "rand", "budget": 0.0}
    folders = {"output": tmp_path / "released", "scratch": tmp_path / "scratch"}
    publish_files(tmp_path / "all.parquet", data[1], **folders, **(ASKED | asked))
    assert len(list((tmp_path / "released").iterdir())) > 20
    assert read_activity(parquet.read_table(tmp_path / "released")) == raw.with_scores(scores)


def test_what_few_users_tell_is_not_judged(tmp_path, data):
    """Of a handful any release tells next to nothing, whatever it is."""
    _, profiles = data
    (gender,) = profiles.attributes
    few = np.where(np.arange(N_USERS) < 20, gender.codes, -1).astype(gender.codes.dtype)
    silent = Profiles(profiles.users, (gender.with_codes(few),), profiles.protected)
    _, compared = published(tmp_path, silent, method="rand", budget=0.5)
    assert compared.to_dict()["untouched_bits"] is compared.to_dict()["leakage_bits"] is None
    assert compared.summary["leakage"].startswith("not judged")


@pytest.mark.usefixtures("few_are_judged")
def test_nothing_is_judged_where_few_users_of_one_group_tell(tmp_path, data):
    _, profiles = data
    (gender,), asks = profiles.attributes, profiles.protected["gender"]
    told = np.where(np.cumsum(~asks) <= 12, gender.codes, -1).astype(gender.codes.dtype)
    other = replace(gender, name="other").with_codes(told)
    both = Profiles(profiles.users, (gender, other), {"gender": asks, "other": ~asks})
    asked = {"method": "rand", "budget": 0.5, "private": ["gender", "other"]}
    _, compared = published(tmp_path, both, **asked)
    assert compared.leakage_bits is compared.untouched_bits is None


def test_a_part_names_nobody_and_nothing_that_it_does_not_show(tmp_path, data, monkeypatch):
    monkeypatch.setattr(shelf, "RECORDS_OF_A_BOOK", 60)
    published(tmp_path, data[1], method="rand", budget=0.5)
    n_fewer = 0
    for path in (tmp_path / "released").iterdir():
        table = parquet.read_table(path, read_dictionary=["user", "item"]).combine_chunks()
        for column in (table["user"], table["item"]):
            (chunk,) = column.chunks
            held = chunk.dictionary.to_pylist()
            assert set(held) == set(column.to_pylist())
        n_fewer += len(held) < N_ITEMS
    assert n_fewer > 0


def test_workers_and_names_of_columns_do_not_matter(tmp_path, data):
    _, profiles = data
    published(tmp_path, profiles, budget=0.05)
    stated = parquet.read_table(tmp_path / "released")
    for file in (tmp_path / "visits").iterdir():
        table = parquet.read_table(file).rename_columns(["who", "what", "often"])
        parquet.write_table(table.append_column("more", table["who"]), file)
    (tmp_path / "released").rename(tmp_path / "first")
    named = ActivityColumns(user="who", item="what", score="often")
    found, _ = published(
        tmp_path, profiles, budget=0.05, columns=named, workers=Workers("threads", 3)
    )
    assert parquet.read_table(tmp_path / "released").equals(stated)
    assert not found.is_private


@pytest.mark.parametrize("seed", [None, 0, 5])
def test_what_a_seed_drew_only_its_owner_may_read(tmp_path, data, seed):
    """The folder that is being written others may not enter either."""
    seen = []
    _, profiles = data

    def look(stage, *_):
        seen.extend(path.stat().st_mode & 0o077 for path in tmp_path.glob(".released-*"))

    published(tmp_path, profiles, budget=0.05, seed=seed, progress=look)
    assert set(seen) == {0}
    assert ((tmp_path / "released").stat().st_mode & 0o077 == 0) == (seed is not None)


def test_without_a_seed_the_draws_are_secret(tmp_path, data):
    _, profiles = data
    found, _ = published(tmp_path, profiles, budget=0.05, seed=None)
    assert found.is_private
    assert "no differential privacy" in found.privacy


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"method": "user-level"}, "^user-level compares records one by one"),
        ({"method": "withhold"}, "^withhold compares records one by one"),
        ({"method": "diff"}, "^diff compares records one by one"),
        ({"clustering": "average"}, "^clustering average compares records one by one"),
        ({"private": ["age"]}, "expected an attribute of gender"),
        ({"budget": 2.0}, "budget: expected 0 to 1"),
        ({"columns": ActivityColumns(user="nobody")}, "expected the columns user and item"),
    ],
)
def test_what_cannot_be_released_leaves_nothing_behind(tmp_path, data, asked, said):
    _, profiles = data
    with pytest.raises(HushrankError, match=said):
        published(tmp_path, profiles, **({"budget": 0.05} | asked))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["scratch", "visits"]
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("user", "", "a value in the column 'user'"),
        ("user", "1,23E+17", "the users without large numbers that are rounded"),
        ("user", "NULL", "the users without values like NULL"),
        ("score", -1, "a score that is a number"),
        ("item", None, "a value in the column 'item'"),
    ],
)
def test_a_bad_cell_is_named_by_its_file_and_not_shown(tmp_path, data, column, value, said):
    whole, profiles = data
    table = whole.slice(0, 30).to_pydict()
    table[column][-1] = value
    parquet.write_table(pa.table(table), tmp_path / "visits" / "bad.parquet")
    with pytest.raises(HushrankError, match=rf"bad\.parquet: expected .*{said}"):
        published(tmp_path, profiles, budget=0.05)
    (tmp_path / "visits" / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(HushrankError, match=r"bad\.parquet: expected a whole Parquet file"):
        published(tmp_path, profiles, budget=0.05)


@pytest.mark.parametrize("ways", [("7", "7.0"), ("Ann@x.org", "ann@x.org"), ("é", "e\u0301")])
def test_a_user_who_is_written_in_two_ways_in_two_files_is_not_two(tmp_path, data, ways):
    whole, profiles = data
    for n, way in enumerate(ways):
        table = whole.slice(n, 1).to_pydict() | {"user": [way]}
        parquet.write_table(pa.table(table), tmp_path / "visits" / f"{n}-again.parquet")
    with pytest.raises(HushrankError, match="the users have values that look alike"):
        published(tmp_path, profiles, budget=0.05)


def test_the_command_writes_the_same_folder(tmp_path, data, monkeypatch, capsys):
    _, profiles = data
    monkeypatch.chdir(tmp_path)
    hushrank.write_profiles(profiles, "people.csv")
    stated, _ = published(tmp_path, profiles, budget=0.05)
    words = "publish historical visits/*.parquet --profiles people.csv --private gender --seed 5"
    words += " --budget 0.05 --clusters 7 --engine dask --scratch scratch --scheduler threads"
    run = partial(command, monkeypatch, *words.split())
    assert run("--output", "again", "--json", "owner.json") == 0
    said = capsys.readouterr().out
    assert "Published from visits/*.parquet" in said
    assert parquet.read_table("again").equals(parquet.read_table("released"))
    told = json.loads((tmp_path / "owner.json").read_text())
    assert told["records"] == stated.n_records
    assert (told["private"], told["publishable"]) == (False, [])
    assert (tmp_path / "owner.json").stat().st_mode & 0o77 == 0
    assert run("--output", "third", "--hold-out", "held.csv") == 1
    assert "need all records in one process" in capsys.readouterr().err
    assert run("--output", "third.csv") == 1
    assert "third.csv: --engine dask writes a folder of Parquet files" in capsys.readouterr().err
    assert run("--output", "third", "--json", "visits/0.parquet") == 1
    assert "expected different files to read and to write" in capsys.readouterr().err
    assert not list(tmp_path.glob("third*"))


def test_figures_for_the_owner_are_theirs_alone_where_no_seed_is_known_either(
    tmp_path, data, monkeypatch
):
    hushrank.write_profiles(data[1], tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)
    words = "publish historical visits/*.parquet --profiles people.csv --private gender"
    words += " --budget 0.05 --clusters 7 --engine dask --scratch scratch --scheduler threads"
    assert command(monkeypatch, *words.split(), "--output", "new", "--json", "owner.json") == 0
    told = json.loads((tmp_path / "owner.json").read_text())
    assert told["private"] is True
    assert set(told["publishable"]) == told.keys() - {"owner", "publishable"}
    assert (tmp_path / "owner.json").stat().st_mode & 0o77 == 0
    assert (tmp_path / "new").stat().st_mode & 0o77  # it may be handed over


def test_names_are_in_the_order_in_which_tables_are_read():
    texts = ["b", "10", "9", "007", "7", "a", "é", "Z", "1" * 19, "2" * 18]
    some = (pa.array(each, pa.large_string()) for each in (texts, ["x"]))
    names = Names(*some, n_records=0, has_scores=False)
    assert tuple(names.in_order.users.to_pylist()) == natural_order(texts)


def test_texts_are_told_apart_where_hashes_are_equal(monkeypatch):
    """Of all texts there is one place each, and none for others, whatever hash they have."""
    texts = [f"user {n}" for n in range(40)]
    asked = pa.array([*texts[::-1], "user 40", "User 1", ""], pa.large_string())
    salts = []

    def alike(given, salt):
        """Make two hashes, the last, equal at first, and then a stranger's that of a known text."""
        salts.append(salt)
        numbers = [texts.index(text) if text in texts else 0 for text in given.to_pylist()]
        return np.minimum(np.array(numbers, dtype=np.uint64), 38 if len(salts) == 1 else 39)

    monkeypatch.setattr(places, "hashes_of", alike)
    known = Places.of(pa.array(texts, pa.large_string()))
    assert len(set(salts)) == 2
    assert known.find(asked).tolist() == [*range(39, -1, -1), -1, -1, -1]


def test_users_who_came_since_the_names_were_read_end_the_work(tmp_path):
    """A file with as many rows as before: nobody is taken for somebody else."""
    path = tmp_path / "visits.parquet"
    parquet.write_table(pa.table({"user": [1, 2], "item": [1, 1]}), path)
    (piece,) = pieces_of(path, most_rows=10)
    index = Index.of(names_of_piece(UNNAMED, piece).in_order)
    for changed in ({"user": [1, 3], "item": [1, 1]}, {"user": [1, 2], "item": [1, 2]}):
        parquet.write_table(pa.table(changed), path)
        with pytest.raises(HushrankError, match=r"visits\.parquet: was changed meanwhile"):
            list(records_of_piece(UNNAMED, index, piece))


@pytest.mark.parametrize("n_files", [1, 3])
def test_files_without_rows_are_passed_over(tmp_path, data, n_files):
    """As engines write them for partitions of nothing, of whatever columns; not where all are."""
    _, profiles = data
    stated, _ = published(tmp_path, profiles, budget=0.05)
    (tmp_path / "released").rename(tmp_path / "first")
    empty = pa.table({"user": pa.array([], pa.string()), "other": pa.array([], pa.int8())})
    for n in range(n_files):
        parquet.write_table(empty, tmp_path / "visits" / f"empty-{n}.parquet")
    parquet.ParquetWriter(tmp_path / "visits" / "none.parquet", empty.schema).close()
    found, _ = published(tmp_path, profiles, budget=0.05)
    assert found.n_records == stated.n_records
    assert parquet.read_table(tmp_path / "released").equals(parquet.read_table(tmp_path / "first"))
    (tmp_path / "released").rename(tmp_path / "second")
    for file in (tmp_path / "visits").glob("[0-9]*"):
        file.unlink()
    with pytest.raises(
        HushrankError, match=r"empty-0\.parquet: expected the columns user and item"
    ):
        published(tmp_path, profiles, budget=0.05)


def test_a_file_without_scores_beside_some_with_is_refused(tmp_path, data):
    whole, profiles = data
    parquet.write_table(whole.drop_columns(["score"]), tmp_path / "visits" / "bare.parquet")
    said = "expected a column of scores in all files, or in none"
    with pytest.raises(HushrankError, match=said):
        published(tmp_path, profiles, budget=0.05)
    with pytest.raises(HushrankError, match=said):
        begin_shards(tmp_path / "states", 2, tmp_path / "visits", profiles, **FEW)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["scratch", "visits"]


class Dying(Workers):
    """Workers of which one dies in the midst of each file of the release, and is followed."""

    def add_up(self, task, shared, pieces, tell=lambda *_: None):
        if task is write_book:
            for piece in pieces:
                with pytest.MonkeyPatch.context() as patched:
                    patched.setattr(parquet, "write_table", torn)
                    with pytest.raises(SystemExit):
                        write_book(shared, piece)
        return super().add_up(task, shared, pieces, tell)


def torn(table, path):
    path.write_bytes(b"PAR1 and then nothing")
    raise SystemExit


def test_what_a_dead_worker_had_begun_is_not_released(tmp_path, data):
    _, profiles = data
    found, _ = published(tmp_path, profiles, budget=0.05, workers=Dying())
    files = sorted(each.name for each in (tmp_path / "released").iterdir())
    assert files == [f"part-{number:05}.parquet" for number in range(len(files))]
    assert parquet.read_table(tmp_path / "released").num_rows == found.n_records
    assert sorted(each.name for each in tmp_path.iterdir()) == ["released", "scratch", "visits"]


def test_a_scratch_folder_that_is_gone_is_named(tmp_path):
    """Or a disk that is full, for which the system has other words."""
    gone = shelf.Shelf((shelf.Book(str(tmp_path / "gone" / "book"), 1, True),), 3)
    for use in (partial(gone.book, 0), partial(gone.write_beside, 0, "points", np.zeros(3))):
        with pytest.raises(HushrankError, match=r"gone: No such file or directory$"):
            use()


def test_folders_that_no_worker_reaches_are_named_before_a_record_is_read(
    tmp_path, data, monkeypatch
):
    """As on other machines, or of another user: not after an hour of work."""
    monkeypatch.setattr(spread, "access", lambda path, _: "released" not in path)
    monkeypatch.setattr(files, "name_piece", torn)
    with pytest.raises(HushrankError, match=r"released.*: expected a folder that every worker"):
        published(tmp_path, data[1], budget=0.05)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["scratch", "visits"]
    assert not list((tmp_path / "scratch").iterdir())


def test_an_output_that_is_there_is_kept(tmp_path, data):
    _, profiles = data
    (tmp_path / "released").mkdir()
    with pytest.raises(HushrankError, match="expected a folder that is not there yet"):
        published(tmp_path, profiles, budget=0.05)

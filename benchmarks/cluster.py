"""Beyond one machine: reports and ballots from Parquet, beside DuckDB and Dask by hand."""

import os
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import dask
import duckdb
import numpy as np
import pyarrow as pa
from harness import Row, Series, check, main, milliseconds, rates, seconds, seconds_in_turns
from people import orders
from pyarrow import parquet

from hushrank.engines.cluster import Draws, People, run
from hushrank.engines.tasks import Workers
from hushrank.files.pieces import pieces_of
from hushrank.files.spread import scratch_folder
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.ballot_sums import BallotTerms, read_piece
from hushrank.surveys.report_files import (
    Keyed,
    n_buckets_of,
    spread_piece,
    tally_bucket,
    tally_piece,
)
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.wire import PublishedSurvey
from hushrank.workflows.at_scale import count_ballots

INTRODUCTION = """## Beyond one machine

Reports to 45 questions about pairs of 10 items, and ballots of 10 items, made up and written as
Parquet, read from the page cache by one core. DuckDB groups by survey, question and report; Dask
by hand adds `np.bincount` of each row group up. Of keyed reports one in twenty came twice. A
collection reads its people twice, once before the first round; what the fit of its model takes
does not grow with the people, and is left out. An empty task of Dask is what its scheduler
costs. Ours and the peers take turns. What was run at scale stands in [scaling](../scaling.md)."""

FOLDER = Path(mkdtemp())
PAIRS = [RelativeOrder((a, b)) for a in range(10) for b in range(a + 1, 10)]
SURVEY = PublishedSurvey(
    sampled_survey("pairs", PAIRS, 1.0, make_mechanism=GeneralizedRandomizedResponse),
    tuple("abcdefghij"),
)
SALT = (5, 2**63 + 9)


@cache
def reports(n_reports: int, *, n_keys: int) -> Path:
    """Write made-up reports; keys only where there are some."""
    rng = np.random.default_rng(1)
    path = FOLDER / f"reports-{n_reports}-{n_keys}.parquet"
    columns: dict[str, Any] = {
        "survey": pa.DictionaryArray.from_arrays(
            np.zeros(n_reports, dtype=np.int32), [SURVEY.fingerprint]
        ),
        "question": rng.integers(45, size=n_reports, dtype=np.uint16),
        "report": rng.integers(2, size=n_reports, dtype=np.int32),
    }
    if n_keys:
        columns["person"] = rng.permutation(np.arange(n_reports) % n_keys) * 7919
    parquet.write_table(pa.table(columns), path, row_group_size=2**20)
    return path


def tally(is_quick: bool) -> Sequence[Row]:
    """Measure the tallies of reports that nobody sent twice."""
    n_reports = 10**5 if is_quick else 2 * 10**7
    path = reports(n_reports, n_keys=0)
    pieces = pieces_of(path, most_rows=2**23)
    found = Workers().add_up(tally_piece, (SURVEY,), pieces)
    ours = np.array([each.support for each in found.tallies[0]])
    query = f"SELECT survey, question, report, count(*) FROM '{path}' GROUP BY ALL ORDER BY ALL"
    theirs = np.array([row[3] for row in grouped(query)]).reshape(45, 2)
    check(np.array_equal(ours, theirs), "expected the counts of DuckDB")
    check(np.array_equal(ours, by_hand(path)), "expected the counts of Dask by hand")
    turns = (
        lambda: Workers().add_up(tally_piece, (SURVEY,), pieces),
        lambda: grouped(query),
        lambda: by_hand(path),
    )
    timed, duck, hand = (rates(n_reports, each) for each in seconds_in_turns(turns, 15))
    peers: dict[str, Series | str] = {"DuckDB": duck, "Dask by hand": hand}
    checked = "all 90 counts equal those of both peers; at least .8 x DuckDB is wanted"
    return [Row(f"tally, {n_reports:,}", "reports/s", 20e6, timed, peers, checked)]


def tally_once(is_quick: bool) -> Sequence[Row]:
    """Measure the tallies of reports of which some came twice."""
    n_reports = 10**5 if is_quick else 4 * 10**6
    n_keys = n_reports * 20 // 21
    path = reports(n_reports, n_keys=n_keys)
    pieces = tuple(pieces_of(path, most_rows=2**23))
    keyed = Keyed((SURVEY,), "person", 1, SALT, pieces)
    read = lambda: Workers().add_up(tally_bucket, keyed, range(1))  # noqa: E731
    found, sorted_first = read(), by_scratch(pieces)
    check(found.n_repeated == n_reports - n_keys, "expected that all repeats are found")
    check(sorted_first.n_repeated == found.n_repeated, "expected as many, sorted first")
    query = (
        "SELECT question, report, count(*) FROM (SELECT person, first(question) AS question,"
        f" first(report) AS report FROM '{path}' GROUP BY person) GROUP BY ALL"
    )
    check(sum(row[2] for row in grouped(query)) == n_keys, "expected one report a person")
    turns = read, lambda: by_scratch(pieces), lambda: grouped(query)
    timed, by_sorting, duck = (rates(n_reports, each) for each in seconds_in_turns(turns, 5))
    peers = {"DuckDB": duck}
    checked = "as many people are left as there are keys, in both"
    name = f"tally by key, {n_reports:,}"
    return [
        Row(name, "reports/s", None, timed, peers, checked),
        Row(f"{name}, with --scratch", "reports/s", None, by_sorting, peers, checked),
    ]


def by_scratch(pieces: tuple[Any, ...]) -> Any:
    """Drop repeats by one reading, through sorted buckets in a scratch folder."""
    n_buckets = n_buckets_of(pieces, most_rows=2**20)
    with scratch_folder(FOLDER) as folder:
        keyed = Keyed((SURVEY,), "person", n_buckets, SALT, folder=folder)
        spread = Workers().add_up(spread_piece, keyed, pieces)
        keyed = Keyed((SURVEY,), "person", n_buckets, SALT, files=spread.files)
        return Workers().add_up(tally_bucket, keyed, range(n_buckets))


def ballots(is_quick: bool) -> Sequence[Row]:
    """Measure pair counts, and a simulated collection, of people in files."""
    n_people = 10**4 if is_quick else 2 * 10**6
    path = FOLDER / "ballots.parquet"
    ranks = np.argsort(orders(n_people, 10), axis=1) + 1
    columns = {f"item {n}": ranks[:, n].astype(np.uint8) for n in range(10)}
    parquet.write_table(pa.table(columns), path, row_group_size=2**18)
    pairs = [f"count_if(c{a} < c{b})" for a in range(10) for b in range(10) if a != b]
    names = ", ".join(f'"item {n}" AS c{n}' for n in range(10))
    query = f"SELECT {', '.join(pairs)} FROM (SELECT {names} FROM '{path}')"
    counts = count_ballots(path).counts
    check(counts[~np.eye(10, dtype=bool)].tolist() == list(grouped(query)[0]), "expected equality")
    turns = lambda: count_ballots(path), lambda: grouped(query)
    timed, duck = (rates(n_people, each) for each in seconds_in_turns(turns, 7))
    peers = {"DuckDB": duck}
    same = "all 90 pair counts equal those of DuckDB"
    check(surveyed(path) == n_people, "expected that everybody answers")
    collected = rates(n_people, seconds(lambda: surveyed(path), 5))
    return [
        Row(f"pair counts from Parquet, {n_people:,} x 10", "people/s", 0.84e6, timed, peers, same),
        Row(f"a round by short cut, {n_people:,} x 10", "people/s", 1.67e6, collected),
    ]


def surveyed(path: Path) -> int:
    """Let everybody answer one survey by the short cut; return how many answers there are."""

    def protocol() -> Any:
        tallies = yield (SURVEY.survey,)
        return sum(each.n_reports for each in tallies[0])

    read = partial(read_piece, BallotTerms())
    people = People.of(read, pieces_of(path, most_rows=2**19))
    n_reports: int = run(protocol(), people, draws=Draws.of(1), short_cut=True).result
    return n_reports


def scheduling(is_quick: bool) -> Sequence[Row]:
    """Measure what Dask's scheduler costs a task."""
    n_tasks = 50 if is_quick else 1000
    pieces = [0] * n_tasks
    spent = seconds(lambda: Workers("threads", 1).add_up(nothing, None, pieces), 5)
    each = milliseconds([one / n_tasks for one in spent])
    return [Row("an empty task, threads", "ms", 2.0, each)]


def nothing(shared: None, piece: int) -> int:
    """Return a piece."""
    return piece


def grouped(query: str) -> list[tuple[Any, ...]]:
    """Run a query of DuckDB in one thread."""
    with duckdb.connect(config={"threads": 1}) as connection:
        return connection.execute(query).fetchall()


def by_hand(path: Path) -> Any:
    """Count with Dask as one would write it: nothing is checked."""
    n_groups = parquet.ParquetFile(path).num_row_groups
    each = [dask.delayed(of_group)(path, number) for number in range(n_groups)]
    return dask.delayed(sum)(each).compute(scheduler="synchronous").reshape(45, 2)


def of_group(path: Path, number: int) -> Any:
    """Count the reports of a row group."""
    columns = parquet.ParquetFile(path).read_row_group(number, columns=["question", "report"])
    question, report = (columns[name].to_numpy().astype(np.int64) for name in columns.column_names)
    return np.bincount(question * 2 + report, minlength=90)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main(INTRODUCTION, (tally, tally_once, ballots, scheduling))

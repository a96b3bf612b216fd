"""Reports in a store elsewhere, and counted by Spark: see `make test-elsewhere`."""

import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.collector.elsewhere import SurveySoFar, tally_reports
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from tests.collector.drafts import draft

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"
WHY = "make test-elsewhere installs it"
pytestmark = pytest.mark.slow


@pytest.fixture
def reports(tmp_path):
    """Reports in three files, some of one person, and the survey that they answer."""
    so_far = SurveySoFar(draft(protocol="pairs", epsilon=4.0))
    (part,), rng = so_far.follows.parts, np.random.default_rng(1)
    (tmp_path / "reports").mkdir()
    for n in range(3):
        columns = {
            "survey": [part.fingerprint] * 40,
            "question": [0] * 40,
            "report": rng.integers(3, size=40),  # 2 is no report
            "person": rng.integers(100, size=40),
        }
        parquet.write_table(pa.table(columns), tmp_path / f"reports/{n}.parquet")
    return tmp_path / "reports", so_far


@pytest.fixture
def store(reports, monkeypatch):
    """A server that speaks as S3 does, with the reports in the bucket `lake`."""
    server = pytest.importorskip("moto.server", reason=WHY)
    s3fs = pytest.importorskip("s3fs", reason=WHY)
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    settings = {"ENDPOINT_URL": f"http://{host}:{port}", "DEFAULT_REGION": "us-east-1"}
    settings |= {"ACCESS_KEY_ID": "anybody", "SECRET_ACCESS_KEY": "anything"}
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    lake = s3fs.S3FileSystem(skip_instance_cache=True)
    lake.mkdir("lake")
    lake.put(f"{reports[0]}/", "lake/reports/", recursive=True)
    yield lake
    running.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_store_is_read_as_a_folder_is(store, reports, tmp_path):
    """By one process and by several, with and without a key; what is gone is named."""
    folder, so_far = reports
    address = "s3://lake/reports/*.parquet"
    for asked in ({}, {"key": "person"}, {"key": "person", "scratch": tmp_path}):
        stated = tally_reports(folder, so_far, **asked).document()
        for workers in (Workers(), Workers("threads", 2), Workers("processes", 2)):
            assert tally_reports(address, so_far, workers=workers, **asked).document() == stated
    with pytest.raises(HushrankError, match=r"s3://lake/none/\*\.parquet: there is no such file"):
        tally_reports("s3://lake/none/*.parquet", so_far)
    store.pipe("lake/reports/1.parquet", b"PAR1 and then nothing")
    with pytest.raises(HushrankError, match=r"s3://lake/reports/1\.parquet: expected a whole"):
        tally_reports(address, so_far)


def code_of(heading):
    """Return the first program below a heading of the page."""
    section = PAGE.read_text().split(f"## {heading}\n")[1]
    return re.search(r"```\w+\n(.*?)```", section, re.DOTALL).group(1)


@pytest.mark.filterwarnings("ignore")
def test_the_program_of_the_page_counts_on_spark_what_tally_does(reports, monkeypatch):
    session = pytest.importorskip("pyspark.sql", reason=WHY).SparkSession
    folder, so_far = reports
    monkeypatch.setenv("PYSPARK_PYTHON", os.sys.executable)
    program: dict = {"__name__": "__main__"}  # so that Spark's workers get its functions by value
    exec(compile(code_of("On Spark"), str(PAGE), "exec"), program)
    quiet = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    builder = session.builder.master("local[2]")
    for name, value in quiet.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        found = program["counted_by_spark"](spark, f"{folder}/*.parquet", so_far)
    finally:
        spark.stop()
    stated = tally_reports(folder, so_far)
    assert found.document() == stated.document()
    assert stated.rounds[0].refused > 0

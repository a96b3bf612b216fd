import asyncio
import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import sleep

import httpx
import pytest

from hushrank.collector import serve
from hushrank.collector.serve import Listening, warm_up
from hushrank.collector.warming import made_up_result
from hushrank.collector.web.guards.limits import Buckets
from hushrank.collector.web.settings import Settings
from hushrank.errors import HushrankError
from hushrank.workflows.results.collection import Collection
from tests.commands import hushrank

SURVEY = """
title = "What to drink"
items = ["tea", "coffee", "water"]
asked_by = "The kitchen"
purpose = "To buy the right things."
contact = "kitchen@example.org"
privacy_notice = "Only noisy answers leave your device."
"""


@contextmanager
def serving(folder, *options):
    """Run `hushrank serve` on a free port; yield the process, its address and its link."""
    command = [sys.executable, "-m", "hushrank", "serve", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        words = "".join(process.stdout.readline() for _ in range(3))
        link = re.search(r"(http://\S+)/o/sign-in#t=(\S+)", words)
        assert link, process.stderr.read()
        assert f"hushrank collector sign-in --public-url {link[1]}." in words
        yield process, link[1], link[2]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def console(monkeypatch, capsys, tmp_path):
    """Run a command in the folder; return its exit code and what it printed. None may serve."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serve.Server, "serve", _must_not)

    def runs(*arguments):
        code = hushrank(monkeypatch, *arguments)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return runs


async def _must_not(server, sockets):
    pytest.fail("a collector answers that should not")


def test_one_command_serves_and_its_link_signs_in_once(tmp_path):
    with serving(tmp_path) as (process, address, token), httpx.Client(base_url=address) as client:
        assert (tmp_path / "collector.sqlite").exists()
        assert client.get("/readyz").json() == {"status": "ok"}
        posted = {"data": {"token": token}, "headers": {"origin": address}}
        assert client.post("/o/sign-in", **posted).status_code == 303
        assert client.post("/o/sign-in", **posted).status_code == 401
        process.send_signal(signal.SIGTERM)
        out, log = process.communicate(timeout=15)
    assert process.returncode == 0
    assert not (tmp_path / "collector.sqlite-wal").exists()  # the store was closed
    assert '"route":"/readyz"' in log  # the last lines, too
    assert token not in log + out
    assert all(json.loads(line) for line in log.splitlines())


def test_the_console_creates_lists_exports_and_deletes_while_the_collector_runs(tmp_path, console):
    (tmp_path / "survey.toml").write_text(SURVEY)
    with serving(tmp_path) as (_, address, _):
        code, printed = console("collector", "create", "survey.toml", "--open")
        survey = printed.strip()
        assert code == 0
        assert httpx.get(f"{address}/v1/surveys/{survey}").json()["title"] == "What to drink"
        assert survey in console("collector", "list")[1]
        for out in ("again.toml", "again.json"):
            assert console("collector", "export", survey, "--survey", "--out", out) == (0, "")
            assert console("collector", "create", out)[0] == 0
        assert console("collector", "export", survey, "--out", "all.json") == (0, "")
        assert json.loads((tmp_path / "all.json").read_text())["id"] == survey
        assert (tmp_path / "all.json").stat().st_mode & 0o77 == 0  # a sum may be one report
        assert console("collector", "backup", "copy.sqlite") == (0, "")
        assert (tmp_path / "copy.sqlite").stat().st_size > 0
        assert "by key" in console("collector", "rotate-key")[1]
        assert "no others are valid" in console("collector", "rotate-key", "--drop-old")[1]
        assert "http://127.0.0.1:8000/o/sign-in#t=" in console("collector", "sign-in")[1]
        assert console("collector", "delete", survey, "--yes") == (0, "")
        assert httpx.get(f"{address}/v1/surveys/{survey}").status_code == 404
        refused = console("collector", "delete", survey, "--yes")
        assert refused == (1, "hushrank: there is no such survey\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--host", "0.0.0.0"], "without protection"),
        (["serve", "--host", "192.0.2.1"], "--insecure"),
        (["serve", "--host", "0.0.0.0", "--public-url", "http://192.0.2.1"], "--public-url https"),
        (["serve", "--host", "0.0.0.0", "--insecure"], "the --public-url that phones open"),
        (["serve", "--port", "0", "--public-url", "ftp://x"], "expected a public address"),
        (["serve", "--port", "0", "--public-url", "https://x.org/path"], "expected a public"),
        (["serve", "--port", "0", "--trusted-proxy", "everybody"], "expected an address"),
        (["collector", "list", "--store", "mysql://x"], "store: expected"),
        (["collector", "create", "survey.txt"], "expected a .toml or .json file"),
        (["collector", "export", "x", "--out", "x.toml"], "expected a .json file"),
        (["collector", "export", "x", "--out", "hushrank-ledger.json"], "that of a ledger"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(console, arguments, words):
    code, printed = console(*arguments)
    assert code == 1
    assert words in printed
    assert printed.count("\n") == 1


def test_a_port_that_is_taken_is_said(console):
    with Listening(port=0).bind() as taken:
        port = taken.getsockname()[1]
        said = console("serve", "--port", str(port))
    assert said == (
        1,
        f"hushrank: cannot listen at 127.0.0.1 port {port}: Address already in use\n",
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.9.10"])
def test_this_machine_alone_needs_no_protection(host):
    assert Listening(host=host).public_address(8000).startswith("http://")


def test_other_machines_are_served_where_that_is_meant_or_protected():
    protected = Listening(host="0.0.0.0", public_url="https://survey.example.org")
    assert protected.public_address(8000) == "https://survey.example.org"
    meant = Listening(host="192.0.2.1", insecure=True)
    assert meant.public_address(80) == "http://192.0.2.1:80"
    with pytest.raises(HushrankError):
        Listening(host="example.org")


def test_only_a_proxy_on_this_machine_is_trusted_untold():
    behind = Listening(public_url="https://survey.example.org")
    assert behind.proxies(()) == ("127.0.0.1", "::1")
    assert Listening().proxies(()) == ()
    outside = Listening(host="0.0.0.0", public_url="https://survey.example.org")
    assert outside.proxies(("10.0.0.1",)) == ("10.0.0.1",)


def test_the_console_tells_proxies_from_backends(monkeypatch, console):
    told = {}
    monkeypatch.setattr(serve, "serve", lambda *_, **options: told.update(options))
    code, _ = console("serve", "--trusted-proxy", "10.0.0.1", "--backend", "10.0.0.2")
    assert code == 0
    assert told["trusted_proxies"] == ("10.0.0.1",)
    assert told["unlimited"] == ("10.0.0.2",)


def test_the_token_of_the_numbers_is_what_the_file_holds(monkeypatch, console, tmp_path):
    told = {}
    monkeypatch.setattr("hushrank.collector.serve.serve", lambda *_, **named: told.update(named))
    (tmp_path / "token").write_text("secret\n")
    console("serve", "--metrics-token", tmp_path / "token")
    assert told["metrics_token"] == "secret"


@pytest.mark.parametrize("content", [b"", b"\n", b"two words", b"\xff\xfe"])
def test_a_file_without_a_token_is_refused(console, tmp_path, content):
    """By an empty token anybody was shown the numbers."""
    (tmp_path / "token").write_bytes(content)
    code, said = console(
        *("serve", "--metrics-token", tmp_path / "token", "--store", tmp_path / "s", "--port", "0")
    )
    assert (code, "metrics-token: expected letters" in said) == (1, True)


def test_this_machine_has_no_rate_where_nobody_else_can_connect():
    assert Listening().without_rate(("10.0.0.1",)) == ("10.0.0.1", "127.0.0.1", "::1")
    assert Listening(public_url="https://survey.example.org").without_rate(()) == ()
    assert Listening(public_url="http://127.0.0.1:80").without_rate(()) == ()


def test_a_survey_whose_time_has_come_is_closed(tmp_path, console):
    soon = datetime.now(UTC) + timedelta(seconds=6)  # opened before, on a busy machine, too
    (tmp_path / "survey.toml").write_text(f"closes = {soon.isoformat()}\n{SURVEY}")
    survey = console("collector", "create", "survey.toml", "--open")[1].strip()
    with serving(tmp_path) as (_, address, _):
        for _ in range(300):
            state = httpx.get(f"{address}/v1/surveys/{survey}/state").json()["state"]
            if state == "closed":
                break
            sleep(0.2)
        assert state == "closed"


def test_what_results_need_is_compiled_by_a_process_that_ends_with_the_collector(monkeypatch):
    ended = []

    class Warming:
        returncode = None

        async def wait(self):
            await asyncio.sleep(0 if ended else 60)

        def kill(self):
            ended.append(True)

    async def begin(*command, **_):
        assert command[-1] == "hushrank.collector.warming"
        return Warming()

    async def run():
        task = asyncio.create_task(warm_up(0))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", begin)
    asyncio.run(run())
    assert ended == [True]


def test_made_up_tallies_lead_to_a_result():
    assert isinstance(made_up_result(), Collection)


def test_a_chore_that_fails_is_tried_again_and_its_words_are_not_logged(caplog):
    from hushrank.collector.serve import every

    calls = []

    async def fails():
        calls.append(1)
        raise ValueError("secret")

    async def run():
        task = asyncio.create_task(every(0.01, "chore", fails))
        while len(calls) < 3:
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(run())
    assert "secret" not in caplog.text


def test_who_asked_is_forgotten_while_the_collector_runs(monkeypatch, tmp_path):
    """Without anybody's coming: addresses, links and those who sign in."""
    forgot = []

    async def until_all_forgot(server, sockets):
        async with asyncio.timeout(10):
            while len(forgot) < 3:
                await asyncio.sleep(0.01)

    monkeypatch.setattr(serve.Server, "serve", until_all_forgot)
    monkeypatch.setattr(Buckets, "forget", lambda buckets: forgot.append(buckets))
    settings = Settings(public_url="http://127.0.0.1:8000")
    asyncio.run(serve._serve(str(tmp_path / "collector.sqlite"), settings, None, print))
    assert len(set(map(id, forgot))) == 3

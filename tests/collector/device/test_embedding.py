"""The programs of docs/embedding.md do what it says, against a collector on a port."""

import asyncio
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from tests.collector.client.node import CLIENT, needs_node, node
from tests.collector.web.running import answered, running

PAGE = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text()
A_PAGE = """
globalThis.document = { querySelector: () => ({ value: { order: [1, 0, 3, 2], unranked: [] } }) };
"""
CLICKS = """
await done.onclick();
console.log(says.textContent, list.items.length, await send.onclick());
"""
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


def programs(language, *, at=None, survey=None):
    """Return the programs of the page, for a collector and survey of the test."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    if at is None:
        return found
    return [
        each.replace("http://127.0.0.1:8000", at).replace("A1b2C3d4E5f6", survey) for each in found
    ]


def with_collector(tmp_path, using, **fields):
    """Run something with a collector on a port, and a survey that is open there."""

    async def whole():
        async with running(tmp_path) as collector:
            survey = await collector.open(**fields)
            await using(collector, survey)

    asyncio.run(whole())


async def reported(collector, survey):
    return (await collector.service.survey(survey)).counts[0].reported


def test_the_python_program_answers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    async def using(collector, survey):
        program, _ = programs("python", at=collector.origin, survey=survey)
        await asyncio.to_thread(exec, compile(program, "embedding.md", "exec"), {})
        said = capsys.readouterr().out
        expected = "sends: .+\nreceipt: [0-9a-f]+\nspent here within a year: 2 nats\n"
        assert re.fullmatch(expected, said)
        assert await reported(collector, survey) == 1

    with_collector(tmp_path, using)


@needs_curl
def test_the_commands_of_curl_join_and_send(tmp_path):
    async def using(collector, survey):
        looks, sends, sends_many = programs("bash", at=collector.origin, survey=survey)

        async def curl(words):
            ran = await asyncio.to_thread(
                subprocess.run, shlex.split(words), cwd=tmp_path, capture_output=True, check=True
            )
            return json.loads(ran.stdout)

        looks = re.sub(r"^#.*$", "", looks, flags=re.MULTILINE).replace("\\\n", "")
        announced, state, joined = [await curl(each) for each in looks.split("\n\n")]
        assert announced["id"] == survey
        assert (state["state"], state["round"]) == ("open", 0)
        (shown, sent) = [json_of(each) for each in programs("json")]
        assert joined.keys() == shown.keys()
        assert joined["handout"].keys() == shown["handout"].keys()
        assert joined["handout"]["questions"][0].keys() == shown["handout"]["questions"][0].keys()
        lot = int(re.findall('"lot": ([0-9]+)', looks)[0])
        upload = answered(joined, lot=lot)
        assert upload.keys() == sent.keys()
        assert upload["reports"][0].keys() == sent["reports"][0].keys()
        (tmp_path / "upload.json").write_text(json.dumps(upload))
        (tmp_path / "uploads.ndjson").write_text(json.dumps(upload) + "\n")
        receipt = (await curl(sends))["receipt"]
        assert await curl(sends_many) == {"results": [{"status": 200, "receipt": receipt}]}

    with_collector(tmp_path, using)


def json_of(shown):
    return json.loads(shown.replace("...", ""))


@needs_node
def test_the_program_of_a_web_page_answers(tmp_path):
    async def using(collector, survey):
        (program,) = programs("js", at=collector.origin, survey=survey)
        program = program.replace('import "hushrank/ranking-list.js";\n', "")
        program = program.replace("openStorage", "memoryStorage")
        program = program.replace('"hushrank/', f'"{CLIENT.as_uri()}/')
        whole = tmp_path / "survey.mjs"
        (tmp_path / "page.mjs").write_text(A_PAGE)
        whole.write_text(f'import "./page.mjs";\n{program}\n{CLICKS}')
        said = (await asyncio.to_thread(node, "--no-warnings", str(whole))).decode()
        assert re.fullmatch("Your phone sends: “.+”. It may be a lie. 4 [0-9a-f]+\n", said)
        assert await reported(collector, survey) == 1

    with_collector(tmp_path, using)


def test_a_backend_joins_for_its_users(tmp_path):
    async def using(collector, survey):
        key = await collector.service.make_api_key(survey)
        _, program = programs("python", at=collector.origin, survey=survey)
        names = {"API_KEY": key, "pseudonym_of": lambda request: "user 17"}
        exec(compile(program, "embedding.md", "exec"), names)
        path = "/v1/surveys/{survey}/assignments"
        backend = Starlette(routes=[Route(path, names["join"], methods=["POST"])])
        transport = httpx.ASGITransport(backend)
        asked = {"person": "chosen by the phone", "lot": 5, "invitation": None, "earlier": None}
        async with httpx.AsyncClient(transport=transport, base_url="http://app.example") as client:
            first, again = [await client.post(path.format(survey=survey), json=asked) for _ in "12"]
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json()["assignment"] == again.json()["assignment"]
        refused = await collector.join(survey)
        assert refused.status_code == 403

    with_collector(tmp_path, using, joining="api")

import asyncio
import re

import msgspec
import pytest
from starlette.requests import Request

from hushrank.collector.client_files import client_folder
from hushrank.collector.web.files import STATIC_FOLDER, FileTable
from hushrank.collector.web.pages_participant import MODULES
from hushrank.collector.web.scripts import compact
from tests.collector.client.node import needs_node, node

MOST_BYTES = 40_000
"""Of all that a participant's page runs, packed: the target of the live collection."""
NOT_SENT = {"node_modules", "tests"}


def scripts():
    folders = (client_folder(), STATIC_FOLDER)
    every = [path for folder in folders for path in sorted(folder.rglob("*.js"))]
    return [path for path in every if not NOT_SENT.intersection(path.parts)]


def asked(path):
    headers = [(b"accept-encoding", b"gzip")]
    return Request({"type": "http", "path": path, "query_string": b"", "headers": headers})


def test_all_that_a_participants_page_loads_is_at_most_40_kb():
    files = FileTable({"": client_folder()})
    sent = [len(asyncio.run(files.serve(asked(f"/{name}"))).body) for name in MODULES]
    assert 10_000 < sum(sent) <= MOST_BYTES


IMPORTED = re.compile(r"""\b(?:from|import) ?["'](\.[^"']+)["']""")


def test_a_participants_page_is_told_of_all_modules_that_it_loads_and_no_others():
    folder = client_folder()
    loaded, ahead = set(), {folder / "participate.js"}
    while ahead:
        loaded |= ahead
        sent = {path: compact(path.read_bytes()).decode() for path in ahead}
        named = {
            (path.parent / one).resolve() for path in ahead for one in IMPORTED.findall(sent[path])
        }
        ahead = named - loaded
    assert {path.relative_to(folder).as_posix() for path in loaded} == {*MODULES}


@pytest.mark.end_to_end
@needs_node
def test_scripts_as_they_are_sent_are_the_same_programs():
    lines = []
    for path in scripts():
        script = path.read_bytes()
        sent = {"script": script.decode(), "sent": compact(script).decode()}
        lines.append(msgspec.json.encode({"name": path.name, **sent}))
    assert len(lines) > 10
    assert node("tests/same_program.js", stdin=b"\n".join(lines)) == b""


def test_comments_go_but_licences_and_those_within_a_statement_stay():
    script = b"/*! MIT */\n/** Why. */\nconst a = 1; // so\n  // and so\n  /**\n   * More.\n   */\n"
    assert compact(script + b"b = // c\n2;") == b"/*! MIT */\nconst a=1;\nb=// c\n2;"


def test_empty_lines_go_but_those_of_texts_stay():
    assert compact(b"a = 1;\n\n  \n\tb = `\n\n  c`;\n\n") == b"a=1;\nb=`\n\n  c`;\n"


def test_indents_are_left_out_but_between_backticks():
    assert compact(b"if (a) {\n  b = `c\n  d`;\n}\n") == b"if(a){\nb=`c\n  d`;\n}\n"


def test_blanks_are_left_out_around_signs_but_not_in_texts_or_of_sums():
    script = b'a = { b: "c = \\" , d", e: `f, ${g}` };\nh = i - -1 + +j === 2 ? (k) => k : "=";\n'
    sent = b'a={b:"c = \\" , d",e:`f, ${g}`};\nh=i - -1 + +j===2?(k)=>k:"=";\n'
    assert compact(script) == sent
    script = b"a += b ** 2 % c | 0 && d !== e; f = g / 2 >> 1 /* h , i */;\n"
    sent = b"a+=b**2%c|0&&d!==e;f=g / 2>>1 /* h , i */;\n"
    assert compact(script) == sent

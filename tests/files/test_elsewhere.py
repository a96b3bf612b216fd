"""Addresses: which are of one file, what is shown of them, and what a store did not do."""

from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from posixpath import normpath
from threading import Thread
from urllib.parse import unquote, urlsplit

import fsspec
import pyarrow as pa
import pytest
from fsspec.registry import _registry
from fsspec.spec import AbstractFileSystem
from pyarrow import parquet

from hushrank.errors import HushrankError
from hushrank.files.disk import errors_naming, require_apart
from hushrank.files.elsewhere.addresses import likely_file, shown, spelt_plainly
from hushrank.files.pieces import pieces_of, table_of
from hushrank.files.spread import scratch_folder

TABLE = pa.table({"number": list(range(30))})
SECRETS = ("KEYID", "SECRETPW", "SIGNATURE")
ONE = "http://h/a/p.parquet"
SPELLINGS = (
    "http://h/a/./p.parquet",
    "http://h/b/../a/p.parquet",
    "http://h/a/p%2Eparquet",
    "http://h/%61/p%2eparquet",
    "http://h/a/p.parquet#part",
    "http://h:80/a/p.parquet",
    "http://h:080/a/p.parquet",
    "http://h:/a/p.parquet",
    "http://H/a/p.parquet",
    "HTTP://h/a/p.parquet",
    f"http://h/{'b/' * 30}{'../' * 30}a/p.parquet",
)
"""Names of one file by the rules of the web."""
LIKELY = (
    "http://h//a/p.parquet",
    "http://h/a//p.parquet",
    "http://KEYID:SECRETPW@h/a/p.parquet",
    "http://KEYID@h/a/p.parquet",
    "https://h/a/p.parquet",
    "http://h./a/p.parquet",
    "http://h/a%2Fp.parquet",
    "http://h/a/p.parquet/",
    "http://h/a/p.parquet?",
)
"""Names of one file on most servers."""
OTHERS = (
    "http://h/a/p.parquet?x=1",
    "http://h:8080/a/p.parquet",
    "http://h:443/a/p.parquet",
    "http://i/a/p.parquet",
    "http://h/A/p.parquet",
    "http://h/p.parquet",
)


def content():
    written = BytesIO()
    parquet.write_table(TABLE, written)
    return written.getvalue()


def n_rows(*names):
    return sum(piece.n_rows for piece in pieces_of(list(names), most_rows=100))


class Web(AbstractFileSystem):
    """A server as most are: whoever asks, in whatever spelling, gets what is at the path."""

    protocol = ("http", "https")
    cachable = False
    linked = ()
    error = None

    @classmethod
    def _strip_protocol(cls, path):
        return path

    def unstrip_protocol(self, name):
        return name

    def info(self, path, **_):
        if self.error is not None:
            raise self.error
        return {"name": path, "size": len(content()), "type": "file"}

    def isdir(self, path):
        return False

    def glob(self, path, **_):
        return [f"http://h/a/{link}" for link in self.linked] if "*" in path else [path]

    def _open(self, path, mode="rb", **_):
        if self.error is not None:
            raise self.error
        assert normpath(f"/{unquote(urlsplit(path).path)}").endswith(".parquet")
        return BytesIO(content())


@pytest.fixture
def web(monkeypatch):
    for scheme in Web.protocol:
        monkeypatch.setitem(_registry, scheme, Web)
    return partial(monkeypatch.setattr, Web)


@pytest.mark.parametrize("other", SPELLINGS)
def test_a_file_on_the_web_counts_once_however_it_is_spelt(web, other):
    assert n_rows(ONE, other) == n_rows(other, ONE) == n_rows(other) == 30
    (piece,) = pieces_of([other, ONE], most_rows=100)
    assert piece.path == ONE


@pytest.mark.parametrize("other", LIKELY)
def test_what_most_servers_have_one_file_for_is_refused_beside_it(web, other):
    """They may be two files: whoever calls says which one is meant, as with links."""
    assert n_rows(other) == 30
    with pytest.raises(HushrankError, match=r"^http.* expected each file once, got http"):
        n_rows(ONE, other)


@pytest.mark.parametrize("other", OTHERS)
def test_what_cannot_be_known_to_be_one_file_counts_as_two(web, other):
    assert n_rows(ONE, other) == 60
    assert likely_file(spelt_plainly(other)) != likely_file(ONE)


def test_a_page_with_several_links_to_one_file_counts_it_once(web):
    web("linked", ("p.parquet", "./p.parquet", "p%2Eparquet", "p.parquet#top", "p.parquet#end"))
    assert n_rows("http://h/a/*") == n_rows("http://h/a/*", ONE) == 30
    web("linked", ("p.parquet", "/p.parquet"))
    with pytest.raises(HushrankError, match="expected each file once"):
        n_rows("http://h/a/*")


def test_plain_spellings_are_those_of_the_standard():
    assert spelt_plainly("HTTP://h/x") == "HTTP://h/x"  # schemes are small where they come in
    plain = "http://xn--mnchen-3ya/%C3%BC%20b/c%2Fd?e=%2F&f"
    assert spelt_plainly("http://m\u00fcnchen:80/\u00fc b/c%2fd?e=%2f&%66#g") == plain
    for same in (plain, "http://h/a//b/../c", "s3://B/./p%2E", "/a/./b", "http://u@h:81/"):
        assert spelt_plainly(same) == same
    assert spelt_plainly("http://h") == "http://h/"
    assert spelt_plainly("https://h:443/a/..") == "https://h/"
    assert likely_file("/a/./b") == "/a/./b"


@pytest.mark.parametrize("name", ["s3://B/d//p", "s3://b/d/p", "memory://d//p", "s3://b/d/./p"])
def test_keys_of_a_store_are_kept_apart(name):
    """In a store of objects two slashes are another key than one."""
    assert likely_file(name) == spelt_plainly(name) == name


def test_schemes_may_be_in_capitals(tmp_path):
    store = fsspec.filesystem("memory")
    store.pipe("/capitals/p.parquet", content())
    assert n_rows("MEMORY://capitals/p.parquet", "memory:///capitals/p.parquet") == 30
    store.rm("/capitals", recursive=True)
    (tmp_path / "p.parquet").write_bytes(content())
    assert n_rows(f"FILE://{tmp_path}/./p.parquet", tmp_path / "p.parquet") == 30


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("http://KEYID:SECRETPW@h/p.parquet", "http://h/p.parquet"),
        ("http://KEYID@h:81/p.parquet#SIGNATURE", "http://h:81/p.parquet"),
        ("https://h/p.parquet?X-Amz-Signature=SIGNATURE", "https://h/p.parquet?..."),
        ("https://h/p.parquet?sig=SIGNATURE@h", "https://h/p.parquet?..."),
        ("http:/KEYID:SECRETPW@h/p.parquet", "http:/h/p.parquet"),
        ("/here/http:/KEYID:SECRETPW@h/p", "/here/http:/h/p"),
        ("s3://KEYID:SECRETPW@b/d/p", "s3://b/d/p"),
        ("s3://KEYID:SECRETPW/SECRETPW@b/d/p", "s3://b/d/p"),
        ("http://KEYID:SECRETPW#SECRETPW@h/p", "http://h/p"),
        ("http://KEYID:SECRETPW?SECRETPW@h/p", "http://h/p"),
        ("http://KEYID:1@SECRETPW/SECRETPW@h/p", "http://h/p"),
        ("http://KEYID:SECRETPW", "http://..."),
        ("simplecache::http://KEYID:SECRETPW@h::s3://KEYID:SECRETPW@b", "simplecache::http://..."),
        ("zip://a/b.csv::http://KEYID:SECRETPW@h/f", "zip://..."),
        ("h://KEYID:SECRETPW@x/f", "h://x/f"),
        ("9p://KEYID:SECRETPW@h/f", "9p://h/f"),
        ("://KEYID:SECRETPW@h/f", "://h/f"),
        ("s3:://KEYID:SECRETPW@b/f", "s3:://..."),
        ("h://h/f?sig=SIGNATURE", "h://h/f?..."),
        ("abfs://KEYID@h/p?sv=1&sig=SIGNATURE", "abfs://h/p?..."),
        ("s3://b/d@1/p#1.parquet", "s3://b/d@1/p#1.parquet"),
        ("s3://arn:aws:s3:eu:1:accesspoint/x/p", "s3://arn:aws:s3:eu:1:accesspoint/x/p"),
        ("http://h:80/a@b/*.parquet", "http://h:80/a@b/*.parquet"),
        ("reports/?.parquet", "reports/?.parquet"),
        ("C:/reports/a@b?", "C:/reports/a@b?"),
    ],
)
def test_what_is_shown_of_an_address_lets_nobody_in(address, seen):
    assert shown(address) == shown(seen) == seen


def test_errors_of_paths_show_no_keys(tmp_path):
    """Also of those on this machine: an address may stand where a path is expected."""
    address = "http://KEYID:SECRETPW@h/p.parquet?sig=SIGNATURE"
    for failing in (
        lambda: table_of_missing(address),
        lambda: require_apart([address, address], []),
        lambda: scratch_folder(address).__enter__(),
        lambda: pieces_of(f"x::{address}", most_rows=1),
        lambda: pieces_of(address.replace("http", "nowhere"), most_rows=1),
    ):
        assert "http" in of_one_line(failing) or "nowhere" in of_one_line(failing)
    assert of_one_line(failing) == (
        "nowhere://h/p.parquet?...: expected an address of a store that fsspec knows"
    )


def table_of_missing(address):
    with errors_naming(address):
        Path(address).read_bytes()


def of_one_line(failing):
    """Return what an error says, after a look at all that it keeps."""
    with pytest.raises(HushrankError) as caught:
        failing()
    said = str(caught.value)
    assert not any(secret in said for secret in SECRETS)
    assert caught.value.__cause__ is None
    assert "\n" not in said
    return said


class AnswerError(Exception):
    """What aiohttp raises, and gcsfs, and botocore: the number of an answer, and the address."""

    def __init__(self, **kept):
        super().__init__(401, "of http://KEYID:SECRETPW@h/p?sig=SIGNATURE")
        vars(self).update(kept)


def of_status(status):
    return {"response": {"ResponseMetadata": {"HTTPStatusCode": status}}}


class ServerTimeoutError(Exception):
    """A package's own."""


class ParamValidationError(Exception):
    """What botocore has."""


def caused_by(error):
    told = FileNotFoundError("http://KEYID:SECRETPW@h/p")
    told.__cause__ = error
    return told


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AnswerError(status=401), r"the store refuses \(401\)"),
        (AnswerError(code=403), r"the store refuses \(403\)"),
        (caused_by(AnswerError(status=403)), r"the store refuses \(403\)"),
        (AnswerError(status=500), r"the store fails \(500\)"),
        (AnswerError(status_code=503), r"the store fails \(503\)"),
        (AnswerError(**of_status(403)), r"the store refuses \(403\)"),
        (AnswerError(status=429), r"the store does not give it \(429\)"),
        (AnswerError(status=404), "there is no such file"),
        (AnswerError(status=416), "expected a whole Parquet file, got another"),
        (AnswerError(**of_status(412)), "expected a whole Parquet file, got another"),
        (caused_by(ConnectionRefusedError("SECRETPW")), "the store cannot be reached"),
        (ServerTimeoutError("SECRETPW"), "the store cannot be reached"),
        (ParamValidationError("SECRETPW"), "expected an address that its store can have"),
        (FileNotFoundError("SECRETPW"), "there is no such file"),
        (PermissionError("SECRETPW"), "this file may not be read"),
        (ImportError("SECRETPW"), "its store needs a package of its own"),
        (KeyError("SECRETPW"), "KeyError when"),
        (ValueError("Got more bytes SECRETPW"), "expected a server that sends parts of files"),
        (ValueError("SECRETPW"), "ValueError when"),
    ],
)
def test_what_a_store_did_not_do_is_one_line_that_keeps_no_key(web, error, said):
    """When it is looked for, and when it is read."""
    address = "http://KEYID:SECRETPW@h/p.parquet?sig=SIGNATURE"
    (piece,) = pieces_of(address, most_rows=100)
    assert not any(secret in repr(piece) for secret in SECRETS)
    web("error", error)
    for failing in (
        lambda: pieces_of(address, most_rows=100),
        lambda: table_of(piece),
    ):
        with pytest.raises(HushrankError, match=rf"^http://h/p\.parquet\?\.\.\.: {said}") as caught:
            failing()
        assert caught.value.__context__ is caught.value.__cause__ is None
        assert not any(secret in str(caught.value) for secret in SECRETS)


def test_not_enough_memory_is_said_to_be_that(web):
    web("error", MemoryError())
    with pytest.raises(MemoryError):
        pieces_of(ONE, most_rows=100)


@pytest.mark.parametrize("scheme", ["s3", "S3", "gs"])
def test_keys_in_the_address_of_a_store_that_takes_none_are_refused(scheme):
    for keys in ("KEYID:SECRETPW", "KEYID:SECRETPW/SECRETPW"):
        said = of_one_line(partial(pieces_of, f"{scheme}://{keys}@b/d/p.parquet", most_rows=1))
        assert said.startswith(f"{scheme}://b/d/p.parquet: expected an address without keys")


class Answers(BaseHTTPRequestHandler):
    """A page with links to one file, which is at every path that leads to it; else a refusal."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = normpath(unquote(urlsplit(self.path).path))
        status = int(path[1:]) if path[1:].isdigit() else 200
        links = ("p.parquet", "%70.parquet", "p%2Eparquet#x", "p.parquet#y")
        page = "".join(f'<a href="{link}">{link}</a>' for link in links).encode()
        is_file = path.endswith("p.parquet")
        sent, first = (content(), 0) if is_file else (page, 0)
        size = len(sent)
        if "Range" in self.headers and is_file:
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            sent, first, status = sent[int(first) : int(last or size) + 1], int(first), 206
        self.send_response(status)
        self.send_header("Content-Type", "application/x-parquet" if is_file else "text/html")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(sent)))
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{first + len(sent) - 1}/{size}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(sent)

    do_HEAD = do_GET  # noqa: N815 (so it is called)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    pytest.importorskip("aiohttp", reason="make test-elsewhere installs it")
    running = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=running.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_is_asked_and_its_answers_are_said(server):
    one = f"http://{server}/a/p.parquet"
    for other in (one, f"HTTP://{server}/a/./p.parquet", f"http://{server}/a/p%2Eparquet#x"):
        assert n_rows(one, other) == 30
    for pattern in (f"http://{server}/a/*", f"http://{server}/a", f"http://{server}/a/"):
        assert n_rows(pattern) == n_rows(pattern, one) == 30
    for status, said in (401, "refuses"), (403, "refuses"), (500, "fails"), (503, "fails"):
        address = f"http://KEYID:SECRETPW@{server}/{status}?sig=SIGNATURE"
        found = of_one_line(partial(pieces_of, address, most_rows=1))
        assert found == f"http://{server}/{status}?...: the store {said} ({status})"
    found = of_one_line(partial(pieces_of, f"http://{server}/404", most_rows=1))
    assert found == f"http://{server}/404: there is no such file"
    away = "http://KEYID:SECRETPW@127.0.0.1:9/p.parquet"
    found = of_one_line(partial(pieces_of, away, most_rows=1))
    assert found == "http://127.0.0.1:9/p.parquet: the store cannot be reached"

import gzip

import pytest

from hushrank.collector.web.files import STATIC_FOLDER, FileTable
from hushrank.collector.web.pages_organiser.words import languages, words_in
from hushrank.collector.web.problems import KINDS
from tests.collector.web.api.test_reports import kind_of


def test_files_come_packed_and_once(on_collector):
    async def use(collector):
        path = "/client/styles/tokens.css"
        packed = await collector.client.get(path, headers={"accept-encoding": "gzip"})
        plain = await collector.client.get(path, headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert packed.content == plain.content
        assert plain.headers["content-type"] == "text/css; charset=utf-8"
        assert plain.headers["cache-control"] == "public, no-cache"
        known = {"if-none-match": packed.headers["etag"]}
        assert (await collector.client.get(path, headers=known)).status_code == 304

    on_collector(use)


def test_a_file_is_kept_for_ever_only_under_the_name_of_its_content(on_collector):
    async def use(collector):
        page = (await collector.client.get("/o/sign-in")).text
        address = page.partition('src="')[2].partition('"')[0]
        assert address.startswith("/static/sign-in.js?v=")
        answer = await collector.client.get(address)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        other = await collector.client.get(address[:-1] + "x")
        assert other.headers["cache-control"] == "public, no-cache"

    on_collector(use)


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
        "/static//etc/passwd",
        "/static/sign-in.js/",
        "/static/sign-in.js%00",
        "/static/./sign-in.js",
        "/static/SIGN-IN.js",
        "/static\\sign-in.js",
        "/client/tests/order.test.js",
        "/client/node_modules/x.js",
        "/client/../pyproject.toml",
        "/client/..%5c..%5cpyproject.toml",
        "/client/%c0%ae%c0%ae/pyproject.toml",
    ],
)
def test_no_path_leads_out_of_the_table(on_collector, path):
    async def use(collector):
        sent = b"GET %b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n"
        host = collector.origin.removeprefix("http://").encode()
        answer = await collector.raw(sent % (path.encode(), host))
        assert answer.startswith(b"HTTP/1.1 404 ")

    on_collector(use, on_a_port=True)


def test_files_are_those_that_were_there_at_the_start(tmp_path):
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "b.py").write_text("secret")
    (tmp_path / ".hidden.js").write_text("1")
    table = FileTable({"/x": tmp_path, "/static": STATIC_FOLDER})
    (tmp_path / "a.js").write_text("2")
    for path in [*STATIC_FOLDER.rglob("*.js"), *STATIC_FOLDER.rglob("*.css")]:
        assert table.address(f"/static/{path.relative_to(STATIC_FOLDER).as_posix()}")
    assert table.address("/x/a.js").startswith("/x/a.js?v=")
    with pytest.raises(KeyError):
        table.address("/x/b.py")


def test_packing_is_the_same_every_time():
    from hushrank.collector.web.files import Document

    one, other = [Document(b"a" * 1_000, "text/plain") for _ in range(2)]
    assert one.packed == other.packed
    assert gzip.decompress(one.packed) == one.content
    assert Document(b"a", "text/plain").packed is None


def test_a_page_of_a_problem_speaks_the_language_of_its_reader(on_collector):
    async def use(collector):
        german = {"accept": "text/html", "accept-language": "de-AT, en;q=0.5"}
        page = await collector.client.get("/nothing", headers=german)
        assert '<html lang="de">' in page.text
        assert "Unter dieser Adresse gibt es nichts" in page.text

    on_collector(use)


@pytest.mark.parametrize("language", languages())
def test_every_kind_of_problem_has_words_in_every_language(language):
    said = [words_in(language)(f"problem.{kind}") for kind in KINDS]
    assert len({*said}) == len(KINDS)
    assert language != "en" or said == [kind.title for kind in KINDS.values()]


def test_what_is_not_there_is_a_page_for_people_and_a_document_for_programs(on_collector):
    async def use(collector):
        people = await collector.client.get("/nothing", headers={"accept": "text/html, */*"})
        assert (people.status_code, people.headers["content-type"]) == (
            404,
            "text/html; charset=utf-8",
        )
        assert "nothing at this address" in people.text
        programs = await collector.client.get("/nothing")
        assert (programs.status_code, kind_of(programs)) == (404, "no-page")
        told = await collector.client.get(programs.json()["type"])
        assert (told.status_code, "nothing at this address" in told.text) == (200, True)

    on_collector(use)

import pytest

from hushrank.collector.web.guards.headers import PAGE_POLICY

PATHS = ["/", "/o/sign-in", "/static/sign-in.js", "/s/x", "/v1/surveys/x", "/nothing", "/healthz"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_safe_to_show(on_collector, path):
    async def use(collector):
        headers = (await collector.client.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == ("same-origin" if path[:3] == "/o/" else "no-referrer")
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "server" not in headers
        assert "x-powered-by" not in headers
        assert "strict-transport-security" not in headers
        assert (headers["cache-control"] == "no-store") == (path != "/static/sign-in.js")

    on_collector(use, on_a_port=True)


def test_data_may_run_and_show_nothing(on_collector):
    async def use(collector):
        headers = (await collector.client.get("/v1/surveys/x")).headers
        policy = "default-src 'none'; frame-ancestors 'none'"
        assert headers["content-security-policy"] == policy

    on_collector(use)


def test_pages_run_scripts_of_this_collector_only():
    parts = dict(part.strip().split(" ", 1) for part in PAGE_POLICY.split(";"))
    assert parts == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize("path", PATHS)
def test_a_protected_collector_is_never_reached_unprotected_again(on_collector, path):
    async def use(collector):
        headers = (await collector.client.get(path)).headers
        assert headers["strict-transport-security"] == "max-age=31536000"

    on_collector(use, public_url="https://survey.example.org")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost:1234", 200),
        ("[::1]:8000", 200),
        ("survey.example.org", 200),
        ("SURVEY.example.org", 200),
        ("evil.example", 421),
        ("survey.example.org.evil.example", 421),
        ("survey.example.org:8000", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("", 421),
        ("a b", 421),
    ],
)
def test_the_collector_answers_by_its_own_names_only(on_collector, host, status):
    async def use(collector):
        for path in ("/o/sign-in", "/v1/surveys/x"):
            answer = await collector.client.get(path, headers={"host": host})
            assert (answer.status_code == 421) is (status == 421)
        assert (await collector.client.get("/healthz", headers={"host": host})).status_code == 200
        below = await collector.client.get("/healthz/x", headers={"host": host})
        assert below.status_code == (421 if status == 421 else 404)

    on_collector(use, public_url="https://survey.example.org")


@pytest.mark.parametrize(
    ("last", "status"),
    [
        (b"Host: evil.example\r\nContent-Type: application/json", b" 421 "),
        (b"Host: localhost\r\nOrigin: https://evil.example", b" 403 "),
        (b"Host: localhost\r\nContent-Type: text/plain", b" 415 "),
        (b"Host: localhost\r\nContent-Type: application/json", b" 422 "),
        (b"Host: localhost\r\nContent-Type: application/json\r\nX: " + b"x" * 2**16, b" 431 "),
    ],
)
def test_however_many_headers_come_first_the_last_is_read(on_collector, last, status):
    async def use(collector):
        more = b"Connection: close\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(60))
        head = b"POST /v1/reports HTTP/1.1\r\n" + more + last + b"\r\nContent-Length: 2\r\n\r\n{}"
        assert status in (await collector.raw(head)).split(b"\r\n")[0]

    on_collector(use, on_a_port=True)


def test_an_address_with_a_slash_more_is_no_other_ones(on_collector):
    async def use(collector):
        for path in ("/v1/surveys/x/", "/o/sign-in/", "/s/x/"):
            answer = await collector.client.get(path)
            assert (answer.status_code, "location" in answer.headers) == (404, False)

    on_collector(use)


def test_no_address_of_the_client_choosing_is_ever_redirected_to(on_collector):
    async def use(collector):
        for path in ("/o", "/o/", "//evil.example", "/v1/surveys/x/", "/o/sign-in/", "/\\evil"):
            answer = await collector.client.get(path, headers={"x-forwarded-host": "evil.example"})
            assert "evil" not in answer.headers.get("location", "")

    on_collector(use)


@pytest.mark.parametrize(
    "path",
    [
        "/o/x%0d%0aSet-Cookie:%20a=b",
        "/v1/surveys/x%0d%0aSet-Cookie:%20a=b",
        "/static/x%0d%0aSet-Cookie:%20a=b",
        "/problems/x%0d%0aSet-Cookie:%20a=b",
    ],
)
def test_no_address_puts_a_header_into_the_answer(on_collector, path):
    async def use(collector):
        answer = await collector.client.get(path, headers={"origin": "https://evil.example"})
        assert "set-cookie" not in answer.headers
        assert "set-cookie" not in answer.text.lower()
        assert answer.status_code == 404

    on_collector(use, on_a_port=True)


def test_what_browsers_ignore_on_unprotected_connections_is_not_sent(on_collector):
    async def use(collector):
        return "cross-origin-opener-policy" in (await collector.client.get("/o/sign-in")).headers

    assert on_collector(use)
    assert on_collector(use, public_url="https://survey.example.org")
    assert not on_collector(use, public_url="http://192.0.2.1:8000")

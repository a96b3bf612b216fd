import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from threading import Barrier, Event, Lock, Thread, Timer
from time import sleep

import httpx
import msgspec
import pytest

from hushrank.collector.device.connection import (
    Asking,
    HttpConnection,
    Offline,
    Problem,
    is_unprotected,
    origin_of,
    survey_at,
)
from hushrank.errors import HushrankError

ORIGIN = "https://survey.example.org"
BEYOND = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
ASKING = Asking("a" * 32, None, 7, None)


def connected(answer, **settings):
    """Return a connection to a collector that answers so."""
    client = httpx.Client(transport=httpx.MockTransport(answer))
    return HttpConnection(ORIGIN, client=client, **settings)


def test_requests_are_those_of_the_interface():
    seen = []

    def answer(request):
        seen.append((request.method, request.url.path, request.content))
        assert request.url.host == "survey.example.org"
        assert "authorization" not in request.headers
        bodies = {"/v1/surveys/abc/state": b'{"state":"open","round":0,"closes":null,"more":1}'}
        return httpx.Response(200, content=bodies.get(request.url.path, b'{"receipt":"ab"}'))

    connection = connected(answer)
    connection.announcement("abc")
    assert connection.where("abc").round == 0
    connection.join("abc", ASKING)
    assert connection.send(b'{"assignment":1}') == "ab"
    asked = b'{"person":"%b","invitation":null,"lot":7,"earlier":null}' % (b"a" * 32)
    assert seen == [
        ("GET", "/v1/surveys/abc", b""),
        ("GET", "/v1/surveys/abc/state", b""),
        ("POST", "/v1/surveys/abc/assignments", asked),
        ("POST", "/v1/reports", b'{"assignment":1}'),
    ]


@pytest.mark.parametrize("round", [-1, 256, 10**6, 10**18, 10**30])
def test_a_device_looks_in_its_memory_for_no_more_rounds_than_a_survey_has(round):
    """Each round up to the one that is said to be open is looked for: 10^9 would take hours."""
    told = b'{"state":"open","round":%d,"closes":null}'
    assert connected(lambda _: httpx.Response(200, content=told % 255)).where("abc").round == 255
    with pytest.raises(HushrankError, match=r"a round 0\.\.255|version does not know"):
        connected(lambda _: httpx.Response(200, content=told % round)).where("abc")


@pytest.mark.parametrize("closes", BEYOND)
def test_a_round_that_closes_at_a_time_that_utc_has_not_is_refused(closes):
    told = b'{"state":"open","round":0,"closes":"%b"}' % closes.encode()
    with pytest.raises(HushrankError, match="closes: expected a time of the years 1 to 9999"):
        connected(lambda _: httpx.Response(200, content=told)).where("abc")


@pytest.mark.parametrize("told", [b'{"receipt":""}', b'{"receipt":null}', b"{}", b"<html>"])
def test_what_has_no_receipt_is_not_taken_for_one(told):
    """Nobody knows who answered, or whether they pass it on: it is sent again."""
    connection = connected(lambda _: httpx.Response(201, content=told))
    with pytest.raises(HushrankError, match="answered what this version does not know"):
        connection.send(b"{}")


def test_no_cookie_of_a_collector_is_sent_back(monkeypatch):
    seen = []

    def answer(_, request):
        seen.append(request.headers.get("cookie"))
        return httpx.Response(200, headers={"set-cookie": "known=1; Path=/"}, content=b"{}")

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)
    with HttpConnection(ORIGIN) as connection:
        connection.announcement("abc")
        connection.announcement("abd")
    assert seen == [None, None]


def test_an_apps_key_goes_to_its_collector():
    def answer(request):
        assert request.headers["authorization"] == "Bearer secret"
        return httpx.Response(200, content=b"{}")

    connected(answer, api_key="secret").announcement("abc")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'{"type":"/problems/not-open","title":"x","status":409}', "not-open"),
        (b'{"type":"https://elsewhere.example/closed"}', "closed"),
        (b'{"type":"/problems/\\u001b[2Jx"}', "unavailable"),
        (b"<html>", "unavailable"),
        (b"", "unavailable"),
        (b"\xff", "unavailable"),
    ],
)
def test_a_problem_has_a_kind_that_a_terminal_can_show(content, kind):
    connection = connected(lambda request: httpx.Response(409, content=content))
    with pytest.raises(Problem) as refused:
        connection.join("abc", ASKING)
    assert (refused.value.kind, refused.value.status) == (kind, 409)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("ask", [lambda to: to.send(b"{}"), lambda to: to.announcement("abc")])
def test_a_redirection_is_not_followed(ask):
    """Whoever is there would learn of the device, and be believed."""

    def answer(request):
        assert request.url.host != "elsewhere.example"
        return httpx.Response(307, headers={"location": "https://elsewhere.example/"})

    with pytest.raises(Problem):
        ask(connected(answer))


@pytest.mark.parametrize(
    "error", [httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError]
)
def test_what_cannot_be_reached_is_offline(error):
    def answer(request):
        raise error("a secret address")

    with pytest.raises(Offline) as refused:
        connected(answer).announcement("abc")
    assert "secret" not in str(refused.value)


def test_an_endless_answer_is_not_read_to_its_end():
    def endless():
        while True:
            yield b"x" * 2**16

    connection = connected(lambda request: httpx.Response(200, content=endless()))
    with pytest.raises(HushrankError, match="over 1,048,576 bytes"):
        connection.announcement("abc")


@pytest.mark.parametrize("content", [b'{"state":"lost"}', b'{"other":' * 10**5])
def test_an_answer_of_another_form_is_refused(content):
    connection = connected(lambda request: httpx.Response(200, content=content))
    for refused in (lambda: connection.where("abc"), lambda: connection.send(b"{}")):
        with pytest.raises(HushrankError, match="does not know"):
            refused()


def test_a_link_says_which_survey_and_which_invitation():
    assert survey_at("https://a.example/s/AB_c-9") == ("https://a.example", "AB_c-9", None)
    assert survey_at("http://[::1]:8000/s/AB/#i=t_-9") == ("http://[::1]:8000", "AB", "t_-9")


@pytest.mark.parametrize(
    "link",
    [
        *("", "abc", "ftp://a.example/s/AB", "https:///s/AB", "https://a.example/r/AB"),
        *("https://a.example/s/A%2FB", "https://a.example/s/AB#x=1", "https://a.example/s/AB?x=1"),
        *("https://user:word@a.example/s/AB", "https://a.example:99999/s/AB", "https://[::1/s/AB"),
    ],
)
def test_what_is_no_link_of_a_survey_is_refused(link):
    with pytest.raises(HushrankError, match="expected"):
        survey_at(link)


def test_a_long_link_is_refused_before_it_is_read(monkeypatch):
    """Its host would be normalised, which takes the square of its marks."""
    monkeypatch.setattr("hushrank.collector.device.connection.urlsplit", pytest.fail)
    for link in ("https://" + "a" * 1000, "https://a.example/s/AB#i=" + "a" * 1000):
        with pytest.raises(HushrankError, match="expected at most 1000 letters"):
            survey_at(link)


def test_an_origin_is_an_address_without_a_path():
    assert origin_of("http://127.0.0.1:8000/s/abc") == "http://127.0.0.1:8000"
    assert origin_of("HTTPS://Survey.Example.org:443/s/abc") == ORIGIN
    assert origin_of("http://[::1]:80/") == "http://[::1]"
    assert origin_of("http://[0:0:0:0:0:0:0:1]:8000") == "http://[::1]:8000"
    assert origin_of("https://Bücher.example") == "https://xn--bcher-kva.example"
    assert origin_of("https://survey\u3002example\u3002org") == ORIGIN
    with pytest.raises(HushrankError, match="origin"):
        HttpConnection("https://survey.example.org/")


def test_who_asks_is_not_shown():
    assert repr(ASKING) == "Asking()"
    assert msgspec.json.decode(msgspec.json.encode(ASKING))["person"] == "a" * 32


@pytest.mark.parametrize(
    "host",
    [
        *(
            "survey.example.org.",
            "survey.ex%61mple.org",
            "\uff53urvey.example.org",
            "sur vey.example",
        ),
        *("127.1", "127.0.0.01", "2130706433", "0x7f000001", "1.2.3.4.5", "[1::2::3]", "[1.2.3.4]"),
        *("[::1%25eth0]", "[::1%1]", "[::ffff:1.2.3.4]"),
    ],
)
def test_a_host_that_browsers_write_otherwise_is_refused(host):
    """It would be another collector, with an account and a limit of its own."""
    with pytest.raises(HushrankError, match="expected an address"):
        origin_of(f"https://{host}")


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://survey.example", True),
        ("http://192.0.2.7:8000", True),
        ("https://survey.example", False),
        ("http://localhost:8000", False),
        ("http://notlocalhost:8000", True),
        ("http://localhost.example", True),
        ("http://127.0.0.1:8000", False),
        ("http://[::1]:8000", False),
    ],
)
def test_only_what_leaves_this_machine_in_the_clear_is_unprotected(origin, expected):
    assert is_unprotected(origin) == expected


def test_a_packed_answer_is_not_unpacked():
    """269 bytes that are packed three times are a gigabyte."""
    asked = []

    def answer(request):
        asked.append(request.headers["accept-encoding"])
        return httpx.Response(
            200, headers={"Content-Encoding": "gzip"}, content=iter([b"\x1f\x8b"])
        )

    with pytest.raises(HushrankError, match="in an encoding that was not asked for"):
        connected(answer).announcement("abc")
    assert asked == ["identity"]


def test_an_answer_that_comes_by_single_bytes_is_not_awaited_for_ever(monkeypatch):
    clock = count(step=10)
    monkeypatch.setattr("hushrank.collector.device.connection.monotonic", lambda: next(clock))
    slow = httpx.Response(200, content=(b" " for _ in range(60)))
    with pytest.raises(Offline, match="too slowly"):
        connected(lambda request: slow).announcement("abc")


BEGINNINGS = {
    "header": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "answers before the answer": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "words about a chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x"),
}


def test_requests_of_several_threads_take_turns():
    """Of several that wait at the same time nobody knows which one is late."""
    begun, asked = Barrier(4, timeout=30), Lock()

    def answer(_):
        assert asked.acquire(blocking=False), "two requests at the same time"
        sleep(0.02)
        asked.release()
        return httpx.Response(200, content=b"{}")

    connection = connected(answer)

    def ask(survey):
        begun.wait()
        return connection.announcement(survey)

    with ThreadPoolExecutor(4) as hands:
        assert list(hands.map(ask, "abcd")) == [b"{}"] * 4


@pytest.mark.parametrize(("begin", "more"), BEGINNINGS.values(), ids=BEGINNINGS.keys())
def test_what_never_becomes_an_answer_is_not_awaited_for_ever(monkeypatch, begin, more):
    monkeypatch.setattr("hushrank.collector.device.connection.SECONDS", 0.5)
    ended = Event()

    def drip(listener):
        sender, _ = listener.accept()
        with sender, suppress(OSError):
            sender.recv(1000)
            sender.sendall(begin)
            while not ended.wait(0.1):
                sender.sendall(more)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        dripping = Thread(target=drip, args=(listener,))
        dripping.start()
        late = Timer(30, ended.set)
        late.start()
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with HttpConnection(origin) as connection, pytest.raises(Offline):
            connection.announcement("abc")
        assert not ended.is_set()
        late.cancel()
        ended.set()
        dripping.join()


def test_a_collector_must_prove_who_it_is(monkeypatch):
    made = []
    monkeypatch.setattr(httpx, "Client", lambda **how: made.append(how))
    HttpConnection("https://example.org")
    assert [how.get("verify", True) for how in made] == [True]


def test_an_address_inside_another_one_names_no_collector():
    """Browsers write it otherwise: by that spelling it would have another account."""
    with pytest.raises(HushrankError, match="expected an address"):
        origin_of("https://[::ffff:192.0.2.1]")


def test_what_a_device_has_no_words_for_is_told_by_its_kind():
    assert str(Problem("unavailable", 503)) == "the collector refuses: unavailable"

import asyncio
import gzip
import select
import socket
from contextlib import suppress

import pytest
from starlette.requests import ClientDisconnect

from hushrank.collector.web.guards.bodies import require_announced, whole_body
from hushrank.collector.web.problems import Rejected
from hushrank.collector.web.settings import Limits
from tests.collector.web.api.test_reports import PROBLEM, kind_of

QUICK = Limits(header_seconds=0.3, body_seconds=0.3, reading_seconds=0.3, idle_seconds=1.0)
LONG = 60.0
"""Seconds that a busy machine may take for what should end after QUICK: else it never ends."""


async def chunks(n_chunks, size=10_000):
    for _ in range(n_chunks):
        yield b" " * size


@pytest.mark.parametrize("size", [b"-1", b"+5", b"1_0", b"", b"five", b" 5", b"11"])
def test_a_length_that_is_no_number_or_too_large_is_refused(size):
    require_announced([(b"content-length", b"10")], 10)
    with pytest.raises(Rejected) as refused:
        require_announced([(b"content-length", size)], 10)
    assert refused.value.kind == "too-large"


@pytest.mark.parametrize("header", [(b"content-length", b"11"), (b"content-encoding", b"gzip")])
def test_however_many_headers_come_first_a_body_is_refused(header):
    require_announced([(b"x-more", b"11")] * 300, 10)
    with pytest.raises(Rejected):
        require_announced([*[(b"x-more", b"")] * 300, header], 10)


@pytest.mark.parametrize("parts", [[], [b"{"], [b"{", b"}"]])
def test_a_body_whose_end_did_not_come_is_none(parts):
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    left = iter([*messages, {"type": "http.disconnect"}])

    async def receive():
        return next(left)

    with pytest.raises(ClientDisconnect):
        asyncio.run(whole_body(receive))


@pytest.mark.parametrize(
    ("path", "most"),
    [("/v1/reports", Limits().report), ("/v1/reports/batch", Limits().batch)],
)
def test_a_body_past_the_limit_is_refused_while_it_comes(on_collector, path, most):
    async def use(collector):
        ndjson = path.endswith("batch")
        headers = {"content-type": "application/x-ndjson" if ndjson else "application/json"}
        announced = await collector.client.post(path, content=b" " * (most + 1), headers=headers)
        assert (announced.status_code, kind_of(announced)) == (413, "too-large")
        chunked = await collector.client.post(
            path, content=chunks(most // 10_000 + 2), headers=headers
        )
        assert (chunked.status_code, kind_of(chunked)) == (413, "too-large")

    on_collector(use)


def test_an_endless_body_ends_the_connection(on_collector):
    async def use(collector):
        head = b"POST /v1/reports HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\n"
        head %= collector.origin.removeprefix("http://").encode()
        endless = (
            head + b"Transfer-Encoding: chunked\r\n\r\n" + b"ffff\r\n" + b" " * 65_535 + b"\r\n"
        )
        answer = await collector.raw(endless + b"ffff\r\n" + b" " * 65_535)
        assert answer[:12] in (b"HTTP/1.1 413", b"")
        announced = await collector.raw(head + b"Content-Length: 99999999999\r\n\r\n")
        assert announced.startswith(b"HTTP/1.1 413 ")
        assert b"connection: close" in announced

    on_collector(use, on_a_port=True)


def test_who_still_sends_what_was_refused_gets_the_answer(on_collector):
    async def use(collector):
        head = b"POST /v1/reports HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\n"
        head %= collector.origin.removeprefix("http://").encode()
        with socket.create_connection(("127.0.0.1", collector.port)) as client:
            client.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(client, head + b"Content-Length: 100000\r\n\r\n")
            async with asyncio.timeout(LONG):
                while not select.select([client], [], [], 0)[0]:  # the answer lies there, unread
                    await asyncio.sleep(0.01)
            for _ in range(4):
                await loop.sock_sendall(client, b" " * 25_000)
                await asyncio.sleep(0.1)  # what the other side has closed, it would reset now
            answer = await loop.sock_recv(client, 10_000)
            assert answer.startswith(b"HTTP/1.1 413 ")
            async with asyncio.timeout(LONG):
                while await loop.sock_recv(client, 10_000):
                    pass  # to the end of the connection

    on_collector(use, on_a_port=True)


def test_a_packed_body_is_not_unpacked(on_collector):
    async def use(collector):
        bomb = gzip.compress(b" " * 10_000_000)
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        answer = await collector.client.post("/v1/reports", content=bomb, headers=headers)
        assert (answer.status_code, kind_of(answer)) == (415, "media-type")

    on_collector(use)


def test_a_body_that_does_not_come_is_not_waited_for(on_collector):
    async def use(collector):
        head = b"POST /v1/reports HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\n"
        head %= collector.origin.removeprefix("http://").encode()
        answer = await collector.raw(head + b"Content-Length: 100\r\n\r\n{")
        assert answer.startswith(b"HTTP/1.1 408 ")

    on_collector(use, on_a_port=True, limits=QUICK)


@pytest.mark.parametrize(
    "begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: ", b"GET / HTTP/1.1\r\nA: b\r\n"]
)
def test_a_header_that_does_not_come_is_not_waited_for(on_collector, begun):
    async def use(collector):
        assert await collector.raw(begun, seconds=LONG) == b""

    on_collector(use, on_a_port=True, limits=QUICK)


def test_a_header_that_drips_ends_in_time(on_collector):
    async def use(collector):
        reader, writer = await asyncio.open_connection("127.0.0.1", collector.port)
        writer.write(b"GET / HTTP/1.1\r\n")
        async with asyncio.timeout(LONG):
            while not reader.at_eof():
                writer.write(b"X: y\r\n")
                with suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(100), 0.05)
        writer.close()

    on_collector(use, on_a_port=True, limits=QUICK)


def test_an_idle_connection_may_ask_again_before_its_time(on_collector):
    async def use(collector):
        for _ in range(3):
            assert (await collector.client.get("/healthz")).status_code == 200
            await asyncio.sleep(0.5)  # longer than a header may take, shorter than idle time

    on_collector(use, on_a_port=True, limits=QUICK)


async def hangs_up(writer, asked) -> bool:
    """Say whether writing on fails, as it does when the other side is gone."""
    try:
        for _ in range(1000):
            writer.write(asked)
            await writer.drain()
            await asyncio.sleep(0.02)
    except (ConnectionError, RuntimeError):  # older uvloop: "the handler is closed"
        return True
    finally:
        writer.transport.abort()
    return False


def test_who_never_stops_sending_what_was_refused_loses_the_connection(on_collector):
    async def use(collector):
        head = b"POST /v1/reports HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\n"
        head %= collector.origin.removeprefix("http://").encode()
        _, writer = await asyncio.open_connection("127.0.0.1", collector.port)
        writer.write(head + b"Content-Length: 99999999999\r\n\r\n")
        assert await hangs_up(writer, b" ")

    on_collector(use, on_a_port=True)


def test_who_does_not_take_the_answer_loses_the_connection(on_collector):
    async def use(collector):
        survey = await collector.open(
            items=[{"name": f"{n}"} for n in range(120)], protocol="pairs"
        )
        asked = b"GET /v1/surveys/%b/rounds/0/parts/0 HTTP/1.1\r\nHost: %b\r\n\r\n" % (
            survey.encode(),
            collector.origin.removeprefix("http://").encode(),
        )
        _, writer = await asyncio.open_connection("127.0.0.1", collector.port, limit=1)
        writer.write(asked * 200)
        await asyncio.sleep(2.0)  # reads nothing
        assert await hangs_up(writer, asked)

    on_collector(use, on_a_port=True, limits=QUICK)


@pytest.mark.parametrize(
    ("request_line", "header", "status"),
    [
        (b"GET /" + b"a" * 3_000, b"", 414),
        (b"GET /?" + b"a" * 3_000, b"", 414),
        (b"GET /", b"X: " + b"a" * 17_000 + b"\r\n", 431),
        (b"GET /", b"Origin: https://" + b"a" * 17_000 + b"\r\n", 431),
        (b"GET /", b"".join(b"X%d: y\r\n" % n for n in range(3_000)), 431),
    ],
)
def test_long_addresses_and_headers_are_refused(on_collector, request_line, header, status):
    async def use(collector):
        host = collector.origin.removeprefix("http://").encode()
        sent = b"%b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n%b\r\n"
        answer = await collector.raw(sent % (request_line, host, header))
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert PROBLEM.encode() in answer

    on_collector(use, on_a_port=True)


def test_a_header_without_end_ends_the_connection(on_collector):
    async def use(collector):
        endless = b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000_000
        assert await collector.raw(endless) == b""

    on_collector(use, on_a_port=True)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET  /\x00 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/reports HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_answered_400_and_hung_up_on(on_collector, sent):
    async def use(collector):
        answer = await collector.raw(sent)
        assert answer.startswith(b"HTTP/1.1 400 ")

    on_collector(use, on_a_port=True, limits=QUICK)

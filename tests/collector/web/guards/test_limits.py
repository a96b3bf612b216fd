import pytest

from hushrank.collector.web.guards.limits import Buckets, neighbourhood
from hushrank.collector.web.settings import Limits, Rate
from tests.collector.web.api.test_reports import kind_of

FEW = Limits(per_address=Rate(1, 3), per_link=Rate(1, 2))


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_bucket_lets_a_burst_pass_and_then_its_rate():
    clock = Clock()
    buckets = Buckets(Rate(2, 3), clock)
    assert [buckets.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.wait("b") == 0
    clock.now += 0.5
    assert [buckets.wait("a"), buckets.wait("a")] == [0, 0.5]
    clock.now += 1_000
    assert [buckets.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_who_waits_does_not_wait_longer_for_asking():
    clock = Clock()
    buckets = Buckets(Rate(1, 1), clock)
    buckets.wait("a")
    for _ in range(10):
        assert buckets.wait("a") == 1
    clock.now += 1
    assert buckets.wait("a") == 0


def test_an_address_is_forgotten_when_its_bucket_is_full_again():
    clock = Clock()
    buckets = Buckets(Rate(2, 3), clock)
    for number in range(24):
        buckets.wait(f"192.0.2.{number}")
    clock.now += 0.4
    buckets.forget()
    assert len(buckets) == 24
    clock.now += 0.2
    buckets.forget()
    assert len(buckets) == 0


def test_no_address_is_kept_as_it_is():
    buckets = Buckets(Rate(1, 3), Clock())
    buckets.wait("192.0.2.1")
    kept = repr(vars(buckets))
    assert "192.0.2.1" not in kept
    assert repr(b"192.0.2.1")[2:-1] not in kept
    other = Buckets(Rate(1, 3), Clock())
    other.wait("192.0.2.1")
    assert buckets._levels.keys() != other._levels.keys()


def test_a_million_addresses_take_bounded_memory(monkeypatch):
    monkeypatch.setattr("hushrank.collector.web.guards.limits._MOST_BUCKETS", 1_000)
    buckets = Buckets(Rate(0.001, 3), Clock())
    for number in range(10_000):
        buckets.wait(str(number))
        assert len(buckets) <= 1_000


def test_a_home_of_ipv6_is_one_address():
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff")
    assert neighbourhood("2001:db8::1") != neighbourhood("2001:db8:0:1::1")
    assert neighbourhood("fe80::1%eth0") == neighbourhood("fe80::2%eth1")
    assert neighbourhood("192.0.2.1") == neighbourhood("::ffff:192.0.2.1") == "192.0.2.1"
    assert neighbourhood("::ffff:192.0.2.2") != neighbourhood("::ffff:192.0.2.1")
    assert neighbourhood("no:address") == "no:address"


@pytest.mark.parametrize("path", ["/v1/surveys/x", "/s/x", "/o/x"])
def test_who_asks_too_often_waits(on_collector, path):
    async def use(collector):
        answers = [await collector.client.get(path) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [404, 404, 404, 429, 429]
        assert kind_of(answers[-1]) == "too-many"
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert (await collector.client.get("/healthz")).status_code == 200

    on_collector(use, limits=Limits(per_address=Rate(0.001, 3)))


def test_all_of_a_home_wait_together(on_collector):
    async def use(collector):
        async def ask(number):
            headers = {"x-forwarded-for": f"2001:db8::{number}"}
            return (await collector.client.get("/v1/surveys/x", headers=headers)).status_code

        assert [await ask(number) for number in range(1, 6)] == [404, 404, 404, 429, 429]
        assert await ask("1:0:0:0:1") == 404
        own = [await collector.client.get("/v1/surveys/x") for _ in range(4)]  # of the proxy itself
        assert [answer.status_code for answer in own] == [404, 404, 404, 429]

    slow = Limits(per_address=Rate(0.001, 3))  # nothing is let in again meanwhile
    on_collector(use, limits=slow, trusted_proxies=("127.0.0.1",))


def test_a_link_is_not_joined_faster_than_its_rate(on_collector):
    async def use(collector):
        surveys = [await collector.open() for _ in range(2)]
        people = [f"{number:032x}" for number in range(4)]
        answers = [await collector.join(surveys[0], person) for person in people]
        assert [answer.status_code for answer in answers] == [201, 201, 429, 429]
        assert (await collector.join(surveys[1])).status_code == 201

    on_collector(use, limits=Limits(per_link=Rate(0.01, 2)))


def test_a_backend_of_the_organisers_passes_the_rate(on_collector):
    async def use(collector):
        answers = [await collector.client.get("/v1/surveys/x") for _ in range(10)]
        assert {answer.status_code for answer in answers} == {404}
        survey = await collector.open()
        joined = [await collector.join(survey, f"{number:032x}") for number in range(5)]
        assert {answer.status_code for answer in joined} == {201}

    on_collector(use, limits=FEW, unlimited=("127.0.0.0/8",))

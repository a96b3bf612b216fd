import pytest
from starlette.applications import Starlette

from hushrank.collector.serve import server_config
from hushrank.collector.web.guards.networks import Networks, bare, forwarded
from hushrank.collector.web.settings import Limits, Rate, Settings, is_loopback
from hushrank.errors import HushrankError

PROXIES = Networks(("10.0.0.0/8", "172.16.0.0/12", "2001:db8::1", "192.0.2.9"))


def seen(client, *headers, scheme="http"):
    pairs = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "client": (client, 1), "scheme": scheme, "headers": pairs}
    found = forwarded(scope, PROXIES)
    return found["client"][0], found["scheme"]


@pytest.mark.parametrize(
    ("client", "headers", "address"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["invented, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["invented", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::5]:4711"], "2001:db8::5"),
        ("10.0.0.1", ["2001:db8::5"], "2001:db8::5"),
        ("2001:db8::1", ["198.51.100.7"], "198.51.100.7"),
        ("172.16.0.9", ["198.51.100.7, 10.0.0.1"], "198.51.100.7"),
        ("192.0.2.9", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, junk"], "junk"),
        ("10.0.0.1", [*["invented"] * 300, "198.51.100.7", *["10.0.0.2"] * 300], "198.51.100.7"),
        ("10.0.0.1", [", ".join(["invented"] * 300 + ["198.51.100.7"])], "198.51.100.7"),
    ],
)
def test_the_client_is_the_last_address_that_no_proxy_of_ours_has(client, headers, address):
    assert seen(client, *(("x-forwarded-for", value) for value in headers))[0] == address


@pytest.mark.parametrize(
    ("client", "said", "scheme"),
    [
        ("10.0.0.1", "https", "https"),
        ("192.0.2.1", "https", "http"),
        ("10.0.0.1", "javascript", "http"),
    ],
)
def test_only_our_proxies_say_how_a_request_came(client, said, scheme):
    assert seen(client, ("x-forwarded-proto", said))[1] == scheme


def test_the_proxy_that_is_nearest_says_how_a_request_came():
    twice = [("x-forwarded-proto", said) for said in ("https", "http")]
    assert [seen("10.0.0.1", *each)[1] for each in (twice, twice[::-1])] == ["http", "https"]


def test_no_other_header_says_how_a_request_came():
    assert seen("10.0.0.1", ("upgrade-insecure-requests", "https"))[1] == "http"


@pytest.mark.parametrize("number", [1, 21, 300])
def test_each_of_our_proxies_is_known(number):
    proxies = Networks(tuple(f"10.0.{n // 256}.{n % 256}/32" for n in range(1, 301)))
    assert f"10.0.{number // 256}.{number % 256}" in proxies
    assert "10.1.0.0" not in proxies
    networks = Networks(tuple(f"10.{n // 256}.{n % 256}.0/24" for n in range(1, 301)))
    assert f"10.{number // 256}.{number % 256}.9" in networks
    assert "10.2.0.9" not in networks


def test_an_address_is_read_without_its_port():
    assert [bare(" 192.0.2.1 "), bare("[::1]"), bare("::1")] == ["192.0.2.1", "::1", "::1"]


def test_who_is_no_proxy_cannot_pass_the_rate_by_inventing_addresses(on_collector):
    async def use(collector):
        statuses = []
        for number in range(5):
            headers = {"x-forwarded-for": f"192.0.2.{number}"}
            statuses.append(
                (await collector.client.get("/v1/surveys/x", headers=headers)).status_code
            )
        return statuses

    few = Limits(per_address=Rate(0.01, 2))
    assert on_collector(use, limits=few) == [404, 404, 429, 429, 429]
    trusting = on_collector(use, limits=few, trusted_proxies=("127.0.0.1",))
    assert trusting == [404] * 5


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "https://", "https://a/b", "https://a?b", "https://u@a", "https://a:x"),
        *("https://a#b", "ftp://a", "https://\u00e9.org", "https://a b", "https://a\x7f"),
    ],
)
def test_a_public_address_is_one_that_browsers_have(url):
    with pytest.raises(HushrankError, match="public address"):
        Settings(public_url=url)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Survey.Example.org", "https://survey.example.org"),
        ("https://survey.example.org:443/", "https://survey.example.org"),
        ("http://survey.example.org:80", "http://survey.example.org"),
        ("http://survey.example.org:443", "http://survey.example.org:443"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(url, origin):
    assert Settings(public_url=url).origin == origin


def test_networks_are_checked_before_anybody_is_served():
    right, wrong = "10.0.0.0/8", "10.0.0.0/99"
    for proxies, unlimited in (((wrong,), ()), ((wrong, right), ()), ((right,), (wrong, right))):
        with pytest.raises(HushrankError, match="network"):
            Settings(public_url="https://a", trusted_proxies=proxies, unlimited=unlimited)
    with pytest.raises(HushrankError, match="rate"):
        Rate(0, 1)
    with pytest.raises(HushrankError, match="at once"):
        Rate(1, 0)


def test_the_token_of_the_numbers_is_in_no_repr():
    assert "secret" not in repr(Settings(public_url="https://a", metrics_token="secret"))


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", 1),
        ("localhost", 1),
        ("::1", 1),
        ("[::1]", 1),
        ("0.0.0.0", 0),
        ("", 0),
        ("a", 0),
    ],
)
def test_this_machine_knows_itself(host, local):
    assert is_loopback(host) is bool(local)


def test_the_server_itself_believes_no_proxy_and_writes_no_log():
    """It would take whom it forwards from anybody on the same machine."""
    config = server_config(Starlette(), Limits())
    assert (config.proxy_headers, config.access_log, config.log_config) == (False, False, None)
    assert not config.server_header

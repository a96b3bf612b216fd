import asyncio
import sys

import pytest

from hushrank.collector.store.opening import open_store
from hushrank.errors import HushrankError

PASSWORD = "correct-horse"


async def open_and_close(address):
    store = await open_store(address)
    await store.create("s", b"")
    await store.close()


def words(address):
    """Return what is said of an address that opens nothing."""
    with pytest.raises(HushrankError) as error:
        asyncio.run(open_store(address))
    return str(error.value)


@pytest.mark.parametrize("address", ["{}/a.sqlite", "sqlite:///{}/a.sqlite"])
def test_a_file_is_named_by_its_path_or_as_an_address(address, tmp_path):
    asyncio.run(open_and_close(address.format(tmp_path)))
    assert (tmp_path / "a.sqlite").exists()


def test_an_address_may_name_a_file_beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asyncio.run(open_and_close("sqlite:///a.sqlite"))
    assert (tmp_path / "a.sqlite").exists()


def test_a_file_of_two_names_is_refused(tmp_path):
    """By the other name nobody finds the log, with what was acknowledged last."""
    asyncio.run(open_and_close(str(tmp_path / "a.sqlite")))
    (tmp_path / "b.sqlite").hardlink_to(tmp_path / "a.sqlite")
    for name in ("a.sqlite", "b.sqlite"):
        assert f"{name}: expected a file of one name" in words(str(tmp_path / name))


@pytest.mark.parametrize("address", ["mysql://u:correct-horse@h/d", "http://h", "sqlite+x:///a"])
def test_another_kind_of_store_is_refused_by_naming_those_there_are(address):
    assert "expected sqlite:///PATH, a path or postgresql://..., got" in words(address)


@pytest.mark.parametrize("address", ["sqlite://a.sqlite", "sqlite:///"])
def test_an_address_without_a_path_is_refused(address):
    assert "expected a path after sqlite:///" in words(address)


def test_an_absent_server_is_named_without_the_password():
    said = words(f"postgresql://me:{PASSWORD}@127.0.0.1:1/there")
    assert said.startswith("store: no PostgreSQL server answers")
    assert "127.0.0.1:1" in said


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{PASSWORD}@127.0.0.1:1/there",
        f"postgresql://me:{PASSWORD}@127.0.0.1:port/there",
        f"postgresql://me:{PASSWORD}@[/there",
        f"postgresql://me:{PASSWORD}@127.0.0.1:1,h:2/there?target_session_attrs=x",
        f"mysql://me:{PASSWORD}@h/d",
    ],
)
def test_no_message_holds_a_password(address):
    assert PASSWORD not in words(address)


def test_postgres_says_what_to_install_where_asyncpg_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    assert "needs the extra `collector`: pip install" in words("postgresql://h/d")

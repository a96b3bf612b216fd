"""Kernels of a made-up package of three files, compiled by one process and used by another."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from hushrank import kernels

TYPES = """
from typing import NamedTuple

class Prices(NamedTuple):
    of_one: float
"""
TAXES = """
from hushrank.kernels import kernel

RATE = 2.0

@kernel
def taxed(price):
    return RATE * price
"""
SHOP = """
from hushrank.kernels import kernel
from shop_of_tests import taxes
from shop_of_tests.goods.types import Prices

@kernel
def total(prices, n):
    return n * taxes.taxed(prices.of_one)

def bill(n):
    return total(Prices(5.0), n)
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The folder of the package; numba keeps kernels beside its files."""
    folder = tmp_path / "shop_of_tests"
    files = {"goods/types.py": TYPES, "taxes.py": TAXES, "shop.py": SHOP}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else stale for a second itself
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    forget()


def forget():
    for name in [name for name in sys.modules if name.startswith("shop_of_tests")]:
        del sys.modules[name]
    for memory in (kernels._digest, kernels._imported):
        memory.cache_clear()


def run_anew():
    """Return the shop as another process would import it."""
    forget()
    importlib.invalidate_caches()
    return importlib.import_module("shop_of_tests.shop")


def loaded(module):
    return sum(module.total.stats.cache_hits.values())


def change(file, before, after):
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def test_a_kernel_is_compiled_once_and_then_loaded(shop):
    assert run_anew().bill(3) == 30
    again = run_anew()
    assert again.bill(3) == 30
    assert loaded(again) == 1


def test_a_kernel_is_compiled_again_when_its_type_has_another_name(shop):
    assert run_anew().bill(3) == 30
    for file in ("goods/types.py", "shop.py"):
        change(shop / file, "Prices", "Costs")
    renamed = run_anew()
    assert renamed.bill(3) == 30
    assert loaded(renamed) == 0
    assert loaded_after_another_run() == 1


def loaded_after_another_run():
    again = run_anew()
    again.bill(3)
    return loaded(again)


@pytest.mark.parametrize(("before", "after"), [("2.0", "3.0"), ("RATE * price", "3 * price")])
def test_a_kernel_is_compiled_again_when_another_file_of_its_code_changes(shop, before, after):
    assert run_anew().bill(3) == 30
    change(shop / "taxes.py", before, after)
    assert run_anew().bill(3) == 45


def test_a_kernel_is_compiled_again_when_a_file_far_below_it_changes(shop):
    """A constant that one file has from another, and that from a third."""
    change(shop / "taxes.py", "RATE = 2.0", "from shop_of_tests.law import RATE")
    (shop / "law.py").write_text("from shop_of_tests.state import SHARE\n\nRATE = 2 * SHARE\n")
    (shop / "state.py").write_text("SHARE = 1.0\n")
    assert run_anew().bill(3) == 30
    change(shop / "state.py", "1.0", "1.5")
    assert run_anew().bill(3) == 45


def test_a_kernel_is_kept_when_a_file_that_it_does_not_import_changes(shop):
    (shop / "unrelated.py").write_text("from shop_of_tests import shop\n")
    assert run_anew().bill(3) == 30
    (shop / "unrelated.py").write_text("from shop_of_tests import taxes\n")
    assert loaded_after_another_run() == 1


def cannot_be_written_to(shop: Path):
    """Put files where numba would make folders: nobody, not even root, can write there."""
    for folder in (shop, shop / "goods"):
        (folder / "__pycache__").write_text("")


def test_kernels_of_a_read_only_package_are_kept_in_the_folder_of_the_user(
    shop, tmp_path, monkeypatch
):
    cannot_be_written_to(shop)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert run_anew().bill(3) == 30
    assert list((tmp_path / "home").rglob("*.nbi"))
    assert loaded_after_another_run() == 1


def test_kernels_run_where_no_folder_can_be_written_to(shop, tmp_path, monkeypatch):
    cannot_be_written_to(shop)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shop / "shop.py"))
    assert run_anew().bill(3) == 30
    assert loaded_after_another_run() == 0


def test_kernels_run_where_numba_is_told_to_compile_nothing(shop, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert run_anew().bill(3) == 30
    assert not list(shop.rglob("*.nbi"))


def test_the_compiler_is_loaded_by_the_first_call_only(shop):
    code = "import sys, shop_of_tests.shop as shop; print('numba' in sys.modules);"
    code += "shop.bill(3); print('numba' in sys.modules)"
    paths = os.pathsep.join([str(shop.parent), *sys.path])
    environment = os.environ | {"PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment
    )
    assert shown.stdout.split() == [b"False", b"True"]

import ast
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path

from hatchling.build import build_wheel

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hushrank"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def packages_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the top-level packages that some statements import."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def imported_packages(path: Path) -> set[str]:
    """Return the top-level packages that a file imports, anywhere in it."""
    return packages_of(ast.walk(parsed(path)))


OF_OTHERS = {
    "httptools": "uvicorn's protocol",
    "python-multipart": "starlette's forms",
    "tomli-w": "msgspec's TOML",
}
"""Packages of which others that we import need the name only."""
FRAMES = {"pandas", "polars"}
"""Made where a user has them, and never needed."""


def test_the_package_declares_all_that_it_imports_and_nothing_else():
    imported = set().union(*map(imported_packages, (ROOT / "src").rglob("*.py")))
    extras = PROJECT["optional-dependencies"]
    of_users = [extras[name] for name in ("parquet", "pictures", "publish", "collector", "cluster")]
    every = {each.split(">=")[0] for each in [*PROJECT["dependencies"], *chain(*of_users)]}
    declared = every - set(OF_OTHERS) - {"hushrank[pictures]", "hushrank[parquet]"} | FRAMES
    names = {
        "sklearn": "scikit-learn",
        "prometheus_client": "prometheus-client",
        "python_calamine": "python-calamine",
    }
    foreign = imported - set(sys.stdlib_module_names) - {"hushrank"}
    assert {names.get(each, each) for each in foreign} == declared


def test_what_is_in_an_extra_is_imported_only_where_it_is_used():
    for path in (ROOT / "src").rglob("*.py"):
        at_once = packages_of(parsed(path).body)
        assert at_once.isdisjoint({"sklearn", "implicit", "threadpoolctl"}), path
        assert at_once.isdisjoint({"pyarrow", "matplotlib", *FRAMES}), path
        assert at_once.isdisjoint({"dask", "distributed", "fsspec"}), path
        if "collector" not in path.relative_to(ROOT / "src" / "hushrank").parts:
            assert at_once.isdisjoint({"asyncpg", "httpx", "jinja2", "starlette", "uvicorn"}), path


def test_what_a_user_sees_of_the_version_is_one_number():
    import hushrank

    assert hushrank.__version__ == PROJECT["version"]
    assert f"\nversion: {hushrank.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "src" / "hushrank" / "py.typed").exists()


def test_the_wheel_holds_what_browsers_run_and_no_tools(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    with zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path))) as wheel:
        names = {name.partition("hushrank/collector/client/")[2] for name in wheel.namelist()}
    tracked = {"device.js", "styles/tokens.css", "vendor/sha256-uint8array/LICENSE.txt"}
    assert tracked <= names
    assert not [name for name in names if "test" in name or "package" in name or "modules" in name]


def test_no_registry_is_named_in_the_locked_requirements():
    for path in (ROOT / "requirements").iterdir():
        text = path.read_text()
        assert "http:" not in text
        assert "https:" not in text
        assert "--index-url" not in text


def test_nothing_weakens_the_noise_of_people():
    """Only `Randomness` draws for people: no global generator, no seed outside of it."""
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text()
        assert "import random\n" not in text, path
        assert "np.random.seed" not in text, path
        if {"mechanisms", "surveys"} & set(path.parts):
            assert "default_rng" not in text, path
            assert "Randomness.seeded" not in text, path


def test_tests_stand_where_the_rooms_are():
    folders = {path.parent.relative_to(ROOT / "tests") for path in ROOT.glob("tests/**/test_*.py")}
    rooms = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
    others = {"documents", "mutants", "mutants/generic", "portability", "stories"}
    others |= {"collector/browser", "collector/client", "collector/store/many"}
    assert {str(folder) for folder in folders - rooms} <= others

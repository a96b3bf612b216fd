"""Run the tests on the oldest and the newest dependencies: `make test-versions`; needs uv.

python -m tests.portability.versions [--python 3.11] ... [arguments of pytest]

Of the oldest versions, those that are there as built packages for the Python at hand; what they
need themselves, and the tools of the tests, are the newest that go with them.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "out" / "versions"
PYTHONS = ("3.11", "3.12", "3.13")
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
OTHERS_ADVICE = {"oldest": ["-W", "ignore::DeprecationWarning"], "newest": []}
"""An old library that calls a new one is warned of it, which is no fault of ours."""


def uv(*arguments: object) -> None:
    """Run uv, which looks for Python on the path only."""
    subprocess.run(["uv", *map(str, arguments), "--quiet"], cwd=ROOT, check=True)


def environment(python: str, age: str) -> Path:
    """Create the environment of a Python with our dependencies of that age, and return it."""
    folder = FOLDER / f"{age}-{python}"
    folder.mkdir(parents=True, exist_ok=True)
    own, everything = folder / "own.txt", folder / "everything.txt"
    common = ["--python-version", python, "--only-binary", ":all:", "--no-header"]
    compiled = ["pip", "compile", "pyproject.toml", *common]
    ours = ["--extra", "publish", "--extra", "collector", "--extra", "cluster"]
    uv(*compiled, *ours, "--resolution", RESOLUTIONS[age], "-o", own)
    uv(*compiled, "--extra", "dev", "--constraint", own, "-o", everything)
    uv("venv", "--clear", "--no-python-downloads", "--python", python, folder / "venv")
    inside = ["--python", folder / "venv" / "bin" / "python"]
    uv("pip", "sync", *inside, everything)
    uv("pip", "install", *inside, "--no-deps", "--no-build-isolation", "--editable", ".")
    return folder


def run(folder: Path, arguments: list[str]) -> bool:
    """Run pytest in the environment of the folder, and return whether it passed."""
    print(f"\n== {folder.name}", flush=True)
    command = [folder / "venv" / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    variables = os.environ | {"NUMBA_CACHE_DIR": str(folder / "numba")}
    done = subprocess.run([*command, *arguments], cwd=ROOT, env=variables, check=False)
    return done.returncode == 0


def main() -> None:
    """Run the tests in one environment after the other; exit with 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help=f"one of {', '.join(PYTHONS)}")
    options, arguments = parser.parse_known_args()
    chosen = [(python, age) for python in options.python or PYTHONS for age in RESOLUTIONS]
    passed = [
        run(environment(python, age), ["-m", "not slow", *OTHERS_ADVICE[age], *arguments])
        for python, age in chosen
    ]
    for (python, age), is_fine in zip(chosen, passed, strict=True):
        print(f"{'passed' if is_fine else 'FAILED'}: Python {python}, {age} dependencies")
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()

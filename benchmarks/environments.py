"""The environments of the benchmarks: made by Python's own venv and pip, from locked files."""

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


@dataclass(frozen=True)
class Environment:
    """A virtual environment in the root of the project, and the locked file that fills it."""

    folder: str
    requirements: str
    holds_hushrank: bool

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return ROOT / self.folder / "bin" / "python"

    def make(self) -> None:
        """Create and fill the environment, unless it stands as the locked file says."""
        locked = (ROOT / "requirements" / self.requirements).read_bytes()
        project = (ROOT / "pyproject.toml").read_bytes() if self.holds_hushrank else b""
        wanted = hashlib.sha256(locked + project).hexdigest()
        installed = ROOT / self.folder / "installed"
        if installed.exists() and installed.read_text() == wanted:
            return
        subprocess.run([sys.executable, "-m", "venv", "--clear", ROOT / self.folder], check=True)
        self._install("--require-hashes", "--requirement", f"requirements/{self.requirements}")
        if self.holds_hushrank:
            self._install("--no-deps", "--no-build-isolation", "--editable", ".")
        installed.write_text(wanted)

    def _install(self, *what: str) -> None:
        subprocess.run([self.python, *PIP, *what], cwd=ROOT, check=True)


MAIN = Environment(".venv-bench", "bench.txt", holds_hushrank=True)
LDP_PEERS = Environment(".venv-bench-ldp", "bench-ldp.txt", holds_hushrank=False)
AGGREGATION_PEERS = Environment(
    ".venv-bench-aggregation", "bench-aggregation.txt", holds_hushrank=False
)

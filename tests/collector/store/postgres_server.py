"""A PostgreSQL server of the tests' own: started in a new folder, ended, and the folder removed."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path

_SUPERUSER = "hushrank"
_MEMORY = Path("/dev/shm")
_ENOUGH = 2 * 2**30
_PATIENCE = 60


class NoPostgres(Exception):  # noqa: N818 (it says what is missing)
    """Where there is no PostgreSQL to start, and why."""


@dataclass
class Server:
    """A running server; its programs stand in `programs`, its socket in `folder`."""

    programs: Path
    folder: Path
    user: pwd.struct_passwd | None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [f"-c{name}={value}" for name, value in _SETTINGS.items()]
        data = ["-D", self.folder / "data", "-k", self.folder]
        with open(self.folder / "log", "ab") as log:
            command = _as([self.programs / "postgres", *data, *settings], self.user)
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        self._await_ready()

    def stop(self) -> None:
        """End all connections, then the server."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(_PATIENCE)

    def crash(self) -> None:
        """Let all of the server's processes die at once; `start` then has to recover."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(_PATIENCE)

    def address(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql://{_SUPERUSER}@/{database}?host={self.folder}"

    def new_database(self, name: str) -> str:
        """Make a database and return its address."""
        self.run("createdb", name)
        return self.address(name)

    def _await_ready(self) -> None:
        end = time.monotonic() + _PATIENCE
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder, "-U", _SUPERUSER]
        while subprocess.run(ready, check=False).returncode:
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def run(self, program: str, *arguments: str) -> str:
        """Run one of PostgreSQL's programs on this server and return what it printed."""
        command = [self.programs / program, "-h", self.folder, "-U", _SUPERUSER, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def postgres_server(*, on_disk: bool = False) -> Iterator[Server]:
    """Start a server on a Unix socket, with its files in memory if there is room, or on_disk.

    Raises NoPostgres where the machine has none.
    """
    programs = _programs()
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="hushrank-pg-", dir=None if on_disk else in_memory()))
    try:
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        _run([programs / "initdb", "-D", folder / "data", *_INITDB], user)
        server = Server(programs, folder, user)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


_INITDB = ["-U", _SUPERUSER, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
_SETTINGS = {"listen_addresses": "", "shared_buffers": "64MB"}


def _programs() -> Path:
    found = sorted(map(Path, glob("/usr/lib/postgresql/*/bin/postgres")))
    on_path = shutil.which("postgres")
    if not found and not on_path:
        raise NoPostgres("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    return found[-1].parent if found else Path(on_path or "").resolve().parent


def _user() -> pwd.struct_passwd | None:
    """Return who runs the server: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    if not shutil.which("setpriv"):
        raise NoPostgres("root may not run PostgreSQL, and there is no setpriv to do it as another")
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise NoPostgres("root may not run PostgreSQL, and there is no user postgres") from None


def in_memory() -> Path | None:
    """Return a folder whose files are in memory, None where there is none with enough room."""
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH
    return _MEMORY if roomy and os.access(_MEMORY, os.W_OK) else None


def _run(command: list[str | Path], user: pwd.struct_passwd | None) -> None:
    done = subprocess.run(_as(command, user), capture_output=True, text=True, cwd="/", check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)


def _as(command: list[str | Path], user: pwd.struct_passwd | None) -> list[str | Path]:
    """Return the command as the user runs it; it ends when the tests are killed."""
    if not shutil.which("setpriv"):
        return command
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
    return ["setpriv", "--pdeathsig=INT", *ids, "--", *command]

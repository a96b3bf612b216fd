"""The unit for systemd that docs/operating.md gives."""

import subprocess
import sys
from configparser import ConfigParser
from shlex import split

from typer.testing import CliRunner

from hushrank.cli.main import app
from tests.collector.web.operations.proxies import documented, program

ANALYZE = program("systemd-analyze", "systemd")


def test_systemd_takes_the_unit_without_a_complaint(tmp_path):
    written = tmp_path / "hushrank.service"
    unit = documented("ini")
    assert unit.count("/opt/hushrank/bin/hushrank") == 1
    written.write_text(unit.replace("/opt/hushrank/bin/hushrank", sys.executable))
    checked = subprocess.run([ANALYZE, "verify", written], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_the_units_command_is_one_that_hushrank_has():
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str
    unit.read_string(documented("ini"))
    _, *words = split(unit["Service"]["ExecStart"])
    shown = CliRunner().invoke(app, [words[0], "--help"], env={"COLUMNS": "200"}).output
    assert all(word in shown for word in words if word.startswith("--"))

"""The table of all promises is whole, and leads to what exists."""

import ast
import re
from functools import cache
from typing import get_args

import pytest

from hushrank.aggregators.registry import METHODS
from hushrank.audit.shipped import shipped
from hushrank.protocols.registry import MECHANISMS, PROTOCOLS
from hushrank.workflows.results.release_terms import ReleaseMethod
from tests.cli.test_documentation import COMMANDS
from tests.conformance import MECHANISMS as CONFORMING
from tests.documents.consoles import ROOT
from tests.documents.test_site import LINK, anchors

PAGE = ROOT / "docs" / "privacy.md"
COLUMNS = ["release", "protects", "against", "neighbours", "exact loss", "proof", "test", "audit"]
CODE = re.compile(r"`([^`]+)`")


@cache
def rows():
    """Return the rows of the table, each a dictionary by column."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == COLUMNS
    assert {len(row) for row in cells} == {len(COLUMNS)}
    return [dict(zip(COLUMNS, row, strict=True)) for row in cells[2:]]


def codes(column):
    return [code for row in rows() for code in CODE.findall(row[column])]


def is_protected(row):
    return "*nothing*" not in row["protects"] and bool(row["against"])


def methods_of(command):
    """Return each method of a command with its line."""
    return [
        (name, row)
        for row in rows()
        if row["release"].startswith(f"`{command}")
        for name in re.findall(r"--method ([\w-]+)", row["release"])
    ]


def test_every_protocol_and_method_has_one_line():
    told = [code for code in codes("release") if code.startswith("--protocol ")]
    assert sorted(told) == sorted(f"--protocol {name}" for name in PROTOCOLS)
    assert sorted(name for name, _ in methods_of("aggregate")) == sorted(METHODS)
    told = [name for name, _ in methods_of("publish historical")]
    assert sorted(told) == sorted(get_args(ReleaseMethod))


def test_private_methods_are_those_that_are_said_to_protect_ballots():
    for name, row in methods_of("aggregate"):
        assert METHODS[name].is_private == is_protected(row), name


def test_every_mechanism_and_command_has_a_line():
    told = set(codes("release"))
    assert set(MECHANISMS) <= told
    assert {kind.__name__ for kind in CONFORMING} <= told
    assert {"SubsetOrder", "ThresholdedLaplace", "NamedMember"} <= told
    named = " | ".join(told) + " | "
    for command in COMMANDS:
        assert re.search(rf"(^|\| ){re.escape(command)}( --| \|)", named), command


def test_every_audit_is_named_and_every_named_one_has_its_row():
    audits = set(re.findall(r"^\| ([a-z][\w -]+?) \|", _audit(), flags=re.MULTILINE))
    for row in rows():
        for name in CODE.findall(row["audit"]):
            assert name in audits or name.removeprefix("hushrank ") in COMMANDS, name
    assert set(shipped()) <= set(codes("audit"))


def _audit():
    return (ROOT / "docs" / "privacy-audit.md").read_text()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["release"][:50])
def test_a_promise_has_a_proof_and_every_line_a_test_that_exists(row):
    for target, anchor in LINK.findall(row["proof"]):
        assert anchor in anchors(PAGE.parent / target)
    if is_protected(row):
        assert LINK.search(row["proof"]), "no proof"
        assert row["neighbours"], "no neighbours"
        assert row["exact loss"], "no loss"
        assert row["audit"], "no audit, nor a reason"
    (test,) = CODE.findall(row["test"])
    tests = ast.parse((ROOT / test).read_text()).body
    named = [each.name for each in tests if isinstance(each, ast.FunctionDef)]
    assert any(name.startswith("test_") for name in named), test


def test_every_proof_ends():
    """A page that a line of the table leads to marks where what it proves is proven."""
    pages = {target for row in rows() for target, _ in LINK.findall(row["proof"])}
    for page in pages - {"publishing.md"}:
        text = (PAGE.parent / page).read_text()
        assert text.count("∎") + text.count(r"\blacksquare") >= 1, page

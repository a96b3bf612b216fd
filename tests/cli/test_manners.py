import json
import os
import subprocess
import sys
import warnings

import pytest

import hushrank as package
from hushrank import __main__ as entrance
from hushrank.cli.main import PANELS, app
from hushrank.cli.manners import paragraphs, quiet_first
from hushrank.collector.draft import write_draft
from tests.collector.drafts import draft
from tests.commands import hushrank

BALLOTS = "a,b,c\n1,2,3\n1,2,3\n2,1,3\n"


@pytest.fixture
def ballots(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_text(BALLOTS)
    return path


def test_every_command_stands_in_a_panel():
    listed = {name for names in PANELS.values() for name in names}
    commands = {each.callback.__name__ for each in app.registered_commands}
    assert commands | {each.name for each in app.registered_groups} <= listed
    assert all(each.rich_help_panel in PANELS for each in app.registered_commands)


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_groups_the_commands_in_the_order_of_a_newcomer(monkeypatch, capsys, flag):
    monkeypatch.setenv("COLUMNS", "80")
    assert hushrank(monkeypatch, flag) == 0
    shown = capsys.readouterr().out
    places = [shown.index(panel) for panel in PANELS]
    assert places == sorted(places)
    assert max(map(len, shown.splitlines())) <= 80


def test_the_version_is_that_of_the_package(monkeypatch, capsys):
    assert hushrank(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"hushrank {package.__version__}\n"


def test_a_paragraph_of_help_is_wrapped_by_the_terminal_alone():
    assert (
        paragraphs("""One
    long

    second one,
    too.
    """)
        == "One long\n\nsecond one, too."
    )


@pytest.mark.parametrize("before", [True, False])
def test_quiet_prints_nothing_and_writes_the_files(monkeypatch, capsys, tmp_path, ballots, before):
    out = tmp_path / "out.json"
    words = ["aggregate", ballots, "--form", "ranks", "--json", out]
    assert hushrank(monkeypatch, *(["--quiet", *words] if before else [*words, "--quiet"])) == 0
    assert capsys.readouterr() == ("", "")
    assert out.exists()


def test_what_stands_behind_two_dashes_is_no_option():
    assert quiet_first(["a", "--quiet", "--", "--quiet"]) == ["--quiet", "a", "--", "--quiet"]
    assert quiet_first(["a", "--", "--quiet"]) == ["a", "--", "--quiet"]


@pytest.mark.parametrize(
    "words", [["--epsilon", "0,5"], ["--epsilon=1,000"], ["--time-limit", ",5"]]
)
def test_a_decimal_comma_is_refused_in_words(monkeypatch, capsys, ballots, words):
    assert hushrank(monkeypatch, "aggregate", ballots, *words) == 2
    assert "takes a decimal point, such as 0.5" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--epsilon", "1_0"], ["--epsilon=1_0.5"], ["--epsilon", "1e1_0"], ["--seed", " 1_0"]]
)
def test_a_number_with_an_underscore_is_refused_in_words(monkeypatch, capsys, ballots, words):
    """Python reads 1_0 as ten: an epsilon ten times what was meant."""
    assert hushrank(monkeypatch, "aggregate", ballots, *words) == 2
    option = words[0].partition("=")[0]
    assert capsys.readouterr().err == (
        f"hushrank: {option} takes a number without underscores, such as 1000\n"
    )


def test_what_is_no_number_keeps_its_underscores(monkeypatch, capsys, tmp_path):
    assert hushrank(monkeypatch, "look", tmp_path / "1_0", "--columns", "1_0") == 1
    assert "underscores" not in capsys.readouterr().err


def test_lists_of_numbers_keep_their_commas(monkeypatch, capsys):
    assert hushrank(monkeypatch, "publish", "historical", "--bins", "1,2") == 2
    assert "decimal point" not in capsys.readouterr().err


def test_a_reader_that_ends_early_ends_the_command_without_a_word():
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "hushrank", "--version"]
    with os.fdopen(writer, "wb") as into:
        ended = subprocess.run(words, stdout=into, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_what_a_closed_output_would_show_goes_nowhere(tmp_path, closed):
    (tmp_path / "b.csv").write_text("a,b\n1,2\n2,1\n")
    words = [
        sys.executable,
        "-m",
        "hushrank",
        "aggregate",
        "b.csv",
        "--epsilon",
        "1",
        "--json",
        "-",
    ]
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *words]
    ended = subprocess.run(shell, capture_output=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr
    assert (ended.stdout == b"") == (closed == ">&-")


class Interrupting:
    """A finder of modules that somebody interrupts."""

    def find_spec(self, name, path=None, target=None):
        if name == "hushrank.cli.main":
            raise KeyboardInterrupt


def test_an_interruption_while_modules_are_imported_leaves_no_traceback(monkeypatch):
    monkeypatch.delitem(sys.modules, "hushrank.cli.main")
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        entrance.main()
    assert ended.value.code == 130


def test_a_traceback_shows_no_values():
    broken = (
        "import sys\n"
        "from hushrank.cli import main\n"
        "def broken(told='se' 'cret'):\n"
        "    held = told + ' of somebody'\n"
        "    raise RuntimeError\n"
        "main.app.command('broken')(lambda: broken())\n"
        "sys.argv = ['hushrank', 'broken']\n"
        "main.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", broken], capture_output=True, text=True)
    assert "RuntimeError" in ended.stderr
    assert "secret" not in ended.stderr


def test_an_interruption_of_a_command_leaves_no_traceback(monkeypatch, ballots):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("hushrank.cli.aggregate.show.aggregate", interrupted)
    assert hushrank(monkeypatch, "aggregate", ballots, "--form", "ranks") == 130


@pytest.mark.parametrize(("flags", "said"), [([], "hushrank: two lines\n"), (["--quiet"], "")])
def test_a_warning_is_one_line_without_a_line_of_code(monkeypatch, capsys, ballots, flags, said):
    def warn(*given, **options):
        warnings.warn("two\nlines", stacklevel=1)
        return b"<svg/>"

    monkeypatch.setattr("hushrank.workflows.results.consensus.consensus.order_picture", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        drawn = ["--figure", ballots.with_suffix(".svg")]
        assert hushrank(monkeypatch, *flags, "aggregate", ballots, *drawn) == 0
    assert capsys.readouterr().err == said


def test_what_a_document_says_commands_no_terminal_when_it_is_refused(
    monkeypatch, capsys, tmp_path
):
    document = tmp_path / "survey.json"
    survey = json.loads(write_draft(draft(), {}, form="json"))
    document.write_text(json.dumps({**survey, "\x1b]0;b\x07\x9b2J": 1}))
    assert hushrank(monkeypatch, "conclude", document) == 1
    said = capsys.readouterr().err
    assert "]0;b" in said
    assert said.endswith("\n")
    assert said[:-1].isprintable()

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.commands import hushrank

README = (Path(__file__).parents[2] / "README.md").read_text()


def shown_runs() -> Iterator[tuple[list[str], str]]:
    """Yield each command with a seed that README shows, and what it says to print."""
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for run in re.split(r"^\$ hushrank ", block, flags=re.MULTILINE)[1:]:
            line, printed = run.split("\n", 1)
            if "--seed" in line:
                yield shlex.split(line), printed


def without_layout(printed: str) -> list[list[str]]:
    """Return the lines, a row of a table as its cells whatever its width, without the seconds."""
    found: list[list[str]] = []
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if line.startswith("│") and not cells[0]:
            rows = zip(found[-1], cells, strict=True)
            found[-1] = [f"{above} {more}".strip() for above, more in rows]
        elif not line.startswith(("┌", "└")):
            found.append(cells)
    return [line for line in found if not line[0].startswith("seconds")]


def test_seeded_commands_print_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    """On every processor: `make test-portability` runs this under other kernels, too."""
    monkeypatch.chdir(tmp_path)
    shown = list(shown_runs())
    assert [words[0] for words, _ in shown].count("simulate") == 2
    assert len(shown) == 6
    for words, printed in shown:
        assert hushrank(monkeypatch, *words) == 0
        assert without_layout(capsys.readouterr().out) == without_layout(printed), words
    safari = ["collect", "people.soc", "--epsilon", "4", "--seed", "1", "--protocol", "safari"]
    assert hushrank(monkeypatch, *safari) == 0
    (named,) = re.findall(r"collects as SAFARI does: (\.\d+) here", README)
    assert ["Q2 distance *", f"0{named}"] in without_layout(capsys.readouterr().out)

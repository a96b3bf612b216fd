import json
import re
import stat
import subprocess
import sys
from typing import get_args

import numpy as np
import pytest
import typer

from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.aggregators.registry import METHODS, MethodName
from hushrank.cli import main as command_line
from hushrank.cli.aggregate.command import Method
from hushrank.cli.collect.command import PostProcess, Prior, Rows, Split
from hushrank.cli.input.options import FileForm
from hushrank.cli.output.console import flagged
from hushrank.estimators.prior_scale import Prior as KnownPrior
from hushrank.estimators.shares import PostProcess as Processing
from hushrank.protocols.distributions.safari import Split as SafariSplit
from hushrank.protocols.learnt.models import Rows as DrawnRows
from hushrank.protocols.registry import EVERY_OPTION, MECHANISMS, PROTOCOLS
from hushrank.randomness import Randomness
from hushrank.rankings.files import Form, read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.seeds import StreamPurpose, stream
from tests.commands import hushrank

NAMES = ("apple", "beech", "cedar", "dogwood")
COLLECT = typer.main.get_command(command_line.app).commands["collect"]


@pytest.fixture
def people(tmp_path):
    """A file of 400 rankings of 4 items."""
    rng = np.random.default_rng(1)
    orders = rng.permuted(np.tile(np.arange(4), (400, 1)), axis=1)
    path = tmp_path / "people.soc"
    write_rankings(Rankings.from_orders(orders, NAMES), path)
    return path


@pytest.mark.parametrize("protocol", ["max-entropy", "safari", "grr", "rappor", "sh", "olh"])
def test_collect_writes_what_machines_need(monkeypatch, people, tmp_path, protocol):
    out, synthetic = tmp_path / "out.json", tmp_path / "synthetic.csv"
    arguments = ["--protocol", protocol, "--epsilon", 2, "--json", out, "--synthetic", synthetic]
    assert hushrank(monkeypatch, "collect", people, *arguments) == 0
    result = json.loads(out.read_text())
    assert result["protocol"] == protocol
    assert result["epsilon"] == pytest.approx(2)
    assert (result["people"], result["items"], result["private"]) == (400, 4, True)
    assert sorted(result["order"]) == list(NAMES)
    assert sum(spend["epsilon"] for spend in result["spend"]) == pytest.approx(2)
    assert result["seconds"] > 0
    evaluation = result["evaluation"]
    assert evaluation.keys() == {
        "private",
        "q2_distance",
        "q2_distance_uniform",
        "q2_distance_nopriv",
        "kendall_excess",
    }
    assert evaluation["private"] is False
    assert 0 < evaluation["q2_distance_nopriv"] < evaluation["q2_distance"] < 1
    assert 0 <= evaluation["kendall_excess"] < 0.5
    written = read_rankings(synthetic)
    assert (written.n_people, written.names) == (400, NAMES)


@pytest.mark.parametrize("seed", [[], ["--seed", 5]])
def test_what_was_compared_with_raw_rankings_is_for_its_owner_alone(
    monkeypatch, people, tmp_path, seed
):
    out = tmp_path / "out.json"
    assert hushrank(monkeypatch, "collect", people, "--epsilon", 2, *seed, "--json", out) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    result = json.loads(out.read_text())
    of_the_raw = {"reading", "seconds", "evaluation", "publishable"}
    assert set(result["publishable"]) == (set() if seed else result.keys() - of_the_raw)


@pytest.mark.parametrize(
    ("more", "is_secret"), [([], False), (["--seed", 1], True), (["--short-cut"], True)]
)
def test_what_a_collection_that_protects_nobody_writes_is_for_its_owner_alone(
    monkeypatch, people, tmp_path, more, is_secret
):
    files = {"--synthetic": "rows.soc", "--csv": "numbers.csv", "--figure": "order.svg"}
    paths = [tmp_path / name for name in files.values()]
    options = [each for pair in zip(files, paths, strict=True) for each in pair]
    arguments = ["--epsilon", 2, "--protocol", "grr", *options, *more]
    assert hushrank(monkeypatch, "collect", people, *arguments) == 0
    plain = people.stat().st_mode & 0o777
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600 if is_secret else plain}


def test_a_seed_repeats_the_result_and_marks_it_as_not_private(monkeypatch, people, tmp_path):
    results = []
    for name in ("a", "b"):
        out = tmp_path / f"{name}.json"
        hushrank(monkeypatch, "collect", people, "--epsilon", 1, "--seed", 5, "--json", out)
        results.append(json.loads(out.read_text()))
        del results[-1]["seconds"]
    assert results[0] == results[1]
    assert results[0]["private"] is False
    assert results[0]["privacy_statement"].startswith("Not private")


@pytest.mark.parametrize("method", ["borda", "kwiksort", "kemeny"])
def test_ballots_are_aggregated_beside_the_optimum(monkeypatch, people, tmp_path, method):
    out = tmp_path / "out.json"
    arguments = ["--method", method, "--seed", 1, "--json", out]
    assert hushrank(monkeypatch, "aggregate", people, *arguments) == 0
    result = json.loads(out.read_text())
    assert result["method"] == method
    assert (result["people"], result["items"], result["private"]) == (400, 4, False)
    assert sorted(result["order"]) == list(NAMES)
    assert result["optimal_proven"]
    assert result["excess"] >= 0
    assert result["kemeny_optimum"] + result["excess"] == result["average_kendall_tau"]
    assert method != "kemeny" or result["excess"] == 0


def test_partial_ballots_count_where_they_decide(monkeypatch, tmp_path, capsys):
    path = tmp_path / "ballots.csv"
    path.write_text("apple,beech,cedar\n1,,\n1,2,\n,1,1\n,2,1\n")
    orders = {"unknown": "apple = cedar > beech", "last": "apple = beech = cedar"}
    for unranked, order in orders.items():
        assert hushrank(monkeypatch, "aggregate", path, "--unranked", unranked) == 0
        assert order in capsys.readouterr().out


def test_an_optimum_that_is_not_proven_in_time_is_not_claimed(monkeypatch, tmp_path, capsys):
    path, out = tmp_path / "noise.csv", tmp_path / "out.json"
    keys = np.random.default_rng(1).random((101, 50))
    write_rankings(Rankings.from_keys(keys, [f"item {i}" for i in range(50)]), path)
    arguments = ["--time-limit", "1e-6", "--json", out]
    assert hushrank(monkeypatch, "aggregate", path, *arguments) == 0
    result = json.loads(out.read_text())
    assert (result["kemeny_optimum"], result["excess"]) == (None, None)
    assert 0 < result["gap"] < 0.5
    assert "not proven in time" in capsys.readouterr().out


@pytest.mark.parametrize(("protocol", "less"), [("safari", ["--shrink"]), ("max-entropy", [])])
def test_without_noise_means_the_same_whatever_is_done_about_noise(
    monkeypatch, people, tmp_path, protocol, less
):
    distances, arguments = [], ["--protocol", protocol, "--seed", 3]
    for number, extra in enumerate((["--epsilon", 4], ["--epsilon", 0.2, *less])):
        out = tmp_path / f"{number}.json"
        assert hushrank(monkeypatch, "collect", people, *arguments, "--json", out, *extra) == 0
        distances.append(json.loads(out.read_text())["evaluation"]["q2_distance_nopriv"])
    assert distances[0] == distances[1]


def test_one_seed_gives_unrelated_streams_to_all_purposes_and_to_plain_generators():
    first_words = [stream(5, purpose).bytes(8) for purpose in get_args(StreamPurpose)]
    first_words.append(Randomness.seeded(5).words(1).tobytes())
    first_words += [np.random.default_rng(seed).bytes(8) for seed in (5, [5, 1], [5, 2])]
    assert len(set(first_words)) == len(first_words)


def test_names_from_a_file_command_neither_table_nor_terminal(monkeypatch, tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("[/b],a[red]x,\x1b[31mred,plain\n1,2,3,4\n4,3,2,1\n")
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == 0
    printed = capsys.readouterr().out
    assert "[/b]" in printed
    assert "a[red]x" in printed
    assert "\x1b" not in printed


def test_much_epsilon_is_called_what_it_is(monkeypatch, people, capsys):
    hushrank(monkeypatch, "collect", people, "--epsilon", 50)
    assert "promises little" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--json", "--report", "--synthetic"])
def test_where_results_go_is_checked_before_anybody_is_asked(monkeypatch, people, capsys, option):
    nowhere = people.parent / "nowhere" / "out.csv"
    assert hushrank(monkeypatch, "collect", people, "--epsilon", 1, option, nowhere) == 1
    assert capsys.readouterr().out == ""


def test_no_output_destroys_the_input_or_another_output(monkeypatch, people, capsys):
    before = people.read_bytes()
    other = people.parent / "other"
    for options in (
        ["--synthetic", people],
        ["--json", people],
        ["--json", other, "--report", other],
    ):
        assert hushrank(monkeypatch, "collect", people, "--epsilon", 1, *options) == 1
        assert "different files" in capsys.readouterr().err
    assert people.read_bytes() == before
    assert not other.exists()


def test_running_out_of_memory_is_one_line(monkeypatch, tmp_path, capsys):
    arguments = ["--people", 10**15, "--items", 30, "--out", tmp_path / "x.soc"]
    assert hushrank(monkeypatch, "simulate", "mallows", *arguments) == 1
    assert "not enough memory" in capsys.readouterr().err


def test_the_short_cut_is_not_private(monkeypatch, people, tmp_path):
    out = tmp_path / "out.json"
    arguments = ["--protocol", "grr", "--epsilon", 1, "--short-cut", "--json", out]
    assert hushrank(monkeypatch, "collect", people, *arguments) == 0
    assert json.loads(out.read_text())["private"] is False


def test_the_report_is_written(monkeypatch, people, tmp_path):
    page = tmp_path / "page.html"
    safari = ["--protocol", "safari", "--leaf-size", 2, "--split", "people", "--shrink"]
    arguments = ["--epsilon", 3, *safari]
    assert hushrank(monkeypatch, "collect", people, *arguments, "--report", page) == 0
    assert "LDP" in page.read_text()


def test_the_demo_asks_phones_over_http_and_writes_its_page(monkeypatch, tmp_path, capsys):
    options = ("--phones", 40, "--report", tmp_path / "demo.html")
    assert hushrank(monkeypatch, "demo", *options) == 0
    said = capsys.readouterr().out
    assert "The reports protect each of 40 people by 4-LDP" in said
    assert "<html" in (tmp_path / "demo.html").read_text()


@pytest.mark.parametrize("model", ["mallows", "plackett-luce"])
def test_simulated_people_are_written_and_repeat_by_seed(monkeypatch, tmp_path, model):
    files = [tmp_path / name for name in ("a.soc", "b.soc", "c.csv.gz")]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        arguments = ["--people", 50, "--items", 6, "--seed", seed, "--out", file]
        assert hushrank(monkeypatch, "simulate", model, *arguments) == 0
    first, again, other = map(read_rankings, files)
    assert (first.n_people, first.n_items) == (50, 6)
    assert first == again
    assert not np.array_equal(first.expanded().ranks, other.expanded().ranks)


def test_scores_with_ties_are_collected_once_ties_are_broken(monkeypatch, tmp_path, capsys):
    path = tmp_path / "scores.csv"
    rows = [f"{p},{i},{(p * i) % 3}" for p in range(30) for i in range(5)]
    path.write_text("person,item,score\n" + "\n".join(rows) + "\n")
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == 1
    assert "strict" in capsys.readouterr().err
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1, "--break-ties") == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--epsilon", "0"],
        ["--epsilon", "-1"],
        ["--epsilon", "nan"],
        ["--epsilon", "inf"],
        ["--epsilon", "1", "--leaf-size", "2"],
        ["--epsilon", "1", "--shrink"],
        ["--epsilon", "1", "--post-process", "simplex"],
        ["--epsilon", "1", "--protocol", "safari", "--leaf-size", "0"],
        ["--epsilon", "1", "--protocol", "safari", "--prior", "safe"],
        ["--epsilon", "1", "--protocol", "grr", "--rows", "herded"],
        ["--epsilon", "1", "--protocol", "safari", "--post-process", "borda"],
        ["--epsilon", "1", "--protocol", "grr", "--leaf-size", "2"],
        ["--epsilon", "1", "--protocol", "olh", "--short-cut"],
        ["--epsilon", "1", "--synthetic", "people.xyz"],
        ["--epsilon", "1", "--json", "no/such/folder/out.json"],
        ["--epsilon", "1", "--form", "order"],
        ["--epsilon", "1", "--queries", "2"],
        ["--epsilon", "1", "--post-process", "borda"],
        ["--epsilon", "1", "--protocol", "pairs", "--queries", "7"],
        ["--epsilon", "1", "--protocol", "pairs", "--queries", "0"],
        ["--epsilon", "1", "--protocol", "pairs", "--post-process", "clip"],
        ["--epsilon", "1", "--protocol", "pairs", "--synthetic", "people.csv"],
        ["--epsilon", "nan", "--protocol", "pairs"],
        ["--epsilon", "0", "--protocol", "ldp-kwiksort-lap"],
        ["--epsilon", "inf", "--protocol", "subset-order"],
        ["--epsilon", "1", "--protocol", "subset-order", "--post-process", "auto"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(monkeypatch, people, capsys, arguments):
    assert hushrank(monkeypatch, "collect", people, *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("hushrank: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02", b"# NUMBER ALTERNATIVES: 3\n1: 1,2,2\n", b"a,b\n1,x\n"]
)
def test_a_bad_file_is_one_line_that_names_it(monkeypatch, tmp_path, capsys, content):
    path = tmp_path / "bad.soc"
    path.write_bytes(content)
    assert hushrank(monkeypatch, "collect", path, "--epsilon", 1) == 1
    error = capsys.readouterr().err
    assert "bad.soc" in error
    assert error.count("\n") == 1


def test_a_missing_file_is_one_line_that_names_it(monkeypatch, tmp_path, capsys):
    assert hushrank(monkeypatch, "collect", tmp_path / "none.soc", "--epsilon", 1) == 1
    assert "none.soc" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["collect"],
        ["collect", "people.soc"],
        ["collect", "people.soc", "--epsilon", "much"],
        ["collect", "people.soc", "--epsilon", "1", "--protocol", "magic"],
        ["simulate", "mallows", "--people", "0", "--items", "3", "--out", "x.soc"],
        ["nonsense"],
    ],
)
def test_wrong_usage_is_exit_code_2(monkeypatch, arguments):
    assert hushrank(monkeypatch, *arguments) == 2


def test_it_runs_as_a_module_and_help_loads_nothing_heavy():
    script = (
        "import sys; sys.argv = ['hushrank', '--help']\n"
        "from hushrank.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'matplotlib', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(' '.join(heavy) or 0)"
    )
    for arguments in (["-c", script], ["-m", "hushrank", "--help"]):
        done = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"collect" in done.stdout


def test_choices_of_the_command_line_are_those_of_the_library():
    processing = {*get_args(Processing), *get_args(PairPostProcess)}
    of_library = {
        FileForm: get_args(Form),
        PostProcess: processing,
        Prior: get_args(KnownPrior),
        Rows: get_args(DrawnRows),
    }
    for choices, known in of_library.items():
        assert {choice.value for choice in choices} == {*known}
    assert tuple(choice.value for choice in Split) == get_args(SafariSplit)
    assert {*Method} == {*METHODS} == {*get_args(MethodName)}
    options = {each.name: each for each in COLLECT.params}
    words = set(re.findall(r"[\w-]+", options["protocol"].help))
    assert set(PROTOCOLS) <= words
    assert set(MECHANISMS) <= set(re.findall(r"\w+", options["mechanism"].help))
    assert EVERY_OPTION.keys() <= options.keys()


def test_an_unknown_protocol_is_a_wrong_option(monkeypatch, people, capsys):
    assert hushrank(monkeypatch, "collect", people, "--epsilon", 1, "--protocol", "mine") == 2
    assert "max-entropy, safari" in " ".join(capsys.readouterr().err.replace("│", "").split())


def test_an_error_names_options_and_leaves_other_words_alone():
    told = flagged("max_ratio and a mechanism of the mechanisms", "max_ratio", "mechanism")
    assert told == "--max-ratio and a --mechanism of the mechanisms"

"""What is printed or written of a loss is no less than the loss: at six digits it could be."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest
from rich.console import Console

import hushrank
from hushrank.accounting.composition import delta_of_replacing
from hushrank.accounting.rounding import within
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import as_given, loss_in_words
from hushrank.aggregators.private.kemeny import gaussian_kemeny
from hushrank.audit.auditing import Finding
from hushrank.audit.chosen import as_document, audits, chosen
from hushrank.cli.answer import show as answer_show
from hushrank.cli.audit import show as audit_show
from hushrank.engines import local
from hushrank.engines.outcome import Outcome
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.files import write_rankings
from hushrank.rankings.marginals import majority
from hushrank.surveys.sampled_survey import sampled_survey
from tests.commands import hushrank as run

BALLOTS = hushrank.simulate("mallows", people=400, items=4, dispersion=0.7, seed=1)
EPSILON, DELTA = 1.2340024, 3.2100049e-7
BUDGET = 0.2340004
NUMERAL = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")


def too_small(text, *losses):
    """Numerals that are a loss, but for its last digits, and less."""
    found = []
    for numeral in NUMERAL.findall(text):
        for loss in map(str, losses):
            exact, told = Fraction(Decimal(loss)), Fraction(Decimal(numeral))
            if exact * Fraction(999, 1000) < told < exact * (1 - Fraction(1, 10**9)):
                found.append(numeral)
    return found


def too_large(text, asked):
    """Numerals that are what was asked for, and one more in the last of four digits."""
    return [
        numeral
        for numeral in NUMERAL.findall(text)
        if Decimal(asked) < Decimal(numeral) < Decimal(asked) * Decimal("1.0011")
    ]


def test_a_loss_that_is_rounded_down_is_seen():
    assert too_small("at 1.2340024 nats, 1.23401 or 1.235", EPSILON) == []
    assert too_small("epsilon 1.234, 1.23400 and 3.21e-07", EPSILON, DELTA) == [
        "1.234",
        "1.23400",
        "3.21e-07",
    ]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    write_rankings(BALLOTS, path)
    return path


ALONE = ("--epsilon", EPSILON)
SHUFFLED = ("--shuffled", "--central-epsilon", EPSILON, "--delta", DELTA)
COLLECTS = (
    *((*ALONE, "--protocol", protocol) for protocol in ("max-entropy", "order", "pairs")),
    SHUFFLED,
)
AGGREGATES = (
    *((*ALONE, "--method", f"p-{name}") for name in ("borda", "borda-hist", "sort", "sample")),
    *((*ALONE, "--method", method) for method in ("auto", "dp-kwiksort")),
    (*ALONE, "--method", "gaussian-kemeny", "--delta", DELTA),
)
COMMANDS = (
    *(("collect", *more) for more in COLLECTS),
    *(("aggregate", "--no-ledger", *more) for more in AGGREGATES),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command)))
def test_no_command_says_less_than_is_lost(monkeypatch, capsys, tmp_path, people, command):
    name, *more = command
    written = [tmp_path / "out.json", tmp_path / "out.html", tmp_path / "out.csv"]
    files = [
        each for pair in zip(("--json", "--report", "--csv"), written, strict=True) for each in pair
    ]
    assert run(monkeypatch, name, people, *more, *files) == 0
    said = [capsys.readouterr().out, *(path.read_text() for path in written)]
    assert sum("1.234" in each or "1.235" in each for each in said) >= 3
    losses = (EPSILON, DELTA, 2 * EPSILON, 2 * DELTA)
    assert [too_small(each, *losses) for each in said] == [[]] * 4


@pytest.mark.parametrize("asked", ["1.1", "2.717"])
@pytest.mark.parametrize(
    "terms", [("--epsilon",), ("--shuffled", "--delta", "1e-06", "--central-epsilon")]
)
def test_who_asks_for_a_numeral_is_told_it(monkeypatch, capsys, tmp_path, people, asked, terms):
    """The floats of these are above them: rounded up once more they were 1.101 and 2.718."""
    page, table = tmp_path / "out.html", tmp_path / "out.json"
    written = ("--report", page, "--json", table, "--protocol", "pairs")
    assert run(monkeypatch, "collect", people, *terms, asked, *written) == 0
    printed, shown, told = capsys.readouterr().out, page.read_text(), json.loads(table.read_text())
    assert f"Epsilon {asked}" in printed
    assert re.search(f"│ {asked}(,| nats)", printed)
    assert f"epsilon {asked}," in shown
    assert [too_large(each, asked) for each in (printed, shown, str(told))] == [[]] * 3
    name = terms[-1].removeprefix("--").replace("-", "_")
    assert told["options"][name] == told[name] == float(asked)


def test_what_is_shown_of_a_collection_is_what_was_asked_for():
    alone = hushrank.collect(BALLOTS, 1.1, protocol="pairs")
    shown = [repr(alone), str(alone), alone.page().caption, alone.page().plain]
    assert "epsilon 1.1," in shown[0]
    assert "1.1 nats per person" in shown[1]
    assert "(epsilon 1.1," in shown[2]
    both = hushrank.collect(BALLOTS, shuffled=True, central_epsilon=1.1, protocol="pairs")
    shown += [str(both), both.page().caption]
    assert "epsilon if shuffled 1.1, delta 1e-06" in re.sub(" +", " ", shown[4])
    assert "central epsilon 1.1," in shown[5]
    assert [too_large(each, "1.1") for each in shown] == [[]] * 6
    half = replace(alone, asked={**alone.asked, "epsilon": 2.2})
    assert "(asked for 2.2)" in half.summary["epsilon"]


@pytest.mark.parametrize("digits", [3, 4, 6])
def test_each_hundredth_that_is_asked_for_is_told_as_it_is(digits):
    for hundredths in range(1, 1000):
        asked = hundredths / 100
        spend = Spend("round", within(asked), "noise")
        outcome = Outcome(None, (spend,), 2, is_private=True)
        said = loss_in_words(outcome.epsilon, digits)
        assert said == as_given(asked)
        assert Fraction(Decimal(said)) >= Fraction(spend.epsilon)


@pytest.mark.parametrize("more", [ALONE, SHUFFLED], ids=["alone", "shuffled"])
def test_no_plan_says_less_than_will_be_lost(monkeypatch, capsys, tmp_path, more):
    out = tmp_path / "plan.json"
    assert run(monkeypatch, "plan", "--items", 5, "--people", 3000, *more, "--json", out) == 0
    printed = capsys.readouterr().out
    assert "1.23" in printed
    assert too_small(printed, EPSILON, DELTA) == []
    assert too_small(out.read_text(), EPSILON, DELTA) == []


def test_what_replacing_a_ballot_costs_is_no_less():
    counts = majority(BALLOTS)
    order = gaussian_kemeny(counts, epsilon=EPSILON, delta=DELTA, rng=Randomness.secure())
    said = replace(order, publishes_n_people=True).statement
    assert "against replacing one ballot" in said
    losses = (EPSILON, DELTA, 2 * EPSILON, delta_of_replacing(EPSILON, DELTA))
    assert too_small(said, *losses) == []


def test_what_a_round_that_fails_has_cost_is_no_less():
    def fails():
        yield (sampled_survey("first", [RelativeOrder((0, 1))], EPSILON),)
        raise ValueError("failed")

    with pytest.raises(ValueError, match="failed") as failed:
        local.run(fails(), BALLOTS, rng=Randomness.seeded(1))
    (said,) = failed.value.__notes__
    assert "a person may have spent epsilon" in said
    assert too_small(said, EPSILON) == []


def test_what_a_notebook_shows_is_no_less():
    planned = hushrank.plan(items=5, people=3000, epsilon=EPSILON)
    simulated = hushrank.collect(BALLOTS, EPSILON, protocol="pairs", seed=1)
    shown = [repr(planned), planned._repr_html_(), simulated.outcome.privacy_statement]
    shown += [repr(simulated), simulated._repr_html_()]
    assert [too_small(each, EPSILON) for each in shown] == [[]] * 5


def test_an_audit_says_no_less_than_is_claimed():
    finding = Finding("it", EPSILON, DELTA, None, 0.5, ("a", "b"), "1", 2, 1, 9, 1, 1e-6)
    console = Console(record=True, width=200)
    console.print(audit_show._table([finding]))
    assert too_small(console.export_text() + str(finding), EPSILON, DELTA) == []


@pytest.mark.parametrize("epsilon", [0.03, 0.1, 0.7, 1.3, 2.717])
def test_an_audit_claims_and_computes_what_it_was_told_to(epsilon):
    subject, *others = chosen(["mechanism"], epsilon=epsilon)
    for each in (subject, *others):
        assert Fraction(each.exact) <= Fraction(each.epsilon) <= Fraction(str(epsilon))
    (finding,) = audits([subject], draws=20_000, seed=1)
    claimed, computed = (column.cells for column in audit_show._table([finding]).columns[1:3])
    (told,) = as_document([finding], seed=1)["findings"]
    assert (*claimed, *computed) == (str(epsilon), f"{epsilon:.4f}")
    assert (told["claimed"], told["exact"]) == (epsilon, epsilon)


def test_who_answers_is_told_no_less_than_it_costs():
    assert (
        too_small(answer_show._cost(SimpleNamespace(epsilon=EPSILON, comes_back=False)), EPSILON)
        == []
    )


@pytest.mark.parametrize("method", ["diff", "withhold"])
def test_a_release_says_the_budget_that_was_given(monkeypatch, capsys, tmp_path, method):
    """Of some methods more is worse, of others better: it is said as it is."""
    activity, users = hushrank.simulate_activity(users=60, items=12, seed=1)
    budget = 2 + BUDGET if method == "diff" else BUDGET
    release = hushrank.publish(activity, users, private=["gender"], method=method, budget=budget)
    page = tmp_path / "page.html"
    release.report(page)
    for said in (release.privacy, str(release), page.read_text()):
        assert str(budget) in said
        assert "0.234 " not in said

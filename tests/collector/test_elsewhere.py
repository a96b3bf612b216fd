import asyncio
import json
import stat
import tracemalloc
from functools import partial

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.collector import elsewhere
from hushrank.collector.draft import digest_of, write_draft
from hushrank.collector.elsewhere import SurveySoFar, read_so_far, tally_reports, write_reports
from hushrank.collector.rounds import Asked, encode_tallies, replay
from hushrank.collector.service import Service
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import Kinds
from hushrank.errors import HushrankError
from hushrank.poisoning.suspicion import FALSE_ALARM, suspicion
from hushrank.protocols import registry
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.workflows.results.collection import Collection
from tests.collector.drafts import NAMES, draft
from tests.collector.test_service import Parted, take_part
from tests.commands import hushrank

N_PEOPLE = 40


def answers(asked: Asked, seed: int) -> list[tuple[str, bytes]]:
    """Return key and report of everybody whom a round asks."""
    rng, draws = np.random.default_rng(seed), Randomness.seeded(seed)
    lots = np.random.default_rng(5).random(N_PEOPLE)  # the same in every round
    sent = []
    for number, lot in enumerate(lots):
        part = asked.part_of(lot)
        if part is not None:
            each = asked.parts[part]
            own = Rankings(rng.permutation(4).astype(np.uint8)[None], NAMES)
            n_questions, n_answers = len(each.survey.questions), each.survey.answers_per_person
            questions = [(number + n) % n_questions for n in range(n_answers)]
            reports = each.answer(own, questions, lot=lot, rng=draws, is_simulation=True)
            sent += [(f"person {number}", report) for report in reports]
    return sent


def write(path, sent) -> None:
    """Write reports as a pipeline might: JSON as it came."""
    rows = [(key, json.loads(report)) for key, report in sent]
    columns = {
        "person": [key for key, _ in rows],
        "survey": [each["survey"] for _, each in rows],
        "question": [each["question"] for _, each in rows],
        "report": [json.dumps(each["report"]) for _, each in rows],
    }
    parquet.write_table(pa.table(columns), path)


@pytest.mark.parametrize(
    ("protocol", "options"),
    [("max-entropy", {}), ("safari", {}), ("safari", {"split": "people"}), ("pairs", {})],
)
def test_files_of_reports_lead_where_a_collector_goes(tmp_path, protocol, options):
    """Every round from Parquet, through the document: the tallies and the result are the same."""
    held = draft(protocol=protocol, options=options, epsilon=4.0)
    tallies: list = []
    so_far = SurveySoFar(held, 7, id="abc")
    while isinstance(asked := replay(held, 7, tallies), Asked):
        sent = answers(asked, len(tallies))
        write(tmp_path / "a.parquet", sent[:30])
        write(tmp_path / "b.parquet", [*sent[30:], *sent[:9]])
        scratch = tmp_path / "scratch" if protocol == "safari" else None
        (tmp_path / "scratch").mkdir(exist_ok=True)
        so_far = tally_reports(tmp_path / "*.parquet", so_far, key="person", scratch=scratch)
        assert not list((tmp_path / "scratch").iterdir())
        so_far.write(tmp_path / "tallies.json")
        so_far = read_so_far(tmp_path / "tallies.json")
        received = [part.tally([report for _, report in sent]) for part in asked.parts]
        tallies.append(tuple(each.tallies for each in received))
        assert encode_tallies(so_far.rounds[-1].counted) == encode_tallies(tallies[-1])
        assert (so_far.rounds[-1].refused, so_far.rounds[-1].repeated) == (0, 9)
    found = so_far.follows
    assert isinstance(found, Collection)
    assert found.to_dict() == asked.to_dict()
    assert so_far.id == "abc"


def first_round(tmp_path, **fields) -> SurveySoFar:
    so_far = SurveySoFar(draft(**fields))
    write(tmp_path / "r.parquet", answers(so_far.follows, 1))
    return so_far


@pytest.mark.parametrize("is_sorted", [False, True])
def test_refused_and_repeated_reports_are_told_however_rows_are_sorted(tmp_path, is_sorted):
    so_far = SurveySoFar(draft())
    sent = answers(so_far.follows, 1)
    wrong = [(key, report.replace(b'"survey":"', b'"survey":"0')) for key, report in sent[:3]]
    write(tmp_path / "r.parquet", [*sent, *wrong, *sent[:2]])
    scratch = tmp_path if is_sorted else None
    counted = tally_reports(tmp_path / "r.parquet", so_far, key="person", scratch=scratch)
    assert (counted.rounds[-1].refused, counted.rounds[-1].repeated) == (3, 2)


@pytest.mark.parametrize("fields", [{}, {"protocol": "safari", "epsilon": 4.0}])
def test_all_tests_for_liars_together_are_wrong_once_in_a_thousand_surveys(
    tmp_path, monkeypatch, fields
):
    so_far, rates, n_parts = SurveySoFar(draft(**fields)), [], 0
    while isinstance(asked := so_far.follows, Asked):
        n_parts += len(asked.parts)
        write(tmp_path / "r.parquet", answers(asked, 1))
        so_far = tally_reports(tmp_path / "r.parquet", so_far)

    def suspected(survey, tallies, *, false_alarm):
        rates.append(false_alarm)
        return suspicion(survey, tallies, false_alarm=false_alarm)

    monkeypatch.setattr(elsewhere, "suspicion", suspected)
    assert so_far.findings == ()
    assert len(rates) == n_parts > 1
    assert sum(rates) == pytest.approx(FALSE_ALARM)


def test_a_round_can_be_counted_anew_and_none_after_the_last(tmp_path):
    so_far = first_round(tmp_path)
    counted = tally_reports(tmp_path / "r.parquet", so_far)
    assert counted.rounds[0].repeated is None
    with pytest.raises(
        HushrankError, match="round: the survey's last round was counted; say which"
    ):
        tally_reports(tmp_path / "r.parquet", counted)
    with pytest.raises(HushrankError, match="scratch: rows are sorted there by a key"):
        tally_reports(tmp_path / "r.parquet", so_far, scratch=tmp_path)
    again = tally_reports(tmp_path / "r.parquet", counted, round=1)
    assert again.document() == counted.document()
    with pytest.raises(HushrankError, match="expected a round of 1 to 2, got 3"):
        tally_reports(tmp_path / "r.parquet", counted, round=3)


def test_reports_of_another_round_are_no_round_without_reports(tmp_path):
    """Else the survey ended there, with an order by chance."""
    so_far = first_round(tmp_path, protocol="safari", epsilon=4.0)
    counted = tally_reports(tmp_path / "r.parquet", so_far)
    with pytest.raises(HushrankError, match="round 2: no report answers what this round asks"):
        tally_reports(tmp_path / "r.parquet", counted)


def concluded(path, plain):
    path.write_text(json.dumps(plain))
    return read_so_far(path).follows


def edited(plain, place, value):
    """Return a document with another value at a place."""
    if not place:
        return value
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[place[0]] = edited(copy[place[0]], place[1:], value)
    return copy


def numbers_in(plain, place=()):
    """Yield each place of a document that holds a number, and the number."""
    if isinstance(plain, dict | list):
        each = plain.items() if isinstance(plain, dict) else enumerate(plain)
        for name, value in each:
            yield from numbers_in(value, (*place, name))
    elif isinstance(plain, int | float) and not isinstance(plain, bool):
        yield place, plain


@pytest.mark.parametrize("protocol", ["max-entropy", "order", "safari", "subset-order"])
def test_no_edited_document_says_that_reports_cost_less(tmp_path, protocol):
    """Every number in it, changed in six ways: refused in words, or as dear as it was."""
    so_far = SurveySoFar(draft(protocol=protocol, epsilon=2.0), 7)
    while isinstance(asked := so_far.follows, Asked):
        write(tmp_path / "r.parquet", answers(asked, len(so_far.rounds)))
        so_far = tally_reports(tmp_path / "r.parquet", so_far)
    plain, n_refused = json.loads(so_far.document()), 0
    places = [each for each in numbers_in(plain) if each[0][:2] != ("rounds", 0)]
    first = [each for each in numbers_in(plain) if each[0][:2] == ("rounds", 0)]
    for place, number in (*places, *first[:20]):
        for value in (number / 2, number - 1, -number - 1, number * 10**6, None, []):
            try:
                found = concluded(tmp_path / "x.json", edited(plain, place, value))
            except HushrankError:
                n_refused += 1
            else:
                assert isinstance(found, Asked) or found.epsilon >= asked.epsilon, place
    assert n_refused > 40


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("public_seed",), -7, "expected a survey as JSON"),
        (("rounds", 0, "tallies", 0, 0, 0), -20, "expected a survey as JSON"),
        (("rounds", 0, "tallies", 0, 0, 1, 0), -20, "expected a survey as JSON"),
        (("rounds", 0, "tallies", 0, 0, 0), 2**40, "expected a survey as JSON"),
        (("rounds", 0, "tallies", 0, 0, 0), 0, "tallies that reports can add up to"),
        (("rounds", 0, "tallies", 0, 0, 1, 0), 41, "tallies that reports can add up to"),
        (("rounds", 0, "tallies", 0, 0, 1, 1), 41, "tallies that reports can add up to"),
        (("rounds", 0, "tallies", 1, 0, 1, 0), 121, "tallies that reports can add up to"),
        (("rounds", 0, "tallies", 0, -1, 1, 0), 41, "tallies that reports can add up to"),
        (("rounds", 0, "tallies", 0, 1, 1, 0), 41, "tallies that reports can add up to"),
        (("chosen",), [{"kind": "pairs"}], "chosen: expected a design of blocks"),
        (("chosen", "block_size"), 3000, "expected blocks of 2 to 4 items"),
        (("chosen", "block_size"), -3, "expected blocks of 2 to 4 items"),
    ],
)
def test_a_document_that_cannot_be_is_refused_in_words(tmp_path, place, value, said):
    so_far = first_round(tmp_path, protocol="order")
    plain = json.loads(tally_reports(tmp_path / "r.parquet", so_far).document())
    with pytest.raises(HushrankError, match=said):
        concluded(tmp_path / "x.json", edited(plain, place, value))


@pytest.mark.parametrize("protocol", ["max-entropy", "pairs", "order"])
def test_of_the_most_reports_that_a_document_may_tell_of_something_is_learnt(tmp_path, protocol):
    so_far = first_round(tmp_path, protocol=protocol)
    counted = json.loads(tally_reports(tmp_path / "r.parquet", so_far).document())
    for part in counted["rounds"][0]["tallies"]:
        part[:] = [[2**40 - 1, [2**40 // len(supports)] * len(supports)] for _, supports in part]
    assert concluded(tmp_path / "x.json", counted).names == so_far.draft.names


@pytest.mark.parametrize("round", [0, 1])
@pytest.mark.parametrize(
    ("place", "value"), [(("fingerprints", -1), "0" * 64), (("tallies", -1, -1, 1, -1), 10**6)]
)
def test_each_round_of_a_document_is_checked(tmp_path, round, place, value):
    so_far = SurveySoFar(draft(protocol="safari", epsilon=4.0))
    while isinstance(asked := so_far.follows, Asked):
        write(tmp_path / "r.parquet", answers(asked, 1))
        so_far = tally_reports(tmp_path / "r.parquet", so_far)
    plain = json.loads(so_far.document())
    assert len(plain["rounds"]) == 2
    with pytest.raises(HushrankError, match=f"round {round + 1}"):
        concluded(tmp_path / "x.json", edited(plain, ("rounds", round, *place), value))


@pytest.mark.parametrize("content", [b"[" * 10**5, b'{"public_seed":' * 10**5, b"\xff", b""])
@pytest.mark.parametrize("name", ["x.json", "x.toml"])
def test_what_is_no_document_is_refused_in_words(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(HushrankError, match=f"{name}: (expected a survey as|the survey does not)"):
        read_so_far(tmp_path / name)


@pytest.mark.parametrize("name", ["draft", "so far"])
def test_what_is_passed_over_is_not_made(tmp_path, name):
    """A million lists take a hundred megabytes, and a survey's file has no cap of its own."""
    plain = json.loads(first_round(tmp_path).document())
    plain = plain["survey"] if name == "draft" else plain
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"more": 0, **plain}).replace("0", f"[{'[],' * 10**6}[]]", 1))
    tracemalloc.start()
    try:
        if name == "draft":
            with pytest.raises(HushrankError, match="marks"):
                read_so_far(path)
        else:
            read_so_far(path)
        assert tracemalloc.get_traced_memory()[1] < 30 * 10**6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("epsilon", [1 / 3, 0.1 + 0.2, 0.3])
@pytest.mark.parametrize("protocol", ["safari", "pairs", "max-entropy"])
def test_what_was_counted_is_read_again_whatever_the_digits_of_epsilon(tmp_path, protocol, epsilon):
    """Else people have paid, and nothing can be concluded."""
    so_far = first_round(tmp_path, protocol=protocol, epsilon=epsilon)
    counted = tally_reports(tmp_path / "r.parquet", so_far)
    counted.write(tmp_path / "so-far.json")
    again = read_so_far(tmp_path / "so-far.json")
    assert again.document() == counted.document()
    assert again.draft == counted.draft


def test_a_mix_is_no_design(tmp_path):
    so_far = first_round(tmp_path)
    plain = json.loads(tally_reports(tmp_path / "r.parquet", so_far).document())
    with pytest.raises(HushrankError, match="chosen: expected a mix of questions"):
        concluded(tmp_path / "x.json", {**plain, "chosen": {"block_size": 2}})


@pytest.mark.parametrize("part", [0, -1])
def test_a_round_may_have_reports_of_one_part_alone(tmp_path, part):
    asked, said = SurveySoFar(draft()).follows, []
    fingerprint = asked.parts[part].fingerprint.encode()
    sent = [each for each in answers(asked, 1) if fingerprint in each[1]]
    for name, some in (("a", sent[:3]), ("b", sent[3:])):
        write(tmp_path / f"{name}.parquet", some)
    counted = tally_reports(tmp_path / "*.parquet", SurveySoFar(draft()), progress=said.append)
    assert said[0] == f"counting {len(sent)} reports"
    assert counted.n_reports(0) == len(sent) > 3


def test_few_reports_show_no_result(tmp_path):
    so_far = first_round(tmp_path, smallest_group=N_PEOPLE + 1)
    with pytest.raises(HushrankError, match="fewer than 41 people reported"):
        _ = tally_reports(tmp_path / "r.parquet", so_far).follows
    enough = first_round(tmp_path, smallest_group=N_PEOPLE)
    assert tally_reports(tmp_path / "r.parquet", enough).follows.n_people == N_PEOPLE


@pytest.mark.parametrize("options", [{}, {"split": "people"}])
@pytest.mark.parametrize("n_reports", [(7,), (N_PEOPLE, 7)])
def test_after_a_round_of_few_nothing_is_shown_and_nobody_is_asked(tmp_path, options, n_reports):
    asked = {"protocol": "safari", "epsilon": 4.0, "options": options, "smallest_group": 8}
    so_far = SurveySoFar(draft(**asked))
    for seed, most in enumerate(n_reports):
        write(tmp_path / f"{seed}.parquet", answers(so_far.follows, seed)[:most])
        so_far = tally_reports(tmp_path / f"{seed}.parquet", so_far)
    with pytest.raises(HushrankError, match="fewer than 8 people reported in a round"):
        _ = so_far.follows
    with pytest.raises(HushrankError, match="fewer than 8 people reported in a round"):
        tally_reports(tmp_path / "0.parquet", so_far)


def test_a_document_of_another_survey_or_of_other_sizes_is_refused(tmp_path):
    counted = tally_reports(tmp_path / "r.parquet", first_round(tmp_path))
    path = tmp_path / "tallies.json"
    for change, named in (
        (lambda plain: plain["survey"].update(epsilon=1.5), "round 1 is none of this survey"),
        (lambda plain: plain["rounds"][0]["tallies"][0].pop(), "one tally for each question"),
        (lambda plain: plain.update(rounds=[3]), "expected a survey as JSON"),
    ):
        plain = json.loads(counted.document())
        change(plain)
        path.write_text(json.dumps(plain))
        with pytest.raises(HushrankError, match=named):
            read_so_far(path)


def test_reports_of_people_who_picked_their_question_are_named(tmp_path, monkeypatch, capsys):
    so_far = first_round(tmp_path, protocol="pairs", options={"queries": 1})
    honest = tally_reports(tmp_path / "r.parquet", so_far)
    assert honest.findings == ()
    (part,) = so_far.follows.parts
    own, draws = Rankings(np.arange(4, dtype=np.uint8)[None], NAMES), Randomness.seeded(1)
    picked = [
        (f"liar {number}", *part.answer(own, [0], lot=0.0, rng=draws, is_simulation=True))
        for number in range(60)
    ]
    write(tmp_path / "more.parquet", picked)
    counted = tally_reports(tmp_path / "*.parquet", so_far)
    assert {(each.kind, each.number) for each in counted.findings} == {("asked", 0), ("asked", 1)}
    counted.write(tmp_path / "tallies.json")
    assert hushrank(monkeypatch, "conclude", str(tmp_path / "tallies.json")) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Perhaps forged: more reports than are dealt to it regard {NAMES[0]}" in said


def test_reports_that_all_say_the_same_are_named_in_a_later_part_too(tmp_path):
    so_far = first_round(tmp_path)
    sent = dict(answers(so_far.follows, 1))
    last = so_far.follows.parts[-1].fingerprint.encode()
    report = next(each for each in sent.values() if last in each)
    write(tmp_path / "more.parquet", [(f"liar {number}", report) for number in range(400)])
    (found, *_) = tally_reports(tmp_path / "*.parquet", so_far).findings
    assert found.kind == "answer"


def test_the_command_exports_the_reports_of_the_round_that_is_named_or_of_the_last(
    tmp_path, monkeypatch, capsys
):
    address = f"sqlite:///{tmp_path / 'surveys.sqlite'}"

    async def collected():
        store = await open_store(address)
        service = Service(store)
        id = await service.create(draft(protocol="safari", epsilon=4.0))
        for start, n_people in ((service.open, 9), (service.open_round, 7)):
            await start(id)
            await take_part(service, id, range(n_people))
            await service.close_round(id)
        await store.close()
        return id

    survey = asyncio.run(collected())
    for number, named in enumerate((["--round", "1"], ["--round", "2"], [])):
        out = tmp_path / f"{number}.parquet"
        export = ("collector", "export", survey, "--store", address, "--out", str(out))
        assert hushrank(monkeypatch, *export, "--reports", *named) == 0
    first, second, last = (
        parquet.read_table(tmp_path / f"{number}.parquet") for number in range(3)
    )
    assert (len(first), len(second)) == (9, 7)
    assert last == second
    assert hushrank(monkeypatch, *export, "--reports", "--round", "3") == 1
    assert "has not ended" in capsys.readouterr().err


def test_what_a_collector_exports_is_counted_to_its_own_tallies(tmp_path):
    """Its reports and its document, into the same tallies; and an open round exports nothing."""

    async def collected():
        store = await open_store(str(tmp_path / "surveys.sqlite"))
        service = Service(store)
        id = await service.create(draft())
        await service.open(id)
        await take_part(service, id, range(12))
        with pytest.raises(HushrankError, match="has not ended"):
            await service.reports(id)
        await service.close(id)
        write_reports(tmp_path / "reports.parquet", *await service.reports(id))
        assert stat.S_IMODE((tmp_path / "reports.parquet").stat().st_mode) == 0o600
        (tmp_path / "survey.json").write_bytes(msgspec.json.encode(await service.export(id)))
        await store.close()

    asyncio.run(collected())
    exported = read_so_far(tmp_path / "survey.json")
    counted = tally_reports(tmp_path / "reports.parquet", exported, round=1)
    assert counted.rounds == exported.rounds
    assert counted.n_reports(0) == 12
    for mode in (None, 0o644):  # one that others read may lie there
        if mode is not None:
            (tmp_path / "tallies.json").chmod(mode)
        counted.write(tmp_path / "tallies.json")
        assert stat.S_IMODE((tmp_path / "tallies.json").stat().st_mode) == 0o600


def test_the_commands_count_conclude_and_write_the_next_round(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    held = draft(protocol="safari", epsilon=4.0)
    (tmp_path / "survey.toml").write_bytes(write_draft(held, {}, form="toml"))
    write(tmp_path / "first.parquet", answers(replay(held, 0, []), 1))
    run = partial(hushrank, monkeypatch)
    drafted = (tmp_path / "survey.toml").read_bytes()
    assert run(*["tally", "first.parquet", "--survey", "survey.toml", "--out", "survey.toml"]) == 1
    assert (tmp_path / "survey.toml").read_bytes() == drafted
    overwritten = "tally ./first.parquet *.parquet --survey survey.toml --out first.parquet"
    assert run(*overwritten.split()) == 1
    assert run(*overwritten.replace("./first.parquet", "").split()) == 1
    assert capsys.readouterr().err.count("expected different files to read and to write") == 2
    twice = "tally first.parquet ./first.parquet"
    first = f"{twice} --survey survey.toml --out one.json --key person --scratch ."
    assert run(*first.split(), "--scratch", "scratch/none") == 1
    assert "hushrank: scratch/none: No such file" in capsys.readouterr().err
    assert run(*first.split()) == 0
    assert run("conclude", "one.json", "--next", "second") == 0
    so_far = read_so_far(tmp_path / "one.json")
    (next_survey,) = (tmp_path / "second").iterdir()
    assert next_survey.read_bytes() == so_far.follows.parts[0].document
    write(tmp_path / "second.parquet", answers(so_far.follows, 2))
    assert run(*["tally", "second.parquet", "--survey", "one.json", "--out", "one.json"]) == 0
    capsys.readouterr()
    assert run("conclude", "one.json", "--json", "results.json", "--csv", "order.csv") == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["people"] == N_PEOPLE
    assert results["private_model"] == "local"
    assert results["privacy_statement"] in " ".join(capsys.readouterr().out.split())
    assert run("conclude", "one.json", "--next", "third") == 1


def test_reports_of_many_questions_and_kinds_are_written_and_counted(tmp_path):
    items = [{"name": str(n)} for n in range(8)]
    so_far = SurveySoFar(draft(items=items, protocol="pairs"))
    kinds = [Kinds(0, number, {b"0": number + 1, b"1": 2}) for number in range(28)]
    write_reports(tmp_path / "r.parquet", so_far.follows, kinds)
    (round,) = tally_reports(tmp_path / "r.parquet", so_far).rounds
    assert round.tallies == (tuple((n + 3, (n + 1, 2)) for n in range(28)),)
    so_far = SurveySoFar(draft(protocol="grr"))
    each = Kinds(0, 0, {b"%d" % number: number + 1 for number in range(24)})
    write_reports(tmp_path / "r.parquet", so_far.follows, [each])
    (round,) = tally_reports(tmp_path / "r.parquet", so_far).rounds
    assert round.tallies == (((300, tuple(range(1, 25))),),)


def test_a_file_of_many_pieces_is_marked_where_each_piece_is(tmp_path):
    so_far = SurveySoFar(draft(protocol="pairs"))
    names = [tmp_path / f"{number:02}.parquet" for number in range(24)]
    one = [Kinds(0, 0, {b"0": 1})]
    for name in names:
        write_reports(name, so_far.follows, one, "mark")
    for last, mark in (("mark", "mark"), ("other", ""), ("", "")):
        write_reports(names[-1], so_far.follows, one, last)
        said = []
        (round,) = tally_reports(names, so_far, progress=said.append).rounds
        assert (round.handed, round.tallies[0][0][0]) == (mark, 24)
        assert said[0] == "counting 24 reports"


@pytest.mark.parametrize("question", [0, 12, 27])
def test_no_category_of_many_questions_has_more_support_than_reports(question):
    items = [{"name": str(n)} for n in range(8)]
    (survey,) = SurveySoFar(draft(items=items, protocol="pairs")).follows.surveys
    tallies = [(3, (3, 0))] * 28
    assert elsewhere._can_be(survey, tallies)
    tallies[question] = (3, (4, 0))
    assert not elsewhere._can_be(survey, tallies)


def test_no_category_of_many_has_more_support_than_reports():
    (survey,) = SurveySoFar(draft(protocol="grr")).follows.surveys
    (mechanism,) = survey.mechanisms
    rest = (0,) * (mechanism.n_categories - 1)
    assert elsewhere._can_be(survey, [(3, (3, *rest))])
    assert not elsewhere._can_be(survey, [(3, (4, *rest))])


def of_many_questions(tmp_path, *kinds):
    items = [{"name": str(n)} for n in range(8)]
    so_far = SurveySoFar(draft(items=items, protocol="pairs"))
    write_reports(tmp_path / "r.parquet", so_far.follows, kinds)
    return tally_reports(tmp_path / "r.parquet", so_far)


@pytest.mark.parametrize("question", [0, 27])
def test_reports_of_one_of_many_questions_are_reports_of_the_round(tmp_path, question):
    (round,) = of_many_questions(tmp_path, Kinds(0, question, {b"0": 3})).rounds
    assert [n for n, _ in round.tallies[0]] == [3 * (n == question) for n in range(28)]


@pytest.mark.parametrize("question", [0, 27])
def test_each_of_many_tallies_of_a_document_fits_its_question(tmp_path, question):
    kinds = [Kinds(0, number, {b"0": 3}) for number in range(28)]
    plain = json.loads(of_many_questions(tmp_path, *kinds).document())
    place = ("rounds", 0, "tallies", 0, question, 1)
    assert concluded(tmp_path / "x.json", edited(plain, place, [0, 3]))
    with pytest.raises(HushrankError, match="one tally for each question"):
        concluded(tmp_path / "x.json", edited(plain, place, [0, 2, 1]))


def test_all_of_many_findings_are_told(tmp_path):
    kinds = [Kinds(0, number, {b"0": 2000 * (number % 2) + 1}) for number in range(28)]
    counted = of_many_questions(tmp_path, *kinds)
    (survey,), (tallies,) = counted.before(1).follows.surveys, counted.rounds[0].counted
    found = suspicion(survey, tallies, false_alarm=FALSE_ALARM).findings
    assert len(found) > 20
    assert counted.findings == tuple(sorted(found, key=lambda each: each.p_value))


def test_pictures_of_many_items_are_left_out_and_no_item_is():
    items = [{"name": str(n), "picture": digest_of(b"%d" % n)} for n in range(24)]
    left = elsewhere._without_pictures(draft(items=items))
    assert left == draft(items=[{"name": str(n)} for n in range(24)])


@pytest.mark.parametrize(
    ("support", "said"), [([0, 2, 1], "one tally for each question"), ([4, 0], "can add up to")]
)
def test_the_last_of_many_parts_is_counted_and_checked(tmp_path, monkeypatch, support, said):
    monkeypatch.setitem(registry.PROTOCOLS, "pairs", registry._entry(Parted))
    so_far = SurveySoFar(draft(protocol="pairs"))
    write_reports(tmp_path / "r.parquet", so_far.follows, [Kinds(23, 0, {b"0": 3})])
    counted = tally_reports(tmp_path / "r.parquet", so_far)
    assert [n for ((n, _),) in counted.rounds[0].tallies] == [0] * 23 + [3]
    plain = json.loads(counted.document())
    with pytest.raises(HushrankError, match=said):
        concluded(tmp_path / "x.json", edited(plain, ("rounds", 0, "tallies", 23, 0, 1), support))

"""Reports made up after NIST SP 1500-103, and after the draft before it."""

import json
from copy import deepcopy

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.cast_votes import contests
from hushrank.rankings.cast_votes.common_data import parse_common_data
from hushrank.rankings.files import read_rankings

PEOPLE = {"p1": "Ann Lee", "p2": "Bo Ma", "p3": "Cy Ito"}
ELECTION = {
    "@type": "CVR.Election",
    "@id": "e1",
    "Candidate": [{"@id": id, "Name": name} for id, name in PEOPLE.items()],
    "Contest": [
        {
            "@id": "mayor",
            "Name": "Mayor",
            "VoteVariation": "rcv",
            "ContestSelection": [
                *({"@id": f"c-{id}", "CandidateIds": [id]} for id in PEOPLE),
                {"@id": "c-w", "IsWriteIn": True},
            ],
        },
        {
            "@id": "measure",
            "Name": "Measure A",
            "VoteVariation": "plurality",
            "ContestSelection": [{"@id": "yes", "Selection": "Yes"}],
        },
    ],
}
YES = {"ContestId": "measure", "CVRContestSelection": [{"ContestSelectionId": "yes"}]}


def marked(choice, *ranks, **more):
    places = [{"HasIndication": "yes", "NumberVotes": 1, "Rank": rank, **more} for rank in ranks]
    return {"ContestSelectionId": choice, "SelectionPosition": places}


def record(*selections, contest="mayor"):
    contests = [{"ContestId": contest, "CVRContestSelection": list(selections)}, YES]
    snapshot = {"@id": "s1", "Type": "original", "CVRContest": contests}
    return {"@type": "CVR.CVR", "CurrentSnapshotId": "s1", "CVRSnapshot": [snapshot]}


BALLOTS = [
    record(marked("c-p1", 1), marked("c-p2", 2), marked("c-p3", 3)),
    record(marked("c-p2", 1, 2), marked("c-p1", 3)),  # the same candidate twice
    record(marked("c-p2", 1), marked("c-p1", 2), marked("c-p3", 2)),  # two in one place
    record(marked("c-p1", 1, IsAllocable="no"), marked("c-p2", 1)),
    record(marked("c-p1", 1, HasIndication="no"), marked("c-p3", 1)),
    record(marked("c-w", 1), marked("c-p1", 2)),
    record(),
]
FOUND = [
    ["Ann Lee", "Bo Ma", "Cy Ito"],
    ["Bo Ma", "Ann Lee"],
    ["Bo Ma"],
    ["Bo Ma"],
    ["Cy Ito"],
    ["Write-in", "Ann Lee"],
]


def report(records=BALLOTS, election=ELECTION):
    head = {"@type": "CVR.CastVoteRecordReport", "Version": "1.0.0", "GeneratedDate": "2026-01-01"}
    return {**head, "Election": [election], "CVR": records}


def as_xml(name, value):
    """Write a part of a report as XML, where an id is an attribute and a list of ids one text."""
    if isinstance(value, list) and name != "CandidateIds":
        return "".join(as_xml(name, each) for each in value)
    if not isinstance(value, dict):
        text = " ".join(value) if isinstance(value, list) else str(value)
        return f"<{name}>{text.lower() if isinstance(value, bool) else text}</{name}>"
    id = f' ObjectId="{value["@id"]}"' if "@id" in value else ""
    parts = "".join(as_xml(key, each) for key, each in value.items() if key[0] != "@")
    return f"<{name}{id}>{parts}</{name}>"


def written(found, tmp_path, form="json"):
    path = tmp_path / f"report.{form}"
    if form == "json":
        path.write_text(json.dumps(found))
    else:
        text = as_xml("CastVoteRecordReport", found)
        space = '<CastVoteRecordReport xmlns="http://example.org/cvr"'
        path.write_text('<?xml version="1.0"?>' + text.replace("<CastVoteRecordReport", space, 1))
    return path


@pytest.mark.parametrize("form", ["json", "xml"])
def test_ballots_are_the_marks_that_count(form, tmp_path):
    rankings = read_rankings(written(report(), tmp_path, form))
    assert [list(person) for person in rankings] == FOUND
    said = str(rankings.reading)
    assert "7 people" not in said
    assert "cast vote records in the common data format" in said
    assert "1 empty left out" in said
    assert "1 with an item twice" in said
    assert "1 ended by two items in one place" in said


def test_records_of_few_bytes_have_few_places(tmp_path, monkeypatch):
    """Of 2 MB, 2.3 GB would be made for one mark's sake."""
    monkeypatch.setattr(contests, "FEW_CELLS", 100)
    empty = {"CVRSnapshot": [{}]}
    one = record(marked("c-p1", 300))
    full, empty = ([one] * 2 + [each] * 500 for each in (record(), empty))
    assert parse_common_data(json.dumps(report(full)).encode()).n_rows == 502
    with pytest.raises(HushrankError, match="places together, got 300"):
        parse_common_data(json.dumps(report(empty)).encode())


def test_the_draft_says_the_same_in_other_words(tmp_path):
    def draft(selection):
        indications = selection["SelectionPosition"]
        one = {
            "ContestSelectionId": selection["ContestSelectionId"],
            "Rank": indications[0]["Rank"],
        }
        return {**one, "SelectionIndication": [{"IsAllocable": "yes", "NumberVotes": 1}]}

    records = []
    for each in BALLOTS[:1]:
        (snapshot,) = deepcopy(each["CVRSnapshot"])
        contest = snapshot["CVRContest"][0]
        contest["CVRContestSelection"] = [draft(one) for one in contest["CVRContestSelection"]]
        older = {"IsCurrent": False, "Type": "original", "CVRContest": snapshot["CVRContest"][:1]}
        records.append({"CVRSnapshot": [older, {**snapshot, "IsCurrent": True}]})
    rankings = read_rankings(written(report(records), tmp_path))
    assert [list(person) for person in rankings] == FOUND[:1]


def test_the_snapshot_counts_that_is_current(tmp_path):
    changed = deepcopy(BALLOTS[0])
    changed["CVRSnapshot"][0]["@id"] = "s0"
    changed["CVRSnapshot"] += BALLOTS[4]["CVRSnapshot"]
    rankings = read_rankings(written(report([changed, BALLOTS[0]]), tmp_path))
    assert list(rankings[0]) == FOUND[4]


def test_marks_that_nobody_decided_about_are_counted_and_said(tmp_path):
    records = [record(marked("c-p1", 1, IsAllocable="unknown"), marked("c-p2", 2)), BALLOTS[0]]
    rankings = read_rankings(written(report(records), tmp_path))
    assert list(rankings[0]) == ["Ann Lee", "Bo Ma"]
    assert "marks that nobody decided about: 1, counted" in str(rankings.reading)


def test_a_mark_that_is_none_is_nothing_to_decide_about(tmp_path):
    none = marked("c-p1", 1, HasIndication="unknown", IsAllocable="no")
    found = read_rankings(written(report([record(none, marked("c-p2", 1)), BALLOTS[0]]), tmp_path))
    assert list(found[0]) == ["Bo Ma"]
    assert "nobody decided" not in str(found.reading)


def test_a_mark_counts_where_one_of_its_parts_says_so(tmp_path):
    """Of an export with the words of the standard and of its draft."""
    both = marked("c-p1", 1, HasIndication="no") | {"SelectionIndication": [{"Rank": 1}]}
    found = read_rankings(written(report([record(both), BALLOTS[0]]), tmp_path))
    assert list(found[0]) == ["Ann Lee"]


def test_who_is_written_in_and_stands_for_election_has_a_name(tmp_path):
    election = deepcopy(ELECTION)
    election["Candidate"].append({"@id": "p4", "Name": "Dee Oz"})
    election["Contest"][0]["ContestSelection"][-1]["CandidateIds"] = ["p4"]
    found = read_rankings(written(report(election=election), tmp_path))
    assert list(found[5]) == ["Dee Oz", "Ann Lee"]


def test_a_name_may_be_given_in_several_languages(tmp_path):
    election = deepcopy(ELECTION)
    texts = [{"Content": "Ana", "Language": "es"}, {"Content": "Ann", "Language": "en"}]
    election["Candidate"][0]["Name"] = {"Text": texts}
    assert "Ana" in read_rankings(written(report(election=election), tmp_path)).names
    election["Candidate"][0]["Name"] = {"Text": ["Ana", "Ann"]}  # the language is an attribute
    assert "Ana" in read_rankings(written(report(election=election), tmp_path, "xml")).names


def test_a_choice_whose_rank_stands_beside_a_mark_that_is_none_does_not_count(tmp_path):
    """Of some machines each choice has the rank that its mark would have."""
    unmarked, marks = deepcopy(BALLOTS[0]), {"HasIndication": "no", "NumberVotes": 0}
    chosen = {"ContestSelectionId": "c-p3", "Rank": 1, "SelectionPosition": [marks]}
    unmarked["CVRSnapshot"][0]["CVRContest"][0]["CVRContestSelection"][0] = chosen
    rankings = read_rankings(written(report([unmarked, *BALLOTS[:1]]), tmp_path))
    assert [list(person) for person in rankings] == [["Bo Ma", "Cy Ito"], FOUND[0]]


def broken(**changes):
    """Return a report whose first record is changed."""
    changed = deepcopy(BALLOTS[0])
    changed.update(changes)
    return report([changed, BALLOTS[1]])


@pytest.mark.parametrize(
    ("found", "expectation"),
    [
        (report([]), "expected at least 1 record"),
        (
            report([record(marked("c-p9", 1))]),
            "record 1: expected choices that the file's Election",
        ),
        (
            report([record(marked("yes", 1), contest="x")]),
            "record 1: expected contests of the file",
        ),
        (report([record({"ContestSelectionId": "c-p1"})]), "record 1: expected a rank of 1"),
        (report([record(marked("c-p1", 0))]), "record 1: expected a rank of 1"),
        (report([record(marked("c-p1", "first"))]), "expected cast vote records in the common"),
        (broken(CurrentSnapshotId="s7"), "record 1: expected one current snapshot, got 0"),
        (
            broken(CVRSnapshot=[each["CVRSnapshot"][0] for each in BALLOTS[:2]]),
            "record 1: expected one current snapshot, got 2",
        ),
        (report([record(contest="measure")]), "expected a contest in which candidates are ranked"),
    ],
)
def test_what_does_not_fit_is_said_by_record(found, expectation, tmp_path):
    with pytest.raises(HushrankError, match=expectation):
        read_rankings(written(found, tmp_path))


def test_contests_that_stand_in_other_snapshots_are_not_passed_over(tmp_path):
    """Some machines write one snapshot a contest, of which only the first is called current."""
    one = deepcopy(BALLOTS[0])
    rest = {"@id": "s2", "Type": "original", "CVRContest": [{"ContestId": "clerk"}]}
    one["CVRSnapshot"].append(rest)
    with pytest.raises(HushrankError, match="record 1: expected every contest in its current"):
        read_rankings(written(report([one]), tmp_path))


def test_a_choice_without_a_name_is_no_item(tmp_path):
    """Some machines write the place into the choice, and the candidate nowhere."""
    election = deepcopy(ELECTION)
    election["Contest"][0]["ContestSelection"].append({"@id": "mayor_R1"})
    found = report([record(marked("mayor_R1", 1))], election)
    with pytest.raises(HushrankError, match="record 1: expected choices"):
        read_rankings(written(found, tmp_path))


def test_xml_defines_nothing(tmp_path):
    path = written(report(), tmp_path, "xml")
    text = path.read_text().replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>', 1)
    path.write_text(text)
    with pytest.raises(HushrankError, match="expected XML without a document type"):
        read_rankings(path)
    path.write_text(text[: len(text) // 2].replace('<!DOCTYPE x [<!ENTITY a "b">]>', ""))
    with pytest.raises(HushrankError, match="expected whole XML"):
        read_rankings(path)


@pytest.mark.parametrize("rank", [0, -1, 1001, 10**9])
def test_a_rank_of_more_than_a_thousand_is_refused_where_it_stands(tmp_path, rank):
    (tmp_path / "c.json").write_text(json.dumps(report([*BALLOTS, record(marked("c-p1", rank))])))
    with pytest.raises(HushrankError, match=r"record 8: expected a rank of 1\.\.1000"):
        read_rankings(tmp_path / "c.json")


def test_more_places_than_a_byte_counts_are_read(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(report([*BALLOTS, record(marked("c-p1", 300))])))
    assert list(read_rankings(tmp_path / "c.json"))[-1] == ("Ann Lee",)


def test_a_contest_that_one_record_alone_ranks_is_asked_about(tmp_path):
    """What all others marked there would come behind their ranked contest."""
    election = deepcopy(ELECTION)
    del election["Contest"][1]["VoteVariation"]
    election["Contest"][1]["ContestSelection"].append({"@id": "no", "Selection": "No"})
    own = record(marked("yes", 1), marked("no", 2), contest="measure")
    own["CVRSnapshot"][0]["CVRContest"].pop()
    plain = written(report(election=election), tmp_path)
    assert read_rankings(plain, form="places").n_people == len(FOUND)
    with pytest.raises(HushrankError, match="one ballot alone does"):
        read_rankings(written(report([*BALLOTS, own], election), tmp_path), form="places")
    several = written(report([*BALLOTS, own, own], election), tmp_path)
    assert read_rankings(several, columns=["Measure*"]).n_people == 2


MANY = [f"person {n}" for n in range(10, 40)]


def many_elections():
    """Thirty elections; the last one's last contest is for mayor, with thirty people."""
    empty = [{"@id": f"e{n}", "Candidate": [], "Contest": []} for n in range(29)]
    others = [
        {
            "@id": f"o{n}",
            "Name": f"Board {n}",
            "VoteVariation": "plurality",
            "ContestSelection": [{"@id": f"s{n}", "Selection": "Yes"}],
        }
        for n in range(29)
    ]
    choices = [{"@id": f"c{n}", "CandidateIds": [f"p{n}"]} for n in range(30)]
    mayor = {"@id": "mayor", "Name": "Mayor", "VoteVariation": "rcv", "ContestSelection": choices}
    people = [{"@id": f"p{n}", "Name": name} for n, name in enumerate(MANY)]
    return [*empty, {"@id": "last", "Candidate": people, "Contest": [*others, mayor]}]


def long_record(n, *, n_snapshots=30, **last):
    """A record whose last snapshot's last contest ranks all people from the nth on."""
    marks = [marked(f"c{one}", place) for place, one in enumerate(range(n, 30), start=1)]
    marks[-1] |= last
    contests = [{"ContestId": f"o{one}", "CVRContestSelection": []} for one in range(29)]
    contests.append({"ContestId": "mayor", "CVRContestSelection": marks})
    older = [{"@id": f"s{one}", "Type": "original"} for one in range(n_snapshots - 1)]
    newest = {"@id": "now", "Type": "interpreted", "CVRContest": contests}
    return {"CurrentSnapshotId": "now", "CVRSnapshot": [*older, newest]}


def long_report(records):
    return {**report(records), "Election": many_elections()}


@pytest.mark.parametrize("form", ["json", "xml"])
def test_all_of_many_parts_of_a_report_are_read(form, tmp_path):
    records = [long_record(n) for n in range(29)]
    found = read_rankings(written(long_report(records), tmp_path, form))
    assert found.names == tuple(MANY)
    assert list(found) == [tuple(MANY[n:]) for n in range(29)]


@pytest.mark.parametrize(
    ("last", "expectation"),
    [
        ({"ContestSelectionId": "c99"}, "choices that the file's Election names"),
        (marked("c29", *range(1, 30), 1001), "a rank of 1"),
    ],
)
def test_the_last_mark_of_the_last_record_is_checked(tmp_path, last, expectation):
    path = written(long_report([*[long_record(0)] * 28, long_record(0, **last)]), tmp_path)
    with pytest.raises(HushrankError, match=f"record 29: expected {expectation}"):
        read_rankings(path)


def test_the_last_of_many_positions_of_a_mark_counts(tmp_path):
    none = [{"HasIndication": "no", "Rank": n} for n in range(1, 30)]
    for said in ("yes", "unknown"):
        own = [*none, {"HasIndication": said, "Rank": 1}]
        records = [record({"ContestSelectionId": "c-p1", "SelectionPosition": own})] * 2
        found = read_rankings(written(report(records), tmp_path))
        assert list(found) == [("Ann Lee",)] * 2
        assert ("nobody decided about: 2" in str(found.reading)) == (said == "unknown")


@pytest.mark.parametrize("at", [0, 29])
def test_one_of_many_snapshots_with_another_contest_is_not_passed_over(tmp_path, at):
    one = long_record(0, n_snapshots=31)
    one["CVRSnapshot"][at]["CVRContest"] = [{"ContestId": "clerk"}]
    with pytest.raises(HushrankError, match="record 1: expected every contest in its current"):
        read_rankings(written(long_report([one]), tmp_path))
    contests = [{"ContestId": f"o{n}"} for n in range(29)]
    one["CVRSnapshot"][at]["CVRContest"] = [*contests, {"ContestId": "clerk"}]
    with pytest.raises(HushrankError, match="record 1: expected every contest in its current"):
        read_rankings(written(long_report([one]), tmp_path))


def test_a_choice_may_be_of_many_people(tmp_path):
    election = deepcopy(ELECTION)
    election["Candidate"] += [{"@id": f"q{n}", "Name": f"Q{n}"} for n in range(30)]
    election["Contest"][0]["ContestSelection"][0]["CandidateIds"] = [f"q{n}" for n in range(30)]
    found = read_rankings(written(report(election=election), tmp_path))
    assert " and ".join(f"Q{n}" for n in range(30)) in found.names


def test_a_contest_behind_many_that_says_that_it_is_ranked_is_not_asked_about():
    """Also where one ballot alone ranks several."""
    short = {"CVRContest": [{"ContestId": "mayor", "CVRContestSelection": [marked("c1", 1)]}]}
    records = [long_record(0), *[{"CVRSnapshot": [short]}] * 25]
    found = parse_common_data(json.dumps(long_report(records)).encode())
    assert len(found.header) == 30


def test_one_ballot_alone_that_ranks_is_asked_about_behind_many_marks(tmp_path):
    """Of people who all mark three places of a contest that says that it is ranked."""
    election = deepcopy(ELECTION)
    del election["Contest"][1]["VoteVariation"]
    election["Contest"][1]["ContestSelection"].append({"@id": "no", "Selection": "No"})
    own = record(marked("yes", 1), marked("no", 2), contest="measure")
    own["CVRSnapshot"][0]["CVRContest"].pop()
    records = [*[BALLOTS[0]] * 25, own]
    with pytest.raises(HushrankError, match="one ballot alone does"):
        read_rankings(written(report(records, election), tmp_path), form="places")


def test_the_last_of_many_positions_that_count_may_be_undecided(tmp_path):
    own = [{"HasIndication": "yes", "Rank": 1}] * 29 + [{"HasIndication": "unknown", "Rank": 1}]
    records = [record({"ContestSelectionId": "c-p1", "SelectionPosition": own})] * 2
    found = read_rankings(written(report(records), tmp_path))
    assert "nobody decided about: 2" in str(found.reading)

"""Exports made up after the public form of Dominion's cast vote records."""

import json
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from hushrank.errors import HushrankError
from hushrank.files import encodings
from hushrank.rankings.cast_votes import contests
from hushrank.rankings.files import read_rankings

CONTESTS = {"List": [
    {"Id": 7, "Description": "Mayor", "NumOfRanks": 3, "VoteFor": 1, "Disabled": 0},
    {"Id": 8, "Description": "Measure A", "NumOfRanks": 0, "VoteFor": 1},
]}  # fmt: skip
CANDIDATES = {"List": [
    {"Id": 1, "Description": "ANN LEE", "ContestId": 7, "Type": "Regular"},
    {"Id": 2, "Description": "BO MA", "ContestId": 7},
    {"Id": 3, "Description": "Write-in", "ContestId": 7},
    {"Id": 4, "Description": "Write-in", "ContestId": 7},
    {"Id": 9, "Description": "YES", "ContestId": 8},
]}  # fmt: skip


def mark(candidate, rank, **more):
    return {"CandidateId": candidate, "Rank": rank, "IsVote": True, **more}


def ballot(*marks, current=True):
    measure = {"Id": 8, "Marks": [mark(9, 1)]}
    contests = [{"Id": 7, "Marks": list(marks), "Overvotes": 0}]
    return {"IsCurrent": current, "Cards": [{"Contests": contests}, {"Contests": [measure]}]}


SESSIONS = [
    {"RecordId": 1, "Original": ballot(mark(1, 1), mark(2, 2))},
    {"RecordId": "X", "Original": ballot(mark(2, 1), mark(4, 3))},  # a place is skipped
    {"Original": ballot(mark(2, 1), mark(1, 2), mark(3, 2))},  # two in one place
    {"Original": ballot(mark(1, 1), current=False), "Modified": ballot(mark(2, 1))},
    {"Original": ballot(mark(1, 1, IsAmbiguous=True), mark(2, 1))},
    {"Original": ballot()},
]


def files(sessions=SESSIONS, candidates=CANDIDATES, contests=CONTESTS):
    votes = {"Version": "5.10", "ElectionId": "made up", "Sessions": sessions}
    parts = {"CvrExport.json": votes, "ContestManifest.json": contests}
    parts["CandidateManifest.json"] = candidates
    return {name: json.dumps(part) for name, part in parts.items()}


@pytest.fixture(params=["zip", "json"])
def export(request, tmp_path):
    if request.param == "json":
        for name, text in files().items():
            (tmp_path / name).write_text(text)
        return tmp_path / "CvrExport.json"
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        for name, text in files().items():
            archive.writestr(f"CVR/{name}", text)
    return tmp_path / "export.zip"


def test_ballots_are_those_that_count(export):
    rankings = read_rankings(export)
    assert rankings.names == ("ANN LEE", "BO MA", "Write-in (4)")
    ballots = [list(person) for person in rankings]
    assert ballots == [["ANN LEE", "BO MA"], ["BO MA", "Write-in (4)"], *[["BO MA"]] * 3]
    assert "cast vote records by Dominion" in str(rankings.reading)
    assert "1 empty left out" in str(rankings.reading)


def test_a_reading_that_was_changed_counts_as_soon_as_it_is_current(tmp_path):
    """Nobody has taken back what was scanned of the first; of the second somebody has."""
    scanned, decided = mark(1, 1), mark(2, 1)
    sessions = [
        {"Original": ballot(scanned), "Modified": ballot(decided, current=False)},
        {"Original": ballot(scanned, current=False), "Modified": ballot(decided)},
    ]
    found = read_rankings(written(tmp_path, files(sessions)))
    assert [list(person) for person in found] == [["ANN LEE"], ["BO MA"]]


def test_contests_beside_the_cards_and_on_them_are_read(tmp_path):
    """Old exports have no cards; whoever has both is heard on both."""
    beside = {"Contests": [{"Id": 7, "Marks": [mark(1, 1)]}], "Cards": ballot()["Cards"][1:]}
    sessions = [{"Original": beside}, {"Original": ballot(mark(2, 1))}]
    found = read_rankings(written(tmp_path, files(sessions)))
    assert [list(person) for person in found] == [["ANN LEE"], ["BO MA"]]


def test_who_is_called_like_somebody_of_another_contest_keeps_the_name(tmp_path):
    other = {"Id": 10, "Description": "ANN LEE", "ContestId": 8}
    candidates = {"List": [*CANDIDATES["List"], other]}
    found = read_rankings(written(tmp_path, files(candidates=candidates)))
    assert found.names == ("ANN LEE", "BO MA", "Write-in (4)")


def test_a_contest_is_chosen_where_there_are_several(tmp_path):
    contests = {"List": [CONTESTS["List"][0], CONTESTS["List"][1] | {"NumOfRanks": 2}]}
    for name, text in files(contests=contests).items():
        (tmp_path / name).write_text(text)
    with pytest.raises(HushrankError, match="columns"):
        read_rankings(tmp_path / "CvrExport.json")
    chosen = read_rankings(tmp_path / "CvrExport.json", columns=["Measure A*"])
    assert chosen.names == ("YES",)


@pytest.mark.parametrize(
    ("parts", "expectation"),
    [
        ({"sessions": []}, "expected at least 1 session"),
        ({"sessions": [{}]}, "CvrExport: expected JSON as Dominion exports it"),
        ({"candidates": {"List": []}}, "session 1: expected candidates of the manifest"),
        (
            {"contests": {"List": [CONTESTS["List"][0] | {"NumOfRanks": 1}]}},
            "expected a contest in which candidates are ranked",
        ),
        (
            {"contests": {"List": [CONTESTS["List"][0] | {"NumOfRanks": 2}]}},
            "session [0-9]: expected ranks of its contest",
        ),
        ({"contests": {"List": []}}, "expected a contest in which candidates are ranked"),
    ],
)
def test_a_part_that_does_not_fit_is_named(parts, expectation, tmp_path):
    for name, text in files(**parts).items():
        (tmp_path / name).write_text(text)
    with pytest.raises(HushrankError, match=rf"CvrExport.json: {expectation}$"):
        read_rankings(tmp_path / "CvrExport.json")


def test_votes_without_names_ask_for_them(tmp_path):
    (tmp_path / "CvrExport.json").write_text(files()["CvrExport.json"])
    with pytest.raises(HushrankError, match=r"expected ContestManifest.json beside the votes"):
        read_rankings(tmp_path / "CvrExport.json")


NAMES = tuple(f"PERSON {n}" for n in range(10, 40))


def many(sessions, n_others=30):
    """Files of thirty people in a contest that stands behind others, of which nobody is ranked."""
    people = [{"Id": n, "Description": name, "ContestId": 7} for n, name in enumerate(NAMES)]
    others = [{"Id": 100 + n, "Description": f"Board {n}"} for n in range(n_others)]
    mayor = {"Id": 7, "Description": "Mayor", "NumOfRanks": 30}
    return files(sessions, {"List": people}, {"List": [*others, mayor]})


def many_marks(n, **last):
    """A ballot of thirty cards, of which the last ranks all people from the nth on."""
    marks = [mark(one, place) for place, one in enumerate(range(n, 30), start=1)]
    marks[-1] |= last
    cards = [{"Contests": [{"Id": 100 + card, "Marks": []}]} for card in range(29)]
    contests = [{"Id": 100 + card, "Marks": []} for card in range(29)]
    cards.append({"Contests": [*contests, {"Id": 7, "Marks": marks}]})
    return {"Original": {"Cards": cards}}


def written(tmp_path, parts):
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "CvrExport.json"


def test_all_of_many_sessions_cards_contests_marks_and_people_are_read(tmp_path):
    sessions = [many_marks(n) for n in range(29)]
    found = read_rankings(written(tmp_path, many(sessions)))
    assert found.names == NAMES
    assert list(found) == [NAMES[n:] for n in range(29)]


@pytest.mark.parametrize(
    ("last", "expectation"),
    [({"CandidateId": 99}, "candidates of the manifest"), ({"Rank": 31}, "ranks of its contest")],
)
@pytest.mark.parametrize("at", [0, 28])
def test_the_last_mark_of_one_of_many_sessions_is_checked(tmp_path, at, last, expectation):
    sessions = [many_marks(0)] * 29
    sessions[at] = many_marks(0, **last)
    with pytest.raises(HushrankError, match=f"session {at + 1}: expected {expectation}"):
        read_rankings(written(tmp_path, many(sessions)))


def test_all_of_many_files_of_votes_are_read(tmp_path):
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        for name, text in files().items():
            if name != "CvrExport.json":
                archive.writestr(name, text)
        for number in range(30):
            votes = json.dumps({"Sessions": SESSIONS[:1]})
            archive.writestr(f"CvrExport_{number}.json", votes)
    assert read_rankings(tmp_path / "export.zip").n_people == 30


def test_manifests_stand_among_many_other_files(tmp_path):
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        for number in range(30):
            archive.writestr(f"CvrExport_{number}.json", json.dumps({"Sessions": SESSIONS[:1]}))
            archive.writestr(f"other_{number}.json", "")
        for name, text in files().items():
            archive.writestr(name, text)
    assert read_rankings(tmp_path / "export.zip").n_people == 30 + len(SESSIONS) - 1


def test_manifests_may_stand_in_a_folder_behind_many_files_of_votes(tmp_path):
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        for number in range(30):
            votes = json.dumps({"Sessions": SESSIONS[:1]})
            archive.writestr(f"a/CvrExport_{number}.json", votes)
        for name, text in files().items():
            archive.writestr(f"b/{name}", text)
    assert read_rankings(tmp_path / "export.zip").n_people == 30 + len(SESSIONS) - 1


def test_an_archive_that_is_packed_too_small_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(encodings, "UNPACKED_ANYWAY", 2**12)
    for n_blanks in (0, 2**20):
        with ZipFile(tmp_path / "export.zip", "w", ZIP_DEFLATED) as archive:
            archive.writestr("other.json", " " * 2**20)  # which is not read
            for name, text in files().items():
                archive.writestr(name, text + " " * n_blanks)
        if n_blanks:
            with pytest.raises(HushrankError, match="100 times its size at most: unpack it"):
                read_rankings(tmp_path / "export.zip")
        else:
            assert read_rankings(tmp_path / "export.zip").n_people == len(SESSIONS) - 1


def test_ballots_of_few_bytes_have_few_places_however_long_the_manifests_are(tmp_path, monkeypatch):
    """Of 640 kB, 900 MB would be made."""
    monkeypatch.setattr(contests, "FEW_CELLS", 100)
    empty, full = [{"Original": {}}] * 50, [{"Original": ballot(mark(1, 1), mark(2, 2))}] * 50
    wide = {"List": [{"Id": 7, "Description": "Mayor", "NumOfRanks": 300}]}
    padded = {
        "List": [*CANDIDATES["List"], *({"Id": n, "Description": ""} for n in range(10, 999))]
    }
    assert read_rankings(written(tmp_path, files(full, padded, wide))).n_people == 50
    with pytest.raises(HushrankError, match="places together, got 300"):
        read_rankings(written(tmp_path, files(empty, padded, wide)))


def test_the_last_of_many_ranked_contests_has_its_marks(tmp_path):
    contests = [
        {"Id": 100 + n, "Description": f"Board {n}", "NumOfRanks": 2, "Disabled": 0}
        for n in range(30)
    ]
    people = [{"Id": 1, "Description": "ANN", "ContestId": 129}]
    marks = [{"Id": 129, "Marks": [mark(1, 1)]}]
    sessions = [{"Original": {"Contests": marks}}] * 2
    parts = files(sessions, {"List": people}, {"List": contests})
    found = read_rankings(written(tmp_path, parts), columns=["Board 29*"])
    assert list(found) == [("ANN",)] * 2

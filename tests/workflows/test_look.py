"""What `look` says of a file: what it is, what is odd where, and what takes it."""

import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.asked import Asked
from hushrank.workflows.look import KNOWN, look
from tests.commands import hushrank

BALLOTS = """\
ID,E-mail,1st choice,2nd choice,3rd choice
1,secret@a.example,tea,milk,cola
2,b@a.example,tea,,cola
3,secret@a.example,milk,milk,tea
4,c@a.example,,,
5,d@a.example,cola,overvote,tea
6,e@a.example,,,
"""


def written(tmp_path, text, name="ballots.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_what_is_odd_is_said_by_line_and_who_said_it_is_not(tmp_path):
    found = look(written(tmp_path, BALLOTS))
    assert found.kind == "rankings"
    assert found.line == (
        "ballots.csv: 4 people, 3 items; places 1 to 3 in columns 3 to 5; 3 ballots incomplete"
        " (what they leave out comes last), 2 empty left out, 1 with an item twice (its first"
        " place), 1 with skipped places (closed up), 1 ended by two items in one place;"
        " columns ID, E-mail ignored"
    )
    assert found.odd == (
        "lines 5, 7: nothing is ranked; left out",
        "line 3: a place is skipped; closed up",
        "line 4: an item stands there twice; its first place counts",
        "line 6: two items in one place; the ballot ends before them",
        "1 row repeats its 'E-mail': --id E-mail keeps the last",
    )
    assert "secret" not in repr(found)


def test_the_commands_it_names_take_the_file(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, BALLOTS, "our ballots.csv")
    found = look(path, Asked(id="E-mail"), options=["--id", "E-mail"])
    assert found.commands[0] == f"hushrank aggregate '{path}' --id E-mail"
    assert f"hushrank collect '{path}' --id E-mail --epsilon 4 --unranked last" in found.commands
    assert hushrank(monkeypatch, "aggregate", path, "--id", "E-mail") == 0
    assert "1 left out: their person has a later one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ballots", "options"),
    [
        ("tea>milk>cola\nmilk>tea>cola\n", ""),
        ("tea>milk=cola\nmilk>tea>cola\n", " --break-ties"),
        ("ballot\ntea>milk\nmilk>tea>cola\n", " --unranked last"),
    ],
)
def test_what_a_collection_must_be_told_is_named_and_nothing_else(tmp_path, ballots, options):
    path = written(tmp_path, ballots)
    assert look(path).commands[-1] == f"hushrank collect {path} --epsilon 4{options}"


def test_a_file_that_cannot_be_told_is_described_by_column(tmp_path):
    path = written(tmp_path, "id,tea,milk,note\n1,5,5,good\n2,4,4,\n3,5,1,\n")
    found = look(path)
    assert found.kind == "unclear"
    assert 'best="low"' in found.line
    assert found.columns == (
        "column 1 (id): numbers, set aside by its name",
        "column 2 (tea): numbers",
        "column 3 (milk): numbers",
        "column 4 (note): text",
    )
    assert look(path, Asked(best="high")).kind == "rankings"


@pytest.mark.parametrize(
    "lines",
    [
        ["secret,tea,milk", "cola,secret,tea", "milk,cola,rum"],  # named in another column
        ['"secret, tea, milk"', '"tea, milk, secret"', '"milk, secret, tea"'],
        ["secret tea milk", "tea milk secret", "milk secret tea"],
        ["secret>secret", "secret"],
    ],
)
def test_a_ballot_in_the_first_line_is_not_shown(tmp_path, lines):
    found = look(written(tmp_path, "\n".join(lines)))
    assert found.kind == "unclear"
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "secret" not in repr(found)


def test_a_title_of_a_few_words_of_the_cells_is_shown(tmp_path):
    found = look(written(tmp_path, "best drink,note\nthe best tea,good\nmilk,\ntea,\n"))
    assert found.columns[0] == "column 1 (best drink): text"


def test_activity_and_profiles_are_told_with_the_names_of_their_columns(tmp_path):
    text = "userId,movieId,rating\n1,2,5\n3,2,4\n"
    found = look(written(tmp_path, text))
    assert found.kind == "activity"
    assert "--user userId --item movieId --score rating" in found.commands[0]
    text = "user,age,gender,protects\nu,30,f,all\nv,41,m,none\nw,52,m,all\n"
    profiles = look(written(tmp_path, text))
    assert profiles.kind == "profiles"
    assert profiles.line == "ballots.csv: profiles of 3 users; age (3 values), gender (2 values)"
    assert "--private gender" in profiles.commands[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("user,1st choice,2nd choice\nu,tea,milk\nv,milk,tea\n", "rankings"),
        ("user,gender\nu,f\nv,m\n", "profiles"),
        ("user,1st choice,2nd choice,protects\nu,tea,milk,all\nv,milk,tea,none\n", "profiles"),
    ],
)
def test_users_who_rank_are_told_from_what_they_keep_private(tmp_path, text, kind):
    assert look(written(tmp_path, text)).kind == kind


@pytest.mark.parametrize("header", ["userId,movieId,rating", "user,song_id,plays"])
def test_activity_is_offered_as_scores_where_they_are_read_as_such(tmp_path, header):
    path = written(tmp_path, f"{header}\n1,2,5\n1,3,4\n2,2,1\n")
    offered = [each for each in look(path).odd if "to rank items by such scores" in each]
    try:
        is_read = read_rankings(path, form="scores").reading.form.startswith("one rating a row")
    except HushrankError:
        is_read = False
    assert bool(offered) == is_read == header.endswith("rating")


@pytest.mark.parametrize("header", ["user_id,location_id", "user,poi", "customer_id,product_id"])
def test_activity_by_other_names_is_told(tmp_path, header):
    user, item = header.split(",")
    found = look(written(tmp_path, f"{header},split\n1,2,train\n1,2,test\n3,2,test\n"))
    assert found.kind == "activity"
    assert f"--user {user} --item {item}" in found.commands[0]


def test_the_command_prints_it(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, BALLOTS)
    assert hushrank(monkeypatch, "look", path, "--columns", "*choice") == 0
    printed = capsys.readouterr().out
    assert "line 3: a place is skipped" in printed
    assert f"  hushrank aggregate {path} --columns '*choice'" in printed


def test_what_is_no_file_of_ours_is_named(tmp_path):
    path = written(tmp_path, "%PDF-1.7")
    with pytest.raises(HushrankError, match="got a PDF document"):
        look(path)


@pytest.mark.parametrize(
    "text",
    [
        "1,secret,5\n2,b,4\n",
        "1::F::secret::48067\n2::M::b::70072\n",
        "secret,1990-05-12,0171/555-1234\nbert,1991-06-13,0172/555-1235\n",
    ],
)
def test_a_record_in_the_place_of_a_header_is_not_shown(tmp_path, text):
    found = look(written(tmp_path, text))
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "secret" not in repr(found)


@pytest.mark.parametrize("n_columns", range(1, 6))
def test_two_to_four_columns_of_numbers_may_be_activity_without_a_header(tmp_path, n_columns):
    rows = "".join(",".join(f"{9 * row + n}" for n in range(n_columns)) + "\n" for row in range(5))
    offered = [each for each in look(written(tmp_path, rows)).columns if "--user 1" in each]
    assert len(offered) == (2 <= n_columns <= 4)


def test_a_ballot_in_the_place_of_a_header_is_not_shown(tmp_path):
    rows = "tea > milk,milk > tea\nmilk > tea,tea > milk\n" * 3
    found = look(written(tmp_path, "secret > tea,tea > secret\n" + rows))
    assert found.kind == "unclear"
    assert "secret" not in repr(found)


def test_words_of_a_person_in_the_place_of_a_header_are_known_by_the_rows_below(tmp_path):
    """Somebody else has the same eyes."""
    found = look(written(tmp_path, "secret,blue\nbert,blue\ncara,red\n"))
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "secret" not in repr(found)


TITLES = [f"title {one}{two}" for one in "abcde" for two in "fghijk"]


def lines_of(*rows):
    return "\n".join(map(",".join, rows)) + "\n"


def different_cells(n_rows=30, n_columns=30):
    return [[f"x{row} y{column}" for column in range(n_columns)] for row in range(n_rows)]


@pytest.mark.parametrize("row", [0, 29])
@pytest.mark.parametrize(("title", "column"), [(0, 0), (0, 29), (29, 0), (29, 29)])
def test_a_record_of_many_cells_is_known_by_any_cell_of_many_below(tmp_path, row, title, column):
    first, below = [*TITLES], different_cells()
    first[title] = below[row][column] = "secret"
    found = look(written(tmp_path, lines_of(first, *below)))
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "secret" not in repr(found)


@pytest.mark.parametrize("number", [0, 15, 29])
def test_a_first_line_of_which_one_cell_is_a_number_is_not_shown(tmp_path, number):
    first = [*TITLES]
    first[number] = "7"
    found = look(written(tmp_path, lines_of(first, *different_cells())))
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "title" not in repr(found)


@pytest.mark.parametrize("first", ["7,8,x", "7,x,8", "x,7,8"])
def test_a_first_line_with_one_name_is_no_record_of_activity(tmp_path, first):
    found = look(written(tmp_path, f"{first}\nann,1,tea\nbob,2,tea\n"))
    assert not any("--user" in each for each in found.columns)


def test_a_ballot_in_one_cell_is_known_by_the_words_of_many_below(tmp_path):
    below = [*TITLES, "hidden you", "secret me"]
    rows = [["secret hidden", "remark"], *([text, f"n{n}"] for n, text in enumerate(below))]
    found = look(written(tmp_path, lines_of(*rows)))
    assert found.columns[0] == "line 1 looks like a record, not like a header: it is not shown"
    assert "secret" not in repr(found)


def test_each_of_many_columns_is_described(tmp_path):
    found = look(written(tmp_path, lines_of(TITLES, *different_cells())))
    assert found.columns == tuple(f"column {n} ({t}): text" for n, t in enumerate(TITLES, start=1))


def test_what_is_odd_in_the_last_of_many_lines_and_columns_is_said(tmp_path):
    items = [f"i{n}" for n in range(23)]
    ballots = [items[n % 23 :] + items[: n % 23] for n in range(40)]
    ballots[-1][1] = ballots[-1][0]
    rows = [[f"{n}", *each, f"p{min(n, 38)}@a.example"] for n, each in enumerate(ballots)]
    header = ["ID", *(f"choice {n}" for n in range(1, 24)), "E-mail"]
    assert look(written(tmp_path, lines_of(header, *rows))).odd == (
        "line 41: an item stands there twice; its first place counts",
        "1 row repeats its 'E-mail': --id E-mail keeps the last",
    )


def test_the_last_of_many_items_is_no_empty_ballot(tmp_path):
    rows = [[*map(str, range(1, 31))], [""] * 29 + ["1"], [""] * 30]
    odd = look(written(tmp_path, lines_of(TITLES, *rows[:1] * 3, *rows[1:]))).odd
    assert odd == ("line 6: nothing is ranked; left out",)


def test_of_many_attributes_each_is_told_and_the_one_of_fewest_values_offered(tmp_path):
    values = [[f"v{n % 3}"] * 29 + [f"v{n % 2}"] for n in range(12)]
    rows = [[f"u{n}", *each, "all"] for n, each in enumerate(values)]
    found = look(written(tmp_path, lines_of(["user", *TITLES, "protects"], *rows)))
    told = ", ".join(f"{title} (3 values)" for title in TITLES[:29])
    assert found.line.endswith(f"; {told}, {TITLES[29]} (2 values)")
    assert f"--private '{TITLES[29]}'" in found.commands[0]


def test_the_columns_of_activity_are_found_behind_many_others(tmp_path):
    rows = [[*["x"] * 30, str(n), str(n % 3), "5"] for n in range(12)]
    found = look(written(tmp_path, lines_of([*TITLES, "userId", "movieId", "rating"], *rows)))
    assert "--user userId --item movieId --score rating" in found.commands[0]


@pytest.mark.parametrize("item", KNOWN["item"])
def test_items_by_every_known_name_are_found(tmp_path, item):
    found = look(written(tmp_path, f"user_id,{item}\n1,2\n1,3\n3,2\n"))
    assert f"--user user_id --item {item} " in found.commands[0]

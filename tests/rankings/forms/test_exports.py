"""Files in the form in which survey tools and voting machines export them, made up by us."""

import json
from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.places import NONE, SEVERAL, placed

DRINKS = ("tea", "milk", "cola")
ORDERS = [("tea", "milk", "cola"), ("milk", "tea", "cola"), ("tea", "cola", "milk")]
RANKS = [[order.index(drink) + 1 for drink in DRINKS] for order in ORDERS]
IN_WORDS = [[("1st", "2nd", "3rd")[rank - 1] for rank in ranks] for ranks in RANKS]
LISTS = [[";".join(order)] for order in ORDERS]


def rows(before, cells, after=""):
    """Return lines of cells between the same cells, numbered where # stands."""
    lines = [
        before.replace("#", str(n)) + ",".join(map(str, row)) + after
        for n, row in enumerate(cells, start=1)
    ]
    return "\n".join(lines) + "\n"


QUALTRICS = (
    "StartDate,Status,ResponseId,Q7_1,Q7_2,Q7_3\n"
    "Start Date,Response Type,Response ID,Rank - tea,Rank - milk,Rank - cola\n"
    + ",".join(['"{""ImportId"":""x""}"'] * 6)
    + "\n"
    + rows("2026-03-01,IP Address,R_#,", RANKS)
)
SURVEY_MONKEY = "Respondent ID,Start Date,Rank the drinks,,\n,,tea,milk,cola\n" + rows(
    "#,03/01/2026,", RANKS
)
EXPORTS = {
    "google-items": (
        "Timestamp,Email Address,Rank [tea],Rank [milk],Rank [cola],Any other comments?\n"
        + rows("3/1/2026 10:0#,a#@example.org,", IN_WORDS, ","),
        "places of the items in columns 3 to 5;"
        " columns Timestamp, Email Address, Any other comments? ignored",
    ),
    "google-places": (
        "Timestamp,Drinks [First choice],Drinks [Second choice],Drinks [Third choice]\n"
        + rows("3/1/2026 10:0#,", ORDERS),
        "places 1 to 3 in columns 2 to 4; column Timestamp ignored",
    ),
    "microsoft": (
        "ID,Start time,Completion time,Email,Rank the drinks\n"
        + rows("#,3/1/26 10:00:00,3/1/26 10:01:00,anonymous,", LISTS, ";"),
        "whole ballots in column 5, parted by semicolons;"
        " columns ID, Start time, Completion time, Email ignored",
    ),
    "qualtrics": (
        QUALTRICS,
        "places of the items in columns 4 to 6; columns StartDate, Status, ResponseId ignored",
    ),
    "survey-monkey": (
        SURVEY_MONKEY,
        "places of the items in columns 3 to 5; columns Respondent ID, Start Date ignored",
    ),
    "lime-survey": (
        "id,submitdate,lastpage,seed,drinks[1],drinks[2],drinks[3]\n"
        + rows("#,2026-03-01,2,4711,", ORDERS),
        "places 1 to 3 in columns 5 to 7; columns id, submitdate, lastpage, seed ignored",
    ),
    "typeform": (
        "#,tea,milk,cola,Submit Date (UTC),Network ID\n"
        + rows("a#b,", RANKS, ",2026-03-01 10:00:00,77"),
        "places of the items in columns 2 to 4; columns #, Submit Date (UTC), Network ID ignored",
    ),
    "civs": ("tea,milk,cola\n" + rows("", RANKS), "places of the items in columns 1 to 3"),
    "arrows": (
        "ballot\n" + rows("", [[" > ".join(order)] for order in ORDERS]),
        "whole ballots in column 1, parted by >",
    ),
    "json": (
        json.dumps([{"id": n, "ranking": order} for n, order in enumerate(ORDERS)]),
        "whole ballots in column 2, as lists; column id ignored; JSON",
    ),
    "ndjson": (
        "".join(json.dumps(order) + "\n" for order in ORDERS),
        "whole ballots in column 1, as lists; NDJSON",
    ),
    "json-places": (
        json.dumps([dict(zip(DRINKS, ranks, strict=True)) for ranks in RANKS]),
        "places of the items in columns 1 to 3; JSON",
    ),
    "no-header": (
        rows("", ORDERS),
        "places 1 to 3 in columns 1 to 3; no header: line 1 is a ballot",
    ),
    "index": (",tea,milk,cola\n" + rows("#,", RANKS), "places of the items in columns 2 to 4"),
}


def read(tmp_path, text, encoding="utf-8", **options):
    path = tmp_path / "ballots.csv"
    path.write_bytes(text.encode(encoding))
    return read_rankings(path, **options)


def orders_of(rankings):
    return [tuple(rankings.names[item] for item in order) for order in rankings.orders()]


@pytest.mark.parametrize(("text", "line"), EXPORTS.values(), ids=EXPORTS)
def test_an_export_is_read_as_it_was_meant_and_said(tmp_path, text, line):
    rankings = read(tmp_path, text)
    assert orders_of(rankings) == ORDERS
    expected = f"ballots.csv: 3 people, 3 items; {line}"
    assert str(rankings.reading).removesuffix("; column no. 1 ignored") == expected


@pytest.mark.parametrize(
    ("delimiter", "encoding", "said"),
    [
        (",", "utf-8-sig", ""),
        (";", "utf-8", "; text with semicolons"),
        ("::", "utf-8", "; text with double colons"),
        ("\t", "utf-16", "; text with tabs in UTF-16"),
        (",", "utf-16-le", "; text in UTF-16"),
        (",", "utf-16-be", "; text in UTF-16"),
        (";", "cp1252", "; text with semicolons in Windows-1252"),
    ],
)
def test_delimiters_and_encodings_are_told_and_said(tmp_path, delimiter, encoding, said):
    text = "Café,thé,lait\n1,2,3\n2,1,3\n".replace(",", delimiter)
    rankings = read(tmp_path, text, encoding)
    assert rankings.names == ("Café", "thé", "lait")
    assert str(rankings.reading).endswith(f"columns 1 to 3{said}")


def test_two_ties_and_what_is_left_out_and_empty_ballots_are_counted(tmp_path):
    text = "Timestamp,weight,a,b,c\nx,1,1,1,3\nx,4,1,,\nx,2,,,\nx,3,1,2,3\n"
    assert str(read(tmp_path, text).reading) == (
        "ballots.csv: 8 people, 3 items; places of the items in columns 3 to 5; 1 ballot with ties,"
        " 4 incomplete (what they leave out comes last), 2 empty left out; column Timestamp ignored"
    )


def test_the_last_ballot_of_a_person_counts_where_an_id_is_named(tmp_path):
    text = "mail,a,b\nx@y,1,2\nz@y,1,2\n,1,2\nx@y,2,1\n,1,2\n"
    rankings = read(tmp_path, text, id="mail")
    assert rankings.ranks.tolist() == [[0, 1], [0, 1], [1, 0], [0, 1]]
    assert "1 ballot left out: their person has a later one, 2 with an empty id (each of anot" in (
        str(rankings.reading)
    )
    assert "x@y" not in str(rankings.reading)


def test_that_nothing_asks_which_end_of_numbers_is_best_is_said(tmp_path):
    said = "; best not used: cells hold no ranks or scores"
    places = "Rate [1],Rate [2]\ntea,milk\nmilk,tea\n"
    assert str(read(tmp_path, places, best="high").reading).endswith(said)
    assert said not in str(read(tmp_path, places).reading)
    assert said not in str(read(tmp_path, "tea,milk\n4,5\n5,1\n", best="high").reading)


def test_ballots_with_an_empty_id_are_counted_after_weights_where_they_rank_something(tmp_path):
    text = "mail,weight,a,b\nx@y,1,1,2\n,3,1,2\n,5,,\n"
    counts = read(tmp_path, text, id="mail", weight="weight").reading.irregular
    assert (counts.nameless, counts.empty) == (3, 5)


def test_columns_are_chosen_by_name_number_range_and_star(tmp_path):
    text = "q,tea,milk,cola,water\n7,1,2,3,4\n7,2,1,4,3\n"
    everything = read(tmp_path, text, ignore=["q"])
    for columns in (["tea", "milk", "cola", "water"], ["2-5"], ["2", "3-4", "w*"], ["TEA", "3-5"]):
        assert read(tmp_path, text, columns=columns) == everything
    with pytest.raises(HushrankError, match=r"ignore: there is no column 'beer'$"):
        read(tmp_path, text, ignore=["beer"])


@pytest.mark.parametrize("best", ["high", "low"])
def test_stars_are_read_as_the_caller_says(tmp_path, best):
    text = "id,tea,milk,cola\n1,5,5,1\n2,4,3,5\n3,5,,4\n"
    with pytest.raises(HushrankError, match=r'best="high" or best="low"|best="low" if 1 is best'):
        read(tmp_path, text)
    rankings = read(tmp_path, text, best=best)
    assert rankings.ranks.tolist()[1] == ([1, 2, 0] if best == "high" else [1, 0, 2])
    assert rankings.unranked == ("unknown" if best == "high" else "last")


def test_few_stars_of_many_items_are_not_taken_for_places(tmp_path):
    text = "a,b,c,d,e\n" + "5,4,4,,1\n,3,3,5,5\n1,,2,4,4\n4,4,,,\n,5,,3,\n"
    with pytest.raises(HushrankError, match=r"columns 1 to 5: cannot tell"):
        read(tmp_path, text)


def test_an_id_and_an_age_are_no_ballots(tmp_path):
    with pytest.raises(HushrankError, match="1 of numbers, 1 set aside"):
        read(tmp_path, "id,age\n1,34\n2,51\n3,18\n")
    with pytest.raises(HushrankError, match=r"columns 1 and 2: expected places.*ignore=.*best="):
        read(tmp_path, "shoe,height\n43,180\n39,165\n")


@pytest.mark.parametrize("title", ["How old are you?", "What is your age?", "Years of experience"])
def test_a_question_for_an_age_is_set_aside_as_an_age_is(tmp_path, title):
    rankings = read(tmp_path, f"tea,milk,{title}\n1,2,34\n2,1,51\n")
    assert (rankings.names, rankings.reading.ignored) == (("tea", "milk"), (title,))


def test_lists_that_no_known_sign_parts_are_refused_by_what_parts_them(tmp_path):
    with pytest.raises(HushrankError, match=r"column 1: .* parted by > or ; or "):
        read(tmp_path, "ballot\ntea / milk\nmilk / tea\n", form="lists")


def test_who_is_asked_which_end_is_best_is_told_to_leave_out_what_is_no_ballot(tmp_path):
    with pytest.raises(HushrankError, match=r"best=.* leave out columns .* with ignore="):
        read(tmp_path, "tea,milk,Household size\n1,2,3\n2,1,1\n1,2,1\n")


def test_an_age_beside_ballots_is_set_aside_and_said(tmp_path):
    rankings = read(tmp_path, "age,tea,milk\n34,1,2\n51,2,1\n")
    assert rankings.names == ("tea", "milk")
    assert rankings.reading.ignored == ("age",)


def test_an_item_may_be_called_like_a_column_of_a_form(tmp_path):
    rankings = read(tmp_path, "date,name,status\n1,2,3\n3,1,2\n2,3,1\n")
    assert rankings.names == ("date", "name", "status")


def test_ticked_boxes_are_no_order_unless_the_caller_says_so(tmp_path):
    text = "Which do you drink?\ntea;milk;\nmilk;\ntea;milk;cola;\ntea;cola;\ntea;milk;\n"
    with pytest.raises(HushrankError, match="ticked boxes without an order; say columns="):
        read(tmp_path, text)
    assert read(tmp_path, text, columns=["1"]).n_people == 5
    prose = 'Order\n"tea, milk"\n"milk, tea"\n"tea, milk"\n'
    with pytest.raises(HushrankError, match="ticked boxes without an order; say columns="):
        read(tmp_path, prose)
    assert read(tmp_path, prose, form="lists").ranks.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_an_error_names_the_column_and_the_form_of_the_cell(tmp_path):
    text = "Timestamp,tea,milk\nx,1,2\nx,2,secret\nx,1,2\n"
    with pytest.raises(HushrankError) as caught:
        read(tmp_path, text)
    expected = "line 3, column 3: expected a place of 1 to 2, or nothing, got text"
    assert str(caught.value).endswith(expected)


def test_thousands_of_columns_are_read(tmp_path):
    names = [f"item {n}" for n in range(3000)]
    text = ",".join(names) + "\n" + ",".join(str(n + 1) for n in range(3000)) + "\n"
    assert read(tmp_path, text).n_items == 3000


@pytest.mark.parametrize(
    "text",
    [
        "Anna,1,2,3\nBob,2,1,3\nCy,3,1,2\n",
        "Anna,tea,milk,cola\nBob,milk,tea,cola\n",
        "74,-7.82,8.79\n12,4.5,1.25\n",
    ],
)
def test_a_first_line_that_may_be_of_a_person_is_refused_and_never_shown(tmp_path, text):
    for best in (None, "high"):
        with pytest.raises(HushrankError, match="line 1: expected a header") as caught:
            read(tmp_path, text, best=best)
        assert "Anna" not in str(caught.value)


HEADERS_OF_QUALTRICS = (
    "StartDate,Status,Progress,Finished,Q7_1,Q7_2,Q7_3\n"
    "Start Date,Response Type,Progress,Finished,Rank - tea,Rank - milk,Rank - cola\n"
    + ",".join(['"{""ImportId"":""x""}"'] * 7)
    + "\n"
)


def test_rows_of_headers_that_repeat_each_other_are_no_ballots(tmp_path):
    text = HEADERS_OF_QUALTRICS + rows("2026-03-01,IP Address,100,True,", RANKS)
    rankings = read(tmp_path, text)
    assert orders_of(rankings) == ORDERS
    assert rankings.reading.remarks == ()
    tried = read(tmp_path, text.replace("IP Address,100", "Survey Preview,100", 1))
    assert tried.reading.remarks == ("1 row is a preview or spam, as Status says, and counted",)


@pytest.mark.parametrize(
    "text",
    [
        "3,1,-,2\n1,2,3,4\n2,1,4,3\n",
        "2,1,,3\n1,2,3,4\n2,1,4,3\n",
        "2nd,1st,3rd\n1st,2nd,3rd\n3rd,1st,2nd\n",
        ",0,1,2\n0,1,2,3\n1,2,1,3\n",
    ],
)
def test_a_first_line_of_places_is_no_header(tmp_path, text):
    with pytest.raises(HushrankError, match="line 1"):
        read(tmp_path, text)


def test_a_first_ballot_in_one_cell_is_counted(tmp_path):
    rankings = read(tmp_path, rows("", [[" > ".join(order)] for order in ORDERS]))
    assert orders_of(rankings) == ORDERS
    assert rankings.reading.remarks == ("no header: line 1 is a ballot",)


def test_a_first_ballot_with_an_item_of_its_own_is_counted_too(tmp_path):
    rankings = read(tmp_path, "cola > tea\ntea > milk\nmilk > tea\ntea > milk\n")
    assert rankings.n_people == 4
    assert rankings.names == ("cola", "milk", "tea")


def test_counts_before_ballots_are_people(tmp_path):
    rankings = read(tmp_path, "27: tea > milk\n5: milk>tea\n1:milk\n")
    assert rankings.names == ("milk", "tea")
    assert rankings.people_of_rows.tolist() == [27, 5, 1]
    with pytest.raises(HushrankError, match=r"^.*: line 2: expected each item at most once"):
        read(tmp_path, "27: tea > milk\n5: milk > milk\n")


def test_a_column_of_counts_is_asked_about(tmp_path):
    text = "First choice,Second choice,Count\ntea,milk,3\nmilk,tea,5\n"
    with pytest.raises(HushrankError, match=r'column 3 \(Count\).*weight="3" .*or ignore=\["3"\]'):
        read(tmp_path, text)
    assert read(tmp_path, text, weight="Count").n_people == 8
    with pytest.raises(HushrankError, match=r'column 3 \(Nombre\).*weight="3" .*or ignore=\["3"\]'):
        read(tmp_path, text.replace("Count", "Nombre") + ",,\n")
    assert read(tmp_path, text + ",,\n", weight="Count").n_people == 8  # nobody's, and no weight
    with pytest.raises(HushrankError, match="line 4: expected a weight"):
        read(tmp_path, text + "milk,,\n", weight="Count")
    assert read(tmp_path, text, ignore=["3"]).n_people == 2
    assert read(tmp_path, text.replace("3\n", "1\n").replace("5\n", "1\n")).n_people == 2


def test_counts_before_places_are_asked_about(tmp_path):
    text = "n,tea,milk,cola\n5,1,2,3\n700,2,1,3\n3,3,2,1\n"
    with pytest.raises(HushrankError, match=r"^.*: column 1: .*ignore=, or say weight= "):
        read(tmp_path, text)
    assert read(tmp_path, text, weight="n").n_people == 708


def test_a_column_that_nobody_filled_is_no_item_of_a_form(tmp_path):
    rankings = read(tmp_path, "ID,Name,tea,milk,cola,Tags\n" + rows("#,,", RANKS, ","))
    assert rankings.names == DRINKS
    assert rankings.reading.ignored == ("ID", "Name", "Tags")
    for text in ("tea,milk,cola\n1,2,\n", "id,tea,cola,milk\n1,1,,2\n"):
        assert set(read(tmp_path, text).names) == set(DRINKS)


def test_a_list_in_json_that_is_cut_off_is_no_empty_ballot(tmp_path):
    lists = "".join(f'"{list(each)}"\n'.replace("'", '""') for each in permutations(DRINKS))
    with pytest.raises(HushrankError, match="line 8: expected a list of names in JSON") as caught:
        read(tmp_path, f'ballot\n{lists}"[""tea"", ""mi"\n')
    assert "tea" not in str(caught.value)


def test_numbers_before_the_items_of_a_cell_are_no_names(tmp_path):
    cells = [[f'"{chr(10).join(f"{n}: {x}" for n, x in enumerate(order, 1))}"'] for order in ORDERS]
    rankings = read(tmp_path, "Submission Date,Rank\n" + rows('"Nov 3, 2026",', cells))
    assert orders_of(rankings) == ORDERS


def test_places_are_understood_in_german_french_and_spanish(tmp_path):
    for words in ("Erste Wahl,Zweite Wahl,Dritte Wahl", "1er choix,2e choix,Troisième choix"):
        header = ",".join(f"Getränke [{word}]" for word in words.split(","))
        assert orders_of(read(tmp_path, header + "\n" + rows("", ORDERS))) == ORDERS
    cells = [[("primera", "segunda", "tercera")[rank - 1] for rank in ranks] for ranks in RANKS]
    assert orders_of(read(tmp_path, "tea,milk,cola\n" + rows("", cells))) == ORDERS


def test_files_that_were_joined_are_told_by_their_second_header(tmp_path):
    text = "tea,milk,cola\n1,2,3\n\ufefftea,milk,cola\n2,1,3\n"
    with pytest.raises(HushrankError, match=r"line 3: expected another line than line 1"):
        read(tmp_path, text)
    assert read(tmp_path, text.replace("\ufefftea,milk,cola", "\ufeff3,1,2")).n_people == 3


def test_the_last_ballot_of_many_tells_that_no_files_were_joined(tmp_path):
    text = "tea,milk,cola\n" + "rum,gin,ale\n" * 24 + "tea,milk,cola\n"
    with pytest.raises(HushrankError, match=r"line 26: expected another line than line 1"):
        read(tmp_path, text)
    with pytest.raises(HushrankError, match="line 1: expected a header, it names what lines below"):
        read(tmp_path, text + "gin,ale,cola\n")


def test_columns_that_are_called_alike_are_said(tmp_path):
    rankings = read(tmp_path, "tea,milk,tea\n1,2,3\n2,1,3\n")
    assert rankings.reading.remarks == ("columns 1 and 3 are called alike: numbered",)


def test_several_questions_are_named_by_their_titles(tmp_path):
    text = "Build?,Drop?\n" + rows(
        "", [[";".join(o) + ";", ";".join(o[::-1]) + ";"] for o in ORDERS]
    )
    with pytest.raises(HushrankError, match=r"'Build\?' \(column 1\), 'Drop\?' \(column 2\)"):
        read(tmp_path, text)
    assert orders_of(read(tmp_path, text, columns=["Build?"])) == ORDERS


def test_a_title_that_may_be_a_ballot_is_never_shown(tmp_path):
    """Anna's item stands nowhere else, so that her line might be a header."""
    text = "Anna > tea,tea > Anna\n" + "tea > milk,milk > tea\nmilk > tea,tea > milk\n" * 3
    with pytest.raises(HushrankError, match="2 columns of ballots") as caught:
        read(tmp_path, text)
    assert "Anna" not in str(caught.value)


def test_a_number_with_a_comma_is_told_from_text(tmp_path):
    with pytest.raises(HushrankError, match=r"column 1: expected a place.*a number that is not"):
        read(tmp_path, "tea;milk\n1,5;2\n2;1\n1;2\n2;1\n")


def test_places_that_count_from_zero_are_asked_about_and_then_read(tmp_path):
    text = "tea,milk,cola\n0,1,2\n1,0,2\n2,0,1\n"
    with pytest.raises(HushrankError, match=r'got other numbers; .* say best="high" or best="low"'):
        read(tmp_path, text)
    assert read(tmp_path, text, best="low").ranks.tolist() == [[0, 1, 2], [1, 0, 2], [2, 0, 1]]


def test_words_and_crosses_of_clerks_are_empty_places(tmp_path):
    """As Minneapolis publishes its ballots: how many people of a precinct voted so."""
    text = (
        "Precinct,1st Choice Mayor,2nd Choice Mayor,3rd Choice Mayor,Count\n"
        "P-01,ANN LEE,BO MA,CY ITO,3\nP-01,ANN LEE,undervote,XXX,2\nP-02,XXX,BO MA,ANN LEE,1\n"
        "P-02,overvote,BO MA,CY ITO,2\nP-03,BO MA,overvote,CY ITO,4\nP-03,XXX,XXX,XXX,5\n"
    )
    with pytest.raises(HushrankError, match='say weight="5" if it does'):
        read(tmp_path, text)
    rankings = read(tmp_path, text, weight="Count")
    assert rankings.names == ("ANN LEE", "BO MA", "CY ITO")
    ballots = (["ANN LEE", "BO MA", "CY ITO"], ["ANN LEE"], ["BO MA", "ANN LEE"], ["BO MA"])
    people = zip(ballots, (3, 2, 1, 4), strict=True)
    assert [list(person) for person in rankings] == [each for each, n in people for _ in range(n)]
    said = str(rankings.reading)
    assert "10 people, 3 items" in said
    assert "7 empty left out" in said
    assert "XXX is no item: 5 times an empty place" in said


def test_the_last_ballot_of_many_may_end_with_an_overvote_or_a_repetition():
    for last, part in ((SEVERAL, "overvoted"), (0, "repeated")):
        found = placed(np.array([[0, 1]] * 24 + [[0, last]], dtype=np.int32), ("tea", "milk"))
        assert np.flatnonzero(getattr(found, part)).tolist() == [24]


def test_an_end_is_no_skipped_place_and_what_is_repeated_takes_none():
    cells = [[0, NONE, NONE], [NONE, 1, NONE], [0, 0, 1], [0, NONE, 0]]
    found = placed(np.array(cells, dtype=np.int32), ("tea", "milk"))
    assert found.skipped.tolist() == [False, True, False, True]
    assert found.repeated.tolist() == [False, False, True, True]
    nobody = np.iinfo(found.ranks.dtype).max
    assert found.ranks.tolist() == [[0, nobody], [nobody, 0], [0, 1], [0, nobody]]


@pytest.mark.parametrize("by_line", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_the_order_in_which_records_name_items_is_that_of_no_ranking(tmp_path, by_line, nested):
    """Written best first, the first person's would be that of all lists of the items."""
    texts = []
    for first in ORDERS[1:]:
        ranked = [{name: place for place, name in enumerate(each, 1)} for each in (first, *ORDERS)]
        records = [{"ranks": each} for each in ranked] if nested else ranked
        lines = map(json.dumps, records)
        texts.append("".join(f"{each}\n" for each in lines) if by_line else json.dumps(records))
    names = [read(tmp_path, text).names for text in texts]
    assert names[0] == names[1]
    assert [name for name in names[0] if "cola" in name] == [names[0][0]]


def test_a_part_of_an_answer_and_a_key_that_is_called_like_it_are_not_both_read(tmp_path):
    nested = {"Q": {"1st choice": "tea", "2nd choice": "milk"}}
    other = {"Q": {"1st choice": "milk", "2nd choice": "tea"}}
    assert read(tmp_path, json.dumps([nested, other] * 4)).n_people == 8
    both = nested | {"Q [1st choice]": "milk"}
    with pytest.raises(HushrankError, match="record 9: expected each key once"):
        read(tmp_path, json.dumps([nested, other] * 4 + [both]))


def test_of_several_lists_of_records_none_is_guessed(tmp_path):
    ballots = [dict(zip(DRINKS, ranks, strict=True)) for ranks in RANKS]
    path = tmp_path / "ballots.json"
    path.write_text(json.dumps({"monday": ballots, "tuesday": ballots[:1]}))
    with pytest.raises(HushrankError, match="one list of records in the object, got 2"):
        read_rankings(path)


def test_one_ballot_takes_no_column_of_marks_from_the_others(tmp_path):
    text = "tea(1),tea(2),milk(1),milk(2)\n" + "1,0,0,1\n" * 30
    assert read(tmp_path, text).reading.form.endswith("columns 1 to 4")
    assert read(tmp_path, text + ",,0,1\n").reading.form.endswith("columns 1 to 4")
    with pytest.raises(HushrankError, match="line 32: expected marks of 0 and 1 in column 1"):
        read(tmp_path, text + "x,0,0,1\n")


def test_one_cell_takes_no_item_that_is_called_as_what_people_are_asked_from_all_ballots(tmp_path):
    text = "tea,milk,city\n" + "2,1,3\n3,1,2\n" * 10
    assert read(tmp_path, text).names == ("tea", "milk", "city")
    for cell in ("1.5", "7", "x"):
        with pytest.raises(
            HushrankError, match="column 3: by name and cells both an item and what"
        ):
            read(tmp_path, text + f"1,2,{cell}\n")
    with pytest.raises(HushrankError, match="line 22, column 3: expected a place of 1 to 3"):
        read(tmp_path, text + "1,2,x\n", columns=["1-3"])
    assert read(tmp_path, "tea,milk,city\n" + "2,1,30\n1,2,7\n" * 10).names == ("tea", "milk")


def test_one_cell_makes_no_column_of_counts_one_that_says_nothing(tmp_path):
    text = "count,ballot\n3,tea>milk\n2,milk>tea\n"
    for more in ("", "x,milk>tea\n", "0,milk>tea\n"):
        with pytest.raises(HushrankError, match="may say how many people a row stands for"):
            read(tmp_path, text + more)


def test_the_last_count_of_many_may_say_how_many_people_a_row_stands_for(tmp_path):
    text = "count,ballot\n" + "1,tea>milk\n" * 24
    assert read(tmp_path, text).n_people == 24
    with pytest.raises(HushrankError, match="may say how many people a row stands for"):
        read(tmp_path, text + "3,milk>tea\n")


def test_items_can_be_listed_whatever_ballots_name(tmp_path):
    text = "1st,2nd,3rd\ntea,milk,cola\nmilk,Mallory,tea\nMallory,,\n"
    found = read(tmp_path, text, items=["cola", "tea", "milk", "water"])
    assert found.names == ("cola", "tea", "milk", "water")
    assert list(found) == [("tea", "milk", "cola"), ("milk", "tea")]
    assert "items as listed: ballots name 1 more, and 1 of them nowhere" in str(found.reading)
    assert "1 empty left out" in str(found.reading)
    for wrong, words in ((["tea", "tea"], "distinct names"), (["x"], "got none of them")):
        with pytest.raises(HushrankError, match=f"items: expected .*{words}"):
            read(tmp_path, text, items=wrong)
    with pytest.raises(TypeError, match="items: expected a list of texts"):
        read(tmp_path, text, items="tea")


def test_a_row_of_names_below_ranks_is_refused_and_turns_no_other_ballot_round(tmp_path):
    text = "tea,milk,cola\n" + "2,1,3\n3,1,2\n" * 40
    with pytest.raises(HushrankError, match="line 82, column 1: expected a place of 1 to 3"):
        read(tmp_path, text + "milk,tea,cola\n")


def test_a_last_row_that_weighs_as_much_as_all_others_is_a_sum_if_it_ranks_nothing(tmp_path):
    text = "tea,milk,weight\n1,2,3\n2,1,4\n"
    assert read(tmp_path, f"{text}1,2,7\n").n_people == 14
    assert read(tmp_path, f"{text},,7\n").n_people == 7


@pytest.mark.parametrize(("best", "first"), [("low", "tea"), ("high", "milk")])
def test_which_end_of_scores_is_best_is_as_the_caller_says(tmp_path, best, first):
    (person,) = read(tmp_path, "tea,milk\n7,9\n", form="scores", best=best)
    assert next(iter(person)) == first


def test_many_blanks_in_a_cell_are_read_as_quickly_as_other_text(tmp_path):
    long = f"tea{' ' * 90_000}leaf"
    rankings = read(tmp_path, f"ballot\n{long} > milk\nmilk > {long}\ntea (1) > milk (2)\n")
    assert rankings.names == ("milk", "tea", long)

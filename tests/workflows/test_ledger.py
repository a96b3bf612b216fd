import dataclasses
import json
import os
import stat
from datetime import date
from fractions import Fraction
from functools import partial
from hashlib import blake2b
from itertools import islice, permutations
from subprocess import PIPE, Popen
from sys import executable

import numpy as np
import pytest
from msgspec.structs import replace

from hushrank import aggregate
from hushrank.accounting.rounding import within
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.errors import HushrankError
from hushrank.files.disk import LEDGER
from hushrank.rankings.ballot_sums import BallotSums
from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from hushrank.workflows.ledger import Ledger

TODAY = date(2026, 11, 22)
BALLOTS = read_rankings([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"]])
SAME = read_rankings([["c", "a", "b"], ["a", "b", "c"], ["b", "a", "c"]])
OTHERS = read_rankings([["a", "b", "c"]])


def spent(epsilon, delta=0.0):
    return Spend("auto", epsilon, "noise", model="central", delta=delta)


def after(folder, *releases):
    """Write releases down, each of a file of ballots, and return the last ledger."""
    for name, ballots, epsilon in releases:
        (folder / name).write_text(str(ballots.ranks.tolist()))
        ledger = Ledger.beside(folder / name, ballots)
        ledger = ledger.with_result(folder / "out.json", spent(epsilon), TODAY)
    return ledger


def test_epsilons_add_up_exactly_and_are_said_rounded_up(tmp_path):
    ledger = after(tmp_path, *[("x.soc", BALLOTS, 0.1)] * 3)
    assert ledger.in_words() == "x.soc: 3 private results so far, epsilon 0.300001 in all"
    (tmp_path / "y.soc").touch()
    assert "no private result yet" in Ledger.beside(tmp_path / "y.soc", OTHERS).in_words()


def test_a_sum_that_no_float_holds_is_said_rounded_up(tmp_path):
    ledger = after(tmp_path, ("x.soc", BALLOTS, 0.25), ("x.soc", BALLOTS, 2.0**-60))
    assert ledger.in_words() == "x.soc: 2 private results so far, epsilon 0.250001 in all"


def test_an_epsilon_is_written_down_to_its_last_digit(tmp_path):
    assert after(tmp_path, ("x.soc", BALLOTS, 1 / 3)).earlier[0].epsilon == 1 / 3


@pytest.mark.parametrize("n_results", [49, 50, 51, 300, 5000])
def test_of_however_many_results_none_is_forgotten(tmp_path, n_results):
    """The first one costs more than all the others."""
    path = after(tmp_path, ("x.soc", BALLOTS, 4096.0)).path
    first = Ledger.beside(tmp_path / "x.soc", BALLOTS).book
    (only,) = first.releases
    others = [replace(only, release=f"{n}", epsilon=0.5, delta=2**-20) for n in range(n_results)]
    path.write_bytes(replace(first, releases=(only, *others)).content())
    Ledger.beside(tmp_path / "x.soc", BALLOTS).with_result(None, spent(0.25), TODAY)
    found = Ledger.beside(tmp_path / "x.soc", BALLOTS)
    assert [each.release for each in found.earlier] == ["out.json", *map(str, range(n_results)), ""]
    assert sum(each.epsilon for each in found.earlier) == 4096.25 + n_results / 2
    losses = f"{4096.25 + n_results / 2:g} and delta {loss_in_words(n_results * 2.0**-20)}"
    said = f"{n_results + 2} private results so far, epsilon {losses} in all"
    assert found.in_words() == f"x.soc: {said}"


def test_deltas_are_written_down_and_add_up(tmp_path):
    (tmp_path / "x.soc").touch()
    ledger = Ledger.beside(tmp_path / "x.soc", BALLOTS)
    for delta in (1e-6, 0.0, 2e-6):
        ledger = ledger.with_result(None, spent(1.0, delta), TODAY)
    assert [each.delta for each in ledger.earlier] == [1e-6, 0.0, 2e-6]
    assert ledger.in_words().endswith("epsilon 3 and delta 3e-06 in all")


def test_the_same_ballots_are_known_under_another_name_and_in_another_order(tmp_path):
    after(tmp_path, ("x.soc", BALLOTS, 0.5))
    (tmp_path / "copy.csv").touch()
    assert len(Ledger.beside(tmp_path / "copy.csv", SAME).earlier) == 1
    exchanged = SAME.restrict([2, 0, 1])
    assert exchanged.names != SAME.names
    assert len(Ledger.beside(tmp_path / "copy.csv", exchanged).earlier) == 1
    assert Ledger.beside(tmp_path / "copy.csv", OTHERS).earlier == ()


def test_ballots_that_more_people_cast_are_others(tmp_path):
    after(tmp_path, ("x.soc", BALLOTS, 0.5))
    (tmp_path / "more.csv").touch()
    more = read_rankings([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"], ["c", "a", "b"]])
    assert Ledger.beside(tmp_path / "more.csv", more).earlier == ()


@pytest.mark.parametrize("n_ballots", [2, 500, 5000, 40_000])
def test_of_however_many_ballots_one_that_is_another_makes_them_others(tmp_path, n_ballots):
    """Whichever it is, and who casts it once more."""
    orders = np.array(list(islice(permutations(range(8)), n_ballots)))
    ballots = Rankings.from_orders(orders)
    ledger = after(tmp_path, ("x.soc", ballots, 0.5))
    for place in (0, -1):
        changed, more = orders.copy(), np.ones(n_ballots, dtype=np.int64)
        changed[place], more[place] = changed[place][::-1], 2
        (tmp_path / "y.soc").write_text(f"{place}")
        for others in (changed, orders[:-1]):
            assert not Ledger.beside(tmp_path / "y.soc", Rankings.from_orders(others)).earlier
        assert not Ledger.beside(
            tmp_path / "y.soc", Rankings.from_orders(orders, multiplicities=more)
        ).earlier
    assert Ledger.beside(tmp_path / "y.soc", Rankings.from_orders(orders[::-1])).earlier
    assert len(ledger.earlier) == 1


def test_another_release_knows_them_again(tmp_path):
    """By digests of 128 bits, keyed by as many that each ledger draws: changed ones forget."""
    ledger = after(tmp_path, ("x.soc", BALLOTS, 0.5))
    key = bytes.fromhex(ledger.book.key)
    assert len(key) == 16
    of_file = blake2b((tmp_path / "x.soc").read_bytes(), key=key, digest_size=16).hexdigest()
    of_ballots = [blake2b(each, key=key, digest_size=16).hexdigest() for each in ledger.told]
    assert (list(ledger.digests), ledger.files) == (of_ballots, {of_file})


def test_partial_ballots_are_known_by_what_they_say_whatever_else_it_means(tmp_path):
    last, same = (read_rankings([["a", "b"], ["b", "c"]]) for _ in range(2))
    unknown = dataclasses.replace(same.restrict([2, 0, 1]), unranked="unknown")
    assert BallotSums.of(last).told != BallotSums.of(unknown).told
    after(tmp_path, ("x.soc", last, 0.5))
    (tmp_path / "copy.csv").touch()
    assert len(Ledger.beside(tmp_path / "copy.csv", unknown).earlier) == 1


@pytest.mark.parametrize("n_people", [3, 20_000])
def test_the_same_ballots_are_known_however_they_were_counted(tmp_path, n_people):
    orders = np.argsort(np.random.default_rng(n_people).random((n_people, 4)), axis=1)
    ballots, others = Rankings.from_orders(orders), Rankings.from_orders(orders[1:])
    for name in ("whole", "pieces", "others", "later"):
        (tmp_path / name).write_text(name)
    in_pieces = partial(Ledger.of, tmp_path / "pieces", BallotSums.of(ballots).told)
    after(tmp_path, ("whole", ballots, 0.5))
    assert len(in_pieces().earlier) == 1
    in_pieces().with_result(None, spent(0.25), TODAY)
    assert len(Ledger.beside(tmp_path / "later", ballots).earlier) == 2
    assert Ledger.beside(tmp_path / "others", others).earlier == ()


def test_a_file_whose_ballots_changed_goes_on_paying(tmp_path):
    ledger = after(tmp_path, ("x.soc", BALLOTS, 0.5), ("x.soc", OTHERS, 0.25))
    said = "2 private results so far, 1 of them when other ballots were read, epsilon 0.75 in all"
    assert ledger.in_words() == f"x.soc: {said}"


def test_a_name_that_looks_like_a_pattern_means_its_own_file(tmp_path):
    others = after(tmp_path, ("b1.csv", OTHERS, 0.25))
    (tmp_path / "link.csv").symlink_to(others.source)
    (tmp_path / "link.csv").rename(tmp_path / "b2.csv")
    own = after(tmp_path, ("b[12].csv", BALLOTS, 0.5))
    assert own.in_words() == "b[12].csv: 1 private result so far, epsilon 0.5 in all"
    (tmp_path / "b[12].csv").write_text("anew")
    anew = Ledger.beside(tmp_path / "b[12].csv", SAME.head(2))
    assert "1 private result so far, 1 of them when other ballots were read" in anew.in_words()


@pytest.mark.parametrize("n_others", [2, 30, 300])
def test_all_results_of_other_ballots_are_counted_in_words(tmp_path, n_others):
    path = after(tmp_path, *(("x.soc", each, 0.25) for each in (OTHERS, BALLOTS))).path
    (tmp_path / "x.soc").write_text("anew")
    book = Ledger.beside(tmp_path / "x.soc", BALLOTS).book
    other, mine = book.releases
    releases = (*[other] * (n_others - 1), mine, other)
    path.write_bytes(replace(book, releases=releases).content())
    said = f"{n_others + 1} private results so far, {n_others} of them when other ballots were read"
    assert said in Ledger.beside(tmp_path / "x.soc", BALLOTS).in_words()


def test_a_file_read_in_another_way_under_another_name_goes_on_paying(tmp_path):
    """Its ballots say something else where items were left out; its bytes do not."""
    (tmp_path / "x.soc").write_text("a > b > c")
    Ledger.beside(tmp_path / "x.soc", BALLOTS).with_result(None, spent(0.5), TODAY)
    os.link(tmp_path / "x.soc", tmp_path / "hard.soc")
    (tmp_path / "copy.soc").write_text("a > b > c")
    (tmp_path / "other.soc").write_text("b > a > c")
    found = [
        len(Ledger.beside(tmp_path / f"{name}.soc", OTHERS).earlier)
        for name in ("hard", "copy", "other")
    ]
    assert found == [1, 1, 0]
    assert "other ballots" not in Ledger.beside(tmp_path / "copy.soc", OTHERS).in_words()


def test_a_link_pays_where_its_file_lies(tmp_path):
    for folder in ("data", "links"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "x.soc").touch()
    (tmp_path / "links" / "y.soc").symlink_to(tmp_path / "data" / "x.soc")
    (tmp_path / "whole").symlink_to(tmp_path / "data")
    after(tmp_path / "data", ("x.soc", BALLOTS, 0.5))
    for path in ("links/y.soc", "whole/x.soc"):
        ledger = Ledger.beside(tmp_path / path, OTHERS)
        assert ledger.path == tmp_path / "data" / LEDGER
        assert len(ledger.earlier) == 1


def test_a_pattern_of_links_is_refused(tmp_path):
    """It would have an account of its own, in another folder or by other names."""
    for folder in ("data", "links"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "1.parquet").touch()
    (tmp_path / "links" / "1.parquet").symlink_to(tmp_path / "data" / "1.parquet")
    for source in ("links", "links/*.parquet", "links/[1-9].parquet"):
        with pytest.raises(HushrankError, match="expected files, got links"):
            Ledger.of(tmp_path / source, b"what all say")
    assert Ledger.of(tmp_path / "data", b"what all say").path == tmp_path / "data" / LEDGER


@pytest.mark.parametrize("n_files", [3, 30])
def test_one_link_among_files_is_refused_wherever_it_stands(tmp_path, n_files):
    names = [f"{n}.parquet" for n in range(n_files)]
    (tmp_path / "away.parquet").touch()
    for linked in names:
        folder = tmp_path / f"with {linked}"
        folder.mkdir()
        for name in {*names} - {linked}:
            (folder / name).touch()
        (folder / linked).symlink_to(tmp_path / "away.parquet")
        with pytest.raises(HushrankError, match="expected files, got links"):
            Ledger.of(folder, b"what all say")


def test_ballots_of_a_folder_that_is_not_there_have_no_ledger(tmp_path):
    """An empty one would be a promise that nothing was spent."""
    with pytest.raises(HushrankError, match="nowhere"):
        Ledger.of(tmp_path / "nowhere" / "votes.soc", b"ballots")


def test_a_folder_and_a_pattern_of_its_files_have_one_ledger(tmp_path):
    (tmp_path / "ballots").mkdir()
    (tmp_path / "ballots" / "1.parquet").touch()
    first = Ledger.of(tmp_path / "ballots", b"what all say").with_result(None, spent(0.5), TODAY)
    assert first.path == tmp_path / "ballots" / LEDGER
    assert len(Ledger.of(tmp_path / "ballots" / "*.parquet", b"what all say").earlier) == 1
    assert Ledger.of(tmp_path / "ballots" / "2*", b"what others say").earlier == ()


def test_some_files_of_a_folder_pay_for_all_of_them_and_all_for_some(tmp_path):
    for name in ("1.parquet", "2.parquet", "1.csv"):
        (tmp_path / name).write_text(name)
    paid = {"": 1.0, "1*.parquet": 0.5, "2.parquet": 0.25}
    for name, epsilon in paid.items():
        Ledger.of(tmp_path / name, name.encode()).with_result(None, spent(epsilon), TODAY)
    found = {
        name: sum(each.epsilon for each in Ledger.of(tmp_path / name, b"anything").earlier)
        for name in ("", "*.parquet", "[12].parquet", "1.parquet", "2.parquet", "1.csv")
    }
    assert list(found.values()) == [1.75, 1.75, 1.75, 1.5, 1.25, 0]


def test_a_pattern_is_as_short_as_a_file_s_name_or_refused(tmp_path):
    longest = tmp_path / ("?" * 255)
    Ledger.of(longest, b"all").with_result(None, spent(0.5), TODAY)
    assert len(Ledger.of(longest, b"others").earlier) == 1
    with pytest.raises(HushrankError, match="a pattern of at most 255 letters, got 256"):
        Ledger.of(tmp_path / ("?" * 256), b"all")


def test_all_of_many_files_pay_for_a_pattern_of_them(tmp_path):
    for number in range(40):
        path = tmp_path / f"{number}.soc"
        path.write_text(f"{number}")
        Ledger.of(path, path.read_bytes()).with_result(None, spent(0.5), TODAY)
        path.write_text(f"{number} changed")
    assert sum(each.epsilon for each in Ledger.of(tmp_path / "*.soc", b"all").earlier) == 20


@pytest.mark.parametrize("n_files", [1, 2, 30])
@pytest.mark.parametrize("which", [0, -1])
def test_a_renamed_file_pays_for_a_pattern_that_means_it(tmp_path, n_files, which):
    names = [f"{n:02}.parquet" for n in range(n_files)]
    for name in names:
        (tmp_path / name).write_text(name)
    one = tmp_path / names[which]
    Ledger.of(one, b"of one").with_result(None, spent(0.5), TODAY)
    one.rename(tmp_path / "z.parquet")
    for pattern in ("", "*.parquet", "z*"):
        assert len(Ledger.of(tmp_path / pattern, b"of all").earlier) == 1
    assert Ledger.of(tmp_path / "[0-9]*", b"of others").earlier == ()


def test_a_pattern_is_read_as_the_files_are(tmp_path):
    (tmp_path / "b1.parquet").write_text("b1")
    Ledger.of(tmp_path / "b1.parquet", b"one").with_result(None, spent(0.5), TODAY)
    assert len(Ledger.of(tmp_path / "b**.parquet", b"all").earlier) == 1


def test_a_renamed_file_pays_for_what_a_pattern_of_it_alone_told(tmp_path):
    (tmp_path / "x.parquet").write_text("x")
    Ledger.of(tmp_path / "x*", b"by a pattern").with_result(None, spent(0.5), TODAY)
    (tmp_path / "x.parquet").rename(tmp_path / "z.parquet")
    assert len(Ledger.of(tmp_path / "z.parquet", b"by its name").earlier) == 1
    (tmp_path / "x2.parquet").write_text("another")
    assert len(Ledger.of(tmp_path / "x2.parquet", b"of the pattern").earlier) == 1


@pytest.mark.parametrize("n_files", [2, 30])
@pytest.mark.parametrize("which", [0, -1])
def test_each_of_many_files_pays_under_another_name_for_what_all_told(tmp_path, n_files, which):
    for n in range(n_files):
        (tmp_path / f"{n:02}.parquet").write_text(f"{n}")
    Ledger.of(tmp_path, b"of all").with_result(None, spent(0.5), TODAY)
    one = sorted(tmp_path.glob("*.parquet"))[which].rename(tmp_path / "z.soc")
    (tmp_path / "y.soc").write_text("another")
    counts = [len(Ledger.of(tmp_path / name, b"").earlier) for name in (one.name, "*.soc", "y.soc")]
    assert counts == [1, 1, 0]


def test_files_of_another_name_of_which_all_are_the_same_are_these_ballots(tmp_path):
    (tmp_path / "a").mkdir()
    for name in "12":
        (tmp_path / "a" / name).write_text(name)
    Ledger.of(tmp_path / "a" / "*", b"read so").with_result(None, spent(0.5), TODAY)
    (tmp_path / "a" / "1").rename(tmp_path / "a" / "3")
    said = Ledger.of(tmp_path / "a" / "[23]", b"or so").in_words()
    assert said == "[23]: 1 private result so far, epsilon 0.5 in all"
    assert "1 of them when other" in Ledger.of(tmp_path / "a" / "2", b"of one").in_words()


def test_a_ledger_from_before_files_had_digests_is_read(tmp_path):
    after(tmp_path, ("x.soc", BALLOTS, 0.5))
    book = json.loads((tmp_path / LEDGER).read_text())
    del book["releases"][0]["files"]
    (tmp_path / LEDGER).write_text(json.dumps(book))
    assert len(Ledger.beside(tmp_path / "x.soc", OTHERS).earlier) == 1
    assert Ledger.of(tmp_path / "none*", b"of no file").earlier == ()


def test_a_ledger_is_its_owners_and_holds_no_ballot(tmp_path):
    after(tmp_path, ("x.soc", BALLOTS, 0.5))
    path = tmp_path / LEDGER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (entry,) = json.loads(path.read_text())["releases"]
    told = {"date", "ballots", "digest", "counts", "files", "release", "method", "epsilon", "delta"}
    assert entry.keys() == told
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    after(elsewhere, ("x.soc", BALLOTS, 0.5))
    (other,) = json.loads((elsewhere / LEDGER).read_text())["releases"]
    assert other["digest"] != entry["digest"]  # keyed: no two folders have the same


KEYS = ("zz", "00" * 65)
OTHER = "1 of them when other ballots were read, epsilon"


def priced(epsilon: str, delta: str) -> bytes:
    """A ledger of one result at this price."""
    told = '"date":"2026-01-01","ballots":"x.soc","digest":"00","release":"","method":"p-sort"'
    entry = f'{{{told},"epsilon":{epsilon},"delta":{delta}}}'
    return f'{{"version":1,"key":"00","releases":[{entry}]}}'.encode()


LOSSES = (0.1, within(0.1), 1.1, within(1.1), 1 / 3, 0.1 + 0.2, 1e-300, 1000.0)


@pytest.mark.parametrize("epsilon", LOSSES)
@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-9, within(1e-9), 1e-6, 0.1, 1 - 2**-53])
def test_no_numeral_is_below_what_was_spent_however_often_it_is_written(tmp_path, epsilon, delta):
    (tmp_path / "x.soc").touch()
    for _ in range(3):
        ledger = Ledger.beside(tmp_path / "x.soc", BALLOTS)
        ledger.with_result(None, spent(epsilon, delta), TODAY)
    written = json.loads((tmp_path / LEDGER).read_text(), parse_float=Fraction)["releases"]
    assert all(each["epsilon"] >= Fraction(epsilon) for each in written)
    most = 1 if delta > 0.9 else Fraction(delta)  # no delta of 1 can be read
    assert all(each["delta"] >= most or float(each["delta"]) == delta for each in written)
    read = Ledger.beside(tmp_path / "x.soc", BALLOTS).earlier
    assert len({(each.epsilon, each.delta) for each in read}) == 1
    assert epsilon <= read[0].epsilon <= epsilon * (1 + 1e-14)
    assert delta <= read[0].delta <= delta * (1 + 1e-14)


def test_what_was_asked_for_is_written_and_added_up_as_it_is(tmp_path):
    ledger = after(tmp_path, *[("x.soc", BALLOTS, within(0.1))] * 3)
    written = json.loads((tmp_path / LEDGER).read_text())["releases"]
    assert [each["epsilon"] for each in written] == [0.1] * 3
    read = Ledger.beside(tmp_path / "x.soc", BALLOTS)
    assert ledger.in_words() == read.in_words()
    assert read.in_words() == "x.soc: 3 private results so far, epsilon 0.3 in all"


@pytest.mark.parametrize(
    ("numeral", "said"),
    [("0.1", "0.100001"), ("0.09999999999999999", "0.1"), ("1.25", "1.25"), ("1.1", "1.10001")],
)
def test_earlier_ledgers_have_the_totals_that_they_had(tmp_path, numeral, said):
    """Their numerals are those of the floats that were spent: 0.1 is a little more than a tenth."""
    (tmp_path / LEDGER).write_bytes(priced(numeral, "0"))
    (tmp_path / "x.soc").touch()
    before = Ledger.beside(tmp_path / "x.soc", BALLOTS)
    assert before.earlier[0].epsilon == float(numeral)
    assert before.in_words() == f"x.soc: 1 private result so far, {OTHER} {said} in all"
    (tmp_path / "y.soc").write_text("others")
    Ledger.beside(tmp_path / "y.soc", OTHERS).with_result(None, spent(1.0), TODAY)
    assert json.loads((tmp_path / LEDGER).read_text())["version"] == 2
    assert Ledger.beside(tmp_path / "x.soc", BALLOTS).in_words() == before.in_words()


def test_prices_of_a_ledger_may_be_all_that_a_release_costs(tmp_path):
    (tmp_path / LEDGER).write_bytes(priced("1e-300", "0.999"))
    (tmp_path / "x.soc").touch()
    assert len(Ledger.beside(tmp_path / "x.soc", BALLOTS).earlier) == 1


@pytest.mark.parametrize(
    "damaged",
    [
        b"{",
        b"",
        b"\xff",
        b"[" * 10**5,
        *(b'{"version":1,"key":"%b"}' % k.encode() for k in KEYS),
        b'{"version":3,"key":"00"}',
        *(priced(epsilon, "0") for epsilon in ("-1", "0", "1e999")),
        *(priced("1", delta) for delta in ("-1e-9", "1")),
        priced("1", "0").replace(b"x.soc", b"[" * 256),  # 1.8 s for 8,000 of them
    ],
)
def test_a_damaged_ledger_is_no_empty_one(tmp_path, damaged):
    (tmp_path / LEDGER).write_bytes(damaged)
    (tmp_path / "x.soc").touch()
    with pytest.raises(HushrankError, match="forgets what was spent"):
        Ledger.beside(tmp_path / "x.soc", BALLOTS)


def test_what_was_only_seen_counts_as_well(tmp_path):
    (tmp_path / "x.soc").touch()
    ledger = Ledger.beside(tmp_path / "x.soc", BALLOTS).with_result(None, spent(0.5), TODAY)
    assert ledger.earlier[0].release == ""
    assert ledger.in_words() == "x.soc: 1 private result so far, epsilon 0.5 in all"


def test_what_others_wrote_meanwhile_is_kept(tmp_path):
    (tmp_path / "x.soc").touch()
    first, second = (Ledger.beside(tmp_path / "x.soc", BALLOTS) for _ in range(2))
    first.with_result(None, spent(0.5), TODAY)
    assert len(second.with_result(None, spent(0.25), TODAY).earlier) == 2


def test_ballots_are_known_again_by_the_key_of_whoever_began_the_book_meanwhile(tmp_path):
    first, second = (_beside_a_new_file(tmp_path / name) for name in ("x.soc", "y.soc"))
    first.with_result(None, spent(0.5), TODAY)
    told = second.with_result(None, spent(0.25), TODAY).in_words()
    assert told == "y.soc: 2 private results so far, epsilon 0.75 in all"


def _beside_a_new_file(path):
    path.write_text(path.name)
    return Ledger.beside(path, BALLOTS)


def test_nothing_else_that_is_written_takes_its_place(tmp_path):
    """Neither by its name nor through a link: what was spent would be forgotten."""
    path, link = after(tmp_path, ("x.soc", BALLOTS, 0.5)).path, tmp_path / "link.csv"
    link.symlink_to(path)
    with pytest.raises(HushrankError, match=r"link\.csv: expected another name"):
        write_rankings(BALLOTS, link)
    for is_link in (False, True):
        if is_link:
            path.symlink_to(path.rename(tmp_path / "kept.json"))
        with pytest.raises(HushrankError, match=f"{LEDGER}: expected another name"):
            aggregate(BALLOTS).report(path)
        after(tmp_path, ("x.soc", BALLOTS, 0.25))
        assert path.is_symlink() == is_link
    assert len(Ledger.beside(tmp_path / "x.soc", BALLOTS).earlier) == 3


WRITE = """
import sys
from datetime import date
from pathlib import Path
from hushrank.accounting.spend import Spend
from hushrank.workflows.ledger import Ledger
ledger = Ledger.of(Path(sys.argv[1]), b"ballots")
print("ready", flush=True)
sys.stdin.readline()
for n in range(25):
    spend = Spend("auto", 1.0, "noise", model="central")
    ledger.with_result(Path(f"{sys.argv[2]}-{n}.json"), spend, date(2026, 11, 23))
"""


def test_two_processes_that_release_at_once_are_both_written_down(tmp_path):
    (tmp_path / "x.soc").touch()
    started = [
        Popen([executable, "-c", WRITE, tmp_path / "x.soc", name], stdin=PIPE, stdout=PIPE)
        for name in "ab"
    ]
    for each in started:
        each.stdout.readline()
    for each in started:
        each.stdin.write(b"\n")
        each.stdin.flush()
    for each in started:
        each.communicate()
        assert each.returncode == 0
    book = Ledger.of(tmp_path / "x.soc", b"ballots")
    names = {entry.release for entry in book.earlier}
    assert names == {f"{name}-{n}.json" for name in "ab" for n in range(25)}
    assert len({entry.digest for entry in book.earlier}) == 1  # the key that was first is kept
    assert {path.name for path in tmp_path.iterdir()} == {"x.soc", LEDGER, f".{LEDGER}.lock"}


def test_where_it_cannot_be_written_nothing_begins(tmp_path, monkeypatch):
    (tmp_path / "x.soc").touch()
    with pytest.raises(HushrankError, match="written down beside its ballots"):
        Ledger.beside(tmp_path / "a pipe", BALLOTS)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(HushrankError, match="written down beside its ballots"):
        Ledger.beside(tmp_path / "x.soc", BALLOTS)

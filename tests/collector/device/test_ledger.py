from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.accounting.rounding import within
from hushrank.accounting.words import as_given, loss_in_words
from hushrank.collector.device.ledger import Account, Entry
from hushrank.errors import HushrankError

NOW = datetime(2027, 1, 31, tzinfo=UTC)
NATS = st.floats(0, 8, allow_subnormal=True)


def entry(nats: float, *, collector: str = "https://one.example", days: float = 0) -> Entry:
    return Entry(collector, "survey", "What to drink", 0, nats, NOW - timedelta(days=days))


@given(st.lists(NATS, max_size=30), NATS)
def test_a_sum_is_exact_and_said_rounded_up_by_less_than_a_step(each, more):
    account = Account(8.0, tuple(map(entry, each)))
    exact = sum(map(Fraction, each), Fraction(0))
    said = account.statement("https://one.example", NOW)
    assert said.in_a_year == said.in_all == said.everywhere
    assert Fraction(said.in_all) >= exact
    assert said.in_all == 0 or Fraction(said.in_all) - exact <= Fraction(said.in_all) / 2**52
    assert account.allows("https://one.example", more, NOW) == (exact + Fraction(more) <= 8)


def test_an_entry_leaves_the_limit_as_the_person_set_it():
    assert Account().limited(0.5).entered(entry(0.1)) == Account(0.5, (entry(0.1),))


@pytest.mark.parametrize("limit", [0.1, 0.2, 0.7, 1.1, 2.2, 4.4, 8, 0.0])
def test_a_limit_is_told_as_it_was_set_and_what_may_be_spent_is_not_above_it(limit):
    """The floats of tenths can be above them: 0.1 was said as 0.100001."""
    kept = Account().limited(limit)
    assert loss_in_words(kept.statement("https://one.example", NOW).limit) == as_given(limit)
    assert kept.allows("https://one.example", within(limit), NOW)
    assert not kept.allows("https://one.example", nextafter(within(limit), inf), NOW)


@pytest.mark.parametrize(("limit", "nats", "times"), [(9.9, 3.3, 3), (3.3, 1.1, 3), (0.9, 0.3, 3)])
def test_a_limit_allows_as_many_answers_as_its_numeral_has_place_for(limit, nats, times):
    """The float of 9.9 is above it, and that below it is less than three times that of 3.3."""
    entries = tuple(entry(within(nats)) for _ in range(times - 1))
    account = Account(entries=entries).limited(limit)
    assert account.allows("https://one.example", within(nats), NOW)
    full = account.entered(entry(within(nats)))
    assert not full.allows("https://one.example", 1e-9, NOW)


def test_ten_tenths_are_more_than_one():
    account = Account(1.0, tuple(entry(0.1) for _ in range(9)))
    assert not account.allows("https://one.example", 0.1, NOW)
    assert account.allows("https://one.example", 0.0999, NOW)


def test_a_person_who_says_nothing_spends_8_nats_a_year_at_most():
    assert Account().allows("https://one.example", 8.0, NOW)
    assert not Account().allows("https://one.example", 8.000001, NOW)


def test_each_collector_has_a_year_of_its_own():
    entries = (entry(5, days=365), entry(4, days=364.9), entry(3), entry(6, collector="other"))
    account = Account(8.0, entries)
    said = account.statement("https://one.example", NOW)
    assert (said.in_a_year, said.in_all, said.everywhere) == (7, 12, 18)
    assert account.allows("https://one.example", 1, NOW)
    assert not account.allows("https://one.example", 1.0001, NOW)
    assert account.allows("other", 2, NOW)


def test_a_survey_has_begun_where_this_collector_has_an_answer_to_it():
    """Another one may call a survey of its own the same: all of its rounds must be payable."""
    account = Account(8.0, (entry(1),))
    assert account.has_begun("https://one.example", "survey")
    assert not account.has_begun("other", "survey")
    assert not account.has_begun("https://one.example", "another")


def test_a_survey_has_begun_though_its_answers_cost_nothing_yet():
    """They were repeated: what is left of it is all that must be payable."""
    assert Account(8.0, (entry(0.0),)).has_begun("https://one.example", "survey")


def test_what_was_spent_everywhere_is_added_up_before_it_is_rounded_up():
    account = Account(8.0, (entry(1.0), entry(2**-60, collector="other")))
    assert account.statement("https://one.example", NOW).everywhere > 1.0


@pytest.mark.parametrize("n_others", [20, 21, 500])
def test_a_survey_has_begun_however_much_was_answered_before_it(n_others):
    account = Account(1e6)
    for _ in range(n_others):
        account = account.entered(entry(1.0, collector="https://two.example"))
    assert not account.has_begun("https://one.example", "survey")
    assert account.entered(entry(1.0)).has_begun("https://one.example", "survey")


def test_a_survey_has_begun_whatever_was_answered_before_and_after_it():
    """Else who goes on with it is refused where not all of its rounds can be paid once more."""
    others = [entry(1, collector=name) for name in ("before", "after")]
    account = Account(8.0, (others[0], entry(1), others[1]))
    assert account.has_begun("https://one.example", "survey")


def test_no_number_of_answers_is_too_large_to_be_remembered():
    account = Account(8.0)
    for _ in range(800):
        account = account.entered(entry(0.01))
    assert account.statement("https://one.example", NOW).in_all > 8
    assert not account.allows("https://one.example", 0.01, NOW)


def test_what_a_wrong_clock_puts_into_the_future_counts():
    account = Account(8.0, (entry(8, days=-400),))
    assert not account.allows("https://one.example", 0.1, NOW)


def test_what_a_wrong_clock_puts_into_the_past_counts_after_what_came_before_it():
    """Also where that was at another collector: a battery that died sets clocks back."""
    of_another = entry(1, collector="other", days=3)
    account = Account(8.0, (entry(5, days=800), of_another, entry(8, days=20_000)))
    assert not account.allows("https://one.example", 0.1, NOW)
    assert account.statement("https://one.example", NOW).in_a_year == 8


def test_a_collector_may_cost_eight_nats_a_year_unless_somebody_says_otherwise():
    account = Account()
    assert account.allows("https://one.example", 8.0, NOW)
    assert not account.allows("https://one.example", 8.001, NOW)


def test_a_limit_may_be_changed_and_is_no_less_than_nothing():
    account = Account().entered(entry(3.0)).entered(entry(5.0))
    assert account.entries == (entry(3.0), entry(5.0))
    assert account.limited(9).entries == account.entries
    assert not account.limited(9).allows("https://one.example", 1.001, NOW)
    assert account.limited(9).allows("https://one.example", 1.0, NOW)
    assert not account.limited(0).allows("other", 0.001, NOW)
    for wrong in (-1, float("inf"), float("nan")):
        with pytest.raises(HushrankError, match="limit"):
            account.limited(wrong)

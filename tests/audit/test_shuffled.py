"""An outsider finds shufflers that do not shuffle, and crowds that are too small."""

from dataclasses import replace

import pytest

from hushrank.accounting.shuffling import central_delta
from hushrank.audit import audit
from hushrank.audit.shipped.shuffled import shuffled_subjects
from hushrank.engines.shuffler import forward
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.sampled_survey import sampled_survey

DRAWS = 16_000


def in_order(reports, ends, *, rng):
    return reports


def latecomers_first(reports, ends, *, rng):
    return reports[::-1]


def all_but_one(reports, ends, *, rng):
    reports[1:] = forward(reports[1:], ends - [0, 1], rng=rng)
    return reports


def wrong(subject, **changes):
    crowd = subject.draw.__self__
    return replace(subject, draw=replace(crowd, **changes).draw)


@pytest.fixture(scope="module")
def subjects():
    return {each.name: each for each in shuffled_subjects(1.0, 1e-4)}


@pytest.mark.parametrize("name", ["shuffled grr", "shuffled named"])
def test_the_right_shuffler_is_not_accused(subjects, name):
    assert not audit(subjects[name], draws=DRAWS, rng=Randomness.seeded(1)).exceeds


@pytest.mark.parametrize("name", ["shuffled grr", "shuffled named"])
def test_people_report_at_the_largest_epsilon_that_is_certified_for_the_claim(subjects, name):
    """At less of it a shuffler that does harm were harder to find."""
    crowd = subjects[name].draw.__self__
    rate = len(crowd.others) * crowd.mechanism.rates.false_hit_rate
    known = {"n_reports": crowd.n_people, "clone_rate": rate}
    at_most = {"local": crowd.mechanism.epsilon, **known}
    above = {"local": crowd.mechanism.epsilon * 1.001, **known}
    assert central_delta(1.0, **at_most) <= subjects[name].delta < central_delta(1.0, **above)


@pytest.mark.parametrize("passed_on", [in_order, latecomers_first, all_but_one])
def test_a_shuffler_that_keeps_an_order_is_found(subjects, passed_on):
    subject = wrong(subjects["shuffled grr"], passed_on=passed_on)
    assert audit(subject, draws=DRAWS, rng=Randomness.seeded(1)).exceeds


@pytest.mark.parametrize("name", ["shuffled grr", "shuffled named"])
def test_a_crowd_that_is_too_small_for_the_claim_is_found(subjects, name):
    subject = wrong(subjects[name], n_people=10)
    assert audit(subject, draws=DRAWS, rng=Randomness.seeded(1)).exceeds


@pytest.mark.parametrize("passed_on", [in_order, latecomers_first])
@pytest.mark.block_sizes
def test_a_collection_that_keeps_an_order_is_found(subjects, passed_on):
    """One question, at twice the claim: what all reports add up to hides each of them."""
    asked = (sampled_survey("a pair", (RelativeOrder((0, 2)),), 2.0),)
    subject = wrong(subjects["shuffled collection"], surveys=asked, passed_on=passed_on)
    assert audit(subject, draws=4_000, rng=Randomness.seeded(1)).exceeds


def test_a_collection_that_is_shuffled_is_not_accused(subjects):
    asked = (sampled_survey("a pair", (RelativeOrder((0, 2)),), 2.0),)
    subject = wrong(subjects["shuffled collection"], surveys=asked)
    assert not audit(subject, draws=4_000, rng=Randomness.seeded(1)).exceeds

"""Surveys of hashed orders on the wire: 64-bit words and orders of 16 items arrive unharmed."""

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.protocols.distributions.popular_orders import order_surveys
from hushrank.questions.hashed import Hashed
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.top_order import TopOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.wire import PublishedSurvey, read_survey


def names(n_items: int) -> tuple[str, ...]:
    return tuple(map(str, range(n_items)))


@pytest.mark.parametrize("n_items", [4, 8, 16])
def test_the_surveys_of_orders_survive_the_wire(n_items):
    for survey in order_surveys(n_items, 4.0, function_seed=1):
        published = PublishedSurvey(survey, names(n_items))
        assert read_survey(published.document, most_epsilon=4.0).survey == survey
        assert len(published.document) < 60_000


def test_a_device_reports_a_bucket_and_the_collector_tallies_it():
    """At an epsilon of 40 the bucket is the true one."""
    _, survey = order_surveys(16, 40.0, function_seed=1)
    published = PublishedSurvey(survey, names(16))
    person = Rankings.from_orders(np.arange(16)[None, ::-1], names(16))
    (sent,) = published.answer(person, [3], lot=0.2, rng=Randomness.seeded(1), is_simulation=True)
    received = published.tally([sent])
    (bucket,) = survey.questions[3].answer(person.ranks)
    assert received.n_refused == 0
    assert received.tallies[3].support.tolist() == np.eye(256, dtype=int)[bucket].tolist()


def test_a_plain_question_about_first_places_survives_too():
    survey = sampled_survey("tops", [TopOrder(4, 2)], 1.0)
    document = PublishedSurvey(survey, names(4)).document
    assert read_survey(document, most_epsilon=1.0).survey == survey


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"multiplier":"7"', b'"multiplier":"07"'),
        (b'"multiplier":"7"', b'"multiplier":"18446744073709551616"'),
        (b'"multiplier":"7"', b'"multiplier":7'),
        (b'"n_places":4', b'"n_places":5'),
        (b'"n_items":4', b'"n_items":5'),
        (b'"n_buckets":8', b'"n_buckets":9'),
    ],
)
def test_a_document_that_says_otherwise_is_refused(old, new):
    survey = sampled_survey("orders", [Hashed(TopOrder(4, 4), 7, 9, 8)], 2.0)
    document = PublishedSurvey(survey, names(4)).document
    assert old in document
    with pytest.raises(HushrankError):
        read_survey(document.replace(old, new), most_epsilon=2.0)


def test_only_orders_are_hashed_on_the_wire():
    survey = sampled_survey("pairs", [Hashed(RelativeOrder((0, 1)), 7, 9, 8)], 2.0)
    with pytest.raises(HushrankError, match="no wire form"):
        _ = PublishedSurvey(survey, names(4)).document

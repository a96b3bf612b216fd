"""Surveys that tests collect with."""

from typing import Any

from hushrank.collector.draft import Draft, make_draft

KEY = "5f0c7a4be2d8419fa6b3c07d1e2f4a58"
"""By which the people of a test show that they send again."""

NAMES = ("tea", "coffee", "water", "juice")


def draft(**fields: Any) -> Draft:
    """Return a draft of four drinks, with other fields where they are given."""
    plain = {
        "title": "What to drink",
        "items": [{"name": name} for name in NAMES],
        "asked_by": "The kitchen",
        "purpose": "To buy the right things.",
        "contact": "kitchen@example.org",
        "privacy_notice": "Only noisy answers leave your device.",
        "epsilon": 2.0,
        "expected_people": 60,
        "smallest_group": 5,
    }
    return make_draft(plain | fields)

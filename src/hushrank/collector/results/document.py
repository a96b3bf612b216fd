"""What was learnt, as one JSON document: what the public gets, and the organiser too."""

from typing import Any

import msgspec

from hushrank.collector.draft import Draft
from hushrank.collector.results.tables import Table, order_table, pair_table, rank_table
from hushrank.workflows.results.collection import Collection

MOST_ITEMS_IN_PAIRS = 100
"""Of more items the pairs are in a file of their own: they would be a hundred megabytes."""


def public_document(collection: Collection, id: str, draft: Draft) -> bytes:
    """Return the results of a survey as JSON. Privacy: from the reports alone."""
    has_pairs = len(collection.names) <= MOST_ITEMS_IN_PAIRS
    told = {
        "version": 1,
        "survey": id,
        "title": draft.title,
        "asked_by": draft.asked_by,
        "people": collection.n_people,
        "protocol": collection.protocol.name,
        "epsilon": collection.epsilon,
        "private_model": collection.private_model,
        "privacy_statement": collection.privacy,
        "order": _records(order_table(collection)),
        "rank_shares": _records(rank_table(collection)),
        "pair_shares": _records(pair_table(collection) if has_pairs else None),
        "popular_orders": collection.shown.named.get("popular_orders"),
        "goodness_of_fit": collection.shown.named.get("goodness_of_fit"),
        "chains": collection.shown.named.get("chains"),
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=1)


def _records(table: Table | None) -> list[dict[str, Any]] | None:
    if table is None:
        return None
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

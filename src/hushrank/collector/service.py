"""Every use case of the live collection. Whatever speaks HTTP, or a terminal, calls this alone."""

from hushrank.collector.use_cases.answering import Answering
from hushrank.collector.use_cases.handing_over import HandingOver
from hushrank.collector.use_cases.records import (
    LOTS,
    Accepted,
    Assigned,
    IdempotencyKey,
    Joining,
    LiveSurvey,
    NotAsked,
    Upload,
)

__all__ = [
    "LOTS",
    "Accepted",
    "Assigned",
    "IdempotencyKey",
    "Joining",
    "LiveSurvey",
    "NotAsked",
    "Service",
    "Upload",
]


class Service(HandingOver, Answering):
    """Surveys of all organisers of one server, over one store."""

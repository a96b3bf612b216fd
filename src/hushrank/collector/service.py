"""Every use case of the live collection. Whatever speaks HTTP, or a terminal, calls this alone."""

from hushrank.collector.use_cases.answering import Answering
from hushrank.collector.use_cases.records import (
    LOTS,
    Accepted,
    Assigned,
    Joining,
    LiveSurvey,
    NotAsked,
    Upload,
)
from hushrank.collector.use_cases.running import Running

__all__ = [
    "LOTS",
    "Accepted",
    "Assigned",
    "Joining",
    "LiveSurvey",
    "NotAsked",
    "Service",
    "Upload",
]


class Service(Running, Answering):
    """Surveys of all organisers of one server, over one store."""

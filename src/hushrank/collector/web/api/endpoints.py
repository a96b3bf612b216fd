"""All that devices, backends and machines may call: routes and OpenAPI come from this table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.routing import Route

from hushrank.collector.announcement import Announcement
from hushrank.collector.service import Service
from hushrank.collector.web.api import messages
from hushrank.collector.web.api.reports import ManyUploads, OneUpload
from hushrank.collector.web.api.surveys import Surveys
from hushrank.collector.web.guards.limits import Buckets
from hushrank.collector.web.operations.health import Health
from hushrank.collector.web.operations.metrics import Metrics
from hushrank.surveys.wire_documents import WireSurvey

JSON = "application/json"


@dataclass(frozen=True)
class Endpoint:
    """One method of one address: who answers, and what is sent and answered.

    answers: status -> the type of the JSON, or several, or a media type where it is none.
    problems: the kinds beside those that every address may answer.
    """

    method: str
    path: str
    name: str
    summary: str
    handler: Callable[..., Any]
    answers: Mapping[int, Any]
    problems: tuple[str, ...] = ()
    body: Any = None
    body_type: str = JSON
    secured_by: str | None = None

    @property
    def route(self) -> Route:
        """The route of the endpoint."""
        return Route(self.path, self.handler, methods=[self.method], name=self.name)


def endpoints(
    service: Service, health: Health, metrics: Metrics, links: Buckets
) -> tuple[Endpoint, ...]:
    """Return all endpoints, those that are called most first."""
    return (*_reports(service, metrics), *_surveys(Surveys(service, links)), *_machines(health))


def _reports(service: Service, metrics: Metrics) -> tuple[Endpoint, ...]:
    received = {201: messages.ReceiptAnswer, 200: messages.ReceiptAnswer}
    refused = ("malformed", "forged", "conflict", "closed", "too-large", "media-type")
    return (
        Endpoint(
            "POST",
            "/v1/reports",
            "report",
            "Send the reports of one assignment; the same again is answered again.",
            OneUpload(service, metrics),
            received,
            refused,
            messages.UploadBody,
        ),
        Endpoint(
            "POST",
            "/v1/reports/batch",
            "report-batch",
            "Send the reports of up to 1,000 assignments, one a line.",
            ManyUploads(service, metrics),
            {200: messages.BatchAnswer},
            ("malformed", "too-large", "media-type"),
            messages.UploadBody,
            "application/x-ndjson",
        ),
    )


def _surveys(surveys: Surveys) -> tuple[Endpoint, ...]:
    return (
        Endpoint(
            "GET",
            "/v1/surveys/{id}",
            "announcement",
            "What people are shown before anything.",
            surveys.announcement,
            {200: Announcement},
            ("not-found",),
        ),
        Endpoint(
            "GET",
            "/v1/surveys/{id}/state",
            "state",
            "Where the survey is in its life.",
            surveys.state,
            {200: messages.StateAnswer},
            ("not-found",),
        ),
        Endpoint(
            "GET",
            "/v1/surveys/{id}/rounds/{round:int}/parts/{part:int}",
            "document",
            "All questions of a part of a round, for whoever checks them.",
            surveys.document,
            {200: WireSurvey},
            ("not-found",),
        ),
        Endpoint(
            "GET",
            "/v1/surveys/{id}/results",
            "results",
            "What the survey found, once its organiser shows it to everybody.",
            surveys.results,
            {200: dict[str, Any]},
            ("not-found", "not-open", "not-ready", "too-few"),
        ),
        Endpoint(
            "GET",
            "/v1/surveys/{id}/pictures/{digest}",
            "picture",
            "The picture of an item, by the SHA-256 of its bytes.",
            surveys.picture,
            {200: "image/*"},
            ("not-found", "not-open"),
        ),
        Endpoint(
            "POST",
            "/v1/surveys/{id}/assignments",
            "assign",
            "Ask which questions somebody answers in this round.",
            surveys.assign,
            {
                201: messages.AssignmentAnswer,
                200: (messages.AssignmentAnswer, messages.NotAskedAnswer),
            },
            (
                "not-found",
                "not-open",
                "closed",
                "not-invited",
                "conflict",
                "malformed",
                "media-type",
            ),
            messages.JoiningBody,
            secured_by="key",
        ),
    )


def _machines(health: Health) -> tuple[Endpoint, ...]:
    healthy = {200: messages.HealthAnswer}
    return (
        Endpoint("GET", "/healthz", "health", "The process runs.", health.alive, healthy),
        Endpoint(
            "GET",
            "/readyz",
            "readiness",
            "The store answers, too.",
            health.ready,
            healthy,
            ("unavailable",),
        ),
        Endpoint(
            "GET",
            "/metrics",
            "metrics",
            "Numbers for Prometheus, for this machine or with the operator's token.",
            health.metrics,
            {200: "text/plain"},
            ("not-allowed",),
            secured_by="metrics",
        ),
    )

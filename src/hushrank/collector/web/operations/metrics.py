"""Numbers for Prometheus: of requests and reports in all, never of people or single surveys."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Metrics(Collector):
    """The numbers of one process; counted without a lock, as one event loop counts them."""

    def __init__(self) -> None:
        """Begin at zero, in a registry of its own."""
        self.under_way = 0
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_SECONDS) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._uploads: Counter[str] = Counter()
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer, and how long it took."""
        self._requests[method, route, status] += 1
        self._seconds[route][bisect_left(_SECONDS, seconds)] += 1
        self._sums[route] += seconds

    def count_upload(self, outcome: str) -> None:
        """Count an upload by what became of it."""
        self._uploads[outcome] += 1

    def text(self) -> bytes:
        """Return all numbers in the format of Prometheus."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers as Prometheus knows them."""
        yield self._request_counts()
        yield self._durations()
        uploads = CounterMetricFamily("hushrank_uploads", "Uploads of reports.", labels=["outcome"])
        for outcome, count in self._uploads.items():
            uploads.add_metric([outcome], count)
        yield uploads
        under_way = GaugeMetricFamily("hushrank_requests_under_way", "Requests not yet answered.")
        under_way.add_metric([], self.under_way)
        yield under_way

    def _request_counts(self) -> Metric:
        labels = ["method", "route", "status"]
        family = CounterMetricFamily("hushrank_requests", "Answers sent.", labels=labels)
        for (method, route, status), count in self._requests.items():
            family.add_metric([method, route, str(status)], count)
        return family

    def _durations(self) -> Metric:
        name, words = "hushrank_request_seconds", "Time from the header to the end of the answer."
        family = HistogramMetricFamily(name, words, labels=["route"])
        names = [*map(str, _SECONDS), "+Inf"]
        for route, counts in self._seconds.items():
            family.add_metric(
                [route], list(zip(names, accumulate(counts), strict=True)), self._sums[route]
            )
        return family

"""hushrank serve: collect from people, on their own devices."""

from pathlib import Path
from typing import Annotated

from typer import Option

from hushrank.cli.input.extras import needs_collector
from hushrank.cli.input.options import StoreAddress
from hushrank.cli.output.console import in_flags


def serve(
    store: StoreAddress = "collector.sqlite",
    host: Annotated[str, Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="The port; 0: any free one.")] = 8000,
    public_url: Annotated[
        str | None, Option(help="What people's browsers open, where that is another address.")
    ] = None,
    insecure: Annotated[
        bool, Option("--insecure", help="Let people answer over connections that nobody protects.")
    ] = False,
    trusted_proxy: Annotated[
        list[str] | None,
        Option(help="An address or network of proxies that say whom they forward; repeatable."),
    ] = None,
    backend: Annotated[
        list[str] | None,
        Option(help="An address or network of the organiser's own, without a rate; repeatable."),
    ] = None,
    rate: Annotated[
        float, Option(min=0.001, help="Requests per second of one address, over time.")
    ] = 20.0,
    burst: Annotated[float, Option(min=1, help="Requests of one address at once.")] = 1000.0,
    metrics_token: Annotated[
        Path | None, Option(help="A file with the token that /metrics is then shown for.")
    ] = None,
) -> None:
    """Run a collector: people rank on their own devices, and no raw answer leaves them.

    Prints a link that signs the organiser in, once. The collector listens on this machine only
    unless told otherwise; for people elsewhere, see docs/operating.md.

    Example:  hushrank serve
    """
    with needs_collector():
        from hushrank.collector.serve import Listening, serve
        from hushrank.collector.web.settings import Limits, Rate

    with in_flags("public_url", "insecure", "metrics_token"):
        listening = Listening(host=host, port=port, public_url=public_url, insecure=insecure)
        serve(
            store,
            listening,
            trusted_proxies=tuple(trusted_proxy or ()),
            unlimited=tuple(backend or ()),
            metrics_token=None if metrics_token is None else _token_in(metrics_token),
            limits=Limits(per_address=Rate(rate, burst)),
        )


def _token_in(path: Path) -> str:
    """Return what stands in a file; what is no ASCII becomes a sign that no token has."""
    return path.read_text("ascii", errors="replace").strip()

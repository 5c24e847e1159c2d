"""Asks a service by the address of a page: what is asked stands behind the `?`."""

from collections.abc import Mapping
from urllib.parse import urlencode

from app.services.catalogues.answer import Exchange, now
from app.services.catalogues.service import Service
from app.services.web.client import MAX_BYTES, Request, WebClient
from app.services.web.errors import ShouldStop


def ask_page(
    service: Service,
    client: WebClient,
    address: str,
    fields: Mapping[str, str],
    should_stop: ShouldStop,
    *,
    max_bytes: int = MAX_BYTES,
) -> Exchange:
    """The question and its answer, in the time and at the pace of the service."""
    asked_at, url = now(), f"{address}?{urlencode(fields)}"
    request = Request(
        url=url, max_bytes=max_bytes, total_s=service.timeout_s, per_second=service.per_second
    )
    reply = client.ask(request, should_stop)
    return Exchange(url=url, asked_at=asked_at, content=reply.content, media_type=reply.media_type)

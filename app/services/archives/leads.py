"""Addresses that an answer gives: where a service may lead us."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from app.services.web.errors import NotAllowed
from app.services.web.urls import check_base, host_of, is_local


def checked_lead(base: str, to: str) -> str:
    """The address, encrypted where the service is. Raises NotAllowed.

    Another public server is allowed by https; a place on the user's own network only where the
    user has chosen that very server.
    """
    url = urljoin(base, to)
    if urlsplit(url).scheme not in ("http", "https"):
        raise NotAllowed("the answer gives an address that is no web address")
    if host_of(url) == host_of(base):
        if base.startswith("https:") and url.startswith("http:"):
            url = "https:" + url.removeprefix("http:")
        check_base(url)
        return url
    if is_local(urlsplit(url).hostname or ""):
        raise NotAllowed("the answer leads to a server on your own network")
    url = "https:" + url.removeprefix("http:") if url.startswith("http:") else url
    check_base(url)
    return url

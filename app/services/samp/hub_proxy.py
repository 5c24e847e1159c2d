"""Calls to the hub that end after a few seconds, whatever the hub does."""

from __future__ import annotations

import http.client
import xmlrpc.client
from functools import partial
from typing import Any
from xml.parsers.expat import ExpatError

from app.services.samp.library import SampError, samp_library
from app.services.samp.lock_file import HubAddress

TIMEOUT_S = 3.0
MAX_ANSWER = 8 * 1024 * 1024
POOL = 3
FAILURES = (
    *(OSError, xmlrpc.client.Error, http.client.HTTPException, ExpatError),
    *(ValueError, TypeError, LookupError, OverflowError),
)
"""What the library lets out of a call when the hub is gone or answers nonsense."""


class _Transport(xmlrpc.client.Transport):
    """HTTP with a time limit and bounded answers."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__()
        self._timeout_s = timeout_s

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = self._timeout_s
        return connection

    def parse_response(self, response: Any) -> Any:
        answer = response.read(MAX_ANSWER + 1)
        if len(answer) > MAX_ANSWER:
            raise ValueError("the answer of the hub is too large")
        parser, unmarshaller = self.getparser()
        parser.feed(answer)
        parser.close()
        return unmarshaller.close()


def hub_proxy(address: HubAddress, timeout_s: float = TIMEOUT_S) -> Any:
    """A proxy of the hub as the library's client wants it. Raises nothing: it calls nothing."""
    library = samp_library()

    class Proxy(library.SAMPHubProxy):  # type: ignore[misc, name-defined]
        """The library's own connects without a time limit."""

        @property
        def is_connected(self) -> bool:
            return self.proxy is not None

    proxy = Proxy()
    proxy.lockfile = {"samp.hub.xmlrpc.url": address.url, "samp.secret": address.secret}
    proxy.proxy = library.utils.ServerProxyPool(POOL, partial(_server, timeout_s), address.url)
    return proxy


def is_alive(address: HubAddress) -> bool:
    """Whether the hub answers; False if nothing listens there. Raises SampError for silence."""
    try:
        _server(TIMEOUT_S, address.url).samp.hub.ping()
    except TimeoutError as error:
        raise SampError("the SAMP hub does not answer: end the program that runs it") from error
    except (ConnectionError, http.client.HTTPException):
        return False
    except FAILURES:
        return True  # something speaks there
    return True


def _server(timeout_s: float, url: str) -> xmlrpc.client.ServerProxy:
    return xmlrpc.client.ServerProxy(url, allow_none=True, transport=_Transport(timeout_s))

"""The way to one server: requests, redirects on the same host, faults sorted."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpcore
import httpx

from agent.engines.base import ShouldStop
from agent.engines.remote.address import Address, Key, read_address
from agent.engines.remote.errors import (
    MAX_BODY,
    Clock,
    Refusal,
    RetryPolicy,
    TransientError,
    one_line,
    read_refusal,
)
from agent.engines.remote.http import new_client
from agent.engines.remote.request import Body, Dialect
from agent.errors import EngineError
from agent.rendering.model_image import Sizing

MAX_REDIRECTS = 3


class HttpError(Exception):
    """The server said no."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class HttpResponse:
    """A success whose body is still to come, in `pieces`."""

    def __init__(self, content_type: str, pieces: Iterator[bytes]) -> None:
        self.is_stream = content_type.partition(";")[0].strip().lower() == "text/event-stream"
        self.pieces = pieces


class HttpClient:
    """One client, for any number of threads."""

    def __init__(self, address: Address, key: Key | None, clock: Clock, timeout_s: float) -> None:
        self.address = address
        self.key = key
        self.clock = clock
        self.timeout_s = timeout_s
        self._client, self._transport = new_client(address, timeout_s)

    @contextmanager
    def request(
        self, method: str, path: str, body: Body | None, should_stop: ShouldStop | None = None
    ) -> Iterator[HttpResponse]:
        """A success. Raises Refused, Passing, Cancelled, EngineError; the pieces do too."""
        headers = {} if self.key is None else {"authorization": self.key.header}
        content = None if body is None else json.dumps(body).encode("ascii")
        if content is not None:
            headers["content-type"] = "application/json"
        url = self.address.root + path
        with self._transport.stopping(should_stop):
            for _ in range(MAX_REDIRECTS + 1):
                response = self._send(method, url, content, headers)
                try:
                    if not response.is_redirect:
                        self._check(response)
                        kind = response.headers.get("content-type", "")
                        yield HttpResponse(kind, self._pieces(response))
                        return
                    url = self._redirected(response)
                finally:
                    with suppress(httpcore.NetworkError, OSError):
                        response.close()
            raise EngineError(f"{self.address.netloc} redirects in circles")

    def close(self) -> None:
        self._client.close()

    def _send(
        self, method: str, url: str, content: bytes | None, headers: dict[str, str]
    ) -> httpx.Response:
        with self._faults():
            request = self._client.build_request(method, url, content=content, headers=headers)
            return self._client.send(request, stream=True)

    def _pieces(self, response: httpx.Response) -> Iterator[bytes]:
        with self._faults():  # what the reader raises does not pass through here
            yield from response.iter_raw()

    def _check(self, response: httpx.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise EngineError(f"{self.address.netloc} answers compressed, which was not asked for")
        if response.status_code >= 400:
            body = bytearray()
            for piece in self._pieces(response):
                body += piece
                if len(body) > MAX_BODY:
                    break
            headers = response.headers
            raise HttpError(read_refusal(response.status_code, headers, bytes(body), self.key))
        if response.status_code != 200:
            raise EngineError(f"{self.address.netloc} answered {response.status_code}")

    def _redirected(self, response: httpx.Response) -> str:
        """Only on the same server, and only by a status that keeps the request as it is."""
        where = response.headers.get("location", "")[:2000]
        try:
            target = response.request.url.join(where)
            address = read_address(str(target), allow_http=True)
        except (httpx.InvalidURL, ValueError, EngineError) as error:
            raise EngineError(f"{self.address.netloc} redirects to nowhere") from error
        if response.status_code not in (307, 308) or not address.has_same_origin(self.address):
            raise EngineError(
                f"{self.address.netloc} says it has moved to {one_line(address.root)}: "
                "give that address if you trust it"
            )
        return str(target)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Around network code only."""
        who = self.address.netloc
        try:
            yield
        except (httpcore.TimeoutException, httpx.TimeoutException) as error:
            raise TransientError(f"no answer within {self.timeout_s:g} s") from error
        except httpcore.ConnectError as error:
            if isinstance(_root(error), ssl.SSLCertVerificationError):
                raise EngineError(
                    f"{who} shows a certificate that this machine does not trust"
                ) from error
            raise TransientError("it cannot be reached") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError) as error:
            raise TransientError("the connection broke") from error
        except (httpcore.ProxyError, OSError) as error:
            raise TransientError("it cannot be reached") from error
        except (httpcore.UnsupportedProtocol, httpx.StreamError, ValueError) as error:
            raise EngineError(f"{who} cannot be asked: is its address right?") from error
        except RuntimeError as error:
            raise EngineError(f"the line to {who} was closed") from error


def _root(error: BaseException) -> BaseException:
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _nothing() -> None:
    """The server is somebody else's: only asking tells whether it is there."""


@dataclass(eq=False, repr=False)
class ServerSession:
    """`extras` go with every request in text form; `check_alive` raises EngineError where trying
    again is of no use; `may_fall_back_to_text`: if native calls are refused, text is tried."""

    line: HttpClient
    model: str
    retry_policy: RetryPolicy
    sizing: Sizing
    dialect: Dialect = field(default_factory=Dialect)
    may_fall_back_to_text: bool = False
    extras: Mapping[str, Any] = field(default_factory=dict)
    check_alive: Callable[[], None] = _nothing
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """For messages."""
        return self.line.address.netloc

    def learn(self, before: Dialect, after: Dialect) -> None:
        """The server took a request of this form, and none of the one before."""
        with self._lock:
            if self.dialect == before:
                self.dialect = after

"""The HTTP client of one server: requests, redirects on the same host, translated errors."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpcore
import httpx

from agent.child_process.turn_taking import waiting
from agent.engines.base import ShouldStop
from agent.engines.remote.address import Address, Key, read_address, redact_keys
from agent.engines.remote.errors import (
    MAX_BODY,
    Clock,
    Refusal,
    RetryPolicy,
    TransientError,
    one_line,
    read_refusal,
)
from agent.engines.remote.request import Body, Dialect
from agent.engines.remote.stream import TooLong, read_all, read_json
from agent.errors import EngineError
from agent.rendering.model_image import Sizing
from agent.web.body import is_packed
from agent.web.transport import CONNECT_S, TooSlow, new_client, proxy_for

MAX_REDIRECTS = 3
# A whole reply may take this many times the longest silence
TURN_SILENCES = 10
SESSION_HEADER = "x-session-id"

FIRST_PAUSE_S = 5.0  # Before a server that is down is asked again; the next pauses are longer.
MAX_MODELS_BODY = 4 * 2**20
LISTING_S = 10.0
MAX_NAME = 500
SHOWN_MODELS = 8


class HttpError(Exception):
    """The server answered with an error status."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True)
class HttpResponse:
    """A successful response whose body is read from `pieces`."""

    is_stream: bool
    pieces: Iterator[bytes]


class HttpClient:
    """A client for one server; safe to use from any number of threads."""

    def __init__(
        self,
        address: Address,
        key: Key | None,
        clock: Clock,
        timeout_s: float,
        turn_s: float | None = None,
    ) -> None:
        """`timeout_s` is the longest silence, `turn_s` the longest time for a whole reply."""
        self.address = address
        self.key = key
        self.clock = clock
        self.timeout_s = timeout_s
        self.turn_s = TURN_SILENCES * timeout_s if turn_s is None else turn_s
        # This machine is reached directly.
        proxy = None if address.is_loopback else proxy_for(address.scheme, address.host)
        timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S))
        self._client, self._transport = new_client(timeout, secure=address.is_secure, proxy=proxy)

    @contextmanager
    def request(
        self,
        method: str,
        path: str,
        body: Body | None,
        should_stop: ShouldStop | None = None,
        total_s: float | None = None,
        session: str = "",
    ) -> Iterator[HttpResponse]:
        """Send a request and yield the successful response, which may take `total_s` as a whole.

        Other threads take their turn at computing meanwhile. Routers keep requests of one
        `session` on one server.
        Raises HttpError, TransientError, Cancelled, EngineError; so does reading its pieces.
        """
        headers = {} if self.key is None else {"authorization": self.key.header}
        if session:
            headers[SESSION_HEADER] = session
        content = None if body is None else json.dumps(body).encode("ascii")
        if content is not None:
            headers["content-type"] = "application/json"
        url = self.address.root + path
        with (
            waiting(),
            self._explained_slowness(total_s or self.turn_s),
            self._transport.stopping(should_stop, total_s or self.turn_s),
        ):
            for _ in range(MAX_REDIRECTS + 1):
                with self._translated_errors():
                    request = self._client.build_request(
                        method, url, content=content, headers=headers
                    )
                    response = self._client.send(request, stream=True)
                try:
                    if not response.is_redirect:
                        self._check(response)
                        kind = response.headers.get("content-type", "").partition(";")[0]
                        is_stream = kind.strip().lower() == "text/event-stream"
                        yield HttpResponse(is_stream, self._pieces(response))
                        return
                    url = self._redirected(response)
                finally:
                    with suppress(httpcore.NetworkError, OSError):
                        response.close()
            raise EngineError(f"{self.address.netloc} redirects in a loop")

    def close(self) -> None:
        self._client.close()

    def _pieces(self, response: httpx.Response) -> Iterator[bytes]:
        with self._translated_errors():  # errors of the consumer do not pass through here
            yield from response.iter_raw()

    def _check(self, response: httpx.Response) -> None:
        if is_packed(response.headers):
            raise EngineError(
                f"{self.address.netloc} sent a compressed reply, which we do not accept"
            )
        if response.status_code >= 400:
            body = bytearray()
            for piece in self._pieces(response):
                body += piece
                if len(body) > MAX_BODY:
                    break
            headers = response.headers
            raise HttpError(read_refusal(response.status_code, headers, bytes(body), self.key))
        if response.status_code != 200:
            raise EngineError(
                f"{self.address.netloc} answered with status {response.status_code} instead of 200"
            )

    def _redirected(self, response: httpx.Response) -> str:
        """Return the new URL; only for redirects to the same server that keep the request."""
        where = response.headers.get("location", "")[:2000]
        try:
            target = response.request.url.join(where)
            address = read_address(str(target), allow_http=True)
        except (httpx.InvalidURL, ValueError, EngineError) as error:
            raise EngineError(f"{self.address.netloc} redirects to an invalid address") from error
        if response.status_code not in (307, 308) or not address.has_same_origin(self.address):
            raise EngineError(
                f"{self.address.netloc} has moved to "
                f"{one_line(redact_keys(address.root, self.key))}: use that address if you trust it"
            )
        return str(target)

    @contextmanager
    def _explained_slowness(self, total_s: float) -> Iterator[None]:
        try:
            yield
        except TooSlow as error:  # another attempt would be as slow
            raise EngineError(
                f"{self.address.netloc} did not end its answer within {total_s:g} s"
            ) from error

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translate network errors; wrap only network code in it."""
        server = self.address.netloc
        try:
            yield
        except httpx.InvalidURL as error:  # httpx parses redirects, though it does not follow
            raise EngineError(f"{server} redirects to an invalid address") from error
        except (httpcore.TimeoutException, httpx.TimeoutException) as error:
            raise TransientError(f"no answer within {self.timeout_s:g} s") from error
        except httpcore.ConnectError as error:
            if isinstance(_root(error), ssl.SSLCertVerificationError):
                raise EngineError(
                    f"{server} has a certificate that this machine does not trust"
                ) from error
            raise TransientError("it cannot be reached") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError) as error:
            raise TransientError("the connection broke") from error
        except (httpcore.ProxyError, OSError) as error:
            raise TransientError("it cannot be reached") from error
        except (httpcore.UnsupportedProtocol, httpx.StreamError, ValueError) as error:
            raise EngineError(f"{server} cannot be reached: is its address right?") from error
        except RuntimeError as error:
            raise EngineError(f"the connection to {server} was closed") from error


def _root(error: BaseException) -> BaseException:
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


@dataclass(eq=False, repr=False)
class ServerSession:
    """What the conversations with one server share, and how it is doing.

    `extras` are added to every request in text form. `check_alive` raises EngineError if retrying
    is useless. `may_fall_back_to_text`: use text if the server rejects native tool calls.
    """

    client: HttpClient
    model: str
    retry_policy: RetryPolicy
    sizing: Sizing
    dialect: Dialect = field(default_factory=Dialect)
    may_fall_back_to_text: bool = False
    extras: Body = field(default_factory=dict)
    check_alive: Callable[[], None] = lambda: None
    open: int = 0  # conversations that are open there
    faults: int = 0  # how often in a row it did not answer
    down: str = ""  # Why it is left alone; empty while it is up.
    pause_s: float = FIRST_PAUSE_S
    ask_at: float = 0.0  # when a server that is down is asked whether it is up again
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """The server's name in messages."""
        return self.client.address.netloc

    def learn(self, before: Dialect, after: Dialect) -> None:
        """Remember a dialect that worked, unless another thread has changed it since."""
        with self._lock:
            if self.dialect == before:
                self.dialect = after


# Ask a server which models it has.
def only_model(client: HttpClient) -> str:
    """Return the name of the server's only model. Raises TransientError, EngineError."""
    server = client.address.netloc
    try:
        names = listed_models(client)
    except HttpError as refused:
        raise EngineError(
            f"{server} does not list its models: {refused}; add #MODEL to the address"
        ) from refused
    if len(names) == 1:
        (name,) = names
        repeats_key = client.key is not None and client.key.redact(name) != name
        if len(name) <= MAX_NAME and name.isprintable() and not repeats_key:
            return name  # it can be shown and recorded
    some = _shown(client, names)
    choice = f": add one to the address as #MODEL ({some})" if some else ""
    raise EngineError(f"{server} lists {len(names)} models{choice}")


def require_model(client: HttpClient, model: str) -> None:
    """Refuse a server that lists other models. Raises TransientError, EngineError."""
    try:
        names = listed_models(client)
    except HttpError:
        return  # it answers, and some servers list nothing
    if names and model not in names:
        some = _shown(client, names)
        raise EngineError(f"{client.address.netloc} does not serve {model}, but {some}")


def listed_models(client: HttpClient) -> list[str]:
    """Return what the server lists. Raises HttpError, TransientError, EngineError."""
    server = client.address.netloc
    try:
        with client.request(
            "GET", "/models", None, total_s=min(LISTING_S, client.turn_s)
        ) as answer:
            listed = read_json(read_all(answer.pieces, MAX_MODELS_BODY)).get("data")
    except HttpError as refused:
        refusal = refused.refusal
        if refusal.is_transient:
            raise TransientError(
                str(refused), refusal.retry_after_s, status=refusal.status
            ) from refused
        raise
    except TooLong as error:
        raise EngineError(f"{server}: {error}") from error
    except ValueError as error:
        raise EngineError(f"{server} does not speak the OpenAI chat protocol") from error
    entries = listed if isinstance(listed, list) else []
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return [name for name in names if isinstance(name, str) and name]


def _shown(client: HttpClient, names: list[str]) -> str:
    shown = (redact_keys(name[:MAX_NAME], client.key) for name in names[:SHOWN_MODELS])
    return ", ".join(one_line(name, 60) for name in shown)

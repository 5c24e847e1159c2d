"""An httpx transport whose requests end when `should_stop` says so, or their time is over.

httpx blocks until bytes arrive, and a server may take minutes before its first one, or send one
byte a second for ever. So this transport waits in short slices, from the look-up of the name to the
last byte, and closes the connection when a request is cancelled.
"""

import math
import selectors
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from agent.errors import Cancelled
from agent.web.body import is_stopped, never

ShouldStop = Callable[[], bool]
SLICE_S = 0.1
LONGEST_SLICE_S = 0.5
CONNECT_S = 10.0
# Little enough that a socket which is ready for writing takes it whole
PIECE = 8192
USER_AGENT = "spec-o3-workbench"


class TooSlow(Exception):
    """A reply has not ended in the time that it has, though its bytes keep coming."""


class PeerRefused(Exception):
    """A host name leads to an address that may not be connected to."""


FAULTS = (
    *(TooSlow, PeerRefused, httpx.HTTPError, httpx.InvalidURL, httpcore.ProxyError),
    *(httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException),
    httpcore.UnsupportedProtocol,
)
"""What a server, or the way to it, can make of a request; Cancelled is what we make of it."""


@dataclass(frozen=True)
class Limits:
    """When a thread's requests end early; `until` is a time of `time.monotonic`."""

    should_stop: ShouldStop | None = None
    until: float = math.inf

    def check(self) -> None:
        if (self.should_stop or never)() or is_stopped():
            raise Cancelled
        if time.monotonic() >= self.until:
            raise TooSlow


class StoppableTransport(httpx.BaseTransport):
    """A connection for each thread, whose reads and writes obey the limits of that thread.

    A pool of hundreds of connections costs more than what is sent: each request goes through all of
    them, while the others wait.
    """

    def __init__(
        self,
        *,
        secure: bool,
        proxy: str | None = None,
        may_connect: Callable[[str], bool] | None = None,
    ) -> None:
        """`may_connect` is asked with the IP address of each connection before it is used."""
        self._network = _Network(may_connect)
        self._proxy = proxy
        self._limits: dict[str, Any] = {
            "ssl_context": httpx.create_ssl_context() if secure or proxy else None,
            "max_connections": None,
            "max_keepalive_connections": 1,
            "keepalive_expiry": 3.0,  # llama.cpp's server closes idle connections after 5 s
            "network_backend": self._network,
        }
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._pools: list[httpcore.ConnectionPool] = []

    @contextmanager
    def stopping(self, should_stop: ShouldStop | None, total_s: float) -> Iterator[None]:
        """In this thread's requests raise Cancelled once `should_stop` is true, TooSlow in time."""
        before = self._network.limits
        self._network.limits = Limits(should_stop, time.monotonic() + total_s)
        try:
            yield
        finally:
            self._network.limits = before

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(request.stream, httpx.SyncByteStream):
            raise TypeError("only synchronous requests are supported")
        to, headers, extensions = request.url, request.headers.raw, request.extensions
        url = httpcore.URL(scheme=to.raw_scheme, host=to.raw_host, port=to.port, target=to.raw_path)
        asked = httpcore.Request(
            request.method, url, headers=headers, content=request.stream, extensions=extensions
        )
        response = self._pool().handle_request(asked)
        if not isinstance(response.stream, Iterable):
            raise TypeError("the pool returned no stream")
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            # without the server's reason, which httpx writes to the log
            extensions={**response.extensions, "reason_phrase": b""},
        )

    def close(self) -> None:
        with self._lock:
            pools, self._pools = self._pools, []
        with ExitStack() as all_of_them:
            for pool in pools:
                all_of_them.callback(pool.close)

    def _pool(self) -> httpcore.ConnectionPool:
        pool: httpcore.ConnectionPool | None = getattr(self._of_thread, "pool", None)
        if pool is None:
            if self._proxy is None:
                pool = httpcore.ConnectionPool(**self._limits)
            else:
                proxy = httpx.Proxy(self._proxy)  # separates user and password from the url
                url, user = str(proxy.url), proxy.raw_auth
                pool = httpcore.HTTPProxy(proxy_url=url, proxy_auth=user, **self._limits)
            self._of_thread.pool = pool
            with self._lock:
                self._pools.append(pool)
        return pool


def new_client(
    timeout: httpx.Timeout,
    *,
    secure: bool = False,
    proxy: str | None = None,
    may_connect: Callable[[str], bool] | None = None,
) -> tuple[httpx.Client, StoppableTransport]:
    """Create a client for one server, without redirects, compression and cookies."""
    transport = StoppableTransport(secure=secure, proxy=proxy, may_connect=may_connect)
    client = httpx.Client(
        transport=transport,
        timeout=timeout,
        headers={"accept-encoding": "identity", "user-agent": USER_AGENT},
        follow_redirects=False,
        trust_env=False,  # `proxy_for` reads the environment instead
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # accepts none
    )
    return client, transport


def proxy_for(scheme: str, host: str) -> str | None:
    """Return the proxy that the environment names for a host of another machine."""
    if urllib.request.proxy_bypass(host):
        return None
    proxy = urllib.request.getproxies().get(scheme, "")
    return proxy if proxy.startswith(("http://", "https://")) else None


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            with suppress(httpcore.NetworkError):
                self._stream.close()


class _Network(httpcore.NetworkBackend):
    """Plain sockets and the limits of each thread."""

    def __init__(self, may_connect: Callable[[str], bool] | None) -> None:
        self._sockets = httpcore.SyncBackend()
        self._may_connect = may_connect
        self._local = threading.local()

    @property
    def limits(self) -> Limits:
        return getattr(self._local, "limits", Limits())

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._local.limits = limits

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        connect = self._sockets.connect_tcp
        stream = self.waited(lambda: connect(host, port, timeout, local_address, socket_options))
        peer = stream.get_extra_info("server_addr")
        if self._may_connect is not None and not self._may_connect(str(peer[0])):
            stream.close()
            raise PeerRefused(f"{host} is at {peer[0]}, which may not be asked")
        return _Stream(stream, self)

    def waited(self, call: Callable[[], httpcore.NetworkStream]) -> httpcore.NetworkStream:
        """What a call returns that nobody can end: the look-up of a name, or a handshake."""
        made: Future[httpcore.NetworkStream] = Future()

        def work() -> None:
            try:
                made.set_result(call())
            except BaseException as error:
                made.set_exception(error)

        threading.Thread(target=work, name="connecting", daemon=True).start()
        try:
            while not wait([made], SLICE_S).done:
                self.limits.check()
        except (Cancelled, TooSlow):
            made.add_done_callback(_close_late)
            raise
        return made.result()


def _close_late(made: Future[httpcore.NetworkStream]) -> None:
    if made.exception() is None:
        made.result().close()


class _Stream(httpcore.NetworkStream):
    """A socket whose waits are split into slices, with the limits checked between them."""

    def __init__(self, stream: httpcore.NetworkStream, network: _Network) -> None:
        self._stream = stream
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        end = _end(timeout)
        began = time.monotonic()
        while True:
            self._network.limits.check()
            # longer and longer, as hundreds of threads may wait here
            longest = (time.monotonic() - began) / 10
            try:
                return self._stream.read(max_bytes, _slice(end, longest))
            except httpcore.ReadTimeout:
                if time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream.get_extra_info("socket"), selectors.EVENT_WRITE)
            for start in range(0, len(buffer), PIECE):
                end = _end(timeout)
                self._network.limits.check()
                while not selector.select(_slice(end)):
                    self._network.limits.check()
                    if time.monotonic() >= end:
                        raise httpcore.WriteTimeout
                self._stream.write(buffer[start : start + PIECE], timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        start = self._stream.start_tls
        stream = self._network.waited(lambda: start(ssl_context, server_hostname, timeout))
        return _Stream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _end(timeout: float | None) -> float:
    return math.inf if timeout is None else time.monotonic() + timeout


def _slice(end: float, longest: float = 0.0) -> float:
    longest = min(max(SLICE_S, longest), LONGEST_SLICE_S)
    return max(0.001, min(longest, end - time.monotonic()))

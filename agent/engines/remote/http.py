"""An httpx transport whose requests can be cancelled with `should_stop`.

httpx blocks until bytes arrive, and a server may take minutes before its first one. So this
transport waits in short slices and closes the connection when a request is cancelled.
"""

from __future__ import annotations

import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from agent.engines.base import Cancelled, ShouldStop
from agent.engines.remote.address import Address

SLICE_S = 0.1
CONNECT_S = 10.0
USER_AGENT = "spec-o3-workbench"


class StoppableTransport(httpx.BaseTransport):
    """A connection pool whose reads call the `should_stop` of the waiting thread."""

    def __init__(self, *, secure: bool, proxy: str | None = None) -> None:
        self._network = _Network()
        limits: dict[str, Any] = {
            "ssl_context": httpx.create_ssl_context() if secure or proxy else None,
            "max_connections": None,
            "max_keepalive_connections": 8,
            "keepalive_expiry": 3.0,  # llama.cpp's server closes idle connections after 5 s
            "network_backend": self._network,
        }
        self._pool = (
            httpcore.ConnectionPool(**limits) if proxy is None else _proxy_pool(proxy, limits)
        )

    @contextmanager
    def stopping(self, should_stop: ShouldStop | None) -> Iterator[None]:
        """Raise Cancelled in this thread's requests inside the block once `should_stop` is true."""
        before = self._network.should_stop
        self._network.should_stop = should_stop
        try:
            yield
        finally:
            self._network.should_stop = before

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(request.stream, httpx.SyncByteStream):
            raise TypeError("only synchronous requests are supported")
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        if not isinstance(response.stream, Iterable):
            raise TypeError("the pool returned no stream")
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


def new_client(address: Address, timeout_s: float) -> tuple[httpx.Client, StoppableTransport]:
    """Create a client for one server, without redirects and compression."""
    transport = StoppableTransport(secure=address.is_secure, proxy=_proxy(address))
    client = httpx.Client(
        transport=transport,
        timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S)),
        headers={"accept-encoding": "identity", "user-agent": USER_AGENT},
        follow_redirects=False,
        trust_env=False,  # `_proxy` reads the environment instead
    )
    return client, transport


def _proxy_pool(proxy: str, limits: dict[str, Any]) -> httpcore.HTTPProxy:
    parsed = httpx.Proxy(proxy)  # separates user name and password from the address
    return httpcore.HTTPProxy(proxy_url=str(parsed.url), proxy_auth=parsed.raw_auth, **limits)


def _proxy(address: Address) -> str | None:
    """Return the proxy from the environment; this machine is reached directly."""
    if address.is_loopback or urllib.request.proxy_bypass(address.host):
        return None
    proxy = urllib.request.getproxies().get(address.scheme, "")
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
    """Plain sockets and the `should_stop` of each thread."""

    def __init__(self) -> None:
        self._sockets = httpcore.SyncBackend()
        self._local = threading.local()

    @property
    def should_stop(self) -> ShouldStop | None:
        return getattr(self._local, "should_stop", None)

    @should_stop.setter
    def should_stop(self, should_stop: ShouldStop | None) -> None:
        self._local.should_stop = should_stop

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._sockets.connect_tcp(host, port, timeout, local_address, socket_options)
        return _Stream(stream, self)


class _Stream(httpcore.NetworkStream):
    """A socket whose reads are split into slices, with `should_stop` called between them."""

    def __init__(self, stream: httpcore.NetworkStream, network: _Network) -> None:
        self._stream = stream
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        should_stop = self._network.should_stop
        if should_stop is None:
            return self._stream.read(max_bytes, timeout)
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            if should_stop():
                raise Cancelled
            left = SLICE_S if end is None else end - time.monotonic()
            try:
                return self._stream.read(max_bytes, max(0.001, min(SLICE_S, left)))
            except httpcore.ReadTimeout:
                if end is not None and time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _Stream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

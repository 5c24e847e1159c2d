"""Serving over HTTP to programs of this machine that know the token."""

import asyncio
import hmac
import logging
import os
import socket

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent.errors import WorkbenchError

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
TOKEN_VARIABLE = "SPEC_O3_MCP_TOKEN"
MIN_TOKEN, MAX_TOKEN = 16, 200
MAX_BODY = 1_000_000
MAX_CONNECTIONS = 64
IDLE_S = 5
MAX_HEADERS = 16_384


class TokenCheck:
    """Answers 401 before anything else is looked at, unless the request brings the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).getlist("authorization")
        is_known = len(given) == 1 and hmac.compare_digest(
            given[0].encode("latin-1"), self._expected
        )
        if is_known and scope["type"] == "http":
            await self._app(scope, receive, send)
            return
        headers = {"WWW-Authenticate": "Bearer"}
        refusal = PlainTextResponse("the token is missing or wrong", 401, headers)
        await refusal(scope, receive, send)


class IdleTimeoutProtocol(H11Protocol):
    """Hangs up where no request has arrived whole for IDLE_S seconds.

    Otherwise another program could hold all connections for ever, without the token: uvicorn's own
    limit begins with the first answer and ends with the next byte.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def _wait_for_request(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(IDLE_S, self._hang_up)

    def _hang_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def token_from_environment() -> str | None:
    """The token that the user chose; None if there is none. Raises WorkbenchError."""
    token = os.environ.get(TOKEN_VARIABLE)
    if token is None:
        return None
    is_plain = token.isascii() and token.isprintable() and " " not in token
    if not (MIN_TOKEN <= len(token) <= MAX_TOKEN and is_plain):
        raise WorkbenchError(
            f"{TOKEN_VARIABLE} must be {MIN_TOKEN} to {MAX_TOKEN} printable ASCII characters "
            "without spaces"
        )
    return token


def loopback_socket(port: int) -> socket.socket:
    """A socket that only programs of this machine reach; port 0 takes a free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name != "nt":  # where it would let two programs share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(MAX_CONNECTIONS)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise WorkbenchError(f"port {port} of {LOOPBACK} cannot be used: {reason}") from error
    return listener


def http_app(server: MCPServer[None], port: int, token: str) -> ASGIApp:
    """The web application; a page in a browser, of any address, is refused by its Origin."""
    names = (LOOPBACK, "localhost")
    allowed = TransportSecuritySettings(
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # Without sessions there are none to open in great number.
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY,
        transport_security=allowed,
    )
    return TokenCheck(app, token)


class QuietServer(uvicorn.Server):
    """Tells nothing of the requests that Ctrl-C ends."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logging.getLogger("uvicorn.error").disabled = True
        await super().shutdown(sockets)


def serve_http(server: MCPServer[None], listener: socket.socket, token: str) -> None:
    """Serve until Ctrl-C."""
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        http_app(server, port, token),
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        http=IdleTimeoutProtocol,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=MAX_HEADERS,
    )
    QuietServer(config).run(sockets=[listener])

"""A server on loopback that plays a script: one act for each request, every request kept."""

from __future__ import annotations

import json
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any

from tests.processes import served

DONE = "[DONE]"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self._play()

    def do_POST(self) -> None:
        self._play()

    def _play(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length)) if length else {}
        headers = {name.lower(): value for name, value in self.headers.items()}
        act = self.server.next_act(Request(self.command, self.path, headers, body))
        try:
            act(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server.hung_up.set()

    def log_message(self, *args: object) -> None:
        """Quiet."""

    def head(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def say(self, pieces: Pieces) -> None:
        self.head(200, content_type="text/event-stream", transfer_encoding="chunked")
        for event in pieces.events:
            self.chunk(event_bytes(event))

    def wait_for_hang_up(self) -> None:
        """Until the client closes its side, or the test ends."""
        is_over = False
        while not is_over:
            is_over = self.server.ended.is_set()
            if select.select([self.connection], [], [], 0.01)[0]:
                self.server.hung_up.set()
                break
            self.server.tick()
        self.close_connection = True


class FakeClock:
    """Time that passes only when somebody waits: `asked` slices, `waited` seconds in all."""

    def __init__(self) -> None:
        self.waited = 0.0
        self.asked = 0

    def now(self) -> float:
        return self.waited

    def wait(self, pause: float) -> None:
        assert 0 < pause <= 0.05 + 1e-9  # or a stop would go unheard
        self.waited += pause
        self.asked += 1


Act = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, acts: Sequence[Act]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Request] = []
        self.hung_up, self.ended = threading.Event(), threading.Event()
        self.tick: Callable[[], object] = lambda: None
        """Called again and again while it stalls, and with each piece of an endless reply."""
        self._acts = list(acts)
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.body for request in self.requests]

    def next_act(self, request: Request) -> Act:
        """The last act is played for ever."""
        with self._lock:
            number = min(len(self.requests), len(self._acts) - 1)
            self.requests.append(request)
            return self._acts[number]

    def shutdown(self) -> None:
        self.ended.set()
        super().shutdown()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the script."""


@contextmanager
def serving(*acts: Act, tls: SSLContext | None = None) -> Iterator[Server]:
    server = Server(acts)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with served(server):
        yield server


@dataclass
class Pieces:
    """Events of a streamed reply."""

    events: list[dict[str, Any] | str] = field(default_factory=list)

    def delta(self, logprobs: object = None, **delta: object) -> Pieces:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        if logprobs is not None:
            choice["logprobs"] = {"content": logprobs}
        self.events.append({"choices": [choice]})
        return self

    def words(self, *words: str) -> Pieces:
        for word in words:
            self.delta(content=word)
        return self

    def end(self, reason: str = "stop", usage: dict[str, Any] | None = None) -> Pieces:
        self.events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        if usage is not None:
            self.events.append({"choices": [], "usage": usage})
        self.events.append(DONE)
        return self


def spoken(*words: str, usage: dict[str, Any] | None = None) -> Act:
    """A reply in pieces, with its end."""
    return stream(Pieces().words(*words).end(usage=usage))


def stream(pieces: Pieces) -> Act:
    def act(handler: Handler) -> None:
        handler.say(pieces)
        handler.chunk(b"")

    return act


def dropped(pieces: Pieces) -> Act:
    """The connection breaks after these pieces."""

    def act(handler: Handler) -> None:
        handler.say(pieces)
        handler.close_connection = True

    return act


def stalled(pieces: Pieces | None = None) -> Act:
    """Says these pieces, or not even a status, and then nothing until the client gives up."""

    def act(handler: Handler) -> None:
        if pieces is not None:
            handler.say(pieces)
        handler.wait_for_hang_up()

    return act


def endless(piece: bytes, content_type: str = "text/event-stream") -> Act:
    """The same bytes until the client hangs up."""

    def act(handler: Handler) -> None:
        handler.head(200, content_type=content_type, transfer_encoding="chunked")
        while True:
            handler.chunk(piece)
            handler.server.tick()

    return act


def answered(status: int, body: object = None, **headers: str) -> Act:
    """A status with a JSON body, or bytes as they are."""

    def act(handler: Handler) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {"content_type": "application/json"} | headers
        handler.head(status, content_length=str(len(data)), **named)
        handler.wfile.write(data)

    return act


def refused(status: int, message: str, **fields: object) -> Act:
    return answered(status, {"error": {"message": message, **fields}})


def event_bytes(event: dict[str, Any] | str) -> bytes:
    return f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def listed(token: str, logprob: float, **others: float) -> dict[str, Any]:
    """A token as servers report it; `others` could have stood in its place."""
    top = [{"token": token, "logprob": logprob}]
    top += [{"token": name, "logprob": value} for name, value in others.items()]
    return {"token": token, "logprob": logprob, "top_logprobs": top}

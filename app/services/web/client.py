"""Asks a server: bounded in time, size, redirects and pace, and stoppable at any moment.

A host is asked evenly spaced, slower after faults, and not at all after many.
"""

import os
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpcore
import httpx

from agent.engines.remote.address import key_in_keyring
from agent.errors import Cancelled
from agent.web.body import never, whole_body
from agent.web.transport import (
    FAULTS,
    PeerRefused,
    StoppableTransport,
    TooSlow,
    new_client,
    proxy_for,
)
from app.services.web import errors
from app.services.web.urls import check_base, check_redirect, host_of, is_local, is_public_peer

MAX_REDIRECTS = 3
MAX_BYTES = 32 * 2**20
ATTEMPTS = 3
CONNECT_S = 10.0
BUSY = (429, 502, 503, 504)
REPEATED = (307, 308)
REDIRECTS = (301, 302, 303, *REPEATED)
PIECE = 64 * 1024
UNHURRIED = 4 * PIECE
PAUSE_S = 0.002
"""After each piece of a longer answer. A dozen that come at full speed would pass Python's lock
from one to the other, and the window would wait for it; so one comes with 30 MB/s at most."""
FAULTS_TO_REST = 5
REST_S = 60.0
LONGEST_BUSY_S = 300.0
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
PATIENCE_S = 20.0
"""A server that asks for more is left alone: how long nobody waits, a stranger does not choose."""
SLICE_S = 0.1


@dataclass(frozen=True, kw_only=True)
class Request:
    url: str
    form: Mapping[str, str] | None = None  # sent by POST where it is given
    files: Mapping[str, tuple[str, bytes, str]] | None = None
    """Name, content and type of the files sent with the form."""
    json: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = MAX_BYTES
    total_s: float = 30.0  # In all: waiting for a turn, every attempt and the whole reply.
    per_second: float = 2.0
    attempts: int = ATTEMPTS


@dataclass(frozen=True, kw_only=True)
class Reply:
    url: str  # where it came from, after redirects
    content: bytes
    media_type: str = ""


@dataclass
class HostPace:
    """When one host may be asked next; any thread may use it.

    After `FAULTS_TO_REST` faults in a row the host is left alone for a while; then one question
    tries whether it is back.
    """

    per_second: float
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep
    _next_at: float = 0.0
    _busy_until: float = 0.0  # as the server says
    _faults: int = 0
    _resting_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take_turn(self, until: float, should_stop: errors.ShouldStop) -> None:
        """Wait until this host may be asked. Raises NotAsked, or Stopped."""
        with self._lock:
            now = self.clock()
            if now < self._resting_until:
                rest = self._resting_until - now
                raise errors.NotAsked(
                    f"not asked: its server failed {self._faults} times in a row, at this or "
                    "something else",
                    rest,
                )
            if (rest := self._busy_until - now) > PATIENCE_S:
                raise errors.NotAsked(f"not asked: its server is busy for {rest:.0f} s more", rest)
            at = max(self._next_at, self._busy_until, now)
            if at > until:
                raise errors.NotAsked(
                    "not asked in time: other questions to this server come first"
                )
            self._next_at = at + 1.0 / self.per_second
        self.pause_until(at, should_stop)

    def pause_until(self, at: float, should_stop: errors.ShouldStop) -> None:
        while True:
            if should_stop():
                raise errors.Stopped
            left = at - self.clock()
            if left <= 0.0:
                return
            self.wait(min(left, SLICE_S))

    def note_success(self) -> None:
        with self._lock:
            self._faults, self._resting_until = 0, 0.0

    def note_fault(self, error: errors.ServiceError) -> None:
        """Count a fault of the host; what it answers wrongly, or is not asked, is none of those."""
        is_fault = isinstance(error, errors.Unreachable | errors.Busy)
        if not is_fault or isinstance(error, errors.NotAsked):
            return
        with self._lock:
            now = self.clock()
            self._faults += 1
            if isinstance(error, errors.Busy) and error.after_s is not None:
                until = now + min(error.after_s, LONGEST_BUSY_S)
                self._busy_until = max(self._busy_until, until)
            if self._faults >= FAULTS_TO_REST:
                self._resting_until = now + REST_S


def wait_before_retry(attempt: int, error: errors.ServiceError, draw: random.Random) -> float:
    """Seconds before the next attempt: longer each time, uneven, and as long as the server says."""
    growing = min(FIRST_WAIT_S * 2.0**attempt, LONGEST_WAIT_S)
    asked = error.after_s if isinstance(error, errors.Busy) and error.after_s is not None else 0.0
    return max(min(asked, LONGEST_WAIT_S), growing * draw.uniform(0.5, 1.0))


class WebClient:
    """Close it when done. Any thread may call `ask`; hosts keep their pace over all threads."""

    def __init__(self, *, seed: int | None = None) -> None:
        self._draw = random.Random(seed)
        self._lock = threading.Lock()
        self._paces: dict[str, HostPace] = {}
        self._clients: dict[tuple[str, bool], tuple[httpx.Client, StoppableTransport]] = {}
        self._is_closed = False

    def ask(self, request: Request, should_stop: errors.ShouldStop = never) -> Reply:
        """The reply of a server. Raises ServiceError, or Stopped."""
        check_base(request.url)
        until = time.monotonic() + request.total_s
        with self._lock:
            pace = self._paces.setdefault(host_of(request.url), HostPace(request.per_second))
        for attempt in range(request.attempts):
            try:
                pace.take_turn(until, should_stop)
                reply = self._attempt(request, until, should_stop)
            except errors.ServiceError as error:
                pace.note_fault(error)
                again = time.monotonic() + wait_before_retry(attempt, error, self._draw)
                is_long = isinstance(error, errors.Busy) and (error.after_s or 0.0) > PATIENCE_S
                is_last = attempt + 1 == request.attempts or again >= until or is_long
                if not error.can_retry or is_last:
                    raise
                pace.pause_until(again, should_stop)
            else:
                pace.note_success()
                return reply
        raise AssertionError("a request has at least one attempt")

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            clients, self._clients = self._clients, {}
        for client, _ in clients.values():
            client.close()

    def _client(self, url: str) -> tuple[httpx.Client, StoppableTransport]:
        is_secure = url.startswith("https:")
        host = host_of(url)
        with self._lock:
            if self._is_closed:
                raise errors.Stopped
            key = host, is_secure
            if key not in self._clients:
                parts = httpx.URL(url)
                is_near = is_local(parts.host)  # and reached directly
                proxy = None if is_near else proxy_for(parts.scheme, parts.host)
                is_own = proxy is not None or is_near
                may_connect = None if is_own else is_public_peer
                timeout = httpx.Timeout(None, connect=CONNECT_S)
                self._clients[key] = new_client(
                    timeout, secure=is_secure, proxy=proxy, may_connect=may_connect
                )
            return self._clients[key]

    def _attempt(self, request: Request, until: float, should_stop: errors.ShouldStop) -> Reply:
        url = request.url
        has_body = request.form is not None or request.json is not None
        for _ in range(MAX_REDIRECTS + 1):
            client, transport = self._client(url)
            left = until - time.monotonic()
            try:
                with (
                    transport.stopping(should_stop, left),
                    client.stream(
                        "POST" if has_body else "GET",
                        url,
                        data=dict(request.form) if has_body and request.form else None,
                        files=dict(request.files) if has_body and request.files else None,
                        json=request.json if has_body else None,
                        headers=dict(request.headers) if url == request.url else {},
                    ) as response,
                ):
                    if response.status_code in REDIRECTS:
                        url = str(response.url.join(response.headers.get("location", "")[:8000]))
                        check_redirect(request.url, url)
                        # The result lies elsewhere, unless the question itself belongs there.
                        has_body = has_body and response.status_code in REPEATED
                        continue
                    _check_status(response)
                    content = _content(response, request.max_bytes)
                    kind = response.headers.get("content-type", "")[:100]
                    return Reply(url=url, content=content, media_type=kind)
            except Cancelled as stopped:
                raise errors.Stopped from stopped
            except TooSlow as error:
                raise errors.TooLong(f"no whole answer in {request.total_s:.0f} s") from error
            except PeerRefused as error:
                raise errors.NotAllowed(str(error)) from error
            except (httpx.TimeoutException, httpcore.TimeoutException) as error:
                raise errors.Unreachable("no connection in time") from error
            except httpx.InvalidURL as error:
                raise errors.NotAllowed("it sends us on to what is no address") from error
            except FAULTS as error:
                what = f"{type(error).__name__} {error}"[:120]
                raise errors.Unreachable(f"no connection, or it broke off: {what}") from error
        raise errors.NotAllowed(f"more than {MAX_REDIRECTS} redirects")


def account_token(variable: str, url: str) -> str:
    """Of the user's account at a server, from the environment or the keyring; empty without one."""
    host = urlsplit(url).hostname or ""
    return os.environ.get(variable, "").strip() or key_in_keyring(host) or ""


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in BUSY:
        after = _retry_after(response.headers.get("retry-after", ""))
        raise errors.Busy(f"the server is busy (HTTP {status})", after)
    if status in (401, 403):
        raise errors.BadReply(f"the server wants a token or refuses us (HTTP {status})")
    if status == 404:
        raise errors.NotFound("the server knows no such address (HTTP 404)")
    if status >= 500:
        raise errors.Unreachable(f"the server has a fault (HTTP {status})")
    if status not in (200, 201):
        raise errors.BadReply(f"the server answers HTTP {status}")


def _retry_after(text: str) -> float | None:
    """Seconds of a Retry-After header, which is a number or a date."""
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError):
        return None


def _content(response: httpx.Response, max_bytes: int) -> bytes:
    """The whole body, unpacked where it was sent packed all the same."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    pieces = response.iter_raw(PIECE)
    if encoding in ("gzip", "x-gzip", "deflate"):
        pieces = _unpacked(pieces)
    elif encoding not in ("identity", ""):
        raise errors.BadReply(f"the answer is packed in a way that is not read ({encoding[:20]})")
    too_large = errors.NotAllowed(
        f"an answer of more than {max_bytes:,} bytes, the most that are read"
    )
    announced = response.headers.get("content-length", "")
    return whole_body(_unhurried(pieces), max_bytes, too_large, announced)


def _unhurried(pieces: Iterator[bytes]) -> Iterator[bytes]:
    come = 0
    for piece in pieces:
        yield piece
        come += len(piece)
        if come > UNHURRIED:
            time.sleep(PAUSE_S)


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        for piece in pieces:
            while piece:
                yield unpacker.decompress(piece, PIECE)
                piece = unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error as error:
        raise errors.BadReply("the answer is damaged: it cannot be unpacked") from error
    if not unpacker.eof:
        raise errors.BadReply("the answer is cut short")

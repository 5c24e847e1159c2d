"""Errors from a server: parse them, decide whether to retry, and wait between attempts."""

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from agent.child_process.turn_taking import waiting
from agent.engines.base import ShouldStop
from agent.engines.remote.address import Key, redact_keys
from agent.engines.remote.stream import read_json
from agent.errors import Cancelled, EngineError
from agent.rendering.window import single_line

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
MAX_RETRY_AFTER_S = 120.0
SLICE_S = 0.05
BUSY = (429, 503)

Result = TypeVar("Result")


class ServerFailed(EngineError):
    """A server failed again and again; another one may answer."""


class TransientError(Exception):
    """A fault that may be gone on the next attempt.

    `retry_after_s` is the wait that the server asked for, `status` its error status; 0 if it did
    not answer. `before_first_word`: the server opened a stream and closed it before the first piece
    of text.
    """

    def __init__(self, reason: str, retry_after_s: float | None = None, *, status: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.status = status
        self.before_first_word = False

    @property
    def is_busy(self) -> bool:
        """Whether the server said that it has too much to do."""
        return self.status in BUSY


class Clock:
    """A source of time that tests can replace."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        threading.Event().wait(seconds)


class RetryPolicy:
    """Retries with exponential backoff and jitter, or the wait that the server asks for."""

    def __init__(
        self, retries: int, *, clock: Clock | None = None, rng: random.Random | None = None
    ) -> None:
        if not 0 <= retries <= 100:
            raise EngineError(f"retries must be from 0 to 100, not {retries}")
        self.retries = retries
        self.clock = clock or Clock()
        self._rng = rng or random.Random()

    def run(
        self, attempt: Callable[[], Result], who: str, should_stop: ShouldStop | None = None
    ) -> Result:
        """Return the first result. Raises EngineError when all attempts fail, and Cancelled."""
        for number in range(self.retries + 1):
            try:
                return attempt()
            except TransientError as fault:
                if number == self.retries:
                    tries = f"; gave up after {number + 1} attempts" if number else ""
                    raise ServerFailed(f"{who}: {fault.reason}{tries}") from fault
                seconds = self.wait_s(number, fault.retry_after_s)
                if seconds is None:
                    raise ServerFailed(
                        f"{who}: {fault.reason}; it asks us to wait {fault.retry_after_s:.0f} s"
                    ) from fault
            end = self.clock.now() + seconds
            with waiting():
                while (left := end - self.clock.now()) > 0:
                    if should_stop is not None and should_stop():
                        raise Cancelled
                    self.clock.wait(min(SLICE_S, left))
            if should_stop is not None and should_stop():
                raise Cancelled
        raise AssertionError("unreachable")

    def wait_s(self, number: int, retry_after_s: float | None = None) -> float | None:
        """Return the wait before a retry, counted from 0; None if the server asks for too long."""
        if retry_after_s is not None:
            return retry_after_s if retry_after_s <= MAX_RETRY_AFTER_S else None
        longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(number, 20))
        return longest * self._rng.uniform(0.5, 1.0)


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds in a Retry-After header, a number or a date; None if it is neither."""
    if value is None or len(value) > 100:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now or datetime.now(UTC))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
        return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    except (ValueError, TypeError, OverflowError):
        return math.nan


MAX_BODY = 64 * 1024
MAX_MESSAGE = 300

TRANSIENT = frozenset({408, 409, 425, 429})
PERMANENT = frozenset({501, 505})
QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached")
CONTEXT_FULL_CODES = ("context_length_exceeded", "exceed_context_size_error")
_FULL = re.compile(
    r"context (?:length|window|size)|maximum context|exceeds? (?:n_ctx|the context)"
    r"|prompt is too long|too many tokens|input is too long",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,500}>")


@dataclass(frozen=True)
class Refusal:
    """An error status with the server's message, printable and short."""

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    retry_after_s: float | None = None

    @property
    def is_context_full(self) -> bool:
        if self.code in CONTEXT_FULL_CODES:
            return True
        return self.status in (400, 413, 422, 500) and bool(_FULL.search(self.message))

    @property
    def is_transient(self) -> bool:
        """Whether the error may be gone in a while."""
        if self.code in QUOTA_CODES or self.is_context_full:
            return False
        passing = self.status >= 500 and self.status not in PERMANENT
        return passing or self.status in TRANSIENT

    @property
    def is_about_form(self) -> bool:
        """Whether the server may accept the request in a simpler form."""
        # some servers answer 500 to a request they cannot parse
        return self.status in (400, 403, 415, 422, 500, 501)

    def names(self, keys: Iterable[str]) -> list[str]:
        """Return those of the request's keys that the message mentions, longest first."""
        if self.param:
            name = self.param.split(".")[0]
            return [key for key in keys if key == name]
        found = [key for key in keys if re.search(rf"\b{re.escape(key)}\b", self.message)]
        return sorted(found, key=len, reverse=True)

    def __str__(self) -> str:
        reason = {401: "it requires a valid API key", 403: "it does not allow this request"}
        message = f" ({self.message})" if self.message else ""
        return f"{reason.get(self.status, f'it answered with status {self.status}')}{message}"


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, key: Key | None = None
) -> Refusal:
    """Read an error response of any form."""
    error = _error_object(body)
    return Refusal(
        status=status,
        message=one_line(redact_keys(_message(error, body), key)),
        code=_text(error.get("code")) or _text(error.get("type")),
        param=_text(error.get("param"))[:100],
        retry_after_s=read_retry_after(headers.get("retry-after")),
    )


def refusal_in_stream(event: Mapping[str, Any], key: Key | None = None) -> Refusal | None:
    """Return the error in a stream event, or None if it is a piece of the reply."""
    error = event.get("error")
    if error is None and "choices" not in event and "message" in event and "code" in event:
        error = event  # llama.cpp's `error:` lines contain the bare object
    if error is None:
        return None
    fields = error if isinstance(error, dict) else {"message": _as_text(error)}
    code = fields.get("code")
    return Refusal(
        status=code if isinstance(code, int) and 400 <= code < 600 else 500,
        message=one_line(redact_keys(_text(fields.get("message")), key)),
        code=_text(code) or _text(fields.get("type")),
    )


def one_line(text: str, longest: int = MAX_MESSAGE) -> str:
    return single_line(_TAG.sub(" ", text[:MAX_BODY]), longest)


def _error_object(body: bytes) -> dict[str, Any]:
    try:
        whole = read_json(body)
    except ValueError:
        return {}
    error = whole.get("error")
    return error if isinstance(error, dict) else whole


def _message(error: Mapping[str, Any], body: bytes) -> str:
    for name in ("message", "detail", "error"):
        value = error.get(name)
        if value:
            return _as_text(value)
    return body.decode("utf-8", "replace")


def _as_text(value: object) -> str:
    try:
        return value if isinstance(value, str) else repr(value)[:MAX_BODY]
    except RecursionError:
        return ""


def _text(value: object) -> str:
    return value[:MAX_BODY] if isinstance(value, str) else ""

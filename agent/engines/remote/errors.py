"""What a server says when it says no: read from any form, kept short, sorted by what helps."""

from __future__ import annotations

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar

from agent.engines.base import Cancelled, ShouldStop
from agent.engines.remote.address import Key, redact_keys
from agent.engines.remote.stream import read_json
from agent.errors import EngineError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
MAX_RETRY_AFTER_S = 120.0
SLICE_S = 0.05

Result = TypeVar("Result")


class TransientError(Exception):
    """A fault that may be gone the next time. `retry_after_s` is what the server asked for;
    `before_first_word`: it promised a stream of words and closed it before the first."""

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.before_first_word = False


class Clock(Protocol):
    """Time, so that tests need not spend any."""

    def now(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        threading.Event().wait(seconds)


class RetryPolicy:
    """How often, and how long between: exponential with jitter, or what the server asks for."""

    def __init__(
        self, retries: int, *, clock: Clock | None = None, rng: random.Random | None = None
    ) -> None:
        if not 0 <= retries <= 100:
            raise EngineError(f"{retries} retries are not usable (0 to 100)")
        self.retries = retries
        self.clock = clock or SystemClock()
        self._rng = rng or random.Random()  # so that many clients do not come back together

    def run(
        self, attempt: Callable[[], Result], who: str, should_stop: ShouldStop | None = None
    ) -> Result:
        """The first result. Raises EngineError when the faults do not pass, and Cancelled."""
        for number in range(self.retries + 1):
            try:
                return attempt()
            except TransientError as fault:
                if number == self.retries:
                    raise EngineError(failure_message(who, fault.reason, number + 1)) from fault
                seconds = self.wait_s(number, fault.retry_after_s)
                if seconds is None:
                    raise EngineError(
                        f"{who}: {fault.reason}; it asks to wait {fault.retry_after_s:.0f} s"
                    ) from fault
            self._wait(seconds, should_stop)
        raise AssertionError("unreachable")

    def wait_s(self, number: int, retry_after_s: float | None = None) -> float | None:
        """Before the retry of that number, from 0; None where the server asks for too long."""
        if retry_after_s is not None:
            return retry_after_s if retry_after_s <= MAX_RETRY_AFTER_S else None
        longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(number, 20))
        return longest * self._rng.uniform(0.5, 1.0)

    def _wait(self, seconds: float, should_stop: ShouldStop | None) -> None:
        end = self.clock.now() + seconds
        while (left := end - self.clock.now()) > 0:
            if should_stop is not None and should_stop():
                raise Cancelled
            self.clock.wait(min(SLICE_S, left))
        if should_stop is not None and should_stop():
            raise Cancelled


def failure_message(who: str, reason: str, tries: int) -> str:
    return f"{who}: {reason}" + (f"; gave up after {tries} tries" if tries > 1 else "")


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds from a Retry-After header, a number or a date; None where it is neither."""
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
    """A status that is no success, with the server's own words, printable and short."""

    status: int
    words: str = ""
    code: str = ""
    param: str = ""
    retry_after_s: float | None = None

    @property
    def is_context_full(self) -> bool:
        if self.code in CONTEXT_FULL_CODES:
            return True
        return self.status in (400, 413, 422, 500) and bool(_FULL.search(self.words))

    @property
    def is_transient(self) -> bool:
        """May be gone in a while."""
        if self.code in QUOTA_CODES or self.is_context_full:
            return False
        passing = self.status >= 500 and self.status not in PERMANENT
        return passing or self.status in TRANSIENT

    @property
    def is_about_form(self) -> bool:
        """The server may accept the request in a simpler form. 500 is what some answer to one
        they cannot read."""
        return self.status in (400, 403, 415, 422, 500, 501)

    def names(self, keys: Iterable[str]) -> list[str]:
        """Those of the request's keys that the refusal speaks of, the longest first."""
        if self.param:
            at = self.param.split(".")[0]
            return [key for key in keys if key == at]
        found = [key for key in keys if re.search(rf"\b{re.escape(key)}\b", self.words)]
        return sorted(found, key=len, reverse=True)

    def __str__(self) -> str:
        reason = {401: "it asks for a key it knows", 403: "it does not allow this"}
        said = f" ({self.words})" if self.words else ""
        return f"{reason.get(self.status, f'it answered {self.status}')}{said}"


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, key: Key | None = None
) -> Refusal:
    """From whatever came with the status."""
    error = _error_object(body)
    return Refusal(
        status=status,
        words=one_line(redact_keys(_words(error, body), key)),
        code=_text(error.get("code")) or _text(error.get("type")),
        param=_text(error.get("param"))[:100],
        retry_after_s=read_retry_after(headers.get("retry-after")),
    )


def refusal_in_stream(event: Mapping[str, Any], key: Key | None = None) -> Refusal | None:
    """An error that came where a piece of the reply was due."""
    error = event.get("error")
    if error is None and "choices" not in event and "message" in event and "code" in event:
        error = event  # llama.cpp's `error:` lines hold the bare object
    if error is None:
        return None
    fields = error if isinstance(error, dict) else {"message": _said(error)}
    code = fields.get("code")
    return Refusal(
        status=code if isinstance(code, int) and 400 <= code < 600 else 500,
        words=one_line(redact_keys(_text(fields.get("message")), key)),
        code=_text(code) or _text(fields.get("type")),
    )


def one_line(text: str, longest: int = MAX_MESSAGE) -> str:
    """One printable line."""
    text = _TAG.sub(" ", text[:MAX_BODY])
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _error_object(body: bytes) -> dict[str, Any]:
    try:
        whole = read_json(body)
    except ValueError:
        return {}
    error = whole.get("error")
    return error if isinstance(error, dict) else whole


def _words(error: Mapping[str, Any], body: bytes) -> str:
    for name in ("message", "detail", "error"):
        value = error.get(name)
        if value:
            return _said(value)
    return body.decode("utf-8", "replace")


def _said(value: object) -> str:
    """Words, or whatever a server gave in their place."""
    try:
        return value if isinstance(value, str) else repr(value)[:MAX_BODY]
    except RecursionError:
        return ""


def _text(value: object) -> str:
    return value[:MAX_BODY] if isinstance(value, str) else ""
